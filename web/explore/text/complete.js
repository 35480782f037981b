// Which words of a model's vocabulary a beginning may become.

const MOST = 6;

/**
 * The shortest first: the nearest to the typed letters.
 * @param {string} typed
 * @param {readonly string[]} vocabulary of the words in brackets only [MASK] can be typed
 */
export function completions(typed, vocabulary) {
  const begun = typed.startsWith('[') ? typed : typed.toLowerCase();
  return vocabulary
    .filter((word) => word.length > begun.length && word.startsWith(begun) && (word[0] !== '[' || word === '[MASK]'))
    .sort((a, b) => a.length - b.length || (a < b ? -1 : 1))
    .slice(0, MOST);
}

/** Whether the model reads it as it is. @param {string} typed @param {readonly string[]} vocabulary */
export const isWhole = (typed, vocabulary) => vocabulary.includes(typed) || vocabulary.includes(typed.toLowerCase());

/**
 * What is to be typed so that a beginning becomes a word: its rest, and a space where none is.
 * @param {string} typed
 * @param {string} word
 * @param {string} behind what stands behind the caret
 */
export const restOf = (typed, word, behind) => word.slice(typed.length) + (/^[\s\p{P}]/u.test(behind) ? '' : ' ');
