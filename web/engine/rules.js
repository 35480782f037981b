// Simple rules about a token in its text, as labels of each place: candidates for the name of a feature, where no
// grammar gives any. Each is measured on texts that did not choose it.

const SUFFIX = 3; // letters, the longest
const FEWEST = 6; // places that a rule must hold at
const SET = 6; // tokens of a set, at most

/** The letters of a token, without the sign of a space before it. @param {string} token */
const lettersOf = (token) => token.replace(/^(␣|##| )/, '');

const isWord = (/** @type {string} */ text) => /^[\p{L}\p{M}’']+$/u.test(text);
const isQuote = (/** @type {string} */ text) => /^["“”]$/.test(text);

/**
 * The rules that hold at one place.
 * @param {readonly string[]} words of the text @param {number} at @param {boolean} isQuoted
 */
function rulesAt(words, at, isQuoted) {
  const word = words[at];
  const letters = lettersOf(word);
  const before = words[at - 1];
  const rules = [`word ${word}`, at < 3 ? `place ${at + 1}` : '', before === undefined ? '' : `after ${before}`];
  if (isWord(letters)) {
    const small = letters.toLowerCase();
    for (let size = 2; size <= SUFFIX; size++) {
      if (small.length > size + 1) rules.push(`ends ${small.slice(-size)}`, `begins ${small.slice(0, size)}`);
    }
    if (/^\p{Lu}/u.test(letters)) rules.push('capital');
  } else if (/^\p{P}+$/u.test(letters)) rules.push('punctuation');
  if (isQuoted) rules.push('quoted');
  return rules.filter(Boolean);
}

/**
 * The labels of every place, one text after the other: this token, the token before, its beginning and end, a capital
 * letter, inside quotation marks, one of the first three places. Rules that hold at few places are left out.
 * @param {readonly (readonly string[])[]} texts their tokens
 * @returns {string[][]}
 */
export function ruleLabels(texts) {
  const all = texts.flatMap((words) => {
    let isQuoted = false;
    return words.map((word, at) => {
      if (isQuote(lettersOf(word))) isQuoted = !isQuoted;
      return rulesAt(words, at, isQuoted && !isQuote(lettersOf(word)));
    });
  });
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const rule of all.flat()) counts.set(rule, (counts.get(rule) ?? 0) + 1);
  return all.map((rules) => rules.filter((rule) => Number(counts.get(rule)) >= FEWEST));
}

/**
 * For each feature the rule that the token is one of those it fires at most: of its strongest tokens as many as raise
 * the share of its strength, two to six.
 * @param {readonly string[]} tokens of every place
 * @param {readonly (readonly {place: number, value: number}[])[]} examples of each feature
 * @returns {string[][]} further labels of every place
 */
export function setLabels(tokens, examples) {
  /** @type {Map<string, Set<string>>} */
  const sets = new Map();
  for (const list of examples) {
    /** @type {Map<string, number>} */
    const sums = new Map();
    for (const { place, value } of list) sums.set(tokens[place], (sums.get(tokens[place]) ?? 0) + value);
    const total = [...sums.values()].reduce((sum, each) => sum + each, 0);
    const best = [...sums]
      .sort((a, b) => b[1] - a[1])
      .slice(0, SET)
      .filter(([, sum]) => sum > 0.05 * total);
    const words = best.map(([word]) => word).sort();
    if (words.length > 1) sets.set(`one of ${words.join('\u2009')}`, new Set(words));
  }
  /** @type {Map<string, string[]>} */
  const byToken = new Map();
  for (const [label, words] of sets) for (const word of words) byToken.set(word, [...(byToken.get(word) ?? []), label]);
  return tokens.map((token) => byToken.get(token) ?? []);
}
