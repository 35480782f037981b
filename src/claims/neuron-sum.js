import { outcomeOf, settingsOf, verdictOf } from './shared/claim.js';
import { inExplore } from './shared/explore.js';
import { largest, largestDifference, lengthOf, normal, randomOf, say, smallest } from './shared/numbers.js';
import { bySeed } from './shared/picture.js';
import { overSeeds } from './shared/steps.js';

const ROWS = 10;
const WIDTH = 16;
const NEURONS = 64;
const COUNTS = [1, 2, 4, 8, 16, 32, NEURONS];
/** Largest differences of two orders of the same sums in single precision. */
const ROUNDING = 1e-5;

/** @type {import('./shared/claim.js').Claim} */
export const claim = {
  number: 37,
  name: 'Feed-forward network as a sum of neurons',
  sentence:
    'The feed-forward network is a sum over its neurons: each adds its value vector, weighted by how well the token ' +
    'fits its key.',
  saidBy: 'Geva et al. 2021, “Transformer Feed-Forward Layers Are Key-Value Memories”, section 2',
  experiment:
    'Ten random rows of width 16 go through an untrained feed-forward network with 64 neurons. Its output is ' +
    'compared with the sum over the neurons, taken one by one, the largest first.',
  sketch: {
    input: ['x_{1}', 'x_{2}', '…', 'x_{10}'],
    stacks: [{ parts: ['FFN: 64'] }],
    output: 'the sum of 64 neurons?',
    width: WIDTH,
    steps: 0,
  },
  literature: {
    for: [
      'Geva et al. 2021, “Transformer Feed-Forward Layers Are Key-Value Memories”',
      'Sukhbaatar et al. 2019, “Augmenting Self-attention with Persistent Memory”',
    ],
    against: [],
  },
  why:
    'FFN(x) = Σ ReLU(x·kᵢ + bᵢ)·vᵢ + b: kᵢ is a row of W₁, vᵢ a column of W₂. No neuron’s weight depends on another ' +
    'neuron.',
  limits:
    'That a single neuron stores a fact: another card asks that. Weights are random; in a trained model fewer ' +
    'neurons may make up most of the sum.',
  overturn: 'An FFN whose output is not the sum of its neurons, but for rounding.',
  choices: [
    { label: 'Output and sum are the same numbers.', verdict: 'true' },
    { label: 'For some rows they are, for others neurons act on each other.', verdict: 'it depends' },
    { label: 'The sum misses the output: neurons work together.', verdict: 'false' },
  ],
  inputs: [{ name: 'activation', label: 'Activation', values: ['relu', 'gelu'], default: 'relu' }],
  scales: [
    { name: 'width', label: 'Width d_model', values: [4, WIDTH, 64, 256], default: WIDTH },
    { name: 'neurons', label: 'Neurons', values: [16, NEURONS, 256, 1024], default: NEURONS },
  ],
  seeded: true,
  expected: [
    {
      name: 'difference',
      label: 'Largest difference of output and sum',
      range: [0, 2e-6],
      tolerance: { absolute: ROUNDING },
    },
  ],
  contrast: { activation: 'gelu' },
};

/** @type {import('./shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { activation, width, neurons, seeds } = settingsOf(claim, params);
  const counts = [...COUNTS.filter((count) => 2 * count < neurons), neurons / 2, neurons];
  return overSeeds(
    seeds,
    (seed) => measure(gf, activation, seed, { width, counts }),
    onProgress,
    signal,
    (lists) => ({ ...lists, half: lists.left.map((left) => left[counts.indexOf(neurons / 2)]) }),
  );
}

/**
 * @param {import('glassformer').Engine} gf
 * @param {'relu' | 'gelu'} activation
 * @param {number} seed
 * @param {{width: number, counts: number[]}} sizes `counts`: of neurons, whose sum is compared; the last is all
 */
function measure(gf, activation, seed, { width, counts }) {
  const neurons = counts[counts.length - 1];
  const random = randomOf(seed, claim.name);
  const x = normal(random, [ROWS, width]);
  const keys = normal(random, [neurons, width], 1 / Math.sqrt(width));
  const thresholds = normal(random, [neurons], 0.1);
  const values = normal(random, [width, neurons], 1 / Math.sqrt(neurons));
  const bias = normal(random, [width], 0.1);
  const weights = {
    'linear1.weight': keys,
    'linear1.bias': thresholds.data,
    'linear2.weight': values,
    'linear2.bias': bias.data,
  };
  const output = gf.feedForward(x, { weights, activation }).output.data;
  const matches = gf[activation](gf.linear(x, keys, thresholds.data)).data;
  /** The errors of the sums of the first neurons, by their count. @type {number[][]} */
  const missed = counts.map(() => []);
  const sum = new Float64Array(output.length);
  for (let row = 0; row < ROWS; row++) {
    const at = (/** @type {number} */ c) => row * width + c;
    const columns = Array.from({ length: width }, (_, c) => c);
    const added = Array.from({ length: neurons }, (_, i) =>
      columns.map((c) => matches[row * neurons + i] * values.data[c * neurons + i]),
    ).sort((a, b) => lengthOf(b) - lengthOf(a));
    columns.forEach((c) => (sum[at(c)] = bias.data[c]));
    added.forEach((vector, i) => {
      columns.forEach((c) => (sum[at(c)] += vector[c]));
      const rest = columns.map((c) => output[at(c)] - sum[at(c)]);
      const whole = columns.map((c) => output[at(c)]);
      if (counts.includes(i + 1)) missed[counts.indexOf(i + 1)].push(lengthOf(rest) / lengthOf(whole));
    });
  }
  const byRow = Array.from({ length: ROWS }, (_, row) =>
    largestDifference(output.slice(row * width, (row + 1) * width), sum.slice(row * width, (row + 1) * width)),
  );
  return {
    difference: largest(byRow),
    least: smallest(byRow),
    left: missed.map((shares) => shares.reduce((all, one) => all + one, 0) / ROWS),
  };
}

/** @type {import('./shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  (numbers) => ({
    verdict: verdictOf([numbers.difference, numbers.least].map((all) => largest(all) <= ROUNDING)),
    on: 'the row',
    found: summed(numbers),
  }),
  (numbers) => `With GELU it is a sum, too. ${summed(numbers)}`,
);

/** @param {any} numbers */
const summed = ({ difference, half }) =>
  `The sum differs from the output by at most ${say(largest(difference))}, the rounding of single precision. The 32 ` +
  `largest of 64 neurons miss it by ${say(half.map((/** @type {number} */ one) => 100 * one))} %.`;

/** @type {import('./shared/explore.js').MatchingOf} */
export const matching = ({ activation, seed }) =>
  inExplore(
    { layers: 1, heads: 1, d_model: WIDTH, d_ff: NEURONS, activation, seed, node: 'ffn' },
    'an FFN of this size: each neuron with its key and its value',
  );

/** @type {import('./shared/picture.js').PictureOf} */
export const picture = ({ left }, params) => [
  {
    kind: 'curves',
    title: 'What the sum still misses of the output',
    note: 'Each row takes its own largest neurons first; a point is the mean over ten rows.',
    x: { title: 'neurons in the sum', ticks: [1, 8, 16, 32, NEURONS] },
    y: { title: 'share of the output’s length', low: 0, percent: true },
    series: [{ name: `${params.activation ?? 'relu'}` }],
    lines: bySeed(params, 0, left, (i) => COUNTS[i]),
  },
];
