import { configured, readConfig, settingOf } from './config.js';
import { GlassformerError, checked } from './errors.js';
import { product } from './tensor.js';

/** @typedef {import('./load.js').Core} Core */
/** @typedef {import('./memory.js').Dtype} Dtype */

/**
 * What one layout of a model's memory depends on; see gf_model_prepare in src/wasm/api.h.
 * @typedef {{B: number, S: number, T: number, capacity: number, flags: number}} Layout
 * @typedef {'weight' | 'input' | 'result' | 'intermediate' | 'gradient'} Region
 * @typedef {{name: string, dtype: Dtype, region: Region, shape: number[], strides: number[],
 *   pointer: number}} Info strides in elements
 */

export const FLAGS = {
  capture: 1, cache: 2, types: 4, encoderPadding: 8, decoderPadding: 16, memoryPadding: 32, mask: 64,
  train: 128, vectorTargets: 256,
};

/** Of struct tensor_info (src/model/tensors.h): twelve words, then the name. A report is smaller. */
const INFO_BYTES = 112;
const NAME_AT = 48;
const DTYPES = /** @type {const} */ (['float32', 'int32', 'uint8']);
/** enum region; what is not named here is an intermediate. */
/** @type {Record<number, Region>} */
const REGIONS = { 0: 'weight', 1: 'input', 2: 'result', 7: 'input', 8: 'result' };

/** One model of the C core, behind functions that check their answers but not their arguments. */
export class Handle {
  #model;
  /** @type {Layout | undefined} */
  #layout;
  /** @type {Map<string, number>} of this layout: name -> index, filled as asked */
  #indices = new Map();
  /** @type {unknown} the only trainer that may use this model now */
  trainer;

