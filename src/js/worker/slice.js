// A thread's slice of a pass: the rows of each matrix that are its own, as every row of a layer's result is a sum of
// its own. Results that the next layer reads whole go from thread to thread in between, in moved buffers.
import { GlassformerError } from '../errors.js';

/**
 * A slice's facts of a model; `weights` are addresses by key (see rowsOf), 0 for those that the model lacks.
 * @typedef {object} Plan
 * @property {number} C d_model
 * @property {number} H heads
 * @property {number} G heads of keys and values
 * @property {number} D width of a head
 * @property {number} F d_ff
 * @property {number} V rows of the output head, 0: none
 * @property {number} type of the matrices, as gf_linear has it
 * @property {string} norm
 * @property {boolean} residual
 * @property {boolean} finalNorm
 * @property {boolean} transform before the head
 * @property {boolean} causal
 * @property {number} activation as gf_activation has it
 * @property {boolean} gated whether an `up` multiplies the activation
 * @property {boolean} rms whether norms take no mean
 * @property {boolean} qkNorm
 * @property {number[]} [angles] of rotary positions, as gf_rotation has them
 * @property {number} epsilon
 * @property {number} scale of the scores
 * @property {number[]} windows of the layers
 */

/**
 * A pass over T new positions after `past` of B sequences.
 * @typedef {object} Pass
 * @property {number} B
 * @property {number} T
 * @property {number} past
 * @property {number} capacity positions whose keys and values stay for later passes; 0: none
 * @property {Float32Array} x the input of the first layer
 * @property {Uint8Array} [padding]
 * @property {Float32Array} [mask]
 * @property {Int32Array} [positions] of each row, where the model has `angles`
 */

/** @typedef {Map<string, number>} Weights */

/** A packed matrix is whole panels of so many rows. */
export const PANEL = 16;

/** @param {number} a @param {number} b @returns {number} */
const divisor = (a, b) => (b ? divisor(b, a % b) : a);

/**
 * The rows that are a thread's own, from and to: whole units, as evenly as can be.
 * @param {number} rows
 * @param {number} index of the thread
 * @param {number} count of all
 * @param {number} [unit]
 */
export function share(rows, index, count, unit = PANEL) {
  const begin = (/** @type {number} */ i) => Math.min(rows, unit * Math.ceil((rows * i) / (unit * count)));
  return [begin(index), begin(index + 1)];
}

/**
 * Rows by what they are: of keys, of the heads, of columns of the stream, of neurons, of the vocabulary.
 * @param {Plan} plan
 * @param {number} index
 * @param {number} count
 */
export function sharesOf({ C, H, G, D, F, V }, index, count) {
  const keys = share(G * D, index, count, (D * PANEL) / divisor(D, PANEL));
  return {
    keys,
    heads: keys.map((row) => (row * H) / G), // queries go with the keys that they share
    columns: share(C, index, count),
    neurons: share(F, index, count),
    words: share(V, index, count),
  };
}

/** The pieces of a slice, by the thread that sends them. */
export class Inbox {
  /** @type {any[][]} */
  #come = [];
  /** @type {({resolve: (message: any) => void, reject: (reason: unknown) => void} | undefined)[]} */
  #waiting = [];
  /** @type {unknown} */
  #lost;

  /** @param {(MessagePort | null)[]} ports to the other threads */
  constructor(ports) {
    this.ports = ports;
    ports.forEach((port, from) => {
      this.#come[from] = [];
      if (port) port.onmessage = ({ data }) => this.#take(from, data);
    });
  }

