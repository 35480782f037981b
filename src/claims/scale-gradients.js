import { outcomeOf, settingsOf, verdictOf } from './shared/claim.js';
import { indexOfLargest } from './shared/explore.js';
import { identity, largestIn, numbered, sparse } from './shared/layer.js';
import { median, normal, randomOf, say } from './shared/numbers.js';
import { bySeed, range } from './shared/picture.js';
import { overSeeds } from './shared/steps.js';

const KEYS = 16;
const QUERIES = 128;
const WIDTHS = [8, 16, 32, 64, 128, 256, 512];
const NAMES = /** @type {const} */ ([
  'unscaled',
  'scaled',
  'unscaledQuery',
  'scaledQuery',
  'unscaledMean',
  'scaledMean',
]);
/** The share of the scaled gradient below which we call the unscaled one small. */
const SMALL = 0.5;

/** Of the unscaled gradients: the width, the range, how far it may be missed. */
const AT_SCORES = /** @type {[number, readonly [number, number], import('./shared/claim.js').Tolerance][]} */ ([
  [8, [0.34, 0.36], { relative: 0.1 }],
  [64, [0.08, 0.15], { factor: 2 }],
  [128, [0.026, 0.057], { factor: 2 }],
  [512, [2e-4, 1.7e-3], { factor: 3 }],
]);
const AT_QUERY = /** @type {typeof AT_SCORES} */ ([
  [32, [1.05, 1.57], { relative: 0.2 }],
  [64, [0.73, 1.19], { relative: 0.2 }],
  [128, [0.35, 0.62], { relative: 0.3 }],
  [512, [5e-3, 0.041], { factor: 3 }],
]);
/** The mean is that of a few large ones, and differs between seeds. */
const MEAN_AT_QUERY = /** @type {typeof AT_SCORES} */ ([
  [8, [0.81, 0.88], { relative: 0.15 }],
  [64, [1.34, 1.54], { relative: 0.25 }],
  [512, [1.33, 2.04], { relative: 0.35 }],
]);
const SCALED = /** @type {const} */ ({ range: [0.294, 0.309], tolerance: { relative: 0.07 } });

/**
 * Those of a run over all widths, and of a run at one of them.
 * @param {string} ending of the names
 * @param {string} gradient which
 * @param {typeof AT_SCORES} known
 * @returns {import('./shared/claim.js').Expected[]}
 */
const expected = (ending, gradient, known) =>
  known.flatMap(([d_k, range, tolerance]) => [
    { name: `unscaled${ending}${d_k}`, label: `${gradient}, d_k ${d_k}, unscaled`, range, tolerance },
    { name: `scaled${ending}${d_k}`, label: `${gradient}, d_k ${d_k}, scaled`, ...SCALED },
    { name: `unscaled${ending}`, label: `${gradient}, unscaled`, at: { d_k }, range, tolerance },
    { name: `scaled${ending}`, label: `${gradient}, scaled`, at: { d_k }, ...SCALED },
  ]);

/** @type {import('./shared/claim.js').Claim} */
export const claim = {
  number: 1,
  name: 'Scaling by √d_k and the gradients of softmax',
  sentence: 'Large d_k pushes the softmax into regions of extremely small gradients; dividing by √d_k counteracts it.',
  saidBy: 'Vaswani et al. 2017, “Attention Is All You Need”, section 3.2.1',
  experiment:
    '128 random queries with 16 random keys each, all of mean 0 and variance 1, for d_k from 8 to 512. The ' +
    'gradient of each row of softmax weights is computed with and without the division by √d_k; nothing is ' +
    'trained.',
  sketch: {
    input: ['q', 'k_{1}', 'k_{2}', '…', 'k_{16}'],
    stacks: [{ parts: ['q·k', '÷ √d_k, or not', 'softmax'] }],
    output: 'gradient of the weights',
  },
  literature: { for: ['Vaswani et al. 2017, “Attention Is All You Need”, section 3.2.1'], against: [] },
  why:
    'Components of variance 1 give q·k the variance d_k, so the softmax becomes one-hot, where its Jacobian ' +
    'diag(p) − p·pᵀ is 0. At q that is multiplied by keys √d_k long: the few queries that are not one-hot get ' +
    'large gradients.',
  limits:
    'The variance is d_k only for independent components of mean 0 and variance 1; training changes that. At half ' +
    'their standard deviation d_k 512 is not large enough yet. A training step averages, and the mean at q does not ' +
    'vanish. Less than half of the scaled gradient is our cutoff.',
  overturn: 'Unscaled gradients of the median query that stay above half of the scaled ones at d_k 512.',
  quotes: [
    {
      text:
        'We suspect that for large values of d_k, the dot products grow large in magnitude, pushing the softmax ' +
        'function into regions where it has extremely small gradients.',
      from: 'Vaswani et al. 2017, section 3.2.1',
    },
  ],
  choices: [
    { label: 'Unscaled, the gradient of a typical query becomes a small part of the scaled one.', verdict: 'true' },
    { label: 'That depends on where it is taken, at the scores or at the query.', verdict: 'it depends' },
    { label: 'It keeps its size.', verdict: 'false' },
  ],
  guess: { name: 'unscaled512', from: 1e-4, to: 1, log: true },
  inputs: [{ name: 'd_k', label: 'd_k', values: ['8 to 512', ...WIDTHS], default: '8 to 512' }],
  scales: [
    { name: 'keys', label: 'Keys', values: [4, KEYS, 32], default: KEYS },
    { name: 'scale', label: 'Standard deviation of queries and keys', values: [1, 2, 4], default: 1 },
  ],
  long: true,
  seeded: true,
  expected: [
    ...expected('', 'Median ‖∂softmax/∂scores‖', AT_SCORES),
    ...expected('Query', 'Median ‖∂softmax/∂q‖', AT_QUERY),
    ...expected('Mean', 'Mean ‖∂softmax/∂q‖', MEAN_AT_QUERY),
    { name: 'variance', label: 'Var(q·k) / d_k', range: [0.92, 1.07], tolerance: { relative: 0.03 } },
  ],
  contrast: { d_k: 128 },
};

