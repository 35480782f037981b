import { headScores, makeReverseDecoder } from 'glassformer/tasks';
import { outcomeOf, settingsOf, sharesWithin, verdictOf } from './shared/claim.js';
import { DIGIT, indexOfLargest, rowsIn } from './shared/explore.js';
import { median } from './shared/numbers.js';
import { given, marks, range, seedsOf } from './shared/picture.js';
import {
  dataOf,
  freed,
  massOf,
  meanMaps,
  overTrainings,
  percent,
  recipeOf,
  shareRight,
  train,
  trained,
} from './shared/train.js';

const LENGTH = 6;
const STEPS = 200;
const RATE = 7e-3;
export const HELD_OUT = 128;
/** The share of right tokens from which on we say that a layer aligns. */
const ALIGNED = 0.9;
const ALL = '1 and 2';
const DEPTHS = [1, 2];

const share = sharesWithin(0.05);

/** @type {import('./shared/claim.js').Claim} */
export const claim = {
  number: 19,
  name: 'Alignment by cross-attention',
  sentence: 'Cross-attention aligns the output with the input: each word attends to the one that it comes from.',
  saidBy:
    'Bahdanau et al. 2015, “Neural Machine Translation by Jointly Learning to Align and Translate”, section 5.2.1',
  experiment:
    'An encoder–decoder with d_model 32 and two heads learns to say 6 digits in reverse in 200 steps, once with ' +
    'one layer each and once with two. On held-out rows the largest weight of each head is compared with the ' +
    'digit that is said.',
  sketch: {
    input: ['3', '8', '1', '…', '5'],
    stacks: [
      { name: 'encoder', layers: 1, parts: ['attention: 2', 'FFN: 64'] },
      { name: 'decoder', layers: 1, parts: ['attention: 2', 'cross-attention: 2', 'FFN: 64'] },
    ],
    output: '6 digits in reverse',
    width: 32,
    steps: 200,
  },
  literature: {
    for: ['Bahdanau et al. 2015, “Neural Machine Translation by Jointly Learning to Align and Translate”'],
    against: [
      'Koehn and Knowles 2017, “Six Challenges for Neural Machine Translation”',
      'Garg et al. 2019, “Jointly Learning to Align and Translate with Transformer Models”',
    ],
  },
  why:
    'Only cross-attention reaches the input, so the digit that is said must come through it. With one layer ' +
    'it has to be read where it is needed; with two, the first layer need not find it.',
  limits:
    'Here each output comes from exactly one input; in translation, articles and word order do not. In the ' +
    'translation model of this page the first layer points to a wrong word for 40 to 42 %, the last for 15 to ' +
    '16 %. The cutoff (90 %) is ours.',
  overturn: 'A first layer of two whose best head points to the right digit as surely as the last one.',
  quotes: [
    {
      text: 'This allows every position in the decoder to attend over all positions in the input sequence.',
      from: 'Vaswani et al. 2017, section 3.2.3',
    },
  ],
  choices: [
    { label: 'In every layer a head has its largest weight on the right digit.', verdict: 'true' },
    { label: 'That depends on the layer.', verdict: 'it depends' },
    { label: 'Hardly more often than by chance.', verdict: 'false' },
  ],
  guess: { name: 'firstTop', from: 0, to: 1 },
  inputs: [
    {
      name: 'positions',
      label: 'Positional encoding',
      values: ['sinusoidal', 'none'],
      default: 'sinusoidal',
      controls: ['none'],
    },
    { name: 'heads', label: 'Heads', values: [1, 2, 4], default: 2 },
    { name: 'layers', label: 'Layers of encoder and decoder', values: [ALL, ...DEPTHS], default: ALL },
  ],
  scales: [
    { name: 'learningRate', label: 'Learning rate', values: [2e-3, RATE, 1e-2], default: RATE },
    { name: 'steps', label: 'Steps', values: [100, STEPS, 400], default: STEPS },
    { name: 'heads', label: 'Heads', values: [1, 2, 4] },
  ],
  long: true,
  seeded: true,
  expected: [
    share('bestTop', 'One layer, best head: its largest weight is on the right token', [0.977, 1], {}, 0.02),
    share('bestMass', 'One layer, best head: weight on the right token', [0.81, 0.94]),
    share('weakerTop', 'One layer, weaker head: its largest weight is on the right token', [0.893, 0.99]),
    share('weakerMass', 'One layer, weaker head: weight on the right token', [0.728, 0.85]),
    share('firstTop', 'First of two layers, best head: its largest weight is on the right token', [0.77, 0.83]),
    share('lastTop', 'Last of two layers, best head: its largest weight is on the right token', [0.93, 1], {}, 0.03),
  ],
  contrast: { positions: 'none' },
};

export const task = makeReverseDecoder({ length: LENGTH });

/**
 * @param {import('./shared/train.js').Engine} gf
 * @param {any} settings of both depths the smaller
 * @param {() => Promise<void>} step called before each
 * @returns {Promise<import('./shared/train.js').Model>} that has learned to reverse; to be freed
 */
function learn(gf, { positions, heads, layers: given, seed, learningRate = RATE, steps = STEPS }, step) {
  const layers = given === ALL ? DEPTHS[0] : given;
  return trained(gf, { ...task.config, positions, heads, layers, decoderLayers: layers, seed }, (model) =>
    train(model.trainer(recipeOf(learningRate, steps)), dataOf(task, seed, HELD_OUT).batches(), steps, step),
  );
}

/** @type {import('./shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { layers, seeds, ...settings } = settingsOf(claim, params);
  const depths = layers === ALL ? DEPTHS : [layers];
  return overTrainings(
    seeds,
    settings.steps * depths.length,
    async (seed, step) => {
      /** @type {Record<string, any>} */
      const numbers = {};
      for (const depth of depths) Object.assign(numbers, await measure(gf, { ...settings, layers: depth, seed }, step));
      return numbers;
    },
    onProgress,
    signal,
  );
}

