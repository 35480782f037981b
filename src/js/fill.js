import { GlassformerError } from './errors.js';
import { handleOf } from './model.js';
import { expectShape } from './tensor.js';

/** @typedef {import('./model.js').Model} Model */
/** @typedef {import('./safetensors-stream.js').SafetensorsFile} SafetensorsFile */

/**
 * Where a tensor of a file goes. A weight may be made of several, one below the other.
 * @typedef {object} Placement
 * @property {string} from the tensor of the file
 * @property {string} to the model's weight
 * @property {number} [row] of the weight's first axis, where it begins; default 0
 * @property {number} [rows] of the weight's first axis, which it fills; default all
 * @property {boolean} [transpose] the file has [in, out] in the place of [out, in]
 */

/**
 * @typedef {object} FillOptions
 * @property {readonly string[]} [zeros] weights that the files need not have: they are 0
 * @property {import('./generate.js').Signal} [signal]
 * @property {(progress: import('./safetensors-stream.js').Progress) => void} [onProgress] after each piece
 */

/** Of a transposed block: 32 rows of 32 floats stay in the first-level cache. */
const BLOCK = 32;

/**
 * Fills a model from files, tensor by tensor in the files' order, straight into the module's memory: beside it only one
 * piece of 4 MB is held. Names, shapes and dtypes are checked before the first byte is read.
 * @param {Model} model of zeros; half filled after an error, so to be freed then
 * @param {readonly SafetensorsFile[]} files
 * @param {readonly Placement[]} placements
 * @param {FillOptions} [options]
 * @throws {GlassformerError} missing, unknown, shape, dtype; range for what is not finite; format; the signal's reason
 */
export async function fill(model, files, placements, { zeros = [], signal, onProgress } = {}) {
  const handle = handleOf(model);
  const weights = new Map(
    handle
      .list()
      .filter(({ region }) => region === 'weight')
      .map((info) => [info.name, info]),
  );
  const work = files.map((file) => ({ file, places: sources(file, placements) }));
  expectWhole(weights, placements, zeros);
  for (const { from } of placements) {
    if (!files.some(({ tensors }) => tensors.has(from))) {
      throw new GlassformerError('missing', from, undefined, 'the file has no such tensor');
    }
  }
  let total = 0;
  for (const { file, places } of work) {
    for (const [from, list] of places) {
      const { dtype, shape, bytes } = /** @type {import('./safetensors-stream.js').StoredTensor} */ (
        file.tensors.get(from)
      );
      if (!/^B?F\d\d$/.test(dtype)) throw new GlassformerError('dtype', from, dtype, 'a weight must be of floats');
      for (const place of list) expectShape({ shape }, shapeOf(place, weights), from);
      total += bytes;
    }
  }
  let loaded = 0;
  for (const { file, places } of work) {
    for (const [from, list] of places) {
      const { shape, bytes } = /** @type {import('./safetensors-stream.js').StoredTensor} */ (file.tensors.get(from));
      const count = shape.reduce((product, size) => product * size, 1);
      for await (const { data, at } of file.pieces(from)) {
        signal?.throwIfAborted();
        const floats = /** @type {Float32Array} */ (data);
        expectFinite(floats, from, at, shape);
        for (const place of list) {
          const info = /** @type {import('./handle.js').Info} */ (weights.get(place.to));
          // Taken anew: while the file was read, another model may have made the memory grow.
          put(/** @type {Float32Array} */ (handle.lend(info)), info.shape, place, floats, at, shape);
        }
        loaded += (data.length / count) * bytes;
        onProgress?.({ loaded, total });
        signal?.throwIfAborted();
      }
    }
  }
}

/**
 * The placements of one file, by tensor, in the order of the file.
 * @param {SafetensorsFile} file
 * @param {readonly Placement[]} placements
 */
function sources({ tensors }, placements) {
  /** @type {Map<string, Placement[]>} */
  const places = new Map();
  for (const name of tensors.keys()) places.set(name, []);
  for (const place of placements) places.get(place.from)?.push(place);
  return new Map([...places].filter(([, list]) => list.length > 0));
}

