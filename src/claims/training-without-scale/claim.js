import { makeReverse } from 'glassformer/tasks';
import { outcomeOf, settingsOf } from '../shared/claim.js';
import { median } from '../shared/numbers.js';
import { overTrainings, percent, shareRight, train, withModel } from '../shared/train.js';

const [STEPS, EARLY, EVERY] = [400, 200, 25];
/** The share of digits below which we call a seed stuck. */
const LEARNT = 0.9;

/** @type {import('../shared/claim.js').Claim} */
export const claim = {
  number: 2,
  name: 'Training without the scale 1/√d_k',
  sentence: 'Without the division by √d_k the softmax saturates and learning comes to a halt.',
  saidBy: 'Lectures; section 3.2.1 of the paper only suspects small gradients',
  literature: {
    for: ['Vaswani et al. 2017, “Attention Is All You Need”, section 3.2.1'],
    against: [
      'Raffel et al. 2020, “Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer” ' +
        '(T5): no such division, smaller initial weights instead',
    ],
  },
  why:
    'Scores √d_k times as large make the softmax nearly one-hot at first: its gradients are small, but not 0. Adam ' +
    'divides by their size, which makes up for much of it.',
  limits:
    'One head and one layer that reverse 8 digits in 400 steps of Adam. Below 90 % of the digits we call a seed ' +
    'stuck: that cutoff is ours.',
  quotes: ['To counteract this effect, we scale the dot products by 1/√d_k.'],
  choices: [
    { label: 'Without the scale the model never learns to reverse digits.', verdict: 'true' },
    { label: 'Some seeds get stuck.', verdict: 'it depends' },
    { label: 'It learns all the same, later if at all.', verdict: 'false' },
  ],
  guess: { name: 'unscaledEarly', from: 0, to: 1 },
  inputs: [
    { name: 'd_k', label: 'd_k, width of the head', values: [16, 32, 64, 128], default: 64 },
    { name: 'learningRate', label: 'Learning rate', values: [2e-3, 5e-3, 1e-2, 2e-2], default: 2e-3 },
  ],
  long: true,
  seeded: true,
  expected: [
    {
      name: 'scaledEarly',
      label: `Digits right at step ${EARLY}, scaled`,
      range: [0.95, 1],
      tolerance: { absolute: 0.02 },
      share: true,
    },
    {
      name: 'unscaledEarly',
      label: `Digits right at step ${EARLY}, unscaled`,
      range: [0.26, 0.97],
      tolerance: { absolute: 0.02 },
      share: true,
    },
    {
      name: 'scaledSteps',
      label: 'Steps to 99 %, scaled (∞: not reached)',
      at: { d_k: 16, learningRate: 5e-3 },
      range: [225, 325],
      tolerance: { absolute: EVERY },
    },
    {
      name: 'unscaledSteps',
      label: 'Steps to 99 %, unscaled (∞: not reached)',
      at: { d_k: 16, learningRate: 5e-3 },
      range: [200, 400],
      tolerance: { absolute: EVERY },
    },
  ],
  // Of five seeds two are stuck without it, none with it; at 2e-2 all five are, and one with it.
  contrast: { d_k: 32, learningRate: 1e-2 },
  boundary: {
    x: { name: 'd_k', label: 'd_k', values: [16, 32, 64, 128] },
    y: { name: 'learningRate', label: 'Learning rate', values: [2e-3, 5e-3, 1e-2, 2e-2] },
    measure: { name: 'unscaledShare', label: 'Digits right at the end without the scale' },
    seeds: 1,
  },
};

/** @type {import('../shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { d_k, learningRate, seeds } = settingsOf(claim, params);
  const task = makeReverse({ length: 8 });
  return overTrainings(
    seeds,
    2 * STEPS,
    async (seed, step) => {
      const heldOut = task.heldOut(seed, { count: 256 }).map(({ batch }) => batch);
      const learn = (/** @type {boolean} */ scoreScale) =>
        withModel(gf, { ...task.config, d_model: d_k, heads: 1, scoreScale, seed }, async (model) => {
          const all = task.batches(seed);
          let [early, steps, share] = [NaN, Infinity, 0];
          const curve = /** @type {number[]} */ ([]);
          const after = (/** @type {number} */ at) => {
            if (at % EVERY > 0) return false;
            share = heldOut.reduce((sum, batch) => sum + shareRight(model, batch), 0) / heldOut.length;
            curve.push(share);
            if (at === EARLY) early = share;
            if (share >= 0.99) steps = Math.min(steps, at);
            return at >= EARLY && steps < Infinity;
          };
          await train(model.trainer({ ...task.trainer, learningRate }), () => all.next().value, STEPS, step, after);
          return { early, steps, share, curve };
        });
      const [scaled, unscaled] = [await learn(true), await learn(false)];
      return {
        scaledEarly: scaled.early,
        unscaledEarly: unscaled.early,
        scaledSteps: scaled.steps,
        unscaledSteps: unscaled.steps,
        scaledShare: scaled.share,
        unscaledShare: unscaled.share,
        scaledCurve: scaled.curve,
        unscaledCurve: unscaled.curve,
      };
    },
    onProgress,
    signal,
    (lists) => ({ ...lists, every: EVERY }),
  );
}

/** @type {import('../shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  (numbers) => {
    const of = numbers.unscaledShare.length;
    const [scaled, unscaled] = [stuck(numbers.scaledShare), stuck(numbers.unscaledShare)];
    const verdict = unscaled === of && scaled === 0 ? 'true' : unscaled > scaled ? 'it depends' : 'false';
    return { verdict, found: learning(numbers) };
  },
  learning,
);

/** Seeds that are below the cutoff at the end. @param {number[]} shares */
const stuck = (shares) => shares.filter((share) => share < LEARNT).length;

/** @param {any} numbers */
function learning({ scaledEarly, unscaledEarly, scaledSteps, unscaledSteps, scaledShare, unscaledShare }) {
  const count = `below ${percent(LEARNT)} of the digits at step ${STEPS}`;
  const [scaled, unscaled] = [stuck(scaledShare), stuck(unscaledShare)];
  if (scaled + unscaled > 0)
    return `Seeds ${count}: ${unscaled} of ${unscaledShare.length} without the scale, ${scaled} with it.`;
  const later = median(unscaledSteps) > median(scaledSteps);
  return (
    `No seed is ${count}. Without the scale learning is ${later ? 'slower' : 'no slower'}: at step ${EARLY} ` +
    `${percent(unscaledEarly)} of the digits are right, with it ${percent(scaledEarly)}.`
  );
}
