import { makeReverse } from 'glassformer/tasks';
import { outcomeOf, settingsOf, verdictOf } from './shared/claim.js';
import { inTrain } from './shared/explore.js';
import { median } from './shared/numbers.js';
import { given, marks } from './shared/picture.js';
import { learnPoints, pointsOf } from './shared/points.js';
import { dataOf, overTrainings, percent, recipeOf, shareRight, train, withModel } from './shared/train.js';

/** The share of right answers that the other activation may lose or gain for “the same”. */
const SAME = 0.05;
const reverse = makeReverse({ length: 6 });
const NEURONS = 16;
const [SOON, STEPS] = [150, 400];
const RATE = 3e-2;
const BOTH = `${SOON} and ${STEPS}`;
const REVERSE_STEPS = 200;

/**
 * The share of right answers in the end, and the loss.
 * @typedef {{right: number, loss: number}} Learned
 * @typedef {{activation: any, steps: number, learningRate: number, d_ff: number, seed: number}} Settings
 * @typedef {import('./shared/train.js').Engine} Engine
 * @typedef {(gf: Engine, settings: Settings, step: () => Promise<void>) => Promise<Learned>} Learn
 */

/** @param {keyof typeof import('./shared/points.js').POINTS} task @returns {Learn} */
const learnKinds =
  (task) =>
  (gf, { steps, learningRate, ...own }, step) =>
    withModel(gf, { kind: 'feed-forward', d_model: 2, ...own }, (model) =>
      learnPoints(model, pointsOf(task, own.seed), { steps, learningRate }, step),
    );

/** @type {Learn} */
const learnReverse = (gf, { activation, learningRate, seed }, step) =>
  withModel(gf, { ...reverse.config, activation, seed }, async (model) => {
    const { heldOut, batches } = dataOf(reverse, seed, 256);
    const trainer = model.trainer(recipeOf(learningRate / 3, REVERSE_STEPS));
    await train(trainer, batches(), REVERSE_STEPS, step);
    return { right: shareRight(model, heldOut.batch), loss: trainer.loss(heldOut.batch).loss };
  });

/** `isShort`: also tried in fewer steps. @type {Record<string, {name: string, learn: Learn, isShort?: boolean}>} */
const TASKS = {
  'XOR of two signs': { name: 'xor', learn: learnKinds('XOR of two signs'), isShort: true },
  'two moons': { name: 'moons', learn: learnKinds('two moons'), isShort: true },
  '6 digits in reverse': { name: 'reverse', learn: learnReverse },
};
const NAMES = /** @type {Record<string, string>} */ ({ gelu: 'GELU', silu: 'SiLU', none: 'no activation' });
const SHARE = { tolerance: { absolute: 0.05 }, share: true };

/** @type {import('./shared/claim.js').Claim} */
export const claim = {
  number: 32,
  name: 'ReLU or GELU',
  sentence: 'It matters whether the network has ReLU or GELU between its two matrices.',
  saidBy: 'Hendrycks and Gimpel 2016, “Gaussian Error Linear Units (GELUs)”, abstract',
  experiment:
    'The same models learn three tasks with ReLU and with GELU: XOR of two signs and two moons, by an FFN alone of ' +
    '16 neurons, in 150 and in 400 steps, and 6 digits in reverse. What is right after the same steps is compared.',
  sketch: {
    input: ['x', 'y'],
    stacks: [{ parts: ['ReLU or GELU: 16'] }],
    output: 'XOR, two moons, 6 digits in reverse',
  },
  literature: {
    for: [
      'Vaswani et al. 2017, “Attention Is All You Need”, section 3.3: ReLU',
      'Hendrycks and Gimpel 2016, “Gaussian Error Linear Units (GELUs)”',
    ],
    against: ['Narang et al. 2021, “Do Transformer Modifications Transfer Across Implementations and Applications?”'],
  },
  why:
    'GELU(x) = x·Φ(x) is a ReLU with a round corner: both bend the line once in a neuron, so both get there. A round ' +
    'corner must grow sharp first, so GELU is later. Without a bend the network is a linear map.',
  limits:
    'Small tasks. Reversal is the work of attention and needs no activation. Our cutoff: 5 points of what is right ' +
    'in the median seed.',
  overturn: 'A task that one of the two learns and the other does not, however long it trains.',
  quotes: [
    {
      text:
        'find performance improvements across all considered computer vision, natural language processing, and ' +
        'speech tasks',
      from: 'Hendrycks and Gimpel 2016, abstract, of GELU against ReLU and ELU',
    },
  ],
  choices: [
    { label: 'One of them is better in every task, early and late.', verdict: 'true' },
    { label: 'That depends on the task and on how long it trains.', verdict: 'it depends' },
    { label: 'Either will do, in all three tasks, early and late.', verdict: 'false' },
  ],
  inputs: [
    { name: 'other', label: 'Beside ReLU', values: Object.keys(NAMES), default: 'gelu', controls: ['none'] },
    { name: 'steps', label: 'Steps of the FFN alone', values: [BOTH, SOON, STEPS], default: BOTH },
  ],
  scales: [
    { name: 'steps', label: 'Steps of the FFN alone', values: [50, SOON, STEPS, 1000] },
    { name: 'learningRate', label: 'Learning rate', values: [1e-2, RATE, 1e-1], default: RATE },
    { name: 'd_ff', label: 'Neurons', values: [4, 8, NEURONS, 64], default: NEURONS },
  ],
  long: true,
  seeded: true,
  expected: [
    { name: 'xorRelu', label: 'XOR: right with ReLU', range: [1, 1], ...SHARE },
    { name: 'xorOther', label: 'XOR: right with the other', range: [1, 1], ...SHARE },
    { name: 'moonsRelu', label: 'Moons: right with ReLU', range: [0.996, 1], ...SHARE },
    { name: 'moonsOther', label: 'Moons: right with the other', range: [0.996, 1], ...SHARE },
    { name: 'reverseRelu', label: 'Reversal: right with ReLU', range: [1, 1], ...SHARE },
    { name: 'reverseOther', label: 'Reversal: right with the other', range: [1, 1], ...SHARE },
    { name: 'moonsReluSoon', label: 'Moons, 150 steps: right with ReLU', range: [0.996, 1], ...SHARE },
    { name: 'moonsOtherSoon', label: 'Moons, 150 steps: right with the other', range: [0.82, 0.973], ...SHARE },
    { name: 'xorOther', label: 'XOR, no activation: right', at: { other: 'none' }, range: [0.46, 0.524], ...SHARE },
    { name: 'moonsOther', label: 'Moons, no activation: right', at: { other: 'none' }, range: [0.77, 0.85], ...SHARE },
  ],
  contrast: { other: 'none' },
};

