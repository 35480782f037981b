// The grammar of RECIPES.md A.1 read a second time, by patterns over whole sentences: knows nothing of the generator.

const TABLE = {
  animal: [
    ['dog', 'cat', 'fox', 'horse', 'rabbit', 'goat'],
    ['spunky', 'hungry', 'sleepy', 'brave', 'tired', 'playful'],
    ['feed/fed', 'follow/followed'],
  ],
  man: [
    ['boy', 'king', 'farmer'],
    ['kind', 'angry', 'rich', 'clever', 'polite'],
    ['greet/greeted', 'help/helped'],
  ],
  woman: [
    ['girl', 'queen', 'nurse'],
    ['kind', 'angry', 'rich', 'clever', 'polite'],
    ['greet/greeted', 'help/helped'],
  ],
  water: [
    ['creek', 'river', 'puddle', 'pond'],
    ['cold', 'deep', 'muddy', 'shallow'],
    ['jump over/jumped over', 'drink from/drank from'],
  ],
  wood: [
    ['fence', 'wall', 'log', 'gate'],
    ['high', 'wooden', 'broken', 'narrow'],
    ['jump over/jumped over', 'hide behind/hid behind'],
  ],
  food: [
    ['bone', 'cake', 'apple', 'carrot'],
    ['tasty', 'fresh', 'sweet', 'ripe'],
    ['eat/ate', 'smell/smelled'],
  ],
  toy: [
    ['ball', 'kite', 'stick', 'hat'],
    ['red', 'shiny', 'new', 'round'],
    ['chase/chased', 'catch/caught'],
  ],
  place: [
    ['mat', 'rug', 'bed', 'sofa'],
    ['soft', 'clean', 'warm', 'dusty'],
    ['sit on/sat on', 'sleep on/slept on'],
  ],
};
const AGENTS = ['animal', 'man', 'woman'];

/** @type {Record<string, {kind: string, plural: boolean}>} */
export const NOUNS = {};
for (const [kind, [nouns]] of Object.entries(TABLE)) {
  for (const noun of nouns) {
    NOUNS[noun] = { kind, plural: false };
    NOUNS[noun === 'fox' ? 'foxes' : `${noun}s`] = { kind, plural: true };
  }
}
export const adjectivesOf = (noun) => TABLE[NOUNS[noun].kind][1];
const forms = (noun, form) => TABLE[NOUNS[noun].kind][2].map((verb) => verb.split('/')[form]);
/** First words of the verbs that take such an object. */
export const verbsOf = (noun) => [0, 1].flatMap((form) => forms(noun, form).map((verb) => verb.split(' ')[0]));
const isThing = (noun) => !AGENTS.includes(NOUNS[noun].kind);
const group = (noun) => (['man', 'woman'].includes(NOUNS[noun].kind) ? 'human' : NOUNS[noun].kind);
export const subjectOf = (noun) =>
  NOUNS[noun].plural ? 'they' : ({ man: 'he', woman: 'she' }[NOUNS[noun].kind] ?? 'it');
export const objectOf = (noun) =>
  NOUNS[noun].plural ? 'them' : ({ man: 'him', woman: 'her' }[NOUNS[noun].kind] ?? 'it');

const any = (words) => `(${[...new Set(words)].join('|')})`;
const N = any(Object.keys(NOUNS));
const ADJ = any(Object.values(TABLE).flatMap(([, adjectives]) => adjectives));
const V = any(Object.values(TABLE).flatMap(([, , verbs]) => verbs.flatMap((verb) => verb.split('/'))));
const PRONOUN = '(it|they|he|she|them|him|her)';
const BE = '(was|were)';
const NEAR = `(?: near the ${N})?`;
const DO = '(?:(wanted to|did not) )?';

