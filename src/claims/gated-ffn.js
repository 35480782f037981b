import { makeFacts, makeReverse } from 'glassformer/tasks';
import { outcomeOf, settingsOf, verdictOf } from './shared/claim.js';
import { inTrain } from './shared/explore.js';
import { median, randomOf, say, sineOf } from './shared/numbers.js';
import { marks, range } from './shared/picture.js';
import { dataOf, overTrainings, recipeOf, train, withModel } from './shared/train.js';

const GATED = 'SwiGLU';
const UNGATED = 'SiLU without gate';
/** The replacements for the plain network with ReLU. */
const NETWORKS = /** @type {Record<string, any>} */ ({
  [GATED]: { ffn: 'gated', activation: 'silu' },
  GeGLU: { ffn: 'gated', activation: 'gelu' },
  'gate without activation': { ffn: 'gated', activation: 'none' },
  [UNGATED]: { activation: 'silu' },
});
/** The ratio of losses from which on we say that one is better. */
const BETTER = 0.95;

const NEAR = { tolerance: { absolute: 0.08 } };
const FAR = { tolerance: { factor: 3 } };
const SIDE = 32;
/** An FFN alone that learns a function of two numbers on [−1, 1]². @param {(a: number, b: number) => number} f */
const functionOf = (f) => ({
  config: { kind: 'feed-forward', d_model: 2, d_ff: 24 },
  steps: 400,
  learningRate: 1e-2,
  loss: 'mse',
  data(/** @type {number} */ seed) {
    const random = randomOf(seed, 'gated');
    const axis = range(SIDE).map((i) => (2 * i + 1) / SIDE - 1);
    const batchOf = (/** @type {number[][]} */ points) => {
      const shape = [1, points.length, 2];
      return {
        vectors: { data: Float32Array.from(points.flat()), shape },
        labels: { data: Float32Array.from(points.flatMap(([a, b]) => [f(a, b), f(a, b)])), shape },
      };
    };
    return {
      heldOut: batchOf(axis.flatMap((a) => axis.map((b) => [a, b]))),
      next: () => batchOf(range(64).map(() => [2 * random.uniform() - 1, 2 * random.uniform() - 1])),
    };
  },
});
const facts = makeFacts({ side: 20 });
const reverse = makeReverse({ length: 6 });
/**
 * @type {Record<string, {
 *   name: string, config: any, steps: number, learningRate: number, loss?: string,
 *   data: (seed: number) => {heldOut: any, next: () => any},
 * }>}
 */
const TASKS = {
  '400 facts by heart': {
    name: 'facts',
    config: { ...facts.config, d_model: 16, d_ff: 24 },
    steps: 200,
    learningRate: 3e-3,
    data: (seed) => {
      const batch = facts.batch(0, seed);
      return { heldOut: batch, next: () => batch };
    },
  },
  '6 digits in reverse': {
    name: 'reverse',
    config: { ...reverse.config, d_model: 16, d_ff: 36 },
    steps: 200,
    learningRate: 5e-3,
    data: (seed) => {
      const { heldOut, batches } = dataOf(reverse, seed, 256);
      return { heldOut: heldOut.batch, next: batches() };
    },
  },
  'a·b of two numbers': { name: 'product', ...functionOf((a, b) => a * b) },
  'the larger of two numbers': { name: 'larger', ...functionOf(Math.max) },
  'sin 3a + b²': { name: 'smooth', ...functionOf((a, b) => sineOf(3 * a) + b * b) },
};

/** At whose learning rates `sin 3a + b²` is learned, in multiples of the others’. */
const SMOOTH = { Slow: 0.3, Fast: 3 };

/** Neurons of a gated network, which has three matrices, with about as many parameters as a plain one. */
const neuronsOf = (/** @type {any} */ { ffn }, /** @type {any} */ { d_model, d_ff }) =>
  ffn === 'gated' ? Math.round((d_ff * (2 * d_model + 1)) / (3 * d_model + 2)) : d_ff;

