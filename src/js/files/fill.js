import { GlassformerError } from '../errors.js';
import { handleOf } from '../engine/model.js';
import { product, choice, maybe } from '../arrays/tensor.js';

/** @typedef {import('../engine/model.js').Model} Model */
/** @typedef {import('../formats/eight-bits.js').FloatsFile} FloatsFile */

/** Of a transposed block: 32 rows of 32 floats stay in the first-level cache. */
const BLOCK = 32;

/**
 * Fills a model from a file of its weights, tensor by tensor in the file's order, straight into the module's memory:
 * beside it only one piece of 4 MB is held.
 * @param {Model} model of zeros; half filled after an error, so to be freed then
 * @param {Pick<FloatsFile, 'tensors' | 'pieces'>} file whose names and shapes are the model's
 * @param {object} [options]
 * @param {import('../engine/generate.js').Signal} [options.signal]
 * @param {(progress: import('../formats/safetensors-stream.js').Progress) => void} [options.onProgress] after a piece
 * @throws {GlassformerError} range for a number that is not finite; format; the signal's reason
 */
export async function fill(model, file, { signal, onProgress } = {}) {
  const handle = handleOf(model);
  const total = [...file.tensors.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  let loaded = 0;
  for (const [name, { shape, bytes }] of file.tensors) {
    const count = product(shape);
    for await (const { data, at } of file.pieces(name)) {
      signal?.throwIfAborted();
      expectFinite(data, name, at, shape);
      // Taken again: while the file was read, another model may have made the memory grow.
      handle.put(handle.get(name), data, at);
      loaded += (data.length / count) * bytes;
      onProgress?.({ loaded, total });
      signal?.throwIfAborted();
    }
  }
}

/**
 * @param {import('../formats/safetensors-stream.js').Numbers} data a piece
 * @param {string} name
 * @param {number} at of its first element
 * @param {number[]} shape of the tensor
 * @param {'range' | 'number'} [code] of the refusal
 */
export function expectFinite(data, name, at, shape, code = 'range') {
  // Ten times as fast as testing each: only finite numbers times 0 are 0.
  let sum = 0;
  for (let i = 0; i < data.length; i++) sum += data[i] * 0;
  if (sum === 0) return;
  const bad = data.findIndex((number) => !Number.isFinite(number));
  // Its place in the whole tensor.
  const strides = shape.map((_, axis) => product(shape.slice(axis + 1)));
  const path = strides.map((stride, axis) => Math.floor((at + bad) / stride) % shape[axis]).join('][');
  throw new GlassformerError(code, name, data[bad], `${name}[${path}] must be finite`);
}

/**
 * Where the numbers of a tensor go. `view`: all of it, where they lie as they are.
 * @typedef {object} Target
 * @property {Float32Array} [view]
 * @property {(data: import('../formats/safetensors-stream.js').Numbers, from: number) => void} put
 * @property {(from: number, count: number) => Float32Array} get a copy
 */

/** @param {Float32Array} view @returns {Target} */
export const plain = (view) => ({
  view,
  put: (data, from) => view.set(data, from),
  get: (from, count) => view.slice(from, from + count),
});

/**
 * A piece of a matrix [in, out] into its transpose.
 * @param {Target} weight [out, in]
 * @param {number} offset of the transpose in it
 * @param {import('../formats/safetensors-stream.js').Numbers} data
 * @param {number} at of its first element
 * @param {readonly number[]} shape in and out
 */
export function transpose(weight, offset, data, at, [height, width]) {
  const target = weight.view?.subarray(offset);
  // Whole rows at once; of a row that is longer than a piece, its parts.
  for (let from = 0; from < data.length;) {
    const column = (at + from) % width;
    const whole = column === 0 && data.length - from >= width;
    const columns = whole ? width : Math.min(width - column, data.length - from);
    const rows = whole ? Math.floor((data.length - from) / width) : 1;
    const to = column * height + (at + from - column) / width;
    if (target) transposeBlock(target, to, height, data, from, columns, rows);
    else {
      const block = new Float32Array(BLOCK * rows);
      for (let c0 = 0; c0 < columns; c0 += BLOCK) {
        const n = Math.min(BLOCK, columns - c0);
        for (let r = 0; r < rows; r++) {
          for (let c = 0; c < n; c++) block[c * rows + r] = data[from + r * columns + c0 + c];
        }
        for (let c = 0; c < n; c++) {
          weight.put(block.subarray(c * rows, (c + 1) * rows), offset + to + (c0 + c) * height);
        }
      }
    }
    from += rows * columns;
  }
}

/**
 * target[to + c height + r] = data[from + r columns + c]
 * @param {Float32Array} target @param {number} to @param {number} height
 * @param {import('../formats/safetensors-stream.js').Numbers} data @param {number} from @param {number} columns
 * @param {number} rows
 */
function transposeBlock(target, to, height, data, from, columns, rows) {
  for (let r0 = 0; r0 < rows; r0 += BLOCK) {
    const r1 = Math.min(rows, r0 + BLOCK);
    for (let c0 = 0; c0 < columns; c0 += BLOCK) {
      const c1 = Math.min(columns, c0 + BLOCK);
      for (let c = c0; c < c1; c++) {
        const line = to + c * height;
        for (let r = r0; r < r1; r++) target[line + r] = data[from + r * columns + c];
      }
    }
  }
}

/** @typedef {import('../engine/config.js').Config['weights']} WeightType */

/**
 * @typedef {object} WeightOptions
 * @property {WeightType} [weights] 'f32', 'bf16', 'f16' or 'int8': how matrices and embeddings are kept, rounded where
 *   the file has more digits; int8 also rounds the vectors that matrices multiply, each 32 numbers to 1/32767 of their
 *   largest. Default: as in the file, where they are all BF16 or all F16 and at least 16 million numbers; else f32, in
 *   which alone a model can be trained and viewed
 */

/** Numbers from which on half the memory counts for more than views and training. */
const LARGE = 2 ** 24;

/** @type {Record<string, WeightType>} */
const KEPT = { BF16: 'bf16', F16: 'f16' };

/** @type {import('../arrays/tensor.js').Reader<WeightType | undefined>} */
export const weightsReader = maybe(choice(/** @type {const} */ (['f32', 'bf16', 'f16', 'int8'])));

/**
 * @param {WeightType | undefined} wanted
 * @param {Partial<import('../engine/config.js').Config>} config
 * @param {Iterable<{dtype: string, shape: number[]}>} tensors that the model is made of
 * @returns {WeightType}
 */
export function weightType(wanted, { weights, d_model = 1 }, tensors) {
  const matrices = [...tensors].filter(({ shape }) => shape.length === 2);
  const [dtype, ...others] = new Set(matrices.map((matrix) => matrix.dtype));
  const isLarge = matrices.reduce((sum, { shape }) => sum + product(shape), 0) >= LARGE;
  const own = isLarge && !others.length && d_model % 16 === 0 ? KEPT[dtype] : undefined;
  return wanted ?? weights ?? own ?? 'f32';
}
