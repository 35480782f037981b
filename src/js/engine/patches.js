import { GlassformerError, checked } from '../errors.js';
import { isList } from '../arrays/arrays.js';
import { writeChanges, OF_HEAD } from './pass.js';
import { omittedBut } from './capture.js';
import { CAPTURE, ONE_ROW, TRAIN } from './flags.js';
import { indexOf, READERS, readSelector, selected } from './selector.js';
import { isTrace, takenFrom } from './trace.js';
import {
  any,
  choice,
  finite,
  floats,
  integer,
  listOf,
  maybe,
  number,
  product,
  readOptions,
  refuseType,
} from '../arrays/tensor.js';

/** @typedef {import('./selector.js').Selected} Selected */
/** @typedef {import('./handle.js').Info} Info */
/** @typedef {import('./trace.js').Trace<any>} Trace */
/** @typedef {Trace | import('../worker/remote-types.js').RemoteTrace<any>} GivenTrace */

/**
 * Numbers put in the place of computed ones, in all sequences unless it says in which: a selector of a tensor that
 * `tensors` lists as `patchable`, itself or as `at`, and the value.
 * @typedef {Selected & {
 *   at?: import('./selector.js').Selector,
 *   value?: number | import('../arrays/tensor.js').Floats | 'mean' | GivenTrace,
 *   from?: GivenTrace,
 *   of?: import('../features/features.js').Features, feature?: number, set?: number, scale?: number, add?: number,
 * }} Patch
 *   value: one number for all these places, or as many, row-major: for each sequence, or for all alike; 'mean': their
 *   mean over the tokens that are not hidden, of all sequences, as a pass without patches and ablations computes it;
 *   a trace, also as `from`: what stands there in it. Or of a dictionary of features (`of`) one `feature`, whose value
 *   is `set`, times `scale`, or has `add` added: the vectors change by the difference, and keep what the dictionary
 *   does not rebuild; `at` is the dictionary's where it is not given
 */

/**
 * A patch with 0 or the mean: of a head's output `{ layer, head }`, of a neuron's activation `{ layer, neuron }`, or of
 * whatever the selector says; a name alone is one, too.
 * @typedef {string | Selected & {value?: 0 | 'mean'}} Ablation
 */

const anyNumber = number(-Infinity, Infinity);

/** @type {import('../arrays/tensor.js').Reader<number | 'mean' | Float32Array | Trace>} */
function values(value, name) {
  if (typeof value === 'number') return anyNumber(value, name);
  if (value === 'mean' || isTrace(value)) return value;
  if (typeof value !== 'object') refuseType(name, value, "a number, numbers, a tensor, a trace or 'mean'");
  if (isList(value) && value.length === 0) return new Float32Array(0); // its place is checked first
  return finite(floats(value, name), name);
}

/** The ways to say the value that a feature gets. */
export const WAYS = { set: maybe(anyNumber), scale: maybe(anyNumber), add: maybe(anyNumber) };

/**
 * The one way that a change of a feature says.
 * @param {Record<string, any>} edit @param {string} parameter
 */
export function chosenWay(edit, parameter) {
  const [way, second] = Object.keys(WAYS).filter((each) => edit[each] !== undefined);
  if (!way) throw new GlassformerError('missing', `${parameter}.set`, undefined, 'needed: set, scale or add');
  if (second) throw new GlassformerError('unknown', `${parameter}.${second}`, edit[second], `${way} says it already`);
  return way;
}

/** Of a change of a feature. */
const EDIT = { of: any, feature: maybe(integer(0, 2 ** 31 - 1)), ...WAYS };

/**
 * A change of a feature, as a function of the vectors at its place.
 * @param {Record<string, any>} given @param {string} parameter
 * @returns {GivenPatch['change']}
 */
function readEdit({ of, feature, from, value, ...ways }, parameter) {
  if (typeof of?.change !== 'function' || !Number.isInteger(of.size)) {
    refuseType(`${parameter}.of`, of, 'features: what trainFeatures or loadFeatures gives');
  }
  const twice = from ? 'from' : value !== undefined && 'value';
  if (twice) throw new GlassformerError('unknown', `${parameter}.${twice}`, from ?? value, 'of says it already');
  const n = integer(0, of.size - 1)(feature, `${parameter}.feature`);
  const way = chosenWay(ways, parameter);
  return (vectors) => of.change(vectors, [{ feature: n, [way]: ways[way] }]).data;
}

