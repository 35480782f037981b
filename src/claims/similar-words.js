import { Vocabulary } from 'glassformer/tasks';
import { outcomeOf, settingsOf } from './shared/claim.js';
import { largest, lengthOf, median, randomOf, rowsOf, say, smallest } from './shared/numbers.js';
import { given, marks, range, seedsOf } from './shared/picture.js';
import { overTrainings, percent, recipeOf, train, withModel } from './shared/train.js';

/** Nouns, adjectives and verbs that go together; the first two adjectives are opposites. */
const KINDS = [
  ['dog cat horse goat fox', 'hungry full tired', 'runs sleeps eats'],
  ['car bus train truck bike', 'fast slow new', 'drives stops turns'],
  ['tea milk soup juice cocoa', 'hot cold sweet', 'boils cools spills'],
  ['rain snow hail mist fog', 'heavy light wet', 'falls begins ends'],
].map((kind) => kind.map((words) => words.split(' ')));
const VOCABULARY = new Vocabulary(['the', '.', ...KINDS.flat(2)]);
const NOUNS = KINDS.flatMap(([nouns], kind) => nouns.map((word) => ({ word, kind, id: VOCABULARY.id(word) })));
const OPPOSITES = KINDS.map(([, [one, other]]) => [one, other].map((word) => VOCABULARY.id(word)));
const OWN = 'words that go together';
const STEPS = 150;
const BATCH = 32;
const [NARROW, WIDTH] = [8, 16];
const BOTH = '8 and 16';
const RATE = 1e-2;
/** The shares of nouns from which on we say that words used alike are near, and that some are. */
const [ALL, SOME] = [0.9, 0.5];
const BY_CHANCE = 4 / 19;
const SHARE = { tolerance: { absolute: 0.1 }, share: true };
const COSINE = { tolerance: { absolute: 0.12 } };

/** @type {import('./shared/claim.js').Claim} */
export const claim = {
  number: 34,
  name: 'Vectors of similar words',
  sentence: 'Similar words get near vectors.',
  saidBy: 'The TensorFlow Authors 2019, “Word embeddings”, section “Representing text as numbers”',
  source: 'https://www.tensorflow.org/text/tutorials/word_embeddings',
  experiment:
    'A decoder of one layer, 16 or 8 wide, learns to continue sentences like “the hungry dog runs .”: four kinds of ' +
    'nouns, each with its adjectives and verbs. The cosines of 20 nouns in its table are compared before and after.',
  sketch: {
    input: ['the', 'hungry', 'dog', '…'],
    stacks: [{ name: 'decoder', layers: 1, parts: ['attention, causal: 2', 'FFN: 32'] }],
    output: 'cosines of 20 nouns',
    width: WIDTH,
    steps: 150,
  },
  literature: {
    for: [
      'Bengio et al. 2003, “A Neural Probabilistic Language Model”',
      'Mikolov et al. 2013, “Efficient Estimation of Word Representations in Vector Space”',
    ],
    against: ['Mrkšić et al. 2016, “Counter-fitting Word Vectors to Linguistic Constraints”'],
  },
  why:
    'Words that the same words follow get the same gradients, so their vectors move the same way. Nothing else ' +
    'brings them together: in a fresh table they lie at random. Few numbers leave little room to keep kinds apart.',
  limits:
    'A small made-up language, 44 words. “Similar” is used alike: hot and cold, which are opposites, get as near. ' +
    'Our cutoff: 9 of 10 nouns have a noun of their kind as the nearest.',
  overturn: 'A trained table in which words used alike are no nearer than others.',
  quotes: [
    {
      text: 'an efficient, dense representation in which similar words have a similar encoding',
      from: 'The TensorFlow Authors 2019, section “Representing text as numbers”',
    },
  ],
  choices: [
    { label: 'Nearly every noun’s nearest noun is one of its kind.', verdict: 'true' },
    { label: 'So it is in wide vectors; in narrow ones some nouns have others nearer.', verdict: 'it depends' },
    { label: 'They lie as they lay before training.', verdict: 'false' },
  ],
  guess: { name: 'nearest', from: 0, to: 1 },
  inputs: [
    {
      name: 'text',
      label: 'Sentences',
      values: [OWN, 'any words together'],
      default: OWN,
      controls: ['any words together'],
    },
    { name: 'steps', label: 'Steps', values: [50, STEPS], default: STEPS },
    { name: 'width', label: 'Width d_model', values: [BOTH, NARROW, WIDTH, 32], default: BOTH },
  ],
  scales: [
    { name: 'steps', label: 'Steps', values: [25, 50, STEPS, 400] },
    { name: 'width', label: 'Width d_model', values: [4, NARROW, WIDTH, 32, 64] },
    { name: 'learningRate', label: 'Learning rate', values: [1e-3, 3e-3, RATE, 3e-2], default: RATE },
  ],
  long: true,
  seeded: true,
  expected: [
    { name: 'nearest', label: 'Nouns whose nearest noun is of their kind', range: [0.95, 1], ...SHARE },
    { name: 'nearestNarrow', label: 'The same in vectors of 8 numbers', range: [0.75, 0.95], ...SHARE },
    { name: 'nearestBefore', label: 'The same before training', range: [0.1, 0.35], ...SHARE },
    { name: 'alike', label: 'Mean cosine of two nouns of a kind', range: [0.409, 0.531], ...COSINE },
    { name: 'apart', label: 'Mean cosine of two nouns of different kinds', range: [-0.033, 0.034], ...COSINE },
    { name: 'opposites', label: 'Mean cosine of opposites, as hot and cold', range: [0.443, 0.695], ...COSINE },
    {
      name: 'nearest',
      label: 'Any words together: nouns whose nearest noun is of their kind',
      at: { text: 'any words together' },
      range: [0.1, 0.5],
      ...SHARE,
    },
  ],
  contrast: { text: 'any words together' },
};

