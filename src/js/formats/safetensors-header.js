import { GlassformerError } from '../errors.js';
import { readJson } from './json.js';
import { refusePage } from './source.js';

/**
 * Decoders for each dtype of safetensors: the size of an element in bytes, and a function from a slice of
 * the file to our own array.
 * @type {Record<string, {size: number, decode: (slice: ArrayBuffer, name: string) =>
 *   Float32Array | Int32Array | Uint8Array}>}
 */
export const DTYPES = {
  F64: { size: 8, decode: (slice) => new Float32Array(new Float64Array(slice)) },
  F32: { size: 4, decode: (slice) => new Float32Array(slice) },
  F16: { size: 2, decode: (slice) => new Float32Array(new Uint16Array(slice)).map(fromHalf) },
  BF16: {
    size: 2,
    decode: (slice) => new Float32Array(new Uint32Array(new Uint16Array(slice)).map((bits) => bits << 16).buffer),
  },
  I64: { size: 8, decode: fromLong },
  I32: { size: 4, decode: (slice) => new Int32Array(slice) },
  U8: { size: 1, decode: (slice) => new Uint8Array(slice) },
  BOOL: { size: 1, decode: fromBool },
};

/** Bits of the format's other dtypes: their tensors are listed, not read. @type {Record<string, number>} */
const UNREAD = Object.fromEntries(
  Object.entries({
    4: ['F4'],
    6: ['F6_E2M3', 'F6_E3M2'],
    8: ['I8', 'F8_E5M2', 'F8_E4M3', 'F8_E8M0', 'F8_E5M2FNUZ', 'F8_E4M3FNUZ'],
    16: ['I16', 'U16'],
    32: ['U32'],
    64: ['U64', 'C64'],
  }).flatMap(([bits, dtypes]) => dtypes.map((dtype) => [dtype, Number(bits)])),
);

/** @param {{dtype: string}} entry whether its numbers can be read */
export const isRead = ({ dtype }) => Object.hasOwn(DTYPES, dtype);

/**
 * @param {string} name
 * @param {string} dtype that is not read
 */
export function unread(name, dtype) {
  const why = `the tensor cannot be read: its dtype must be one of ${Object.keys(DTYPES).join(', ')}`;
  return new GlassformerError('dtype', name, dtype, why);
}

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
export function malformed(name, value, expected) {
  throw new GlassformerError('format', name, value, expected);
}

/**
 * @param {Uint8Array} data the file's begin, at least
 * @param {number} size of the file, in bytes; Infinity where that is not known
 * @returns {number} bytes of the header, which follows the first 8
 */
export function headerLength(data, size) {
  const most = Math.min(size - 8, LONGEST_HEADER);
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
 * One tensor of a file: its bytes stand from begin to end of what follows the header.
 * @typedef {{name: string, dtype: string, shape: number[], begin: number, end: number}} Entry
 */

/**
 * @param {Uint8Array} encoded the header
 * @param {number} size bytes of data that follow it; NaN where that is not known
 * @returns {{entries: Entry[], metadata: Map<string, string>}}
 */
export function readHeader(encoded, size) {
  let header;
  try {
    header = readJson(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(encoded));
  } catch (error) {
    malformed('header', undefined, `is no strict JSON: ${/** @type {Error} */ (error).message}`);
  }
  if (!(header instanceof Map)) malformed('header', undefined, 'must be a JSON object');
  const metadata = readMetadata(header.get('__metadata__'));
  header.delete('__metadata__');
  const entries = [...header].map(([name, entry]) => readEntry(name, entry));
  expectCovered(entries, size);
  return { entries, metadata };
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
 * @returns {Entry}
 */
function readEntry(name, entry) {
  if (!(entry instanceof Map)) malformed(name, entry, 'must be an object of dtype, shape and data_offsets');
  const dtype = entry.get('dtype');
  const shape = readSizes(name, entry, 'shape');
  const offsets = readSizes(name, entry, 'data_offsets');
  if (typeof dtype !== 'string' || !Object.hasOwn({ ...DTYPES, ...UNREAD }, dtype)) {
    malformed(name, dtype, `dtype must be one of ${Object.keys({ ...DTYPES, ...UNREAD }).join(', ')}`);
  }
  const bits = UNREAD[dtype] ?? 8 * DTYPES[dtype].size;
  const [begin, end] = offsets;
  if (offsets.length !== 2 || end < begin) malformed(name, offsets, 'data_offsets must be [begin, end]');
  let count = 1;
  // From the left, as the reference multiplies: a product beyond is refused, though a 0 follow.
  for (const size of shape) {
    if ((count *= size) > MOST) malformed(name, shape, `shape has a product beyond ${MOST}`);
  }
  if ((end - begin) * 8 !== count * bits) {
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
 * @param {Entry[]} entries
 * @param {number} size of the data; NaN where that is not known
 */
function expectCovered(entries, size) {
  let at = 0;
  for (const { name, begin, end } of [...entries].sort((a, b) => a.begin - b.begin || a.end - b.end)) {
    if (begin !== at) malformed(name, begin, `data must begin at ${at}`);
    at = end;
  }
  if (at < size || at > size) malformed('file', size, `the tensors have ${at} bytes of data, the file another count`);
}

/**
 * @param {number} bits of an IEEE binary16
 * @returns {number}
 */
export function fromHalf(bits) {
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
