// A word-by-word dictionary that the same verses teach, for comparison: IBM model 1 (Brown et al. 1993, "The
// Mathematics of Statistical Machine Translation", section 4.1), each word by its likeliest one.

const ROUNDS = 5;

/** Words and marks of a text. @param {string} text @returns {string[]} */
const wordsIn = (text) => text.match(/[\p{L}\p{M}']+|[^\s\p{L}\p{M}']/gu) ?? [];

/**
 * @param {readonly {english: string, spanish: string}[]} verses
 * @returns {Map<string, string>} the likeliest Spanish word of each English one
 */
export function dictionaryOf(verses) {
  const pairs = verses.map(({ english, spanish }) => [wordsIn(english), wordsIn(spanish)]);
  /** Of each English word, the probability of each Spanish one beside it. @type {Map<string, Map<string, number>>} */
  let table = new Map();
  for (let round = 0; round < ROUNDS; round++) {
    /** @type {typeof table} */
    const counted = new Map();
    for (const [own, other] of pairs) {
      const rows = own.map((word) => table.get(word));
      const sums = own.map((word) => counted.get(word) ?? counted.set(word, new Map()).get(word));
      for (const word of other) {
        const shares = rows.map((row) => (round === 0 ? 1 : (row?.get(word) ?? 0)));
        const all = shares.reduce((a, b) => a + b, 0);
        sums.forEach((row, i) => row?.set(word, (row.get(word) ?? 0) + shares[i] / all));
      }
    }
    for (const row of counted.values()) {
      let all = 0;
      for (const count of row.values()) all += count;
      for (const [word, count] of row) row.set(word, count / all);
    }
    table = counted;
  }
  return new Map(
    Array.from(table, ([word, row]) => [word, Array.from(row).reduce((a, b) => (b[1] > a[1] ? b : a))[0]]),
  );
}

/** Writes each word's own in its place; a word that it does not know stays. @param {Map<string, string>} dictionary */
export const wordByWord = (dictionary) => (/** @type {string} */ text) =>
  wordsIn(text)
    .map((word) => dictionary.get(word) ?? word)
    .join(' ')
    .replace(/ (?=[.,;:!?)])/g, '');
