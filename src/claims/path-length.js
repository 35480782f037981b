import { outcomeOf, settingsOf, verdictOf } from './shared/claim.js';
import { largest, median, normal, randomOf, say, smallest } from './shared/numbers.js';
import { bySeed, range } from './shared/picture.js';
import { overSeeds } from './shared/steps.js';

const LENGTH = 64;
const WIDTH = 32;
const LENGTHS = [16, LENGTH, 256];
/** Of all texts of a length: 8 texts of 64 rows. */
const TOKENS = 512;
/** Distances of which the nearest and the farthest are compared. */
const SOME = 16;
/** The share of the near gradient from which on we say that far ones are as strong. */
const KEPT = 0.5;
const MOST_LAYERS = 12;
const ALL = 'none';

/** @type {import('./shared/claim.js').Claim} */
export const claim = {
  number: 31,
  name: 'Constant path length',
  sentence: 'The path between any two positions has constant length: in one layer each reaches every other.',
  saidBy: 'Vaswani et al. 2017, “Attention Is All You Need”, section 4',
  experiment:
    'An untrained encoder layer of width 32 reads 64 random rows, and the output of the last one is differentiated ' +
    'with respect to each row before it. The gradient is shown by distance, with full attention or a window.',
  sketch: {
    input: ['x_{1}', 'x_{2}', '…', 'x_{64}'],
    stacks: [{ name: 'encoder', layers: 1, parts: ['attention: 4', 'FFN: 64'] }],
    output: 'gradient by distance',
    width: 32,
    steps: 0,
  },
  literature: {
    for: ['Vaswani et al. 2017, “Attention Is All You Need”, section 4'],
    against: [
      'Beltagy et al. 2020, “Longformer: The Long-Document Transformer”',
      'Barbero et al. 2024, “Transformers need glasses! Information over-squashing in language tasks”',
    ],
  },
  why:
    'Every query has a weight on every key, so one layer leads from each position to each, at any distance. A window ' +
    'of w reaches w − 1 positions a layer, so n positions take (n − 1) / (w − 1) layers.',
  limits:
    'Untrained weights, random rows. The path does not grow, but it gets thin: with n keys each has a share of about ' +
    '1/n, and so has its gradient. That “as strong” begins at half is our cutoff.',
  overturn: 'Two positions that one layer of full attention does not connect, or far ones that it connects weakly.',
  quotes: [
    {
      text: 'a self-attention layer connects all positions with a constant number of sequentially executed operations',
      from: 'Vaswani et al. 2017, section 4',
    },
  ],
  choices: [
    { label: 'One layer reaches all positions, far ones as strongly as near ones.', verdict: 'true' },
    { label: 'One layer reaches all, but the gradient falls with the distance.', verdict: 'it depends' },
    { label: 'It takes more layers to reach far positions.', verdict: 'false' },
  ],
  inputs: [{ name: 'window', label: 'Attention window', values: [ALL, 32, 8], default: ALL, controls: [32, 8] }],
  scales: [
    { name: 'length', label: 'Tokens', values: [16, 32, LENGTH, 128, 256], default: LENGTH },
    { name: 'width', label: 'Width d_model', values: [8, WIDTH, 128], default: WIDTH },
  ],
  seeded: true,
  expected: [
    { name: 'reach', label: 'Farthest position that one layer reaches', range: [LENGTH - 1, LENGTH - 1] },
    {
      name: 'farShare',
      label: 'Gradient of the 16 farthest, as a multiple of that of the 16 nearest',
      range: [0.745, 1.146],
      tolerance: { absolute: 0.3 },
    },
    { name: 'layers', label: 'Window of 8: layers until all are reached', at: { window: 8 }, range: [9, 9] },
  ],
  contrast: { window: 8 },
};

