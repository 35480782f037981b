import { outcomeOf, settingsOf } from './shared/claim.js';
import { inExplore } from './shared/explore.js';
import { largest, lengthOf, median, normal, randomOf, say } from './shared/numbers.js';
import { bySeed, seedsOf } from './shared/picture.js';
import { overSeeds } from './shared/steps.js';
import { percent } from './shared/train.js';

const ROWS = 64;
const WIDTH = 64;
/** Inputs of all sizes, to show the bound; no powers, as their last bits differ between engines. */
const SCALES = [1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100, 1e3, 1e4, 1e5, 1e6];
const NORM = Math.sqrt(WIDTH);
const ENTRY = Math.sqrt(WIDTH - 1);
const SLACK = 1e-5;

/**
 * @param {number} epsilon
 * @param {readonly [low: number, high: number]} range
 * @param {number} absolute tolerance
 * @returns {import('./shared/claim.js').Expected}
 */
const typical = (epsilon, range, absolute) => ({
  name: 'typical',
  label: 'Median ‖LN(x)‖',
  at: { scale: 1e-3, epsilon },
  range,
  tolerance: { absolute },
});

/** @type {import('./shared/claim.js').Claim} */
export const claim = {
  number: 9,
  name: 'LayerNorm bounds what the FFN sees',
  sentence: 'LayerNorm bounds the inputs of the feed-forward network, however large the residual stream grows.',
  saidBy: 'Lippe 2024, “UvA Deep Learning Tutorials”, tutorial 6, section “Transformer Encoder”',
  source:
    'https://uvadlc-notebooks.readthedocs.io/en/latest/tutorial_notebooks/tutorial6/Transformers_and_MHAttention.html',
  experiment:
    '64 random rows of width 64, multiplied by sizes from 1e-4 to 1e6, go through LayerNorm with random and ' +
    'with given γ and β. The longest output is measured.',
  sketch: {
    input: ['x · 10⁻⁴', '…', 'x · 10⁶'],
    stacks: [{ parts: ['LayerNorm'] }],
    output: 'how long rows are',
    width: 64,
  },
  literature: {
    for: [
      'Ba et al. 2016, “Layer Normalization”, section 3',
      'Brody et al. 2023, “On the Expressivity Role of LayerNorm in Transformers’ Attention”',
    ],
    against: [],
  },
  why:
    'LayerNorm subtracts the mean of a row and divides by √(variance + ε). What is left is at most √d long. ' +
    'Gain and bias make it at most max |γ|·√d + ‖β‖ long, whatever the input.',
  limits: 'How large γ and β become in training. How large the outputs of the FFN become.',
  overturn: 'A row that leaves LayerNorm longer than max |γ|·√d + ‖β‖.',
  quotes: [
    {
      text: 'it ensures that the features are in a similar magnitude among the elements in the sequence',
      from: 'Lippe 2024, tutorial 6, of layer normalization',
    },
  ],
  choices: [
    { label: 'No row is longer than max |γ|·√d + ‖β‖, however large the input.', verdict: 'true' },
    { label: 'Only for inputs of moderate size.', verdict: 'it depends' },
    { label: 'The rows are longer.', verdict: 'false' },
  ],
  inputs: [
    { name: 'scale', label: 'Size of the input', values: [1e-3, 1, 1000], default: 1 },
    { name: 'epsilon', label: 'ε', values: [0, 1e-6, 1e-5], default: 1e-5 },
    { name: 'gain', label: 'Gain γ', values: [1, 4], default: 1 },
  ],
  scales: [
    { name: 'width', label: 'Width d_model', values: [4, 16, WIDTH, 256, 1024], default: WIDTH },
    { name: 'rows', label: 'Rows', values: [8, ROWS, 512], default: ROWS },
  ],
  seeded: true,
  expected: [
    { name: 'norm', label: 'Largest ‖LN(x)‖, √d = 8', range: [7.99, NORM], tolerance: { absolute: SLACK } },
    { name: 'entry', label: 'Largest entry, √(d − 1) = 7.937', range: [7.93, ENTRY], tolerance: { absolute: SLACK } },
    {
      name: 'norm',
      label: 'Largest ‖LN(x)‖ at ε = 0',
      at: { epsilon: 0 },
      range: [NORM, NORM],
      tolerance: { absolute: SLACK },
    },
    {
      name: 'entry',
      label: 'Largest entry at ε = 0',
      at: { epsilon: 0 },
      range: [ENTRY, ENTRY],
      tolerance: { absolute: SLACK },
    },
    {
      name: 'ofBound',
      label: 'Longest row, as a share of max |γ|·√d + ‖β‖, random γ and β',
      range: [0.52, 0.66],
      tolerance: { absolute: 0.2 },
      share: true,
    },
    {
      name: 'norm',
      label: 'Largest ‖LN(x)‖, γ√d = 32',
      at: { gain: 4 },
      range: [31.99, 32],
      tolerance: { absolute: 4 * SLACK },
    },
    // 8·s/√(s² + ε) of inputs of scale s = 0.001: 8, 5.66 and 2.41.
    typical(0, [NORM, NORM], SLACK),
    typical(1e-6, [5.58, 5.7], 0.05),
    typical(1e-5, [2.35, 2.45], 0.05),
  ],
  contrast: { gain: 4 },
};

