import { outcomeOf, settingsOf, sharesWithin, verdictOf } from './shared/claim.js';
import { indexOfLargest } from './shared/explore.js';
import { median } from './shared/numbers.js';
import { marks, range } from './shared/picture.js';
import { dictionaryOf, hiddenWord, learnPronouns, neuronsAt, unseen } from './shared/pronouns.js';
import { freed, overTrainings, percent } from './shared/train.js';

const [STEPS, DICTIONARY_STEPS] = [600, 1000];
const RATE = 5e-3;
const SENTENCES = 1000;
/** The F1 from which on we say that a feature detects a label. */
const DETECTS = 0.8;
/** Against hiding the word: the share of its effect from which on we say that a feature matters. */
const MATTERS = 0.5;
const [ADJECTIVE, BEFORE, PRONOUN] = ['the adjective', 'the word before it', 'the pronoun'];
const SIZES = [96, 192, 256];
/** @type {Record<string, string>} */
const PLACES = {
  'stream after layer 1': 'encoder.layers.0.out',
  'FFN of layer 1': neuronsAt(1),
  embedding: 'encoder.embedding',
};
const [STREAM, FFN, EMBEDDING] = Object.keys(PLACES);

const share = sharesWithin(0.08);

/** @type {import('./shared/claim.js').Claim} */
export const claim = {
  number: 43,
  name: 'Detecting and causing',
  sentence: 'A unit that detects a concept is what the model uses for it.',
  saidBy: 'Often said of probes, neurons and features',
  experiment:
    'An encoder learns what “it” stands for where only the adjective decides: tired or deep. After layer 1 we switch ' +
    'off the features that detect a label at the adjective, and see whether the answer turns.',
  sketch: {
    input: ['the', 'dog', '…', 'it', 'was', 'tired'],
    stacks: [
      { name: 'encoder', parts: ['attention: 2', 'FFN: 96'] },
      { parts: ['dictionary: 192', 'attention: 2', 'FFN: 96'] },
    ],
    output: 'dog or creek',
    width: 48,
    steps: STEPS,
  },
  literature: {
    for: ['Dai et al. 2022, “Knowledge Neurons in Pretrained Transformers”'],
    against: [
      'Ravichander et al. 2021, “Probing the Probing Paradigm: Does Probing Accuracy Entail Task Relevance?”',
      'Elazar et al. 2021, “Amnesic Probing: Behavioral Explanation with Amnesic Counterfactuals”',
      'Antverg and Belinkov 2022, “On the Pitfalls of Analyzing Individual Neurons in Language Models”',
    ],
  },
  why:
    'Layer 1 brings the adjective to the pronoun. The adjective’s own vector still holds the word afterwards, so ' +
    'features detect it there, but hardly a later layer reads it for this answer. In the embedding it is still read.',
  limits:
    'One small model and one task, and a place where the word is no longer needed: other detectors are causes. ' +
    'F1 0.8, and half of the answers that turn without the word, are our cutoffs.',
  overturn: 'Features that detect the word after layer 1 and turn half of the answers that hiding it turns.',
  choices: [
    { label: 'Without these features the answer turns, half as often as without the word or more.', verdict: 'true' },
    { label: 'It turns less often: they detect what the model does not use there.', verdict: 'false' },
  ],
  guess: { name: 'turned', from: 0, to: 1 },
  inputs: [
    {
      name: 'word',
      label: 'Switched off at',
      values: [ADJECTIVE, PRONOUN, BEFORE],
      default: ADJECTIVE,
      controls: [BEFORE],
    },
    { name: 'place', label: 'Features of', values: [STREAM, FFN, EMBEDDING], default: STREAM },
    { name: 'features', label: 'Features', values: SIZES, default: 192 },
  ],
  scales: [
    { name: 'width', label: 'Width d_model', values: [32, 48, 64], default: 48 },
    { name: 'learningRate', label: 'Learning rate', values: [2e-3, RATE, 1e-2], default: RATE },
  ],
  long: true,
  seeded: true,
  expected: [
    share('hidden', 'Word hidden: answers that turn', [0.318, 0.588]),
    share('detected', 'Places where a feature detects a label', [0.909, 1]),
    share('turned', 'These off: answers that turn', [0, 0.14], {}, 0.05),
    share('turned', 'FFN of layer 1: answers that turn', [0, 0.013], { place: FFN }, 0.05),
    share('turned', 'Embedding: answers that turn', [0.112, 0.295], { place: EMBEDDING }, 0.1),
  ],
  contrast: { place: EMBEDDING },
};

