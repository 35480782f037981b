// Trains a dictionary of features: a wide feed-forward network with top-k learns to rebuild a model's activations.
import { GlassformerError } from '../errors.js';
import { Model, handleOf } from '../engine/model.js';
import { calls, engines } from '../engine/named.js';
import { readSelector } from '../engine/selector.js';
import { turnOf } from '../engine/turns.js';
import { callback, integer, maybe, number, optional, readOptions } from '../arrays/tensor.js';
import { Corpus } from './corpus.js';
import { Features } from './features.js';
import { CORPUS, idsOf, meanOf, vectorsOf } from './read-corpus.js';

/** @typedef {import('./corpus.js').Places} Places */
/** @typedef {import('../arrays/tensor.js').Tensor} FloatTensor */

/**
 * A training under way.
 * @typedef {object} FeaturesProgress
 * @property {number} step taken, from 1
 * @property {number} steps of all
 * @property {number} unexplained of the last batch: the share of its variance that is not rebuilt
 * @property {() => Promise<Features>} features as they are at this step; without corpus
 */

/**
 * @typedef {object} TrainFeaturesOptions
 * @property {import('../engine/selector.js').Selector} at the place whose vectors are rebuilt: a tensor of a row for
 *   each token, such as `{ layer: 1, node: 'ffn', role: 'activation' }` or 'decoder.layers.1.out'
 * @property {readonly string[]} [texts] that the model reads; its tokenizer makes ids of them
 * @property {readonly import('../arrays/tensor.js').Ints[]} [ids] the same as ids of each text; one of both is needed
 * @property {number} [features] how many; default twice the width of the vectors
 * @property {number} [active] of them at each token, at most; default 6, or all where there are fewer
 * @property {number} [steps] default 2000
 * @property {number} [batch] vectors of a step; default 256
 * @property {number} [learningRate] of Adam; default 0.003
 * @property {number} [seed] of weights, batches and the held-out part, 0 to 4294967295; default 0
 * @property {number} [heldOut] share of the texts that training does not see, above 0 and below 1; default 0.3
 * @property {(progress: FeaturesProgress) => unknown} [onProgress] called after each step, and awaited; false ends the
 *   training
 * @property {import('../engine/generate.js').Signal} [signal] an AbortSignal: aborted, it rejects with its reason
 */

/** Rows of a pass of the dictionary: some megabytes of activations. */
const PASS = 4096;

const READERS = {
  at: readSelector,
  ...CORPUS,
  features: maybe(integer(1, 1 << 20)),
  active: maybe(integer(1, 1 << 20)),
  steps: optional(integer(1, 1e9), 2000),
  batch: optional(integer(1, 1 << 20), 256),
  learningRate: optional(number(0, 1e6), 0.003),
  onProgress: maybe(callback),
};

/**
 * Trains a dictionary on the vectors that a model has at one place, over some texts: z = top-k(W₁x + b₁) of many
 * features, of which each token keeps `active`, and x ≈ W₂z + b₂. W₂ begins as W₁ᵀ; Adam lessens the mean of
 * ‖x − W₂z − b₂‖² over batches drawn from the training part, whose mean and length are taken out before and put back
 * after. The dictionary computes with the model's own vectors. The same bits here and in a worker, on every machine.
 * Cunningham et al. 2023; Bricken et al. 2023; Gao et al. 2024, section 2.3.
 * @param {import('../engine/model.js').Model<any> | import('../worker/remote-types.js').RemoteModel<any>} model an
 *   encoder or a decoder
 * @param {TrainFeaturesOptions} options
 * @returns {Promise<Features>}
 * @throws {GlassformerError} type, missing, unknown, range; config for a model with two stacks; shape for a place
 *   without a row for each token; memory; as `model.trace`
 * @example
 * import { load } from 'glassformer';
 * import { trainFeatures } from 'glassformer/features';
 * const gf = await load();
 * const model = gf.createModel({ kind: 'decoder', vocabulary: 10, d_model: 8, heads: 2, layers: 1, head: 'tied' });
 * const ids = Array.from({ length: 40 }, (_, i) => [i % 7, (3 * i) % 9, i % 4, 5]);
 * const features = await trainFeatures(model, { at: { layer: 0 }, ids, features: 12, active: 2, steps: 100 });
 * features.size; // → 12
 * features.unexplained < 0.5; // → true
 */
