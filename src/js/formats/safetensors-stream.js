import { GlassformerError } from '../errors.js';
import { openBytes } from './file-bytes.js';
import { CHUNK } from './stream-bytes.js';
import { DTYPES, fromHalf, headerLength, isRead, readHeader, unread } from './safetensors-header.js';
import { callback, maybe, optional, readOptions, signalReader } from '../arrays/tensor.js';

/** @typedef {import('./source.js').FileSource} FileSource */
/** @typedef {import('./safetensors-header.js').Entry} Entry */
/** @typedef {import('./stream-bytes.js').Budget} Budget */

/**
 * @typedef {object} OpenOptions
 * @property {import('../engine/generate.js').Signal} [signal] an AbortSignal: ends opening and every later `read`,
 *   which then throw its reason
 * @property {(progress: Progress) => void} [onProgress] called after each piece that was read, of some 4 MB
 */

/**
 * The progress in reading a file.
 * @typedef {object} Progress
 * @property {number} loaded bytes of tensors read so far; of a `pytorch_model.bin` whose server sends no ranges, bytes
 *   that have come
 * @property {number} total bytes of all tensors, or of that file; Infinity where its server does not say
 */

/**
 * A tensor as the header of a file describes it.
 * @typedef {object} StoredTensor
 * @property {string} dtype as the file has it: of `tensors` F64, F32, F16, BF16, I64, I32, U8 or BOOL
 * @property {number[]} shape size of each axis
 * @property {number} bytes that it takes in the file
 */

/** @typedef {Float32Array | Int32Array | Uint8Array} Numbers */

/**
 * @typedef {object} Parts of an open file
 * @property {import('./file-bytes.js').FileBytes} bytes
 * @property {number} start of the data
 * @property {Entry[]} entries
 * @property {Map<string, string>} metadata
 * @property {import('../engine/generate.js').Signal} [signal]
 * @property {Function} onProgress
 * @property {(needed: {has: (name: string) => boolean}) => void} [expectJustified] refuses tensors that would take much
 *   more memory than the file has bytes
 */

/**
 * A part of a tensor, row-major.
 * @typedef {object} Piece
 * @property {Numbers} data until the next piece
 * @property {number} at index of its first element in the tensor
 */

/** Options for opening any large file. */
export const OPEN_OPTIONS = { signal: maybe(signalReader), onProgress: optional(callback, () => {}) };

/**
 * Opens a safetensors file without reading its tensors: only the header, which is checked as strictly as
 * `readSafetensors` does. Each tensor is then read by its name, when it is needed, in pieces of some 4 MB.
 *
 * A Response is read once: its tensors in the order of `tensors`, which is the file's, one at a time. So is an address
 * whose server sends no ranges; files, Blobs and bytes have no such order.
 * @param {FileSource | PromiseLike<FileSource>} source address, Response (or what `fetch` gives), Blob or bytes; in
 *   Node also a path or file: URL
 * @param {OpenOptions} [options]
 * @returns {Promise<SafetensorsFile>} to be closed
 * @throws {GlassformerError} type; format as `readSafetensors`, and for an address or page without such a file; the
 *   signal's reason
 * @example
 * import { openSafetensors } from 'glassformer/checkpoints';
 * import { writeSafetensors } from 'glassformer';
 * const blob = new Blob([writeSafetensors({ weight: { data: [1, 2, 3, 4], shape: [2, 2] } })]);
 * const file = await openSafetensors(blob);
 * file.tensors.get('weight').shape; // → [2, 2]
 * (await file.read('weight')).length; // → 4
 * file.close();
 */
export async function openSafetensors(source, options = {}) {
  return openFile(source, readOptions(options, OPEN_OPTIONS));
}

/**
 * @param {FileSource | PromiseLike<FileSource>} source
 * @param {Pick<Parts, 'signal' | 'onProgress'> & {budget?: Budget}} options budget: for what PyTorch saved
 * @param {typeof import('./torch-file.js').openTorch} [openTorch] opens what PyTorch saved
 */
export async function openFile(source, { signal, onProgress, budget = { left: 0 } }, openTorch) {
  signal?.throwIfAborted();
  const bytes = await openBytes(source, 'file', signal);
  try {
    const size = bytes.size ?? bytes.mostHead ?? Infinity;
    const first = await begin(bytes, size);
    const isZipOrPickle = (first[0] === 0x50 && first[1] === 0x4b) || first[0] === 0x80;
    if (openTorch && first.length > 8 && isZipOrPickle)
      return await openTorch(bytes, first, { signal, onProgress, budget });
    const length = headerLength(first, size);
    signal?.throwIfAborted();
    const header = await readLong(bytes, 8, length);
    const start = 8 + length;
    const { entries, metadata } = readHeader(header, bytes.size === undefined ? NaN : size - start);
    if (entries.every(({ end }) => end === 0)) await bytes.expectEnd(start);
    signal?.throwIfAborted();
    return new SafetensorsFile({ bytes, start, entries, metadata, signal, onProgress });
  } catch (error) {
    bytes.close();
    throw error;
  }
}

