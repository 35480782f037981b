// Weights in 8 or 16 bits (the setting `weights`), which the core packs: they are read and written through it.
import { GlassformerError, checked } from '../errors.js';
import { LISTED, STRUCT_BYTES } from '../arrays/memory.js';

/** @typedef {import('./handle.js').Handle} Handle */
/** @typedef {import('./handle.js').Info} Info */

/** Floats that fit into the core's struct. */
const CAPACITY = (LISTED * STRUCT_BYTES) / 4;
const ERROR_NUMBER = -6;

/** As the core counts them. @type {Record<string, number>} */
const TYPES = { bfloat16: 1, float16: 2, int8: 3 };
/** Of floats that are arranged, but for the rows over at the end. */
const PANELS = 4;
const PANEL_ROWS = 8;
/** Columns of int8 that have a scale in common. */
const BLOCK = 32;

/** From here on a number is refused. @type {Record<string, number>} */
const BEYOND = { float16: 65520, bfloat16: 2 ** 128 * (1 - 2 ** -9), int8: 2 ** 127 };

/** @param {Pick<Info, 'dtype'>} info */
export const isPacked = ({ dtype }) => dtype in BEYOND;

/** As gf_linear counts them; 0: as it is. @param {Pick<Info, 'dtype' | 'arranged'>} info */
export const typeOf = ({ dtype, arranged }) => (arranged ? PANELS : (TYPES[dtype] ?? 0));

/** @param {Pick<Info, 'dtype'>} info @param {number} columns of a row of the matrix */
export const rowBytes = ({ dtype }, columns) =>
  dtype === 'int8' ? Math.ceil(columns / BLOCK) * (BLOCK + 4) : columns * (isPacked({ dtype }) ? 2 : 4);

/**
 * @param {Handle} handle
 * @param {Info} info of a weight that is packed or arranged
 * @param {number} [from] its first element
 * @param {number} [count]
 */
export function readPacked(handle, info, from = 0, count = info.size) {
  const { memory, struct, functions } = handle;
  const [rows, columns] = info.facts.shape;
  const type = typeOf(info);
  const data = new Float32Array(count);
  const panels = info.arranged ? (rows - (rows % PANEL_ROWS)) * columns - from : count;
  const end = Math.max(0, Math.min(panels, count));
  if (end < count) data.set(memory.view('float32', info.pointer + 4 * (from + end), count - end), end);
  for (let at = 0; at < end; at += CAPACITY) {
    const n = Math.min(CAPACITY, end - at);
    checked(functions.gf_packed_get(struct, info.pointer, columns, from + at, n, type), 'tensor');
    data.set(memory.view('float32', struct, n), at);
  }
  return data;
}

/**
 * @param {Handle} handle
 * @param {Info} info of a packed weight
 * @param {ArrayLike<number>} data rounded to its type
 * @param {number} [from] the first element that is written
 * @throws {GlassformerError} range for a number beyond the type
 */
export function writePacked(handle, info, data, from = 0) {
  const { memory, struct, functions } = handle;
  const [columns, type] = [info.shape[1], TYPES[info.dtype]];
  const floats = data instanceof Float32Array ? data : Float32Array.from(data);
  for (let at = 0, end; at < floats.length; at = end) {
    end = Math.min(at + CAPACITY, floats.length);
    // Whole blocks: writing part of one would round the rest again.
    if (end < floats.length) end -= ((from + end) % columns) % BLOCK;
    const part = floats.subarray(at, end);
    memory.write('float32', struct, part);
    const answer = functions.gf_packed_put(info.pointer, columns, from + at, struct, part.length, type);
    if (answer === ERROR_NUMBER) expectWithin(info, part);
    checked(answer, 'tensor');
  }
}

/**
 * @param {Info} info
 * @param {ArrayLike<number>} data
 * @throws {GlassformerError} range for a number beyond its type
 */
export function expectWithin({ name, dtype }, data) {
  const limit = BEYOND[dtype] ?? Infinity;
  for (let i = 0; i < data.length; i++) {
    if (Math.abs(data[i]) < limit) continue;
    throw new GlassformerError('range', name, data[i], `is beyond ${dtype}, in which the model keeps this weight`);
  }
}

/**
 * @param {Pick<Handle, 'config'>} handle
 * @param {string} what is asked of the model
 * @throws {GlassformerError} state where its weights are packed
 */
export function expectFloats({ config: { weights } }, what) {
  if (weights === 'f32') return;
  const why = `${weights} weights cannot be ${what}: use model.clone({ weights: 'f32' })`;
  throw new GlassformerError('state', 'weights', weights, why);
}