/**
 * Every row of every weight is filled once.
 * @param {Map<string, import('./handle.js').Info>} weights
 * @param {readonly Placement[]} placements
 * @param {readonly string[]} zeros
 */
function expectWhole(weights, placements, zeros) {
  /** @type {Map<string, Placement[]>} */
  const parts = new Map();
  for (const place of placements) {
    if (!weights.has(place.to)) {
      throw new GlassformerError('unknown', place.from, place.to, 'the model has no such weight');
    }
    parts.set(place.to, [...(parts.get(place.to) ?? []), place]);
  }
  for (const [name, { shape }] of weights) {
    const list = parts.get(name);
    if (!list && !zeros.includes(name)) {
      throw new GlassformerError('missing', name, undefined, 'this weight of the model is not given');
    }
    let end = 0;
    for (const { row = 0, rows = shape[0] } of (list ?? []).sort((a, b) => (a.row ?? 0) - (b.row ?? 0))) {
      if (row !== end)
        throw new GlassformerError('state', name, row, `this weight is given twice, or lacks row ${end}`);
      end += rows;
    }
    if (list && end !== shape[0]) {
      throw new GlassformerError('missing', name, end, `this weight has ${shape[0]} rows, not all are given`);
    }
  }
}

/**
 * The shape that a tensor must have to go there.
 * @param {Placement} place
 * @param {Map<string, import('./handle.js').Info>} weights
 */
function shapeOf({ to, rows, transpose }, weights) {
  const { shape } = /** @type {import('./handle.js').Info} */ (weights.get(to));
  const wanted = [rows ?? shape[0], ...shape.slice(1)];
  return transpose ? wanted.reverse() : wanted;
}

/**
 * @param {import('./safetensors-stream.js').Numbers} data a piece
 * @param {string} name
 * @param {number} at of its first element
 * @param {number[]} shape of the tensor
 * @param {'range' | 'number'} [code] of the refusal
 */
export function expectFinite(data, name, at, shape, code = 'range') {
  // Ten times as fast as to ask each: what is not finite times 0 is NaN.
  let sum = 0;
  for (let i = 0; i < data.length; i++) sum += data[i] * 0;
  if (sum === 0) return;
  const bad = data.findIndex((number) => !Number.isFinite(number));
  // Its place in the whole tensor.
  const strides = shape.map((_, axis) => shape.slice(axis + 1).reduce((product, size) => product * size, 1));
  const path = strides.map((stride, axis) => Math.floor((at + bad) / stride) % shape[axis]).join('][');
  throw new GlassformerError(code, name, data[bad], `${name}[${path}] must be finite`);
}

/**
 * @param {Float32Array} target all of the weight, live
 * @param {readonly number[]} weight its shape
 * @param {Placement} place
 * @param {Float32Array} data of the tensor from element `at` on
 * @param {number} at
 * @param {readonly number[]} shape of the tensor
 */
function put(target, weight, { row = 0, transpose: isTransposed }, data, at, shape) {
  const start = row * weight.slice(1).reduce((product, size) => product * size, 1);
  if (isTransposed) transpose(target.subarray(start), data, at, shape);
  else target.set(data, start + at);
}

/**
 * A piece of a matrix [in, out] into its transpose.
 * @param {Float32Array} target [out, in]
 * @param {import('./safetensors-stream.js').Numbers} data
 * @param {number} at of its first element
 * @param {readonly number[]} shape in and out
 */
export function transpose(target, data, at, [height, width]) {
  // Whole rows at once; of a row that is longer than a piece, its parts.
  for (let from = 0; from < data.length;) {
    const column = (at + from) % width;
    const whole = column === 0 && data.length - from >= width;
    const columns = whole ? width : Math.min(width - column, data.length - from);
    const rows = whole ? Math.floor((data.length - from) / width) : 1;
    const to = column * height + (at + from - column) / width;
    transposeBlock(target, to, height, data, from, columns, rows);
    from += rows * columns;
  }
}

/**
 * target[to + c height + r] = data[from + r columns + c]
 * @param {Float32Array} target @param {number} to @param {number} height
 * @param {import('./safetensors-stream.js').Numbers} data @param {number} from @param {number} columns
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
