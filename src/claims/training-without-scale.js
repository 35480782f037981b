import { makeReverse } from 'glassformer/tasks';
import { outcomeOf, settingsOf, verdictOf } from './shared/claim.js';
import { inTrain, SAME_RUN } from './shared/explore.js';
import { bySeed, STEP } from './shared/picture.js';
import { overTrainings, percent, shareRight, train, withModel } from './shared/train.js';

const STEPS = 400;
const EARLY = 200;
const EVERY = 25;
/** At both ends of which learning is tried for the sentence. */
const WIDTHS = '16 and 64';
const RATES = '2e-3 and 1e-2';
const ENDS = /** @type {Record<string, number[]>} */ ({ [WIDTHS]: [16, 64], [RATES]: [2e-3, 1e-2] });
/** Of both ends that at which the scale matters. */
const SHOWN = { width: 64, rate: 1e-2 };
/** The share of digits below which we call a seed stuck. */
const LEARNT = 0.9;

/** @typedef {readonly [low: number, high: number]} Range */

/** @param {import('./shared/claim.js').Params} at @param {Range} scaled @param {Range} unscaled */
const early = (at, scaled, unscaled) =>
  /** @type {const} */ ([
    ['scaled', scaled],
    ['unscaled', unscaled],
  ]).map(([name, range]) => ({
    name: `${name}Early`,
    label: `Digits right at step ${EARLY}, ${name}`,
    at,
    range,
    tolerance: { absolute: 0.02 },
    share: true,
  }));

/** @param {import('./shared/claim.js').Params} at @param {Range} scaled @param {Range} unscaled */
const steps = (at, scaled, unscaled) =>
  /** @type {const} */ ([
    ['scaled', scaled],
    ['unscaled', unscaled],
  ]).map(([name, range]) => ({
    name: `${name}Steps`,
    label: `Steps to 99 %, ${name} (∞: not reached)`,
    at,
    range,
    tolerance: { absolute: EVERY },
  }));

/** @type {import('./shared/claim.js').Claim} */
export const claim = {
  number: 2,
  name: 'Training without the scale 1/√d_k',
  sentence: 'Without the division by √d_k the softmax saturates and learning comes to a halt.',
  saidBy: 'Lippe 2024, “UvA Deep Learning Tutorials”, tutorial 6, section “Scaled Dot Product Attention”',
  source:
    'https://uvadlc-notebooks.readthedocs.io/en/latest/tutorial_notebooks/tutorial6/Transformers_and_MHAttention.html',
  experiment:
    'One layer of one head learns to reverse 8 digits in 400 steps: d_k 64 at learning rates 2e-3 and 1e-2, ' +
    'd_k 16 at 1e-2. Each model is trained twice from the same weights, with the division and without.',
  sketch: {
    input: ['3', '8', '1', '…', '5'],
    stacks: [{ name: 'encoder', layers: 1, parts: ['attention, ÷ √d_k or not: 1', 'FFN: 64'] }],
    output: '8 digits in reverse',
    steps: 400,
  },
  literature: {
    for: ['Vaswani et al. 2017, “Attention Is All You Need”, section 3.2.1'],
    against: [
      'Raffel et al. 2020, “Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer” ' +
        '(T5): no such division, smaller initial weights instead',
    ],
  },
  why:
    'Scores √d_k times as large make the softmax nearly one-hot, the more so the wider the head, and its ' +
    'gradients small, but not 0. A large step can make every row one-hot, where hardly any gradient is left.',
  limits:
    'One head, one layer, one task, Adam. (SGD at 0.1 learns in 800 to 1,250 steps without the scale, in ' +
    '1,450 to 1,800 with it.) Stuck: below 90 % of the digits; halted: most seeds stuck without the scale, ' +
    'not with it. Cutoffs are ours.',
  overturn: 'A d_k and a learning rate at which the scale makes every seed fail that learns without it.',
  quotes: [
    {
      text:
        'The gradients through the softmax will be close to zero so that we can’t learn the parameters ' +
        'appropriately.',
      from: 'Lippe 2024, tutorial 6',
    },
    {
      text: 'To counteract this effect, we scale the dot products by 1/√d_k.',
      from: 'Vaswani et al. 2017, section 3.2.1',
    },
  ],
  choices: [
    { label: 'Without the scale most seeds get stuck, whatever the width of the head.', verdict: 'true' },
    { label: 'That depends on d_k and on the learning rate.', verdict: 'it depends' },
    { label: 'It learns all the same.', verdict: 'false' },
  ],
  guess: { name: 'stuck', from: 0, to: 1 },
  inputs: [
    { name: 'd_k', label: 'd_k, width of the head', values: [WIDTHS, 16, 32, 64, 128], default: WIDTHS },
    { name: 'learningRate', label: 'Learning rate', values: [RATES, 2e-3, 5e-3, 1e-2, 2e-2], default: RATES },
  ],
  scales: [
    { name: 'd_k', label: 'd_k, width of the head', values: [16, 64, 128] },
    { name: 'learningRate', label: 'Learning rate', values: [2e-3, 1e-2] },
  ],
  long: true,
  seeded: true,
  expected: [
    { name: 'stuck', label: 'Seeds stuck without the scale, d_k 64 at 1e-2', range: [1, 1], share: true },
    {
      name: 'stuckScaled',
      label: 'Seeds stuck with it, d_k 64 at 1e-2',
      range: [0, 0.2],
      share: true,
      tolerance: { absolute: 0.2 },
    },
    { name: 'stuckAtSmall', label: 'Seeds stuck without the scale, d_k 64 at 2e-3', range: [0, 0], share: true },
    ...early({ d_k: 64, learningRate: 2e-3 }, [0.95, 1], [0.26, 0.981]),
    ...steps({ d_k: 16, learningRate: 5e-3 }, [225, 325], [200, 400]),
  ],
  contrast: { d_k: 128, learningRate: 2e-3 },
  boundary: {
    x: { name: 'd_k', label: 'd_k', values: [16, 32, 64, 128] },
    y: { name: 'learningRate', label: 'Learning rate', values: [2e-3, 5e-3, 1e-2, 2e-2] },
    measure: { name: 'unscaledShare', label: 'Digits right at the end without the scale' },
    twin: { name: 'scaledShare', label: 'The same with the scale' },
    seeds: 1,
  },
};

