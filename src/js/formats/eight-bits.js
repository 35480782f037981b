// Matrices in 8 bits in a model's file: a tensor U8 of integers, and beside it its scales, one for each 32 columns of
// a row. A number is (integer - 128) * scale, as `weights: 'int8'` keeps it. Fetched when a file needs it.
import { expectShape } from '../arrays/tensor.js';
import { GlassformerError } from '../errors.js';

/** @typedef {import('./safetensors-stream.js').SafetensorsFile} SafetensorsFile */
/** @typedef {import('./safetensors-stream.js').Numbers} Numbers */
/** @typedef {Pick<SafetensorsFile, 'tensors' | 'skipped' | 'metadata' | 'size' | 'pieces' | 'read'>} FloatsFile */

/** Columns that have a scale in common. */
const BLOCK = 32;
/** The integer of 0. */
const ZERO = 128;
/** Smaller numbers become 0. */
const TINY = 2 ** -100;
/** From here on a number is refused. */
const MOST = 2 ** 127;
const SCALES = '.scales';

const float = new Float32Array(1);
const word = new Uint32Array(float.buffer);

/**
 * Of the integers of a block, as the core has it (src/kernel/quant.c).
 * @param {Float32Array} block @param {string} name of the matrix
 */
function scaleOf(block, name) {
  const most = block.reduce((largest, number) => Math.max(largest, Math.abs(number)), 0);
  if (!(most < MOST)) throw new GlassformerError('range', name, most, 'is beyond int8, whose numbers are finite');
  if (most < TINY) return 0;
  float[0] = Math.fround(most / 127);
  word[0] = (word[0] + 0x40) & ~0x7f; // to 17 of 24 bits: each integer times it is a float
  return float[0];
}

/** The nearest integer, of two the even one. @param {number} number */
function nearest(number) {
  const floor = Math.floor(number);
  const over = number - floor;
  return floor + Number(over > 0.5 || (over === 0.5 && floor % 2 !== 0));
}

/**
 * A matrix in 8 bits: two tensors of the file.
 * @param {string} name
 * @param {{data: Float32Array, shape: number[]}} matrix finite
 * @returns {[string, {data: Uint8Array, shape: number[]} | {data: Float32Array, shape: number[]}][]}
 */
export function narrow(name, { data, shape }) {
  const [rows, columns] = shape;
  const blocks = Math.ceil(columns / BLOCK);
  const integers = new Uint8Array(rows * columns);
  const scales = new Float32Array(rows * blocks);
  for (let row = 0; row < rows; row++) {
    for (let block = 0; block < blocks; block++) {
      const at = row * columns + block * BLOCK;
      const numbers = data.subarray(at, Math.min(at + BLOCK, (row + 1) * columns));
      const scale = scaleOf(numbers, name);
      scales[row * blocks + block] = scale;
      const by = scale || 1;
      for (let i = 0; i < numbers.length; i++) integers[at + i] = ZERO + nearest(Math.fround(numbers[i] / by));
    }
  }
  return [
    [name, { data: integers, shape }],
    [name + SCALES, { data: scales, shape: [rows, blocks] }],
  ];
}

/**
 * A piece of a matrix as floats.
 * @param {Numbers} integers
 * @param {number} at of the first in the matrix
 * @param {number} columns
 * @param {Numbers} scales
 */
function widened(integers, at, columns, scales) {
  const blocks = Math.ceil(columns / BLOCK);
  return Float32Array.from(integers, (integer, i) => {
    const column = (at + i) % columns;
    return (integer - ZERO) * scales[((at + i - column) / columns) * blocks + Math.floor(column / BLOCK)];
  });
}

/**
 * @param {string} name of a matrix
 * @param {Map<string, {shape: number[]}>} tensors
 */
function expectScales(name, tensors) {
  const { shape } = /** @type {{shape: number[]}} */ (tensors.get(name));
  const scales = tensors.get(name + SCALES);
  if (!scales) throw new GlassformerError('missing', name + SCALES, undefined, 'a tensor in 8 bits needs its scales');
  if (shape.length !== 2) throw new GlassformerError('shape', name, shape, 'in 8 bits are matrices only');
  expectShape(scales, [shape[0], Math.ceil(shape[1] / BLOCK)], name + SCALES);
}

/** @param {string} name @param {Map<string, unknown>} tensors whether it has the scales of one of them */
const isScales = (name, tensors) => name.endsWith(SCALES) && tensors.has(name.slice(0, -SCALES.length));

/**
 * The tensors of a file with its matrices in 8 bits as floats.
 * @template {{tensors: Map<string, {data: any, shape: number[]}>}} F
 * @param {F} file of `readSafetensors`
 * @returns {F}
 * @throws {GlassformerError} missing, shape
 */
export function widen(file) {
  const { tensors } = file;
  const wide = new Map();
  for (const [name, { data, shape }] of tensors) {
    if (isScales(name, tensors)) continue;
    if (!(data instanceof Uint8Array)) wide.set(name, { data, shape });
    else {
      expectScales(name, tensors);
      wide.set(name, { data: widened(data, 0, shape[1], tensors.get(name + SCALES)?.data), shape });
    }
  }
  return { ...file, tensors: wide };
}

/**
 * An open file with its matrices in 8 bits as floats. Of a stream the scales come before them, as `save` writes them.
 * @param {SafetensorsFile} file
 * @returns {FloatsFile}
 * @throws {GlassformerError} missing, shape
 */
export function widenFile(file) {
  const { tensors, skipped, metadata, size } = file;
  /** Those that have gone by. @type {Map<string, Numbers>} */
  const scales = new Map();
  const names = [...tensors.keys()];
  const wide = new Map([...tensors].filter(([name]) => !isScales(name, tensors)));
  for (const [name, { dtype, shape, bytes }] of wide) {
    if (dtype !== 'U8') continue;
    expectScales(name, tensors);
    wide.set(name, { dtype: 'F32', shape, bytes });
  }

  /** Those before a tensor, which a stream gives but once, and its own. @param {string} name */
  async function readScales(name) {
    const before = names.slice(0, names.indexOf(name)).filter((each) => isScales(each, tensors));
    const own = tensors.get(name)?.dtype === 'U8' ? [name + SCALES] : [];
    for (const each of [...before, ...own]) if (!scales.has(each)) scales.set(each, await file.read(each));
  }

  return {
    ...{ tensors: wide, skipped, metadata, size },
    async *pieces(name) {
      await readScales(name);
      const { dtype, shape } = Object(tensors.get(name));
      const own = /** @type {Numbers} */ (scales.get(name + SCALES));
      for await (const { data, at } of file.pieces(name)) {
        yield { data: dtype === 'U8' ? widened(data, at, shape[1], own) : data, at };
      }
    },
    async read(name) {
      await readScales(name);
      const data = await file.read(name);
      const { dtype, shape } = Object(tensors.get(name));
      return dtype === 'U8' ? widened(data, 0, shape[1], /** @type {Numbers} */ (scales.get(name + SCALES))) : data;
    },
  };
}
