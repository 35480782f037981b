import { GlassformerError, beginning } from '../errors.js';

/** @typedef {import('./file-bytes.js').FileBytes} FileBytes */

/**
 * A file in a zip.
 * @typedef {object} Entry
 * @property {number} at of its local header
 * @property {number} size in bytes
 * @property {number} limit where the next entry begins
 */

/** Signatures, sizes in bytes. */
const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const LOCATOR = 0x07064b50;
const END64 = 0x06064b50;
const LOCAL_SIZE = 30;
const CENTRAL_SIZE = 46;
const END_SIZE = 22;
const LOCATOR_SIZE = 20;
const END64_SIZE = 56;
/** A comment behind the end has at most 16 bits of length. */
const LONGEST_COMMENT = 2 ** 16 - 1;
/** Bytes of the directory: the largest shards list some thousand tensors of 100 bytes each. */
const LONGEST_DIRECTORY = 2 ** 24;

/** @param {string} why @param {unknown} [value] @returns {never} */
export function refuse(why, value) {
  throw new GlassformerError('format', 'file', value, why);
}

/**
 * The directory of a zip whose files are stored as they are, which is how PyTorch writes its checkpoints.
 * APPNOTE.TXT 6.3.10, sections 4.3 and 4.5.3 (zip64).
 * @param {FileBytes} bytes of known size
 * @returns {Promise<Map<string, Entry>>}
 * @throws {GlassformerError} format for a damaged one, for overlapping entries; unsupported for compressed ones
 */
export async function readZip(bytes) {
  const size = Number(bytes.size);
  const { count, start, length } = await findDirectory(bytes, size);
  if (length > LONGEST_DIRECTORY)
    refuse(`the directory of the zip must have at most ${LONGEST_DIRECTORY} bytes`, length);
  if (start + length > size) refuse('the directory of the zip lies beyond its end', start);
  const view = viewOf(await bytes.read(start, new Uint8Array(length)));
  /** @type {Map<string, Entry>} */
  const entries = new Map();
  let at = 0;
  for (let i = 0; i < count; i++) {
    const { name, entry, next } = readEntry(view, at);
    if (entries.has(name)) refuse(`the zip has ${shortOf(name)} twice`);
    entries.set(name, entry);
    at = next;
  }
  limit([...entries.values()], start);
  return entries;
}

/**
 * Where the bytes of an entry begin: its local header may have another length than the directory says.
 * @param {FileBytes} bytes
 * @param {Entry} entry
 * @returns {Promise<number>}
 */
export async function startOf(bytes, { at, size, limit: end }) {
  if (at + LOCAL_SIZE > end) refuse('an entry of the zip lies beyond its end', at);
  const view = viewOf(await bytes.read(at, new Uint8Array(LOCAL_SIZE)));
  if (view.getUint32(0, true) !== LOCAL) refuse('an entry of the zip has no header at byte', at);
  const start = at + LOCAL_SIZE + view.getUint16(26, true) + view.getUint16(28, true);
  if (start + size > end) refuse('an entry of the zip reaches into the next one, at byte', at);
  return start;
}

/** @param {string} name */
export const shortOf = (name) => JSON.stringify(name.length > 60 ? `${beginning(name, 60)}…` : name);

/** @param {Uint8Array} bytes */
const viewOf = ({ buffer, byteOffset, byteLength }) => new DataView(buffer, byteOffset, byteLength);

/** @param {FileBytes} bytes @param {number} size */
async function findDirectory(bytes, size) {
  const from = Math.max(0, size - END_SIZE - LONGEST_COMMENT);
  const view = viewOf(await bytes.read(from, new Uint8Array(size - from)));
  const isEnd = (/** @type {number} */ at) =>
    view.getUint32(at, true) === END && at + END_SIZE + view.getUint16(at + 20, true) === view.byteLength;
  let at = view.byteLength - END_SIZE;
  while (at >= 0 && !isEnd(at)) at--;
  if (at < 0) refuse('is cut short: the zip has no directory at its end');
  const locator = at - LOCATOR_SIZE;
  if (locator >= 0 && view.getUint32(locator, true) === LOCATOR) {
    return readEnd64(bytes, size, numberAt(view, locator + 8));
  }
  return {
    count: view.getUint16(at + 10, true),
    length: view.getUint32(at + 12, true),
    start: view.getUint32(at + 16, true),
  };
}

