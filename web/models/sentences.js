// The sentences that translate was trained on, as menus: the English half of its grammar.
// The words are those of src/tasks/translate-lexicon.js; tests/web/sentences.test.js holds them equal.

/** @param {string} text */
const pairs = (text) => text.split(' ').map((pair) => pair.split('/'));

/** Nouns by kind (A animate, W a way one crosses, T thing): singular and plural. */
export const NOUNS = {
  A: pairs('dog/dogs cat/cats fox/foxes cow/cows goat/goats king/kings queen/queens girl/girls'),
  W: pairs('creek/creeks river/rivers pond/ponds road/roads wall/walls fence/fences'),
  T: pairs('cake/cakes soup/soups loaf/loaves pear/pears hat/hats ball/balls book/books letter/letters'),
};

/** Adjectives with the kinds that they fit. */
export const ADJECTIVES = pairs(
  'spunky/A tired/A hungry/A young/A cold/WT deep/W wide/W green/WT heavy/T black/AWT white/AWT ' +
    'small/AWT big/AWT beautiful/AWT',
);

/** Verbs: base, past, kinds of their objects. */
export const VERBS = [
  ['jump over', 'jumped over', 'W'],
  ['see', 'saw', 'AWT'],
  ['follow', 'followed', 'A'],
  ['find', 'found', 'AWT'],
  ['look for', 'looked for', 'AWT'],
  ['take', 'took', 'T'],
  ['sell', 'sold', 'T'],
  ['leave', 'left', 'AW'],
];

const NO_ADJECTIVE = '(no adjective)';
const PAST = '(past)';

/**
 * @typedef {(name: string, label: string, options: string[]) => string} Pick the chosen option
 * @typedef {{name: string, label: string, options: string[], value: string}} Menu
 * @typedef {{pattern: string, choices: Record<string, string>}} MenuState
 */

/** @type {Map<string, {kind: string, many: boolean}>} */
const NOUN = new Map(
  Object.entries(NOUNS).flatMap(([kind, list]) =>
    list.flatMap((forms) => forms.map((word, i) => /** @type {const} */ ([word, { kind, many: i === 1 }]))),
  ),
);

/** @param {string} noun */
const factsOf = (noun) => /** @type {{kind: string, many: boolean}} */ (NOUN.get(noun));
/** @param {string} kinds */
const nouns = (kinds) => [...NOUN].filter(([, { kind }]) => kinds.includes(kind)).map(([word]) => word);
/** @param {string} fits @param {string} [not] */
const adjectives = (fits, not = '-') =>
  ADJECTIVES.filter(([, kinds]) => kinds.includes(fits) && !kinds.includes(not)).map(([word]) => word);
/** @param {string} noun */
const was = (noun) => (factsOf(noun).many ? 'were' : 'was');

/**
 * The name of a field decides what is remembered, so a noun is chosen before its determiner and
 * adjective, which must fit, and said after them.
 * @param {Pick} pick @param {string} name @param {string} label @param {string} kinds @param {boolean} [adjective]
 */
function phrase(pick, name, label, kinds, adjective = true) {
  const noun = pick(name, label, nouns(kinds));
  const { kind, many } = factsOf(noun);
  const determiner = pick(
    `${name}-determiner`,
    `Determiner of ${noun}`,
    many ? ['the', 'these'] : ['the', 'a', 'this'],
  );
  const own = adjective
    ? pick(`${name}-adjective`, `Adjective of ${noun}`, [NO_ADJECTIVE, ...adjectives(kind)])
    : NO_ADJECTIVE;
  return {
    noun,
    kind,
    many,
    words: [`${name}-determiner`, ...(adjective ? [`${name}-adjective`] : []), name],
    determiner,
    own,
  };
}

/** @param {Pick} pick @param {string} object kind of the verb's object */
function action(pick, object) {
  pick('way', 'Form of the verb', ['wanted to', 'did not', PAST]);
  pick(
    'verb',
    'Verb',
    VERBS.filter(([, , kinds]) => kinds.includes(object)).map(([base]) => base),
  );
  return ['way', 'verb'];
}

/**
 * Each pattern returns what stands in the sentence: names of fields, and words after '='.
 * @type {Record<string, {label: string, write: (pick: Pick) => string[]}>}
 */
