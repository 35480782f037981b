import { GlassformerError, checked } from '../errors.js';
import { isList } from '../arrays/arrays.js';
import { writeChanges, OF_HEAD } from './pass.js';
import { omittedBut } from './capture.js';
import { CAPTURE, ONE_ROW, TRAIN } from './flags.js';
import { READERS, denseSteps, indexOf, readSelector, selected, walk } from './selector.js';
import { isTrace, takenFrom } from './trace.js';
import {
  any,
  callback,
  choice,
  finite,
  floats,
  integer,
  listOf,
  maybe,
  number,
  readOptions,
  refuseType,
} from '../arrays/tensor.js';

/** @typedef {import('./selector.js').Selected} Selected */
/** @typedef {import('./selector.js').Index} Index */
/** @typedef {import('./selector.js').Place} Place */
/** @typedef {import('./handle.js').Info} Info */
/** @typedef {import('./trace.js').Trace<any>} Trace */
/** @typedef {Trace | import('../worker/remote-types.js').RemoteTrace<any>} GivenTrace */

/**
 * Numbers put in the place of computed ones, in all sequences unless it says in which: a selector of a tensor that
 * `tensors` lists as `patchable`, itself or as `at`, and one way to say the numbers.
 *
 * They may be one number, or as many as there are places, row-major, for each sequence or for all alike; or a vector,
 * which each row gets. `rows` names several rows.
 * @typedef {Selected & {
 *   at?: import('./selector.js').Selector, rows?: readonly number[],
 *   set?: Value | 'mean' | GivenTrace, value?: Value | 'mean' | GivenTrace,
 *   add?: Value, scale?: Value, apply?: Apply,
 *   from?: GivenTrace, fromRow?: number,
 *   of?: import('../features/features.js').Features, feature?: number,
 * }} Patch
 *   set: these numbers, also as `value`; 'mean': the mean over the tokens that are not hidden, of all sequences, as a
 *   pass without patches and ablations computes it; a trace, also as `from`: what stands there in it, with `fromRow` in
 *   that row, so that its text may have another length. add, scale: what the pass computes there, plus or times these
 *   numbers, by one more pass. apply: a function of what it computes there; not for a worker. Or of a dictionary of
 *   features (`of`) one `feature`, whose value is `set`, times `scale`, or has `add` added: the vectors change by the
 *   difference, and keep what the dictionary does not rebuild; `at` is the dictionary's where it is not given
 */

/**
 * @typedef {number | import('../arrays/tensor.js').Floats} Value
 *
 * Gets a copy, of shape [sequences, ...] without the axes of which the patch names one; gives as many numbers, or
 * nothing where it has changed the copy.
 * @typedef {(values: import('../arrays/tensor.js').Tensor) => import('../arrays/tensor.js').Floats | void} Apply
 */

/**
 * A patch with 0 or the mean: of a head's output `{ layer, head }`, of a neuron's activation `{ layer, neuron }`, or of
 * whatever the selector says; a name alone is one, too.
 * @typedef {string | Selected & {value?: 0 | 'mean'}} Ablation
 */

const anyNumber = number(-Infinity, Infinity);

/**
 * @param {unknown} value @param {string} name @param {string} [more] that may be given
 * @returns {number | Float32Array}
 */
function numbers(value, name, more = '') {
  if (typeof value === 'number') return anyNumber(value, name);
  if (typeof value !== 'object') refuseType(name, value, `a number, numbers, a tensor${more}`);
  if (isList(value) && value.length === 0) return new Float32Array(0); // its place is checked first
  return finite(floats(value, name), name);
}

/** @type {import('../arrays/tensor.js').Reader<number | 'mean' | Float32Array | Trace>} */
const values = (value, name) =>
  value === 'mean' || isTrace(value) ? value : numbers(value, name, ", a trace or 'mean'");

/** The ways to say the value that a feature gets. */
export const WAYS = { set: maybe(anyNumber), scale: maybe(anyNumber), add: maybe(anyNumber) };

/** The ways to say the numbers of a patch. */
const ALL_WAYS = {
  set: maybe(values),
  add: maybe(numbers),
  scale: maybe(numbers),
  from: maybe((given, name) => (isTrace(given) ? given : refuseType(name, given, 'a trace: what model.trace gives'))),
  apply: maybe(callback),
  value: maybe(values),
};

/**
 * The one way that a change says.
 * @param {Record<string, any>} edit @param {string} parameter @param {object} [ways]
 */
export function chosenWay(edit, parameter, ways = WAYS) {
  const names = Object.keys(ways);
  const [way, second] = names.filter((each) => edit[each] !== undefined);
  if (!way) throw new GlassformerError('missing', `${parameter}.set`, undefined, `needed: one of ${names.join(', ')}`);
  if (second) throw new GlassformerError('unknown', `${parameter}.${second}`, edit[second], `${way} says it already`);
  return way;
}

