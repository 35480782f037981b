import { ADJECTIVES, CONJUNCTIONS, DETERMINERS, NOUNS, PREPOSITIONS, VERBS } from './translate-lexicon.js';

/** @typedef {import('./translate-lexicon.js').Noun} NounEntry */
/** @typedef {import('./translate-lexicon.js').Adjective} Adjective */
/** @typedef {import('./random.js').Random} Random */

/** @typedef {{word: string}} Source an English word; its place is known when the sentence is whole */
/** @typedef {{word: string, from: Source[], content: boolean}} Target a French word, what it is
 *   linked to, and whether it is a noun, an adjective or a lexical verb */
/** @typedef {{en: Source[], fr: Target[]}} Phrase */
/** @typedef {NounEntry & {many: boolean}} Noun one noun of a sentence, many: plural */

/** @typedef {'a' | 'b' | 'c' | 'd' | 'e' | 'g'} PairFamily */

/**
 * @typedef {object} Pair
 * @property {PairFamily} family its form
 * @property {string[]} source English
 * @property {string[]} target French
 * @property {number[][]} links of each French word, places of the English words it is made from
 * @property {boolean[]} content of each French word
 */

/** @type {readonly (readonly [weight: number, family: PairFamily])[]} */
const FAMILIES = [
  [2, 'a'],
  [4, 'b'],
  [5, 'c'],
  [4, 'd'],
  [1, 'e'],
  [1, 'g'],
];

const PLURAL = 0.3;

/** @param {string} text @returns {Source[]} */
const english = (text) => text.split(' ').map((word) => ({ word }));

/**
 * One English word that is one French word.
 * @param {string} en
 * @param {string} fr
 * @param {boolean} [content]
 * @returns {Phrase}
 */
function word(en, fr, content = false) {
  const from = english(en);
  return { en: from, fr: [{ word: fr, from, content }] };
}

/**
 * @param {Phrase[]} phrases in one order in both languages
 * @returns {Phrase}
 */
const join = (...phrases) => ({ en: phrases.flatMap(({ en }) => en), fr: phrases.flatMap(({ fr }) => fr) });

/**
 * @param {Noun} noun
 * @param {readonly string[]} forms masculine, feminine, plural
 * @returns {string}
 */
const agree = ({ feminine, many }, [masculine, feminineForm, plural]) => {
  if (many) return plural;
  return feminine ? feminineForm : masculine;
};

/**
 * @param {Noun} noun
 * @param {Adjective} adjective
 * @returns {Phrase}
 */
const adjectiveOf = ({ feminine, many }, { en, fr }) => word(en, fr[2 * Number(many) + Number(feminine)], true);

/** @param {Noun} noun */
const fits =
  ({ kind }) =>
  (/** @type {{kinds: string}} */ { kinds }) =>
    kinds.includes(kind);

/**
 * NP(n, p): det [adj].p noun, in French det, adjective of the one place, noun, of the other.
 * @param {Random} random
 * @param {Noun} noun
 * @param {number} p
 * @returns {Phrase}
 */
function nounPhrase(random, noun, p) {
  const drawn = random.choose(/** @type {const} */ (['the', 'the', 'a', 'this']));
  const kind = noun.many && drawn === 'a' ? 'the' : drawn;
  const determiner = word(noun.many && kind === 'this' ? 'these' : kind, agree(noun, DETERMINERS[kind]));
  const number = noun.many ? 'plural' : 'singular';
  const head = word(noun.en[number], noun.fr[number], true);
  if (!random.chance(p)) return join(determiner, head);
  const entry = random.choose(ADJECTIVES.filter(fits(noun)));
  const adjective = adjectiveOf(noun, entry);
  const { en } = join(determiner, adjective, head);
  const { fr } = entry.before ? join(determiner, adjective, head) : join(determiner, head, adjective);
  return { en, fr };
}

/**
 * BE(n): was or were, and an adjective
 * @param {Random} random
 * @param {Noun} noun
 * @param {readonly Adjective[]} [adjectives] those it is drawn from
 * @returns {Phrase}
 */
function being(random, noun, adjectives = ADJECTIVES.filter(fits(noun))) {
  return join(copula(noun), adjectiveOf(noun, random.choose(adjectives)));
}

/** @param {Noun} noun */
const copula = ({ many }) => (many ? word('were', 'étaient') : word('was', 'était'));

/**
 * VP(ag, ob): the object is a noun phrase behind the verb, or a pronoun whose French clitic stands
 * before the verb and has the gender of what it stands for.
 * @param {Random} random
 * @param {Noun} agent
 * @param {Noun} object
 * @param {Phrase | null} phrase of the object; null for a pronoun
 * @returns {Phrase}
 */
