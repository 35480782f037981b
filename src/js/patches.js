import { GlassformerError, checked } from './errors.js';
import { CAPTURE } from './flags.js';
import { any, expectRank, integer, number, readOptions, refuseType, tensorName } from './tensor.js';

/**
 * Numbers put in the place of computed ones.
 * @typedef {object} Patch
 * @property {string} name a tensor that `tensors` lists as `patchable` after a pass with `capture`
 * @property {readonly (number | null)[]} [index] one entry for each axis, null for all of it; default all of the tensor
 * @property {number | readonly number[] | Float32Array} value one number for all these places, or as many, row-major
 */

/**
 * A head whose output, or a neuron whose activation, is 0 in all sequences and tokens: one of `head` and `neuron`.
 * @typedef {object} Ablation
 * @property {number} [layer] from 0; not needed where there is one
 * @property {number} [head] from 0
 * @property {number} [neuron] from 0
 * @property {'encoder' | 'decoder'} [stack] needed where both have such a one
 * @property {'self' | 'cross'} [attention] of a head; default self, where there are both
 */

const anyNumber = number(-Infinity, Infinity);

/**
 * @param {string} fields
 * @returns {import('./tensor.js').Reader<any[] | undefined>}
 */
const list = (fields) => (value, name) =>
  value === undefined || Array.isArray(value) ? value : refuseType(name, value, `an array of ${fields}`);

export const patchList = list('{name, index, value}');
export const ablationList = list('{layer, head} or {layer, neuron}');

/**
 * A forward pass with patches, ablations and a temperature; see Model.forward.
 * @param {import('./handle.js').Handle} handle
 * @param {import('./inputs.js').Batch} batch
 * @param {{patches?: unknown[], ablate?: unknown[], temperature?: number}} changes
 */
export function runPatched(handle, batch, { patches = [], ablate = [], temperature = 1 }) {
  if (ablate.length) batch.flags |= CAPTURE;
  handle.place(batch);
  const infos = ablate.length ? handle.list() : [];
  const places = [
    ...patches.flatMap((patch, i) => placesOf(handle, patch, `patches[${i}]`)),
    ...ablate.flatMap((each, i) => placesOf(handle, patchFor(infos, each, `ablate[${i}]`), '')),
  ];
  const words = new Int32Array(2 * places.length);
  const numbers = new Float32Array(words.buffer);
  places.forEach(([address, value], i) => {
    words[2 * i] = address;
    numbers[2 * i + 1] = value;
  });
  handle.memory.withScratch((scratch) => {
    const { gf_model_forward_patched: run } = handle.functions;
    checked(run(handle.id, scratch.put(words), places.length, temperature), 'forward');
  });
}

/**
 * The patch that an ablation is.
 * @param {import('./handle.js').Info[]} infos of a captured layout
 * @param {unknown} ablation
 * @param {string} parameter
 * @returns {Patch}
 */
function patchFor(infos, ablation, parameter) {
  const readers = { head: any, neuron: any, attention: any, stack: any, layer: any };
  const { head, neuron, ...place } = readOptions(ablation, readers, `${parameter}.`);
  const ofHead = head !== undefined;
  let found = infos.filter(({ patchable, role }) => patchable && role === (ofHead ? 'head_outputs' : 'activation'));
  if (ofHead === (neuron !== undefined) || !found.length) {
    throw new GlassformerError('range', parameter, ablation, 'needs one of head and neuron, and a model that has them');
  }
  for (const axis of /** @type {const} */ (['attention', 'stack', 'layer'])) {
    const at = (/** @type {import('./handle.js').Info} */ { facts }) => facts[axis] ?? (axis === 'layer' ? 0 : 'none');
    const choices = [...new Set(found.map(at))];
    // Of attentions, self comes first.
    const chosen = place[axis] ?? (axis === 'attention' || choices.length < 2 ? choices[0] : undefined);
    if (!choices.includes(chosen)) {
      const code = chosen === undefined ? 'missing' : 'range';
      throw new GlassformerError(code, `${parameter}.${axis}`, chosen, `must be one of ${choices.join(', ')}`);
    }
    found = found.filter((info) => at(info) === chosen);
  }
  const { name, shape } = found[0];
  const axis = ofHead ? 1 : 2; // of [B,H,T,D] or [B,T,F]
  /** @type {(number | null)[]} */
  const index = shape.map(() => null);
  index[axis] = integer(0, shape[axis] - 1)(ofHead ? head : neuron, `${parameter}.${ofHead ? 'head' : 'neuron'}`);
  return { name, index, value: 0 };
}

/**
 * @param {import('./handle.js').Handle} handle
 * @param {unknown} patch
 * @param {string} parameter
 * @returns {[number, number][]} addresses and values
 */
function placesOf(handle, patch, parameter) {
  const readers = { name: tensorName, index: list('numbers and null'), value: any };
  const { name, index, value } = readOptions(patch, readers, `${parameter}.`);
  const { patchable, shape, strides, pointer } = handle.get(name);
  if (!patchable) {
    throw new GlassformerError(
      'range',
      `${parameter}.name`,
      name,
      'must be an intermediate that later ones are computed from',
    );
  }
  const at = index ?? shape.map(() => null);
  expectRank({ shape: at }, shape.length, shape.length, `${parameter}.index`);
  /** @type {number[]} */
  let offsets = [0];
  at.forEach((entry, axis) => {
    const chosen =
      entry === null
        ? Array.from({ length: shape[axis] }, (_, i) => i)
        : [integer(0, shape[axis] - 1)(entry, `${parameter}.index[${axis}]`)];
    offsets = offsets.flatMap((offset) => chosen.map((i) => offset + i * strides[axis]));
  });
  const many = Array.isArray(value) || value instanceof Float32Array;
  if (many && value.length !== offsets.length) {
    throw new GlassformerError('shape', `${parameter}.value`, value, `must be one number or ${offsets.length}`);
  }
  return offsets.map((offset, i) => [pointer + 4 * offset, anyNumber(many ? value[i] : value, `${parameter}.value`)]);
}
