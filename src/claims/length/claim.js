import { settingsOf } from '../shared/claim.js';
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
  source:
    'Vaswani et al. 2017, “Attention Is All You Need”, sections 3.5 and 4; Veličković et al. 2024, arXiv:2410.01104',
  quotes: [
    'it may allow the model to extrapolate to sequence lengths longer than the ones encountered during training',
  ],
  choices: [
    { label: 'The matching key keeps most of the weight.', verdict: 'holds' },
    { label: 'It loses its weight to the others as they grow in number.', verdict: 'fails' },
  ],
  inputs: [{ name: 'gap', label: 'By how much its score is above the others', values: [3, 5, 9, 15], default: 5 }],
  seeded: false,
  expected: [
    weight(16, 5, 0.908, 5e-4),
    weight(1024, 5, 0.127, 5e-4),
    weight(8192, 5, 0.0178, 1e-4),
    weight(16, 9, 0.998, 5e-4),
    weight(1024, 9, 0.888, 5e-4),
    weight(8192, 9, 0.497, 5e-4),
  ],
  flip: { params: { gap: 15 }, verdict: 'holds' },
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
  return { ...numbers, lengths: LENGTHS, gaps, byGap };
}

/** @type {import('../shared/claim.js').ClaimModule['verdict']} */
export function verdict(numbers) {
  const [first, last] = [numbers[`at${LENGTHS[0]}`], numbers[`at${LENGTHS[LENGTHS.length - 1]}`]];
  return last > 0.5
    ? { verdict: 'holds', why: `Among 8,192 keys the matching one still has ${percent(last)} of the weight.` }
    : {
        verdict: 'fails',
        why: `Its weight falls from ${percent(first)} among 16 keys to ${percent(last)} among 8,192.`,
      };
}