/**
 * Measures the share of rows whose largest weight is on the right token, and for one layer the weight there. One layer
 * gives its best and weakest head, two layers the best head of the first and of the last.
 * @param {import('./shared/train.js').Engine} gf
 * @param {{positions: any, heads: number, layers: number, seed: number}} settings
 * @param {() => Promise<void>} step
 */
async function measure(gf, settings, step) {
  return freed(await learn(gf, settings, step), async (model) => {
    const { heldOut } = dataOf(task, settings.seed, HELD_OUT);
    const right = shareRight(model, heldOut.batch, { capture: true });
    const maps = Array.from({ length: settings.layers }, (_, layer) => {
      return /** @type {any} */ (model.tensor(`decoder.layers.${layer}.multihead_attn.weights`));
    });
    const { heads } = await headScores(() => ({ maps }), [heldOut]);
    const sortedIn = (/** @type {number} */ at) =>
      heads.filter(({ layer }) => layer === at).sort((a, b) => b.top1 - a.top1);
    const first = sortedIn(0);
    const mean = meanMaps(maps[maps.length - 1]);
    if (settings.layers > 1)
      return {
        rightOfTwo: right,
        mapsOfTwo: mean,
        firstTop: first[0].top1,
        lastTop: sortedIn(maps.length - 1)[0].top1,
      };
    const [best, weaker] = [first[0], first[first.length - 1]];
    return {
      right,
      maps: mean,
      bestTop: best.top1,
      bestMass: best.mass,
      weakerTop: weaker.top1,
      weakerMass: weaker.mass,
    };
  });
}

/** @type {import('./shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  (numbers) => ({
    verdict: verdictOf([numbers.bestTop, numbers.firstTop, numbers.lastTop].map((shares) => median(shares) >= ALIGNED)),
    on: 'the layer',
    found: alignment(numbers),
  }),
  (numbers, { heads, positions }) => `${heads} heads, positions ${positions}: ${alignment(numbers)}`,
);

/** @param {any} numbers */
const alignment = ({ right, bestTop, bestMass, rightOfTwo, firstTop, lastTop }) =>
  [
    bestTop &&
      `With one layer the best head has its largest weight on the right token in ${percent(bestTop)} of the cases (1 ` +
        `in ${LENGTH} by chance), ${percent(bestMass)} of its weight there; ${percent(right)} of the digits are right.`,
    firstTop &&
      `With two layers the best head of the first has it there in ${percent(firstTop)}, that of the last in ` +
        `${percent(lastTop)}; ${percent(rightOfTwo)} of the digits are right.`,
  ]
    .filter(Boolean)
    .join(' ');

/** @type {import('./shared/explore.js').OwnModel} */
export const ownModel = {
  isTrained: true,
  where: 'at the digit that the first one said comes from',
  text: () => ({
    token: DIGIT,
    joint: '',
    does: 'digits in reverse',
    node: 'attention',
    goal: 'say six digits in reverse, one after the other.',
    hint:
      'It opens at the first digit of the output, in the head with most weight on the digit that each comes from, ' +
      'here the last one.',
  }),
  steps: STEPS,
  learn,
  show: (model, { seed }) => {
    const { sourceIds, targetIds } = /** @type {any} */ (dataOf(task, seed, HELD_OUT).heldOut.batch);
    model.forward({ sourceIds, targetIds, capture: true });
    const weights = /** @type {any} */ (model.tensor('decoder.layers.0.multihead_attn.weights'));
    const last = weights.shape[3] - 1;
    const head = indexOfLargest(massOf(weights, (at) => last - at, range(weights.shape[2])));
    // The token that is said first comes from the last one.
    return { task, rows: rowsIn(sourceIds), cell: { kind: 'cross', head, row: 0, key: last, neuron: null } };
  },
};

/** @type {import('./shared/picture.js').PictureOf} */
export function picture({ maps, mapsOfTwo, ...numbers }, params) {
  const { bestTop, bestMass, weakerTop, weakerMass, firstTop, lastTop } = numbers;
  const { heads = 2 } = params;
  const shown = maps ?? mapsOfTwo;
  const size = shown[0].length / Number(heads);
  const columns = Math.sqrt(size);
  return [
    {
      kind: 'maps',
      title: `Cross-attention of each head, ${seedsOf(params)[0]}`,
      note:
        'The mean over the held-out inputs; of two layers the last. Reversed, each output comes from the other ' +
        'end of the input.',
      scale: 'share',
      columns,
      rowAxis: { title: 'output' },
      columnAxis: { title: 'input' },
      maps: range(Number(heads)).map((head) => ({
        title: `Head ${head + 1}`,
        values: shown[0].slice(head * size, (head + 1) * size),
      })),
    },
    {
      kind: 'rows',
      title: 'Attention to the right token',
      x: { title: 'share', low: 0, high: 1, percent: true },
      rows: [
        ...given(bestTop, () => [
          { label: 'One layer, best head: its largest weight is there', marks: marks(params, bestTop) },
          { label: 'One layer, best head: weight there', marks: marks(params, bestMass) },
          { label: 'One layer, weakest head: its largest weight is there', marks: marks(params, weakerTop) },
          { label: 'One layer, weakest head: weight there', marks: marks(params, weakerMass) },
        ]),
        ...given(firstTop, () => [
          { label: 'First of two layers, best head: its largest weight', marks: marks(params, firstTop) },
          { label: 'Last of two layers, best head: its largest weight', marks: marks(params, lastTop) },
        ]),
      ],
      levels: [{ name: 'by chance', at: 1 / columns }],
    },
  ];
}
