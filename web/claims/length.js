import { settingsOf } from './shared/claim.js';
import { say } from './shared/numbers.js';
import { stepper } from './shared/steps.js';

const LENGTHS = [16, 64, 256, 1024, 8192];

/** @type {import('./shared/claim.js').Claim} */
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
    { name: 'at16', label: 'Weight among 16 keys', range: [0.908, 0.908], tolerance: { absolute: 5e-4 } },
    { name: 'at1024', label: 'Weight among 1,024 keys', range: [0.127, 0.127], tolerance: { absolute: 5e-4 } },
    { name: 'at8192', label: 'Weight among 8,192 keys', range: [0.0178, 0.0178], tolerance: { absolute: 1e-4 } },
    {
      name: 'at16',
      label: 'Weight among 16 keys',
      at: { gap: 9 },
      range: [0.998, 0.998],
      tolerance: { absolute: 5e-4 },
    },
    {
      name: 'at1024',
      label: 'Weight among 1,024',
      at: { gap: 9 },
      range: [0.888, 0.888],
      tolerance: { absolute: 5e-4 },
    },
    {
      name: 'at8192',
      label: 'Weight among 8,192',
      at: { gap: 9 },
      range: [0.497, 0.497],
      tolerance: { absolute: 5e-4 },
    },
  ],
  flip: { params: { gap: 15 }, verdict: 'holds' },
};

/** @type {import('./shared/claim.js').ClaimModule['run']} */
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

/** @type {import('./shared/claim.js').ClaimModule['verdict']} */
export function verdict(numbers) {
  const [first, last] = [numbers[`at${LENGTHS[0]}`], numbers[`at${LENGTHS[LENGTHS.length - 1]}`]];
  return last > 0.5
    ? { verdict: 'holds', why: `Among 8,192 keys the matching one still has ${say(last)} of the weight.` }
    : { verdict: 'fails', why: `Its weight falls from ${say(first)} among 16 keys to ${say(last)} among 8,192.` };
}