export async function trainFeatures(model, options) {
  const given = readOptions(options, READERS);
  given.signal?.throwIfAborted();
  const rows = await idsOf(model, given, 'trainFeatures');
  const { vectors, width, places } = await vectorsOf(model, rows, given);
  const norm = normOf(vectors, width, places);
  const named = typeof options.at === 'string' ? options.at : given.at;
  const size = given.features ?? 2 * width;
  const active = given.active ?? Math.min(6, size);
  if (active > size) throw new GlassformerError('range', 'active', active, `must be 1 to features = ${size}`);
  const config = { kind: 'feed-forward', d_model: width, d_ff: size, activation: 'top-k', active, seed: given.seed };
  const layer = await makeLayer(model, config);
  try {
    const finish = async (/** @type {object} */ more) =>
      new Features({ ...specOf(await layer.weights(), norm, { width, size, active }), at: named, ...more });
    const taken = await rebuild(
      layer,
      norm.scaled(vectors, (i) => places.heldOut[i] === 0),
      width,
      given,
      finish,
    );
    const found = await corpusOf(
      layer,
      norm.scaled(vectors, () => true),
      width,
      places,
      { size, active },
    );
    const { batch, learningRate, seed, heldOut } = given;
    const how = { steps: taken, batch, learningRate, seed, heldOut };
    const facts = { unexplained: found.unexplained, alive: found.alive, ...how };
    return await finish({ facts, corpus: found.corpus });
  } finally {
    await layer.free();
  }
}

/** @param {any} model @param {object} config */
const makeLayer = async (model, config) =>
  calls.has(model)
    ? /** @type {any} */ (engines.get(model))().createModel(config)
    : new Model(handleOf(model).core, /** @type {any} */ (config));

/**
 * The training part's mean and length: the root of the mean squared length of its vectors without their mean.
 * @param {Float32Array} vectors @param {number} width @param {Places} places
 */
function normOf(vectors, width, { heldOut }) {
  const mean = meanOf(vectors, heldOut, width);
  const count = heldOut.filter((isHeld) => !isHeld).length;
  let squares = 0;
  for (let r = 0; r < heldOut.length; r++) {
    for (let i = 0; i < width && !heldOut[r]; i++) squares += (vectors[r * width + i] - mean[i]) ** 2;
  }
  const scale = Math.sqrt(squares / count) || 1;
  /** @param {Float32Array} all @param {(row: number) => boolean} isWanted */
  const scaled = (all, isWanted) => {
    const wanted = [];
    for (let r = 0; r < heldOut.length; r++) if (isWanted(r)) wanted.push(r);
    const to = new Float32Array(wanted.length * width);
    wanted.forEach((r, n) => {
      for (let i = 0; i < width; i++) to[n * width + i] = (all[r * width + i] - mean[i]) / scale;
    });
    return to;
  };
  return { mean, scale, scaled };
}

/**
 * The training itself.
 * @param {any} layer
 * @param {Float32Array} data of the training part
 * @param {number} width
 * @param {any} given
 * @param {(more: object) => Promise<Features>} finish
 * @returns {Promise<number>} steps taken
 */
