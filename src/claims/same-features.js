import { outcomeOf, settingsOf, sharesWithin, verdictOf } from './shared/claim.js';
import { lengthOf, median, randomOf, say } from './shared/numbers.js';
import { bySeed, marks, range } from './shared/picture.js';
import { dictionaryOf, learnPronouns, neuronsAt, unseen } from './shared/pronouns.js';
import { freed, overTrainings, percent } from './shared/train.js';

const [STEPS, DICTIONARY_STEPS] = [600, 2000];
const [ACTIVE, BATCH] = [6, 128];
const RATE = 5e-3;
const SENTENCES = 1000;
/** Cosines: from the first on we call two features alike, from the second on the same. */
const [ALIKE, SAME] = [0.7, 0.9];
/** The share of the features that is to have such a partner. */
const MOST = 0.5;
const CUTOFFS = [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95];
/** Added to the seed, for the other dictionary. */
const OTHER = 1000;
const [SEED, SHUFFLED] = ['another seed', 'another seed, coordinates shuffled'];
/** @type {Record<string, string>} */
const PLACES = { 'FFN of layer 1': neuronsAt(1), 'stream after layer 1': 'encoder.layers.0.out' };
const [FFN, STREAM] = Object.keys(PLACES);
const SIZES = [96, 192, 384];

const share = sharesWithin(0.08);

/** @type {import('./shared/claim.js').Claim} */
export const claim = {
  number: 44,
  name: 'Features of another seed',
  sentence: 'A sparse autoencoder with another seed finds the same features.',
  saidBy: 'Often said of dictionaries of features',
  experiment:
    'An encoder of two layers learns what pronouns stand for. Two dictionaries of 192 features learn its activations ' +
    'from different seeds, and for each feature of one the nearest direction among those of the other is found.',
  sketch: {
    input: ['the', 'dog', '…', 'it', 'was', 'tired'],
    stacks: [{ name: 'encoder', parts: ['attention: 2', 'FFN: 96'] }, { parts: ['dictionary: 192'] }],
    output: 'cosines of features of two seeds',
    width: 48,
    steps: STEPS,
  },
  literature: {
    for: ['Bricken et al. 2023, “Towards Monosemanticity: Decomposing Language Models With Dictionary Learning”'],
    against: [
      'Paulo and Belrose 2025, “Sparse Autoencoders Trained on the Same Data Learn Different Features”',
      'Leask et al. 2025, “Sparse Autoencoders Do Not Find Canonical Units of Analysis”',
    ],
  },
  why:
    'Many dictionaries rebuild the same vectors equally well: one splits a word by its neighbours, another by its ' +
    'place. The seed decides which one Adam reaches; each direction lies near the same activations.',
  limits:
    'One small model, two dictionaries of the same activations, features that are active somewhere. 0.7 and 0.9 are ' +
    'our cutoffs; the curves show others. Nearest, not one to one: two features may share a partner.',
  overturn:
    'Dictionaries half of whose features have a partner with cosine 0.9, or hardly one of whose has one with 0.7.',
  choices: [
    { label: 'Half of the features have a partner with cosine 0.9 or more.', verdict: 'true' },
    { label: 'Half have one with 0.7 or more, but not with 0.9.', verdict: 'it depends' },
    { label: 'Not even with 0.7.', verdict: 'false' },
  ],
  guess: { name: 'same', from: 0, to: 1 },
  inputs: [
    { name: 'partner', label: 'Compared with', values: [SEED, SHUFFLED], default: SEED, controls: [SHUFFLED] },
    { name: 'place', label: 'Activations', values: [FFN, STREAM], default: FFN },
    { name: 'features', label: 'Features', values: SIZES, default: 192 },
  ],
  scales: [
    { name: 'features', label: 'Features', values: SIZES },
    { name: 'learningRate', label: 'Learning rate', values: [1e-3, 3e-3, 1e-2], default: 3e-3 },
    { name: 'steps', label: 'Steps', values: [500, DICTIONARY_STEPS], default: DICTIONARY_STEPS },
  ],
  long: true,
  seeded: true,
  expected: [
    share('alike', 'Features with a partner of cosine 0.7 or more', [0.54, 0.681]),
    share('same', 'Features with one of 0.9 or more', [0.109, 0.224]),
    { name: 'middle', label: 'Median cosine of the partners', range: [0.726, 0.779], tolerance: { absolute: 0.05 } },
    share('unexplained', 'Variance that a dictionary does not rebuild', [0.131, 0.179]),
    share('alike', 'Shuffled: with a partner of 0.7 or more', [0, 0], { partner: SHUFFLED }),
    share('same', 'Features of the stream with one of 0.9 or more', [0.252, 0.458], { place: STREAM }),
  ],
  contrast: { partner: SHUFFLED },
};