/** @type {import('./shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { window, length, width, seeds } = settingsOf(claim, params);
  const some = Math.min(SOME, length / 4);
  const given = window === ALL ? {} : { window };
  return overSeeds(
    seeds,
    (seed) => {
      const layer = { ...given, layers: 1 };
      const byDistance = gradients(gf, { ...layer, d_model: width, d_ff: 2 * width }, length, TOKENS / length, seed);
      const reachOf = (/** @type {number} */ layers) => reached(gradients(gf, { ...given, layers }, length, 1, seed));
      const layers = range(MOST_LAYERS).find((before) => reachOf(before + 1) === length - 1) ?? Infinity;
      const [near, far] = [byDistance.slice(0, some), byDistance.slice(-some)].map(mean);
      const thin = LENGTHS.map((each) => mean(gradients(gf, layer, each, TOKENS / each, seed)));
      return { reach: reached(byDistance), farShare: far / near, layers: layers + 1, byDistance, thin };
    },
    onProgress,
    signal,
    (lists) => ({ ...lists, length }),
  );
}

/** @param {readonly number[]} values */
const mean = (values) => values.reduce((sum, one) => sum + one, 0) / values.length;

/** The largest distance with a gradient. @param {readonly number[]} byDistance from 1 on */
const reached = (byDistance) => largest([0, ...byDistance.flatMap((norm, i) => (norm > 0 ? [i + 1] : []))]);

/**
 * The norms of the gradient of a random direction of the last output with respect to each input before it, the nearest
 * first; the mean over texts.
 * @param {import('./shared/train.js').Engine} gf
 * @param {any} given
 * @param {number} length
 * @param {number} texts
 * @param {number} seed
 */
function gradients(gf, given, length, texts, seed) {
  const { d_model: width = WIDTH } = given;
  const config = { kind: 'encoder', vocabulary: 0, d_model: width, heads: 4, d_ff: 2 * width };
  const model = gf.createModel(/** @type {any} */ ({ ...config, ...given, seed }));
  try {
    const random = randomOf(seed, claim.name);
    const shape = [texts, length, width];
    const vectors = gf.tensor(normal(random, shape));
    const labels = new Float32Array(texts * length * width);
    for (let text = 1; text <= texts; text++) labels.set(normal(random, [width]).data, (text * length - 1) * width);
    model.trainer({ loss: 'linear' }).gradients({ vectors, labels: gf.tensor({ data: labels, shape }), capture: true });
    const { data } = model.tensor('grad.encoder.vectors');
    const norms = gf.vectorNorm({ data, shape: [texts * length, width] }).data;
    return range(length - 1).map((i) => mean(range(texts).map((text) => norms[(text + 1) * length - 2 - i])));
  } finally {
    model.free();
  }
}

/** @type {import('./shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  (numbers) => ({
    verdict: verdictOf([smallest(numbers.reach) === (numbers.length ?? LENGTH) - 1, median(numbers.farShare) >= KEPT]),
    on: 'what is meant by reaching',
    found: found(numbers),
  }),
  (numbers, { window }) => `A window of ${window}: ${found(numbers)}`,
);

/** @param {any} numbers */
const found = ({ reach, layers, farShare, thin }) =>
  largest(layers) === 1
    ? `One layer reaches all ${LENGTH - 1} positions; the gradient of the ${SOME} farthest is ${say(farShare)} times ` +
      `that of the ${SOME} nearest. But each gets thin: ${say(meanAt(thin, 0))} with ${LENGTHS[0]} keys, ` +
      `${say(meanAt(thin, LENGTHS.length - 1))} with ${LENGTHS[LENGTHS.length - 1]}.`
    : `one layer reaches ${say(reach)} positions, and it takes ${say(layers)} layers to reach all ${LENGTH - 1}.`;

/** @param {number[][]} thin @param {number} at */
const meanAt = (thin, at) => thin.map((list) => list[at]);

/** @type {import('./shared/picture.js').PictureOf} */
export function picture({ byDistance, thin }, params) {
  const { window = ALL } = params;
  const name = window === ALL ? 'full attention' : `window of ${window}`;
  return [
    {
      kind: 'curves',
      title: 'Gradient of the last output by the distance of the input, one layer',
      x: { title: 'distance', low: 0 },
      y: { title: 'gradient', low: 0 },
      series: [{ name }],
      lines: bySeed(params, 0, byDistance, (i) => i + 1, { joined: false }),
    },
    {
      kind: 'curves',
      title: 'Its mean over all distances, by the number of keys',
      x: { title: 'keys', log: true, ticks: LENGTHS },
      y: { title: 'mean gradient', log: true },
      series: [{ name }],
      lines: bySeed(params, 0, thin, (i) => LENGTHS[i]),
    },
  ];
}
