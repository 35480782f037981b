// Words as a sentence is printed: a mark stands at the word before it.

/** @param {string} word */
export const isClose = (word) => /^[.,;:!?…%)\]}’”]/u.test(word);

/** What stands between a word and the one before it. @param {string} [word] */
export const gapBefore = (word = '') => (isClose(word) ? '' : ' ');

/** @param {readonly string[]} words */
export const sentenceOf = (words) => words.map((word, i) => `${i ? gapBefore(word) : ''}${word}`).join('');
