import { outcomeOf, settingsOf, verdictOf } from './shared/claim.js';
import { inTrain } from './shared/explore.js';
import { median, randomOf } from './shared/numbers.js';
import { marks, range, seedsOf } from './shared/picture.js';
import { batchOf, lookBack, readerOf, recall } from './shared/rows.js';
import { meanMaps, overTrainings, percent, recipeOf, shareRight, train, withModel } from './shared/train.js';

const LENGTH = 16;
const ROWS = 128;
const BATCH = 32;
const STEPS = 400;
const LAYERS = 2;
const BACK = 3;
/** The share of right answers that a map that is not computed may lose for “as good”. */
const SAME = 0.05;
const TASKS = {
  back: { title: `digit ${BACK} back`, row: lookBack(BACK) },
  key: { title: 'value of a key', row: recall },
};
const ALL = 'of both layers';
/** The layers whose maps are fixed. @type {Record<string, number[]>} */
const FIXED = { [ALL]: range(LAYERS), 'of layer 1': [0], 'of layer 2': [1] };
const SHARE = { tolerance: { absolute: 0.05 }, share: true };

/** @type {import('./shared/claim.js').Claim} */
export const claim = {
  number: 36,
  name: 'Weights computed from the input',
  sentence: 'Attention needs weights that are computed from the input: fixed ones, like those of an FFN, would not do.',
  saidBy: 'Lippe 2024, “UvA Deep Learning Tutorials”, tutorial 6, section “What is Attention?”',
  source:
    'https://uvadlc-notebooks.readthedocs.io/en/latest/tutorial_notebooks/tutorial6/Transformers_and_MHAttention.html',
  experiment:
    'Two decoders of two attention layers learn to say the digit 3 places back, and the value of a key that was ' +
    'there before. Then each map is replaced by its mean over 128 rows, as fixed as an FFN’s weights.',
  sketch: {
    input: ['16 digits', 'or keys, values'],
    stacks: [{ name: 'decoder', layers: LAYERS, parts: ['attention: 2', 'its maps: fixed'] }],
    output: 'the digit 3 back, a key’s value',
    width: 32,
    steps: STEPS,
  },
  literature: {
    for: ['Vaswani et al. 2017, “Attention Is All You Need”, section 3.2'],
    against: [
      'Raganato et al. 2020, “Fixed Encoder Self-Attention Patterns in Transformer-Based Machine Translation”',
      'Tay et al. 2021, “Synthesizer: Rethinking Self-Attention in Transformer Models”',
    ],
  },
  why:
    'A = softmax(QKᵀ/√d_k) is made of the input. Where only positions decide, its rows come out alike for every ' +
    'input, and their mean serves as well. A key’s value stands elsewhere in each row, so no fixed map finds it.',
  limits:
    'Two small tasks, attention alone. A mean map is one way to fix the weights; one that is trained as such may do ' +
    'better. Our cutoff: 5 points of what is right.',
  overturn: 'Fixed maps that find a key’s value, or that miss the digit 3 places back.',
  quotes: [
    {
      text: 'the weights dynamically computed based on an input query and elements’ keys',
      from: 'Lippe 2024, tutorial 6, of attention',
    },
  ],
  choices: [
    { label: 'Fixed maps fail at both tasks.', verdict: 'true' },
    { label: 'They fail at the task of keys, and do for that of places.', verdict: 'it depends' },
    { label: 'Fixed maps do as well in both tasks.', verdict: 'false' },
  ],
  guess: { name: 'keyFixed', from: 0, to: 1 },
  inputs: [{ name: 'fixed', label: 'Fixed maps', values: Object.keys(FIXED), default: ALL }],
  scales: [
    { name: 'length', label: 'Tokens', values: [8, LENGTH], default: LENGTH },
    { name: 'learningRate', label: 'Learning rate', values: [2e-3, 5e-3, 1e-2], default: 5e-3 },
    { name: 'd_model', label: 'Width d_model', values: [16, 32], default: 32 },
  ],
  long: true,
  seeded: true,
  expected: [
    { name: 'backRight', label: '3 back: right', range: [1, 1], ...SHARE },
    { name: 'backFixed', label: '3 back: right with fixed maps', range: [1, 1], ...SHARE },
    { name: 'keyRight', label: 'Value of a key: right', range: [1, 1], ...SHARE },
    { name: 'keyFixed', label: 'Value of a key: right with fixed maps', range: [0.41, 0.49], ...SHARE },
    {
      name: 'keyFixed',
      label: 'Layer 1 fixed: value of a key right',
      at: { fixed: 'of layer 1' },
      range: [0.99, 1],
      ...SHARE,
    },
  ],
  contrast: { fixed: 'of layer 1' },
};