export const PATTERNS = {
  crossing: {
    label: 'It was …, and someone did something to it',
    write(pick) {
      const thing = phrase(pick, 'thing', 'Thing', 'WT', false);
      pick('state', `What ${thing.noun} ${was(thing.noun)}`, adjectives(thing.kind));
      pick('and', 'Conjunction', ['and', 'but']);
      const agent = phrase(pick, 'agent', 'Who', 'A');
      return [
        ...thing.words,
        `=${was(thing.noun)}`,
        'state',
        'and',
        ...agent.words,
        ...action(pick, thing.kind),
        `=${thing.many ? 'them' : 'it'}`,
        '=.',
      ];
    },
  },
  because: {
    label: 'Someone did something because it was …',
    write(pick) {
      const agent = phrase(pick, 'agent', 'Who', 'A', false);
      const thing = phrase(pick, 'thing', 'Thing', 'WT', false);
      const reasons = [...adjectives(agent.kind, thing.kind), ...adjectives(thing.kind, agent.kind)];
      const same = agent.many === thing.many; // else it or they tells who is meant
      const of = same ? '' : pick('about', 'Who is meant', [agent.noun, thing.noun]);
      const options = same
        ? reasons
        : of === agent.noun
          ? adjectives(agent.kind, thing.kind)
          : adjectives(thing.kind, agent.kind);
      const reason = pick('reason', 'Reason', options);
      const meant = adjectives(agent.kind).includes(reason) ? agent : thing;
      return [
        ...agent.words,
        ...action(pick, thing.kind),
        ...thing.words,
        '=because',
        same ? `=${meant.many ? 'they' : 'it'}` : 'about',
        `=${was(meant.noun)}`,
        'reason',
        '=.',
      ];
    },
  },
  action: {
    label: 'Someone did something',
    write(pick) {
      const agent = phrase(pick, 'agent', 'Who', 'A');
      const thing = phrase(pick, 'thing', 'Object', 'WTA');
      return [...agent.words, ...action(pick, thing.kind), ...thing.words, '=.'];
    },
  },
  state: {
    label: 'Something was …',
    write(pick) {
      const thing = phrase(pick, 'thing', 'Who or what', 'WTA');
      pick('state', `What ${thing.noun} ${was(thing.noun)}`, adjectives(thing.kind));
      return [...thing.words, `=${was(thing.noun)}`, 'state', '=.'];
    },
  },
};

/** The words of the sentence that translate opens with. @type {Record<string, string>} */
const FIRST = {
  thing: 'creek',
  'thing-determiner': 'the',
  state: 'cold',
  and: 'and',
  agent: 'dog',
  'agent-determiner': 'the',
  'agent-adjective': 'spunky',
  way: 'wanted to',
  verb: 'jump over',
  reason: 'deep',
};

/**
 * The sentence of the reader's choices, in place of the first words: one that does not fit becomes the first that does.
 * @param {MenuState} state
 * @returns {{parts: (string | Menu)[], text: string}}
 */
export function compose({ pattern, choices }) {
  /** @type {Map<string, Menu>} */
  const menus = new Map();
  const parts = PATTERNS[pattern]
    .write((name, label, options) => {
      const chosen = choices[name] ?? FIRST[name];
      const value = options.includes(chosen) ? chosen : options[0];
      menus.set(name, { name, label, options, value });
      return value;
    })
    .map((part) => (part.startsWith('=') ? part.slice(1) : /** @type {Menu} */ (menus.get(part))));
  const past = menus.get('way')?.value === PAST;
  const text = parts
    .map((part) => {
      if (typeof part === 'string') return part;
      const { name, value } = part;
      if (name === 'about') return factsOf(value).many ? 'they' : 'it';
      if ((name === 'way' && past) || value === NO_ADJECTIVE) return '';
      return name === 'verb' && past ? VERBS.find(([base]) => base === value)?.[1] : value;
    })
    .filter(Boolean)
    .join(' ');
  return { parts, text };
}

/** Says how to read its map. */
const why =
  'Each row is the step that predicts one French word. An adjective after its noun makes the pattern cross. An ' +
  'article also attends to the English noun, which decides its gender: “the” does not. The row of “le” or “la” ' +
  'before a verb need not attend to a noun: the encoder may have stored what “it” refers to at another word.';

/** Completes translate's entry in the catalogue. */
export const entry = { compose, why, lang: 'fr' };
