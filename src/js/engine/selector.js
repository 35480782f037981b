import { GlassformerError } from '../errors.js';
import { typeOf } from './packed.js';
import { isNamed } from '../arrays/names.js';
import {
  any,
  expectRank,
  integer,
  listOf,
  maybe,
  product,
  readOptions,
  refuseType,
  tensorName,
} from '../arrays/tensor.js';

/** @typedef {import('./handle.js').Info} Info */

/**
 * Which tensor, and which part of it. By its name, or by its place in the model: `{ layer: 3 }` is the residual stream
 * after that layer, `{ layer, node: 'ffn' }` the node's output, with `head` a head's output, with `neuron` a neuron's
 * activation. Leave out whatever the model has only once; of attentions, `self` is the default.
 * @typedef {object} Selected
 * @property {string} [name] dotted, as `tensors` lists it
 * @property {number} [layer] from 0
 * @property {import('./handle.js').NodeKind} [node] of the model graph
 * @property {string} [role] of the tensor in its node: 'query', 'scores', 'weights', 'activation' ...
 * @property {'encoder' | 'decoder'} [stack] needed where both have such a one
 * @property {'self' | 'cross'} [attention] default self, where there are both
 * @property {number} [sublayer] from 1, of a norm
 * @property {number} [head] one head, from 0, of tensors of attention
 * @property {number} [neuron] one neuron, from 0, of an FFN's activations
 * @property {number} [row] one token or row of a matrix, from 0; negative from the end: -1 is the last
 * @property {number} [batch] one sequence of the batch, from 0
 * @property {readonly (number | null)[]} [index] instead of these: one entry for each axis, null for all of it
 */

/** The name of a tensor alone is one, too. @typedef {string | Selected} Selector */

const WHERE = /** @type {const} */ (['node', 'role', 'attention', 'stack', 'layer', 'sublayer']);
const PARTS = /** @type {const} */ (['head', 'neuron', 'row', 'batch']);
/** A patch may be of several rows. */
const ALL_PARTS = /** @type {const} */ ([...PARTS, 'rows']);

/** @type {import('../arrays/tensor.js').Reader<number | null>} */
const indexReader = (value, name) =>
  value === null || typeof value === 'number' ? value : refuseType(name, value, 'a number or null');

/** All of it is read here: what follows goes by pointers. */
export const READERS = {
  name: maybe(tensorName),
  ...Object.fromEntries([...WHERE, ...PARTS].map((name) => [name, any])),
  index: maybe(listOf(indexReader, 'an array of numbers and null')),
};

/**
 * @param {unknown} value
 * @param {string} parameter
 * @param {string} [path] before the names in errors
 * @returns {Selected}
 */
export function readSelector(value, parameter, path = `${parameter}.`) {
  if (typeof value === 'string') return { name: value };
  if (!isNamed(value)) refuseType(parameter, value, 'the name of a tensor, or a selector like { layer: 0, head: 1 }');
  const read = /** @type {Selected} */ (readOptions(value, READERS, path));
  expectOneWay(read, parameter);
  return read;
}

/**
 * A row of so many, from the end if it is negative.
 * @param {number} count
 * @returns {import('../arrays/tensor.js').Reader<number>}
 */
export const rowReader = (count) => (value, name) => {
  const row = integer(-count, count - 1)(value, name);
  return row < 0 ? row + count : row;
};

/** A name says where it is. @param {Selected} selector @param {string} parameter */
function expectOneWay(selector, parameter) {
  const said = selector.name === undefined ? undefined : WHERE.find((axis) => selector[axis] !== undefined);
  if (said) throw new GlassformerError('unknown', `${parameter}.${said}`, selector[said], 'the name says it already');
}

/**
 * The tensors that a selector means, before what a model has several of is refused.
 * @param {Info[]} infos of a captured layout
 * @param {Selected} selector without a name
 * @param {string} parameter
 */
function meant(infos, { head, neuron, ...given }, parameter) {
  const { layer, stack, attention } = given;
  const of = neuron !== undefined ? 'ffn' : (head ?? attention) === undefined ? undefined : 'attention';
  const node = given.node ?? of;
  const role = given.role ?? (neuron !== undefined ? 'activation' : head !== undefined ? 'head_outputs' : undefined);
  if ([layer, stack, node, role].every((each) => each === undefined)) {
    throw new GlassformerError('missing', parameter, undefined, 'needs a name, layer, node, role, head or neuron');
  }
  const own = node === undefined ? infos : infos.filter(({ facts }) => facts.node === node);
  const wanted = role ?? (node === undefined ? 'layer_out' : 'out');
  const found = own.filter((info) => info.role === wanted);
  if (found.length) return found;
  const [what, value] = own.length ? ['role', wanted] : ['node', node];
  const choices = new Set(own.length ? own.map((info) => info.role) : infos.map(({ facts }) => facts.node ?? 'none'));
  throw new GlassformerError('range', `${parameter}.${what}`, value, `must be one of ${[...choices].join(', ')}`);
}

/**
 * The one tensor that a selector means.
 * @param {import('./handle.js').Handle} handle
 * @param {Selected} selector
 * @param {string} parameter
 * @returns {Info} of a captured layout of one token: where it lies in the present one, its name says
 */
