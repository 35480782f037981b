// Finds a card by words of its sentence, its name, its source, its literature, or the texts that it is quoted from.

/** @typedef {import('../../src/claims/index.js').Claim} Claim */
/**
 * @typedef {Pick<Claim, 'number' | 'name' | 'sentence' | 'saidBy' | 'literature' | 'quotes'> & {place?: number}} Found
 */

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

/**
 * Keeps what a function makes of a card: a reader asks again at every key, and cards do not change.
 * @template {object} C
 * @template T
 * @param {(claim: C) => T} make
 * @returns {(claim: C) => T}
 */
function kept(make) {
  /** @type {WeakMap<C, T>} */
  const made = new WeakMap();
  return (claim) => {
    if (!made.has(claim)) made.set(claim, make(claim));
    return /** @type {T} */ (made.get(claim));
  };
}

/** The words of each of a card's texts. */
const textsIn = kept(
  /** @param {Found} claim */
  ({ number, place = number, name, sentence, saidBy, literature, quotes }) =>
    [String(place), name, sentence, saidBy, ...literature.for, ...literature.against, ...textsOf(quotes)].map(wordsOf),
);

/** The terms of a card: those of its sentence and name, and all. */
const termsIn = kept(
  /** @param {Pick<Claim, 'name' | 'sentence' | 'quotes' | 'why'>} claim */
  ({ name, sentence, quotes, why }) => ({
    first: termsOf(wordsOf(`${sentence} ${name}`)),
    all: termsOf(wordsOf([sentence, name, why, ...textsOf(quotes)].join(' '))),
  }),
);

/** Whether the asked words follow one another, the last perhaps cut. @param {string[]} words @param {string[]} asked */
const contains = (words, asked) => ` ${words.join(' ')}`.includes(` ${asked.join(' ')}`);

/**
 * The claims in which the words stand one after the other; if there are none, those with all of them. A reader who is
 * still typing has begun the last word only.
 * @template {Found} C
 * @param {readonly C[]} claims
 * @param {string} query
 * @returns {C[]} in their order; all, where nothing is asked
 */
export function findClaims(claims, query) {
  const asked = wordsOf(query);
  if (asked.length === 0) return query.trim() ? [] : [...claims];
  const texts = claims.map(textsIn);
  const inOrder = claims.filter((_, i) => texts[i].some((words) => contains(words, asked)));
  if (inOrder.length > 0) return inOrder;
  return claims.filter((_, i) => asked.every((one) => contains(texts[i].flat(), [one])));
}

/** Words for the same thing, each line by its first; a word stands for all that begin with it. */
const SYNONYMS = [
  'ffn feed forward feedforward mlp perceptron dense',
  'position positional encoding pe',
  'order permut invariant equivariant set bag shuffle',
  'offset relative sinusoid distance',
  'residual skip shortcut identity',
  'norm normali layernorm ln',
  'gradient backprop',
  'vanish disappear small mitigate cure alleviate solve degrad',
  'saturat halt stall extremely regions scal divid √d',
  'explain explanation interpret important importance faithful transparen show tell reveal which',
  'mask causal autoregressive future subsequent ahead leftward',
  'cross encoder align translation source',
  'memory memories store facts knowledge',
  'head heads multihead',
  'differ aspect relation special subspace focus distinct',
  'long length any arbitrary extrapolate generali',
  'linear nonlinear nonlinearity affine',
  'approximat universal function',
  'kink piece breakpoint',
  'bottleneck expan width inner wide compress dimension',
  'concat merge project mix combine',
  'bound range stable explod',
  'lookup look up table onehot hot row',
  'train converge optimi learn deep layer',
].map((line) => line.split(' '));

const COMMON = new Set([
  ...'a an and are as at be because but by can cannot do does each for from'.split(' '),
  ...'has have in into is it its of on one or our so some such that the'.split(' '),
  ...'their them they this to use used using was we what when while will with without'.split(' '),
]);

/** The terms of a text: words that say something, each by the first of those that stand for the same. */
const termsOf = (/** @type {string[]} */ words) =>
  new Set(
    words
      .filter((word) => !COMMON.has(word))
      .map((word) => SYNONYMS.find((all) => all.some((each) => word.startsWith(each)))?.[0] ?? stem(word)),
  );

/** @param {string} word */
const stem = (word) => (word.length > 4 ? word.replace(/(?:ies|es|s|ing|ed|ly)$/, '') : word);

const NEAREST = 3;
const IN_SENTENCE = 2; // times what a term counts elsewhere on the card

/**
 * The claims that share most with a sentence of another text: each shared term counts the more, the fewer cards have
 * it, and twice where it stands in the claim's sentence or name.
 * @template {Pick<Claim, 'name' | 'sentence' | 'saidBy' | 'literature' | 'quotes' | 'why'>} C
 * @param {readonly C[]} claims
 * @param {string} query
 * @returns {C[]} at most three, the nearest first; those that share nothing are left out
 */
export function nearestClaims(claims, query) {
  const asked = termsOf(wordsOf(query));
  const cards = claims.map((claim) => ({ claim, ...termsIn(claim) }));
  const weights = [...asked].map((term) => {
    const holders = cards.filter(({ all }) => all.has(term)).length;
    return { term, weight: Math.log((claims.length + 1) / (1 + holders)) };
  });
  return cards
    .map(({ claim, first, all }) => ({
      claim,
      score: weights.reduce(
        (sum, { term, weight }) => sum + (all.has(term) ? weight * (first.has(term) ? IN_SENTENCE : 1) : 0),
        0,
      ),
    }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, NEAREST)
    .map(({ claim }) => claim);
}

/** @param {Claim['quotes']} quotes */
const textsOf = (quotes = []) => quotes.map(({ text }) => text);

/** The quotes in which the words stand. @param {NonNullable<Claim['quotes']>} quotes @param {string} query */
export function findQuotes(quotes, query) {
  const asked = wordsOf(query);
  return asked.length === 0 ? [] : quotes.filter(({ text }) => contains(wordsOf(text), asked));
}
