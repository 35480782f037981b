// FFNs alone, without tokens and attention: training, measuring and showing x², AND and XOR.

import { makeGate, makeSquare } from 'glassformer/tasks';

/**
 * @typedef {import('./measures.js').Model} Model
 * @typedef {import('./recipes.js').Settings} Settings
 *
 * The present output of an FFN. `error`: mean square, `largest`: of held-out points.
 * `curve` (x²): outputs at evenly spaced x; where ReLU neurons have their kinks; outputs at some x far outside; the
 * largest error of the best broken line. `surface` (gates): outputs at the points of a square grid, row by row of the
 * first input; the lines of the neurons' kinks, w₁ a + w₂ b + c = 0, as [w₁, w₂, c]. `neurons`: at some inputs, of the
 * first output.
 * @typedef {{
 *   inputs: number[][], activations: Float32Array, weights: number[][], outgoing: number[], bias: number,
 *   outputs: number[], dead: boolean[],
 * }} Neurons `activations`: [inputs, neurons]; `weights`: into each neuron, its bias last; `outgoing`: from each one to
 * the output, whose own bias is `bias`; `dead`: exactly 0 at each input that is trained on
 * @typedef {{
 *   error: number, largest: number, neurons: Neurons,
 *   curve: {
 *     low: number, high: number, values: number[], kinks: number[], far: [number, number][], best: number,
 *   } | null,
 *   surface: {side: number, values: number[], kinks: number[][]} | null,
 * }} FfnLook
 */

const [LOW, HIGH] = [-2, 2];
const POINTS = 161;
const FAR = [-3, 3];
const SIDE = 21;
const SHOWN = {
  square: [[-1], [-0.5], [0], [0.5], [1]],
  gate: [
    [0, 0],
    [0, 1],
    [1, 0],
    [1, 1],
  ],
};

/**
 * The steps that differ from tasks with rows of tokens. `initial`: weights to begin with, by name; `check`: in it
 * `sequences` is 1 where the function is learnt, else 0.
 * @typedef {{
 *   initial: (settings: Settings) => Record<string, {data: Float32Array, shape: number[]}>,
 *   check: (model: Model) => Promise<Omit<import('./run.js').Check, 'step'>>,
 *   show: (model: Model) => Promise<FfnLook>,
 * }} Ffn
 */

/** @param {'square' | 'and' | 'xor'} name @returns {any} as the other tasks are, but for `ffn` */
function ffnTask(name) {
  const task = name === 'square' ? makeSquare() : makeGate({ gate: name });
  /** @type {Ffn} */
  const ffn = {
    initial: ({ d_ff, seed }) => (name === 'square' ? makeSquare({ hidden: Number(d_ff) }).initial(Number(seed)) : {}),
    async check(model) {
      const score = await task.score(model);
      const sequences = Number(task.isLearned(score));
      return { loss: score.error, sequences, accuracy: score.classified, mass: NaN, chance: NaN, head: '' };
    },
    async show(model) {
      const { error, largest } = await task.score(model);
      const isGate = name !== 'square';
      return {
        error,
        largest,
        neurons: neuronsAt(model, isGate ? SHOWN.gate : SHOWN.square, task.batch(0, 0).vectors),
        curve: isGate ? null : curveOf(model),
        surface: isGate ? surfaceOf(model) : null,
      };
    },
  };
  return { ...task, vocabulary: { words: [], size: 0 }, heldOut: () => [], ffn };
}

export const FFN_TASKS = { square: ffnTask('square'), and: ffnTask('and'), xor: ffnTask('xor') };

/**
 * The first output at each point.
 * @param {Model} model @param {number[][]} points
 */
function outputs(model, points) {
  const width = points[0].length;
  const vectors = { data: Float32Array.from(points.flat()), shape: [1, points.length, width] };
  const { data } = model.forward({ vectors }).output;
  return points.map((_, i) => data[i * width]);
}

/** Of each neuron its weights and its bias. @param {Model} model */
function neuronsOf(model) {
  const { data, shape } = model.tensor('linear1.weight');
  const bias = model.tensor('linear1.bias').data;
  return Array.from(bias, (each, i) => [...data.subarray(i * shape[1], (i + 1) * shape[1]), each]);
}

/** @param {Model} model @param {number[][]} inputs @param {any} trained vectors @returns {Neurons} */
function neuronsAt(model, inputs, trained) {
  const activationsOf = (/** @type {any} */ vectors) => {
    model.forward({ vectors, capture: true });
    return /** @type {Float32Array} */ (model.tensor('ffn.activation').data).slice();
  };
  const weights = neuronsOf(model);
  const count = weights.length;
  const all = activationsOf(trained);
  return {
    inputs,
    activations: activationsOf({ data: Float32Array.from(inputs.flat()), shape: [1, inputs.length, inputs[0].length] }),
    weights,
    outgoing: [...model.tensor('linear2.weight').data.slice(0, count)],
    bias: model.tensor('linear2.bias').data[0],
    outputs: outputs(model, inputs),
    dead: weights.map((_, neuron) => all.every((value, i) => value === 0 || i % count !== neuron)),
  };
}

/** Whether neurons have kinks. @param {Model} model */
const hasKinks = (model) => model.config.activation === 'relu';

/** @param {Model} model @returns {FfnLook['curve']} */
function curveOf(model) {
  const xs = Array.from({ length: POINTS }, (_, i) => [LOW + ((HIGH - LOW) * i) / (POINTS - 1)]);
  const neurons = neuronsOf(model);
  const kinks = hasKinks(model) ? neurons.map(([weight, bias]) => -bias / weight) : [];
  const far = outputs(
    model,
    FAR.map((x) => [x]),
  );
  return {
    low: LOW,
    high: HIGH,
    values: outputs(model, xs),
    kinks: kinks.filter((x) => x > LOW && x < HIGH).sort((a, b) => a - b),
    far: FAR.map((x, i) => [x, far[i]]),
    best: makeSquare({ hidden: neurons.length }).bestError,
  };
}

/** @param {Model} model @returns {FfnLook['surface']} */
function surfaceOf(model) {
  const points = Array.from({ length: SIDE * SIDE }, (_, i) => [
    Math.floor(i / SIDE) / (SIDE - 1),
    (i % SIDE) / (SIDE - 1),
  ]);
  return { side: SIDE, values: outputs(model, points), kinks: hasKinks(model) ? neuronsOf(model) : [] };
}
