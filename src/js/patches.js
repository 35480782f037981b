import { GlassformerError, checked } from './errors.js';
import { expectRank, integer, number, readOptions, refuseType } from './tensor.js';

/**
 * Numbers put in the place of computed ones. `name`: a tensor that `tensors` lists as `patchable`
 * after a pass with `capture`; `index`: one entry for each axis, null for all of it, default all of the
 * tensor; `value`: one number for all these places, or as many floats, row-major.
 * @typedef {{name: string, index?: readonly (number | null)[], value: number | readonly number[] | Float32Array}} Patch
 */

const anyNumber = number(-Infinity, Infinity);

/** @type {import('./tensor.js').Reader<unknown[]>} */
export function patchList(value, name) {
  return Array.isArray(value) ? value : refuseType(name, value, 'an array of {name, index, value}');
}

/**
 * A forward pass over a placed batch, with patches and a temperature; see Model.forward.
 * @param {import('./handle.js').Handle} handle
 * @param {unknown[]} patches
 * @param {number} temperature
 */
export function runPatched(handle, patches, temperature) {
  const places = patches.flatMap((patch, i) => placesOf(handle, patch, `patches[${i}]`));
  handle.memory.withScratch((scratch) => {
    const pointer = scratch.room('uint32', 2 * places.length);
    const words = handle.memory.view('uint32', pointer, 2 * places.length);
    const numbers = handle.memory.view('float32', pointer, 2 * places.length);
    places.forEach(([address, value], i) => {
      words[2 * i] = address;
      numbers[2 * i + 1] = value;
    });
    const answer = handle.functions.gf_model_forward_patched(handle.id, pointer, places.length, temperature);
    checked(answer, 'forward');
  });
}

/**
 * @param {import('./handle.js').Handle} handle
 * @param {unknown} patch
 * @param {string} parameter
 * @returns {[number, number][]} addresses and values
 */
function placesOf(handle, patch, parameter) {
  const { name, index, value } = readOptions(patch, {
    name: (it) => (typeof it === 'string' ? it : refuseType(`${parameter}.name`, it, 'the name of a tensor')),
    index: (it) => (it === undefined || Array.isArray(it) ? it : refuseType(`${parameter}.index`, it, 'an array')),
    value: (it) => it,
  });
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
  at.forEach((/** @type {unknown} */ entry, /** @type {number} */ axis) => {
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
