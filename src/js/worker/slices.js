// Large passes of an engine's models, cut over this thread and others, which join with a port to each (threads.js).
// Messages from this thread to another, in their order, between which pieces of passes go (slice.js):
//   module                      a WebAssembly.Module, at the beginning
//   {model, config, panels}     a model, whose weights follow
//   {model, weight, parts}      the rows of a weight that are that thread's own, by its number among that thread's
//   {model, pass}               a pass to take part in
//   {model}                     that model is no more
import { coreOf } from '../engine/engine.js';
import { CAPTURE, ONE_ROW, TRAIN } from '../engine/flags.js';
import { Handle } from '../engine/handle.js';
import { isPacked, rowBytes } from '../engine/packed.js';
import { start } from '../engine/start.js';
import { GlassformerError, checked } from '../errors.js';
import { FITS, Inbox, LACKING, Slice, TOO_LARGE } from './slice.js';

/** @typedef {import('../engine/inputs.js').Batch} Batch */
/**
 * A pass over T positions after `past`, as the other threads hear of it.
 * @typedef {{layout: number[], past: number, T: number, writes: Pick<Batch, 'writes'>['writes']}} Passed
 */

/** Multiply-adds of a layer from which on a cut gains: below, waiting for the others costs more. */
const LEAST = 4e6;

/** A packed matrix is whole panels of so many rows. */
const PANEL = 16;

/**
 * Rows of a weight, as they stand.
 * @param {Handle} handle @param {import('../engine/handle.js').Info} info @param {number} from @param {number} count
 */
