// Where a vocabulary cuts a text; the tasks and the page cut theirs alike.

/** At spaces and before punctuation. */
export const WORD = /\[[^\s[\]]+\]|[^\s.,!?;:]+|[.,!?;:]/g;

/** For a pattern. @param {string} text */
export const escaped = (text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** Entries of several characters, as [UNK]. @param {readonly string[]} words */
export const longOf = (words) => words.filter((word) => [...word].length > 1);

/**
 * At every character; entries of several characters stay whole. Spaces are dropped where they are no entry.
 * @param {readonly string[]} words
 */
export function charactersOf(words) {
  const long = longOf(words)
    .sort((a, b) => b.length - a.length) // else one that begins another would stand before it
    .map(escaped);
  return new RegExp([...long, words.includes(' ') ? '.' : '\\S'].join('|'), 'gsu');
}
