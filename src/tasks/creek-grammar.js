import { ADJECTIVES, AGENTS, NOUNS, THINGS, VERBS, groupOf, pluralOf, pronounsOf } from './lexicon.js';

/** @typedef {import('./lexicon.js').NounClass} NounClass */
/** @typedef {import('./lexicon.js').Group} Group */
/** @typedef {import('./lexicon.js').Verb} Verb */
/** @typedef {import('./random.js').Random} Random */

/**
 * Role of a word in its sentence: `adjective` stands before its noun, `predicate` after was or
 * were; `particle` is the over of jump over.
 * @typedef {'noun' | 'adjective' | 'predicate' | 'be' | 'verb' | 'particle' | 'pronoun' | 'word'} Role
 */

/**
 * @typedef {object} Token
 * @property {string} word as it stands there
 * @property {Role} role what it does
 * @property {number} link place of the word it depends on: a pronoun on its antecedent, an adjective
 *   on its noun, be on its subject, a verb on its object's noun; -1 for a role without
 * @property {NounClass | null} kind class of that noun
 * @property {boolean} plural number of that noun
 */

/** @typedef {'F1' | 'F2' | 'F3' | 'F4' | 'F5' | 'F6'} SentenceFamily */
/**
 * @typedef {object} Sentence
 * @property {SentenceFamily} family its form
 * @property {Token[]} tokens its words
 * @property {boolean} decided only the adjective tells what the pronoun stands for
 */

/** @typedef {{word: string, kind: NounClass, plural: boolean, at: number}} Noun */

/** @type {readonly (readonly [weight: number, family: SentenceFamily])[]} */
const FAMILIES = [
  [6, 'F1'],
  [7, 'F2'],
  [3, 'F3'],
  [3, 'F4'],
  [3, 'F5'],
  [1, 'F6'],
];

const LIKELY = { object: 0.75, plural: 0.3, near: 0.35 };

/** One sentence while it is written. */
class Draft {
  /** @type {{word: string, role: Role, of: {at: number} | null, noun: Noun | null}[]} */
  #tokens = [];
  #near = false;
  #random;
  /** @type {Set<NounClass>} */
  #classes;

  /**
   * @param {Random} random
   * @param {Noun[]} nouns
   */
  constructor(random, nouns) {
    this.#random = random;
    this.#classes = new Set(nouns.map(({ kind }) => kind));
  }

