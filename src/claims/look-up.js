import { outcomeOf, settingsOf, verdictOf } from './shared/claim.js';
import { inExplore } from './shared/explore.js';
import { largest, largestDifference, normal, randomOf, say } from './shared/numbers.js';
import { marks, seedsOf } from './shared/picture.js';
import { overSeeds } from './shared/steps.js';

const LENGTH = 16;
const VOCABULARY = 50;
const WIDTH = 32;
const KEYS = 64;

/** @type {import('./shared/claim.js').Claim} */
export const claim = {
  number: 20,
  name: 'Embedding look-up and softmax rows',
  sentence: 'E = X·W_e: an embedding is the one-hot vector times a table, a look-up. Rows of a softmax sum to 1.',
  saidBy: 'Lippe 2024, “UvA Deep Learning Tutorials”, tutorial 6, section “Sequence to Sequence”',
  source:
    'https://uvadlc-notebooks.readthedocs.io/en/latest/tutorial_notebooks/tutorial6/Transformers_and_MHAttention.html',
  experiment:
    'Sixteen random tokens of a vocabulary of 50 and a random table of width 32: one-hot rows times the table, ' +
    'beside reading the rows out. The sums are those of a softmax over 64 rows of 64 random scores.',
  sketch: {
    input: ['9', '41', '…', '3'],
    stacks: [{ parts: ['one-hot', 'table, 50 × 32'] }],
    output: 'the row of each token',
  },
  literature: { for: ['Vaswani et al. 2017, “Attention Is All You Need”, sections 3.2.1 and 3.4'], against: [] },
  why:
    'A one-hot row has a single 1, so the product copies one row of the table. A softmax divides each exponential ' +
    'by the sum of all.',
  limits: 'The backward pass: the gradient of a look-up reaches only the rows that were looked up.',
  overturn: 'A one-hot product that differs from the row of the table.',
  quotes: [
    {
      text:
        'using a one-hot vector with an additional linear layer as in our case has the same effect as an ' +
        'embedding layer',
      from: 'Lippe 2024, tutorial 6',
    },
  ],
  choices: [
    { label: 'Product and look-up are the same numbers, and every row sums to 1.', verdict: 'true' },
    { label: 'One of the two holds.', verdict: 'it depends' },
    { label: 'Neither holds.', verdict: 'false' },
  ],
  inputs: [
    {
      name: 'rows',
      label: 'Rows of X',
      values: ['one-hot', 'probabilities'],
      default: 'one-hot',
      controls: ['probabilities'],
    },
  ],
  scales: [
    { name: 'vocabulary', label: 'Tokens in the vocabulary', values: [VOCABULARY, 500, 5000], default: VOCABULARY },
    { name: 'width', label: 'Width d_model', values: [8, WIDTH, 128, 512], default: WIDTH },
    { name: 'keys', label: 'Entries of a softmax row', values: [16, KEYS, 256, 1024], default: KEYS },
  ],
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
  contrast: { rows: 'probabilities' },
};

/** @type {import('./shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { rows, vocabulary, width, keys, seeds } = settingsOf(claim, params);
  return overSeeds(
    seeds,
    (seed) => {
      const random = randomOf(seed, claim.name);
      const table = normal(random, [vocabulary, width]);
      const ids = Array.from({ length: LENGTH }, () => random.integer(vocabulary));
      const x = gf.tensor(new Float32Array(LENGTH * vocabulary), [LENGTH, vocabulary]);
      ids.forEach((id, t) => (x.data[t * vocabulary + id] = 1));
      // half of the probability on the token, the rest on all
      if (rows === 'probabilities') x.data = x.data.map((one) => one / 2 + 1 / (2 * vocabulary));
      const product = gf.matmul(x, table);
      const { data } = gf.softmax(normal(random, [keys, keys], 3));
      const sums = Array.from({ length: keys }, (_, r) =>
        data.subarray(r * keys, (r + 1) * keys).reduce((sum, weight) => sum + weight, 0),
      );
      const lookUp = gf.embedding(ids, table).data;
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

/** @type {import('./shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  ({ difference, sumError }) => ({
    verdict: verdictOf([largest(difference) <= 1e-6, largest(sumError) <= 1e-6]),
    on: 'which half is meant',
    found: `The largest difference is ${say(largest(difference))}; rows sum to 1 within ${say(largest(sumError))}.`,
  }),
  ({ difference }) =>
    `With probabilities in place of one-hot rows X·W_e blends the rows of the table: it is off each by up to ` +
    `${say(difference)}.`,
);

/** @type {import('./shared/explore.js').MatchingOf} */
export const matching = ({ rows, seed }) =>
  rows === 'one-hot'
    ? inExplore({ d_model: 32, seed, node: 'embedding', shows: 'embedding' }, 'the rows of the table for a sentence')
    : null;

/** @type {import('./shared/picture.js').PictureOf} */
export const picture = ({ difference, sumError, product, lookUp }, params) => [
  {
    kind: 'maps',
    title: `Product and look-up for 16 tokens, ${seedsOf(params)[0]}`,
    scale: 'signed',
    columns: 32,
    rowAxis: { title: 'token' },
    columnAxis: { title: 'dimension' },
    maps: [
      { title: 'X·W_e', values: product[0] },
      { title: 'Rows of the table', values: lookUp[0] },
    ],
  },
  {
    kind: 'rows',
    title: 'Largest differences',
    x: { title: 'difference', log: true, low: 1e-8, high: 1 },
    rows: [
      { label: 'X·W_e and the rows of the table', marks: marks(params, difference) },
      { label: 'Sum of a softmax row, and 1', marks: marks(params, sumError) },
    ],
    levels: [{ name: 'allowed', at: 1e-6 }],
  },
];
