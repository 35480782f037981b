import { outcomeOf, settingsOf, sharesWithin, verdictOf } from './shared/claim.js';
import { inTrain } from './shared/explore.js';
import { median, randomOf } from './shared/numbers.js';
import { bySeed, given } from './shared/picture.js';
import { DIGITS, batchOf, digits, lookBack, readerOf, recall } from './shared/rows.js';
import { overTrainings, percent, recipeOf, shareRight, train, trained, withModel } from './shared/train.js';

const TRAINED = 16;
const LENGTHS = [TRAINED, 2 * TRAINED, 4 * TRAINED, 8 * TRAINED];
const BACK = 3;
/** Lengths that a sentence names, in those of the training. */
const TIMES = [1, 2, 8];
const ROWS = 64;
const BATCH = 32;
/** The share of answers from which on we say that it works. */
const WORKS = 0.9;
const INTERPOLATED = 'rotary, interpolated';

/** @type {Record<string, {name: string, layers: number, row: import('./shared/rows.js').MakeRow}>} */
const TASKS = {
  [`digit ${BACK} back`]: { name: 'back', layers: 1, row: lookBack(BACK) },
  'value of a key': { name: 'key', layers: 2, row: recall },
  'first digit': { name: 'first', layers: 1, row: digits((ids) => ids[0]) },
};
const BOTH = 'both';
const DEFAULT = Object.keys(TASKS).slice(0, 2);

const share = sharesWithin(0.05);

/** @type {import('./shared/claim.js').Claim} */
export const claim = {
  number: 25,
  name: 'Rotary positions beyond the trained length',
  sentence: 'A model with rotary positions (RoPE) extrapolates: it works on texts longer than those of its training.',
  saidBy: 'Su et al. 2021, “RoFormer: Enhanced Transformer with Rotary Position Embedding”, abstract',
  experiment:
    'Decoders of width 32 learn on rows of 16 to say the digit 3 places back (one layer), or the value of a key that ' +
    'was there before (two layers). Then they read rows of 32, 64 and 128, whose last 16 places are scored.',
  sketch: {
    input: ['16 digits', 'then 128'],
    stacks: [{ name: 'decoder, rotary', layers: 2, parts: ['attention: 2'] }],
    output: 'the digit 3 back, a key’s value',
    width: 32,
    steps: 400,
  },
  literature: {
    for: ['Su et al. 2021, “RoFormer: Enhanced Transformer with Rotary Position Embedding”'],
    against: [
      'Press et al. 2022, “Train Short, Test Long” (ALiBi)',
      'Chen et al. 2023, “Extending Context Window of Large Language Models via Positional Interpolation”',
      'Kazemnejad et al. 2023, “The Impact of Positional Encoding on Length Generalization in Transformers”',
    ],
  },
  why:
    'A score depends on the distance, but distances above 15 were never trained: slow pairs reach angles that are ' +
    'new, and a far digit may look like the wanted one. And each key more takes its share of the softmax.',
  limits:
    'Small models of attention alone, 400 steps. 90 % in the median seed is our cutoff. Interpolated angles (Chen et ' +
    'al.) need more training, which these do not get.',
  overturn: 'A task of places, trained on short rows, that rotary positions solve as well at eight times the length.',
  quotes: [
    {
      text: 'RoPE enables valuable properties, including the flexibility of sequence length',
      from: 'Su et al. 2021, abstract',
    },
  ],
  choices: [
    { label: 'Both tasks work at twice and eight times the trained length.', verdict: 'true' },
    { label: 'That depends on the task and on how much longer the text is.', verdict: 'it depends' },
    { label: 'Both fail already at twice the length.', verdict: 'false' },
  ],
  guess: { name: 'back2', from: 0, to: 1 },
  inputs: [
    {
      name: 'positions',
      label: 'Positions',
      values: ['rotary', INTERPOLATED, 'sinusoidal', 'learned', 'none'],
      default: 'rotary',
      controls: ['sinusoidal', 'learned', 'none'],
    },
    { name: 'task', label: 'Say', values: [BOTH, ...Object.keys(TASKS)], default: BOTH },
  ],
  scales: [
    { name: 'trainedLength', label: 'Trained length', values: [8, TRAINED, 32], default: TRAINED },
    { name: 'learningRate', label: 'Learning rate', values: [2e-3, 5e-3, 1e-2], default: 5e-3 },
    { name: 'd_model', label: 'Width d_model', values: [16, 32, 64], default: 32 },
  ],
  long: true,
  seeded: true,
  expected: [
    share('back1', '3 back: right at the trained length', [1, 1]),
    share('back2', '3 back: right at twice the length', [0.63, 0.89], {}, 0.1),
    share('back8', '3 back: right at eight times the length', [0.11, 0.24]),
    share('key1', 'Value of a key: right at the trained length', [1, 1]),
    share('key2', 'Value of a key: right at twice the length', [0.958, 0.998]),
    share('key8', 'Value of a key: right at eight times the length', [0.47, 0.81], {}, 0.1),
    share('back2', '3 back, sinusoids: right at twice the length', [0.18, 0.47], { positions: 'sinusoidal' }, 0.1),
    share('back2', '3 back, interpolated: right at twice the length', [0.084, 0.112], { positions: INTERPOLATED }),
    share('first2', 'First digit: right at twice the length', [0.2, 0.45], { task: 'first digit' }, 0.1),
  ],
  contrast: { positions: 'sinusoidal' },
};

