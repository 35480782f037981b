import { GlassformerError } from './errors.js';
import { isText, readJson } from './json.js';
import { refusePage } from './source.js';
import { flag, floats, ints, isObject, optional, readOptions, refuseType, tensor } from './tensor.js';
import { entriesOf } from './weights.js';

/** @typedef {import('./tensor.js').Tensor<Float32Array | Int32Array | Uint8Array>} AnyTensor */

/**
 * How the elements of each dtype of safetensors are read: their size in bytes, and from a slice of
 * the file to our own array.
 * @type {Record<string, {size: number, decode: (slice: ArrayBuffer, name: string) =>
 *   Float32Array | Int32Array | Uint8Array}>}
 */
const READ = {
  F64: { size: 8, decode: (slice) => Float32Array.from(new Float64Array(slice)) },
  F32: { size: 4, decode: (slice) => new Float32Array(slice) },
  F16: { size: 2, decode: (slice) => Float32Array.from(new Uint16Array(slice), fromHalf) },
  BF16: {
    size: 2,
    decode: (slice) => new Float32Array(Uint32Array.from(new Uint16Array(slice), (bits) => bits << 16).buffer),
  },
  I64: { size: 8, decode: fromLong },
  I32: { size: 4, decode: (slice) => new Int32Array(slice) },
  U8: { size: 1, decode: (slice) => new Uint8Array(slice) },
  BOOL: { size: 1, decode: fromBool },
};

const anyBytes = tensor('uint8', 255);

/** The reference implementation reads no longer header. */
const LONGEST_HEADER = 1e8;
/** Of elements: 32-bit WebAssembly counts no further. */
const MOST = 2 ** 32 - 1;

/**
 * @param {string} name
 * @param {unknown} value
 * @param {string} expected
 * @returns {never}
 */
function malformed(name, value, expected) {
  throw new GlassformerError('format', name, value, expected);
}

/**
 * Reads a safetensors file, as strictly as the reference implementation (the Rust crate `safetensors`);
 * beyond it, a key twice in the header, its metadata or an entry is refused. F64, F16 and BF16 become float32, I64
 * int32, BOOL bytes 0 or 1.
 * @param {ArrayBuffer | Uint8Array} file
 * @returns {{tensors: Map<string, AnyTensor>, metadata: Map<string, string>}} copies
 * @throws {GlassformerError} format, with the rule that the file breaks, also for a dtype that cannot be read here
 *   and for an I64 beyond int32; `parameter` is `file`, `header`, `__metadata__` or the tensor; type
 * @example
 * import { readSafetensors, writeSafetensors } from 'glassformer';
 * const file = writeSafetensors({ weight: { data: [1, 2], shape: [2] } }, { metadata: { made: 'by hand' } });
 * const { tensors, metadata } = readSafetensors(file);
 * tensors.get('weight').data; // → [1, 2]
 * metadata.get('made'); // → 'by hand'
 */
export function readSafetensors(file) {
  const data = bytesOf(file);
  const body = 8 + headerLength(data);
  const header = readHeader(data.subarray(8, body));
  const metadata = readMetadata(header.get('__metadata__'));
  header.delete('__metadata__');
  const spans = [...header].map(([name, entry]) => readEntry(name, entry));
  expectCovered(spans, data.byteLength - body);
  const tensors = new Map(
    spans.map(({ name, dtype, shape, begin, end }) => {
      // A copy, because nothing in the file need be aligned.
      const slice = data.slice(body + begin, body + end).buffer;
      return [name, { data: READ[dtype].decode(slice, name), shape }];
    }),
  );
  return { tensors, metadata };
}

/**
 * @param {unknown} file
 * @returns {Uint8Array}
 */
function bytesOf(file) {
  if (ArrayBuffer.isView(file)) return new Uint8Array(file.buffer, file.byteOffset, file.byteLength);
  if (Object.prototype.toString.call(file) === '[object ArrayBuffer]') {
    return new Uint8Array(/** @type {ArrayBuffer} */ (file));
  }
  return refuseType('file', file, 'an ArrayBuffer or Uint8Array');
}

/**
 * @param {Uint8Array} data
 * @returns {number}
 */