/** @type {import('./shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { fixed, seeds, ...sizes } = settingsOf(claim, params);
  return overTrainings(
    seeds,
    Object.keys(TASKS).length * STEPS,
    async (seed, step) => {
      const back = await measure(gf, TASKS.back.row, FIXED[fixed], { ...sizes, seed }, step);
      const key = await measure(gf, TASKS.key.row, FIXED[fixed], { ...sizes, seed }, step);
      return {
        ...{ backRight: back.right, backFixed: back.fixed, keyRight: key.right, keyFixed: key.fixed },
        ...{ keyMap: Array.from(key.map), keyMean: key.mean },
      };
    },
    onProgress,
    signal,
  );
}

/**
 * @param {import('./shared/train.js').Engine} gf
 * @param {import('./shared/rows.js').MakeRow} row
 * @param {readonly number[]} layers whose maps are fixed
 * @param {{seed: number, length: number, d_model: number, learningRate: number}} settings
 * @param {() => Promise<void>} step
 */
const measure = (gf, row, layers, { seed, length, d_model, learningRate }, step) =>
  withModel(gf, readerOf({ layers: LAYERS, positions: 'rotary', d_model, seed }), async (model) => {
    const random = randomOf(seed, claim.name);
    const heldOut = batchOf(random, row, length, ROWS);
    const next = () => batchOf(random, row, length, BATCH);
    await train(model.trainer(recipeOf(learningRate, STEPS)), next, STEPS, step);
    model.forward({ ids: heldOut.ids, capture: true });
    const maps = layers.map((layer) => {
      const name = `decoder.layers.${layer}.self_attn.weights`;
      return { name, tensor: model.tensor(name) };
    });
    const patches = maps.map(({ name, tensor }) => ({ name, value: meanMaps(tensor) }));
    const last = maps.length - 1;
    const size = length * length;
    return {
      right: shareRight(model, heldOut),
      fixed: shareRight(model, heldOut, { patches }),
      map: maps[last].tensor.data.subarray(0, size),
      mean: patches[last].value.slice(0, size),
    };
  });

/** @type {import('./shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  (numbers) => ({
    verdict: verdictOf(['back', 'key'].map((name) => lossOf(numbers, name) > SAME)),
    on: 'whether places or contents decide',
    found: found(numbers),
  }),
  (numbers, { fixed }) => `With the maps ${fixed} fixed. ${found(numbers)}`,
);

/** @param {any} numbers @param {string} name of the task */
const lossOf = (numbers, name) => median(numbers[`${name}Right`]) - median(numbers[`${name}Fixed`]);

/** @param {any} numbers */
const found = (numbers) =>
  `Right with computed and with fixed maps: ${Object.entries(TASKS)
    .map(([name, { title }]) => `${percent(numbers[`${name}Right`])} and ${percent(numbers[`${name}Fixed`])}, ${title}`)
    .join('; ')}.`;

/** @type {import('./shared/explore.js').MatchingOf} */
export const matching = ({ seed }) =>
  inTrain(
    { task: 'induction', positions: 'rotary', seed, step: STEPS },
    'a task that needs both kinds of head, of places and of contents, in two layers',
  );

/** @type {import('./shared/picture.js').PictureOf} */
export const picture = (numbers, params) => [
  {
    kind: 'rows',
    title: 'Right with computed and with fixed maps',
    x: { title: 'share right', low: 0, high: 1, percent: true },
    series: [{ name: 'computed' }, { name: 'fixed' }],
    rows: Object.entries(TASKS).map(([name, { title }]) => ({
      label: title,
      marks: [...marks(params, numbers[`${name}Right`], 0), ...marks(params, numbers[`${name}Fixed`], 1)],
    })),
  },
  {
    kind: 'maps',
    title: `Value of a key: head 1 of the last fixed layer, ${seedsOf(params)[0]}`,
    scale: 'share',
    columns: LENGTH,
    rowAxis: { title: 'query' },
    columnAxis: { title: 'key' },
    maps: [
      { title: 'One row’s map', values: numbers.keyMap[0] },
      { title: 'The mean map', values: numbers.keyMean[0] },
    ],
  },
];