/**
 * The length of the header; where there is no such, enough of the file to say what it is instead.
 * @param {import('./file-bytes.js').FileBytes} bytes
 * @param {number} size
 * @returns {Promise<Uint8Array>}
 */
async function begin(bytes, size) {
  const first = new Uint8Array(40);
  first.set(await bytes.read(0, first.subarray(0, Math.min(8, size))));
  const length = new DataView(first.buffer).getBigUint64(0, true);
  // The first 40 bytes show a page or a text, whose first 8 cannot be a length.
  const more = size >= 8 && length > 1e8 ? Math.min(size, 40) - 8 : 0;
  if (more > 0) {
    try {
      first.set(await bytes.read(8, first.subarray(8, 8 + more)), 8);
    } catch {
      // A stream that ends here: its first 8 bytes tell enough.
    }
  }
  return first.subarray(0, Math.min(size, 8 + more));
}

/**
 * Bytes of a stream that only claims a length: the buffer grows with those that have arrived.
 * @param {import('./file-bytes.js').FileBytes} bytes
 * @param {number} from
 * @param {number} length
 */
async function readLong(bytes, from, length) {
  let all = new Uint8Array(0);
  for (let at = 0; at < length; at = all.length) {
    const grown = new Uint8Array(Math.min(length, Math.max(CHUNK, 2 * at)));
    grown.set(all);
    grown.set(await bytes.read(from + at, grown.subarray(at)), at);
    all = grown;
  }
  return all;
}

/**
 * Holds a stream as a whole, so that its tensors can be read more than once.
 * @type {(file: SafetensorsFile, budget: Budget) => Promise<void>}
 */
export let hold;

/**
 * Refuses a file whose few numbers stand for many that are needed.
 * @type {(file: SafetensorsFile, needed: {has: (name: string) => boolean}) => void}
 */
export let expectJustified;

/**
 * A safetensors file that is open. Made by `openSafetensors`.
 * @example
 * import { writeSafetensors } from 'glassformer';
 * import { openSafetensors } from 'glassformer/checkpoints';
 * const file = await openSafetensors(writeSafetensors({ weight: [[1, 2], [3, 4]] }));
 * file.tensors.get('weight'); // → { dtype: 'F32', shape: [2, 2], bytes: 16 }
 */
export class SafetensorsFile {
  #bytes;
  #start;
  #signal;
  #onProgress;
  #entries;
  #total;
  #loaded = 0;
  #closed = false;
  /** One serves all reads that follow each other. @type {{buffer: ArrayBuffer, floats: Float32Array} | undefined} */
  #chunk;

  #expectJustified;

  static {
    expectJustified = (file, needed) => file.#expectJustified?.(needed);
    hold = async (file, budget) => {
      // Of the header nothing is read again.
      file.#bytes = (await file.#bytes.whole?.(new Uint8Array(file.#start), () => {}, budget)) ?? file.#bytes;
    };
  }

  /**
   * @internal
   * @param {Parts} parts
   */
  constructor({ bytes, start, entries, metadata, signal, onProgress, expectJustified: check }) {
    this.#expectJustified = check;
    this.#bytes = bytes;
    this.#start = start;
    this.#signal = signal;
    this.#onProgress = onProgress;
    const sorted = [...entries].sort((a, b) => a.begin - b.begin || a.end - b.end);
    this.#entries = new Map(sorted.map((entry) => [entry.name, entry]));
    this.#total = sorted.at(-1)?.end ?? 0;
    /** @param {Entry[]} some @returns {Map<string, StoredTensor>} */
    const listed = (some) =>
      new Map(
        some.map(({ name, dtype, shape, begin: from, end }) => [name, { dtype, shape: [...shape], bytes: end - from }]),
      );
    /**
     * The header's facts of each tensor that can be read, in the order of the file.
     * @type {Map<string, StoredTensor>}
     */
    this.tensors = listed(sorted.filter(isRead));
    /**
     * The tensors of other dtypes, as I8 or F8_E4M3: reading one throws dtype.
     * @type {Map<string, StoredTensor>}
     */
    this.skipped = listed(sorted.filter((entry) => !isRead(entry)));
    /**
     * The file's metadata by key.
     * @type {Map<string, string>}
     */
    this.metadata = metadata;
    /**
     * Of the whole file, in bytes.
     * @type {number}
     */
    this.size = start + this.#total;
  }

