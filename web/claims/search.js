// Finds a card by words of its sentence, its name, its source, or the texts that it is quoted from.

/** Words in small letters without accents and punctuation. @param {string} text */
const wordsOf = (text) =>
  text
    .replace(/[×·*⋅]/g, ' x ')
    .replace(/[_{}]/g, '') // d_k is d k with an index, and a paper's copied text has dk
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}√+]+/u)
    .filter(Boolean);

/** What is asked stands in it at the beginning of a word. @param {string[]} words @param {string[]} asked */
const contains = (words, asked) => ` ${words.join(' ')}`.includes(` ${asked.join(' ')}`);

/**
 * The claims in which the words stand one after the other; if there are none, those with all of them. A reader who is
 * still typing has begun the last word only.
 * @template {Pick<import('../../src/claims/index.js').Claim, 'number' | 'name' | 'sentence' | 'source' | 'quotes'>} C
 * @param {readonly C[]} claims
 * @param {string} query
 * @returns {C[]} in their order; all, where nothing is asked
 */
export function findClaims(claims, query) {
  const asked = wordsOf(query);
  if (asked.length === 0) return query.trim() ? [] : [...claims];
  const texts = claims.map(({ number, name, sentence, source, quotes = [] }) =>
    [String(number), name, sentence, source, ...quotes].map(wordsOf),
  );
  const inOrder = claims.filter((_, i) => texts[i].some((words) => contains(words, asked)));
  if (inOrder.length > 0) return inOrder;
  return claims.filter((_, i) => asked.every((one) => contains(texts[i].flat(), [one])));
}

/** The quotes in which the words stand. @param {readonly string[]} quotes @param {string} query */
export function findQuotes(quotes, query) {
  const asked = wordsOf(query);
  return asked.length === 0 ? [] : quotes.filter((quote) => contains(wordsOf(quote), asked));
}
