// Large passes of an engine's models, cut over this thread and others, which join with a port to each (threads.js).
// Messages from this thread to another, in their order, between which pieces of passes go (slice.js):
//   module                      a WebAssembly.Module, at the beginning
//   {model, plan}               a model, whose weights follow
//   {model, key, bytes}         rows of a weight that are that thread's own
//   {model, pass}               a pass to take part in
//   {model}                     that model is no more
import { settingOf } from '../engine/config.js';
import { coreOf } from '../engine/engine.js';
import { CAPTURE, ONE_ROW, TRAIN } from '../engine/flags.js';
import { EDITION_1, unknownTo } from '../engine/known.js';
import { isPacked, rowBytes, typeOf } from '../engine/packed.js';
import { start } from '../engine/start.js';
import { GlassformerError, checked } from '../errors.js';
import { Inbox, LACKING, PANEL, sharesOf, Slice } from './slice.js';

/** @typedef {import('../engine/handle.js').Handle} Handle */
/** @typedef {import('../engine/inputs.js').Batch} Batch */
/** @typedef {import('./slice.js').Plan} Plan */

/** Multiply-adds of a layer from which on a cut gains: below, waiting for the others costs more. */
const LEAST = 4e6;

/** @param {Handle} handle @returns {Plan} */
function planOf(handle) {
  const { config, core } = handle;
  const { choices } = settingOf(core.settings, 'activation');
  const D = config.headWidth || config.d_model / config.heads;
  const scaling = settingOf(core.settings, 'ropeScaling').choices.indexOf(config.ropeScaling);
  const { ropeTheta, ropeFactor, ropeLowFrequency, ropeHighFrequency, ropeOriginalLength } = config;
  const angles = [ropeTheta, scaling, ropeFactor, ropeLowFrequency, ropeHighFrequency, ropeOriginalLength];
  const attentions = handle.graph().filter(({ kind }) => kind === 'attention');
  const { head } = matricesOf(config);
  return {
    C: config.d_model,
    H: config.heads,
    G: config.keyValueHeads || config.heads,
    D,
    F: config.d_ff,
    V: head ? handle.get(head).shape[0] : 0,
    type: typeOf(handle.get(matricesOf(config).attention)),
    norm: config.norm,
    residual: config.residual,
    finalNorm: config.finalNorm,
    transform: config.headTransform,
    causal: config.causal,
    activation: choices.indexOf(config.activation),
    gated: config.ffn === 'gated',
    rms: config.normKind === 'rms',
    qkNorm: config.qkNorm,
    angles: config.positions === 'rotary' ? angles.map(Math.fround) : undefined,
    epsilon: config.epsilon,
    scale: config.scoreScale ? Math.fround(1 / Math.fround(Math.sqrt(D))) : 1,
    windows: attentions.map(({ window }) => window),
  };
}

/**
 * Names of the output head's matrix and of the first one of attention.
 * @param {import('../engine/config.js').Config} config
 */
function matricesOf({ kind, head, outputWidth }) {
  const table = { none: outputWidth ? 'output_proj.weight' : '', linear: 'generator.weight', tied: 'tok_emb.weight' };
  return { head: table[head], attention: `${kind}.layers.0.self_attn.in_proj_weight` };
}

/**
 * The rows of each weight that are one thread's own, by key.
 * @param {import('../engine/config.js').Config} config
 * @param {Plan} plan
 * @param {number} index
 * @param {number} count
 * @returns {[key: string, name: string, from: number, end?: number][]} without an end: all of it
 */