/** @type {import('./shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { d_k, keys, scale, seeds } = settingsOf(claim, params);
  const widths = typeof d_k === 'number' ? [d_k] : WIDTHS;
  return overSeeds(
    seeds,
    (seed) => {
      const each = widths.map((width) => measure(gf, seed, width, { keys, scale }));
      return Object.fromEntries(
        [...NAMES, /** @type {const} */ ('variance')].map((name) => [name, each.map((one) => one[name])]),
      );
    },
    onProgress,
    signal,
    ({ variance, ...lists }) => {
      /** @type {import('./shared/claim.js').Numbers} */
      const numbers = { widths, variance };
      for (const name of NAMES) {
        numbers[`${name}Curve`] = lists[name];
        widths.forEach((width, w) => (numbers[`${name}${widths.length > 1 ? width : ''}`] = at(lists[name], w)));
      }
      return numbers;
    },
  );
}

/** Queries, each with keys of its own. @param {number} seed @param {number} width */
export function drawn(seed, width, { keys, scale } = { keys: KEYS, scale: 1 }) {
  const random = randomOf(seed, `${claim.name} ${width}`);
  return { query: normal(random, [QUERIES, 1, width], scale), key: normal(random, [QUERIES, keys, width], scale) };
}

/**
 * @param {import('glassformer').Engine} gf
 * @param {number} seed
 * @param {number} width
 * @param {{keys: number, scale: number}} [sizes] `scale`: the standard deviation of queries and keys
 */
export function measure(gf, seed, width, sizes) {
  const { query, key } = drawn(seed, width, sizes);
  const keys = key.shape[1];
  const at = (/** @type {number} */ scale) => {
    const { weights, scores } = gf.attention(query, key, key, { scale });
    // the Jacobian of a row: the gradient of each of its weights
    const output = { data: new Float32Array(QUERIES * keys * keys), shape: [QUERIES, keys, keys] };
    const gradient = { ...output, data: output.data.map((_, i) => Number(i % keys === Math.floor(i / keys) % keys)) };
    for (let q = 0; q < QUERIES; q++)
      for (let i = 0; i < keys; i++)
        output.data.set(weights.data.subarray(q * keys, (q + 1) * keys), (q * keys + i) * keys);
    const jacobian = gf.softmaxBackward(output, gradient);
    const normsOf = (/** @type {Float32Array} */ data, /** @type {number} */ columns) => [
      ...gf.vectorNorm({ data, shape: [QUERIES, keys * columns] }).data,
    ];
    // the scores are linear in q, by the keys times the scale
    const atQuery = normsOf(gf.matmul(jacobian, key).data, width).map((norm) => scale * norm);
    const mean = atQuery.reduce((sum, norm) => sum + norm, 0) / QUERIES;
    return { norms: normsOf(jacobian.data, keys), atQuery: median(atQuery), mean, scores: scores.data };
  };
  const [plain, divided] = [at(1), at(1 / Math.sqrt(width))];
  const squares = plain.scores.reduce((sum, score) => sum + score * score, 0);
  return {
    unscaled: median(plain.norms),
    scaled: median(divided.norms),
    unscaledQuery: plain.atQuery,
    scaledQuery: divided.atQuery,
    unscaledMean: plain.mean,
    scaledMean: divided.mean,
    norms: plain.norms,
    variance: squares / plain.scores.length / width,
  };
}

/** @type {import('./shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  (numbers) => {
    const [scores, query] = ['', 'Query'].map((ending) => smallFrom(numbers, ending));
    return {
      verdict: verdictOf([Boolean(scores), Boolean(query)]),
      on: 'where it is taken',
      found:
        `For the median query, the unscaled gradient is below half of the scaled one ${smaller(scores)} at the ` +
        `scores, ${smaller(query)} at q. ` +
        means(numbers),
    };
  },
  (numbers) => beside(numbers, 0),
);

/** @param {number[][]} lists @param {number} w */
function at(lists, w) {
  return lists.map((list) => list[w]);
}