  /**
   * @param {Core} core
   * @param {unknown} options settings and seed, as the caller gave them
   */
  constructor(core, options) {
    const { config, words, seed, settings } = readConfig(core, options);
    this.config = config;
    this.memory = core.memory;
    this.functions = core.functions;
    this.seed = seed;
    /** No sequence is longer. */
    this.longest = settingOf(settings, 'maxLength').high;
    /** Room for what the core tells of a tensor or a step, kept so that no step allocates. */
    this.struct = core.memory.allocate(INFO_BYTES);
    try {
      this.#model = core.memory.withScratch((scratch) => {
        const answer = core.functions.gf_model_create(scratch.put(words));
        return configured(answer, settings, config);
      });
    } catch (error) {
      core.functions.gf_free(this.struct);
      throw error;
    }
  }

  /** @param {number} seed */
  initialize(seed) {
    checked(this.functions.gf_model_initialize(this.#model, seed), 'initialize');
    this.seed = seed;
  }

  destroy() {
    checked(this.functions.gf_model_destroy(this.#model), 'free');
    this.functions.gf_free(this.struct);
  }

  /**
   * Lays the memory out for a batch, unless it lies so already. On failure nothing changes.
   * @param {Layout} layout
   * @param {string} subject the argument that makes it so large, for the error
   */
  prepare(layout, subject) {
    const { B, S, T, capacity, flags } = layout;
    if (this.#layout && String(Object.values(this.#layout)) === String([B, S, T, capacity, flags])) return;
    const answer = this.functions.gf_model_prepare(this.#model, B, S, T, capacity, flags);
    checked(answer, subject, [B, S || T]);
    this.#layout = { B, S, T, capacity, flags };
    this.#indices.clear();
  }

  /**
   * One forward pass over checked inputs.
   * @param {import('./inputs.js').Batch} batch
   * @param {{capacity?: number, flags?: number}} [layout] beyond what the inputs ask for
   */
  run(batch, { capacity = 0, flags = 0 } = {}) {
    this.place({ ...batch, flags: batch.flags | flags }, capacity);
    checked(this.functions.gf_model_forward(this.#model), 'forward');
  }

  /**
   * Lays the memory out and writes the inputs.
   * @param {import('./inputs.js').Batch} batch
   * @param {number} [capacity]
   */
  place({ sizes: { B, S = 0, T = 0 }, flags, subject, writes }, capacity = 0) {
    this.prepare({ B, S, T, capacity, flags }, subject);
    for (const { to, data } of writes) this.write(to, data);
  }

  /**
   * A call of the core that takes this model after other arguments.
   * @param {string} name of the export
   * @param {number[]} [before]
   * @param {number[]} [after]
   */
  call(name, before = [], after = []) {
    return this.functions[name](...before, this.#model, ...after);
  }

  /**
   * One of the trainer's blocks, live; see gf_trainer_block.
   * @param {number} which
   * @returns {Float32Array}
   */
  block(which) {
    const size = checked(this.functions.gf_trainer_size(this.#model), 'trainer');
    return this.memory.view('float32', this.functions.gf_trainer_block(this.#model, which), size);
  }

  /**
   * @param {number} past
   * @param {number} count
   */
  step(past, count) {
    checked(this.functions.gf_model_step(this.#model, past, count), 'step', past);
  }

  /**
   * What can be read now, in the core's order.
   * @returns {Info[]}
   */
  list() {
    const length = checked(this.functions.gf_model_tensor_count(this.#model), 'tensors');
    return Array.from({ length }, (_, index) => this.#info(index));
  }

  /**
   * @param {string} name
   * @returns {Info | undefined}
   */
  find(name) {
    const index = this.#indices.get(name) ?? this.#search(name);
    return index < 0 ? undefined : this.#info(index);
  }

  /**
   * @param {string} name
   * @returns {Info}
   */
  get(name) {
    const info = this.find(name);
    if (!info) throw new GlassformerError('unknown', 'name', name, 'no such tensor now, see tensors()');
    return info;
  }

  /**
   * A copy of a tensor, dense.
   * @param {Info} info
   */
  read({ dtype, shape, strides, pointer }) {
    const { memory } = this;
    const size = product(shape);
    if (isDense({ shape, strides })) return { data: memory.copy(dtype, pointer, size), shape };
    const extent = shape.reduce((end, length, axis) => end + (length - 1) * strides[axis], 1);
    const from = memory.view(dtype, pointer, extent);
    const data = new /** @type {Float32ArrayConstructor} */ (from.constructor)(size);
    gather(data, from, shape, strides);
    return { data, shape };
  }

  /**
   * @param {string} name of an input of the present layout
   * @param {ArrayLike<number>} data
   */
  write(name, data) {
    const { dtype, pointer } = this.get(name);
    this.memory.write(dtype, pointer, data);
  }

  /**
   * @param {string} name
   * @returns {number} index, negative when there is none
   */
  #search(name) {
    const { struct } = this;
    // A longer or a foreign-letter name exists in no model.
    if (name.length >= INFO_BYTES - NAME_AT || !/^[\x21-\x7e]+$/.test(name)) return -1;
    this.memory.write('uint8', struct, Array.from(`${name}\0`, (letter) => letter.charCodeAt(0)));
    const index = this.functions.gf_model_find(this.#model, struct);
    if (index >= 0) this.#indices.set(name, index);
    return index;
  }

  /**
   * @param {number} index
   * @returns {Info}
   */
  #info(index) {
    const { struct } = this;
    checked(this.functions.gf_model_tensor(struct, this.#model, index), 'tensor', index);
    const words = this.memory.view('uint32', struct, NAME_AT / 4);
    const [pointer, type, region, rank, ...sizes] = words;
    const name = this.memory.text(struct + NAME_AT);
    return {
      name,
      dtype: DTYPES[type],
      region: name.startsWith('grad.') ? 'gradient' : REGIONS[region] ?? 'intermediate',
      shape: sizes.slice(0, rank),
      strides: sizes.slice(4, 4 + rank),
      pointer,
    };
  }
}

/**
 * Whether the elements lie row-major without gaps.
 * @param {{shape: number[], strides: number[]}} info
 * @returns {boolean}
 */
export function isDense({ shape, strides }) {
  return shape.every((size, axis) => size === 1 || strides[axis] === product(shape.slice(axis + 1)));
}

/**
 * Copies a strided tensor row by row.
 * @param {Float32Array} into dense
 * @param {Float32Array | Int32Array | Uint8Array} from
 * @param {number[]} shape
 * @param {number[]} strides
 */
function gather(into, from, shape, strides) {
  const last = shape.length - 1;
  const length = shape[last];
  const index = new Array(last).fill(0);
  for (let row = 0; row < into.length; row += length) {
    const start = index.reduce((sum, at, axis) => sum + at * strides[axis], 0);
    for (let i = 0; i < length; i++) into[row + i] = from[start + i * strides[last]];
    for (let axis = last - 1; axis >= 0 && ++index[axis] === shape[axis]; axis--) index[axis] = 0;
  }
}
