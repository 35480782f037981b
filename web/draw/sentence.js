// Words as a sentence is printed: a mark stands at the word before it, and the first letter says where it begins.

/** @param {string} word */
export const isClose = (word) => /^[.,;:!?…%)\]}’”،؛؟。、，！？：；]/u.test(word);

const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;

/**
 * Where a line of words begins, as dir="auto" has it, which does not read what is isolated. Special tokens, and signs
 * for what is not seen, are no letters.
 * @param {readonly string[]} words
 * @returns {'ltr' | 'rtl'}
 */
export function directionOf(words) {
  for (const word of words) {
    const [letter] = /\p{L}/u.exec(word.replace(/^[[<].*[\]>]$|‹?U\+[\dA-F]{4,}›?/gu, '')) ?? [];
    if (letter) return RIGHT_TO_LEFT.test(letter) ? 'rtl' : 'ltr';
  }
  return 'ltr';
}

/** The text between a word and the one before it. @param {string} [word] */
export const gapBefore = (word = '') => (isClose(word) ? '' : ' ');

/** @param {readonly string[]} words */
export const sentenceOf = (words) => words.map((word, i) => `${i ? gapBefore(word) : ''}${word}`).join('');

/** Names of punctuation marks, which most screen readers leave out. @type {Record<string, string>} */
const NAMES = {
  '.': 'full stop',
  ',': 'comma',
  '?': 'question mark',
  '!': 'exclamation mark',
  ':': 'colon',
  ';': 'semicolon',
  '…': 'ellipsis',
  '-': 'hyphen',
  '–': 'dash',
  '—': 'dash',
  "'": 'apostrophe',
  '’': 'apostrophe',
  '"': 'quotation mark',
  '“': 'quotation mark',
  '”': 'quotation mark',
  '(': 'left parenthesis',
  ')': 'right parenthesis',
  '/': 'slash',
  '[MASK]': 'mask',
  '[BOS]': 'start of sentence [BOS]',
  '[EOS]': 'end of sentence [EOS]',
};

/** @param {string} text in which a mark stands as a word: 'row ., column 13 ,' */
export const spoken = (text) =>
  text
    .split(' ')
    .map((part) => {
      const [, word, comma] = /** @type {string[]} */ (/^(.+?)(,?)$/s.exec(part) ?? ['', '', '']);
      return (NAMES[word] ?? word) + comma;
    })
    .join(' ');