/** The width from which all gradients are small. @param {any} numbers @param {string} ending */
function smallFrom({ widths, ...numbers }, ending) {
  const [unscaled, scaled] = ['unscaled', 'scaled'].map((name) => numbers[`${name}${ending}Curve`]);
  return widths.find((/** @type {number} */ _, /** @type {number} */ from) =>
    widths.every(
      (/** @type {number} */ __, /** @type {number} */ w) =>
        w < from || median(at(unscaled, w)) < SMALL * median(at(scaled, w)),
    ),
  );
}

/** @param {number | undefined} from */
const smaller = (from) => (from ? `from d_k ${from} on` : 'nowhere');

/** @param {any} numbers */
function means({ widths, unscaledMeanCurve, scaledMeanCurve }) {
  const [first, last] = [0, widths.length - 1].map((w) => say(at(unscaledMeanCurve, w)));
  return (
    `The mean at q is ${first} at d_k ${widths[0]}, ${last} at d_k ${widths[widths.length - 1]} ` +
    `(scaled ${say(at(scaledMeanCurve, widths.length - 1))}).`
  );
}

/** @param {any} numbers @param {number} w */
function beside({ widths, ...numbers }, w) {
  const [unscaled, scaled, unscaledQuery, scaledQuery] = NAMES.map((name) => say(at(numbers[`${name}Curve`], w)));
  return (
    `At d_k ${widths[w]} its median is ${unscaled} at the scores (scaled ${scaled}) and ${unscaledQuery} at q ` +
    `(scaled ${scaledQuery}).`
  );
}

/** @type {import('./shared/explore.js').OwnModel} */
export const ownModel = {
  isTrained: false,
  where: 'one query at its largest weight',
  text: () => ({
    token: /k\d+|q/g,
    joint: ' ',
    does: 'one query and its keys',
    node: 'attention',
    goal: 'one of the random queries, q, and its keys k1 to k16; scores are not divided by √d_k.',
    hint:
      'It opens at the largest weight of the query. Turn the softmax’s temperature up: it divides the scores, as ' +
      '√d_k does, and the weights come away from 0 and 1, where the softmax is flat.',
  }),
  layer: (gf, { d_k, seed }) => {
    const width = typeof d_k === 'number' ? d_k : 64;
    const { query, key } = drawn(seed, width);
    const { norms } = measure(gf, seed, width);
    const middle = median(norms);
    const chosen = indexOfLargest(norms.map((norm) => -Math.abs(norm - middle)));
    const keys = key.shape[1];
    // One more number marks the query, whose own key is moved so far away that its weight is 0.
    const [wide, far] = [width + 1, -1e4];
    const table = sparse(keys + 1, wide, (put) => {
      for (let c = 0; c < width; c++) {
        for (let k = 0; k < keys; k++) put(k, c, key.data[(chosen * keys + k) * width + c]);
        put(keys, c, query.data[chosen * width + c]);
      }
      put(keys, width, 1);
    });
    const projections = sparse(3 * wide, wide, (put) => {
      for (let c = 0; c < width; c++) for (const part of [0, 1, 2]) put(part * wide + c, c, 1);
      put(width, width, 1);
      put(wide + width, width, far);
    });
    return {
      words: [...numbered('k', keys), 'q'],
      table: { data: table, shape: [keys + 1, wide] },
      rows: [range(keys + 1)],
      config: { heads: 1, scoreScale: false },
      weights: { 'self_attn.in_proj_weight': projections, 'self_attn.out_proj.weight': identity(wide) },
      where: (maps) => largestIn(maps, keys),
    };
  },
};

/** @type {import('./shared/picture.js').PictureOf} */
export function picture({ widths, ...numbers }, params) {
  /** @returns {import('./shared/picture.js').Curves} */
  const panel = (
    /** @type {string} */ title,
    /** @type {string} */ y,
    /** @type {string} */ ending,
    /** @type {string} */ of = 'median',
  ) => ({
    kind: 'curves',
    title,
    note: `Each point is the ${of} over 128 queries with 16 keys each.`,
    x: { title: 'd_k', log: true, ticks: WIDTHS },
    y: { title: y, log: true, low: 1e-4, high: 3 },
    series: [{ name: 'unscaled' }, { name: 'scaled by 1/√d_k' }],
    lines: ['unscaled', 'scaled'].flatMap((name, s) =>
      bySeed(params, s, numbers[`${name}${ending}Curve`], (i) => widths[i]),
    ),
  });
  return [
    panel('Gradient of a softmax row with respect to its scores', '‖∂softmax/∂scores‖', ''),
    panel('The same with respect to the query', '‖∂softmax/∂q‖', 'Query'),
    panel('The same, the mean over the queries', 'mean ‖∂softmax/∂q‖', 'Mean', 'mean'),
  ];
}
