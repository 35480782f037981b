import { bytesOf, isText, tagOf } from '../arrays/arrays.js';
import { expectNone } from '../arrays/names.js';
import { GlassformerError } from '../errors.js';
import { DTYPES, fromHalf, headerLength, isRead, readHeader } from './safetensors-header.js';
import {
  expectIntact,
  flag,
  floats,
  ints,
  isObject,
  optional,
  readOptions,
  refuseType,
  tensor,
} from '../arrays/tensor.js';
import { entriesOf } from '../arrays/entries.js';

/** @typedef {import('../arrays/tensor.js').Tensor<Float32Array | Int32Array | Uint8Array>} AnyTensor */

/**
 * A tensor of a dtype that is not read.
 * @typedef {object} Skipped
 * @property {string} dtype its type, as the file names it
 * @property {number[]} shape size of each axis
 */

const anyBytes = tensor('uint8', 255);

/**
 * Reads a safetensors file, as strictly as the reference implementation (the Rust crate `safetensors`);
 * beyond it, a key twice in the header, its metadata or an entry is refused. F64, F16 and BF16 become float32, I64
 * int32, BOOL bytes 0 or 1. Tensors of the format's other dtypes (I8, I16, U16, U32, U64, C64 and floats of 8 bits or
 * fewer) are only listed.
 * @param {ArrayBuffer | Uint8Array} file
 * @param {undefined} [options] none
 * @returns {{tensors: Map<string, AnyTensor>, metadata: Map<string, string>, skipped: Map<string, Skipped>}} copies
 * @throws {GlassformerError} format, with the rule that the file breaks, also for an I64 beyond int32; `parameter` is
 *   `file`, `header`, `__metadata__` or the tensor; type
 * @example
 * import { readSafetensors, writeSafetensors } from 'glassformer';
 * const file = writeSafetensors({ weight: { data: [1, 2], shape: [2] } }, { metadata: { made: 'by hand' } });
 * const { tensors, metadata } = readSafetensors(file);
 * tensors.get('weight').data; // → [1, 2]
 * metadata.get('made'); // → 'by hand'
 */
export function readSafetensors(file, options) {
  expectNone(options, 'readSafetensors');
  const data = bytesOf(file) ?? refuseType('file', file, 'an ArrayBuffer or Uint8Array');
  const body = 8 + headerLength(data, data.byteLength);
  const { entries, metadata } = readHeader(data.subarray(8, body), data.byteLength - body);
  const tensors = new Map(
    entries.filter(isRead).map(({ name, dtype, shape, begin, end }) => {
      // A copy, because nothing in the file need be aligned.
      const slice = data.slice(body + begin, body + end).buffer;
      return [name, { data: DTYPES[dtype].decode(slice, name), shape }];
    }),
  );
  const others = entries.filter((entry) => !isRead(entry));
  return { tensors, metadata, skipped: new Map(others.map(({ name, dtype, shape }) => [name, { dtype, shape }])) };
}

/**
 * Writes a safetensors file: floats as F32 (or F16), Int32Array as I32, Uint8Array as U8.
 * @param {Map<string, AnyTensor | import('../arrays/tensor.js').Floats>
 *   | Record<string, AnyTensor | import('../arrays/tensor.js').Floats>} tensors by name
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
  return writeAs(undefined, tensors, options);
}

/**
 * @param {'bf16' | 'f16' | undefined} kept 16 bits in which a tensor is written where they are its numbers exactly
 * @param {Parameters<typeof writeSafetensors>[0]} tensors
 * @param {Parameters<typeof writeSafetensors>[1]} options
 */
export function writeAs(kept, tensors, options) {
  const { metadata, float16 } = readOptions(options, {
    metadata: optional((value) => metadataOf(value), []),
    float16: optional(flag, false),
  });
  const parts = entriesOf(tensors, 'tensors').map(([name, value]) => encode(name, value, float16, kept));
  for (const { name, given } of parts) expectIntact(given, name);
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
 * @param {'bf16' | 'f16' | undefined} kept
 * @returns {{name: string, dtype: string, data: Float32Array | Int32Array | Uint8Array | Uint16Array, shape: number[],
 *   given?: object}}
 */
function encode(name, value, float16, kept) {
  if (name === '__metadata__') {
    throw new GlassformerError('unknown', 'tensors', name, 'is no name of a tensor');
  }
  const array = isObject(value) ? value.data : undefined;
  const kind = tagOf(array);
  if (kind === 'Int32Array') return { name, dtype: 'I32', ...ints(value, name) };
  if (kind === 'Uint8Array') return { name, dtype: 'U8', ...anyBytes(value, name) };
  const given = floats(value, name);
  const { data, shape } = given;
  const halves = kept && !float16 ? exactHalves(data, kept) : undefined;
  if (halves) return { name, dtype: kept === 'bf16' ? 'BF16' : 'F16', data: halves, shape };
  if (!float16) return { name, dtype: 'F32', data, shape, given };
  return { name, dtype: 'F16', data: Uint16Array.from(data, (number) => toHalf(number, name)), shape };
}

/**
 * @param {Float32Array} data
 * @param {'bf16' | 'f16'} kept
 * @returns {Uint16Array | undefined} undefined where not every number has one
 */
function exactHalves(data, kept) {
  const halves = new Uint16Array(data.length);
  const bits = new Uint32Array(data.buffer, data.byteOffset, data.length);
  for (let i = 0; i < halves.length; i++) {
    const size = Math.abs(data[i]);
    if (kept === 'bf16') {
      halves[i] = bits[i] >>> 16;
      if (bits[i] << 16) return undefined;
    } else if (size >= 2 ** -14 && size < 65536) {
      halves[i] = ((bits[i] >>> 16) & 0x8000) | (((bits[i] & 0x7fffffff) - (112 << 23)) >>> 13);
      if (bits[i] & 0x1fff) return undefined;
    } else {
      halves[i] = ((bits[i] >>> 16) & 0x8000) | (size * 2 ** 24);
      if (fromHalf(halves[i]) !== data[i]) return undefined;
    }
  }
  return halves;
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
