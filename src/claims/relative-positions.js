import { outcomeOf, settingsOf, verdictOf } from './shared/claim.js';
import { inTrain } from './shared/explore.js';
import { median, randomOf, say } from './shared/numbers.js';
import { bySeed, given, marks } from './shared/picture.js';
import { DIGITS, batchOf, lookBack, readerOf } from './shared/rows.js';
import { overTrainings, percent, recipeOf, shareRight, train, withModel } from './shared/train.js';

const [TRAINED, LONG] = [16, 48];
const BOTH = '16 and 48';
const RATE = 5e-3;
const ROWS = 64;
const BATCH = 32;
const STEPS = 250;
const EVERY = 10;
/** The share of answers from which on we say that it is learned, and the share of steps that is “easier”. */
const [LEARNED, EASIER] = [0.9, 0.8];
const BACK = 3;
const POSITIONS = /** @type {const} */ (['sinusoidal', 'learned', 'none']);
const NAMES = ['sinusoids', 'a learned table', 'none'];
const SHARE = { tolerance: { absolute: 0.1 }, share: true };
const COUNT = { tolerance: { relative: 0.3 } };

/** @type {import('./shared/claim.js').Claim} */
export const claim = {
  number: 35,
  name: 'Relative positions from sinusoids',
  sentence: 'Sinusoidal positions make it easy to attend by relative position.',
  saidBy: 'Zhang et al. 2023, “Dive into Deep Learning”, section “Relative Positional Information”',
  source: 'https://d2l.ai/chapter_attention-mechanisms-and-transformers/self-attention-and-positional-encoding.html',
  experiment:
    'Decoders of one attention layer and width 32 learn on rows of 16 and of 48 digits to say the digit 3 places ' +
    'back: with sinusoids, a learned table, or no positions. Then they are asked at as many new places.',
  sketch: {
    input: ['16 or 48 digits', 'then twice as many'],
    stacks: [{ name: 'decoder', layers: 1, parts: ['attention, causal: 2'] }],
    output: 'the digit 3 places back',
    width: 32,
    steps: STEPS,
  },
  literature: {
    for: ['Vaswani et al. 2017, “Attention Is All You Need”, section 3.5'],
    against: [
      'Shaw et al. 2018, “Self-Attention with Relative Position Representations”',
      'Press et al. 2022, “Train Short, Test Long” (ALiBi)',
    ],
  },
  why:
    'PE(pos + k) is a rotation of PE(pos), so one linear map of queries serves all places; a table learns each place ' +
    'for itself, which takes longer the more there are. Beyond the trained places nothing asks for the rotation.',
  limits:
    'One small decoder, one task. 90 % right is our cutoff, and “easier” is a fifth fewer steps in the median seed. ' +
    'With rotary positions the offset is in the score itself: that is another card.',
  overturn: 'A table that learns long rows as soon as sinusoids, or sinusoids that work at places never trained.',
  quotes: [
    {
      text: 'allows a model to easily learn to attend by relative positions',
      from: 'Zhang et al. 2023, section “Relative Positional Information”',
    },
    {
      text: 'we hypothesized it would allow the model to easily learn to attend by relative positions',
      from: 'Vaswani et al. 2017, section 3.5',
    },
  ],
  choices: [
    { label: 'It learns sooner than a table, and works at new places.', verdict: 'true' },
    { label: 'It learns sooner in long rows only, and fails at new places.', verdict: 'it depends' },
    { label: 'It does not learn the offset.', verdict: 'false' },
  ],
  guess: { name: 'sinusoidalNew', from: 0, to: 1 },
  inputs: [
    { name: 'back', label: 'Places back', values: [1, BACK, 6], default: BACK },
    { name: 'length', label: 'Trained length', values: [BOTH, TRAINED, LONG, 96], default: BOTH },
  ],
  scales: [
    { name: 'length', label: 'Trained length', values: [TRAINED, 32, LONG] },
    { name: 'learningRate', label: 'Learning rate', values: [RATE, 1e-2], default: RATE },
    { name: 'back', label: 'Places back', values: [1, BACK] },
  ],
  long: true,
  seeded: true,
  expected: [
    { name: 'sinusoidalRight', label: 'Sinusoids: right at trained places', range: [1, 1], ...SHARE },
    { name: 'learnedRight', label: 'Learned table: right at trained places', range: [1, 1], ...SHARE },
    { name: 'noneRight', label: 'No positions: right at trained places', range: [0.28, 0.32], ...SHARE },
    { name: 'sinusoidalSteps', label: 'Sinusoids: steps until 90 % are right', range: [110, 130], ...COUNT },
    { name: 'learnedSteps', label: 'Learned table: steps until 90 % are right', range: [110, 130], ...COUNT },
    {
      name: 'sinusoidalLongSteps',
      label: '48 places, sinusoids: steps until 90 % are right',
      range: [130, 160],
      ...COUNT,
    },
    {
      name: 'learnedLongSteps',
      label: '48 places, learned table: steps until 90 % are right',
      range: [200, 240],
      ...COUNT,
    },
    { name: 'sinusoidalLongNew', label: '48 places, sinusoids: right at new places', range: [0.2, 0.354], ...SHARE },
    { name: 'sinusoidalNew', label: 'Sinusoids: right at new places', range: [0.21, 0.44], ...SHARE },
    { name: 'learnedNew', label: 'Learned table: right at new places', range: [0.1, 0.13], ...SHARE },
  ],
  contrast: { back: 1 },
};

