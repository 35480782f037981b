/**
 * The English and French words of the task translate. Every French word that can follow le, la or
 * ne begins with a consonant, so nothing is elided.
 */

/** @typedef {'A' | 'W' | 'T'} NounClass animate, a way (what one crosses), thing */
/** @typedef {{singular: string, plural: string}} Numbers */
/** @typedef {{en: Numbers, fr: Numbers, feminine: boolean, kind: NounClass}} Noun */
/** @typedef {{en: string, fr: string[], before: boolean, kinds: string}} Adjective fr: masculine and
 *   feminine singular, then plural; before: its place in French; kinds: of the nouns it fits */
/** @typedef {{
 *   base: string[], past: string[], infinitive: string, singular: string, plural: string, kinds: string,
 * }} Verb the French finite forms are the imparfait; kinds: of the objects it takes */

const NOUN_TEXT = {
  A: `dog/dogs=chien/chiens m, cat/cats=chat/chats m, fox/foxes=renard/renards m, cow/cows=vache/vaches f,
    goat/goats=chèvre/chèvres f, king/kings=roi/rois m, queen/queens=reine/reines f, girl/girls=fille/filles f`,
  W: `creek/creeks=ruisseau/ruisseaux m, river/rivers=rivière/rivières f, pond/ponds=bassin/bassins m,
    road/roads=route/routes f, wall/walls=mur/murs m, fence/fences=clôture/clôtures f`,
  T: `cake/cakes=gâteau/gâteaux m, soup/soups=soupe/soupes f, loaf/loaves=pain/pains m,
    pear/pears=poire/poires f, hat/hats=chapeau/chapeaux m, ball/balls=balle/balles f,
    book/books=livre/livres m, letter/letters=lettre/lettres f`,
};

const ADJECTIVE_TEXT = `
  spunky = fougueux fougueuse fougueux fougueuses, post A
  tired = fatigué fatiguée fatigués fatiguées, post A
  hungry = affamé affamée affamés affamées, post A
  young = jeune jeune jeunes jeunes, pre A
  cold = froid froide froids froides, post WT
  deep = profond profonde profonds profondes, post W
  wide = large large larges larges, post W
  green = vert verte verts vertes, post WT
  heavy = lourd lourde lourds lourdes, post T
  black = noir noire noirs noires, post AWT
  white = blanc blanche blancs blanches, post AWT
  small = petit petite petits petites, pre AWT
  big = grand grande grands grandes, pre AWT
  beautiful = beau belle beaux belles, pre AWT`;

const VERB_TEXT = `
  jump over/jumped over = franchir franchissait franchissaient, W
  see/saw = voir voyait voyaient, AWT
  follow/followed = suivre suivait suivaient, A
  find/found = trouver trouvait trouvaient, AWT
  look for/looked for = chercher cherchait cherchaient, AWT
  take/took = prendre prenait prenaient, T
  sell/sold = vendre vendait vendaient, T
  leave/left = quitter quittait quittaient, AW`;

/**
 * @param {string} text `dog/dogs`
 * @returns {Numbers}
 */
function numbersOf(text) {
  const [singular, plural] = text.split('/');
  return { singular, plural };
}

/** @returns {Noun[]} */
const readNouns = () =>
  Object.entries(NOUN_TEXT).flatMap(([kind, text]) =>
    text.split(',').map((entry) => {
      const [en, fr, gender] = entry.trim().split(/[= ]/);
      return { en: numbersOf(en), fr: numbersOf(fr), feminine: gender === 'f', kind: /** @type {NounClass} */ (kind) };
    }),
  );

/**
 * @template T
 * @param {string} text
 * @param {(parts: string[]) => T} read what stands between = and commas
 * @returns {T[]} of each line
 */
const readLines = (text, read) =>
  text
    .trim()
    .split('\n')
    .map((line) => read(line.trim().split(/ = |, /)));

/** @type {readonly Noun[]} */
export const NOUNS = /* @__PURE__ */ readNouns();

/** @type {readonly Adjective[]} */
export const ADJECTIVES = /* @__PURE__ */ readLines(ADJECTIVE_TEXT, ([en, forms, rest]) => {
  const [place, kinds] = rest.split(' ');
  return { en, fr: forms.split(' '), before: place === 'pre', kinds };
});

/** @type {readonly Verb[]} */
export const VERBS = /* @__PURE__ */ readLines(VERB_TEXT, ([en, forms, kinds]) => {
  const [base, past] = en.split('/').map((form) => form.split(' '));
  const [infinitive, singular, plural] = forms.split(' ');
  return { base, past, infinitive, singular, plural, kinds };
});

/** French function words by English word and form: masculine, feminine, plural. */
export const DETERMINERS = { the: ['le', 'la', 'les'], a: ['un', 'une', ''], this: ['ce', 'cette', 'ces'] };

export const CONJUNCTIONS = { and: 'et', but: 'mais' };
export const PREPOSITIONS = { behind: 'derrière', on: 'sur', under: 'sous' };

/** Every English word. */
export const englishWords = () => [
  ...new Set([
    '.',
    'the',
    'a',
    'this',
    'these',
    'wanted',
    'to',
    'did',
    'not',
    'it',
    'them',
    'they',
    'was',
    'were',
    ...Object.keys(CONJUNCTIONS),
    'because',
    ...Object.keys(PREPOSITIONS),
    ...NOUNS.flatMap(({ en }) => [en.singular, en.plural]),
    ...ADJECTIVES.map(({ en }) => en),
    ...VERBS.flatMap(({ base, past }) => [...base, ...past]),
  ]),
];

/** Every French word. */
export const frenchWords = () => [
  ...new Set([
    '.',
    ...Object.values(DETERMINERS).flat().filter(Boolean),
    'était',
    'étaient',
    'voulait',
    'voulaient',
    'ne',
    'pas',
    ...Object.values(CONJUNCTIONS),
    'car',
    'il',
    'elle',
    'ils',
    'elles',
    ...Object.values(PREPOSITIONS),
    ...NOUNS.flatMap(({ fr }) => [fr.singular, fr.plural]),
    ...ADJECTIVES.flatMap(({ fr }) => fr),
    ...VERBS.flatMap(({ infinitive, singular, plural }) => [infinitive, singular, plural]),
  ]),
];
