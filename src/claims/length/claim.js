import { outcomeOf, settingsOf } from '../shared/claim.js';
import { stepper } from '../shared/steps.js';
import { percent } from '../shared/train.js';

const LENGTHS = [16, 64, 256, 1024, 8192];

/**
 * The weight that is known of a number of keys and a gap.
 * @param {number} keys @param {number} gap @param {number} value @param {number} absolute
 * @returns {import('../shared/claim.js').Expected}
 */
const weight = (keys, gap, value, absolute) => ({
  ...{ name: `at${keys}`, label: `Weight among ${keys.toLocaleString('en')} keys`, at: { gap } },
  ...{ range: [value, value], tolerance: { absolute }, share: true },
});

/** @type {import('../shared/claim.js').Claim} */
export const claim = {
  number: 23,
  name: 'Any length',
  sentence:
    'Attention works for sequences of any length: it picks the one matching key, however many others there are.',
  saidBy: 'Lectures',
  literature: {
    for: [
      'Vaswani et al. 2017, “Attention Is All You Need”, section 3.5, of sinusoids: they “may allow the model to ' +
        'extrapolate”',
    ],
    against: [
      'Veličković et al. 2024, “softmax is not enough (for sharp out-of-distribution)”, arXiv:2410.01104',
      'Press et al. 2022, “Train Short, Test Long” (ALiBi)',
    ],
  },
  why: 'The weight is 1 / (1 + (n − 1)·e^{−gap}): with a fixed gap it is below ½ from n > 1 + e^{gap} keys on.',
  limits: 'Trained models: this is arithmetic on one softmax. A model may let the gap grow with the length.',
  quotes: [
    'it may allow the model to extrapolate to sequence lengths longer than the ones encountered during training',
  ],
  choices: [
    { label: 'The matching key keeps most of the weight.', verdict: 'true' },
    { label: 'It loses its weight to the others as they grow in number.', verdict: 'false' },
    { label: 'That depends on how many keys there are.', verdict: 'it depends' },
  ],
  guess: { name: 'at1024', from: 0, to: 1 },
  inputs: [{ name: 'gap', label: 'By how much its score is above the others', values: [3, 5, 9, 15], default: 5 }],
  seeded: false,
  expected: [
    weight(16, 5, 0.908, 5e-4),
    weight(1024, 5, 0.127, 5e-4),
    weight(8192, 5, 0.0178, 1e-4),
    { name: 'half', label: 'Keys from which on it has less than half', range: [150, 150] },
    weight(16, 9, 0.998, 5e-4),
    weight(1024, 9, 0.888, 5e-4),
    weight(8192, 9, 0.497, 5e-4),
  ],
  contrast: { gap: 15 },
  boundary: {
    x: { name: 'length', label: 'Keys', values: LENGTHS },
    y: { name: 'gap', label: 'Gap', values: [3, 5, 9, 15] },
    measure: { name: 'at', label: 'Weight of the matching key', isNamedByX: true },
    seeds: 1,
  },
};

/** @type {import('../shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { gap } = settingsOf(claim, params);
  const step = stepper(LENGTHS.length, onProgress, signal);
  /** @type {Record<string, number>} */
  const numbers = {};
  const gaps = /** @type {number[]} */ (claim.inputs[0].values);
  const byGap = gaps.map(() => /** @type {number[]} */ ([]));
  for (const length of LENGTHS) {
    await step();
    gaps.forEach((one, i) => {
      const x = new Float32Array(length);
      x[length >> 1] = one;
      byGap[i].push(gf.softmax({ x }).data[length >> 1]);
    });
    numbers[`at${length}`] = byGap[gaps.indexOf(gap)][LENGTHS.indexOf(length)];
  }
  onProgress?.(1);
  return { ...numbers, half: Math.ceil(1 + Math.exp(gap)), lengths: LENGTHS, gaps, byGap };
}

/** @type {import('../shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  (numbers) => ({ verdict: numbers.at8192 > 0.5 ? 'true' : 'false', found: weightsOf(numbers) }),
  weightsOf,
);

/** @param {any} numbers */
function weightsOf({ at16, at8192, half }) {
  return (
    `In one softmax, with a lead of fixed size, the match has ${percent(at16)} of the weight among 16 keys and ` +
    `${percent(at8192)} among 8,192; it has less than half from ${half.toLocaleString('en')} keys on.`
  );
}