/** @type {import('../arrays/tensor.js').Reader<GivenPatch>} */
export function readPatch(each, parameter) {
  const trace = (/** @type {unknown} */ given, /** @type {string} */ name) =>
    isTrace(given) ? given : refuseType(name, given, 'a trace: what model.trace gives');
  const { at, from, value, of, feature, set, scale, add, ...own } = readOptions(
    each,
    { ...READERS, at: any, from: maybe(trace), value: maybe(values), ...EDIT },
    `${parameter}.`,
  );
  if (of !== undefined) {
    const change = readEdit({ of, feature, set, scale, add, from, value }, parameter);
    const isPlaced = Object.entries(own).some(([key, said]) => said !== undefined && !/^(batch|row|index)$/.test(key));
    const place = at ?? (isPlaced ? undefined : of.at);
    return { ...readPatch({ ...own, at: place, value: 0 }, parameter), change };
  }
  const alone = Object.entries({ feature, set, scale, add }).find(([, given]) => given !== undefined);
  if (alone) throw new GlassformerError('missing', `${parameter}.of`, undefined, `needed with ${alone[0]}: features`);
  if ((from ?? value) === undefined) refuseType(`${parameter}.value`, value, 'a number, numbers, a tensor or a trace');
  if (from && value !== undefined)
    throw new GlassformerError('unknown', `${parameter}.value`, value, 'from says it already');
  const said = Object.entries(own).filter(([, given]) => given !== undefined);
  const selector = { ...(at !== undefined && readSelector(at, `${parameter}.at`)), ...Object.fromEntries(said) };
  return { selector, value: from ?? value ?? 0, parameter };
}

/** @type {import('../arrays/tensor.js').Reader<GivenPatch>} */
function readAblation(each, parameter) {
  const value = maybe((given, name) => (given === 0 ? 0 : choice(['mean'])(given, name)));
  const { value: given = 0, ...selector } = readOptions(
    typeof each === 'string' ? { name: each } : each,
    { ...READERS, value },
    `${parameter}.`,
  );
  return { selector, value: given, parameter };
}

/** The arguments of a pass that change the model. */
export const CHANGES = {
  patches: maybe(listOf(readPatch, 'an array of {name, value}')),
  ablate: maybe(listOf(readAblation, 'an array of {layer, head} or {layer, neuron}')),
  temperature: maybe(number(2 ** -64, 2 ** 64, 'range', ', 1 changes nothing')),
};

/**
 * A patch, read; `parameter`: where it was given.
 * @typedef {{selector: Selected, value: number | 'mean' | Float32Array | Trace, parameter: string,
 *   change?: (vectors: import('../arrays/tensor.js').Tensor) => Float32Array}} GivenPatch
 *   change: the numbers of a whole tensor in the place of those of a pass with the other changes
 * @typedef {{patches?: GivenPatch[], ablate?: GivenPatch[], temperature?: number}} Changes
 */

/**
 * A forward pass with patches, ablations and a temperature; see Model.forward.
 * @param {import('./handle.js').Handle} handle
 * @param {import('./inputs.js').Batch} batch
 * @param {Changes} given
 */
export function runPatched(handle, batch, given) {
  const { gf_model_forward_patched: run } = handle.functions;
  withChanges(handle, batch, given, (changes) => checked(run(handle.id, changes), 'forward'));
}

/**
 * Finds the tensors of patches and ablations, and has the batch capture their layers.
 * @param {import('./handle.js').Handle} handle
 * @param {import('./inputs.js').Batch} batch
 * @param {Changes} changes
 */
export function capturing(handle, batch, { patches = [], ablate = [] }) {
  const found = [...patches, ...ablate].map((each) => {
    const { name, facts } = selected(handle, each.selector, each.parameter);
    if (!facts.patchable) {
      const why = 'must be an intermediate that later ones are computed from';
      throw new GlassformerError('range', `${each.parameter}.name`, name, why);
    }
    return { ...each, name, facts };
  });
  if (found.length && !(batch.flags & TRAIN)) {
    const omitted = batch.flags & CAPTURE ? (batch.omitted ?? [0, 0]) : undefined;
    batch.omitted = omittedBut(
      handle.config,
      found.map(({ facts }) => facts.layer),
      omitted,
    );
  }
  if (found.length) batch.flags |= CAPTURE;
  return found;
}

/**
 * A pass with patches, ablations and a temperature; see Model.forward.
 * @template T
 * @param {import('./handle.js').Handle} handle
 * @param {import('./inputs.js').Batch} batch
 * @param {Changes} given
 * @param {(changes: number) => T} run is given the address of struct gf_changes (src/wasm/api.h), 0: none
 * @param {() => [address: number, gradient: Float32Array][]} [cotangentsOf] of the layout: where a
 *   tensor stands, and what is added to its gradient, as it lies in memory
 * @returns {T}
 */
