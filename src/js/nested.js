import { GlassformerError } from './errors.js';

/**
 * @param {unknown} value
 * @returns {value is ArrayLike<any>}
 */
export function isList(value) {
  return Array.isArray(value) || ArrayBuffer.isView(value);
}

/**
 * The elements of nested arrays in one list, and the shape that the first of each level tells.
 * @param {ArrayLike<any>} value
 * @param {string} name
 * @returns {{data: ArrayLike<any>, shape: number[]}}
 */
export function flatten(value, name) {
  /** @type {number[]} */
  const shape = [];
  // Sixteen axes are no tensor but an array that holds itself.
  for (let first = value; isList(first) && shape.length < 16; first = first[0]) shape.push(first.length);
  if (shape.length === 1) return { data: value, shape };
  /** @type {unknown[]} */
  const data = [];
  const visit = (/** @type {any} */ row, /** @type {number} */ axis, /** @type {string} */ path) => {
    if (!isList(row) || row.length !== shape[axis]) {
      throw new GlassformerError('shape', name, row, `${path} must be an array of ${shape[axis]} like those before it`);
    }
    const last = axis + 1 === shape.length;
    for (let i = 0; i < row.length; i++) {
      if (last) data.push(row[i]);
      else visit(row[i], axis + 1, `${path}[${i}]`);
    }
  };
  visit(value, 0, name);
  return { data, shape };
}

/**
 * How one writes the element at an index: x[1][2].
 * @param {string} name
 * @param {number} index in the flat data
 * @param {readonly number[]} shape
 * @returns {string}
 */
export function pathOf(name, index, shape) {
  let path = '';
  for (const size of [...shape].reverse()) {
    path = `[${index % size}]${path}`;
    index = Math.floor(index / size);
  }
  return name + path;
}
