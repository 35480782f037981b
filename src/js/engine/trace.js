// Keeps the results of a pass for as long as the caller holds them.
import { GlassformerError, filesOf, foreign } from '../errors.js';
import { extentOf } from './handle.js';
import { expectNone } from '../arrays/names.js';
import { awaitedOrLooped, present } from '../arrays/object.js';
import { denseSteps, indexOf, partOf, readSelector, selected, walk } from './selector.js';
import { product } from '../arrays/tensor.js';
import { inTurns } from './turns.js';

/** @typedef {import('./handle.js').Handle} Handle */
/** @typedef {import('./handle.js').Info} Info */
/** @typedef {import('./selector.js').Selected} Selected */
/** @typedef {import('../arrays/tensor.js').Tensor} FloatTensor */

/**
 * The pass of a trace, as it can be run again with other changes.
 * @typedef {object} Run
 * @property {() => unknown} live refuses where the model was freed; holds it, as the garbage collector may not take it
 * @property {Handle} handle
 * @property {import('./inputs.js').Batch} batch
 * @property {import('./patches.js').Changes} changes
 * @property {{output: FloatTensor, logits?: FloatTensor, values?: FloatTensor}} results
 */

/**
 * The run of a trace, for modules that run its model again or read its weights.
 * @type {(trace: Trace) => Run}
 */
export let runOf;

/**
 * The numbers of a trace where a patch goes: of all its sequences, unless it says of which; and why they may be too
 * many or few for a pass of so many tokens.
 * @type {(trace: Trace, selector: import('./selector.js').Place, parameter: string, tokens: number) =>
 *   {value: Float32Array, why: string}}
 */
export let takenFrom;

/** @type {(value: unknown) => value is Trace} */
export let isTrace;

/**
 * The settings of a trace's model, also of one that was freed.
 * @type {(trace: Trace) => import('./config.js').Config}
 */
export let configOf;

/**
 * Some edge runtimes have no weak references.
 * @template {object} T
 * @param {T} value
 * @returns {{deref: () => T | undefined}}
 */
const weak = (value) => (typeof WeakRef === 'function' ? new WeakRef(value) : { deref: () => value });

/**
 * The results of a pass, made by `model.trace`. It stays readable after later passes and other weights: before the
 * model's memory changes, captured tensors are copied out, if code still holds the trace. `free` gives the copies back.
 * After `model.free` the trace keeps its numbers, for `tensor`, its properties and patches; `lens`, `attribution` and
 * `decided` need the model, and throw `freed`.
 * @template {FloatTensor | undefined} [Logits=FloatTensor | undefined]
 * @example
 * import { load } from 'glassformer';
 * const gf = await load();
 * const model = gf.createModel({ kind: 'decoder', vocabulary: 10, d_model: 8, heads: 2, layers: 1, head: 'tied' });
 * const trace = model.trace({ ids: [1, 2, 3] });
 * model.forward({ ids: [4, 5] });
 * trace.tensor({ layer: 0, head: 1 }).shape; // → [3, 4]
 */
export class Trace {
  static {
    isTrace = /** @type {any} */ ((/** @type {any} */ value) => #run in Object(value));
    runOf = (self) => Trace.#withModel(self);
    configOf = (self) => Trace.#live(self).handle.config;
    takenFrom = (self, selector, parameter, tokens) => {
      const info = Trace.#info(self, selector, parameter);
      const index = indexOf(info, selector, `${parameter}.`);
      const whole = index.map((each) => (typeof each === 'number' ? each : null));
      const { data, shape } = Trace.#read(self, info, { index: whole });
      const rest = index.filter((each) => typeof each !== 'number');
      const { T, S } = Trace.#live(self).batch.sizes;
      const other = T || S;
      const lengths = `the passes have ${tokens} and ${other} tokens: name rows, as row and fromRow`;
      const value = Float32Array.from(walk(rest, shape, denseSteps(shape)), (at) => data[at]);
      return { value, why: other === tokens ? '' : lengths };
    };
  }

  /** @type {Run | undefined} undefined when it was freed */
  #run;
  /** @type {Map<string, Info> | undefined} copies of its tensors; undefined while all stand in the layout */
  #copies;

  /** @internal @param {Run} run which has just been made */
  constructor(run) {
    this.#run = run;
    Trace.#listen(run.handle.pass.listeners, weak(this));
  }

  /**
   * Apart from the constructor, whose functions would hold the trace.
   * @param {Set<() => void>} listeners @param {{deref: () => Trace<any> | undefined}} self
   */
  static #listen(listeners, self) {
    const keep = () => {
      listeners.delete(keep);
      const trace = self.deref();
      if (trace) trace.#keep();
    };
    listeners.add(keep);
  }

