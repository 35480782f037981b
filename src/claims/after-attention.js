import { outcomeOf, settingsOf, verdictOf } from './shared/claim.js';
import { largest, normal, randomOf, say, smallest } from './shared/numbers.js';
import { bySeed, range } from './shared/picture.js';
import { overSeeds } from './shared/steps.js';
import { withModel } from './shared/train.js';

const LENGTH = 8;
const WIDTH = 32;
const EDITED = 3;
const LAYERS = 2;

/** @type {import('./shared/claim.js').Claim} */
export const claim = {
  number: 29,
  name: 'Interaction after attention',
  sentence: 'After attention a token no longer interacts with the others.',
  saidBy: 'Alammar 2018, “The Illustrated Transformer”, section “Bringing The Tensors Into The Picture”',
  source: 'https://jalammar.github.io/illustrated-transformer/',
  experiment:
    'Eight random rows of width 32 go through an untrained encoder of two layers. What the first attention gives to ' +
    'one of them is replaced by random numbers, and every other row is compared after each layer.',
  sketch: {
    input: ['x_{1}', '…', 'x_{4}, edited', '…', 'x_{8}'],
    stacks: [{ name: 'encoder', layers: 2, parts: ['attention: 4', 'FFN: 64'] }],
    output: 'the rows that change',
    width: 32,
    steps: 0,
  },
  literature: {
    for: ['Vaswani et al. 2017, “Attention Is All You Need”, section 3.3'],
    against: ['Elhage et al. 2021, “A Mathematical Framework for Transformer Circuits”'],
  },
  why:
    'Residual sum, LayerNorm and FFN read one row alone, so nothing leaves the row within its layer. The next ' +
    'attention makes keys and values of what they wrote, and every row reads these.',
  limits: 'Untrained weights and one edited row. That all rows change does not say that a trained model uses it.',
  overturn: 'An edited row that changes another one before the next attention, or none behind it.',
  quotes: [
    {
      text: 'The feed-forward layer does not have those dependencies',
      from: 'Alammar 2018, section “Bringing The Tensors Into The Picture”',
    },
    {
      text: 'which is applied to each position separately and identically',
      from: 'Vaswani et al. 2017, section 3.3, of the feed-forward network',
    },
  ],
  choices: [
    { label: 'No other row changes, neither in this layer nor in the next.', verdict: 'true' },
    { label: 'None changes in this layer, but all do in the next.', verdict: 'it depends' },
    { label: 'Others change already in this layer.', verdict: 'false' },
  ],
  inputs: [{ name: 'layers', label: 'Layers', values: [1, LAYERS, 6], default: LAYERS }],
  scales: [
    { name: 'layers', label: 'Layers', values: [1, LAYERS, 6, 12] },
    { name: 'length', label: 'Tokens', values: [4, LENGTH, 32, 128], default: LENGTH },
    { name: 'width', label: 'Width d_model', values: [8, WIDTH, 128], default: WIDTH },
  ],
  seeded: true,
  expected: [
    { name: 'within', label: 'Largest change of another row after the first layer', range: [0, 0] },
    {
      name: 'least',
      label: 'Least change of another row after the last layer',
      range: [0.083, 0.129],
      tolerance: { factor: 2 },
    },
    { name: 'end', label: 'One layer: largest change of another row', at: { layers: 1 }, range: [0, 0] },
  ],
  contrast: { layers: 1 },
};

/** @type {import('./shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { seeds, ...sizes } = settingsOf(claim, params);
  return overSeeds(seeds, (seed) => changesOf(gf, sizes, seed), onProgress, signal);
}

/**
 * The largest change of each row, after each layer.
 * @param {import('./shared/train.js').Engine} gf
 * @param {{layers: number, length: number, width: number}} sizes
 * @param {number} seed
 */
function changesOf(gf, { layers, length, width }, seed) {
  const config = /** @type {const} */ ({
    kind: 'encoder',
    vocabulary: 0,
    d_model: width,
    heads: 4,
    d_ff: 2 * width,
    positions: 'none',
  });
  return withModel(gf, { ...config, layers, seed }, (model) => {
    const random = randomOf(seed, claim.name);
    const vectors = gf.tensor(normal(random, [1, length, width]));
    const value = normal(random, [width]).data;
    const patches = [{ name: 'encoder.layers.0.self_attn.out', row: EDITED, value }];
    const outputs = (/** @type {object} */ changes) => {
      model.forward({ vectors, capture: true, ...changes });
      return range(layers).map((layer) => /** @type {Float32Array} */ (model.tensor({ layer }).data));
    };
    const [before, after] = [outputs({}), outputs({ patches })];
    const byLayer = before.map((own, layer) =>
      range(length).map((row) =>
        largest(range(width).map((c) => Math.abs(after[layer][row * width + c] - own[row * width + c]))),
      ),
    );
    const others = byLayer.map((changes) => changes.filter((_, row) => row !== EDITED));
    const last = others[layers - 1];
    return {
      own: byLayer[0][EDITED],
      within: largest(others[0]),
      end: largest(last),
      least: smallest(last),
      first: byLayer[0],
      last: byLayer[layers - 1],
    };
  });
}

/** @type {import('./shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  (numbers) => ({
    verdict: verdictOf([largest(numbers.within) === 0, largest(numbers.end) === 0]),
    on: 'whether another layer follows',
    found: found(numbers, LAYERS),
  }),
  (numbers, { layers }) => found(numbers, layers),
);

/** @param {any} numbers @param {number} layers */
const found = ({ own, within, least }, layers) =>
  `The edited row changes by ${say(own)} in its layer, every other by ${say(largest(within))}. ` +
  (layers === 1
    ? 'No layer follows, so that is all.'
    : `After layer ${layers} every other row has changed too, by at least ${say(least)}.`);

/** @type {import('./shared/picture.js').PictureOf} */
export function picture({ first, last }, params) {
  const { layers = LAYERS } = params;
  const all = [
    { name: 'after the first layer', lists: first },
    ...(layers === 1 ? [] : [{ name: `after layer ${layers}`, lists: last }]),
  ];
  return [
    {
      kind: 'curves',
      title: `Largest change of a row when row ${EDITED} is edited after the first attention`,
      x: { title: 'row', ticks: range(LENGTH) },
      y: { title: 'change', low: 0 },
      series: all.map(({ name }) => ({ name })),
      lines: all.flatMap(({ lists }, series) => bySeed(params, series, lists, (i) => i, { joined: false })),
      levels: [{ name: 'edited', at: EDITED, vertical: true }],
    },
  ];
}