/** @type {import('./shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { seeds, ...settings } = settingsOf(claim, params);
  return overTrainings(
    seeds,
    STEPS + 2 * settings.steps,
    (seed, step) => compare(gf, { ...settings, seed }, step),
    onProgress,
    signal,
  );
}

/**
 * @param {import('./shared/train.js').Engine} gf
 * @param {{partner: string, place: string, features: number, learningRate: number, steps: number,
 *   seed: number}} of
 * @param {() => Promise<void>} step
 */
const compare = async (gf, { partner, place, seed, ...of }, step) =>
  freed(
    await learnPronouns(gf, { width: 48, neurons: 96, learningRate: RATE, steps: STEPS, seed }, step),
    async (model) => {
      const { ids } = unseen(SENTENCES);
      const own = (/** @type {number} */ seedOf) =>
        dictionaryOf(model, { at: PLACES[place], ids, active: ACTIVE, batch: BATCH, ...of, seed: seedOf }, step);
      const [first, second] = [await own(seed), await own(seed + OTHER)];
      const random = randomOf(seed, claim.name);
      const others = directionsOf(second).map((row) => (partner === SHUFFLED ? random.shuffle(row) : row));
      const cosines = directionsOf(first).map((row) => nearest(row, others));
      const from = (/** @type {number} */ least) => cosines.filter((one) => one >= least).length / cosines.length;
      return {
        alike: from(ALIKE),
        same: from(SAME),
        middle: median(cosines),
        curve: CUTOFFS.map(from),
        count: cosines.length,
        unexplained: Number(first.unexplained),
      };
    },
  );

/**
 * The directions, of length 1, that the features which are active anywhere write.
 * @param {import('glassformer/features').Features} found
 * @returns {number[][]}
 */
function directionsOf(found) {
  const { size, width, alive = [] } = found;
  const one = (/** @type {number} */ feature) => range(size).map((other) => Number(other === feature));
  const none = found.decode([range(size).map(() => 0)]).data;
  const all = found.decode(range(size).map(one)).data;
  return range(size)
    .filter((feature) => alive[feature])
    .map((feature) => {
      const row = range(width).map((i) => all[feature * width + i] - none[i]);
      const length = lengthOf(row);
      return row.map((value) => value / length);
    });
}

/** The largest cosine. @param {readonly number[]} row @param {readonly number[][]} others */
const nearest = (row, others) =>
  others.reduce(
    (most, other) =>
      Math.max(
        most,
        row.reduce((sum, value, i) => sum + value * other[i], 0),
      ),
    -1,
  );

/** @type {import('./shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  (numbers) => ({
    verdict: verdictOf(['alike', 'same'].map((name) => median(numbers[name]) >= MOST)),
    on: 'how near counts as the same',
    found: found(numbers),
  }),
  (numbers, { partner, place, features }) =>
    `${features} features of the ${place}${partner === SEED ? '' : ', the other dictionary’s coordinates shuffled'}. ` +
    found(numbers),
);

/** @param {any} numbers */
const found = ({ alike, same, middle, unexplained }) =>
  `In the other dictionary ${percent(alike)} of the features have a partner with cosine ${ALIKE} or more, ` +
  `${percent(same)} one with ${SAME} or more; the median is ${say(middle)}. Each dictionary leaves ` +
  `${percent(unexplained)} of the variance.`;

/** @type {import('./shared/picture.js').PictureOf} */
export const picture = (numbers, params) => [
  {
    kind: 'curves',
    title: 'Features with a partner',
    note: 'The nearest direction of the other dictionary.',
    x: { title: 'cosine at least', low: 0.3, high: 1 },
    y: { title: 'share of the features', low: 0, high: 1, percent: true },
    series: [{ name: 'features' }],
    lines: bySeed(params, 0, numbers.curve, (i) => CUTOFFS[i]),
    levels: [
      { name: 'alike', at: ALIKE, vertical: true },
      { name: 'the same', at: SAME, vertical: true },
    ],
  },
  {
    kind: 'rows',
    title: 'Median cosine of the partners',
    x: { title: 'cosine', low: 0, high: 1 },
    rows: [{ label: 'nearest direction', marks: marks(params, numbers.middle) }],
  },
];