/**
 * A change of a feature.
 * @param {any} of @param {unknown} feature @param {string} way @param {unknown} given @param {string} parameter
 * @returns {NonNullable<GivenPatch['change']>}
 */
function changeOf(of, feature, way, given, parameter) {
  if (typeof of?.change !== 'function' || !Number.isInteger(of.size)) {
    refuseType(`${parameter}.of`, of, 'features: what trainFeatures or loadFeatures gives');
  }
  if (!Object.hasOwn(WAYS, way))
    throw new GlassformerError('unknown', `${parameter}.${way}`, given, 'of says it already');
  const edit = { feature: integer(0, of.size - 1)(feature, `${parameter}.feature`), [way]: given };
  anyNumber(given, `${parameter}.${way}`);
  return (vectors, places) => {
    const { data } = of.change(vectors, [edit]);
    return places.map((at) => data[at]);
  };
}

/**
 * A change of what stands at a patch's places.
 * @param {string} way add, scale or apply @param {any} given
 * @returns {NonNullable<GivenPatch['change']>}
 */
const changeBy =
  (way, given) =>
  ({ data, shape }, places, { index, parameter }) => {
    const now = Float32Array.from(places, (at) => data[at]);
    if (way !== 'apply') {
      const at = spread(given, places.length, shape, index, `${parameter}.${way}`);
      return now.map((value, i) => (way === 'add' ? value + at(i) : value * at(i)));
    }
    const sizes = index.map((each, axis) => (each === null ? shape[axis] : [each].flat().length));
    const values = { data: now, shape: sizes.filter((_, axis) => typeof index[axis] !== 'number') };
    const result = /** @type {Float32Array} */ (numbers(given(values) ?? now, `${parameter}.apply`));
    if (result.length === places.length) return result;
    throw new GlassformerError('shape', `${parameter}.apply`, result.length, `must give ${places.length} numbers`);
  };

/** @type {import('../arrays/tensor.js').Reader<GivenPatch>} */
export function readPatch(each, parameter) {
  const readers = { ...READERS, rows: any, at: any, fromRow: any, of: any, feature: any, ...ALL_WAYS };
  const { at, of, feature, fromRow, ...given } = readOptions(each, readers, `${parameter}.`);
  const way = chosenWay(given, parameter, ALL_WAYS);
  const value = /** @type {Record<string, any>} */ (given)[way];
  const needs = (/** @type {string} */ name, /** @type {string} */ why) => {
    throw new GlassformerError('missing', `${parameter}.${name}`, undefined, `needed with ${why}`);
  };
  if (of === undefined && feature !== undefined) needs('of', 'feature: features');
  if (fromRow !== undefined && !isTrace(value)) needs('from', 'fromRow: a trace');
  const own = Object.fromEntries(
    Object.entries(given).filter(([name, said]) => said !== undefined && !Object.hasOwn(ALL_WAYS, name)),
  );
  const isPlaced = Object.keys(own).some((name) => !/^(batch|rows?|index)$/.test(name));
  const place = at ?? (isPlaced ? undefined : of?.at);
  /** @type {Place} */
  const selector = { ...(place !== undefined && readSelector(place, `${parameter}.at`)), ...own };
  const { row, rows, ...rest } = selector;
  if (row !== undefined && rows)
    throw new GlassformerError('unknown', `${parameter}.rows`, rows, 'row says it already');
  if (of !== undefined) return { selector, value: 0, parameter, change: changeOf(of, feature, way, value, parameter) };
  if (/^(add|scale|apply)$/.test(way)) return { selector, value: 0, parameter, change: changeBy(way, value) };
  if (fromRow === undefined) return { selector, value, parameter, way };
  const to = rows ?? row ?? needs('row', 'fromRow: the row that gets it');
  return { selector, value, parameter, way, source: { ...rest, rows: [to].flat().map(() => fromRow) } };
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
  patches: maybe(listOf(readPatch, 'an array of { at, set }')),
  ablate: maybe(listOf(readAblation, 'an array of {layer, head} or {layer, neuron}')),
  temperature: maybe(number(2 ** -64, 2 ** 64, 'range', ', 1 changes nothing')),
};

