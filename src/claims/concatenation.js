import { outcomeOf, settingsOf, verdictOf } from './shared/claim.js';
import { NAMED } from './shared/explore.js';
import { largestIn, numbered, ofAttention } from './shared/layer.js';
import { largest, largestDifference, normal, randomOf, say, smallest } from './shared/numbers.js';
import { marks, range, seedsOf } from './shared/picture.js';
import { overSeeds } from './shared/steps.js';

const LENGTH = 10;
const WIDTH = 32;
/** Largest difference of two orders of the same sums in single precision; it grows with the root of their number. */
const ROUNDING = 1e-6;
export const HEADS = 4;

/** @type {import('./shared/claim.js').Claim} */
export const claim = {
  number: 15,
  name: 'Concatenation and output projection',
  sentence: 'MultiHead = Concat(head₁, …, head_h)·W^O: the output projection mixes the heads.',
  saidBy: 'Vaswani et al. 2017, “Attention Is All You Need”, section 3.2.2',
  experiment:
    'Ten random rows of width 32 go through an untrained attention layer of four heads. Its output is compared ' +
    'with the sum of what each head gives through its own part of W^O.',
  sketch: {
    input: ['x_{1}', 'x_{2}', '…', 'x_{10}'],
    stacks: [{ parts: ['attention: 4', 'W^O'] }],
    output: 'one sum over the heads?',
    width: 32,
    steps: 0,
  },
  literature: { for: ['Elhage et al. 2021, “A Mathematical Framework for Transformer Circuits”'], against: [] },
  why: 'Concat(head₁, …, head_h)·W^O = Σ headᵢ·W^Oᵢ, where W^Oᵢ are the rows of W^O that belong to head i.',
  limits: 'Random weights. That heads are summed does not say that they work together.',
  overturn: 'Heads whose sum through their parts of W^O is not the output of the layer.',
  quotes: [
    {
      text: 'These are concatenated and once again projected, resulting in the final values',
      from: 'Vaswani et al. 2017, section 3.2.2',
    },
  ],
  choices: [
    { label: 'Every output is a sum over all heads, each through its own part of W^O.', verdict: 'true' },
    { label: 'Some outputs are such a sum, others belong to one head.', verdict: 'it depends' },
    { label: 'Every output belongs to one head.', verdict: 'false' },
  ],
  inputs: [
    { name: 'projection', label: 'Output projection', values: ['W^O', 'none'], default: 'W^O', controls: ['none'] },
  ],
  scales: [
    { name: 'heads', label: 'Heads', values: [2, HEADS, 8, 16], default: HEADS },
    { name: 'width', label: 'Width d_model', values: [16, WIDTH, 128, 512], default: WIDTH },
    { name: 'length', label: 'Tokens', values: [2, LENGTH, 64], default: LENGTH },
  ],
  seeded: true,
  expected: [
    {
      name: 'difference',
      label: 'Largest difference of Concat·W^O and Σ headᵢ·W^Oᵢ',
      range: [0, 4e-7],
      tolerance: { absolute: 6e-7 },
    },
    { name: 'headsPerOutput', label: 'Heads that an output sums', range: [HEADS, HEADS] },
  ],
  contrast: { projection: 'none' },
};

/** @type {import('./shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { projection, heads, width, length, seeds } = settingsOf(claim, params);
  const d = width / heads;
  return overSeeds(
    seeds,
    (seed) => {
      const { x, weights } = drawn(seed, projection, length, width);
      const wo = weights['out_proj.weight'].data;
      const { output, headOutputs } = gf.multiHeadAttention(x, { weights, heads });
      const sum = new Float64Array(length * width);
      const headsOf = new Array(width).fill(0);
      const parts = /** @type {number[]} */ ([]);
      for (let h = 0; h < heads; h++) {
        const a = { data: headOutputs.data.slice(h * length * d, (h + 1) * length * d), shape: [length, d] };
        const part = Float32Array.from(
          { length: width * d },
          (_, i) => wo[Math.floor(i / d) * width + h * d + (i % d)],
        );
        const { data } = gf.matmul(a, { data: part, shape: [width, d] }, { transposeB: true });
        data.forEach((value, i) => (sum[i] += value));
        for (const part of data.slice(0, width)) parts.push(part);
        headsOf.forEach((_, c) => (headsOf[c] += Number(data.some((value, i) => i % width === c && value !== 0))));
      }
      return {
        difference: largestDifference(output.data, sum),
        allowed: ROUNDING * Math.sqrt(Math.max(1, width / WIDTH)),
        headsPerOutput: smallest(headsOf),
        most: largest(headsOf),
        parts,
      };
    },
    onProgress,
    signal,
  );
}

/** Rows, and the weights of an attention layer. @param {number} seed @param {string} projection */
export function drawn(seed, projection, length = LENGTH, width = WIDTH) {
  const random = randomOf(seed, claim.name);
  const x = normal(random, [length, width]);
  const deviation = 1 / Math.sqrt(width);
  const weights = {
    in_proj_weight: normal(random, [3 * width, width], deviation),
    'out_proj.weight': normal(random, [width, width], deviation),
  };
  const wo = weights['out_proj.weight'].data;
  if (projection === 'none') wo.forEach((_, i) => (wo[i] = Number(i % (width + 1) === 0)));
  return { x, weights };
}

/** @type {import('./shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  ({ difference, allowed = [ROUNDING], headsPerOutput, most }) => ({
    verdict:
      largest(difference) > largest(allowed) ? 'false' : verdictOf([smallest(headsPerOutput) > 1, smallest(most) > 1]),
    on: 'the output',
    found: `Each output sums ${say(headsPerOutput)} heads; the two ways differ by at most ${say(largest(difference))}.`,
  }),
  ({ difference, headsPerOutput }) =>
    `Without W^O each output is one number of ${say(headsPerOutput)} head: W^O is what mixes. ` +
    `The two ways still differ by ${say(largest(difference))}.`,
);

/** @type {import('./shared/explore.js').OwnModel} */
export const ownModel = {
  isTrained: false,
  where: 'the layer at the largest weight of its first row',
  text: () => ({
    token: NAMED,
    joint: ' ',
    does: 'four heads and their projection',
    node: 'attention',
    goal: 'random rows x1 to x10 through the attention layer of the claim.',
    hint:
      'It opens at the largest weight of the first row. Step by step shows what each head adds to the output through ' +
      'its part of the output projection.',
  }),
  layer: (_gf, { projection, seed }) => {
    const { x, weights } = drawn(seed, projection);
    return {
      words: numbered('x', x.shape[0]),
      table: x,
      rows: [range(x.shape[0])],
      config: { heads: HEADS },
      weights: ofAttention(weights),
      where: (maps) => largestIn(maps, 0),
    };
  },
};

/** @type {import('./shared/picture.js').PictureOf} */
export const picture = ({ difference, parts }, params) => [
  {
    kind: 'maps',
    title: `What each head adds to an output row, ${seedsOf(params)[0]}`,
    scale: 'signed',
    columns: 32,
    rowAxis: { title: 'head' },
    columnAxis: { title: 'dimension of the output' },
    maps: [{ title: 'headᵢ·W^Oᵢ of the first token', values: parts[0] }],
  },
  {
    kind: 'rows',
    title: 'Concatenation and sum',
    x: { title: 'largest difference', log: true, low: 1e-8, high: 1 },
    rows: [{ label: 'Concat·W^O and Σ headᵢ·W^Oᵢ', marks: marks(params, difference) }],
    levels: [{ name: 'allowed', at: ROUNDING }],
  },
];