/** @type {import('./shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { other, steps, seeds, ...sizes } = settingsOf(claim, params);
  const [most, soon] = steps === BOTH ? [STEPS, SOON] : [steps, 0];
  return overTrainings(
    seeds,
    4 * (most + soon) + 2 * REVERSE_STEPS,
    async (seed, step) => {
      /** @type {Record<string, number>} */
      const numbers = {};
      for (const { name, learn, isShort } of Object.values(TASKS)) {
        const given = { ...sizes, steps: most, seed };
        const relu = await learn(gf, { ...given, activation: 'relu' }, step);
        const changed = await learn(gf, { ...given, activation: other }, step);
        Object.assign(numbers, {
          [`${name}Relu`]: relu.right,
          [`${name}Other`]: changed.right,
          [`${name}Loss`]: relu.loss,
          [`${name}OtherLoss`]: changed.loss,
        });
        if (!soon || !isShort) continue;
        const early = { ...given, steps: soon };
        numbers[`${name}ReluSoon`] = (await learn(gf, { ...early, activation: 'relu' }, step)).right;
        numbers[`${name}OtherSoon`] = (await learn(gf, { ...early, activation: other }, step)).right;
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
    verdict: verdictOf(
      Object.values(TASKS).flatMap(({ name }) =>
        ['', 'Soon'].flatMap((when) =>
          given(numbers[`${name}Relu${when}`], () => [
            Math.abs(median(numbers[`${name}Relu${when}`]) - median(numbers[`${name}Other${when}`])) > SAME,
          ]),
        ),
      ),
    ),
    on: 'the task and on how long it trains',
    found: found(numbers, 'gelu'),
  }),
  (numbers, { other, steps }) =>
    `${steps === BOTH ? '' : `With ${steps} steps of the FFN alone. `}${found(numbers, other)}`,
);

/** @param {any} numbers @param {string} other */
const found = (numbers, other) =>
  `Right with ReLU and with ${NAMES[other]}: ` +
  `${Object.entries(TASKS)
    .map(([task, { name }]) => {
      const pair = (/** @type {string} */ when) =>
        `${percent(numbers[`${name}Relu${when}`])} and ${percent(numbers[`${name}Other${when}`])}`;
      return `${pair('')} of ${task}${numbers[`${name}ReluSoon`] ? ` (after ${SOON} steps ${pair('Soon')})` : ''}`;
    })
    .join('; ')}.`;

/** @type {import('./shared/explore.js').MatchingOf} */
export const matching = ({ other, seed }) =>
  inTrain(
    { task: 'reverse', d_model: 16, d_ff: 32, activation: other, seed, step: 150 },
    'this activation on Train’s 8 digits in reverse; ReLU is a switch there',
  );

/** @type {import('./shared/picture.js').PictureOf} */
export const picture = (numbers, params) => {
  const series = [{ name: 'ReLU' }, { name: NAMES[String(params.other ?? 'gelu')] }];
  return [
    {
      kind: 'rows',
      title: 'Right after the same steps',
      x: { title: 'share right', low: 0, high: 1, percent: true },
      series,
      rows: Object.entries(TASKS).map(([label, { name }]) => ({
        label,
        marks: [...marks(params, numbers[`${name}Relu`], 0), ...marks(params, numbers[`${name}Other`], 1)],
      })),
    },
    {
      kind: 'rows',
      title: 'Loss after the same steps',
      x: { title: 'loss', log: true },
      series,
      rows: Object.entries(TASKS).map(([label, { name }]) => ({
        label,
        marks: [...marks(params, numbers[`${name}Loss`], 0), ...marks(params, numbers[`${name}OtherLoss`], 1)],
      })),
    },
  ];
};
