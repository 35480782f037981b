// The arithmetic of a dictionary: token by token in double precision, rounded to float32 once. No engine is needed.
import { largest } from '../arrays/arrays.js';

/** @typedef {import('./features.js').Spec} Spec */

/**
 * A dictionary made ready for use.
 * @typedef {object} Table
 * @property {Omit<Spec, 'encoder'>} spec
 * @property {Float32Array} rows the encoder [size, width]: a feature's weights lie side by side
 * @property {Float64Array} norms of the decoder's rows where `rescales`, else 1
 * @property {Float64Array} units factor of each feature in the decoder
 * @property {Float64Array} gains of a gated one: exp(rMag)
 */

/**
 * Vectors as the encoder reads them.
 * @typedef {object} Inputs
 * @property {number} count of tokens
 * @property {Float64Array} values [count, width]
 * @property {Float64Array} scales of each token: the decoder's result is multiplied by it
 * @property {Float64Array} means of each token: then added
 */

/** @param {Spec} spec @returns {Table} */
export function tableOf(spec) {
  const { encoder, ...others } = spec;
  const { decoder, width, size, rescales, scaling, rMag } = spec;
  const norms = new Float64Array(size).fill(1);
  if (rescales) {
    for (let n = 0; n < size; n++) norms[n] = Math.sqrt(squares(decoder, n * width, width));
  }
  // A row of zeros adds nothing, whatever it is divided by.
  const units = norms.map((norm, n) => (norm === 0 ? 0 : (scaling?.[n] ?? 1) / norm));
  return {
    spec: others,
    rows: transposed(encoder, width, size),
    norms,
    units,
    gains: Float64Array.from(rMag ?? [], Math.exp),
  };
}

/** @param {Float32Array} matrix [height, width] @param {number} height @param {number} width */
export function transposed(matrix, height, width) {
  const result = new Float32Array(matrix.length);
  for (let i = 0; i < height; i++) for (let j = 0; j < width; j++) result[j * height + i] = matrix[i * width + j];
  return result;
}

/** @param {ArrayLike<number>} numbers @param {number} from @param {number} count */
function squares(numbers, from, count) {
  let sum = 0;
  for (let i = from; i < from + count; i++) sum += numbers[i] * numbers[i];
  return sum;
}

/**
 * Vectors without what the dictionary never sees of them: their mean, or that of a file.
 * @param {Table} table
 * @param {Float32Array} data [count, width]
 */
export function centeredOf({ spec: { width, centered } }, data) {
  const values = Float64Array.from(data);
  for (let at = 0; centered && at < values.length; at += width) {
    const row = values.subarray(at, at + width);
    if (centered === 'mean') takeMean(row);
    else for (let i = 0; i < width; i++) row[i] -= centered[i];
  }
  return values;
}

/**
 * Centers and normalizes vectors, and takes the decoder's bias away where the dictionary does so.
 * @param {Table} table
 * @param {Float32Array} data [count, width]
 * @returns {Inputs}
 */
export function inputsOf(table, data) {
  const { width, normalize, subtractsBias, decoderBias } = table.spec;
  const count = data.length / width;
  const values = centeredOf(table, data);
  const scales = new Float64Array(count).fill(1);
  const means = new Float64Array(count);
  for (let t = 0; t < count; t++) {
    const row = values.subarray(t * width, (t + 1) * width);
    if (normalize === 'layer_norm') {
      means[t] = takeMean(row);
      // The unbiased deviation, whose 1e-5 the decoder leaves out.
      scales[t] = Math.sqrt(squares(row, 0, width) / Math.max(width - 1, 1));
      for (let i = 0; i < width; i++) row[i] /= scales[t] + 1e-5;
    }
    if (normalize === 'constant_norm_rescale') {
      scales[t] = Math.sqrt(squares(row, 0, width) / width);
      if (scales[t] > 0) for (let i = 0; i < width; i++) row[i] /= scales[t];
    }
    if (subtractsBias) for (let i = 0; i < width; i++) row[i] -= decoderBias[i];
  }
  return { count, values, scales, means };
}

/** @param {Float64Array} row from which its mean is taken away @returns {number} the mean */
function takeMean(row) {
  let sum = 0;
  for (const value of row) sum += value;
  const mean = sum / row.length;
  for (let i = 0; i < row.length; i++) row[i] -= mean;
  return mean;
}

/**
 * Four sums, as one alone waits for each addition, and two running places: five times as fast as one index.
 * @param {Float32Array} a @param {number} p of its first element
 * @param {Float64Array} b @param {number} q
 * @param {number} length
 */
function dot(a, p, b, q, length) {
  const end = p + length;
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  for (; p < end - 3; p += 4, q += 4) {
    s0 += a[p] * b[q];
    s1 += a[p + 1] * b[q + 1];
    s2 += a[p + 2] * b[q + 2];
    s3 += a[p + 3] * b[q + 3];
  }
  for (; p < end; p++, q++) s0 += a[p] * b[q];
  return s0 + s1 + (s2 + s3);
}