function headerLength(data) {
  const most = Math.min(data.byteLength - 8, LONGEST_HEADER);
  const length = most < 0 ? NaN : Number(new DataView(data.buffer, data.byteOffset).getBigUint64(0, true));
  if (length <= most) return length;
  refusePage(data, 'file');
  const start = new TextDecoder().decode(data.subarray(0, 40));
  if (/^[\s -~]{8}/.test(start)) malformed('file', start, 'is text, not safetensors');
  return malformed(
    'file',
    length || data.byteLength,
    length ? `the header's length must be at most ${most}` : 'must have 8 bytes of length and a header',
  );
}

/**
 * @param {Uint8Array} encoded
 * @returns {Map<string, unknown>}
 */
function readHeader(encoded) {
  let header;
  try {
    header = readJson(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(encoded));
  } catch (error) {
    malformed('header', undefined, `is no strict JSON: ${/** @type {Error} */ (error).message}`);
  }
  return header instanceof Map ? header : malformed('header', undefined, 'must be a JSON object');
}

/**
 * @param {unknown} metadata
 * @returns {Map<string, string>}
 */
function readMetadata(metadata) {
  const map = metadata ?? new Map();
  if (!(map instanceof Map)) malformed('__metadata__', metadata, 'must be an object');
  for (const [key, value] of map) {
    if (typeof value !== 'string') malformed(`__metadata__.${key}`, value, 'must be a string');
  }
  return map;
}

/**
 * @param {string} name
 * @param {unknown} entry
 * @returns {{name: string, dtype: string, shape: number[], begin: number, end: number}}
 */
function readEntry(name, entry) {
  if (!(entry instanceof Map)) malformed(name, entry, 'must be an object of dtype, shape and data_offsets');
  const dtype = entry.get('dtype');
  const shape = readSizes(name, entry, 'shape');
  const offsets = readSizes(name, entry, 'data_offsets');
  if (typeof dtype !== 'string' || !Object.hasOwn(READ, dtype)) {
    malformed(name, dtype, `dtype must be one of ${Object.keys(READ).join(', ')}`);
  }
  const [begin, end] = offsets;
  if (offsets.length !== 2 || end < begin) malformed(name, offsets, 'data_offsets must be [begin, end]');
  let count = 1;
  // From the left, as the reference multiplies: a product beyond is refused, though a 0 follow.
  for (const size of shape) {
    if ((count *= size) > MOST) malformed(name, shape, `shape has a product beyond ${MOST}`);
  }
  if (end - begin !== count * READ[dtype].size) {
    malformed(name, offsets, `data_offsets do not span shape [${shape.join(', ')}] of ${dtype}`);
  }
  return { name, dtype, shape, begin, end };
}

/**
 * @param {string} name
 * @param {Map<string, unknown>} entry
 * @param {string} field
 * @returns {number[]}
 */
function readSizes(name, entry, field) {
  const sizes = entry.get(field);
  const good = Array.isArray(sizes) && sizes.every((size) => Number.isSafeInteger(size));
  return good ? sizes : malformed(name, undefined, `${field} must list sizes of 0 or more, in digits alone`);
}

/**
 * Refuses holes, overlaps and bytes left over.
 * @param {{name: string, begin: number, end: number}[]} spans
 * @param {number} size of the data
 */
function expectCovered(spans, size) {
  let at = 0;
  for (const { name, begin, end } of [...spans].sort((a, b) => a.begin - b.begin || a.end - b.end)) {
    if (begin !== at) malformed(name, begin, `data must begin at ${at}`);
    at = end;
  }
  if (at !== size) malformed('file', size, `the tensors have ${at} bytes of data, the file another count`);
}

/**
 * @param {number} bits of an IEEE binary16
 * @returns {number}
 */
function fromHalf(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return exponent ? sign * 2 ** (exponent - 15) * (1 + fraction / 1024) : sign * 2 ** -14 * (fraction / 1024);
}

/**
 * @param {ArrayBuffer} slice
 * @param {string} name
 * @returns {Int32Array}
 */
function fromLong(slice, name) {
  const longs = new BigInt64Array(slice);
  return Int32Array.from(longs, (long) => {
    const small = BigInt.asIntN(32, long);
    return small === long ? Number(small) : malformed(name, long, 'must fit into int32');
  });
}

/**
 * @param {ArrayBuffer} slice
 * @param {string} name
 * @returns {Uint8Array}
 */
function fromBool(slice, name) {
  const flags = new Uint8Array(slice);
  const other = flags.find((byte) => byte > 1);
  return other === undefined ? flags : malformed(name, other, 'a BOOL must be 0 or 1');
}

