/**
 * The English words of the tasks creek and story. No adjective belongs to two groups, so that an
 * adjective tells which noun it speaks of.
 */

/** @typedef {'animal' | 'man' | 'woman' | 'water' | 'wood' | 'food' | 'toy' | 'place'} NounClass */
/** @typedef {'animal' | 'human' | 'water' | 'wood' | 'food' | 'toy' | 'place'} Group man and woman share theirs */
/** @typedef {{base: string[], past: string[]}} Verb the words of `jump over` and `jumped over` */
/** @typedef {{subject: string, object: string}} Pronouns */

/** @param {string} text */
const words = (text) => text.split(' ');

/**
 * @param {string} text `jump over/jumped over, ...`
 * @returns {Verb[]}
 */
const verbs = (text) =>
  text.split(', ').map((verb) => {
    const [base, past] = verb.split('/').map(words);
    return { base, past };
  });

/** @type {Readonly<Record<NounClass, readonly string[]>>} */
export const NOUNS = {
  animal: /* @__PURE__ */ words('dog cat fox horse rabbit goat'),
  man: /* @__PURE__ */ words('boy king farmer'),
  woman: /* @__PURE__ */ words('girl queen nurse'),
  water: /* @__PURE__ */ words('creek river puddle pond'),
  wood: /* @__PURE__ */ words('fence wall log gate'),
  food: /* @__PURE__ */ words('bone cake apple carrot'),
  toy: /* @__PURE__ */ words('ball kite stick hat'),
  place: /* @__PURE__ */ words('mat rug bed sofa'),
};

/** @type {Readonly<Record<Group, readonly string[]>>} */
export const ADJECTIVES = {
  animal: /* @__PURE__ */ words('spunky hungry sleepy brave tired playful'),
  human: /* @__PURE__ */ words('kind angry rich clever polite'),
  water: /* @__PURE__ */ words('cold deep muddy shallow'),
  wood: /* @__PURE__ */ words('high wooden broken narrow'),
  food: /* @__PURE__ */ words('tasty fresh sweet ripe'),
  toy: /* @__PURE__ */ words('red shiny new round'),
  place: /* @__PURE__ */ words('soft clean warm dusty'),
};

/** @type {Readonly<Record<Group, readonly Verb[]>>} by the group of their object */
export const VERBS = {
  animal: /* @__PURE__ */ verbs('feed/fed, follow/followed'),
  human: /* @__PURE__ */ verbs('greet/greeted, help/helped'),
  water: /* @__PURE__ */ verbs('jump over/jumped over, drink from/drank from'),
  wood: /* @__PURE__ */ verbs('jump over/jumped over, hide behind/hid behind'),
  food: /* @__PURE__ */ verbs('eat/ate, smell/smelled'),
  toy: /* @__PURE__ */ verbs('chase/chased, catch/caught'),
  place: /* @__PURE__ */ verbs('sit on/sat on, sleep on/slept on'),
};

/** @type {readonly NounClass[]} */
export const THINGS = ['water', 'wood', 'food', 'toy', 'place'];

/** The classes of an agent as they are drawn. @type {readonly NounClass[]} */
export const AGENTS = ['animal', 'animal', 'man', 'woman'];

/**
 * @param {NounClass} kind
 * @returns {Group}
 */
export const groupOf = (kind) => (kind === 'man' || kind === 'woman' ? 'human' : kind);

/**
 * @param {string} noun
 * @returns {string}
 */
export const pluralOf = (noun) => (noun.endsWith('x') ? `${noun}es` : `${noun}s`);

/**
 * @param {{kind: NounClass, plural: boolean}} noun
 * @returns {Pronouns}
 */
export function pronounsOf({ kind, plural }) {
  if (plural) return { subject: 'they', object: 'them' };
  if (kind === 'man') return { subject: 'he', object: 'him' };
  return kind === 'woman' ? { subject: 'she', object: 'her' } : { subject: 'it', object: 'it' };
}

/** Every pronoun of `pronounsOf`. */
export const PRONOUNS = /* @__PURE__ */ words('it they them he she him her');

/**
 * All words of some classes, each once.
 * @param {{plurals: boolean, verbs: readonly Group[]}} which
 * @returns {string[]}
 */
export function lexiconWords({ plurals, verbs: groups }) {
  const nouns = Object.values(NOUNS).flat();
  const verbWords = groups.flatMap((group) => VERBS[group].flatMap(({ base, past }) => [...base, ...past]));
  return [
    ...new Set([...nouns, ...(plurals ? nouns.map(pluralOf) : []), ...Object.values(ADJECTIVES).flat(), ...verbWords]),
  ];
}