/**
 * A patch, read; `parameter`: where it was given.
 * @typedef {{selector: Place, value: number | 'mean' | Float32Array | Trace, parameter: string, way?: string,
 *   source?: Place, change?: (vectors: import('../arrays/tensor.js').Tensor, places: number[],
 *   patch: Changed) => ArrayLike<number>}} GivenPatch
 *   source: where the numbers of a trace stand, if elsewhere; change: the numbers of these places of a whole tensor, of
 *   a pass with the other changes
 * @typedef {Pick<GivenPatch, 'change' | 'parameter'> & {index: Index}} Changed
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
  const tokens = batch.sizes.T || batch.sizes.S;
  const found = capturing(handle, batch, given).map((patch) =>
    isTrace(patch.value)
      ? { ...patch, ...takenFrom(patch.value, patch.source ?? patch.selector, patch.parameter, tokens) }
      : patch,
  );
  handle.pass.layOut(batch);
  const patched = found.map((patch) => {
    const { name } = patch;
    const isLater = Boolean(batch.flags & ONE_ROW) && OF_HEAD.test(name);
    const info = isLater ? ofAllRows(handle, batch, name) : handle.get(name);
    return { ...patch, isLater, info, index: indexOf(info, patch.selector, `${patch.parameter}.`) };
  });
  const pass = (/** @type {import('./pass.js').Place[]} */ places) =>
    handle.memory.withScratch((scratch) => {
      const { gf_model_forward_patched: forward } = handle.functions;
      checked(forward(handle.id, writeChanges(scratch, places, [], temperature)), 'forward');
    });
  const averaged = patched.filter(({ value }) => value === 'mean');
  if (averaged.length) pass([]);
  for (const patch of averaged) {
    const { info, index } = patch;
    const means = meansOf(info, handle.read(info).data, batch);
    patch.value = Float32Array.from(walk(index, info.shape, denseSteps(info.shape)), (at) => means[at]);
  }
  const changesOf = (/** @type {typeof patched} */ all) =>
    all.flatMap(({ name, isLater, ...patch }) =>
      offsetsOf(patch).map(([offset, value]) => ({ name, isLater, info: patch.info, offset, value })),
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
 * @template {GivenPatch & {name: string, info: Info, isLater: boolean, index: Index}} P
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
      if (patch.isLater) throw new GlassformerError('unsupported', patch.parameter, name, 'needs logits: true');
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
 * @param {Changed} patch with a change
 * @param {import('../arrays/tensor.js').Tensor} vectors of the whole tensor
 * @returns {Float32Array} the numbers there
 */
export function changeAt(patch, vectors) {
  const { data, shape } = vectors;
  const places = walk(patch.index, shape, denseSteps(shape));
  const changed = /** @type {NonNullable<GivenPatch['change']>} */ (patch.change)(vectors, places, patch);
  places.forEach((at, i) => {
    data[at] = changed[i];
  });
  return Float32Array.from(changed);
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
  const [T, C] = shape.slice(-2);
  const H = shape.length === 4 ? shape[1] : 1;
  const isMemory = facts.attention === 'cross' && /^(key|value)$/.test(role);
  const hidden = writes.find(({ to }) => to === (isMemory ? 'memory.padding' : `${facts.stack}.padding`))?.data ?? [];
  const sums = new Float64Array(H * C);
  const counts = sums.slice();
  const placeOf = (/** @type {number} */ i) => (Math.floor(i / (T * C)) % H) * C + (i % C);
  for (let i = 0; i < data.length; i++) {
    if (hidden[Math.floor(i / (H * T * C)) * T + (Math.floor(i / C) % T)]) continue;
    sums[placeOf(i)] += data[i];
    counts[placeOf(i)]++;
  }
  return Float32Array.from(data, (_, i) => sums[placeOf(i)] / counts[placeOf(i)]);
}

/**
 * Where the numbers of a patch go, from the start of its tensor.
 * @param {Pick<GivenPatch, 'value' | 'parameter' | 'way'> & {info: Info, index: Index, why?: string}} patch
 * @returns {[offset: number, value: number][]}
 */
function offsetsOf({ value, parameter, way = 'set', info: { shape, strides }, index, why }) {
  const offsets = walk(index, shape, strides);
  const numbers = /** @type {number | Float32Array} */ (value);
  const at = spread(numbers, offsets.length, shape, index, `${parameter}.${way}`, why);
  return offsets.map((offset, i) => [offset, at(i)]);
}

/**
 * Numbers for so many places: one for all, a vector for each row, those of a sequence for each, or one for each place.
 * @param {number | Float32Array} value @param {number} count @param {readonly number[]} shape of the tensor
 * @param {Index} index @param {string} parameter @param {string} [why] those of a trace are too many or few
 * @returns {(i: number) => number}
 */
function spread(value, count, shape, index, parameter, why) {
  if (typeof value === 'number') return () => value;
  const { length } = value;
  const each = index[0] === null && index.length > 2 ? count / shape[0] : count; // of a sequence
  const isVector = why === undefined && index.at(-1) === null;
  const width = isVector ? Number(shape.at(-1)) : count;
  if ([count, each, width].includes(length)) return (i) => value[i % length];
  const rows = width < each ? `, ${width} for each row` : '';
  if (why) throw new GlassformerError('shape', parameter, undefined, why);
  throw new GlassformerError('shape', parameter, length, `must be one number${rows} or ${count}`);
}