/**
 * Writes a safetensors file: floats as F32 (or F16), Int32Array as I32, Uint8Array as U8.
 * @param {Map<string, AnyTensor | import('./tensor.js').Floats>
 *   | Record<string, AnyTensor | import('./tensor.js').Floats>} tensors by name
 * @param {{metadata?: Map<string, string> | Record<string, string>, float16?: boolean}} [options]
 *   float16: round floats to half precision
 * @returns {Uint8Array}
 * @throws {GlassformerError} type, missing, unknown, shape, dtype; range for a float beyond F16
 * @example
 * import { writeSafetensors } from 'glassformer';
 * const file = writeSafetensors({ weight: { data: new Float32Array(256), shape: [16, 16] } }, { float16: true });
 * file.length < 1024; // → true
 */
export function writeSafetensors(tensors, options = {}) {
  const { metadata, float16 } = readOptions(options, {
    metadata: optional((value) => metadataOf(value), []),
    float16: optional(flag, false),
  });
  const parts = entriesOf(tensors, 'tensors').map(([name, value]) => encode(name, value, float16));
  // Wide elements first keep every tensor aligned; by name, the same tensors give the same file.
  parts.sort((a, b) => b.data.BYTES_PER_ELEMENT - a.data.BYTES_PER_ELEMENT || (a.name < b.name ? -1 : 1));
  let end = 0;
  const fields = parts.map(({ name, dtype, shape, data }) => {
    const offsets = [end, (end += data.byteLength)];
    return `${JSON.stringify(name)}:${JSON.stringify({ dtype, shape, data_offsets: offsets })}`;
  });
  if (metadata.length > 0) {
    const pairs = metadata.map(([key, text]) => `${JSON.stringify(key)}:${JSON.stringify(text)}`);
    fields.unshift(`"__metadata__":{${pairs}}`);
  }
  const header = new TextEncoder().encode(`{${fields}}`);
  const start = 8 + Math.ceil(header.length / 8) * 8;
  const file = new Uint8Array(start + end).fill(32, 8, start);
  new DataView(file.buffer).setBigUint64(0, BigInt(start - 8), true);
  file.set(header, 8);
  let at = start;
  for (const { data } of parts) {
    file.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), at);
    at += data.byteLength;
  }
  return file;
}

/**
 * @param {unknown} metadata
 * @returns {[string, string][]}
 */
function metadataOf(metadata) {
  const entries = entriesOf(metadata, 'metadata');
  for (const [key, value] of entries) {
    if (!isText(value)) refuseType(`metadata.${key}`, value ?? null, 'a string of Unicode');
  }
  return /** @type {[string, string][]} */ (entries);
}

/**
 * @param {string} name
 * @param {unknown} value
 * @param {boolean} float16
 */
function encode(name, value, float16) {
  if (name === '__metadata__') {
    throw new GlassformerError('unknown', 'tensors', name, 'is no name of a tensor');
  }
  const array = isObject(value) ? value.data : undefined;
  const kind = ArrayBuffer.isView(array) ? /** @type {any} */ (array)[Symbol.toStringTag] : '';
  if (kind === 'Int32Array') return { name, dtype: 'I32', ...ints(value, name) };
  if (kind === 'Uint8Array') return { name, dtype: 'U8', ...anyBytes(value, name) };
  const { data, shape } = floats(value, name);
  if (!float16) return { name, dtype: 'F32', data, shape };
  return { name, dtype: 'F16', data: Uint16Array.from(data, (number) => toHalf(number, name)), shape };
}

const float = new Float32Array(1);
const word = new Uint32Array(float.buffer);

/**
 * Rounds to the nearest half, ties to even.
 * @param {number} number
 * @param {string} name
 * @returns {number} bits of an IEEE binary16
 */
function toHalf(number, name) {
  float[0] = number;
  const sign = (word[0] >>> 16) & 0x8000;
  const size = Math.abs(number);
  if (Number.isNaN(number)) return 0x7e00;
  if (size === Infinity) return sign | 0x7c00;
  const exponent = Math.max(((word[0] >>> 23) & 255) - 127, -14);
  const units = size / 2 ** (exponent - 10);
  const floor = Math.floor(units);
  const up = units - floor > 0.5 || (units - floor === 0.5 && floor % 2 === 1);
  // A carry runs from the fraction into the exponent by itself.
  const bits = ((exponent + 14) << 10) + floor + Number(up);
  if (bits >= 0x7c00) {
    throw new GlassformerError('range', name, number, 'must be within half precision, 65504');
  }
  return sign | bits;
}