  /** @param {number} from @param {any} message */
  #take(from, message) {
    const waiting = this.#waiting[from];
    this.#waiting[from] = undefined;
    if (waiting) waiting.resolve(message);
    else this.#come[from].push(message);
  }

  /** @param {number} from @returns {Promise<any>} */
  next(from) {
    return new Promise((resolve, reject) => {
      if (this.#lost) throw this.#lost;
      if (this.#come[from].length) resolve(this.#come[from].shift());
      else this.#waiting[from] = { resolve, reject };
    });
  }

  /** Nothing more comes. @param {unknown} reason */
  lose(reason) {
    this.#lost = reason;
    for (const waiting of this.#waiting) waiting?.reject(reason);
    for (const port of this.ports) port?.close();
  }
}

/** A thread's verdict on a pass before any of them begins it. */
const FITS = 0;
const TOO_LARGE = 1;
/** Its rows of the weights did not fit, either. */
export const LACKING = 2;

/** One model's slice in one thread. */
export class Slice {
  /** Not all of its weights are here. */
  lacking = false;
  /** @type {Map<string, {pointer: number, bytes: number}>} */
  #buffers = new Map();
  /** Positions whose keys and values are here. */
  rows = 0;

  /**
   * @param {import('../engine/start.js').Core} core
   * @param {Plan} plan
   * @param {Weights} weights
   * @param {number} index
   * @param {Inbox} inbox
   */
  constructor(core, plan, weights, index, inbox) {
    this.core = core;
    this.plan = plan;
    this.weights = weights;
    this.inbox = inbox;
    this.index = index;
    this.count = inbox.ports.length;
    this.shares = Array.from({ length: this.count }, (_, i) => sharesOf(plan, i, this.count));
  }

  /** Gives back what was computed, not the weights. */
  free() {
    for (const { pointer } of this.#buffers.values()) this.core.functions.gf_free(pointer);
    this.#buffers.clear();
    this.rows = 0;
  }

  /**
   * Memory for floats.
   * @param {string} name
   * @param {number} floats
   * @param {number} [kept] of them
   */
  #buffer(name, floats, kept = 0) {
    const { memory, functions } = this.core;
    const former = this.#buffers.get(name);
    const bytes = 4 * Math.max(floats, 1);
    if (former && former.bytes >= bytes) return former.pointer;
    const pointer = memory.allocate(bytes);
    if (former) {
      memory.write('float32', pointer, memory.view('float32', former.pointer, kept));
      functions.gf_free(former.pointer);
    }
    this.#buffers.set(name, { pointer, bytes });
    return pointer;
  }

  /**
   * Takes all memory of a pass: none is left to be taken half way, where the others would wait for what never comes.
   * @param {Pass} pass
   * @returns {number} FITS and so on
   */
  #prepare({ B, T, past, capacity, padding, mask, positions }) {
    const { C, H, D, F, windows, gated } = this.plan;
    const [R, length] = [B * T, past + T];
    const [heads, neurons, words] = /** @type {const} */ (['heads', 'neurons', 'words']).map((what) => {
      const [from, end] = this.shares[this.index][what];
      return end - from;
    });
    if (this.lacking) return LACKING;
    try {
      for (const name of ['x', 'y', 'z']) this.#buffer(name, R * C);
      this.#buffer('padding', padding?.length ?? 0);
      this.#buffer('mask', mask?.length ?? 0);
      this.#buffer('own', R * Math.max(heads, neurons, this.index ? words : 0));
      this.#buffer('up', gated ? R * neurons : 0);
      this.#buffer('wide', R * Math.max(C, H * D, F));
      for (const name of ['positions', 'turns']) this.#buffer(name, (positions?.length ?? 0) * D);
      this.#buffer('query', R * heads);
      this.#buffer('scratch', 64 * length);
      for (const layer of windows.keys()) this.#keysOf(layer, R, { past, length, capacity });
    } catch (error) {
      if (!(error instanceof GlassformerError && error.code === 'memory')) throw error;
      return TOO_LARGE;
    }
    return FITS;
  }

  /**
   * Memory for the keys and values of a layer, of which those of the past stay.
   * @param {number} layer @param {number} R @param {{past: number, length: number, capacity: number}} place
   */
  #keysOf(layer, R, { past, length, capacity }) {
    const [from, end] = this.shares[this.index].keys;
    const width = end - from;
    const floats = width * (capacity ? Math.max(capacity, length) : R);
    const kept = Math.min(past, this.rows) * width;
    return ['key', 'value'].map((name) => this.#buffer(name + (capacity ? layer : ''), floats, kept));
  }

  /** The verdict of all threads on a pass: the worst. @param {number} own */
  async #agree(own) {
    for (const port of this.inbox.ports) port?.postMessage(own);
    let worst = own;
    for (let other = 0; other < this.count; other++) {
      if (other !== this.index) worst = Math.max(worst, await this.inbox.next(other));
    }
    return worst;
  }

  /** @param {string} name @param {ArrayLike<number> | undefined} data @param {'float32' | 'int32' | 'uint8'} dtype */
  #put(name, data, dtype) {
    if (!data) return 0;
    const pointer = this.#buffer(name, data.length);
    this.core.memory.write(dtype, pointer, data);
    return pointer;
  }

  /**
   * @param {number} y @param {number} row floats from one row of y to the next @param {number} x @param {string} key
   * @param {number} R @param {number} inputs @param {number} outputs @param {number} [residual] @param {boolean} [relu]
   */
  #linear(y, row, x, key, R, inputs, outputs, residual = 0, relu = false) {
    const [weight, bias] = [this.#weight(key), this.#weight(`${key}.bias`)];
    const { type } = this.plan;
    const { gf_linear: linear } = this.core.functions;
    if (outputs > 0) linear(y, row, x, weight, type, bias, residual, Number(relu), R, inputs, outputs);
  }

  /** @param {string} key */
  #weight(key) {
    return this.weights.get(key) ?? 0;
  }

  /** @param {number} y @param {number} x @param {string} key @param {number} R */
  #norm(y, x, key, R) {
    const { C, epsilon, rms } = this.plan;
    const [weight, bias] = [this.#weight(key), this.#weight(`${key}.bias`)];
    if (rms) this.core.functions.gf_rms_norm(y, 0, x, weight, epsilon, R, C);
    else this.core.functions.gf_layer_norm(y, 0, 0, x, weight, bias, epsilon, R, C);
  }

  /**
   * Completes R rows of `width` floats: this thread's columns go to the others, theirs come.
   * @param {number} to the rows
   * @param {number} width
   * @param {number} R
   * @param {'heads' | 'columns' | 'neurons' | 'words'} what
   * @param {number} [own] this thread's columns where they do not stand in the rows yet
   */
  async #complete(to, width, R, what, own) {
    const { memory } = this.core;
    const [from, end] = this.shares[this.index][what];
    if (end > from) {
      const data = own ? memory.copy('float32', own, R * (end - from)) : this.#columns(to, width, R, from, end);
      if (own) this.#scatter(to, width, data, from, end);
      this.#send(data);
    }
    await this.#receive(to, width, what);
  }

  /** @param {number} to @param {number} width @param {'heads' | 'columns' | 'neurons' | 'words'} what */
  async #receive(to, width, what) {
    for (let other = 0; other < this.count; other++) {
      const [from, end] = this.shares[other][what];
      if (other !== this.index && end > from) {
        this.#scatter(to, width, await this.inbox.next(other), from, end);
      }
    }
  }

  /** @param {Float32Array} data moved to the last */
  #send(data) {
    const others = this.inbox.ports.filter((port) => port);
    others.forEach((port, i) => {
      const piece = i < others.length - 1 ? data.slice() : data;
      port?.postMessage(piece, [piece.buffer]);
    });
  }

  /** @param {number} of @param {number} width @param {number} R @param {number} from @param {number} end */
  #columns(of, width, R, from, end) {
    const { float32 } = this.core.memory.heaps;
    const data = new Float32Array(R * (end - from));
    for (let r = 0, at = of / 4 + from; r < R; r++, at += width) {
      data.set(float32.subarray(at, at + end - from), r * (end - from));
    }
    return data;
  }

  /** @param {number} to @param {number} width @param {Float32Array} data @param {number} from @param {number} end */
  #scatter(to, width, data, from, end) {
    const { float32 } = this.core.memory.heaps;
    const columns = end - from;
    for (let i = 0, at = to / 4 + from; i < data.length; i += columns, at += width) {
      float32.set(data.subarray(i, i + columns), at);
    }
  }

  /**
   * The layers; the first thread then has the output and the logits where it wants them.
   * @param {Pass} pass
   * @param {{output: number, logits: number}} [results] addresses
   * @returns {Promise<number>} not 0 where a thread lacks memory: then nothing was computed, and no thread holds any
   */
  async run(pass, results) {
    const { C, D, norm, windows, finalNorm, F, angles } = this.plan;
    const verdict = await this.#agree(this.#prepare(pass));
    if (verdict !== FITS) {
      this.free();
      return verdict;
    }
    const R = pass.B * pass.T;
    let [x, y, z] = ['x', 'y', 'z'].map((name) => this.#buffer(name, R * C));
    this.core.memory.write('float32', x, pass.x);
    const masks = [this.#put('padding', pass.padding, 'uint8'), this.#put('mask', pass.mask, 'float32')];
    if (pass.positions && angles) {
      const positions = this.#put('positions', pass.positions, 'int32');
      this.core.functions.gf_rotation(this.#buffer('turns', R * D), positions, R, D, ...angles);
    }
    for (let layer = 0; layer < windows.length; layer++) {
      for (const sublayer of F > 0 ? [1, 2] : [1]) {
        const key = `${layer}.norm${sublayer}`;
        if (norm === 'pre') this.#norm(y, x, key, R);
        const input = norm === 'pre' ? y : x;
        if (sublayer === 1) await this.#attention(z, x, input, layer, pass, masks);
        else await this.#ffn(z, x, input, layer, R);
        await this.#complete(z, C, R, 'columns');
        [x, z] = [z, x];
        if (norm === 'post') {
          this.#norm(y, x, key, R);
          [x, y] = [y, x];
        }
      }
    }
    this.rows = pass.past + pass.T;
    const output = results?.output ?? y;
    if (finalNorm) this.#norm(output, x, 'norm', R);
    else this.core.memory.write('float32', output, this.core.memory.view('float32', x, R * C));
    await this.#logits(output, z, R, results?.logits);
    return FITS;
  }

  /**
   * Own columns of z = x + the attention of all heads.
   * @param {number} z @param {number} x @param {number} input @param {number} layer @param {Pass} pass
   * @param {number[]} masks
   */
  async #attention(z, x, input, layer, { B, T, past, capacity }, masks) {
    const { C, H, D, scale, causal, windows } = this.plan;
    const { functions } = this.core;
    const R = B * T;
    const { heads, keys, columns } = this.shares[this.index];
    const [width, shared, length] = [heads[1] - heads[0], keys[1] - keys[0], past + T];
    const own = this.#buffer('own', R * width);
    if (width > 0) {
      const query = this.#buffer('query', R * width);
      const [key, value] = this.#keysOf(layer, R, { past, length, capacity });
      const now = 4 * past * shared;
      this.#linear(query, width, input, `${layer}.query`, R, C, width);
      this.#linear(key + now, shared, input, `${layer}.key`, R, C, shared);
      this.#linear(value + now, shared, input, `${layer}.value`, R, C, shared);
      this.#position(query, `${layer}.q_norm`, R, width / D);
      this.#position(key + now, `${layer}.k_norm`, R, shared / D);
      const scratch = this.#buffer('scratch', 64 * length);
      const shape = [scale, Number(causal), windows[layer], past, B, T, width / D, shared / D, D];
      functions.gf_attend(own, scratch, query, key, value, masks[0], masks[1], ...shape);
    }
    const concat = this.#buffer('wide', R * H * D);
    await this.#complete(concat, H * D, R, 'heads', own);
    this.#project(z, x, concat, `${layer}.out`, R, H * D, columns);
  }

  /**
   * Queries or keys as the scores read them: normalised and turned, where the model does so.
   * @param {number} x @param {string} norm @param {number} R @param {number} heads
   */
  #position(x, norm, R, heads) {
    const { D, epsilon, qkNorm, angles } = this.plan;
    const { functions } = this.core;
    if (qkNorm) functions.gf_rms_norm(x, 0, x, this.#weight(norm), epsilon, R * heads, D);
    if (angles) functions.gf_rotate(x, x, this.#buffer('turns', R * D), R, heads, D, 0, 0);
  }

  /** @param {number} z @param {number} x @param {number} input @param {number} layer @param {number} R */
  async #ffn(z, x, input, layer, R) {
    const { C, F, activation, gated } = this.plan;
    const { functions } = this.core;
    const { neurons, columns } = this.shares[this.index];
    const width = neurons[1] - neurons[0];
    const own = this.#buffer('own', R * width);
    this.#linear(own, width, input, `${layer}.linear1`, R, C, width, 0, activation === 0 && !gated);
    if (gated) {
      const up = this.#buffer('up', R * width);
      this.#linear(up, width, input, `${layer}.linear3`, R, C, width);
      functions.gf_activation_gated(own, own, up, R * width, activation);
    } else if (activation > 0) functions.gf_activation(own, own, R * width, activation);
    const hidden = this.#buffer('wide', R * F);
    await this.#complete(hidden, F, R, 'neurons', own);
    this.#project(z, x, hidden, `${layer}.linear2`, R, F, columns);
  }

  /**
   * @param {number} z @param {number} x @param {number} input @param {string} key @param {number} R
   * @param {number} inputs @param {number[]} columns
   */
  #project(z, x, input, key, R, inputs, [from, end]) {
    const residual = this.plan.residual ? x + 4 * from : 0;
    this.#linear(z + 4 * from, this.plan.C, input, key, R, inputs, end - from, residual);
  }

  /**
   * @param {number} output @param {number} z @param {number} R
   * @param {number} [logits] where all of them go; else this thread's go to the first
   */
  async #logits(output, z, R, logits) {
    const { C, V, transform, activation } = this.plan;
    const [from, end] = this.shares[this.index].words;
    if (V === 0) return;
    let x = output;
    if (transform) {
      const wide = this.#buffer('wide', R * C);
      this.#linear(wide, C, output, 'transform', R, C, C);
      this.core.functions.gf_activation(wide, wide, R * C, activation);
      this.#norm((x = z), wide, 'transform.norm', R);
    }
    if (logits !== undefined) {
      this.#linear(logits, V, x, 'head', R, C, end);
      await this.#receive(logits, V, 'words');
    } else if (end > from) {
      const own = this.#buffer('own', R * (end - from));
      this.#linear(own, end - from, x, 'head', R, C, end - from);
      const data = this.core.memory.copy('float32', own, R * (end - from));
      this.inbox.ports[0]?.postMessage(data, [data.buffer]);
    }
  }
}
