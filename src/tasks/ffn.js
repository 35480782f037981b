import { byStep, seekable } from './batch.js';
import { GlassformerError } from '../js/errors.js';
import { choice, integer, options, seedOf } from './check.js';
import { predictOf } from './predict.js';
import { Random } from './random.js';
import { isLearned } from './task.js';

/** @typedef {import('./batch.js').Floats} Floats */
/** @typedef {import('./predict.js').ModelLike} ModelLike */
/** @typedef {import('./batch.js').VectorBatch} VectorBatch */
/** @typedef {import('./scores.js').Tensor} Tensor */

/**
 * Runs an FFN on vectors; a promise will do.
 * @typedef {(batch: VectorBatch) => {output: Tensor} | Promise<{output: Tensor}>} PredictVectors
 */

const POINTS = /** @type {const} */ ([
  [0, 0],
  [0, 1],
  [1, 0],
  [1, 1],
]);
const GATES = {
  and: (/** @type {number} */ a, /** @type {number} */ b) => Number(a === 1 && b === 1),
  xor: (/** @type {number} */ a, /** @type {number} */ b) => Number(a !== b),
};

/** A gate counts as learnt below this mean squared error. */
const EXACT = 1e-3;

/** The largest error of a point that is shown as right. */
const NEAR = 0.1;

/** The settings of Kingma and Ba 2015, "Adam", which these recipes leave as they are. */
const ADAM = /* @__PURE__ */ Object.freeze({
  optimizer: 'adam',
  beta1: 0.9,
  beta2: 0.999,
  epsilon: 1e-8,
  weightDecay: 0,
  clip: 0,
  warmup: 0,
  loss: 'mse',
});

/**
 * @param {number} width C
 * @param {number} hidden
 * @param {'relu' | 'none'} activation
 */
const configOf = (width, hidden, activation) =>
  Object.freeze({
    kind: 'feed-forward',
    d_model: width,
    d_ff: integer(hidden, 1, 4096, 'hidden'),
    activation: choice(activation, ['relu', 'none'], 'activation'),
  });

/**
 * @param {readonly (readonly number[])[]} inputs of equal length C
 * @param {(input: readonly number[]) => readonly number[]} target
 * @returns {VectorBatch} [1, inputs, C]
 */
function batchOf(inputs, target) {
  const shape = [1, inputs.length, inputs[0].length];
  return {
    vectors: { data: Float32Array.from(inputs.flat()), shape },
    labels: { data: Float32Array.from(inputs.flatMap(target)), shape: [...shape] },
  };
}

/**
 * One point of a batch in numbers, with a prediction also what came out and whether it is near enough.
 * @param {VectorBatch} batch
 * @param {number} row which point
 * @param {{output: Tensor}} [prediction] of that batch
 * @returns {{input: number[], labels: number[], predicted?: number[], right?: boolean[]}}
 */
function showPoint({ vectors, labels }, row, prediction) {
  const width = vectors.shape[2];
  const at = (/** @type {ArrayLike<number>} */ data) => Array.from({ length: width }, (_, i) => data[row * width + i]);
  const shown = { input: at(vectors.data), labels: at(labels.data) };
  if (!prediction) return shown;
  const predicted = at(prediction.output.data);
  return { ...shown, predicted, right: predicted.map((value, i) => Math.abs(value - shown.labels[i]) < NEAR) };
}

/**
 * All of the data at every step, as these tasks have little.
 * @param {number} seed only checked: every batch is the same
 * @param {() => VectorBatch} make
 * @returns {Generator<VectorBatch, never, void>}
 */
function endless(seed, make) {
  seedOf(seed);
  return (function* () {
    for (;;) yield make();
  })();
}

/**
 * @param {PredictVectors | ModelLike} model
 * @param {VectorBatch} batch
 * @returns {Promise<{error: number, largest: number, classified: number, output: number[]}>} mean
 *   squared error, largest error, share of the values on the right side of 1/2
 */
async function compare(model, batch) {
  const { output } = await predictOf(model)(batch);
  const { data } = batch.labels;
  if (output?.data?.length !== data.length) {
    throw new GlassformerError(
      'shape',
      'predict(...).output',
      output?.shape,
      `must have shape [${batch.labels.shape.join(', ')}]`,
    );
  }
  const values = Array.from(output.data);
  const errors = values.map((value, i) => value - data[i]);
  return {
    error: errors.reduce((sum, e) => sum + e * e, 0) / errors.length,
    largest: errors.reduce((most, e) => Math.max(most, Math.abs(e)), 0),
    classified: values.filter((value, i) => value > 0.5 === data[i] > 0.5).length / values.length,
    output: values,
  };
}

/**
 * An FFN alone learns a logical gate of two inputs, 0 or 1. Both of its outputs are to be the
 * gate's. There are only four points, so nothing can be held out. With activation `none` it finds
 * the best plane: error 1/16 for AND, 1/4 for XOR. Twelve neurons, as all 40 seeds measured then find the
 * gate; of 8 so many die that one seed finds no AND, five no XOR.
 * @param {{gate?: 'and' | 'xor', hidden?: number, activation?: 'relu' | 'none'}} [given] default and, 12, relu
 * @example
 * import { makeGate } from 'glassformer/tasks';
 * makeGate({ gate: 'xor' }).batches(1).next().value.labels.data; // → [0, 0, 1, 1, 1, 1, 0, 0]
 */