  /**
   * @param {string} word
   * @param {Role} role
   * @param {Noun | null} noun that the word is of
   * @param {{at: number} | null} of what it depends on
   */
  #add(word, role = 'word', noun = null, of = noun) {
    this.#tokens.push({ word, role, noun, of });
  }

  /** @param {string} text */
  say(text) {
    for (const word of text.split(' ')) this.#add(word);
  }

  /**
   * the [ADJ].p noun
   * @param {Noun} noun
   * @param {number} p of an adjective
   */
  the(noun, p = 0) {
    this.say('the');
    if (p > 0 && this.#random.chance(p)) this.#adjective(noun, 'adjective');
    noun.at = this.#tokens.length;
    this.#add(noun.word, 'noun', noun);
  }

  /**
   * @param {Noun} noun
   * @param {'adjective' | 'predicate'} role
   */
  #adjective(noun, role) {
    this.#add(this.#random.choose(ADJECTIVES[groupOf(noun.kind)]), role, noun);
  }

  /** DIST: with p = .35 near a thing of a class that is not yet in the sentence. */
  near() {
    if (this.#near || !this.#random.chance(LIKELY.near)) return;
    this.#near = true;
    const kinds = THINGS.filter((kind) => !this.#classes.has(kind));
    this.say('near');
    this.the(drawNoun(this.#random, this.#random.choose(kinds)));
  }

  /** As `near`, but tried with p = .5. */
  perhapsNear() {
    if (this.#random.chance(0.5)) this.near();
  }

  /**
   * be(noun) ADJ(noun)
   * @param {Noun} noun
   * @param {{at: number}} [subject] the noun or the pronoun that stands for it
   */
  is(noun, subject = noun) {
    this.#add(noun.plural ? 'were' : 'was', 'be', noun, subject);
    this.#adjective(noun, 'predicate');
  }

  /**
   * @param {Noun} object
   * @param {'base' | 'past'} form
   */
  verb(object, form) {
    const [first, ...rest] = this.#random.choose(VERBS[groupOf(object.kind)])[form];
    this.#add(first, 'verb', object);
    for (const word of rest) this.#add(word, 'particle', object);
  }

  /**
   * @param {Noun} object
   * @param {readonly (readonly [weight: number, before: string])[]} ways words before a base form,
   *   '' for the past
   */
  verbPhrase(object, ways) {
    const before = this.#random.weighted(ways);
    if (before) this.say(before);
    this.verb(object, before ? 'base' : 'past');
  }

  /**
   * @param {Noun} noun
   * @param {'subject' | 'object'} grammaticalCase
   * @returns {{at: number}} where it stands
   */
  pronoun(noun, grammaticalCase) {
    const at = this.#tokens.length;
    this.#add(pronounsOf(noun)[grammaticalCase], 'pronoun', noun);
    return { at };
  }

  /**
   * because PRONOUN be ADJ
   * @param {Noun} noun
   */
  because(noun) {
    this.say('because');
    this.is(noun, this.pronoun(noun, 'subject'));
  }

  /** @returns {Token[]} */
  end() {
    this.say('.');
    return this.#tokens.map(({ word, role, of, noun }) => ({
      word,
      role,
      link: of ? of.at : -1,
      kind: noun ? noun.kind : null,
      plural: noun ? noun.plural : false,
    }));
  }
}

/** @type {Record<SentenceFamily, (draft: Draft, ag: Noun, ob: Noun, random: Random) => void>} */
const WRITERS = {
  F1(draft, ag, ob, random) {
    draft.the(ob);
    draft.near();
    draft.is(ob);
    draft.say(random.choose(['and', 'so', 'but']));
    draft.the(ag, 0.7);
    draft.verbPhrase(ob, [
      [0.6, 'wanted to'],
      [0.2, 'did not'],
      [0.2, ''],
    ]);
    draft.pronoun(ob, 'object');
  },
  F2(draft, ag, ob, random) {
    draft.the(ag, 0.2);
    draft.perhapsNear();
    draft.verbPhrase(ob, [
      [0.4, 'did not'],
      [0.3, 'wanted to'],
      [0.3, ''],
    ]);
    draft.the(ob);
    draft.near();
    draft.because(random.choose([ag, ob]));
  },
  F3(draft, ag, ob) {
    draft.the(ag);
    draft.say('near');
    draft.the(ob);
    draft.is(ag);
  },
  F4(draft, ag, ob) {
    draft.the(ag, 0.6);
    draft.verb(ob, 'past');
    draft.the(ob, 0.6);
  },
  F5(draft, ag, ob) {
    draft.the(ob);
    draft.is(ob);
    draft.say('but');
    draft.the(ag);
    draft.verb(ob, 'past');
    draft.pronoun(ob, 'object');
    draft.because(ag);
  },
  F6(draft, _, ob) {
    draft.the(ob);
    draft.is(ob);
  },
};

/**
 * @param {Random} random
 * @param {NounClass} kind
 * @returns {Noun}
 */
function drawNoun(random, kind) {
  const word = random.choose(NOUNS[kind]);
  const plural = random.chance(LIKELY.plural);
  return { word: plural ? pluralOf(word) : word, kind, plural, at: -1 };
}

/**
 * A random sentence of the grammar.
 * @param {Random} random
 * @returns {Sentence}
 */
export function drawSentence(random) {
  const agentKind = random.choose(AGENTS);
  let objectKind = random.choose(random.chance(LIKELY.object) ? THINGS : AGENTS);
  while (groupOf(objectKind) === groupOf(agentKind)) objectKind = random.choose([...THINGS, ...AGENTS]);
  const ag = drawNoun(random, agentKind);
  const ob = drawNoun(random, objectKind);
  const family = random.weighted(FAMILIES);
  const draft = new Draft(random, [ag, ob]);
  WRITERS[family](draft, ag, ob, random);
  const decided = family === 'F2' && pronounsOf(ag).subject === pronounsOf(ob).subject;
  return { family, tokens: draft.end(), decided };
}

/**
 * Two sentences that differ in the last adjective alone, which decides what `it` stands for:
 * the ANIMAL did not V the THING because it was ADJ .
 * @typedef {{agent: string, object: string, sentences: [agent: string[], object: string[]]}} MinimalPair
 */

/**
 * @param {Random} random
 * @returns {MinimalPair}
 */
export function drawPair(random) {
  const kind = /** @type {Group & NounClass} */ (random.choose(THINGS));
  const agent = random.choose(NOUNS.animal);
  const object = random.choose(NOUNS[kind]);
  const before = [
    'the',
    agent,
    ...random.choose(['did not', 'wanted to']).split(' '),
    ...random.choose(VERBS[kind]).base,
    'the',
    object,
    'because',
    'it',
    'was',
  ];
  return {
    agent,
    object,
    sentences: [
      [...before, random.choose(ADJECTIVES.animal), '.'],
      [...before, random.choose(ADJECTIVES[kind]), '.'],
    ],
  };
}