/**
 * Trainings of a run, of each with and without the scale. The narrowest head at the lowest rate is left out: it is slow
 * with the scale, too.
 * @param {{d_k: any, learningRate: any}} settings
 */
const settingsIn = ({ d_k, learningRate }) =>
  (ENDS[d_k] ?? [d_k])
    .flatMap((width) => (ENDS[learningRate] ?? [learningRate]).map((rate) => ({ width, rate })))
    .slice(d_k === WIDTHS && learningRate === RATES ? 1 : 0);

/** @type {import('./shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { seeds, ...settings } = settingsOf(claim, params);
  const all = settingsIn(settings);
  const task = makeReverse({ length: 8 });
  return overTrainings(
    seeds,
    2 * STEPS * all.length,
    async (seed, step) => {
      const heldOut = task.heldOut(seed, { count: 256 }).map(({ batch }) => batch);
      const learn = (/** @type {typeof all[number]} */ { width, rate }, /** @type {boolean} */ scoreScale) =>
        withModel(gf, { ...task.config, d_model: width, heads: 1, scoreScale, seed }, async (model) => {
          const batches = task.batches(seed);
          let early = NaN;
          let steps = Infinity;
          let share = 0;
          const curve = /** @type {number[]} */ ([]);
          const after = (/** @type {number} */ at) => {
            if (at % EVERY > 0) return false;
            share = heldOut.reduce((sum, batch) => sum + shareRight(model, batch), 0) / heldOut.length;
            curve.push(share);
            if (at === EARLY) early = share;
            if (share >= 0.99) steps = Math.min(steps, at);
            return at >= EARLY && steps < Infinity;
          };
          const trainer = model.trainer({ ...task.trainer, learningRate: rate });
          await train(trainer, () => batches.next().value, STEPS, step, after);
          return { early, steps, share, curve };
        });
      /** @type {Record<string, any>} */
      const numbers = { scaledShares: [], unscaledShares: [], scaledCurves: [], unscaledCurves: [] };
      for (const one of all)
        for (const name of ['scaled', 'unscaled']) {
          const { early, steps, share, curve } = await learn(one, name === 'scaled');
          numbers[`${name}Shares`].push(share);
          numbers[`${name}Curves`].push(curve);
          if (all.length === 1)
            Object.assign(numbers, { [`${name}Early`]: early, [`${name}Steps`]: steps, [`${name}Share`]: share });
        }
      return numbers;
    },
    onProgress,
    signal,
    (lists) => ({ ...lists, ...ends(lists, all), every: EVERY, all: all.map(({ width, rate }) => [width, rate]) }),
  );
}