const PATTERNS = {
  F1: `the ${N}${NEAR} ${BE} ${ADJ} (and|so|but) the (?:${ADJ} )?${N} ${DO}${V} ${PRONOUN}`,
  F2: `the (?:${ADJ} )?${N}${NEAR} ${DO}${V} the ${N}${NEAR} because ${PRONOUN} ${BE} ${ADJ}`,
  F3: `the ${N} near the ${N} ${BE} ${ADJ}`,
  F4: `the (?:${ADJ} )?${N} ${V} the (?:${ADJ} )?${N}`,
  F5: `the ${N} ${BE} ${ADJ} but the ${N} ${V} ${PRONOUN} because ${PRONOUN} ${BE} ${ADJ}`,
  F6: `the ${N} ${BE} ${ADJ}`,
};

/**
 * The sentence's family and parts, or null if the grammar does not say it. `antecedents`: nouns that its pronouns, from
 * left to right, stand for.
 * @param {string} text
 */
export function parse(text) {
  for (const [family, pattern] of Object.entries(PATTERNS)) {
    const match = new RegExp(`^${pattern} \\.$`).exec(text);
    const parts = match && READERS[family](...match.slice(1));
    if (parts) return { family, ...parts };
  }
  return null;
}

const fitsBe = (noun, be) => be === (NOUNS[noun].plural ? 'were' : 'was');
const fitsAdjective = (noun, adjective) => !adjective || adjectivesOf(noun).includes(adjective);
const fitsVerb = (noun, way, verb) => forms(noun, way ? 0 : 1).includes(verb);
const isPair = (agent, object) => !isThing(agent) && group(agent) !== group(object);
const fitsNear = (near, agent, object) =>
  !near || (isThing(near) && ![group(agent), group(object)].includes(group(near)));
/** @param {...boolean} rules */
const when = (parts, ...rules) => (rules.every(Boolean) ? parts : null);

const READERS = {
  F1: (object, near, be, adjective, conjunction, ofAgent, agent, way, verb, pronoun) =>
    when(
      { agent, object, near, way, conjunction, ofAgent, antecedents: [object] },
      isPair(agent, object),
      fitsNear(near, agent, object),
      fitsBe(object, be),
      fitsAdjective(object, adjective),
      fitsAdjective(agent, ofAgent),
      fitsVerb(object, way, verb),
      pronoun === objectOf(object),
    ),
  F2(ofAgent, agent, near1, way, verb, object, near2, pronoun, be, adjective) {
    const which = fitsAdjective(agent, adjective) ? agent : object;
    return when(
      { agent, object, near: near1 ?? near2, near1, near2, way, ofAgent, antecedents: [which] },
      isPair(agent, object),
      !(near1 && near2),
      fitsNear(near1 ?? near2, agent, object),
      fitsAdjective(agent, ofAgent),
      fitsVerb(object, way, verb),
      fitsAdjective(which, adjective),
      pronoun === subjectOf(which),
      fitsBe(which, be),
    );
  },
  F3: (agent, object, be, adjective) =>
    when({ agent, object, antecedents: [] }, isPair(agent, object), fitsBe(agent, be), fitsAdjective(agent, adjective)),
  F4: (ofAgent, agent, verb, ofObject, object) =>
    when(
      { agent, object, ofAgent, ofObject, antecedents: [] },
      isPair(agent, object),
      fitsAdjective(agent, ofAgent),
      fitsVerb(object, undefined, verb),
      fitsAdjective(object, ofObject),
    ),
  F5: (object, be1, adjective1, agent, verb, pronoun1, pronoun2, be2, adjective2) =>
    when(
      { agent, object, antecedents: [object, agent] },
      isPair(agent, object),
      fitsBe(object, be1),
      fitsAdjective(object, adjective1),
      fitsVerb(object, undefined, verb),
      pronoun1 === objectOf(object),
      pronoun2 === subjectOf(agent),
      fitsBe(agent, be2),
      fitsAdjective(agent, adjective2),
    ),
  F6: (object, be, adjective) =>
    when({ object, antecedents: [] }, fitsBe(object, be), fitsAdjective(object, adjective)),
};