/** @type {import('./shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { scale, epsilon, gain, width, rows, seeds } = settingsOf(claim, params);
  return overSeeds(
    seeds,
    (seed) => {
      const x = normal(randomOf(seed, claim.name), [rows, width], scale);
      // the row with the largest entry that there can be
      x.data.fill(0, 0, width);
      x.data[0] = scale * Math.sqrt(width);
      const weight = new Float32Array(width).fill(gain);
      const { output } = gf.layerNorm(x, { weight, epsilon });
      const normsOf = (/** @type {import('./shared/numbers.js').Tensor} */ all) => [...gf.vectorNorm(all).data];
      const norms = normsOf(output);
      const longest = (/** @type {object} */ given) =>
        SCALES.map((size) => {
          const resized = { ...x, data: x.data.map((one) => (one / scale) * size) };
          return largest(normsOf(gf.layerNorm(resized, { epsilon, ...given }).output));
        });
      const byScale = longest({ weight });
      const random = randomOf(seed, `${claim.name}, trained`);
      const [gamma, beta] = [0, 1].map((none) => normal(random, [width], 0.5).data.map((one) => 1 - none + one));
      const bound = largest(gamma.map(Math.abs)) * Math.sqrt(width) + lengthOf(beta);
      return {
        norm: largest(norms),
        typical: median(norms),
        entry: largest(output.data.map(Math.abs)),
        norms,
        byScale,
        ofBound: largest(longest({ weight: gamma, bias: beta })) / bound,
      };
    },
    onProgress,
    signal,
    (lists) => ({ ...lists, scales: SCALES, width }),
  );
}

/** @type {import('./shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  ({ byScale, entry, ofBound, width }) => {
    const slack = SLACK * Math.sqrt(width / WIDTH); // of single precision
    const most = largest(byScale.flat());
    const moderate = largest(byScale.map((/** @type {number[]} */ row) => row[SCALES.indexOf(1)]));
    const others = largest(entry) <= Math.sqrt(width - 1) + slack && largest(ofBound) <= 1;
    const isBounded = (/** @type {number} */ length) => length <= Math.sqrt(width) + slack && others;
    return {
      verdict: isBounded(most) ? 'true' : isBounded(moderate) ? 'it depends' : 'false',
      on: 'the size of the input',
      found:
        `With γ = 1 and β = 0 the longest row is ${say(most)} long, √d is ${say(Math.sqrt(width))}. ` +
        `The inputs had sizes from ${say(SCALES[0])} to ${say(SCALES[SCALES.length - 1])}. ` +
        `With random γ and β the longest row reaches ${percent(ofBound)} of the bound.`,
    };
  },
  ({ byScale, typical, width }, { gain, epsilon, scale }) =>
    `With γ = ${gain} no row is longer than ${say(largest(byScale.flat()))} at any scale. The bound γ·√d is ` +
    `${say(gain * Math.sqrt(width))}. At ε = ${epsilon} and size ${scale} the median length is ${say(typical)}.`,
);

/** @type {import('./shared/explore.js').MatchingOf} */
export const matching = ({ scale, gain, seed }) =>
  scale === 1 && gain === 1
    ? inExplore({ d_model: 64, seed, node: 'norm' }, 'LayerNorm in a model of this width')
    : null;

/** @type {import('./shared/picture.js').PictureOf} */
export const picture = ({ byScale, scales, norms }, params) => [
  {
    kind: 'curves',
    title: 'Length of the longest row after LayerNorm',
    x: { title: 'size of the input', log: true, ticks: scales },
    y: { title: '‖LN(x)‖', low: 0 },
    series: [{ name: `ε = ${params.epsilon === 0 ? '0' : '10⁻⁵'}, γ = ${params.gain ?? 1}` }],
    lines: bySeed(params, 0, byScale, (i) => scales[i]),
    levels: [
      { name: 'γ√d', at: 8 * Number(params.gain ?? 1) },
      { name: 'as chosen', at: Number(params.scale ?? 1), vertical: true },
    ],
  },
  {
    kind: 'rows',
    title: 'Length of each of 64 rows',
    x: { title: '‖LN(x)‖', low: 0 },
    rows: seedsOf(params).map((label, s) => ({
      label,
      marks: norms[s].map((/** @type {number} */ value, /** @type {number} */ row) => ({
        series: 0,
        label: `row ${row}`,
        value,
      })),
    })),
    levels: [{ name: 'γ√d', at: 8 * Number(params.gain ?? 1) }],
  },
];