  /** The layout is about to change. */
  #keep() {
    if (!this.#run) return;
    const { handle } = this.#run;
    // Set first: where memory is short for a copy, no later number may replace it.
    const copies = (this.#copies = new Map());
    for (const info of handle.list()) {
      if (!/^(input|result|intermediate)$/.test(info.region)) continue;
      const { data: live, shape } = handle.read(info);
      const strides = shape.map((_, axis) => product(shape.slice(axis + 1)));
      copies.set(info.name, { ...info, live, strides, dense: true, first: 0 });
    }
  }

  /**
   * The result of the pass, as `forward` gives it.
   * @example
   * model.trace({ ids: [1, 2, 3] }).output.shape; // → [1, 3, 8]
   */
  get output() {
    return Trace.#live(this).results.output;
  }

  /**
   * The result of the pass, as `forward` gives it.
   * @returns {Logits}
   * @example
   * model.trace({ ids: [1, 2, 3] }).logits.shape; // → [1, 3, 10]
   */
  get logits() {
    return /** @type {any} */ (Trace.#live(this).results.logits);
  }

  /**
   * The values of a model with `outputWidth`, as `forward` gives them.
   * @returns {FloatTensor | undefined}
   * @example
   * model.trace({ ids: [1, 2, 3] }).values; // → undefined
   */
  get values() {
    return Trace.#live(this).results.values;
  }

  /**
   * A copy of a tensor of the pass, or of a part of it, as `model.tensor` gives it.
   * @template {import('./selector.js').Selector} const S
   * @param {S} selector
   * @returns {import('./results.js').TensorOf<S>}
   * @throws {GlassformerError} as `model.tensor`; unknown for a weight, which is the model's
   * @example
   * const trace = model.trace({ ids: [1, 2, 3] });
   * model.forward({ ids: [4, 5] });
   * trace.tensor({ layer: 0, head: 1 }).shape; // → [3, 4]
   */
  tensor(selector) {
    const parsed = readSelector(selector, 'selector', '');
    return /** @type {any} */ (Trace.#read(this, Trace.#info(this, parsed, 'selector'), parsed));
  }

  /**
   * The logit lens (nostalgebraist 2020): the model's answer if it stopped after a layer. The residual stream
   * there goes through the final norm, if there is one, and the output head, with the present weights.
   * @param {import('./selector.js').Selector | number} layer from 0, of the stack that gives the logits; or a selector
   *   of any state of the stream
   * @param {undefined} [options] none
   * @returns {Promise<FloatTensor>} logits [B,T,V]
   * @throws {GlassformerError} config for a model without head; freed, also for a freed model; as `tensor`
   * @example
   * const { data } = await model.trace({ ids: [1, 2, 3] }).lens(0);
   * data.length; // → 30
   */
  async lens(layer, options) {
    expectNone(options, 'lens');
    return (await Trace.#inside(this)).lens(this, layer);
  }

  /**
   * Direct logit attribution (Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits"): the logit of a
   * word at a token as a sum of what each head, each FFN, the embedding and the biases add to it by themselves, to the
   * rounding of float32 (int8 weights: to theirs). Norms are not linear: each keeps the scale that it had in this
   * pass, and so does the activation of BERT's transform. The sum leaves out a part's effects through later parts.
   *
   * With a dictionary of `features` it also says what each of them adds from its place. A trace of a worker takes one
   * as well.
   * @param {number} token its row
   * @param {import('./attribution.js').AttributionOptions} [options] the word, one to compare it with, features
   * @returns {Promise<import('./attribution.js').Attribution>}
   * @throws {GlassformerError} config for a model without head; range; shape for a batch of several sequences, or a
   *   dictionary of another width; unsupported for a place that adds nothing by itself; freed, also for a freed model
   * @example
   * const { logit, embedding, biases, parts } = await model.trace({ ids: [1, 2, 3] }).attribution(2, { id: 4 });
   * parts.length; // → 3
   * const sum = parts.reduce((so, { value }) => so + value, embedding + biases);
   * Math.abs(sum - logit) < 1e-5; // → true
   */
  async attribution(token, options) {
    return (await Trace.#inside(this)).attribution(this, token, options);
  }

  /**
   * Finds causes of the answer at a token: its probability with each head and group of neurons ablated, and with the
   * residual stream of each token after each layer taken from another pass, by default one with the word swapped that
   * turns the answer most (`swap`). A pass for each, and some for each word that may be swapped; await all of it, or
   * iterate over the progress, of which each step makes one pass.
   * @param {number} token its row
   * @param {import('./decided.js').DecidedOptions} [options]
   * @returns {PromiseLike<import('./decided.js').Decided> & {[Symbol.asyncIterator](): AsyncIterator<{done: number,
   *   total: number}, import('./decided.js').Decided>}}
   * @throws {GlassformerError} config for a model without head; range; freed, also for a freed model, and for one that
   *   is freed between two steps; the signal's reason
   * @example
   * const { answer, parts } = await model.trace({ ids: [1, 2, 3] }).decided(2);
   * parts.length; // → 6
   * parts[0].head; // → 0
   */
  decided(token, options) {
    Trace.#withModel(this);
    const steps = (async function* (self) {
      return yield* (await Trace.#inside(self)).decide(self, token, options);
    })(this);
    return awaitedOrLooped(
      () => inTurns(steps),
      () => steps,
    );
  }

  /**
   * Gives its copies back. Afterwards every method throws `freed`, but to free it again does nothing.
   * @example
   * const trace = model.trace({ ids: [1] });
   * trace.free();
   * trace.output; // throws freed
   */
  free() {
    Trace.#of(this).#run = this.#copies = undefined;
  }

  static {
    present(this, 'GlassformerTrace', (trace) => ({ output: trace.#run?.results.output.shape }));
  }

  /** @param {Trace<any>} self @returns {Trace<any>} the same, if it is one */
  static #of(self) {
    if (#run in Object(self)) return self;
    throw foreign(self, 'a trace');
  }

  /** @param {Trace<any>} self @returns {Run} */
  static #live(self) {
    const run = Trace.#of(self).#run;
    if (run) return run;
    throw new GlassformerError('freed', 'trace', undefined, 'was freed');
  }

  /** @param {Trace<any>} self @returns {Run} of a model that was not freed */
  static #withModel(self) {
    const run = Trace.#live(self);
    run.live();
    return run;
  }

  /** Fetches the code that reads a trace when it is first used. @param {Trace<any>} self */
  static #inside(self) {
    return filesOf(Trace.#withModel(self).handle.core).inside();
  }

  /**
   * @param {Trace<any>} self
   * @param {Selected} parsed
   * @param {string} parameter
   * @returns {Info}
   */
  static #info(self, parsed, parameter) {
    const { handle } = Trace.#live(self);
    const copies = self.#copies;
    const { name, region } = copies?.get(parsed.name ?? '') ?? selected(handle, parsed, parameter);
    const info = copies ? copies.get(name) : region === 'weight' ? undefined : handle.computed(name);
    if (info) return info;
    const why = region === 'weight' ? 'is a weight: the model has it' : 'was not captured in that pass';
    throw new GlassformerError('unknown', parameter === 'selector' ? 'name' : parameter, name, why);
  }

  /**
   * @param {Trace<any>} self
   * @param {Info} info
   * @param {Selected} parsed
   */
  static #read(self, info, parsed) {
    const part = partOf(info, parsed);
    const first = part.first ?? 0;
    const live = self.#copies && /** @type {Float32Array} */ (info.live).subarray(first, first + extentOf(part));
    return Trace.#live(self).handle.read(live ? { ...part, live } : part);
  }
}