function rowsOf({ memory }, info, from, count) {
  const bytes = rowBytes(info, info.shape[1] ?? 1);
  const whole = isPacked(info) ? Math.ceil(count / PANEL) * PANEL : count;
  return memory.copy('uint8', info.pointer + from * bytes, whole * bytes);
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
    this.#held.clear();
  }

  /** @param {Held} held */
  #drop(held) {
    if (!this.#held.delete(held)) return;
    this.#homeless = new WeakSet();
    this.#post({ model: held.model });
  }

  /** Gives back what is held of a model. @param {Handle} handle */
  free(handle) {
    const held = this.#models.get(handle);
    this.#models.delete(handle);
    if (held) this.#drop(held);
  }

  /** Gives the others their rows of a model's weights, unless they have them. @param {Handle} handle */
  #share(handle) {
    const before = this.#models.get(handle);
    const { config, pass, id, functions, memory, struct } = handle;
    if (before?.weights === pass.weights) return before;
    this.free(handle);
    const model = ++this.#latest;
    const infos = handle.list();
    this.#post({ model, config, panels: infos.some(({ arranged }) => arranged) });
    this.#inbox.ports.forEach((port, index) => {
      const next = (/** @type {number} */ k) => functions.gf_slice_rows(struct, id, index, this.count - 1, k);
      for (let k = 0, spans; port && (spans = checked(next(k), 'forward')) > 0; k++) {
        const [tensor, ...rows] = memory.view('int32', struct, 1 + 2 * spans);
        const parts = Array.from({ length: spans }, (_, i) =>
          rowsOf(handle, infos[tensor], rows[2 * i], rows[2 * i + 1]),
        );
        port.postMessage({ model, weight: k, parts }, parts.map(({ buffer }) => buffer)); // prettier-ignore
      }
    });
    const held = { model, slice: new Slice(this.core, id, 0, this.#inbox), weights: pass.weights };
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
    const { id, functions } = handle;
    const { kind, layers, decoderLayers } = handle.config;
    if (!kind.endsWith('coder') || flags & (CAPTURE | TRAIN | ONE_ROW)) return false;
    const { B, S, T } = capacity ? { B: 1, S: 0, T: 1 } : sizes;
    const count = kind !== 'encoder-decoder' ? layers : capacity ? decoderLayers : layers + decoderLayers;
    return functions.gf_model_operations(id, B, S, T) >= this.least * count;
  }

  /**
   * The pass of Model.forward; see Pass.forward.
   * @param {Handle} handle
   * @param {Batch} batch
   */
  async forward(handle, batch) {
    const { pass } = handle;
    const { sizes, writes } = batch;
    const kept = pass.rowsOf(batch);
    const past = pass.held.cut ? kept : 0;
    if (past === 0 && (kept > 0 || !this.#gains(handle, batch))) return pass.forward(batch);
    if (past > 0) pass.extend(batch);
    else pass.layOut(batch);
    const length = sizes.T || sizes.S;
    const done = past === length || (await this.#run(handle, { writes, past, T: length - past }));
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
  async start(handle, batch, capacity) {
    if (this.#gains(handle, batch, capacity)) {
      handle.pass.layOut(batch, capacity);
      if (await this.#run(handle, { writes: batch.writes, past: 0, T: batch.sizes.T })) return true;
    }
    handle.pass.run(batch, capacity);
    return false;
  }

  /**
   * The pass of generate over the next tokens, which stand in the layout, after one that was cut.
   * @param {Handle} handle
   * @param {{past: number, T: number}} span
   * @returns {Promise<boolean>} false: a thread was lost or lacks memory, and what came before is gone
   */
  step(handle, span) {
    return this.#run(handle, { writes: [], ...span });
  }

  /**
   * @param {Handle} handle laid out, with its inputs
   * @param {Omit<Passed, 'layout'>} given
   * @returns {Promise<boolean>} whether it was computed
   */
  async #run(handle, given) {
    if (this.core.slices !== this || this.#homeless.has(handle)) return false; // one was lost
    const { model, slice } = this.#share(handle);
    checked(slice.begin(given.past, given.T), 'forward');
    let verdict;
    try {
      this.#post({ model, pass: { layout: handle.pass.layout, ...given } });
      verdict = await slice.run(FITS);
    } catch {
      if (this.core.slices === this) this.#lose();
      return false;
    }
    if (verdict === LACKING) {
      this.free(handle);
      this.#homeless.add(handle);
    }
    return verdict === FITS;
  }
}

/** The rows of a model that another thread holds. */
class Part {
  /** None where its rows of the weights do not fit. @type {Handle | undefined} */
  #handle;
  #slice;
  /** @type {number[]} as Pass.layout */
  #layout = [];

  /**
   * @param {import('../engine/start.js').Core} core
   * @param {number} index of the thread
   * @param {Inbox} inbox
   * @param {{config: import('../engine/config.js').Config, panels: boolean}} given
   */
  constructor(core, index, inbox, { config, panels }) {
    const { gf_slice_create: create } = core.functions;
    const others = inbox.ports.length - 1;
    try {
      this.#handle = new Handle(core, config, (words) => create(words, index, others, Number(panels)));
    } catch (error) {
      if (!isFull(error)) throw error;
    }
    this.#slice = new Slice(core, this.#handle?.id ?? 0, index, inbox);
  }

  /** @param {number} weight its number @param {Uint8Array[]} parts of it, one after the other */
  put(weight, parts) {
    let pointer = this.#handle?.list()[weight].pointer ?? 0;
    for (const part of this.#handle ? parts : []) {
      this.#slice.core.memory.write('uint8', pointer, part);
      pointer += part.length;
    }
  }

  /** @param {Passed} pass */
  run(pass) {
    return this.#slice.run(this.#begin(pass));
  }

  /** @param {Passed} pass @returns {number} FITS and so on */
  #begin({ layout, past, T, writes }) {
    const handle = this.#handle;
    if (!handle) return LACKING;
    const { functions, id } = handle;
    if (layout.some((each, i) => each !== this.#layout[i])) {
      const [B, S, length, capacity, flags] = layout;
      const { gf_model_prepare: prepare, gf_model_resize: resize } = functions;
      const answer = past > 0 ? resize(id, length, capacity) : prepare(id, B, S, length, capacity, flags);
      if (answer < 0) return TOO_LARGE;
      this.#layout = layout;
      handle.forget();
    }
    for (const { to, data } of writes) handle.write(to, data);
    return this.#slice.begin(past, T) < 0 ? TOO_LARGE : FITS;
  }

  free() {
    this.#handle?.destroy();
  }
}

/**
 * One of the other threads.
 * @param {number} index
 * @param {(MessagePort | null)[]} ports
 */
export async function takePart(index, ports) {
  const inbox = new Inbox(ports);
  /** @type {Map<number, Part>} */
  const held = new Map();
  try {
    const core = coreOf(await start(await inbox.next(0), { variant: 'auto', maxOperations: Infinity }));
    for (;;) {
      const { model, weight, parts, pass, ...made } = await inbox.next(0);
      const part = held.get(model);
      if (made.config) held.set(model, new Part(core, index, inbox, made));
      else if (parts) part?.put(weight, parts);
      else if (pass) await part?.run(pass);
      else {
        part?.free();
        held.delete(model);
      }
    }
  } catch (error) {
    setTimeout(() => {
      throw error; // which ends this thread, and its owner tells the first one
    });
  }
}