function verbPhrase(random, agent, object, phrase) {
  const verb = random.choose(VERBS.filter(fits(object)));
  const { en: behind, fr: after } = phrase ?? { en: english(object.many ? 'them' : 'it'), fr: [] };
  /** @type {Target[]} */
  const clitic = phrase ? [] : [{ word: agree(object, DETERMINERS.the), from: behind, content: false }];
  const finite = agent.many ? verb.plural : verb.singular;
  /** @type {(text: string, from: Source[], content?: boolean) => Target} */
  const french = (text, from, content = false) => ({ word: text, from, content });

  const way = random.weighted([
    [0.35, 'wanted'],
    [0.3, 'not'],
    [0.35, 'past'],
  ]);
  if (way === 'wanted') {
    const wanted = english('wanted to');
    const base = english(verb.base.join(' '));
    const modal = french(agent.many ? 'voulaient' : 'voulait', wanted);
    return {
      en: [...wanted, ...base, ...behind],
      fr: [modal, ...clitic, french(verb.infinitive, base, true), ...after],
    };
  }
  if (way === 'not') {
    const [did, not] = english('did not');
    const base = english(verb.base.join(' '));
    const fr = [french('ne', [did, not]), ...clitic, french(finite, base, true), french('pas', [not]), ...after];
    return { en: [did, not, ...base, ...behind], fr };
  }
  const past = english(verb.past.join(' '));
  return { en: [...past, ...behind], fr: [...clitic, french(finite, past, true), ...after] };
}

const STOP = () => word('.', '.');

/** @type {Record<PairFamily, (random: Random) => Phrase>} */
const WRITERS = {
  a(random) {
    const noun = drawNoun(random, 'AWT');
    return join(nounPhrase(random, noun, 0.4), being(random, noun), STOP());
  },
  b(random) {
    const agent = drawNoun(random, 'A');
    const object = drawNoun(random, 'AWT');
    const subject = nounPhrase(random, agent, 0.4);
    return join(subject, verbPhrase(random, agent, object, nounPhrase(random, object, 0.4)), STOP());
  },
  c(random) {
    const agent = drawNoun(random, 'A');
    const object = drawNoun(random, 'WT');
    const [en, fr] = random.choose(Object.entries(CONJUNCTIONS));
    return join(
      nounPhrase(random, object, 0.2),
      being(random, object),
      word(en, fr),
      nounPhrase(random, agent, 0.4),
      verbPhrase(random, agent, object, null),
      STOP(),
    );
  },
  d(random) {
    const agent = drawNoun(random, 'A');
    const object = drawNoun(random, 'WT');
    const [which, other] = random.choose([
      [agent, object],
      [object, agent],
    ]);
    const subject = nounPhrase(random, agent, 0.2);
    const action = verbPhrase(random, agent, object, nounPhrase(random, object, 0.4));
    const he = which.feminine ? 'elle' : 'il';
    const pronoun = which.many ? word('they', `${he}s`) : word('it', he);
    const adjectives = ADJECTIVES.filter((one) => fits(which)(one) && !fits(other)(one));
    return join(subject, action, word('because', 'car'), pronoun, being(random, which, adjectives), STOP());
  },
  e(random) {
    const noun = drawNoun(random, 'AWT');
    const place = drawNoun(random, 'WT');
    const [en, fr] = random.choose(Object.entries(PREPOSITIONS));
    return join(nounPhrase(random, noun, 0.4), copula(noun), word(en, fr), nounPhrase(random, place, 0.4), STOP());
  },
  g(random) {
    return nounPhrase(random, drawNoun(random, 'AWT'), 0.9);
  },
};

/**
 * @param {Random} random
 * @param {string} kinds
 * @returns {Noun}
 */
function drawNoun(random, kinds) {
  const entry = random.choose(NOUNS.filter(({ kind }) => kinds.includes(kind)));
  return { ...entry, many: random.chance(PLURAL) };
}

/**
 * A random sentence of the grammar in both languages.
 * @param {Random} random
 * @returns {Pair}
 */
export function drawPair(random) {
  const family = random.weighted(FAMILIES);
  const { en, fr } = WRITERS[family](random);
  return {
    family,
    source: en.map((one) => one.word),
    target: fr.map((one) => one.word),
    links: fr.map(({ from }) => from.map((one) => en.indexOf(one))),
    content: fr.map(({ content }) => content),
  };
}
