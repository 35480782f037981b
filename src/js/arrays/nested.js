import { isList, lengthOf } from './arrays.js';
import { GlassformerError } from '../errors.js';

/** More are no tensor but an array that holds itself. */
const MOST_AXES = 16;

/**
 * The shape that the first array of each level tells.
 * @param {ArrayLike<any>} value
 * @param {string} name
 * @returns {number[]}
 */
export function shapeOf(value, name) {
  /** @type {number[]} */
  const shape = [];
  for (let first = value; isList(first); first = first[0]) {
    if (shape.length === MOST_AXES) {
      throw new GlassformerError('type', name, undefined, `must have at most ${MOST_AXES} axes: does it hold itself?`);
    }
    shape.push(lengthOf(first));
  }
  return shape;
}

/**
 * Hands out the elements of nested arrays, row-major: as many as the shape says, each read once.
 * @param {ArrayLike<any>} value
 * @param {readonly number[]} shape
 * @param {string} name
 * @param {(element: unknown, index: number) => void} take
 */
export function visit(value, shape, name, take) {
  const last = shape.length - 1;
  let index = 0;
  const read = (/** @type {any} */ row, /** @type {number} */ axis, /** @type {string} */ path) => {
    if (axis > 0 && !(isList(row) && lengthOf(row) === shape[axis])) {
      throw new GlassformerError('shape', name, row, `${path} must be an array of ${shape[axis]} like those before it`);
    }
    for (let i = 0; i < shape[axis]; i++) {
      if (axis === last) take(row[i], index++);
      else read(row[i], axis + 1, `${path}[${i}]`);
    }
  };
  read(value, 0, name);
}

/**
 * Writes the element at an index as in code: x[1][2].
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
