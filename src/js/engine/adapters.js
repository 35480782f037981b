// Low-rank adapters (Hu et al. 2021, section 4.1). Fetched when a trainer has some.
import { configured, putSettings, readTrainerSettings } from './config.js';
import { GlassformerError, foreign } from '../errors.js';
import { handleOf } from './model.js';
import { Trainer, noWeight } from './trainer.js';
import { floatArray, integer, listOf, number, optional, readOptions, tensorName } from '../arrays/tensor.js';

/**
 * Low-rank adapters: W = W0 + alpha/rank B A, of which only A [rank, in] and B [out, rank] train. A is drawn from the
 * trainer's seed, uniform within sqrt(3/in); B is 0, so that nothing changes at the start.
 * @typedef {object} Adapters
 * @property {number} rank of B A, 1 or more
 * @property {readonly string[]} [of] matrices that get one: names as `model.tensors()` has them, or what these end
 *   with behind a dot ('linear1.weight'); default `['in_proj_weight']`, the queries, keys and values of every layer.
 *   `rank` times the sum of its sides is at most the size of the matrix
 * @property {number} [alpha] default the rank
 * @property {readonly string[]} [also] weights that train whole beside them, as a new head: names, or what names begin
 *   with up to a dot; default none
 */

/**
 * @typedef {object} Adapter
 * @property {string} name of its matrix
 * @property {number} rows
 * @property {number} columns
 * @property {number} begin of its matrix, in floats from the first weight
 * @property {Float32Array} base W0
 * @property {Float32Array} a
 * @property {Float32Array} b
 */

/** gf_trainer_block's numbers. */
const WEIGHTS = 0;
const GRADIENTS = 1;
const MOMENTS = [2, 3];
/** Of struct step_report, in words: see trainer.js. */
const LOSS = 2;
const NORM = 3;
const COUNT = 4;
const STEP = 5;

const names = listOf(tensorName, 'an array of names');
const READERS = {
  rank: integer(1, 65536),
  of: optional(names, ['in_proj_weight']),
  alpha: optional(number(0, 1e6), 0),
  also: optional(names, /** @type {string[]} */ ([])),
};

/** @param {string} text @returns {number} */
const hashOf = (text) =>
  [...text].reduce((hash, letter) => Math.imul(hash ^ letter.charCodeAt(0), 16777619), -2128831035);

/** Uniform numbers from -1 to 1 by a counter (Steele et al. 2014). @param {number} seed */
function uniform(seed) {
  let state = seed;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let z = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return ((z ^ (z >>> 15)) >>> 0) / 2 ** 31 - 1;
  };
}

/**
 * A trainer of adapters alone, and of weights that train beside them.
 */
class AdaptedTrainer extends Trainer {
  #handle;
  #scale = 1;
  /** Floats that train, from begin up to end. @type {number[][]} */
  #spans = [];
  /** @type {Adapter[]} */
  #adapters = [];