/** @param {FileBytes} bytes @param {number} size @param {number} at */
async function readEnd64(bytes, size, at) {
  if (at + END64_SIZE > size) refuse('the directory of the zip lies beyond its end', at);
  const view = viewOf(await bytes.read(at, new Uint8Array(END64_SIZE)));
  if (view.getUint32(0, true) !== END64) refuse('the zip has no directory at byte', at);
  return { count: numberAt(view, 32), length: numberAt(view, 40), start: numberAt(view, 48) };
}

/** A size of 64 bits; Infinity beyond what a file can have. @param {DataView} view @param {number} at */
function numberAt(view, at) {
  const value = Number(view.getBigUint64(at, true));
  return Number.isSafeInteger(value) ? value : Infinity;
}

/** @param {DataView} view @param {number} at */
function readEntry(view, at) {
  if (at + CENTRAL_SIZE > view.byteLength || view.getUint32(at, true) !== CENTRAL) {
    refuse('the directory of the zip is damaged at byte', at);
  }
  const [nameLength, extra, comment] = [28, 30, 32].map((offset) => view.getUint16(at + offset, true));
  const [nameAt, next] = [at + CENTRAL_SIZE, at + CENTRAL_SIZE + nameLength + extra + comment];
  if (next > view.byteLength) refuse('the directory of the zip is damaged at byte', at);
  const name = new TextDecoder().decode(new Uint8Array(view.buffer, view.byteOffset + nameAt, nameLength));
  const [flags, method] = [8, 10].map((offset) => view.getUint16(at + offset, true));
  const unsupported = flags & 1 ? 'is encrypted' : method ? `is compressed (method ${method})` : '';
  if (unsupported) {
    const why = `${shortOf(name)} in the zip ${unsupported}: torch.save writes entries as they are`;
    throw new GlassformerError('unsupported', 'file', undefined, why);
  }
  const short = [24, 20, 42].map((offset) => view.getUint32(at + offset, true));
  const [size, stored, start] = withLong(view, short, nameAt + nameLength, extra);
  if (stored !== size) refuse(`${shortOf(name)} in the zip has two sizes, ${size} and ${stored}`);
  return { name, entry: { at: start, size, limit: 0 }, next };
}

/**
 * Sizes and place of an entry: those that 32 bits cannot say stand in its zip64 field.
 * @param {DataView} view @param {number[]} short @param {number} from of the extra fields @param {number} length
 */
function withLong(view, short, from, length) {
  for (let at = from; at + 4 <= from + length;) {
    const [id, size] = [view.getUint16(at, true), view.getUint16(at + 2, true)];
    const end = at + 4 + size;
    if (end > from + length) break;
    if (id !== 1) at = end;
    else {
      let next = at + 4;
      return short.map((value) => {
        if (value !== 0xffffffff) return value;
        next += 8;
        return next <= end ? numberAt(view, next - 8) : refuse('the zip lacks a size of 64 bits');
      });
    }
  }
  return short;
}

/**
 * No entry may reach into the next one: many names for the same bytes are how small files become huge.
 * @param {Entry[]} entries @param {number} end
 */
function limit(entries, end) {
  entries.sort((a, b) => a.at - b.at);
  for (const [i, entry] of entries.entries()) {
    entry.limit = entries[i + 1]?.at ?? end;
    if (entry.at + LOCAL_SIZE + entry.size > entry.limit) refuse('entries of the zip overlap at byte', entry.at);
  }
}
