// Which word of a text is worth asking about, and which key a row attends to most.

import { PRONOUNS } from '../../models/catalogue.js';

/** Words that carry grammar rather than content; in a list, as the page's models and examples have them. */
const FUNCTION_WORDS = new Set(
  (
    'a an the this that and or but because so if as not no did do does to of in on at by for from over near with ' +
    'my your his its our their i you we me us ' +
    'is are was were be been am has have had der die das ein eine und war nicht le la les un une et ne pas'
  ).split(' '),
);

/** @param {string} word */
export const isPronoun = (word) => PRONOUNS.has(word.toLowerCase());

/** @param {string} word */
export const isWord = (word) => /[\p{L}\p{N}]/u.test(word);

/** @param {string} word */
export const isContent = (word) => isWord(word) && !/^[[<]/.test(word) && !FUNCTION_WORDS.has(word.toLowerCase());

/**
 * The word that a new text asks about: its last pronoun, else a hidden word, else its last content word; never a
 * mark of punctuation where there is a word.
 * @param {readonly string[]} words
 */
export function wordToAsk(words) {
  const places = [
    words.findLastIndex(isPronoun),
    words.findIndex((word) => /^(\[MASK\]|<mask>)$/.test(word)),
    words.findLastIndex(isContent),
    words.findLastIndex(isWord),
  ];
  return places.find((place) => place >= 0) ?? 0;
}

/** Whether a full stop or another sign of an end is behind the last word. @param {readonly string[]} words */
export const endsSentence = (words) => /[.!?…]/.test(words.slice(words.findLastIndex(isWord) + 1).join(''));

/** The last word that is no mark of punctuation. @param {readonly string[]} words */
export const lastWord = (words) => Math.max(0, words.findLastIndex(isWord));

/** @param {ArrayLike<number>} values @returns {number} the place of the largest, the first of equal ones */
export function strongest(values) {
  let best = 0;
  for (let i = 1; i < values.length; i++) if (values[i] > values[best]) best = i;
  return best;
}
