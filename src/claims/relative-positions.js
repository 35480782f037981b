import { outcomeOf, settingsOf, verdictOf } from './shared/claim.js';
import { inTrain } from './shared/explore.js';
import { median, randomOf, say } from './shared/numbers.js';
import { bySeed, marks } from './shared/picture.js';
import { DIGITS, batchOf, lookBack, readerOf } from './shared/rows.js';
import { overTrainings, percent, recipeOf, shareRight, train, withModel } from './shared/train.js';

const TRAINED = 16;
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
    'Decoders of one attention layer and width 32 learn on rows of 16 digits to say the digit 3 places back: with ' +
    'sinusoids, with a learned table, without positions. Then they are asked at the places 17 to 32, which are new.',
  sketch: {
    input: ['16 digits', 'then 32'],
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
    'PE(pos + k) is a rotation of PE(pos), so one linear map of queries serves all places. Training asks for it at ' +
    '16 places only: a map that is right there, as a learned table gives, satisfies it too.',
  limits:
    'One small decoder, one task, one learning rate. 90 % right is our cutoff, and “easier” is a fifth fewer steps. ' +
    'With rotary positions the offset is in the score itself: that is another card.',
  overturn: 'Sinusoids that learn an offset in clearly fewer steps than a table, or keep it at places never trained.',
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
    { label: 'It learns no sooner, and works at the trained places only.', verdict: 'it depends' },
    { label: 'It does not learn the offset.', verdict: 'false' },
  ],
  guess: { name: 'sinusoidalNew', from: 0, to: 1 },
  inputs: [{ name: 'back', label: 'Places back', values: [1, BACK, 6], default: BACK }],
  long: true,
  seeded: true,
  expected: [
    { name: 'sinusoidalRight', label: 'Sinusoids: right at trained places', range: [1, 1], ...SHARE },
    { name: 'learnedRight', label: 'Learned table: right at trained places', range: [1, 1], ...SHARE },
    { name: 'noneRight', label: 'No positions: right at trained places', range: [0.28, 0.32], ...SHARE },
    { name: 'sinusoidalSteps', label: 'Sinusoids: steps until 90 % are right', range: [110, 130], ...COUNT },
    { name: 'learnedSteps', label: 'Learned table: steps until 90 % are right', range: [110, 130], ...COUNT },
    { name: 'sinusoidalNew', label: 'Sinusoids: right at new places', range: [0.21, 0.44], ...SHARE },
    { name: 'learnedNew', label: 'Learned table: right at new places', range: [0.1, 0.13], ...SHARE },
  ],
  contrast: { back: 1 },
};

/** @type {import('./shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { back, seeds } = settingsOf(claim, params);
  return overTrainings(
    seeds,
    POSITIONS.length * STEPS,
    async (seed, step) => {
      /** @type {Record<string, any>} */
      const numbers = {};
      for (const positions of POSITIONS) {
        const { steps, right, beyond, curve } = await learn(gf, { back, positions, seed }, step);
        Object.assign(numbers, {
          [`${positions}Steps`]: steps,
          [`${positions}Right`]: right,
          [`${positions}New`]: beyond,
          [`${positions}Curve`]: curve,
        });
      }
      return numbers;
    },
    onProgress,
    signal,
  );
}

/**
 * @param {import('./shared/train.js').Engine} gf
 * @param {{back: number, positions: string, seed: number}} settings
 * @param {() => Promise<void>} step
 */
const learn = (gf, { back, positions, seed }, step) =>
  withModel(gf, readerOf({ layers: 1, positions, maxLength: 2 * TRAINED, seed }), async (model) => {
    const random = randomOf(seed, claim.name);
    const row = lookBack(back);
    const heldOut = batchOf(random, row, TRAINED, ROWS);
    const beyond = batchOf(random, row, 2 * TRAINED, ROWS, TRAINED);
    const curve = [shareRight(model, heldOut)];
    const next = () => batchOf(random, row, TRAINED, BATCH);
    await train(model.trainer(recipeOf(5e-3, STEPS)), next, STEPS, step, (at) => {
      if (at % EVERY === 0) curve.push(shareRight(model, heldOut));
    });
    const first = curve.findIndex((share) => share >= LEARNED);
    return {
      curve,
      steps: first < 0 ? Infinity : first * EVERY,
      right: curve[curve.length - 1],
      beyond: shareRight(model, beyond),
    };
  });

/** @type {import('./shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  (numbers) => ({
    verdict: verdictOf([
      median(numbers.sinusoidalRight) >= LEARNED,
      median(numbers.sinusoidalSteps) <= EASIER * median(numbers.learnedSteps),
      median(numbers.sinusoidalNew) >= LEARNED,
    ]),
    on: 'whether the place was trained',
    found: found(numbers),
  }),
  (numbers, { back }) => `With ${back} ${back === 1 ? 'place' : 'places'} back. ${found(numbers)}`,
);

/** @param {any} numbers */
const found = (numbers) =>
  `Right at trained places: ${percent(numbers.sinusoidalRight)} with sinusoids after ` +
  `${say(numbers.sinusoidalSteps)} steps, ${percent(numbers.learnedRight)} with a learned table after ` +
  `${say(numbers.learnedSteps)}, ${percent(numbers.noneRight)} without. At new places: ` +
  `${percent(numbers.sinusoidalNew)} with sinusoids, ${percent(numbers.learnedNew)} with a table.`;

/** @type {import('./shared/explore.js').MatchingOf} */
export const matching = ({ seed }) =>
  inTrain(
    { task: 'induction', positions: 'sinusoidal', seed, step: STEPS },
    'another task of places, letters that repeat; positions are a switch there',
  );

/** @type {import('./shared/picture.js').PictureOf} */
export const picture = (numbers, params) => [
  {
    kind: 'curves',
    title: `Right at the ${TRAINED} trained places`,
    x: { title: 'step', low: 0 },
    y: { title: 'share right', low: 0, high: 1, percent: true },
    series: NAMES.map((name) => ({ name })),
    lines: POSITIONS.flatMap((positions, s) =>
      bySeed(params, s, numbers[`${positions}Curve`], (i) => i * EVERY, { dots: false }),
    ),
    levels: [{ name: 'our cutoff', at: LEARNED }],
  },
  {
    kind: 'rows',
    title: 'Right where no training was',
    note: `The places ${TRAINED + 1} to ${2 * TRAINED}.`,
    x: { title: 'share right', low: 0, high: 1, percent: true },
    rows: POSITIONS.map((positions, s) => ({ label: NAMES[s], marks: marks(params, numbers[`${positions}New`]) })),
    levels: [{ name: 'by chance', at: 1 / DIGITS }],
  },
];
