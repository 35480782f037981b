import { IGNORE, pack, paddingOf } from './batch.js';
import { PRONOUNS, lexiconWords } from './lexicon.js';
import { Vocabulary } from './vocabulary.js';

/** @typedef {import('./batch.js').Batch} Batch */
/** @typedef {import('./creek-grammar.js').Sentence} Sentence */
/** @typedef {import('./random.js').Random} Random */

const functionWords = () => [
  '.',
  'the',
  'was',
  'were',
  'and',
  'but',
  'because',
  'so',
  ...PRONOUNS,
  'wanted',
  'to',
  'did',
  'not',
  'near',
];

function makeVocabulary() {
  return new Vocabulary([
    '[PAD]',
    '[MASK]',
    ...functionWords(),
    ...lexiconWords({ plurals: true, verbs: ['animal', 'human', 'water', 'wood', 'food', 'toy', 'place'] }),
  ]);
}

export const vocabulary = /* @__PURE__ */ makeVocabulary();

/** Places in a row; the longest sentence takes 17. */
const WIDTH = 19;

const CHOSEN = { word: 0.2, pronoun: 0.3 };

/** The ids of [MASK] and of the word behind it. */
export const MASK = 1;
const FIRST_WORD = 2;

/**
 * @param {number[][]} rows
 * @param {number[][]} [labels] default: nothing is asked
 * @returns {Batch}
 */
export function batchOf(rows, labels = rows.map(() => [])) {
  return { ids: pack(rows, WIDTH, 0), padding: paddingOf(rows, WIDTH), labels: pack(labels, WIDTH, IGNORE) };
}

/**
 * @param {Sentence} sentence
 * @returns {number[]}
 */
export const idsOf = ({ tokens }) => vocabulary.ids(tokens.map(({ word }) => word));

/**
 * Masks a sentence for training. Each word is chosen with p = .2, a pronoun with .3, and the model must guess the
 * chosen words: 80 % are hidden, 10 % replaced by any word, 10 % left. Every other pronoun has its antecedent as its
 * label: without that, no head learns to attend to it.
 * @param {Sentence} sentence
 * @param {Random} random
 * @returns {{ids: number[], labels: number[]}}
 */
export function maskSentence(sentence, random) {
  const words = idsOf(sentence);
  const labels = words.map(() => IGNORE);
  const ids = words.map((id, at) => {
    const { role, link } = sentence.tokens[at];
    const pronoun = role === 'pronoun';
    if (!random.chance(pronoun ? CHOSEN.pronoun : CHOSEN.word)) {
      if (pronoun) labels[at] = words[link];
      return id;
    }
    labels[at] = id;
    const other = FIRST_WORD + random.integer(vocabulary.size - FIRST_WORD);
    return random.weighted([
      [0.8, MASK],
      [0.1, other],
      [0.1, id],
    ]);
  });
  return { ids, labels };
}

/**
 * @param {readonly number[]} ids
 * @param {number} at
 * @returns {number[]} the same with that word hidden
 */
export const masked = (ids, at) => ids.map((id, place) => (place === at ? MASK : id));
