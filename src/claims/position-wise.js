import { outcomeOf, settingsOf, verdictOf } from './shared/claim.js';
import { indexOfLargest, NAMED } from './shared/explore.js';
import { largestNeuron, numbered, ofAttention } from './shared/layer.js';
import { largest, largestDifference, normal, randomOf, say, smallest } from './shared/numbers.js';
import { bySeed, range, seedsOf } from './shared/picture.js';
import { overSeeds } from './shared/steps.js';

const LENGTH = 8;
const WIDTH = 32;
export const [HEADS, EDITED] = [4, 5];

/** @type {import('./shared/claim.js').Claim} */
export const claim = {
  number: 12,
  name: 'Position-wise',
  sentence: 'The feed-forward network is applied to each position separately and identically.',
  saidBy: 'Vaswani et al. 2017, “Attention Is All You Need”, section 3.3',
  experiment:
    'Eight random rows of width 32 go through a feed-forward network with 128 neurons. Then one row is ' +
    'replaced, and two rows are swapped, and the outputs are compared.',
  sketch: {
    input: ['x_{1}', 'x_{2}', '…', 'x_{8}'],
    stacks: [{ parts: ['FFN: 128'] }],
    output: 'the rows that change',
    width: 32,
    steps: 0,
  },
  literature: { for: ['Vaswani et al. 2017, “Attention Is All You Need”, section 3.3'], against: [] },
  why: 'FFN(x) = max(0, x·W₁ + b₁)·W₂ + b₂ is computed for each row with the same weights.',
  limits: 'That a row knows nothing of the others: attention before the FFN has mixed them.',
  overturn: 'An edited row that changes another row of the network’s output.',
  choices: [
    { label: 'Another token changes its own row alone, and swapped rows give swapped outputs.', verdict: 'true' },
    { label: 'Only one of the two.', verdict: 'it depends' },
    { label: 'Neither.', verdict: 'false' },
  ],
  inputs: [
    { name: 'sublayer', label: 'Sublayer', values: ['FFN', 'attention'], default: 'FFN', controls: ['attention'] },
  ],
  scales: [
    { name: 'length', label: 'Tokens', values: [6, LENGTH, 33, 128], default: LENGTH },
    { name: 'width', label: 'Width d_model', values: [8, WIDTH, 128, 512], default: WIDTH },
  ],
  seeded: true,
  expected: [
    { name: 'elsewhere', label: 'Largest change of another row', range: [0, 0] },
    { name: 'swapped', label: 'Two rows swapped: largest difference from swapped outputs', range: [0, 0] },
    { name: 'least', label: 'Least change of another row', at: { sublayer: 'attention' }, range: [0.1, Infinity] },
  ],
  contrast: { sublayer: 'attention' },
};

/** @type {import('./shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { sublayer, length, width, seeds } = settingsOf(claim, params);
  return overSeeds(
    seeds,
    (seed) => {
      const { x, edited, attention, network } = drawn(seed, length, width);
      const outputOf = (/** @type {typeof x} */ input) =>
        sublayer === 'FFN'
          ? gf.feedForward(input, { weights: network }).output.data
          : gf.multiHeadAttention(input, { weights: attention, heads: HEADS }).output.data;
      const [before, after] = [outputOf(x), outputOf(edited)];
      const differences = Array.from(after, (one, i) => one - before[i]);
      const changes = Array.from({ length }, (_, t) =>
        largest(differences.slice(t * width, (t + 1) * width).map(Math.abs)),
      );
      const others = changes.filter((_, t) => t !== EDITED);
      const swapped = largestDifference(outputOf(swap(x)), swap({ ...x, data: before }).data);
      return {
        own: changes[EDITED],
        elsewhere: largest(others),
        least: smallest(others),
        swapped,
        changes,
        differences,
      };
    },
    onProgress,
    signal,
  );
}

/** The first row and the edited one change places. @param {import('./shared/numbers.js').Tensor} rows */
function swap({ data, shape }) {
  const result = data.slice();
  const width = shape[1];
  const row = (/** @type {number} */ at) => data.subarray(at * width, (at + 1) * width);
  result.set(row(0), EDITED * width);
  result.set(row(EDITED), 0);
  return { data: result, shape };
}

