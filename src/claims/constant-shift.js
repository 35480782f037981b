import { outcomeOf, settingsOf, verdictOf } from './shared/claim.js';
import { largest, largestDifference, normal, randomOf, say, smallest } from './shared/numbers.js';
import { marks } from './shared/picture.js';
import { overSeeds } from './shared/steps.js';

const KEYS = 64;

/** @type {import('./shared/claim.js').Claim} */
export const claim = {
  number: 24,
  name: 'A constant added to all scores',
  sentence: 'A constant added to all scores of a row changes no attention weight.',
  saidBy: 'Lectures, of softmax',
  experiment: 'A softmax over 64 rows of 64 random scores. Then the same with 5 added to each score.',
  literature: { for: ['Vaswani et al. 2017, “Attention Is All You Need”, section 3.2.1'], against: [] },
  why: 'The constant is a factor of each exponential, and of their sum.',
  limits: 'Rounding: a large constant takes digits from the scores.',
  choices: [
    { label: 'The weights are the same but for rounding.', verdict: 'true' },
    { label: 'The largest weight of a row stays, its size does not.', verdict: 'it depends' },
    { label: 'They change.', verdict: 'false' },
  ],
  inputs: [
    { name: 'added', label: 'Added to', values: ['all keys', 'one key'], default: 'all keys', controls: ['one key'] },
  ],
  seeded: true,
  expected: [
    { name: 'difference', label: 'Largest change of a weight', range: [0, 1e-6], tolerance: { absolute: 1e-6 } },
  ],
  contrast: { added: 'one key' },
};

/** @type {import('./shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { added, seeds } = settingsOf(claim, params);
  return overSeeds(
    seeds,
    (seed) => {
      const scores = normal(randomOf(seed, claim.name), [KEYS, KEYS], 3);
      const shifted = {
        ...scores,
        data: scores.data.map((x, i) => (added === 'all keys' || i % KEYS === 0 ? x + 5 : x)),
      };
      const [before, after] = [gf.softmax(scores), gf.softmax(shifted)];
      const [best, now] = [gf.argmax(before).data, gf.argmax(after).data];
      return {
        difference: largestDifference(before.data, after.data),
        stays: best.filter((at, row) => at === now[row]).length / KEYS,
      };
    },
    onProgress,
    signal,
  );
}

/** @type {import('./shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  ({ difference, stays }) => ({
    verdict: verdictOf([largest(difference) <= 2e-6, smallest(stays) === 1]),
    on: 'what is compared',
    found: `The largest change of a weight is ${say(largest(difference))}.`,
  }),
  ({ difference }) => `Added to one key alone, weights change by up to ${say(largest(difference))}.`,
);

/** @type {import('./shared/picture.js').PictureOf} */
export const picture = ({ difference }, params) => [
  {
    kind: 'rows',
    title: 'Largest change of a weight',
    x: { title: 'change', log: true, low: 1e-9, high: 1 },
    rows: [{ label: 'with the constant', marks: marks(params, difference) }],
    levels: [{ name: 'allowed', at: 2e-6 }],
  },
];
