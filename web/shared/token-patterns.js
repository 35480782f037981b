// How a text is cut into the tokens of a vocabulary that comes with a model: into words, or into characters.

/** As texts of one's own are cut for training (src/tasks/text.js). */
export const WORDS = /\[[^\s[\]]+\]|[^\s.,!?;:]+|[.,!?;:]/g;

/** @param {string} text */
const lengthOf = (text) => [...text].length;

/** A character is a token, and what has several in the vocabulary. @param {readonly string[]} vocabulary */
export function charactersOf(vocabulary) {
  const long = vocabulary
    .filter((word) => lengthOf(word) > 1)
    .sort((a, b) => b.length - a.length) // else one that begins another would stand before it
    .map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
  return new RegExp([...long, vocabulary.includes(' ') ? '.' : '\\S'].join('|'), 'gsu');
}

/** Whether a vocabulary is one of characters, but for the words in brackets. @param {readonly string[]} vocabulary */
export function isOfCharacters(vocabulary) {
  const plain = vocabulary.filter((word) => !/^[[<].+[\]>]$/.test(word));
  return plain.filter((word) => lengthOf(word) === 1).length > plain.length / 2;
}