async function rebuild(layer, data, width, { steps, batch, learningRate, seed, onProgress, signal }, finish) {
  const weights = await layer.weights();
  const first = /** @type {FloatTensor} */ (weights.get('linear1.weight'));
  const [size] = first.shape;
  const second = new Float32Array(size * width);
  for (let n = 0; n < size; n++) for (let i = 0; i < width; i++) second[i * size + n] = first.data[n * width + i];
  await layer.loadWeights({
    'linear1.weight': first,
    'linear1.bias': { data: new Float32Array(size), shape: [size] },
    'linear2.weight': { data: second, shape: [width, size] },
    'linear2.bias': { data: new Float32Array(width), shape: [width] },
  });
  const trainer = await layer.trainer({ loss: 'mse', optimizer: 'adam', learningRate, seed });
  await trainer.data({ data, shape: [data.length / width, width] });
  const reports = await trainer.train((/** @type {number} */ step) => (step < steps ? { draw: batch } : undefined), {
    signal,
    // The vectors' mean squared length is 1, so that the loss, a mean over numbers, times their count is the share.
    onProgress:
      onProgress &&
      ((/** @type {import('../engine/trainer.js').StepReport} */ { step, loss }) =>
        onProgress({ step, steps, unexplained: loss * width, features: () => finish({}) })),
  });
  return reports.length;
}

/**
 * The layer as a dictionary of the model's own vectors: x without mean and length goes into W₁, both come back in W₂.
 * @param {Map<string, FloatTensor>} weights
 * @param {{mean: Float64Array, scale: number}} norm
 * @param {{width: number, size: number, active: number}} sizes
 * @returns {import('./features.js').Spec}
 */
function specOf(weights, { mean, scale }, { width, size, active }) {
  const of = (/** @type {string} */ name) => /** @type {FloatTensor} */ (weights.get(name)).data;
  const [w1, b1, w2, b2] = ['linear1.weight', 'linear1.bias', 'linear2.weight', 'linear2.bias'].map(of);
  const [encoder, decoder] = [new Float32Array(width * size), new Float32Array(size * width)];
  const encoderBias = new Float32Array(size);
  for (let n = 0; n < size; n++) {
    let shift = 0;
    for (let i = 0; i < width; i++) {
      encoder[i * size + n] = w1[n * width + i] / scale;
      decoder[n * width + i] = w2[i * size + n] * scale;
      shift += (w1[n * width + i] * mean[i]) / scale;
    }
    encoderBias[n] = b1[n] - shift;
  }
  const decoderBias = Float32Array.from(b2, (each, i) => mean[i] + scale * each);
  const arrays = { encoder, encoderBias, decoder, decoderBias };
  return { architecture: 'topk', k: active, width, size, ...arrays, subtractsBias: false, normalize: 'none' };
}

/**
 * The activities of each feature over the whole corpus, and what of the held-out part it rebuilds.
 * @param {any} layer
 * @param {Float32Array} data all vectors, scaled
 * @param {number} width
 * @param {Places} places
 * @param {{size: number, active: number}} sizes
 */
async function corpusOf(layer, data, width, places, { size, active }) {
  const corpus = new Corpus(places, size, active);
  const count = places.text.length;
  let [missed, all] = [0, 0];
  let turn = Date.now();
  for (let from = 0; from < count; from += PASS) {
    const rows = Math.min(PASS, count - from);
    const vectors = { data: data.subarray(from * width, (from + rows) * width), shape: [rows, width] };
    const trace = await layer.trace({ vectors, capture: true });
    const { data: values } = await trace.tensor('ffn.activation');
    const { data: rebuilt } = await trace.output;
    await trace.free();
    for (let r = 0; r < rows; r++) {
      corpus.add(values.subarray(r * size, (r + 1) * size));
      for (let i = r * width; places.heldOut[from + r] && i < (r + 1) * width; i++) {
        missed += (vectors.data[i] - rebuilt[i]) ** 2;
        all += vectors.data[i] ** 2;
      }
    }
    turn = await turnOf(turn);
  }
  const alive = corpus.activities().map(({ places: found }) => found.length > 0);
  return { corpus, alive, unexplained: all ? missed / all : 0 };
}