function rowsOf(config, plan, index, count) {
  const { heads, keys, columns, neurons, words } = sharesOf(plan, index, count);
  const { kind } = config;
  const [A, E] = [plan.H * plan.D, plan.G * plan.D];
  /** @type {[string, string, number, number?][]} */
  const rows = [];
  const linear = (/** @type {string} */ key, /** @type {string} */ weight, /** @type {number[]} */ [from, end]) => {
    const bias = weight === 'tok_emb.weight' ? 'generator.bias' : weight.replace(/weight$/, 'bias');
    rows.push([key, weight, from, end], [`${key}.bias`, bias, from, end]);
  };
  const norm = (/** @type {string} */ key, /** @type {string} */ name) =>
    rows.push([key, `${name}.weight`, 0], [`${key}.bias`, `${name}.bias`, 0]);
  plan.windows.forEach((_, i) => {
    const layer = `${kind}.layers.${i}`;
    const project = (/** @type {string} */ each, /** @type {number} */ before, /** @type {number[]} */ own) =>
      linear(
        `${i}.${each}`,
        `${layer}.self_attn.in_proj_weight`,
        own.map((row) => before + row),
      );
    project('query', 0, heads);
    project('key', A, keys);
    project('value', A + E, keys);
    for (const each of ['q_norm', 'k_norm']) rows.push([`${i}.${each}`, `${layer}.self_attn.${each}.weight`, 0]);
    linear(`${i}.out`, `${layer}.self_attn.out_proj.weight`, columns);
    linear(`${i}.linear1`, `${layer}.linear1.weight`, neurons);
    linear(`${i}.linear3`, `${layer}.linear3.weight`, neurons);
    linear(`${i}.linear2`, `${layer}.linear2.weight`, columns);
    norm(`${i}.norm1`, `${layer}.norm1`);
    norm(`${i}.norm2`, `${layer}.norm2`);
  });
  norm('norm', `${kind}.norm`);
  linear('transform', 'transform.dense.weight', [0, plan.C]);
  norm('transform.norm', 'transform.norm');
  linear('head', matricesOf(config).head, words);
  return rows;
}

/**
 * Where rows of a weight lie.
 * @param {Handle} handle @param {string} name @param {number} from @param {number} [end]
 */
function spanOf(handle, name, from, end) {
  const info = handle.get(name);
  const { pointer, shape } = info;
  const [rows, width = 1] = shape;
  const bytes = rowBytes(info, width);
  const last = end ?? rows;
  const whole = isPacked(info) ? Math.ceil(last / PANEL) * PANEL : last;
  return { pointer: pointer + from * bytes, bytes: (whole - from) * bytes };
}

/**
 * The position of each row, as src/op/position.c counts where padding hides tokens.
 * @param {string} from @param {number} B @param {number} T @param {number} past @param {Uint8Array} [padding]
 */
function positionsOf(from, B, T, past, padding) {
  const positions = new Int32Array(B * T);
  for (let b = 0; b < B; b++) {
    for (let t = 0, seen = 0, first = 0; t < past + T; t++) {
      const hidden = padding?.[b * (past + T) + t];
      if (!hidden && seen === 0) first = t;
      const own = from === 'index' || hidden ? t : from === 'first' ? t - first : seen;
      if (!hidden) seen++;
      if (t >= past) positions[b * T + t - past] = own;
    }
  }
  return positions;
}

/**
 * A model of which the other threads hold their rows.
 * @typedef {{model: number, slice: Slice, weights: number}} Held
 */

/** @param {unknown} error */
const isFull = (error) => error instanceof GlassformerError && error.code === 'memory';

/** This thread, whose models they are. */
export class Slices {
  /** @type {WeakMap<Handle, Held>} */
  #models = new WeakMap();
  /** @type {Set<Held>} */
  #held = new Set();
  /** Models that nobody holds. @type {FinalizationRegistry<Held>} */
  #dropped = new FinalizationRegistry((held) => this.#drop(held));
  /** Models whose weights did not fit beside those that are held. @type {WeakSet<Handle>} */
  #homeless = new WeakSet();
  #latest = 0;
  #inbox;
  #control;

  /**
   * @param {import('../engine/start.js').Core} core
   * @param {(MessagePort | null)[]} ports to the other threads
   * @param {MessagePort} control to who started them: a message on it says that one is lost
   * @param {number} [least] multiply-adds of a layer
   */
  constructor(core, ports, control, least = LEAST) {
    this.core = core;
    this.least = least;
    this.#control = control;
    this.#inbox = new Inbox(ports);
    control.onmessage = () => this.#lose();
    this.#post(core.module);
  }

  /** Threads, this one included. */
  get count() {
    return this.#inbox.ports.length;
  }

  /** @param {any} message */
  #post(message) {
    for (const port of this.#inbox.ports) port?.postMessage(message);
  }

