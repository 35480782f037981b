import { GlassformerError } from '../errors.js';

/**
 * @typedef {object} Arrays the array of each dtype
 * @property {Float32Array} float32 of weights and what is computed
 * @property {Int32Array} int32 of ids
 * @property {Uint8Array} uint8 of flags
 */

/**
 * @typedef {keyof Arrays} Dtype what the numbers of a tensor are
 * @typedef {Record<string, (...values: number[]) => number>} Functions
 */

const LARGEST = 2 ** 32 - 1;

/** The largest struct in which the core tells something: tensor_info (src/model/tensors.h). */
export const STRUCT_BYTES = 144;

/** Tensors that the core lists at a time. Their memory is always there: listing never allocates. */
export const LISTED = 256;

/** Faster than fromCharCode, of which a list of tensors would need thousands. */
const decoder = new TextDecoder();

/**
 * The WebAssembly memory seen from JavaScript. No other code makes views of it. Growth empties all
 * views that there are, so whoever keeps one checks its length before each use.
 */
export class Memory {
  #memory;
  #functions;
  /** @type {ReturnType<typeof heapsOf>} */
  #heaps;
  /** @type {Map<number, string | null>} */
  #names = new Map();

  /**
   * @param {WebAssembly.Memory} memory
   * @param {Functions} functions the module's exports
   */
  constructor(memory, functions) {
    this.#memory = memory;
    this.#functions = functions;
    this.#heaps = heapsOf(memory.buffer);
  }

  get bytes() {
    return this.#memory.buffer.byteLength;
  }

  /** All of the memory, as each type. */
  get heaps() {
    if (this.#heaps.uint8.length === 0) this.#heaps = heapsOf(this.#memory.buffer);
    return this.#heaps;
  }

  /**
   * A live view, empty as soon as the memory grows.
   * @template {keyof ReturnType<typeof heapsOf>} D
   * @param {D} dtype
   * @param {number} pointer in bytes
   * @param {number} count of elements
   * @returns {ReturnType<typeof heapsOf>[D]}
   */
  view(dtype, pointer, count) {
    const heap = this.heaps[dtype];
    const first = (pointer >>> 0) / heap.BYTES_PER_ELEMENT;
    return /** @type {any} */ (heap.subarray(first, first + count));
  }

  /**
   * The elements at a pointer, as their own array.
   * @template {Dtype} D
   * @param {D} dtype
   * @param {number} pointer
   * @param {number} count
   * @returns {Arrays[D]}
   */
  copy(dtype, pointer, count) {
    return /** @type {any} */ (this.view(dtype, pointer, count).slice());
  }

  /**
   * @param {Dtype} dtype
   * @param {number} pointer
   * @param {ArrayLike<number>} data
   */
  write(dtype, pointer, data) {
    this.view(dtype, pointer, data.length).set(data);
  }

  /**
   * The characters up to the next 0 byte.
   * @param {number} pointer
   * @returns {string}
   */
  text(pointer) {
    const { uint8 } = this.heaps;
    return decoder.decode(uint8.subarray(pointer, uint8.indexOf(0, pointer)));
  }

  /**
   * The module's name for a value of one of its enumerations (see gf_name); null where it has none.
   * @param {number} enumeration
   * @param {number} value
   * @returns {any} a string or null, which one the caller knows
   */
  name(enumeration, value) {
    const key = 100 * enumeration + value;
    let name = this.#names.get(key);
    if (name === undefined) {
      const pointer = this.#functions.gf_name(enumeration, value);
      this.#names.set(key, (name = pointer ? this.text(pointer) : null));
    }
    return name;
  }

  /**
   * The message when memory is full: what was needed, what 32-bit WebAssembly may have here (emscripten.mk), and what
   * helps.
   * @param {number} [needed] bytes
   */
  full(needed = this.#functions.gf_refused() >>> 0) {
    const said = (/** @type {number} */ bytes) => bytes.toLocaleString('en');
    return (
      `not enough memory for ${needed ? said(needed) : 'so many'} bytes: the engine has ${said(this.bytes)} of at ` +
      'most 2,147,483,648. Call free() of models and trainers, or make this one smaller'
    );
  }

  /**
   * Memory that stays until the module frees it with `gf_free`.
   * @param {number} bytes
   * @returns {number} pointer
   */
  allocate(bytes) {
    const pointer = bytes <= LARGEST ? this.#functions.gf_alloc(bytes) >>> 0 : 0;
    if (pointer === 0) {
      throw new GlassformerError('memory', 'bytes', bytes, this.full(bytes));
    }
    return pointer;
  }

  /** @param {number} pointer */
  release(pointer) {
    this.#functions.gf_free(pointer);
  }

  /**
   * Runs `use` with an allocator whose blocks are all freed afterwards, also after an error.
   * @template R
   * @param {(scratch: Scratch) => R} use
   * @returns {R}
   */
  withScratch(use) {
    const scratch = new Scratch(this);
    try {
      return use(scratch);
    } finally {
      scratch.free();
    }
  }
}

/** Allocations of one call. */
export class Scratch {
  #memory;

  /** @param {Memory} memory */
  constructor(memory) {
    this.#memory = memory;
    /** @type {number[]} */
    this.blocks = [];
  }

  free() {
    for (const block of this.blocks) this.#memory.release(block);
  }

  /**
   * Memory for `count` elements.
   * @param {keyof ReturnType<typeof heapsOf>} dtype
   * @param {number} count
   * @returns {number} pointer
   */
  reserve(dtype, count) {
    const pointer = this.#memory.allocate(count * this.#memory.heaps[dtype].BYTES_PER_ELEMENT);
    this.blocks.push(pointer);
    return pointer;
  }

  /**
   * An array's bytes. It must not be a view of this memory, which may grow here.
   * @param {Float32Array | Int32Array | Uint8Array} data
   * @returns {number} pointer
   */
  put({ buffer, byteOffset, byteLength }) {
    const pointer = this.reserve('uint8', byteLength);
    this.#memory.write('uint8', pointer, new Uint8Array(buffer, byteOffset, byteLength));
    return pointer;
  }
}

/** Buffers of WebAssembly memories: a view of one may die while a call allocates. @type {WeakSet<ArrayBufferLike>} */
export const liveBuffers = new WeakSet();

/** @param {ArrayBuffer} buffer */
function heapsOf(buffer) {
  liveBuffers.add(buffer);
  return {
    float32: new Float32Array(buffer),
    int32: new Int32Array(buffer),
    uint8: new Uint8Array(buffer),
    uint32: new Uint32Array(buffer),
    float64: new Float64Array(buffer),
  };
}