  /**
   * The numbers of one tensor: F64, F32, F16 and BF16 as float32, I64 and I32 as int32, U8 and BOOL as uint8.
   * @param {string} name as `tensors` has it
   * @param {Numbers | (() => Numbers)} [into] where they are put, as many; a function is asked again for each piece, so
   *   that a `model.view` may die meanwhile
   * @returns {Promise<Numbers>} `into`, or their own array
   * @throws {GlassformerError} unknown for such a name; dtype for one of `skipped`; shape for an `into` of another
   *   length; format for what cannot be read; state after `close`, for a view that died, and for a tensor that has gone
   *   by in a stream; the signal's reason
   * @example
   * const twice = new Float32Array(4);
   * (await file.read('weight', twice)) === twice; // → true
   */
  async read(name, into) {
    const { dtype, shape } = this.#entry(name);
    const count = shape.reduce((product, size) => product * size, 1);
    const own = into ?? arrayOf(dtype, count);
    const current = typeof own === 'function' ? own : () => own;
    const given = current().length;
    if (given !== count) throw new GlassformerError('shape', name, given, `into must have ${count} elements`);
    for await (const { data, at } of this.pieces(name)) {
      const target = current();
      if (target.length !== count) throw new GlassformerError('state', name, target.length, 'into died meanwhile');
      target.set(data, at);
    }
    return current();
  }

  /**
   * One tensor piece by piece, for what shall not be held as a whole. A piece is a multiple of 32 rows of the last axis
   * where these are less than 4 MB, else whole rows where one is.
   * @param {string} name as `tensors` has it
   * @returns {AsyncGenerator<Piece, void>}
   * @throws {GlassformerError} as `read`
   * @example
   * let sum = 0;
   * for await (const { data } of file.pieces('weight')) for (const number of data) sum += number;
   * sum; // → 10
   */
  async *pieces(name) {
    const { dtype, shape, begin: from, end } = this.#entry(name);
    const { size } = DTYPES[dtype];
    const row = (shape.at(-1) ?? 1) * size;
    // Blocks of 32 columns of a transposed matrix in int8 are written as a whole.
    const step = CHUNK - (CHUNK % ([32 * row, row].find((unit) => unit > 0 && unit <= CHUNK) ?? CHUNK));
    const chunk = this.#chunk ?? { buffer: new ArrayBuffer(CHUNK), floats: new Float32Array(0) };
    this.#chunk = undefined;
    if (size === 2 && chunk.floats.length === 0) chunk.floats = new Float32Array(CHUNK / 2);
    const decode = decoderOf(dtype, name, chunk.floats);
    try {
      for (let at = from; at < end; at += step) {
        const length = Math.min(step, end - at);
        const bytes = await this.#get(at, new Uint8Array(chunk.buffer, 0, length), name);
        const data = decode(bytes);
        this.#loaded += length;
        this.#onProgress({ loaded: Math.min(this.#loaded, this.#total), total: this.#total });
        yield { data, at: (at - from) / size };
      }
      if (end === this.#total) await this.#bytes.expectEnd(this.#start + end);
    } finally {
      this.#chunk = chunk;
    }
  }

  /**
   * Gives file or connection back. Afterwards nothing can be read.
   * @example
   * file.close();
   * await file.read('weight'); // throws state
   */
  close() {
    this.#closed = true;
    this.#bytes.close();
  }

  /** @param {number} at @param {Uint8Array} into @param {string} name */
  async #get(at, into, name) {
    this.#signal?.throwIfAborted();
    if (this.#closed) throw new GlassformerError('state', name, undefined, 'the file is closed');
    const bytes = await this.#bytes.read(this.#start + at, into);
    this.#signal?.throwIfAborted();
    // Nothing in a file need be aligned.
    return bytes.byteOffset % 8 === 0 ? bytes : bytes.slice();
  }

  /** @param {string} name */
  #entry(name) {
    const entry = this.#entries.get(name);
    if (entry && !isRead(entry)) throw unread(name, entry.dtype);
    if (entry) return entry;
    throw new GlassformerError('unknown', 'name', name, 'the file has no such tensor');
  }
}

/**
 * @param {string} dtype
 * @param {number} count
 * @returns {Numbers}
 */
function arrayOf(dtype, count) {
  return new (/^I/.test(dtype) ? Int32Array : /^(U8|BOOL)$/.test(dtype) ? Uint8Array : Float32Array)(count);
}

/** Each half as a float, made when the first one comes: 50 times as fast as to compute each. @type {Float32Array} */
let halves;

/**
 * Makes the function that turns the bytes of a piece into numbers.
 * @param {string} dtype
 * @param {string} name
 * @param {Float32Array} floats a buffer for a piece of halves
 * @returns {(bytes: Uint8Array) => Numbers}
 */
function decoderOf(dtype, name, floats) {
  const { size, decode } = DTYPES[dtype];
  if (size !== 2) {
    // A view where the numbers are as they stand.
    if (dtype === 'F32') return (bytes) => new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
    return (bytes) => decode(bytes.slice().buffer, name);
  }
  halves ??= Float32Array.from({ length: 2 ** 16 }, (_, bits) => fromHalf(bits));
  const words = new Uint32Array(floats.buffer);
  return ({ buffer, byteOffset, byteLength }) => {
    const bits = new Uint16Array(buffer, byteOffset, byteLength / 2);
    if (dtype === 'F16') for (let i = 0; i < bits.length; i++) floats[i] = halves[bits[i]];
    else for (let i = 0; i < bits.length; i++) words[i] = bits[i] << 16;
    return floats.subarray(0, bits.length);
  };
}
