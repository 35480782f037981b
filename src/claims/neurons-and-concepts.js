import { outcomeOf, settingsOf, sharesWithin, verdictOf } from './shared/claim.js';
import { median, normal, randomOf } from './shared/numbers.js';
import { bySeed, marks, range } from './shared/picture.js';
import {
  batchOf,
  detectorsOf,
  dictionaryOf,
  learnPronouns,
  neuronsAt,
  rowsAt,
  scoresOf,
  unseen,
} from './shared/pronouns.js';
import { freed, overTrainings, percent, shareRight } from './shared/train.js';

const [STEPS, DICTIONARY_STEPS] = [600, 1000];
const RATE = 5e-3;
const SENTENCES = 1000;
/** The F1 from which on we say that a unit stands for a label, and the share of the neurons that are to. */
const [STANDS, MOST] = [0.8, 0.5];
const CUTOFFS = [0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95];
const LAYERS = [1, 2];
const [TRAINED, UNTRAINED] = ['trained', 'untrained'];
/** The size of a dictionary, and how many of its features are active at a word. @type {Record<string, number[]>} */
const SIZES = { '192 features, 6 active': [192, 6], '256 features, 5 active': [256, 5] };
const [SIZE] = Object.keys(SIZES);

const share = sharesWithin(0.05);

/** @type {import('./shared/claim.js').Claim} */
export const claim = {
  number: 42,
  name: 'Neurons and concepts',
  sentence: 'Each neuron of an FFN stands for one concept.',
  saidBy: 'Geva et al. 2021, “Transformer Feed-Forward Layers Are Key-Value Memories”, section 3',
  quotes: [
    { text: 'each key correlates with textual patterns in the training examples', from: 'Geva et al. 2021, abstract' },
  ],
  experiment:
    'An encoder of two layers learns what the pronouns of simple sentences stand for. Then we look in other ' +
    'sentences for the label (a word, a kind of noun, adjective, verb or pronoun) that each neuron detects best.',
  sketch: {
    input: ['the', 'dog', '…', 'it', 'was', 'tired'],
    stacks: [{ name: 'encoder', layers: 2, parts: ['attention: 2', 'FFN: 96'] }],
    output: 'dog, and the labels of each neuron',
    width: 48,
    steps: STEPS,
  },
  literature: {
    for: [
      'Bau et al. 2017, “Network Dissection: Quantifying Interpretability of Deep Visual Representations”',
      'Olah et al. 2020, “Zoom In: An Introduction to Circuits”',
    ],
    against: [
      'Elhage et al. 2022, “Toy Models of Superposition”',
      'Bricken et al. 2023, “Towards Monosemanticity: Decomposing Language Models With Dictionary Learning”',
      'Heap et al. 2025, “Sparse Autoencoders Can Interpret Randomly Initialized Transformers”',
    ],
  },
  why:
    'The words and kinds are more than the neurons, so each neuron answers to several of them. A dictionary of ' +
    'features finds directions that answer to one. It finds them in an untrained model, too: they come from the words.',
  limits:
    'One task, and labels of a grammar: a neuron may stand for what has no label here. F1 0.8 is our cutoff; the ' +
    'curves show others. F1 of features says what the activations hold, not what the model has learned.',
  overturn: 'A layer, of any width, half of whose neurons detect one label with F1 0.8 in held-out sentences.',
  choices: [
    { label: 'Most neurons of both layers detect one label.', verdict: 'true' },
    { label: 'In one layer most do, in the other they do not.', verdict: 'it depends' },
    { label: 'Few do, in either layer.', verdict: 'false' },
  ],
  guess: { name: 'neurons1', from: 0, to: 1 },
  inputs: [
    { name: 'model', label: 'Model', values: [TRAINED, UNTRAINED], default: TRAINED, controls: [UNTRAINED] },
    { name: 'layer', label: 'Layer of the features', values: LAYERS, default: 1 },
    { name: 'dictionary', label: 'Dictionary', values: Object.keys(SIZES), default: SIZE },
  ],
  scales: [
    { name: 'neurons', label: 'Neurons of a layer', values: [24, 96, 384], default: 96 },
    { name: 'width', label: 'Width d_model', values: [32, 48, 64], default: 48 },
    { name: 'learningRate', label: 'Learning rate', values: [2e-3, RATE, 1e-2], default: RATE },
    { name: 'steps', label: 'Steps', values: [200, STEPS, 1200], default: STEPS },
    { name: 'cutoff', label: 'Least F1', values: [0.7, STANDS, 0.9], default: STANDS },
  ],
  long: true,
  seeded: true,
  expected: [
    share('right', 'Pronouns that the model resolves', [0.948, 0.985]),
    share('neurons1', 'Neurons of layer 1 that detect one label', [0.02, 0.0521]),
    share('neurons2', 'Neurons of layer 2 that detect one label', [0, 0.0313]),
    share('random', 'Random directions that do', [0.01, 0.0625]),
    share('features', 'Features of a dictionary that do', [0.294, 0.487], {}, 0.1),
    share(
      'features',
      'Features of another dictionary that do',
      [0.287, 0.507],
      { dictionary: Object.keys(SIZES)[1] },
      0.1,
    ),
    share('features', 'Features of layer 2 that do', [0.063, 0.212], { layer: 2 }, 0.08),
    share('neurons1', 'Untrained: neurons of layer 1 that detect one label', [0.093, 0.25], { model: UNTRAINED }, 0.08),
    share('features', 'Untrained: features that do', [0.648, 0.725], { model: UNTRAINED }, 0.08),
  ],
  contrast: { model: UNTRAINED },
};