const STEPS = 400;

/** @type {import('./shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { positions, task, seeds, ...sizes } = settingsOf(claim, params);
  const tasks = task === BOTH ? DEFAULT : [task];
  return overTrainings(
    seeds,
    STEPS * tasks.length,
    async (seed, step) => {
      /** @type {Record<string, any>} */
      const numbers = {};
      for (const one of tasks) {
        const shares = await measure(gf, one, { ...sizes, positions }, seed, step);
        const { name } = TASKS[one];
        numbers[`${name}Curve`] = shares;
        shares.forEach((share, i) => (numbers[`${name}${LENGTHS[i] / TRAINED}`] = share));
      }
      return numbers;
    },
    onProgress,
    signal,
  );
}

/**
 * The shares of right answers by length.
 * @param {import('./shared/train.js').Engine} gf
 * @param {string} task
 * @param {{positions: any, trainedLength: number, d_model: number, learningRate: number}} settings
 * @param {number} seed
 * @param {() => Promise<void>} step
 */
async function measure(gf, task, { positions, trainedLength, d_model, learningRate }, seed, step) {
  const { layers, row } = TASKS[task];
  const random = randomOf(seed, `${claim.name}, ${task}`);
  const lengths = LENGTHS.map((length) => (length / TRAINED) * trainedLength);
  const heldOut = lengths.map((length) => batchOf(random, row, length, ROWS, trainedLength));
  const config = readerOf({
    layers,
    positions: positions === INTERPOLATED ? 'rotary' : positions,
    maxLength: lengths[lengths.length - 1],
    d_model,
    seed,
  });
  const model = await trained(gf, config, (one) =>
    train(one.trainer(recipeOf(learningRate, STEPS)), () => batchOf(random, row, trainedLength, BATCH), STEPS, step),
  );
  try {
    const shares = [];
    for (const batch of heldOut) {
      const factor = batch.ids.shape[1] / trainedLength;
      shares.push(
        positions === INTERPOLATED && factor > 1
          ? await withModel(gf, { ...config, ropeScaling: 'linear', ropeFactor: factor }, (slowed) => {
              slowed.loadWeights(Object.fromEntries(model.weights()));
              return shareRight(slowed, batch);
            })
          : shareRight(model, batch),
      );
    }
    return shares;
  } finally {
    model.free();
  }
}

/** @type {import('./shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  (numbers) => ({
    verdict: verdictOf(
      [numbers.back2, numbers.key2, numbers.back8, numbers.key8].map((shares) => median(shares) >= WORKS),
    ),
    on: 'the task and how much longer the text is',
    found: found(numbers),
  }),
  (numbers, { positions }) => `With positions ${positions}. ${found(numbers)}`,
);

/** @param {any} numbers */
const found = (numbers) =>
  Object.entries(TASKS)
    .flatMap(([task, { name }]) => given(numbers[`${name}Curve`], () => [sharesOf(numbers, task, name)]))
    .join(' ');

/** @param {any} numbers @param {string} task @param {string} name */
function sharesOf(numbers, task, name) {
  const [own, ...longer] = TIMES.map((times) => `${percent(numbers[`${name}${times}`])} at ${TRAINED * times}`);
  const capital = task.replace(/^./, (first) => first.toUpperCase());
  return `${capital}: ${own.replace(' at', ' are right at length')}, ${longer.join(', ')}.`;
}

/** @type {import('./shared/explore.js').MatchingOf} */
export const matching = ({ positions, seed }) =>
  inTrain(
    { task: 'induction', positions: positions === INTERPOLATED ? 'rotary' : positions, seed, step: STEPS },
    'another task of places, letters that repeat, with these positions at the trained length',
  );

/** @type {import('./shared/picture.js').PictureOf} */
export const picture = (numbers, params) => [
  {
    kind: 'curves',
    title: `Right answers in the last ${TRAINED} places`,
    note: `Trained on rows of ${TRAINED}.`,
    x: { title: 'length of the text', log: true, ticks: LENGTHS },
    y: { title: 'share right', low: 0, high: 1, percent: true },
    series: Object.entries(TASKS).flatMap(([task, { name }]) => given(numbers[`${name}Curve`], () => [{ name: task }])),
    lines: Object.values(TASKS)
      .flatMap(({ name }) => given(numbers[`${name}Curve`], () => [numbers[`${name}Curve`]]))
      .flatMap((lists, s) => bySeed(params, s, lists, (i) => LENGTHS[i])),
    levels: [
      { name: 'by chance', at: 1 / DIGITS },
      { name: 'our cutoff', at: WORKS },
    ],
  },
];
