import { configured, readConfig, settingOf } from './config.js';
import { GlassformerError, checked } from './errors.js';
import { STRUCT_BYTES } from './memory.js';
import { product } from './tensor.js';

/** @typedef {import('./load.js').Core} Core */
/** @typedef {import('./memory.js').Dtype} Dtype */

/**
 * @typedef {'weight' | 'input' | 'result' | 'intermediate' | 'gradient'} Region
 * @typedef {{name: string, dtype: Dtype, region: Region, shape: number[], strides: number[],
 *   pointer: number, dense: boolean, size: number, live: import('./memory.js').Arrays[Dtype]}} Info
 *   strides in elements; `dense`: they lie row-major without gaps; `live`: see #elements
 */

export const FLAGS = {
  capture: 1,
  cache: 2,
  types: 4,
  encoderPadding: 8,
  decoderPadding: 16,
  memoryPadding: 32,
  mask: 64,
  train: 128,
  vectorTargets: 256,
};

/** Of struct tensor_info (src/model/tensors.h): twelve words, then the name. */
const NAME_AT = 48;
const DTYPES = /** @type {const} */ (['float32', 'int32', 'uint8']);
/** enum region; what is not named here is an intermediate. */
/** @type {Record<number, Region>} */
const REGIONS = { 0: 'weight', 1: 'input', 2: 'result', 7: 'input', 8: 'result' };
const NO_VIEW = new Float32Array(0);

/** One model of the C core, behind functions that check their answers but not their arguments. */
export class Handle {
  /** @type {number[]} gf_model_prepare's arguments: sizes, capacity and flags */
  #layout = [];
  /** @type {Map<string, Info>} of this layout, filled as asked */
  #infos = new Map();
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
    this.struct = core.struct;
    /** What the core calls this model. */
    this.id = core.memory.withScratch((scratch) => {
      const answer = core.functions.gf_model_create(scratch.put(words));
      return configured(answer, settings, config);
    });
  }

  /** @param {number} seed */
  initialize(seed) {
    checked(this.functions.gf_model_initialize(this.id, seed), 'initialize');
    this.seed = seed;
  }

  destroy() {
    checked(this.functions.gf_model_destroy(this.id), 'free');
  }

  /**
   * One forward pass over checked inputs.
   * @param {import('./inputs.js').Batch} batch
   * @param {number} [capacity]
   */
  run(batch, capacity) {
    this.place(batch, capacity);
    checked(this.functions.gf_model_forward(this.id), 'forward');
  }

  /**
   * Lays the memory out, unless it lies so already, and writes the inputs. On failure nothing changes.
   * @param {import('./inputs.js').Batch} batch
   * @param {number} [capacity]
   */
  place({ sizes: { B, S, T }, flags, subject, writes }, capacity = 0) {
    const layout = [B, S, T, capacity, flags];
    if (layout.some((part, i) => part !== this.#layout[i])) {
      checked(this.functions.gf_model_prepare(this.id, ...layout), subject, [B, S || T]);
      this.#layout = layout;
      this.#infos.clear();
    }
    for (const { to, data } of writes) this.write(to, data);
  }

  /**
   * One of the trainer's blocks, live; see gf_trainer_block.
   * @param {number} which
   * @returns {Float32Array}
   */
  block(which) {
    const size = checked(this.functions.gf_trainer_size(this.id), 'trainer');
    return this.memory.view('float32', this.functions.gf_trainer_block(this.id, which), size);
  }

  /**
   * @param {number} past
   * @param {number} count
   */
  step(past, count) {
    checked(this.functions.gf_model_step(this.id, past, count), 'step', past);
  }

  /**
   * What can be read now, in the core's order.
   * @returns {Info[]}
   */
  list() {
    const length = checked(this.functions.gf_model_tensor_count(this.id), 'tensors');
    return Array.from({ length }, (_, index) => this.#info(index));
  }

  /**
   * @param {string} name
   * @returns {Info}
   */
  get(name) {
    let info = this.#infos.get(name);
    if (!info) {
      const index = this.#search(name);
      if (index < 0) throw new GlassformerError('unknown', 'name', name, 'no such tensor now, see tensors()');
      info = this.#info(index);
      this.#infos.set(name, info);
    }
    return info;
  }

  /**
   * A copy of a tensor, dense.
   * @param {Info} info
   */
  read(info) {
    const { shape, strides } = info;
    const from = this.#elements(info);
    const data = info.dense ? from.slice() : new /** @type {Float32ArrayConstructor} */ (from.constructor)(info.size);
    if (!info.dense) gather(/** @type {Float32Array} */ (data), from, shape, strides);
    return { data, shape: [...shape] };
  }

  /**
   * A live view of a dense tensor, for the caller to keep.
   * @param {Info} info
   */
  lend({ dtype, pointer, size }) {
    return this.memory.view(dtype, pointer, size);
  }

  /**
   * @param {string} name of an input of the present layout
   * @param {ArrayLike<number>} data
   */
  write(name, data) {
    this.#elements(this.get(name)).set(data);
  }

  /**
   * From a tensor's first element to its last; the view is kept until the memory grows.
   * @param {Info} info
   */
  #elements(info) {
    if (info.live.length === 0) {
      const extent = info.shape.reduce((end, length, axis) => end + (length - 1) * info.strides[axis], 1);
      info.live = this.memory.view(info.dtype, info.pointer, extent);
    }
    return info.live;
  }

  /**
   * @param {string} name
   * @returns {number} index, negative when there is none
   */
  #search(name) {
    const { struct } = this;
    // A longer or a foreign-letter name exists in no model.
    if (name.length >= STRUCT_BYTES - NAME_AT || !/^[\x21-\x7e]+$/.test(name)) return -1;
    this.memory.write(
      'uint8',
      struct,
      Array.from(`${name}\0`, (letter) => letter.charCodeAt(0)),
    );
    return this.functions.gf_model_find(this.id, struct);
  }

  /**
   * @param {number} index
   * @returns {Info}
   */
  #info(index) {
    const { struct } = this;
    checked(this.functions.gf_model_tensor(struct, this.id, index), 'tensor', index);
    const [pointer, type, region, rank, ...sizes] = this.memory.view('uint32', struct, NAME_AT / 4);
    const name = this.memory.text(struct + NAME_AT);
    const shape = sizes.slice(0, rank);
    const strides = sizes.slice(4, 4 + rank);
    return {
      name,
      dtype: DTYPES[type],
      region: name.startsWith('grad.') ? 'gradient' : (REGIONS[region] ?? 'intermediate'),
      shape,
      strides,
      pointer,
      dense: shape.every((size, axis) => size === 1 || strides[axis] === product(shape.slice(axis + 1))),
      size: product(shape),
      live: NO_VIEW,
    };
  }
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
