// Labels as a screen reader should say them: punctuation marks, which most leave out, by their names.

/** @type {Record<string, string>} */
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