/** @type {import('./shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { length, seeds, ...settings } = settingsOf(claim, params);
  const first = length === BOTH ? TRAINED : length;
  const lengths = length === BOTH ? [TRAINED, LONG] : [length];
  return overTrainings(
    seeds,
    (2 * lengths.length + 1) * STEPS,
    async (seed, step) => {
      /** @type {Record<string, any>} */
      const numbers = {};
      for (const trained of lengths)
        for (const positions of trained === first ? POSITIONS : POSITIONS.slice(0, -1)) {
          const found = await learn(gf, { ...settings, trained, positions, seed }, step);
          const name = trained === first ? positions : `${positions}Long`;
          for (const [ending, value] of Object.entries(found)) numbers[`${name}${ending}`] = value;
        }
      return numbers;
    },
    onProgress,
    signal,
  );
}

/**
 * @param {import('./shared/train.js').Engine} gf
 * @param {{back: number, positions: string, seed: number, trained: number, learningRate: number}} of
 * @param {() => Promise<void>} step
 */
const learn = (gf, { back, positions, seed, trained, learningRate }, step) =>
  withModel(gf, readerOf({ layers: 1, positions, maxLength: 2 * trained, seed }), async (model) => {
    const random = randomOf(seed, claim.name);
    const row = lookBack(back);
    const heldOut = batchOf(random, row, trained, ROWS);
    const beyond = batchOf(random, row, 2 * trained, ROWS, trained);
    const curve = [shareRight(model, heldOut)];
    const next = () => batchOf(random, row, trained, BATCH);
    await train(model.trainer(recipeOf(learningRate, STEPS)), next, STEPS, step, (at) => {
      if (at % EVERY === 0) curve.push(shareRight(model, heldOut));
    });
    const first = curve.findIndex((share) => share >= LEARNED);
    return {
      Curve: curve,
      Steps: first < 0 ? Infinity : first * EVERY,
      Right: curve[curve.length - 1],
      New: shareRight(model, beyond),
    };
  });

/** @type {import('./shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  (numbers) => ({
    verdict: verdictOf([
      median(numbers.sinusoidalRight) >= LEARNED,
      ...['', 'Long'].flatMap((length) =>
        given(numbers[`sinusoidal${length}Steps`], () => [isEasier(numbers, length)]),
      ),
      median(numbers.sinusoidalNew) >= LEARNED,
    ]),
    on: 'the length, and on whether the place was trained',
    found: found(numbers),
  }),
  (numbers, { back, length }) =>
    `Trained on ${length} places, ${back} ${back === 1 ? 'place' : 'places'} back. ${found(numbers)}`,
);

/** @param {any} numbers @param {string} length '' or 'Long' */
function isEasier(numbers, length) {
  const [steps, ofTable] = ['sinusoidal', 'learned'].map((name) => median(numbers[`${name}${length}Steps`]));
  return steps < Infinity && steps <= EASIER * ofTable;
}

/** @param {any} numbers */
const found = (numbers) =>
  `90 % are right after ${say(numbers.sinusoidalSteps)} steps with sinusoids and ${say(numbers.learnedSteps)} with a ` +
  `learned table` +
  (numbers.sinusoidalLongSteps
    ? ` at ${TRAINED} places, after ${say(numbers.sinusoidalLongSteps)} and ${say(numbers.learnedLongSteps)} at ${LONG}`
    : '') +
  `; without positions ${percent(numbers.noneRight)} in the end. At new places: ` +
  `${percent(numbers.sinusoidalNew)} with sinusoids, ${percent(numbers.learnedNew)} with a table.`;

/** @type {import('./shared/explore.js').MatchingOf} */
export const matching = ({ seed }) =>
  inTrain(
    { task: 'induction', positions: 'sinusoidal', seed, step: STEPS },
    'another task of places, letters that repeat; positions are a switch there',
  );

/** @type {import('./shared/picture.js').PictureOf} */
export const picture = (numbers, params) => [
  ...['', 'Long'].flatMap((length) =>
    given(numbers[`sinusoidal${length}Curve`], () => [
      /** @type {import('./shared/picture.js').Curves} */ ({
        kind: 'curves',
        title: `Right at the ${length ? LONG : numbers.sinusoidalLongCurve ? TRAINED : params.length} trained places`,
        x: { title: 'step', low: 0 },
        y: { title: 'share right', low: 0, high: 1, percent: true },
        series: NAMES.slice(0, length ? -1 : undefined).map((name) => ({ name })),
        lines: POSITIONS.flatMap((positions, s) =>
          given(numbers[`${positions}${length}Curve`], () =>
            bySeed(params, s, numbers[`${positions}${length}Curve`], (i) => i * EVERY, { dots: false }),
          ),
        ),
        levels: [{ name: 'our cutoff', at: LEARNED }],
      }),
    ]),
  ),
  {
    kind: 'rows',
    title: 'Right where no training was',
    note: 'As many places as were trained, behind them.',
    x: { title: 'share right', low: 0, high: 1, percent: true },
    rows: POSITIONS.map((positions, s) => ({ label: NAMES[s], marks: marks(params, numbers[`${positions}New`]) })),
    levels: [{ name: 'by chance', at: 1 / DIGITS }],
  },
];