  /** From now on this thread computes alone. */
  #lose() {
    this.core.slices = undefined;
    this.#control.postMessage(0);
    this.#inbox.lose(new Error('lost'));
    for (const { slice } of this.#held) slice.free();
    this.#held.clear();
  }

  /** @param {Held} held */
  #drop(held) {
    if (!this.#held.delete(held)) return;
    this.#homeless = new WeakSet();
    held.slice.free();
    this.#post({ model: held.model });
  }

  /** Gives back what is held of a model. @param {Handle} handle */
  free(handle) {
    const held = this.#models.get(handle);
    this.#models.delete(handle);
    if (held) this.#drop(held);
  }

  /**
   * A pass; where memory is full, once more without what the slices here hold of earlier ones.
   * @template T @param {() => Promise<T>} pass @returns {Promise<T>}
   */
  async #withMemory(pass) {
    try {
      return await pass();
    } catch (error) {
      if (!isFull(error) || this.#held.size === 0) throw error;
      for (const { slice } of this.#held) slice.free();
      return pass();
    }
  }

  /** Gives the others their rows of a model's weights, unless they have them. @param {Handle} handle */
  #share(handle) {
    const before = this.#models.get(handle);
    const { config, pass } = handle;
    if (before?.weights === pass.weights) return before;
    this.free(handle);
    const plan = planOf(handle);
    const model = ++this.#latest;
    const names = new Set(handle.list().map(({ name }) => name));
    this.#post({ model, plan });
    const weights = new Map();
    this.#inbox.ports.forEach((port, index) => {
      for (const [key, name, from, end] of rowsOf(config, plan, index, this.count)) {
        if (!names.has(name)) continue;
        const { pointer, bytes } = spanOf(handle, name, from, end);
        if (!port) weights.set(key, pointer);
        else if (bytes > 0) {
          const copy = this.core.memory.copy('uint8', pointer, bytes);
          port.postMessage({ model, key, bytes: copy }, [copy.buffer]);
        }
      }
    });
    const held = { model, slice: new Slice(this.core, plan, weights, 0, this.#inbox), weights: pass.weights };
    this.#models.set(handle, held);
    this.#held.add(held);
    this.#dropped.register(handle, held);
    return held;
  }

  /**
   * Whether a pass gains by a cut.
   * @param {Handle} handle
   * @param {Batch} batch
   * @param {number} [capacity] of the cache, with which single tokens will follow
   */
  #gains(handle, { flags, sizes }, capacity) {
    const { config, id, functions } = handle;
    const { kind, heads, layers } = config;
    if (unknownTo(handle, EDITION_1)) return false;
    if (!/^(en|de)coder$/.test(kind) || heads === 0 || flags & (CAPTURE | TRAIN | ONE_ROW)) return false;
    const { B, S, T } = capacity ? { B: 1, S: 0, T: 1 } : sizes;
    return functions.gf_model_operations(id, B, S, T) >= this.least * layers;
  }

  /**
   * The pass of Model.forward; see Pass.forward.
   * @param {Handle} handle
   * @param {Batch} batch
   */
  forward(handle, batch) {
    return this.#withMemory(() => this.#forward(handle, batch));
  }

  /** @param {Handle} handle @param {Batch} batch */
  async #forward(handle, batch) {
    const { pass } = handle;
    const { sizes } = batch;
    const kept = pass.rowsOf(batch);
    const past = pass.held.cut ? kept : 0;
    if (past === 0 && (kept > 0 || !this.#gains(handle, batch))) return pass.forward(batch);
    if (past > 0) pass.extend(batch);
    else pass.layOut(batch);
    const length = sizes.T || sizes.S;
    const capacity = pass.goesOnFrom(batch) ? length + (length >> 3) + 8 : 0;
    const done = past === length || (await this.#run(handle, batch, { past, T: length - past, capacity }, past));
    if (done) pass.holdBatch(batch, { cut: true });
    else pass.forward(batch);
  }

  /**
   * The pass of generate over all tokens so far.
   * @param {Handle} handle
   * @param {Batch} batch
   * @param {number} capacity of its cache
   * @returns {Promise<boolean>} whether it was cut
   */
  start(handle, batch, capacity) {
    return this.#withMemory(() => this.#start(handle, batch, capacity));
  }

  /** @param {Handle} handle @param {Batch} batch @param {number} capacity */
  async #start(handle, batch, capacity) {
    if (this.#gains(handle, batch, capacity)) {
      handle.pass.layOut(batch, capacity);
      if (await this.#run(handle, batch, { past: 0, T: batch.sizes.T, capacity }, 0)) return true;
    }
    handle.pass.run(batch, capacity);
    return false;
  }

  /**
   * The pass of generate over the next tokens, which stand in the layout, after one that was cut.
   * @param {Handle} handle
   * @param {{past: number, T: number, capacity: number}} span
   * @returns {Promise<boolean>} false: a thread was lost or lacks memory, and what came before is gone
   */
  step(handle, span) {
    return this.#run(handle, { sizes: { B: 1 }, writes: [] }, span, 0);
  }

  /**
   * @param {Handle} handle laid out, with its inputs
   * @param {Pick<Batch, 'sizes' | 'writes'>} batch
   * @param {{past: number, T: number, capacity: number}} span
   * @param {number} row of the layout where the results begin
   * @returns {Promise<boolean>} whether it was computed
   */
  async #run(handle, { sizes: { B }, writes }, { past, T, capacity }, row) {
    const { memory, functions, slices } = this.core;
    if (slices !== this || this.#homeless.has(handle)) return false; // one was lost
    const { model, slice } = this.#share(handle);
    if (past > slice.rows) return false; // their memory was needed
    const { C, V } = slice.plan;
    const values = handle.config.outputWidth ? 'values' : 'logits';
    let x;
    try {
      x = memory.withScratch((scratch) => {
        const pointer = scratch.reserve('float32', B * T * C);
        checked(functions.gf_model_embed(pointer, handle.id, past, T), 'forward');
        return memory.copy('float32', pointer, B * T * C);
      });
    } catch (error) {
      if (isFull(error)) return false;
      throw error;
    }
    const given = (/** @type {string} */ end) => writes.find(({ to }) => to.endsWith(end))?.data;
    const [hides, adds] = [given('padding'), given('mask')];
    const padding = hides && Uint8Array.from(hides);
    const mask = adds && Float32Array.from(adds).slice(past * (past + T));
    const positions = slice.plan.angles && positionsOf(handle.config.positionsFrom, B, T, past, padding);
    const pass = { B, T, past, capacity, x, padding, mask, positions };
    const at = (/** @type {string} */ name, /** @type {number} */ width) => handle.get(name).pointer + 4 * width * row;
    let verdict;
    try {
      this.#post({ model, pass });
      verdict = await slice.run(pass, { output: at('output', C), logits: V ? at(values, V) : 0 });
    } catch {
      if (this.core.slices === this) this.#lose();
      return false;
    }
    if (verdict === LACKING) {
      this.free(handle);
      this.#homeless.add(handle);
    }
    return verdict === 0;
  }
}

/**
 * One of the other threads.
 * @param {number} index
 * @param {(MessagePort | null)[]} ports
 */
export async function takePart(index, ports) {
  const inbox = new Inbox(ports);
  /** @type {Map<number, Slice>} */
  const slices = new Map();
  try {
    const { memory, functions, ...core } = coreOf(
      await start(await inbox.next(0), { variant: 'auto', maxOperations: Infinity }),
    );
    for (;;) {
      const { model, plan, key, bytes, pass } = await inbox.next(0);
      const slice = /** @type {Slice} */ (slices.get(model));
      if (plan) slices.set(model, new Slice({ ...core, memory, functions }, plan, new Map(), index, inbox));
      else if (pass) await slice.run(pass);
      else if (key) {
        const pointer = functions.gf_alloc(bytes.length) >>> 0;
        if (pointer) memory.write('uint8', pointer, bytes);
        if (pointer) slice.weights.set(key, pointer);
        else slice.lacking = true;
      } else {
        for (const pointer of slice.weights.values()) functions.gf_free(pointer);
        slice.free();
        slices.delete(model);
      }
    }
  } catch (error) {
    setTimeout(() => {
      throw error; // which ends this thread, and its owner tells the first one
    });
  }
}