export function makeGate(given = {}) {
  const { gate, hidden, activation } = options(given, {
    gate: /** @type {'and' | 'xor'} */ ('and'),
    hidden: 12,
    activation: /** @type {'relu' | 'none'} */ ('relu'),
  });
  const rule = GATES[choice(gate, ['and', 'xor'], 'gate')];
  const make = () => batchOf(POINTS, ([a, b]) => [rule(a, b), rule(a, b)]);
  const batches = (/** @type {number} */ seed) => endless(seed, make);
  const about = Object.freeze({
    title: gate === 'and' ? 'AND, by an FFN alone' : 'XOR, by an FFN alone',
    goal: gate === 'and' ? 'Say 1 where both inputs are 1, else 0.' : 'Say 1 where the inputs differ, else 0.',
    solved:
      'Neurons whose kinks cut the plane of the two inputs, so that the surface lies on all four points. ' +
      'Without ReLU it stays a plane, which cannot.',
    measure: 'error',
    atMost: EXACT,
    steps: 400,
  });
  return {
    name: gate,
    about,
    kind: /** @type {const} */ ('feed-forward'),
    config: configOf(2, hidden, activation),
    trainer: Object.freeze({ ...ADAM, learningRate: 3e-2, schedule: 'constant', steps: 400 }),
    batchSize: POINTS.length,

    batches: seekable(batches),
    batch: byStep(batches),

    /** @param {number} [seed] only checked */
    heldOut(seed = 0) {
      seedOf(seed);
      return make();
    },

    /**
     * @param {PredictVectors | ModelLike} model
     * @param {VectorBatch} [heldOut]
     */
    async score(model, heldOut = make()) {
      const score = await compare(model, heldOut);
      return { ...score, exact: score.error < EXACT };
    },

    /** @param {{error: number}} score */
    isLearned: (score) => isLearned(about, score),
    show: showPoint,
  };
}

/** x from low to high, evenly. */
const grid = (/** @type {number} */ count, low = -1, high = 1) =>
  Array.from({ length: count }, (_, i) => [low + ((high - low) * i) / (count - 1)]);

/**
 * An FFN alone learns x^2 on [-1,1] from 256 points: N ReLU neurons make at most N kinks, and no
 * broken line with N kinks comes closer than h^2/8, h = 2/(N+1). Held out are points between.
 * @param {{hidden?: number}} [given] default 8
 * @example
 * import { makeSquare } from 'glassformer/tasks';
 * makeSquare().config.kind; // → 'feed-forward'
 */
export function makeSquare(given = {}) {
  const { hidden } = options(given, { hidden: 8 });
  const config = configOf(1, hidden, 'relu');
  const square = (/** @type {readonly number[]} */ [x]) => [x * x];
  const step = 2 / (hidden + 1);
  const between = () => batchOf(grid(255, -254 / 255, 254 / 255), square);
  const batches = (/** @type {number} */ seed) => endless(seed, () => batchOf(grid(256), square));
  const about = Object.freeze({
    title: 'x², by an FFN alone',
    goal: 'Say x² for x from −1 to 1.',
    solved: 'A broken line along the parabola: each neuron makes one kink. Outside [−1, 1] it goes on straight.',
    measure: 'largest',
    atMost: NEAR,
    steps: 1500,
  });
  return {
    name: 'square',
    about,
    kind: /** @type {const} */ ('feed-forward'),
    config,
    trainer: Object.freeze({ ...ADAM, learningRate: 2e-2, schedule: 'linear', floor: 0, steps: 1500 }),
    batchSize: 256,

    /** The largest error of the best broken line with so many kinks. */
    bestError: step ** 2 / 8,

    /**
     * The first layer that the recipe starts from: neurons that face left or right, W1 = +-1, their
     * kinks inside [-1,1]. `even` puts them at equal distances, so that few neurons do not all die.
     * @param {number} seed
     * @param {{even?: boolean}} [how]
     * @returns {Record<'linear1.weight' | 'linear1.bias', Floats>} to load with strict: false
     */
    initial(seed, how = {}) {
      const { even } = options(how, { even: false });
      const random = new Random(seedOf(seed), 'square weights');
      const weight = Float32Array.from({ length: hidden }, () => (random.chance(0.5) ? 1 : -1));
      const bias = weight.map((sign, i) => (even ? -sign * (-1 + (i + 1) * step) : 2 * random.uniform() - 1));
      return {
        'linear1.weight': { data: weight, shape: [hidden, 1] },
        'linear1.bias': { data: bias, shape: [hidden] },
      };
    },

    batches: seekable(batches),
    batch: byStep(batches),

    /** @param {number} [seed] only checked */
    heldOut(seed = 0) {
      seedOf(seed);
      return between();
    },

    /**
     * @param {PredictVectors | ModelLike} model
     * @param {VectorBatch} [heldOut]
     */
    score: (model, heldOut = between()) => compare(model, heldOut),

    /** @param {{largest: number}} score */
    isLearned: (score) => isLearned(about, score),
    show: showPoint,
  };
}

export const and = /* @__PURE__ */ makeGate({ gate: 'and' });
export const xor = /* @__PURE__ */ makeGate({ gate: 'xor' });
export const square = /* @__PURE__ */ makeSquare();