export function selected(handle, selector, parameter) {
  const known = handle.known();
  const { name } = selector;
  if (name !== undefined) {
    expectOneWay(selector, parameter); // also of a patch, whose selector has two parts
    return known.get(name) ?? handle.get(name);
  }
  let found = meant([...known.values()], selector, parameter);
  const isLayered = found.some(({ facts }) => facts.layer !== null);
  for (const axis of WHERE) {
    const at = (/** @type {Info} */ { facts }) => facts[axis] ?? (axis === 'layer' && !isLayered ? 0 : null);
    const choices = [...new Set(found.map(at))];
    // Its sublayer distinguishes a norm from another. Of attentions, self comes first.
    if (axis === 'attention' && !selector.attention && found[0].facts.node !== axis) continue;
    const chosen = selector[axis] ?? (axis === 'attention' || choices.length < 2 ? choices[0] : undefined);
    if (!choices.includes(/** @type {any} */ (chosen))) {
      const code = chosen === undefined ? 'missing' : 'range';
      const which = choices.map((each) => each ?? 'none').join(', ');
      throw new GlassformerError(code, `${parameter}.${axis}`, chosen, `must be one of ${which}`);
    }
    found = found.filter((info) => at(info) === chosen);
  }
  return found[0];
}

/**
 * The layers of the tensors that a selector means, which may be many.
 * @param {import('./handle.js').Handle} handle
 * @param {Selected} selector
 * @param {string} parameter
 */
export function layersOf(handle, selector, parameter) {
  const { name, layer, stack, attention } = selector;
  const { layers, decoderLayers } = handle.config;
  const count = Math.max(Number(layers), Number(decoderLayers), 1);
  if (layer !== undefined) return [integer(0, count - 1)(layer, `${parameter}.layer`)];
  if (name !== undefined) return [selected(handle, selector, parameter).facts.layer];
  const found = meant([...handle.known().values()], selector, parameter);
  return found
    .filter(({ facts }) => (stack ?? facts.stack) === facts.stack && (attention ?? facts.attention) === facts.attention)
    .map(({ facts }) => facts.layer);
}

/**
 * One entry for each axis of a tensor: null for all of it, a list of `rows`.
 * @typedef {(number | number[] | null)[]} Index
 *
 * A patch may name several rows.
 * @typedef {Selected & {rows?: readonly number[]}} Place
 */

/**
 * @param {Info} info
 * @param {Place} selector
 * @param {string} path before the names in errors
 * @returns {Index}
 */
export function indexOf({ name, shape, region, role, facts }, { index, ...parts }, path) {
  const rank = shape.length;
  const said = ALL_PARTS.find((part) => parts[part] !== undefined);
  if (index) {
    if (said) throw new GlassformerError('unknown', path + said, parts[said], 'the index says it already');
    expectRank({ shape: /** @type {any} */ (index) }, rank, rank, `${path}index`);
    return index.map((at, axis) => (at === null ? at : integer(0, shape[axis] - 1)(at, `${path}index[${axis}]`)));
  }
  const hasBatch = region === 'gradient' ? rank > 2 : region !== 'weight' && !/^(encoding|mask|)$/.test(role);
  const row = rank < (hasBatch ? 3 : 2) ? -1 : rank - 2;
  const axes = {
    batch: hasBatch ? 0 : -1,
    head: rank === 4 ? 1 : -1,
    row,
    rows: row,
    neuron: facts.node === 'ffn' && role.endsWith('activation') ? rank - 1 : -1,
  };
  /** @type {Index} */
  const at = shape.map(() => null);
  for (const part of ALL_PARTS) {
    const value = parts[part];
    const axis = axes[part];
    if (value === undefined) continue;
    if (axis < 0) {
      const why = `${name} of shape [${shape.join(', ')}] has no axis of a ${part}`;
      throw new GlassformerError('shape', path + part, value, why);
    }
    const reader = axis === row ? rowReader(shape[axis]) : integer(0, shape[axis] - 1);
    at[axis] = part === 'rows' ? listOf(reader, 'an array of rows')(value, path + part) : reader(value, path + part);
  }
  return at;
}

/** @param {readonly number[]} shape */
export const denseSteps = (shape) => shape.map((_, axis) => product(shape.slice(axis + 1)));

/**
 * The places of an index, which has null for all of an axis.
 * @param {Index} index @param {readonly number[]} shape @param {readonly number[]} steps of each axis
 */
export function walk(index, shape, steps) {
  let offsets = [0];
  index.forEach((entry, axis) => {
    const chosen = entry === null ? Array.from({ length: shape[axis] }, (_, i) => i) : [entry].flat();
    offsets = offsets.flatMap((offset) => chosen.map((i) => offset + i * steps[axis]));
  });
  return offsets;
}

/**
 * A part of a tensor as a tensor that lies in the same memory. Of a batch it is of the first sequence, unless it says
 * which.
 * @param {Info} info
 * @param {Selected} selector
 * @returns {Info}
 */
export function partOf(info, selector) {
  const at = /** @type {(number | null)[]} */ (indexOf(info, selector, ''));
  if (at.every((each) => each === null)) return info;
  if (!selector.index && at.length > 2) at[0] ??= 0;
  const rest = [...at.keys()].filter((axis) => at[axis] === null);
  const first = at.reduce((/** @type {number} */ sum, each, axis) => sum + (each ?? 0) * info.strides[axis], 0);
  const shape = rest.map((axis) => info.shape[axis]);
  const strides = rest.map((axis) => info.strides[axis]);
  const size = product(shape);
  return {
    ...info,
    shape,
    strides,
    first,
    size,
    dense: strides.every((stride, i) => shape[i] === 1 || stride === product(shape.slice(i + 1))),
    pointer: info.pointer + (typeOf(info) > 0 ? 0 : first * (info.dtype === 'uint8' ? 1 : 4)),
    live: new Float32Array(0),
  };
}