/** @type {import('./shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { seeds, ...settings } = settingsOf(claim, params);
  const trained = settings.model === TRAINED ? settings.steps : 0;
  return overTrainings(
    seeds,
    trained + DICTIONARY_STEPS,
    (seed, step) => look(gf, { ...settings, isTrained: settings.model === TRAINED, seed }, step),
    onProgress,
    signal,
    (lists) => ({ ...lists, count: settings.neurons }),
  );
}

/**
 * @param {import('./shared/train.js').Engine} gf
 * @param {{isTrained: boolean, layer: number, dictionary: string, neurons: number, width: number,
 *   learningRate: number, steps: number, cutoff: number, seed: number}} of
 * @param {() => Promise<void>} step
 */
const look = async (gf, { layer, dictionary, cutoff, ...of }, step) =>
  freed(await learnPronouns(gf, of, step), async (model) => {
    const { sentences, ids, labels } = unseen(SENTENCES);
    const [features, active] = SIZES[dictionary];
    const { seed } = of;
    const at = neuronsAt(layer);
    const found = await dictionaryOf(model, { at, ids, features, active, steps: DICTIONARY_STEPS, seed }, step);
    const { places, alive = [] } = found;
    const rows = LAYERS.map((each) => rowsAt(model, neuronsAt(each), ids));
    const scored = async (/** @type {import('./shared/numbers.js').Tensor} */ units) =>
      scoresOf(await detectorsOf(units, labels, places));
    const neurons = await Promise.all(rows.map(scored));
    const own = { neuron: neurons[layer - 1], feature: scoresOf(found.score(labels), (unit) => alive[unit]) };
    const random = await scored(directionsOf(gf, rows[layer - 1], seed));
    return {
      right: shareRight(model, batchOf(sentences)),
      ...Object.fromEntries(neurons.map((each, i) => [`neurons${LAYERS[i]}`, shareFrom(each, cutoff)])),
      features: shareFrom(own.feature, cutoff),
      random: shareFrom(random, cutoff),
      ...curvesOf({ ...own, random }),
    };
  });

/** @param {readonly number[]} scores @param {number} least */
const shareFrom = (scores, least) => scores.filter((f1) => f1 >= least).length / scores.length;

/** @param {Record<string, number[]>} scores */
const curvesOf = (scores) =>
  Object.fromEntries(
    Object.entries(scores).map(([name, list]) => [`${name}Curve`, CUTOFFS.map((least) => shareFrom(list, least))]),
  );

/**
 * As many random directions of the activations, whose mean is taken away.
 * @param {import('./shared/train.js').Engine} gf
 * @param {import('./shared/numbers.js').Tensor} rows
 * @param {number} seed
 */
function directionsOf(gf, { data, shape }, seed) {
  const [count, width] = shape;
  const means = range(width).map((unit) => {
    let sum = 0;
    for (let i = unit; i < data.length; i += width) sum += data[i];
    return sum / count;
  });
  const centered = data.map((value, i) => value - means[i % width]);
  return gf.matmul({ data: centered, shape }, normal(randomOf(seed, claim.name), [width, width]));
}

/** @type {import('./shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  (numbers) => ({
    verdict: verdictOf(LAYERS.map((layer) => median(numbers[`neurons${layer}`]) >= MOST)),
    on: 'the layer',
    found: found(numbers, 1),
  }),
  (numbers, { model, layer, dictionary, cutoff }) =>
    `${model === TRAINED ? '' : 'The model is untrained. '}${dictionary}, of layer ${layer}. ` +
    `${cutoff === STANDS ? '' : `The least F1 is ${cutoff}. `}${found(numbers, layer)}`,
);

/** @param {any} numbers @param {number} layer */
const found = ({ count, neurons1, neurons2, random, features }, layer) =>
  `Of the ${count} neurons of layer 1, ${percent(neurons1)} detect one label, of layer 2 ${percent(neurons2)}. By ` +
  `the same rule ${percent(random)} of random directions of layer ${layer}’s activations do, and ` +
  `${percent(features)} of the features of a dictionary.`;

/** @type {import('./shared/picture.js').PictureOf} */
export const picture = (numbers, params) => {
  /** @type {[name: string, label: string][]} */
  const units = [
    ['neuron', 'neurons'],
    ['random', 'random directions'],
    ['feature', 'features'],
  ];
  return [
    {
      kind: 'curves',
      title: 'Units that detect one label',
      note: 'F1 of the label that each detects best, in held-out sentences.',
      x: { title: 'F1 at least', low: 0.5, high: 1 },
      y: { title: 'share of the units', low: 0, high: 1, percent: true },
      series: units.map(([, name]) => ({ name })),
      lines: units.flatMap(([name], s) => bySeed(params, s, numbers[`${name}Curve`], (i) => CUTOFFS[i])),
      levels: [{ name: 'our cutoff', at: STANDS, vertical: true }],
    },
    {
      kind: 'rows',
      title: 'Neurons that detect one label',
      x: { title: 'share of the layer', low: 0, high: 1, percent: true },
      rows: LAYERS.map((layer) => ({ label: `layer ${layer}`, marks: marks(params, numbers[`neurons${layer}`]) })),
      levels: [{ name: 'half', at: MOST }],
    },
  ];
};
