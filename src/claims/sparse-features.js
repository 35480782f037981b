import { outcomeOf, settingsOf, verdictOf } from './shared/claim.js';
import { largest, median, randomOf, say } from './shared/numbers.js';
import { marks, range } from './shared/picture.js';
import { overTrainings } from './shared/train.js';
import { createToy, rebuild } from './shared/toy.js';

const [ALWAYS, RARE] = [1, 0.03];
const BOTH = '1 and 0.03';
const ENDINGS = ['Dense', 'Sparse'];
const [WITH, WITHOUT] = ['with ReLU', 'without'];
const BATCH = 64;
/** A feature alone at 1 comes back if its output is the largest, and above this. */
const FOUND = 0.5;
/** Steps of a training that count as one of the run's. */
const STRIDE = 10;

/**
 * @param {string} name
 * @param {string} label
 * @param {readonly [low: number, high: number]} range
 * @param {import('./shared/claim.js').Params} [at]
 * @returns {import('./shared/claim.js').Expected}
 */
const count = (name, label, range, at) => ({ name, label, range, ...(at && { at }), tolerance: { absolute: 2 } });

/** @type {import('./shared/claim.js').Claim} */
export const claim = {
  number: 46,
  name: 'Superposition',
  sentence: 'A layer of m numbers can carry at most m features.',
  saidBy: 'Often said, by linear algebra: m numbers have no more than m independent directions',
  experiment:
    '20 features go through 5 numbers and come back, x′ = ReLU(WᵀWx + b). Once every feature is there in each input, ' +
    'once each in 3 of 100. Then each feature is put in alone, to see whether it comes back and no other one.',
  sketch: {
    input: ['20 features'],
    stacks: [{ parts: ['W: 5 numbers', 'Wᵀ, ReLU'] }],
    output: 'the same 20',
    width: 5,
    steps: 1500,
  },
  literature: {
    for: ['Eckart and Young 1936, “The approximation of one matrix by another of lower rank”: the best linear map'],
    against: [
      'Elhage et al. 2022, “Toy Models of Superposition”',
      'Donoho 2006, “Compressed Sensing”: few measurements, where most numbers are 0',
    ],
  },
  why:
    'Where few features are there at once, their directions need not be at right angles: the noise of one in another ' +
    'is small, and ReLU with a negative bias cuts it off. Where all are there, the noises add up.',
  limits:
    'Features that are independent, equally important and alone when they are tested. A trained Transformer chooses ' +
    'its own. A largest output above 0.5 is our cutoff.',
  overturn: 'No more than m of the rare features come back, or without ReLU as many as with it.',
  choices: [
    { label: 'At most 5 come back, however rare they are.', verdict: 'true' },
    { label: 'At most 5 if they are always there; more if they are rare.', verdict: 'it depends' },
    { label: 'More than 5, even if they are always there.', verdict: 'false' },
  ],
  guess: { name: 'foundSparse', from: 0, to: 20 },
  inputs: [
    { name: 'way', label: 'Output', values: [WITH, WITHOUT], default: WITH, controls: [WITHOUT] },
    { name: 'occurs', label: 'Chance that a feature is there', values: [BOTH, 1, 0.5, 0.3, 0.1, 0.03], default: BOTH },
    { name: 'features', label: 'Features', values: [10, 20, 40], default: 20 },
  ],
  scales: [
    { name: 'sparse', label: 'Chance that a rare feature is there', values: [0.01, RARE, 0.1], default: RARE },
    { name: 'features', label: 'Features', values: [10, 20, 40] },
    { name: 'width', label: 'Numbers', values: [3, 5, 10], default: 5 },
    { name: 'learningRate', label: 'Learning rate', values: [0.003, 0.01, 0.03], default: 0.01 },
    { name: 'steps', label: 'Steps', values: [500, 1500, 5000], default: 1500 },
  ],
  long: false,
  seeded: true,
  expected: [
    count('foundDense', 'Features that come back, always there', [2, 5]),
    count('foundSparse', 'Features that come back, each in 3 of 100', [19, 20]),
    count('foundSparse', 'Without ReLU, each in 3 of 100', [2, 5], { way: WITHOUT }),
    count('found', 'Each in 3 of 10', [10, 11], { occurs: 0.3 }),
  ],
  contrast: { way: WITHOUT },
  boundary: {
    x: { name: 'occurs', label: 'Chance that a feature is there', values: [1, 0.5, 0.3, 0.1, 0.03] },
    y: { name: 'features', label: 'Features', values: [10, 20, 40] },
    measure: { name: 'shareFound', label: 'Share of the features that come back' },
    seeds: 3,
  },
};