/** @type {import('./shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { seeds, ...settings } = settingsOf(claim, params);
  return overTrainings(
    seeds,
    STEPS + DICTIONARY_STEPS,
    (seed, step) => look(gf, { ...settings, seed }, step),
    onProgress,
    signal,
  );
}

/**
 * @param {import('./shared/train.js').Engine} gf
 * @param {{word: string, place: string, features: number, learningRate: number, width: number,
 *   seed: number}} of
 * @param {() => Promise<void>} step
 */
const look = async (gf, { word, place, features, ...of }, step) =>
  freed(await learnPronouns(gf, { ...of, neurons: 96, steps: STEPS }, step), async (model) => {
    const { sentences, ids, labels } = unseen(SENTENCES);
    const answer = (/** @type {number[]} */ row, /** @type {number} */ at, /** @type {object[]} */ patches = []) => {
      const { data, shape } = /** @type {any} */ (model.forward({ ids: row, patches }).logits);
      return indexOfLargest(data.subarray(at * shape[2], (at + 1) * shape[2]));
    };
    const cases = sentences.flatMap(({ decided, tokens }, i) => {
      const roles = tokens.map(({ role }) => role);
      const [pronoun, adjective] = [roles.lastIndexOf('pronoun'), roles.lastIndexOf('predicate')];
      if (!decided || adjective < pronoun) return [];
      const right = ids[i][tokens[pronoun].link];
      const at = { [ADJECTIVE]: adjective, [BEFORE]: adjective - 1, [PRONOUN]: pronoun }[word] ?? adjective;
      return answer(ids[i], pronoun) === right ? [{ row: ids[i], pronoun, at, right }] : [];
    });
    const shareOf = (/** @type {(one: typeof cases[number], i: number) => boolean} */ is) =>
      cases.filter(is).length / cases.length;
    const at = PLACES[place];
    const options = { at, ids, features, active: 6, steps: DICTIONARY_STEPS, seed: of.seed };
    const found = await dictionaryOf(model, options, step);
    const detectors = found.score(labels);
    const detecting = cases.map(({ row, at: token }) => {
      const values = found.encode(model.trace({ ids: row, capture: [at] })).data;
      const isActive = (/** @type {number} */ unit) => values[token * features + unit] > 0;
      return range(features).filter((unit) => isActive(unit) && Number(detectors[unit]?.f1) >= DETECTS);
    });
    const off = detecting.map((units, i) => units.map((feature) => ({ of: found, row: cases[i].at, feature, set: 0 })));
    return {
      cases: cases.length,
      hidden: shareOf((one) => answer(hidden(one.row, one.at), one.pronoun) !== one.right),
      detected: shareOf((_, i) => off[i].length > 0),
      turned: shareOf(({ row, pronoun, right }, i) => answer(row, pronoun, off[i]) !== right),
    };
  });

/** The row without one of its words. @param {readonly number[]} row @param {number} at */
const hidden = (row, at) => row.map((id, i) => (i === at ? hiddenWord : id));

/** @type {import('./shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  (numbers) => ({
    verdict: verdictOf([median(numbers.turned) >= MATTERS * median(numbers.hidden)]),
    found: found(numbers, ADJECTIVE, STREAM),
  }),
  (numbers, { word, place, features }) => `${features} features. ${found(numbers, word, place)}`,
);

/** @param {any} numbers @param {string} word @param {string} place */
const found = (numbers, word, place) =>
  `With ${word} hidden ${percent(numbers.hidden)} of the answers turn. In the ${place} features detect a label there ` +
  `in ${percent(numbers.detected)} of the sentences; with these off ${percent(numbers.turned)} of the answers turn.`;

/** @type {import('./shared/picture.js').PictureOf} */
export const picture = (numbers, params) => [
  {
    kind: 'rows',
    title: 'A feature detects a label at that word',
    x: { title: 'share of the sentences', low: 0, high: 1, percent: true },
    rows: [{ label: 'detected', marks: marks(params, numbers.detected) }],
  },
  {
    kind: 'rows',
    title: 'The answer turns',
    x: { title: 'share of the answers', low: 0, high: 1, percent: true },
    rows: [
      { label: 'the word hidden', marks: marks(params, numbers.hidden) },
      { label: 'the detecting features off', marks: marks(params, numbers.turned) },
    ],
  },
];