  /**
   * @param {import('./model.js').Model} model
   * @param {any} options
   */
  constructor(model, { adapters, ...options }) {
    const read = readOptions(adapters, READERS, 'adapters.');
    const { rank, of, also } = read;
    const { frozen = [], shards = 1, workers } = options;
    if (frozen.length || shards > 1 || workers !== undefined) {
      const name = frozen.length ? 'frozen' : workers === undefined ? 'shards' : 'workers';
      const why = name === 'frozen' ? 'all weights but adapters.also stay as they are' : 'adapters train in one part';
      throw new GlassformerError('config', name, options[name], `goes not with adapters: ${why}`);
    }
    const handle = handleOf(model);
    const weights = placesOf(handle);
    const chosen = weights.filter(({ name }) => of.some((part) => `.${name}`.endsWith(`.${part}`)));
    for (const part of of) {
      const own = chosen.filter(({ name }) => `.${name}`.endsWith(`.${part}`));
      if (!own.length) throw new GlassformerError('unknown', 'adapters.of', part, 'no weight ends so');
      const { name, shape } = own.find(({ shape }) => shape.length !== 2) ?? { name: '', shape: [] };
      if (name) throw new GlassformerError('shape', 'adapters.of', part, `${name} is no matrix but [${shape}]`);
    }
    const small = chosen.find(({ shape: [rows, columns] }) => rank * (rows + columns) > rows * columns);
    if (small) {
      const why = `is too large for ${small.name} [${small.shape.join(', ')}]: train that whole, by adapters.also`;
      throw new GlassformerError('range', 'adapters.rank', rank, why);
    }
    const isWhole = (/** @type {string} */ name) => also.some((part) => `${name}.`.startsWith(`${part}.`));
    const lost = also.find((part) => !weights.some(({ name }) => `${name}.`.startsWith(`${part}.`)));
    if (lost !== undefined) throw noWeight('adapters.also', lost, weights);
    super(() => handleOf(model), options, model);
    this.#handle = handle;
    const alpha = read.alpha || rank;
    this.#scale = alpha / rank;
    this.settings = Object.freeze({ ...this.settings, adapters: Object.freeze({ rank, of, alpha, also }) });
    const all = handle.block(WEIGHTS);
    this.#adapters = chosen.map(({ name, shape: [rows, columns], begin }) => {
      const draw = uniform(hashOf(name) ^ Number(this.settings.seed));
      const a = Float32Array.from({ length: rank * columns }, () => Math.sqrt(3 / columns) * draw());
      const base = all.slice(begin, begin + rows * columns);
      return { name, rows, columns, begin, base, a, b: new Float32Array(rows * rank) };
    });
    this.#spans = weights.flatMap(({ name, begin, end }) => {
      const own = this.#adapters.find((each) => each.name === name);
      if (own) return [[begin, begin + own.a.length + own.b.length]];
      return isWhole(name) ? [[begin, end]] : [];
    });
    this.#start(this.#spans.flat());
  }

  /** @param {any} self @returns {AdaptedTrainer} */
  static #own(self) {
    if (#handle in Object(self)) return self;
    throw foreign(self, 'a trainer of adapters');
  }

  /**
   * Tells the core which floats train: of an adapted matrix those in which A and B stand during a step.
   * @param {number[]} spans
   */
  #start(spans) {
    const handle = this.#handle;
    const { memory, functions, id } = handle;
    const table = readTrainerSettings(handle);
    memory.withScratch((scratch) => {
      const words = putSettings(handle, scratch, table, /** @type {any} */ (this.settings));
      const place = scratch.put(Int32Array.from([...spans, 0]));
      configured(functions.gf_trainer_start(id, words, place, spans.length / 2), table, this.settings, memory);
    });
  }

  /**
   * A step of A and B: their gradients are made of the matrix's, and the optimiser finds both where the matrix stands.
   * @param {any} batch @param {any} [options] @returns {any}
   */
  step(batch, options) {
    const handle = AdaptedTrainer.#own(this).#handle;
    const { loss, count } = this.gradients(batch, options);
    const { memory, functions, struct, id } = handle;
    handle.pass.changeWeights();
    const before = this.steps;
    const blocks = [WEIGHTS, ...MOMENTS].map((which) => handle.block(which));
    const kept = blocks.map((block) => this.#spans.map(([begin, end]) => block.slice(begin, end)));
    const [weights, gradients] = [blocks[0], handle.block(GRADIENTS)];
    const whole = this.#adapters.map(({ a, b, begin }) => gradients.slice(begin, begin + a.length + b.length));
    for (const each of this.#adapters) {
      const { da, db } = slopesOf(each, gradients, this.#scale);
      weights.set(each.a, each.begin);
      weights.set(each.b, each.begin + each.a.length);
      gradients.set(da, each.begin);
      gradients.set(db, each.begin + da.length);
    }
    const word = struct / 4;
    const { float64, float32, int32 } = memory.heaps;
    float32[word + LOSS] = loss;
    int32[word + COUNT] = count;
    const answer = functions.gf_trainer_apply(struct, id);
    for (const [i, { begin }] of this.#adapters.entries()) gradients.set(whole[i], begin);
    const found = this.#adapters.map(({ a, b, begin, ...others }) => {
      const [middle, end] = [begin + a.length, begin + a.length + b.length];
      const each = { ...others, begin, a: weights.slice(begin, middle), b: weights.slice(middle, end) };
      return { ...each, matrix: merged(each, this.#scale) };
    });
    const bad = found.find(({ matrix }) => !matrix.every(Number.isFinite));
    if (answer < 0 || bad) {
      for (const [i, block] of blocks.entries()) {
        for (const [at, [begin]] of this.#spans.entries()) block.set(kept[i][at], begin);
      }
      functions.gf_trainer_resume(id, before);
      const why = 'a gradient, a weight or a moment would not be finite after this step; no weight was changed';
      throw new GlassformerError('number', bad?.name ?? 'adapters', undefined, why);
    }
    for (const [i, { a, b, begin, matrix }] of found.entries()) {
      this.#adapters[i].a.set(a);
      this.#adapters[i].b.set(b);
      weights.set(matrix, begin);
    }
    const learningRate = float64[struct / 8];
    return { loss, gradientNorm: float32[word + NORM], learningRate, step: int32[word + STEP], count };
  }

  /**
   * The weights without adapters, moments and steps; and A and B of each matrix, one behind the other.
   * @returns {any}
   */
  state() {
    const own = AdaptedTrainer.#own(this).#adapters;
    const state = super.state();
    for (const { base, begin } of own) state.weights.set(base, begin);
    const parts = own.flatMap(({ a, b }) => [...a, ...b]);
    return { ...state, adapters: Float32Array.from(parts) };
  }

  /** @param {any} state @returns {any} */
  resume(state) {
    const own = AdaptedTrainer.#own(this).#adapters;
    const { adapters, ...others } = Object(state);
    const length = own.reduce((sum, { a, b }) => sum + a.length + b.length, 0);
    const read = floatArray(length)(adapters, 'adapters').data;
    super.resume(others);
    const weights = this.#handle.block(WEIGHTS);
    let at = 0;
    for (const each of own) {
      const { a, b, base, begin } = each;
      base.set(weights.subarray(begin, begin + base.length));
      a.set(read.subarray(at, at + a.length));
      b.set(read.subarray(at + a.length, (at += a.length + b.length)));
      weights.set(merged(each, this.#scale), begin);
    }
  }

  /** @returns {never} */
  save() {
    const why = 'the file of a run has no adapters: keep state(), and model.save() for the model with them';
    throw new GlassformerError('unsupported', 'adapters', undefined, why);
  }

  /** @returns {never} */
  restore() {
    const why = 'a snapshot has no adapters: use state() and resume()';
    throw new GlassformerError('unsupported', 'snapshot', undefined, why);
  }
}

/**
 * Where weights lie, in floats from the first.
 * @param {import('./handle.js').Handle} handle
 */
function placesOf(handle) {
  const weights = handle.list().filter(({ region }) => region === 'weight');
  return weights.map(({ name, facts, pointer, size }) => {
    const begin = (pointer - weights[0].pointer) / 4;
    return { name, shape: facts.shape, begin, end: begin + size };
  });
}

/**
 * dA = s B^T dW, dB = s dW A^T, summed in double precision.
 * @param {Adapter} adapter @param {Float32Array} gradients of all weights @param {number} scale
 */
function slopesOf({ rows, columns, begin, a, b }, gradients, scale) {
  const rank = a.length / columns;
  const [da, db] = [new Float64Array(a.length), new Float32Array(b.length)];
  for (let row = 0; row < rows; row++) {
    const from = begin + row * columns;
    for (let k = 0; k < rank; k++) {
      const factor = b[row * rank + k];
      let sum = 0;
      for (let i = 0; i < columns; i++) {
        const slope = gradients[from + i];
        sum += slope * a[k * columns + i];
        da[k * columns + i] += factor * slope;
      }
      db[row * rank + k] = scale * sum;
    }
  }
  return { da: Float32Array.from(da, (each) => scale * each), db };
}

/** W0 + s B A, summed in double precision. @param {Adapter} adapter @param {number} scale */
function merged({ rows, columns, base, a, b }, scale) {
  const rank = a.length / columns;
  const out = new Float32Array(base.length);
  const line = new Float64Array(columns);
  for (let row = 0; row < rows; row++) {
    line.fill(0);
    for (let k = 0; k < rank; k++) {
      const factor = b[row * rank + k];
      for (let i = 0; i < columns; i++) line[i] += factor * a[k * columns + i];
    }
    for (let i = 0; i < columns; i++) out[row * columns + i] = base[row * columns + i] + scale * line[i];
  }
  return out;
}

/**
 * See Model.trainer.
 * @param {import('./model.js').Model} model
 * @param {any} options
 * @returns {Trainer}
 */
export const adapted = (model, options) => new AdaptedTrainer(model, options);