export function withChanges(handle, batch, given, run, cotangentsOf) {
  const { temperature = 1 } = given;
  const found = capturing(handle, batch, given).map((patch) =>
    isTrace(patch.value)
      ? {
          ...patch,
          value: takenFrom(patch.value, patch.selector, patch.parameter),
          tokens: batch.sizes.T || batch.sizes.S,
        }
      : patch,
  );
  handle.pass.layOut(batch);
  const patched = found.map((patch) => {
    const { name } = patch;
    const isLater = Boolean(batch.flags & ONE_ROW) && OF_HEAD.test(name);
    const info = isLater ? ofAllRows(handle, batch, name) : handle.get(name);
    return { ...patch, isLater, info, index: indexOf(info, patch.selector, `${patch.parameter}.`) };
  });
  /** @type {Map<string, Float32Array>} */
  const means = new Map();
  const pass = (/** @type {import('./pass.js').Place[]} */ places) =>
    handle.memory.withScratch((scratch) => {
      const { gf_model_forward_patched: forward } = handle.functions;
      checked(forward(handle.id, writeChanges(scratch, places, [], temperature)), 'forward');
    });
  if (patched.some(({ value }) => value === 'mean')) {
    pass([]);
    for (const { name, value, info } of patched)
      if (value === 'mean' && !means.has(name)) means.set(name, meansOf(info, handle.read(info).data, batch));
  }
  const changesOf = (/** @type {typeof patched} */ all) =>
    all.flatMap(({ name, isLater, ...patch }) =>
      offsetsOf(patch, means.get(name)).map(([offset, value]) => ({ name, isLater, info: patch.info, offset, value })),
    );
  const placesOf = (/** @type {ReturnType<typeof changesOf>} */ all) =>
    all.flatMap(({ isLater, info, offset, value }) =>
      isLater ? [] : [/** @type {import('./pass.js').Place} */ ([info.pointer + 4 * offset, value])],
    );
  changeFeatures(handle, patched, (others) => pass(placesOf(changesOf(others))));
  const changes = changesOf(patched);
  const places = placesOf(changes);
  const cotangents = cotangentsOf?.() ?? [];
  const result = handle.memory.withScratch((scratch) => run(writeChanges(scratch, places, cotangents, temperature)));
  handle.pass.holdBatch(batch, { patches: changes.filter(({ isLater }) => isLater) });
  return result;
}

/**
 * Gives each change of a feature its numbers: those of a pass with all that is changed before its place, changed. One
 * pass for each place, in the order of the model.
 * @template {GivenPatch & {name: string, info: Info, index: (number | null)[]}} P
 * @param {import('./handle.js').Handle} handle
 * @param {P[]} patched
 * @param {(others: P[]) => void} run a pass with these patches
 */
function changeFeatures(handle, patched, run) {
  const waiting = new Set(patched.filter(({ change }) => change));
  const names = [...new Set([...waiting].map(({ name }) => name))];
  for (const name of names.sort((a, b) => orderOf(handle, a) - orderOf(handle, b))) {
    run(patched.filter((each) => !waiting.has(each)));
    const { data, shape } = handle.read(handle.get(name));
    const vectors = { data: Float32Array.from(data), shape };
    for (const patch of waiting) {
      if (patch.name !== name) continue;
      patch.value = changeAt(patch, vectors);
      waiting.delete(patch);
    }
  }
}

/**
 * The place of a tensor in the order in which a pass computes them. In the list the norm of a sublayer comes last;
 * a pre-norm one is computed first.
 * @param {import('./handle.js').Handle} handle @param {string} name
 */
export function orderOf(handle, name) {
  const all = [...handle.known().values()];
  const at = all.findIndex((info) => info.name === name);
  const { node, stack, layer, sublayer } = all[at].facts;
  if (node !== 'norm' || layer === null || handle.config.norm !== 'pre') return at;
  return (
    all.findIndex(({ facts }) => facts.stack === stack && facts.layer === layer && facts.sublayer === sublayer) - 0.5
  );
}

/**
 * Changes vectors at the places of a patch, in them.
 * @param {Pick<GivenPatch, 'change'> & {index: (number | null)[]}} patch with a change
 * @param {import('../arrays/tensor.js').Tensor} vectors of the whole tensor
 * @returns {Float32Array} the numbers there
 */