/** @type {import('./shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { text, steps, width, learningRate, seeds } = settingsOf(claim, params);
  const configOf = (/** @type {number} */ d_model) =>
    /** @type {const} */ ({
      kind: 'decoder',
      vocabulary: VOCABULARY.size,
      d_model,
      heads: 2,
      d_ff: 2 * d_model,
      layers: 1,
      head: 'linear',
    });
  /** @param {number} seed @param {number} d_model @param {() => Promise<void>} step */
  const learnt = (seed, d_model, step) =>
    withModel(gf, { ...configOf(d_model), seed }, async (model) => {
      const random = randomOf(seed, claim.name);
      const before = cosinesOf(model);
      await train(model.trainer(recipeOf(learningRate, steps, 20)), () => batchOf(random, text === OWN), steps, step);
      const after = cosinesOf(model);
      return {
        ...measured(after.nouns),
        nearestBefore: measured(before.nouns).nearest,
        opposites: mean(after.opposites),
        before: before.nouns.flat(),
        after: after.nouns.flat(),
      };
    });
  return overTrainings(
    seeds,
    width === BOTH ? 2 * steps : steps,
    async (seed, step) => {
      if (width !== BOTH) return learnt(seed, width, step);
      const { nearest } = await learnt(seed, NARROW, step);
      return { ...(await learnt(seed, WIDTH, step)), nearestNarrow: nearest };
    },
    onProgress,
    signal,
  );
}

/** @param {readonly number[]} values */
const mean = (values) => values.reduce((sum, one) => sum + one, 0) / values.length;

/**
 * Sentences as “the hungry dog runs .”
 * @param {import('glassformer/tasks').Random} random
 * @param {boolean} together whether noun, adjective and verb are of one kind
 * @returns {any}
 */
function batchOf(random, together) {
  const rows = range(BATCH).map(() => {
    const kind = random.choose(KINDS);
    const [adjective, noun, verb] = [1, 0, 2].map((part) =>
      random.choose((together ? kind : random.choose(KINDS))[part]),
    );
    return VOCABULARY.ids(['the', adjective, noun, verb, '.']);
  });
  const tensor = (/** @type {number} */ from) => ({
    data: Int32Array.from(rows.flatMap((row) => row.slice(from, from + 4))),
    shape: [BATCH, 4],
  });
  return { ids: tensor(0), labels: tensor(1) };
}

