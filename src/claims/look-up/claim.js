import { settingsOf } from '../shared/claim.js';
import { largest, largestDifference, normal, randomOf, say } from '../shared/numbers.js';
import { overSeeds } from '../shared/steps.js';

const [LENGTH, VOCABULARY, WIDTH, KEYS] = [16, 50, 32, 64];

/** @type {import('../shared/claim.js').Claim} */
export const claim = {
  number: 20,
  name: 'Embedding look-up and softmax rows',
  sentence: 'E = X·W_e: an embedding is the one-hot vector times a table, a look-up. Rows of a softmax sum to 1.',
  source: 'Vaswani et al. 2017, “Attention Is All You Need”, sections 3.2.1 and 3.4',
  choices: [
    { label: 'Product and look-up are the same numbers, and every row sums to 1.', verdict: 'holds' },
    { label: 'They are the same only for inputs of one kind.', verdict: 'holds only if' },
    { label: 'The product gives other numbers than the look-up.', verdict: 'fails' },
  ],
  inputs: [{ name: 'rows', label: 'Rows of X', values: ['one-hot', 'probabilities'], default: 'one-hot' }],
  seeded: true,
  expected: [
    { name: 'difference', label: 'Largest difference of product and look-up', range: [0, 0] },
    {
      name: 'sumError',
      label: 'Largest |sum − 1| of a softmax row',
      range: [0, 1.6e-7],
      tolerance: { absolute: 8.4e-7 },
    },
  ],
  flip: { params: { rows: 'probabilities' }, verdict: 'fails' },
};

/** @type {import('../shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { rows, seeds } = settingsOf(claim, params);
  return overSeeds(
    seeds,
    (seed) => {
      const random = randomOf(seed, claim.name);
      const table = normal(random, [VOCABULARY, WIDTH]);
      const ids = Array.from({ length: LENGTH }, () => random.integer(VOCABULARY));
      const x = gf.tensor(new Float32Array(LENGTH * VOCABULARY), [LENGTH, VOCABULARY]);
      ids.forEach((id, t) => (x.data[t * VOCABULARY + id] = 1));
      // half of the probability on the token, the rest on all
      if (rows === 'probabilities') x.data = x.data.map((one) => one / 2 + 1 / (2 * VOCABULARY));
      const product = gf.matmul({ a: x, b: table });
      const { data } = gf.softmax({ x: normal(random, [KEYS, KEYS], 3) });
      const sums = Array.from({ length: KEYS }, (_, r) =>
        data.subarray(r * KEYS, (r + 1) * KEYS).reduce((sum, weight) => sum + weight, 0),
      );
      const lookUp = gf.embedding({ ids, table }).data;
      return {
        difference: largestDifference(product.data, lookUp),
        sumError: largest(sums.map((sum) => Math.abs(sum - 1))),
        product: [...product.data],
        lookUp: [...lookUp],
      };
    },
    onProgress,
    signal,
  );
}

/** @type {import('../shared/claim.js').ClaimModule['verdict']} */
export function verdict({ difference, sumError }) {
  if (largest(sumError) > 1e-6) return { verdict: 'fails', why: `A row of the softmax is off 1 by ${say(sumError)}.` };
  if (largest(difference) > 1e-6)
    return { verdict: 'fails', why: `X·W_e differs from the rows of the table by ${say(difference)}: it blends them.` };
  return {
    verdict: 'holds',
    why: `The largest difference is ${say(difference)}; rows sum to 1 within ${say(sumError)}.`,
  };
}