export function changeAt({ change, index }, vectors) {
  const { data, shape } = vectors;
  const changed = /** @type {NonNullable<GivenPatch['change']>} */ (change)(vectors);
  const places = walk(index, shape, denseSteps(shape));
  for (const at of places) data[at] = changed[at];
  return Float32Array.from(places, (at) => changed[at]);
}

/** @param {readonly number[]} shape */
const denseSteps = (shape) => shape.map((_, axis) => product(shape.slice(axis + 1)));

/**
 * The places of an index, which has null for all of an axis.
 * @param {(number | null)[]} index @param {readonly number[]} shape @param {readonly number[]} steps of each axis
 */
function walk(index, shape, steps) {
  let offsets = [0];
  index.forEach((entry, axis) => {
    const chosen = entry === null ? Array.from({ length: shape[axis] }, (_, i) => i) : [entry];
    offsets = offsets.flatMap((offset) => chosen.map((i) => offset + i * steps[axis]));
  });
  return offsets;
}

/**
 * A tensor of the head as it is where the logits of all rows are computed.
 * @param {import('./handle.js').Handle} handle
 * @param {import('./inputs.js').Batch} batch
 * @param {string} name
 * @returns {Info}
 */
function ofAllRows(handle, { sizes: { B, S, T } }, name) {
  const info = handle.get(name);
  const length = T || S;
  const width = info.shape[2];
  return { ...info, shape: [B, length, width], strides: [length * width, width, 1] };
}

/**
 * In the place of each number its mean over the sequences and their tokens, but hidden ones.
 * @param {Info} info [B,T,C], or of each head [B,H,T,C]
 * @param {ArrayLike<number>} data
 * @param {import('./inputs.js').Batch} batch
 */
export function meansOf({ shape, role, facts }, data, { writes }) {
  const [B, T, C] = [shape[0], ...shape.slice(-2)];
  const H = shape.length === 4 ? shape[1] : 1;
  const isMemory = facts.attention === 'cross' && /^(key|value)$/.test(role);
  const hidden = writes.find(({ to }) => to === (isMemory ? 'memory.padding' : `${facts.stack}.padding`))?.data ?? [];
  const seen = Array.from({ length: B * T }, (_, i) => i).filter((i) => !hidden[i]);
  const at = (/** @type {number} */ i, /** @type {number} */ h, /** @type {number} */ c) =>
    ((Math.floor(i / T) * H + h) * T + (i % T)) * C + c;
  const means = new Float32Array(H * C);
  means.forEach((_, i) => {
    means[i] = seen.reduce((sum, each) => sum + data[at(each, Math.floor(i / C), i % C)], 0) / seen.length;
  });
  return Float32Array.from(data, (_, i) => means[(Math.floor(i / (T * C)) % H) * C + (i % C)]);
}

/**
 * Where the numbers of a patch go, from the start of its tensor.
 * @param {Pick<GivenPatch, 'value' | 'selector' | 'parameter'> & {info: Info, index: (number | null)[],
 *   tokens?: number}} patch tokens: of this pass, where its numbers are those of another
 * @param {Float32Array} [means] of its tensor
 * @returns {[offset: number, value: number][]}
 */
function offsetsOf({ value, parameter, info: { shape, strides }, index, tokens }, means) {
  const offsets = walk(index, shape, strides);
  if (typeof value === 'number') return offsets.map((offset) => [offset, value]);
  if (means) {
    const dense = walk(index, shape, denseSteps(shape));
    return offsets.map((offset, i) => [offset, means[dense[i]]]);
  }
  const { length } = /** @type {Float32Array} */ (value);
  const each = index[0] === null && index.length > 2 ? offsets.length / shape[0] : offsets.length; // of a sequence
  if (length !== offsets.length && length !== each) {
    const other = tokens && otherLength(tokens, length / offsets.length);
    const why = other
      ? `the passes have ${tokens} and ${other} tokens: name a row, or take a text of the same length`
      : `must be one number or ${offsets.length}`;
    throw new GlassformerError('shape', `${parameter}.value`, length, why);
  }
  return offsets.map((offset, i) => [offset, /** @type {Float32Array} */ (value)[i % length]]);
}

/**
 * Tokens of the other pass, whose tensor is so many times as large: one of its axes has them, or two.
 * @param {number} tokens of this one @param {number} ratio
 */
const otherLength = (tokens, ratio) =>
  [ratio, Math.sqrt(ratio)].map((each) => tokens * each).find((each) => Math.abs(each - Math.round(each)) < 1e-6);