/** The cosines of all nouns, and those of opposites, in the table. @param {import('./shared/train.js').Model} model */
function cosinesOf(model) {
  const table = rowsOf(/** @type {import('./shared/numbers.js').Tensor} */ (model.tensor('tok_emb.weight')));
  const lengths = table.map(lengthOf);
  const cosine = (/** @type {number} */ a, /** @type {number} */ b) =>
    table[a].reduce((sum, one, c) => sum + one * table[b][c], 0) / (lengths[a] * lengths[b]);
  return {
    nouns: NOUNS.map((one) => NOUNS.map((other) => cosine(one.id, other.id))),
    opposites: OPPOSITES.map(([one, other]) => cosine(one, other)),
  };
}

/** @param {number[][]} cosines of all nouns */
function measured(cosines) {
  const pairs = NOUNS.flatMap(({ kind }, a) =>
    range(a).map((b) => ({ isAlike: kind === NOUNS[b].kind, cosine: cosines[a][b] })),
  );
  const nearest = NOUNS.filter(({ kind }, a) => {
    const others = range(NOUNS.length).filter((b) => b !== a);
    const best = others.reduce((one, other) => (cosines[a][other] > cosines[a][one] ? other : one));
    return NOUNS[best].kind === kind;
  });
  const meanOf = (/** @type {boolean} */ isAlike) =>
    mean(pairs.filter((pair) => pair.isAlike === isAlike).map(({ cosine }) => cosine));
  return { nearest: nearest.length / NOUNS.length, alike: meanOf(true), apart: meanOf(false) };
}

/** @type {import('./shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  (numbers) => {
    const { nearest, nearestNarrow = nearest } = numbers;
    const shares = [nearest, nearestNarrow].map(median);
    const verdict = smallest(shares) >= ALL ? 'true' : largest(shares) >= SOME ? 'it depends' : 'false';
    return { verdict, on: 'the width of the vectors', found: found(numbers) };
  },
  (numbers, { text, steps, width }) => `With ${text}, width ${width}, after ${steps} steps: ${found(numbers)}`,
);

/** @param {any} numbers */
const found = ({ nearest, nearestNarrow, nearestBefore, alike, apart, opposites }) =>
  `${percent(nearest)} of the nouns have one of their kind as the nearest` +
  `${nearestNarrow ? `, ${percent(nearestNarrow)} in vectors of ${NARROW} numbers` : ''}, before training ` +
  `${percent(nearestBefore)}. The mean cosine is ${say(alike)} within a kind, ${say(apart)} between kinds, and ` +
  `${say(opposites)} for opposites.`;

/** @type {import('./shared/picture.js').PictureOf} */
export const picture = ({ before, after, nearest, nearestNarrow, nearestBefore }, params) => [
  {
    kind: 'rows',
    title: 'Nouns whose nearest noun is of their kind',
    x: { title: 'share', low: 0, high: 1, percent: true },
    rows: [
      { label: 'before training', marks: marks(params, nearestBefore) },
      { label: 'after training', marks: marks(params, nearest) },
      ...given(nearestNarrow, () => [{ label: `after, ${NARROW} wide`, marks: marks(params, nearestNarrow) }]),
    ],
    levels: [{ name: 'by chance', at: BY_CHANCE }],
  },
  {
    kind: 'maps',
    title: `Cosines of the nouns, ${seedsOf(params)[0]}`,
    note: 'Five nouns of a kind stand side by side.',
    scale: 'signed',
    columns: NOUNS.length,
    rowAxis: { title: 'noun', labels: NOUNS.map(({ word }) => word) },
    columnAxis: { title: 'noun', labels: NOUNS.map(({ word }) => word) },
    maps: [
      { title: 'Before training', values: before[0] },
      { title: 'After training', values: after[0] },
    ],
  },
];
