// Keeps the state left by the last call, so that the next can reuse its rows. Only this module reads or writes it.
import { NONE as ALL_LAYERS } from './capture.js';
import { expectAffordable } from './cost.js';
import { GlassformerError, checked } from '../errors.js';
import { CACHE, CAPTURE, ONE_ROW, TRAIN } from './flags.js';
import { expectFloats } from './packed.js';
import { rowReader } from './selector.js';

/** @typedef {import('./handle.js').Handle} Handle */
/** @typedef {import('./inputs.js').Batch} Batch */
/** @typedef {{name: string, offset: number, value: number}} Patched */

/**
 * The contents of the layout, and how far a later call may go on from them.
 * - none: nothing. A failure anywhere leaves this
 * - pass: one sequence of a causal decoder with its logits; a sequence that begins alike computes its new rows alone
 * - part: a pass without logits. Those of one row can be computed, and `hasRow` says that they were; `patches` are
 *   those of its head, by places among all rows. `goesOn`: as after a pass
 * - cache: keys and values of tokens, at most `T` of which a step may add; `plan` and `start` are those of the call
 *   and of the context that ran the last of them (see generate.js)
 *
 * `cut`: the threads over which it was cut hold its keys and values (see worker/slices.js).
 * @typedef {{kind: 'none', goesOn: false, cut: false}
 *   | {kind: 'pass', goesOn: true, cut: boolean}
 *   | {kind: 'part', goesOn: boolean, cut: false, patches: Patched[], hasRow: boolean}
 *   | Cache} Held
 */
/**
 * @typedef {{kind: 'cache', goesOn: true, cut: boolean, key: string, tokens: number[], capacity: number, T: number,
 *   plan: object, start: number}} Cache
 */

/** @type {Held} */
const NONE = { kind: 'none', goesOn: false, cut: false };

/** The tensors between the output and the logits, with the logits. */
export const OF_HEAD = /^(transform\.|logits$|probabilities$)/;

/** The passes of one model. */
export class Pass {
  #handle;
  /** @type {number[]} gf_model_prepare's arguments: sizes, capacity and flags; then what a capture leaves out */
  #layout = [];
  /** Sizes of a batch, and its multiply-adds. */
  #cost = [0, 0, 0, 0];
  /** @type {Held} */
  #held = NONE;
  /** The model's present activity and the calls allowed meanwhile; '' when it is idle. */
  #busy = '';
  /** A view was handed out: writes through it go unseen. */
  isViewed = false;
  /** Counts the changes of the weights. */
  weights = 0;
  /** @type {Set<() => void>} called before any number of the layout changes or goes */
  listeners = new Set();

  /** @param {Handle} handle */
  constructor(handle) {
    this.#handle = handle;
  }

  get held() {
    return this.#held;
  }

  /** Of the layout. */
  get layout() {
    return this.#layout;
  }

  /** Flags of the layout. */
  get flags() {
    return this.#layout[4];
  }

  /** Forgets what the layout holds, as that is about to change, until `hold` sets it again. */
  invalidate() {
    this.#held = NONE;
    for (const listener of this.listeners) listener();
  }

  /** The model is about to go: whoever still has this finds no layout, and the core refuses to make one. */
  end() {
    this.invalidate();
    this.#layout = [];
    this.#handle.forget();
  }

  /** The weights are about to change. */
  changeWeights() {
    this.weights++;
    this.invalidate();
  }

  /** @param {Held} held after a call that succeeded */
  hold(held) {
    this.#held = held;
  }