/**
 * Rows, the same with another one in a place, and the weights of both sublayers.
 * @param {number} seed
 */
function drawn(seed, length = LENGTH, width = WIDTH) {
  const random = randomOf(seed, claim.name);
  const x = normal(random, [length, width]);
  const edited = { ...x, data: x.data.slice() };
  edited.data.set(normal(random, [width]).data, EDITED * width);
  const deviation = 1 / Math.sqrt(width);
  const matrix = (/** @type {number} */ rows) => normal(random, [rows, width], deviation);
  const attention = { in_proj_weight: matrix(3 * width), 'out_proj.weight': matrix(width) };
  const network = {
    'linear1.weight': matrix(4 * width),
    'linear1.bias': new Float32Array(4 * width),
    'linear2.weight': normal(random, [width, 4 * width], deviation / 2),
    'linear2.bias': new Float32Array(width),
  };
  return { x, edited, attention, network };
}

/** @type {import('./shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  ({ own, elsewhere, swapped }) => ({
    verdict: verdictOf([largest(elsewhere) === 0, largest(swapped) === 0]),
    on: 'which half is meant',
    found:
      `The edited row changes by ${say(own)}, every other by ${say(largest(elsewhere))}. Two swapped rows give the ` +
      `same two outputs, swapped: the difference is ${say(largest(swapped))}.`,
  }),
  ({ least }) => `Attention in its place changes every other row too, by at least ${say(smallest(least))}.`,
);

/** @type {import('./shared/explore.js').OwnModel} */
export const ownModel = {
  isTrained: false,
  where: 'the sublayer at the row that is changed',
  text: ({ sublayer }) => ({
    token: NAMED,
    joint: ' ',
    does: 'rows through one sublayer',
    node: sublayer === 'FFN' ? 'ffn' : 'attention',
    goal: 'random rows x1 to x8 through the sublayer of the claim alone.',
    hint: 'It opens at the sixth row. The second text has y6 there instead: see which other rows change with it.',
  }),
  layer: (_gf, { sublayer, seed }) => {
    const { x, edited, attention, network } = drawn(seed);
    const [count, width] = x.shape;
    const other = edited.data.slice(EDITED * width, (EDITED + 1) * width);
    const isNetwork = sublayer === 'FFN';
    const layer = isNetwork
      ? { config: { heads: 0, d_ff: 4 * width }, weights: network }
      : { config: { heads: HEADS }, weights: ofAttention(attention) };
    return {
      words: [...numbered('x', count), `y${EDITED + 1}`],
      table: { data: Float32Array.from([...x.data, ...other]), shape: [count + 1, width] },
      rows: [range(count), range(count).with(EDITED, count)],
      ...layer,
      where(weights, model) {
        if (isNetwork) return { row: EDITED, key: EDITED, neuron: largestNeuron(model, EDITED) };
        const each = range(HEADS).map((head) => weights.data[head * count * count + EDITED]);
        return { head: indexOfLargest(each), row: 0, key: EDITED };
      },
    };
  },
};

/** @type {import('./shared/picture.js').PictureOf} */
export const picture = ({ changes, differences }, params) => [
  {
    kind: 'curves',
    title: `Largest change of a row when token ${EDITED} is edited`,
    x: { title: 'token', ticks: range(changes[0].length) },
    y: { title: 'change', low: 0 },
    series: [{ name: String(params.sublayer ?? 'FFN') }],
    lines: bySeed(params, 0, changes, (i) => i, { joined: false }),
    levels: [{ name: 'edited', at: EDITED, vertical: true }],
  },
  {
    kind: 'maps',
    title: `Change of each output, ${seedsOf(params)[0]}`,
    scale: 'signed',
    columns: differences[0].length / changes[0].length,
    rowAxis: { title: 'token' },
    columnAxis: { title: 'dimension' },
    maps: [{ title: 'After − before', values: differences[0] }],
  },
];