/** @type {import('./shared/claim.js').Claim} */
export const claim = {
  number: 28,
  name: 'Gated feed-forward network',
  sentence: 'A gated feed-forward network (SwiGLU) is better than one with ReLU of as many parameters.',
  saidBy: 'Shazeer 2020, “GLU Variants Improve Transformer”, abstract',
  experiment:
    'Models with an FFN of ReLU, and of SwiGLU with a third fewer neurons, learn five tasks: 400 facts, 6 digits in ' +
    'reverse, and, the FFN alone, a·b, the larger of two numbers, sin 3a + b². The losses of each pair are compared.',
  sketch: {
    input: ['a', 'b'],
    stacks: [{ parts: ['FFN: 24', 'or SwiGLU: 15'] }],
    output: 'a·b, the larger, digits, facts',
  },
  literature: {
    for: [
      'Shazeer 2020, “GLU Variants Improve Transformer”',
      'Dauphin et al. 2017, “Language Modeling with Gated Convolutional Networks”',
    ],
    against: ['Narang et al. 2021, “Do Transformer Modifications Transfer Across Implementations and Applications?”'],
  },
  why:
    '(f(x·W₁) × x·W₃)·W₂: a gate multiplies two linear maps, so a product is near at hand and a corner is not. ReLU ' +
    'has corners, and makes products of many pieces.',
  limits:
    'Small tasks, 200 or 400 steps; the FFN of SwiGLU has as many parameters within 1 %. Shazeer measured the ' +
    'perplexity of language. We call a loss better that is 5 % lower in the median seed.',
  overturn: 'Corners that gates learn as well as ReLU does, or facts that ReLU learns as fast.',
  quotes: [
    {
      text: 'some of them yield quality improvements over the typically-used ReLU or GELU activations',
      from: 'Shazeer 2020, abstract',
    },
  ],
  choices: [
    { label: 'Its loss is lower in all five tasks.', verdict: 'true' },
    { label: 'That depends on what is to be learned, and on the learning rate.', verdict: 'it depends' },
    { label: 'It is lower in none.', verdict: 'false' },
  ],
  guess: { name: 'factsRatio', from: 0.5, to: 1.5 },
  inputs: [
    { name: 'network', label: 'In place of ReLU', values: Object.keys(NETWORKS), default: GATED, controls: [UNGATED] },
    { name: 'rate', label: 'Learning rate, times', values: [0.3, 1, 3], default: 1 },
  ],
  scales: [
    { name: 'rate', label: 'Learning rates, times', values: [0.3, 1, 3] },
    { name: 'size', label: 'Neurons, times', values: [0.5, 1], default: 1 },
  ],
  long: true,
  seeded: true,
  expected: [
    { name: 'factsRatio', label: 'Facts: loss, as a multiple of that of ReLU', range: [0.781, 0.942], ...NEAR },
    { name: 'reverseRatio', label: 'Reversal: loss, as a multiple of that of ReLU', range: [0.899, 2.02], ...FAR },
    { name: 'productRatio', label: 'a·b: loss, as a multiple of that of ReLU', range: [0.0065, 0.04], ...FAR },
    { name: 'smoothRatio', label: 'sin 3a + b²: loss, as a multiple of that of ReLU', range: [0.0208, 0.329], ...FAR },
    { name: 'smoothSlowRatio', label: 'The same at a learning rate of 3e-3', range: [1.06, 1.54], ...FAR },
    { name: 'smoothFastRatio', label: 'The same at a learning rate of 3e-2', range: [0.0835, 1.32], ...FAR },
    { name: 'largerRatio', label: 'The larger: loss, as a multiple of that of ReLU', range: [19.2, 66.2], ...FAR },
    {
      name: 'factsRatio',
      label: 'Facts, no gate: loss, as a multiple of that of ReLU',
      at: { network: UNGATED },
      range: [0.98, 1.03],
      ...NEAR,
    },
  ],
  contrast: { network: UNGATED },
};

/** @type {import('./shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { network, rate, size, seeds } = settingsOf(claim, params);
  return overTrainings(
    seeds,
    2 * Object.values(TASKS).reduce((sum, { steps }) => sum + steps, 2 * TASKS['sin 3a + b²'].steps),
    async (seed, step) => {
      /** @type {Record<string, number>} */
      const numbers = {};
      for (const { name, config, steps, learningRate, loss, data } of Object.values(TASKS)) {
        const sized = { ...config, d_ff: size * config.d_ff };
        const lossOf = (/** @type {any} */ kind, times = rate) =>
          withModel(gf, { ...sized, ...kind, d_ff: neuronsOf(kind, sized), seed }, async (model) => {
            const { heldOut, next } = data(seed);
            const recipe = { ...recipeOf(times * learningRate, steps, 20), ...(loss && { loss }) };
            const trainer = model.trainer(/** @type {any} */ (recipe));
            await train(trainer, next, steps, step);
            return trainer.loss(heldOut).loss;
          });
        const [plain, gated] = [await lossOf({ activation: 'relu' }), await lossOf(NETWORKS[network])];
        Object.assign(numbers, { [`${name}Plain`]: plain, [`${name}Gated`]: gated, [`${name}Ratio`]: gated / plain });
        if (name === 'smooth')
          for (const [how, times] of Object.entries(SMOOTH)) {
            const [slow, other] = [await lossOf({ activation: 'relu' }, times), await lossOf(NETWORKS[network], times)];
            numbers[`smooth${how}Ratio`] = other / slow;
          }
      }
      return numbers;
    },
    onProgress,
    signal,
  );
}

/** @type {import('./shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  (numbers) => ({
    verdict: verdictOf(Object.values(TASKS).map(({ name }) => median(numbers[`${name}Ratio`]) < BETTER)),
    on: 'what is to be learned, and on the learning rate',
    found: found(numbers, GATED),
  }),
  (numbers, { network, rate }) =>
    `${found(numbers, network)}${rate === 1 ? '' : ` The learning rate is ${rate} times the usual one.`}`,
);

/** @param {any} numbers @param {string} network */
const found = (numbers, network) =>
  `The loss with ${network}, as a multiple of that with ReLU: ` +
  `${Object.entries(TASKS)
    .map(([task, { name }]) => `${say(numbers[`${name}Ratio`])} for ${task}`)
    .join(
      '; ',
    )} (${say(numbers.smoothSlowRatio)} at a learning rate of 3e-3, ${say(numbers.smoothFastRatio)} at 3e-2).`;

/** @type {import('./shared/explore.js').MatchingOf} */
export const matching = ({ network, seed }) =>
  inTrain(
    { task: 'reverse', d_model: 16, d_ff: 32, ...NETWORKS[network], seed, step: 200 },
    'this network on Train’s 8 digits in reverse; the plain one with ReLU is a switch there',
  );

/** @type {import('./shared/picture.js').PictureOf} */
export const picture = (numbers, params) => [
  {
    kind: 'rows',
    title: `Loss with ${params.network ?? GATED}, as a multiple of that with ReLU`,
    note: 'Left of 1 it is better, right of 1 ReLU is.',
    x: { title: 'multiple', log: true, low: 1e-3, high: 100 },
    rows: Object.entries(TASKS).map(([label, { name }]) => ({ label, marks: marks(params, numbers[`${name}Ratio`]) })),
    levels: [{ name: 'as good', at: 1 }],
  },
];