  /** At the beginning of a call that does more than read. */
  begin() {
    if (this.#busy) throw new GlassformerError('state', 'model', undefined, this.#busy);
    if (!this.isViewed) return;
    this.weights++;
    this.#held = this.#held.kind === 'part' ? { ...this.#held, goesOn: false } : NONE;
  }

  /**
   * Runs a call during which all else of the model but reading is refused.
   * @template T
   * @param {string} why
   * @param {() => T} run may return a promise
   * @returns {T}
   */
  during(why, run) {
    const end = () => void (this.#busy = '');
    this.#busy = why;
    let running;
    try {
      running = run();
      return running instanceof Promise ? /** @type {any} */ (running.finally(end)) : running;
    } finally {
      if (!(running instanceof Promise)) end();
    }
  }

  /**
   * Refuses a batch that costs too much.
   * @param {Batch} batch
   * @param {number} [passes] the work, in forward passes
   */
  afford(batch, passes = 1) {
    const { subject, limit = this.#handle.core.limit } = batch;
    expectAffordable(subject, passes * this.#costOf(batch), limit);
  }

  /** Whether a batch costs no more than is allowed. @param {Batch} batch @param {number} passes */
  affords(batch, passes) {
    return passes * this.#costOf(batch) <= (batch.limit ?? this.#handle.core.limit);
  }

  /** @param {Batch} batch @returns {number} multiply-adds */
  #costOf({ sizes: { B, S, T } }) {
    const { functions, id } = this.#handle;
    const [rows, source, target] = this.#cost;
    if (rows !== B || source !== S || target !== T) this.#cost = [B, S, T, functions.gf_model_operations(id, B, S, T)];
    return this.#cost[3];
  }

  /**
   * The bytes that a batch takes beside the weights; Infinity where no memory can hold them.
   * @param {Batch} batch
   */
  bytesOf({ sizes: { B, S, T }, flags, omitted = ALL_LAYERS, subject }) {
    const { functions, id } = this.#handle;
    functions.gf_model_omit(id, ...omitted);
    const bytes = functions.gf_model_bytes(id, B, S, T, 0, flags);
    return bytes === -1 ? Infinity : checked(bytes, subject, [B, S || T]);
  }

  /**
   * A forward pass without changes, of which only the rows are computed that the last one has not: for the same bits.
   * @param {Batch} batch checked
   */
  forward(batch) {
    const past = this.#held.cut ? 0 : this.rowsOf(batch);
    if (past > 0) {
      this.#handle.settle(true);
      this.extend(batch);
      checked(this.#handle.functions.gf_model_resume(this.#handle.id, past), 'forward');
    } else {
      this.run(batch);
    }
    this.holdBatch(batch);
  }

  /**
   * One forward pass over all rows, of which nothing is held.
   * @param {Batch} batch
   * @param {number} [capacity]
   */
  run(batch, capacity) {
    this.layOut(batch, capacity);
    checked(this.#handle.functions.gf_model_forward(this.#handle.id), 'forward');
  }

  /**
   * Lays the memory out, unless it lies so already, and writes the inputs.
   * @param {Batch} batch
   * @param {number} [capacity]
   */
  layOut({ sizes: { B, S, T }, flags, omitted = ALL_LAYERS, subject, writes }, capacity = 0) {
    const handle = this.#handle;
    const { functions, id, memory } = handle;
    if (flags & TRAIN) {
      expectFloats(handle, 'trained');
      this.changeWeights();
      handle.toRows();
    } else {
      this.invalidate();
      handle.settle(capacity > 0);
    }
    const prepared = [B, S, T, capacity, flags];
    const layout = [...prepared, ...omitted];
    if (layout.some((part, i) => part !== this.#layout[i])) {
      functions.gf_model_omit(id, ...omitted);
      checked(functions.gf_model_prepare(id, ...prepared), subject, [B, S || T], memory);
      this.#layout = layout;
      handle.forget();
    }
    for (const { to, data } of writes) handle.write(to, data);
  }

  /**
   * Writes the inputs of a sequence that begins like the last one, whose rows stay.
   * @param {Batch} batch
   */
  extend({ sizes: { T }, subject, writes }) {
    this.invalidate();
    if (T !== this.#layout[2]) this.#resize(T, subject);
    for (const { to, data } of writes) this.#handle.write(to, data);
  }

  /**
   * Another number of target rows, of which those that there were stay; with a capacity their keys and values alone.
   * @param {number} T
   * @param {string} subject
   * @param {number} [capacity]
   */
  #resize(T, subject, capacity = 0) {
    const { functions, id, memory } = this.#handle;
    checked(functions.gf_model_resize(id, T, capacity), subject, [1, T], memory);
    const [B, S, , , flags, ...omitted] = this.#layout;
    this.#layout = [B, S, T, capacity, capacity ? (flags & ~(CAPTURE | ONE_ROW)) | CACHE : flags, ...omitted];
    this.#handle.forget();
  }

  /**
   * Makes a cache of the first rows of a pass.
   * @param {Omit<Cache, 'kind' | 'goesOn' | 'cut'>} facts
   */
  toCache(facts) {
    const { cut } = this.#held;
    this.invalidate();
    this.#resize(facts.T, 'ids', facts.capacity);
    this.hold({ ...facts, kind: 'cache', goesOn: true, cut });
  }

  /** Writes the next tokens of a cache. @param {ArrayLike<number>} ids */
  next(ids) {
    this.invalidate();
    this.#handle.write('decoder.ids', ids);
  }

  /**
   * Computes what `next` wrote.
   * @param {number} past
   * @param {number} count
   */
  step(past, count) {
    checked(this.#handle.functions.gf_model_step(this.#handle.id, past, count), 'step', past);
  }

  /** Whether a later pass may go on from one over this batch. @param {Pick<Batch, 'sizes'>} batch */
  goesOnFrom({ sizes: { B } }) {
    const { causal, kind } = this.#handle.config;
    return causal && B === 1 && kind.endsWith('decoder');
  }

  /**
   * After a pass over a batch.
   * @param {Batch} batch
   * @param {{cut?: boolean, patches?: Patched[]}} [how] patches of the head of a pass that was changed
   */
  holdBatch({ flags, sizes }, { cut = false, patches } = {}) {
    const goesOn = !patches && this.goesOnFrom({ sizes });
    if (flags & ONE_ROW) this.hold({ kind: 'part', goesOn, cut: false, patches: patches ?? [], hasRow: false });
    else this.hold(goesOn ? { kind: 'pass', goesOn, cut } : NONE);
  }

  /**
   * The number of target rows of a batch that the last pass has computed.
   * @param {Batch} batch
   * @param {number} [ignored] flags that do not matter
   */
  rowsOf({ sizes: { B, S, T }, flags, omitted = ALL_LAYERS, writes }, ignored = 0) {
    const [, source, target, , before, ...left] = this.#layout;
    if (!this.#held.goesOn || (before & ~ignored) !== flags || B !== 1 || source !== S) return 0;
    if (!ignored && left.some((bits, i) => bits !== omitted[i])) return 0;
    let rows = Math.min(target, T);
    for (const { to, data } of writes) {
      const present = this.#handle.held(to);
      const isTarget = to.startsWith('decoder.');
      const width = isTarget ? data.length / T : 1;
      const length = isTarget ? rows * width : data.length;
      const same = alike(present, data, length);
      if (isTarget) rows = Math.floor(same / width);
      else if (same < length || present.length !== length) return 0;
    }
    return rows;
  }

  /**
   * The logits of a row, into the memory of ONE_ROW.
   * @param {unknown} given a row, from the end if it is negative
   */
  computeLogits(given) {
    const held = this.#held;
    if (held.kind !== 'part') {
      const why = 'logitsAt needs forward with logits: false; the answer after a layer is trace(input).lens(layer)';
      throw new GlassformerError('state', 'model', undefined, why);
    }
    const { config, memory, functions, id } = this.#handle;
    const [B, S, T] = this.#layout;
    const row = rowReader(B * (T || S))(given, 'row');
    const width = config.d_model;
    this.invalidate();
    /** @type {Place[]} */
    const places = held.patches
      .filter(({ offset }) => Math.floor(offset / width) === row)
      .map(({ name, offset, value }) => [this.#handle.get(name).pointer + 4 * (offset % width), value]);
    memory.withScratch((scratch) =>
      checked(functions.gf_model_logits(id, row, writeChanges(scratch, places)), 'logits', row),
    );
    this.hold({ ...held, hasRow: true });
  }

  /**
   * Whether a tensor of the layout holds what the last pass computed, not the head's of another one.
   * @param {Pick<import('./handle.js').Info, 'name' | 'region'>} info
   */
  isComputed({ name, region }) {
    const isOfRow = Boolean(this.flags & ONE_ROW) && region !== 'weight' && OF_HEAD.test(name);
    return !isOfRow || (this.#held.kind === 'part' && this.#held.hasRow);
  }
}

/**
 * Of so many numbers, how many are the same up to the first that is another.
 * @param {ArrayLike<number>} a
 * @param {ArrayLike<number>} b
 * @param {number} length
 */
function alike(a, b, length) {
  let same = 0;
  while (same < length && Object.is(a[same], b[same])) same++;
  return same;
}

/** @typedef {[address: number, value: number]} Place */

/**
 * Writes struct gf_changes (src/wasm/api.h) of a pass.
 * @param {import('../arrays/memory.js').Scratch} scratch
 * @param {Place[]} writes that get other numbers
 * @param {[place: number, gradient: Float32Array][]} [cotangents]
 * @param {number} [temperature]
 * @returns {number} its address; 0: nothing changes
 */
export function writeChanges(scratch, writes, cotangents = [], temperature = 1) {
  if (!writes.length && !cotangents.length && temperature === 1) return 0;
  const words = new Int32Array(2 * writes.length);
  const numbers = new Float32Array(words.buffer);
  writes.forEach(([address, value], i) => {
    words[2 * i] = address;
    numbers[2 * i + 1] = value;
  });
  const rows = cotangents.flatMap(([place, gradient]) => [place, scratch.put(gradient), gradient.length]);
  const at = [scratch.put(words), scratch.put(Int32Array.from(rows))];
  const given = Int32Array.from([at[0], writes.length, at[1], cotangents.length, 0]);
  new Float32Array(given.buffer)[4] = temperature;
  return scratch.put(given);
}
