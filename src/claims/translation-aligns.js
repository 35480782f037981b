import { translate } from 'glassformer/tasks';
import { outcomeOf, settingsOf, sharesWithin, verdictOf } from './shared/claim.js';
import { median } from './shared/numbers.js';
import { marks } from './shared/picture.js';
import { overTrainings, percent } from './shared/train.js';
import { RATE, teach, TRANSLATOR, WIDTHS } from './shared/translator.js';

const STEPS = 600;
/** The share of words from which on we say that a layer aligns. */
const ALIGNED = 0.9;

const share = sharesWithin(0.05);

/** @type {import('./shared/claim.js').Claim} */
export const claim = {
  number: 51,
  name: 'Alignment in translation',
  sentence: 'In a translator, cross-attention shows which word each word is the translation of.',
  saidBy: 'Luong et al. 2015, “Effective Approaches to Attention-based Neural Machine Translation”, section 5.4',
  experiment:
    'An encoder–decoder learns a small English and French in 600 steps. For each French word of 64 new sentences we ' +
    'look whether the largest weight, of the mean over heads, lies on an English word that it is made from.',
  sketch: TRANSLATOR,
  literature: {
    for: ['Bahdanau et al. 2015, “Neural Machine Translation by Jointly Learning to Align and Translate”'],
    against: [
      'Garg et al. 2019, “Jointly Learning to Align and Translate with Transformer Models”',
      'Kobayashi et al. 2020, “Attention is Not Only a Weight: Analyzing Transformers with Vector Norms”',
      'Koehn and Knowles 2017, “Six Challenges for Neural Machine Translation”',
    ],
  },
  why:
    'Nouns, adjectives and verbs can only come from their English word, and the last layer fetches it where it is ' +
    'said. The first layer need not find it yet; an article must agree with its noun, and so needs more than one word.',
  limits:
    'One grammar and two layers, and links that follow from how its sentences are made. The page’s Spanish model, of ' +
    'three layers, finds 5, 36 and 63 % of the links that people have set in its Bible. 90 % is our cutoff.',
  overturn: 'A first layer, or all words of the last one, that find their word in nine of ten cases.',
  choices: [
    { label: 'In both layers, for nouns, adjectives and verbs as for all words.', verdict: 'true' },
    { label: 'That depends on the layer and on the word.', verdict: 'it depends' },
    { label: 'In neither layer, whatever the word.', verdict: 'false' },
  ],
  guess: { name: 'firstContent', from: 0, to: 1 },
  inputs: [{ name: 'heads', label: 'Heads', values: [1, 2, 4], default: 4 }],
  scales: WIDTHS,
  long: true,
  seeded: true,
  expected: [
    share('firstContent', 'First layer: of nouns, adjectives and verbs', [0.23, 0.42]),
    share('first', 'First layer: of all words', [0.26, 0.43]),
    share('lastContent', 'Last layer: of nouns, adjectives and verbs', [0.93, 1]),
    share('last', 'Last layer: of all words', [0.74, 0.82]),
    share('diagonal', 'The word at the same place: of all words', [0.62, 0.72]),
  ],
  contrast: { heads: 1 },
};

/** @type {import('./shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { seeds, width, heads, learningRate = RATE } = settingsOf(claim, params);
  return overTrainings(
    seeds,
    STEPS,
    async (seed, step) => {
      /** @type {Record<string, any>} */
      const numbers = {};
      await teach(gf, { seed, width, heads, learningRate, steps: STEPS }, step, [STEPS], async (model, pairs) => {
        Object.assign(numbers, await aligned(model, pairs));
      });
      return numbers;
    },
    onProgress,
    signal,
  );
}

/**
 * The shares of the French words whose row has its largest weight on an English word that it is made from: the row
 * that predicts the word.
 * @param {import('./shared/train.js').Model} model
 * @param {readonly import('./shared/translator.js').Pair[]} pairs
 */
async function aligned(model, pairs) {
  const [first, last] = (await translate.score(model, pairs)).layers;
  const onDiagonal = pairs.flatMap(({ links }) => links.map((places, at) => places.includes(at)));
  return {
    firstContent: 1 - first.content.error,
    first: 1 - first.all.error,
    lastContent: 1 - last.content.error,
    last: 1 - last.all.error,
    diagonal: onDiagonal.filter(Boolean).length / onDiagonal.length,
  };
}

/** @type {import('./shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  (numbers) => ({
    verdict: verdictOf(
      ['firstContent', 'first', 'lastContent', 'last'].map((name) => median(numbers[name]) >= ALIGNED),
    ),
    on: 'the layer, and on the word',
    found: found(numbers),
  }),
  (numbers, { heads }) => `${heads} ${heads === 1 ? 'head' : 'heads'}: ${found(numbers)}`,
);

/** @param {any} numbers */
const found = ({ firstContent, first, lastContent, last, diagonal }) =>
  `The last layer finds the word of ${percent(lastContent)} of the nouns, adjectives and verbs, and of ` +
  `${percent(last)} of all words; the first of ${percent(firstContent)} and ${percent(first)}. The word at the same ` +
  `place would be right for ${percent(diagonal)}.`;

/** @type {import('./shared/picture.js').PictureOf} */
export const picture = (numbers, params) => [
  {
    kind: 'rows',
    title: 'French words whose row has its largest weight on their English word',
    x: { title: 'share', low: 0, high: 1, percent: true },
    rows: [
      { label: 'First layer, nouns, adjectives, verbs', marks: marks(params, numbers.firstContent) },
      { label: 'First layer, all words', marks: marks(params, numbers.first) },
      { label: 'Last layer, nouns, adjectives, verbs', marks: marks(params, numbers.lastContent) },
      { label: 'Last layer, all words', marks: marks(params, numbers.last) },
      { label: 'The word at the same place, all words', marks: marks(params, numbers.diagonal) },
    ],
  },
];