/** @type {import('./shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { occurs, sparse, seeds, ...settings } = settingsOf(claim, params);
  /** @type {[ending: string, chance: number][]} */
  const chances =
    occurs === BOTH
      ? [
          [ENDINGS[0], ALWAYS],
          [ENDINGS[1], sparse],
        ]
      : [['', occurs]];
  return overTrainings(
    seeds,
    (chances.length * settings.steps) / STRIDE,
    async (seed, step) => {
      /** @type {Record<string, any>} */
      const numbers = {};
      for (const [ending, chance] of chances)
        for (const [name, value] of Object.entries(await learn({ ...settings, chance, seed }, step)))
          numbers[`${name}${ending}`] = value;
      return numbers;
    },
    onProgress,
    signal,
    (lists) => ({
      ...lists,
      chances: chances.map(([, chance]) => chance),
      ofFeatures: settings.features,
      width: settings.width,
    }),
  );
}

/**
 * @param {{way: string, chance: number, features: number, width: number, learningRate: number, steps: number,
 *   seed: number}} of
 * @param {() => Promise<void>} step
 */
async function learn({ way, chance, features, width, learningRate: rate, steps, seed }, step) {
  const shape = { inputs: features, numbers: width, isLinear: way === WITHOUT };
  const random = randomOf(seed, claim.name);
  const weights = new Float64Array(features * width + features);
  for (let i = 0; i < features * width; i++) weights[i] = random.normal() / Math.sqrt(features);
  const toy = createToy({ ...shape, weights, rate, steps, batch: BATCH }, (x) => {
    for (let i = 0; i < features; i++) x[i] = random.uniform() < chance ? random.uniform() : 0;
  });
  for (let at = 0; at < steps; at += STRIDE) {
    toy.train(STRIDE);
    await step();
  }
  const [x, out] = [new Float64Array(features), new Float64Array(features)];
  const back = range(features).map((i) => {
    x.fill(0)[i] = 1;
    rebuild(shape, weights, x, out);
    return Array.from(out);
  });
  const found = back.filter((row, i) => row[i] > FOUND && row[i] === largest(row)).length;
  return { found, shareFound: found / features, back: back.flat() };
}

/** @type {import('./shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  (numbers) => ({
    verdict: verdictOf(ENDINGS.map((ending) => median(numbers[`found${ending}`]) <= numbers.width)),
    on: 'how rarely the features are there',
    found: foundIn(numbers),
  }),
  (numbers, { way }) => (way === WITHOUT ? 'A linear map keeps no more than it has numbers. ' : '') + foundIn(numbers),
);

/** @param {any} numbers */
const foundIn = ({ chances, ofFeatures, ...numbers }) =>
  chances
    .map((/** @type {number} */ chance, /** @type {number} */ i) => {
      const found = numbers[`found${chances.length > 1 ? ENDINGS[i] : ''}`];
      const often = chance === 1 ? 'always there' : `there with a chance of ${chance}`;
      return `Of ${ofFeatures} features that are ${often}, ${say(found)} come back.`;
    })
    .join(' ');

/** @type {import('./shared/picture.js').PictureOf} */
export const picture = (numbers, params) => {
  const { chances, ofFeatures, width } = numbers;
  const endings = chances.length > 1 ? ENDINGS : [''];
  const names = chances.map((/** @type {number} */ chance) => (chance === 1 ? 'always there' : `chance ${chance}`));
  const labels = range(ofFeatures).map(String);
  return [
    {
      kind: 'rows',
      title: 'Features that come back',
      x: { title: `of ${ofFeatures}`, low: 0, high: ofFeatures },
      rows: endings.map((ending, s) => ({ label: names[s], marks: marks(params, numbers[`found${ending}`]) })),
      levels: [{ name: 'numbers', at: width }],
    },
    {
      kind: 'maps',
      title: 'What comes back of each feature alone, first seed',
      scale: 'signed',
      columns: ofFeatures,
      rowAxis: { title: 'put in', labels },
      columnAxis: { title: 'comes back', labels },
      maps: endings.map((ending, s) => ({ title: names[s], values: numbers[`back${ending}`][0] })),
    },
  ];
};