/**
 * The shares of stuck seeds that the sentence is judged by, in a run of both ends.
 * @param {any} lists
 * @param {ReturnType<typeof settingsIn>} all
 * @returns {Record<string, number>}
 */
function ends({ unscaledShares, scaledShares }, all) {
  if (all.length < 3) return {};
  const shareOf = (/** @type {number[][]} */ shares, /** @type {number} */ at) => stuck(shares, at) / shares.length;
  const large = all.length - 1;
  return {
    stuck: shareOf(unscaledShares, large),
    stuckScaled: shareOf(scaledShares, large),
    stuckAtSmall: shareOf(unscaledShares, large - 1),
  };
}

/** Seeds that are below the cutoff at the end. @param {number[][]} shares by seed @param {number} at which training */
const stuck = (shares, at) => shares.filter((each) => each[at] < LEARNT).length;

/** @type {import('./shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  (numbers) => {
    const seeds = numbers.scaledShares.length;
    const halts = numbers.all.map(
      (/** @type {unknown} */ _, /** @type {number} */ at) =>
        stuck(numbers.unscaledShares, at) > seeds / 2 && stuck(numbers.scaledShares, at) <= seeds / 2,
    );
    return { verdict: verdictOf(halts), on: 'd_k and the learning rate', found: learning(numbers) };
  },
  learning,
);

/** @param {any} numbers */
function learning({ all, scaledShares, unscaledShares, ...numbers }) {
  const of = scaledShares.length;
  const counts = all.map(
    (/** @type {[number, number]} */ [width, rate], /** @type {number} */ at) =>
      `${stuck(unscaledShares, at)} without the scale and ${stuck(scaledShares, at)} with it (d_k ${width}, rate ` +
      `${rate})`,
  );
  const [unscaled, scaled] = [numbers.unscaledEarly, numbers.scaledEarly].map((shares) => percent(shares));
  return (
    `Of ${of} seeds, below ${percent(LEARNT)} of the digits at step ${STEPS}: ${counts.join('; ')}.` +
    (all.length > 1
      ? ''
      : ` At step ${EARLY} ${unscaled} of the digits are right without the scale, ${scaled} with it.`)
  );
}

/** @type {import('./shared/explore.js').MatchingOf} */
export const matching = ({ d_k, learningRate, seed }) => {
  const shown = {
    d_model: typeof d_k === 'number' ? d_k : SHOWN.width,
    learningRate: typeof learningRate === 'number' ? learningRate : SHOWN.rate,
  };
  return inTrain(
    { task: 'reverse', ...shown, heads: 1, scoreScale: false, seed, step: 200 },
    `${SAME_RUN}, at step 200 without the scale (d_k ${shown.d_model}, learning rate ${shown.learningRate})`,
  );
};

/** @type {import('./shared/picture.js').PictureOf} */
export const picture = ({ scaledCurves, unscaledCurves, all, every }, params) =>
  all.map((/** @type {[number, number]} */ [width, rate], /** @type {number} */ at) => ({
    kind: 'curves',
    title: `Held-out digits that are right, d_k ${width}, learning rate ${rate}`,
    note: 'From step 200 on a run ends where 99 % are right.',
    x: STEP,
    y: { title: 'share right', low: 0, high: 1, percent: true },
    series: [{ name: 'unscaled' }, { name: 'scaled by 1/√d_k' }],
    lines: [unscaledCurves, scaledCurves].flatMap((curves, s) =>
      bySeed(
        params,
        s,
        curves.map((/** @type {number[][]} */ each) => each[at]),
        (i) => (i + 1) * every,
      ),
    ),
  }));