/**
 * A feature's value from its product with the input, before top-k chooses; 0 where it is not active.
 * @param {Table} table
 * @param {number} n the feature
 * @param {number} product
 */
function valueOf({ spec, norms, gains }, n, product) {
  if (spec.gateBias) {
    const magnitude = gains[n] * product + /** @type {Float32Array} */ (spec.magnitudeBias)[n];
    return product + spec.gateBias[n] > 0 && magnitude > 0 ? magnitude : 0;
  }
  const sum = (product + /** @type {Float32Array} */ (spec.encoderBias)[n]) * norms[n];
  return sum > (spec.threshold?.[n] ?? 0) && sum > 0 ? sum : 0;
}

/** Tokens whose values wait for top-k at a time: beyond, doubles of a wide dictionary would take much memory. */
const CHUNK = 32;

/**
 * The features of each token.
 * @param {Table} table
 * @param {Inputs} inputs
 * @returns {Float32Array} [count, size]
 */
export function encodeRows(table, { count, values }) {
  const { spec, rows } = table;
  const { width, size, k } = spec;
  const features = new Float32Array(count * size);
  for (let from = 0; from < count; from += CHUNK) {
    const tokens = Math.min(CHUNK, count - from);
    const sums = new Float64Array(tokens * size);
    // By feature first: its weights stay in the cache for all these tokens.
    for (let n = 0; n < size; n++) {
      for (let t = 0; t < tokens; t++) {
        sums[t * size + n] = valueOf(table, n, dot(rows, n * width, values, (from + t) * width, width));
      }
    }
    for (let t = 0; t < tokens; t++) {
      const row = sums.subarray(t * size, (t + 1) * size);
      const into = features.subarray((from + t) * size, (from + t + 1) * size);
      if (k === undefined || k >= size) into.set(row);
      else for (const n of largest(row, k)) into[n] = row[n];
    }
  }
  return features;
}

/** @param {Float64Array} sums @param {number} factor @param {Float32Array} decoder @param {number} n its row */
function addRow(sums, factor, decoder, n) {
  const { length } = sums;
  for (let i = 0, p = n * length; i < length; i++, p++) sums[i] += factor * decoder[p];
}

/**
 * The vectors that features stand for, in the units of the tensor that was encoded.
 * @param {Table} table
 * @param {Float32Array} features [count, size]
 * @param {Pick<Inputs, 'scales' | 'means'> | undefined} inputs where the normalization has to be undone
 * @returns {Float32Array} [count, width]
 */
export function decodeRows({ spec, units }, features, inputs) {
  const { width, size, decoder, decoderBias, centered } = spec;
  const shift = typeof centered === 'object' ? centered : undefined;
  const count = features.length / size;
  const result = new Float32Array(count * width);
  for (let t = 0; t < count; t++) {
    const sums = new Float64Array(width);
    for (let n = 0; n < size; n++) {
      const value = features[t * size + n] * units[n];
      if (value !== 0) addRow(sums, value, decoder, n);
    }
    const [scale, mean] = inputs ? [inputs.scales[t], inputs.means[t]] : [1, 0];
    for (let i = 0; i < width; i++) {
      result[t * width + i] = (sums[i] + decoderBias[i]) * scale + mean + (shift?.[i] ?? 0);
    }
  }
  return result;
}

/**
 * The vectors after some features are changed: of all else, also of what the dictionary does not rebuild, they stay.
 * @param {Table} table
 * @param {Float32Array} data [count, width]
 * @param {readonly import('./features.js').Edit[]} edits
 * @returns {Float32Array} [count, width]
 */
export function changeRows(table, data, edits) {
  const { spec, rows, units } = table;
  const { width, size, decoder } = spec;
  const inputs = inputsOf(table, data);
  const edited = [...new Set(edits.map(({ feature }) => feature))];
  // Of top-k a value depends on all others; else the edited ones are enough.
  const features = spec.k === undefined ? undefined : encodeRows(table, inputs);
  const result = new Float32Array(data.length);
  for (let t = 0; t < inputs.count; t++) {
    const sums = Float64Array.from(data.subarray(t * width, (t + 1) * width));
    for (const n of edited) {
      const product = () => dot(rows, n * width, inputs.values, t * width, width);
      const before = features ? features[t * size + n] : Math.fround(valueOf(table, n, product()));
      const after = edits.reduce((value, edit) => (edit.feature === n ? changed(value, edit) : value), before);
      const step = (after - before) * units[n] * inputs.scales[t];
      if (step !== 0) addRow(sums, step, decoder, n);
    }
    result.set(sums, t * width);
  }
  return result;
}

/** @param {number} value @param {import('./features.js').Edit} edit */
const changed = (value, { set, scale, add }) => set ?? (scale === undefined ? value + Number(add) : value * scale);
