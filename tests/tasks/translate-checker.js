// A second translator, by reading the English sentence from left to right: retyped from RECIPES.md B.1, knows nothing
// of the generator.

const noun = (text, kind) =>
  text
    .split(', ')
    .map((entry) => {
      const [, en, enMany, fr, frMany, gender] = /^(\w+)\/(\w+)=(\S+)\/(\S+) ([mf])$/.exec(entry);
      return [
        [en, { fr, many: false, gender, kind }],
        [enMany, { fr: frMany, many: true, gender, kind }],
      ];
    })
    .flat();

/** @type {Map<string, {fr: string, many: boolean, gender: string, kind: string}>} */
export const NOUNS = new Map([
  ...noun(
    'dog/dogs=chien/chiens m, cat/cats=chat/chats m, fox/foxes=renard/renards m, cow/cows=vache/vaches f, ' +
      'goat/goats=chèvre/chèvres f, king/kings=roi/rois m, queen/queens=reine/reines f, girl/girls=fille/filles f',
    'A',
  ),
  ...noun(
    'creek/creeks=ruisseau/ruisseaux m, river/rivers=rivière/rivières f, pond/ponds=bassin/bassins m, ' +
      'road/roads=route/routes f, wall/walls=mur/murs m, fence/fences=clôture/clôtures f',
    'W',
  ),
  ...noun(
    'cake/cakes=gâteau/gâteaux m, soup/soups=soupe/soupes f, loaf/loaves=pain/pains m, pear/pears=poire/poires f, ' +
      'hat/hats=chapeau/chapeaux m, ball/balls=balle/balles f, book/books=livre/livres m, ' +
      'letter/letters=lettre/lettres f',
    'T',
  ),
]);

/** @type {Record<string, {forms: string[], pre: boolean, kinds: string}>} */
export const ADJECTIVES = {};
for (const [en, forms, place, kinds] of [
  ['spunky', 'fougueux fougueuse fougueux fougueuses', 'post', 'A'],
  ['tired', 'fatigué fatiguée fatigués fatiguées', 'post', 'A'],
  ['hungry', 'affamé affamée affamés affamées', 'post', 'A'],
  ['young', 'jeune jeune jeunes jeunes', 'pre', 'A'],
  ['cold', 'froid froide froids froides', 'post', 'WT'],
  ['deep', 'profond profonde profonds profondes', 'post', 'W'],
  ['wide', 'large large larges larges', 'post', 'W'],
  ['green', 'vert verte verts vertes', 'post', 'WT'],
  ['heavy', 'lourd lourde lourds lourdes', 'post', 'T'],
  ['black', 'noir noire noirs noires', 'post', 'AWT'],
  ['white', 'blanc blanche blancs blanches', 'post', 'AWT'],
  ['small', 'petit petite petits petites', 'pre', 'AWT'],
  ['big', 'grand grande grands grandes', 'pre', 'AWT'],
  ['beautiful', 'beau belle beaux belles', 'pre', 'AWT'],
])
  ADJECTIVES[en] = { forms: forms.split(' '), pre: place === 'pre', kinds };

const VERBS = [
  ['jump over', 'jumped over', 'franchir franchissait franchissaient', 'W'],
  ['see', 'saw', 'voir voyait voyaient', 'AWT'],
  ['follow', 'followed', 'suivre suivait suivaient', 'A'],
  ['find', 'found', 'trouver trouvait trouvaient', 'AWT'],
  ['look for', 'looked for', 'chercher cherchait cherchaient', 'AWT'],
  ['take', 'took', 'prendre prenait prenaient', 'T'],
  ['sell', 'sold', 'vendre vendait vendaient', 'T'],
  ['leave', 'left', 'quitter quittait quittaient', 'AW'],
].map(([base, past, forms, kinds]) => ({ base, past, forms: forms.split(' '), kinds }));

const THE = { m: 'le', f: 'la' };
const A = { m: 'un', f: 'une' };
const THIS = { m: 'ce', f: 'cette' };
const PREPOSITIONS = { behind: 'derrière', on: 'sur', under: 'sous' };

/**
 * @param {string[]} words English
 * @returns {{family: string, french: string[], links: number[][], content: boolean[], parts: any}} throws for what the
 *   grammar does not say
 */
export function translate(words) {
  let at = 0;
  /** @type {{word: string, from: number[], content: boolean}[]} */
  const out = [];
  const write = (word, from, content = false) => out.push({ word, from, content });
  const fail = (why) => {
    throw new Error(`${why} at ${at}: ${words.join(' ')}`);
  };
  const expect = (...choices) => {
    const found = choices.find((text) => words.slice(at, at + text.split(' ').length).join(' ') === text);
    if (found === undefined) fail(`no ${choices}`);
    const from = found.split(' ').map((_, i) => at + i);
    at += from.length;
    return { text: found, from };
  };
  const sees = (text) => words.slice(at, at + text.split(' ').length).join(' ') === text;
  const parts = { determiners: [], adjectives: [], phrases: [] };

  function adjective(n) {
    const { text, from } = expect(...Object.keys(ADJECTIVES));
    if (!ADJECTIVES[text].kinds.includes(n.kind)) fail(`${text} does not fit`);
    return {
      text,
      from,
      fr: ADJECTIVES[text].forms[(n.many ? 2 : 0) + (n.gender === 'f' ? 1 : 0)],
      pre: ADJECTIVES[text].pre,
    };
  }
  function phrase(name) {
    const det = expect('the', 'a', 'these', 'this');
    const hasAdjective = words[at] in ADJECTIVES;
    const n = NOUNS.get(words[at + (hasAdjective ? 1 : 0)]) ?? fail('no noun');
    if (det.text === 'a' && n.many) fail('a with a plural');
    if ((det.text === 'these' || det.text === 'this') && (det.text === 'these') !== n.many) fail('number');
    const fr = { the: n.many ? 'les' : THE[n.gender], a: A[n.gender], this: THIS[n.gender], these: 'ces' }[det.text];
    write(fr, det.from);
    const adj = hasAdjective ? adjective(n) : null;
    if (adj?.pre) write(adj.fr, adj.from, true);
    write(n.fr, [at++], true);
    if (adj && !adj.pre) write(adj.fr, adj.from, true);
    parts.determiners.push({ name, text: det.text, many: n.many });
    parts.phrases.push({ name, adjective: adj?.text, noun: n });
    return n;
  }
  function copula(n) {
    const { from } = expect(n.many ? 'were' : 'was');
    write(n.many ? 'étaient' : 'était', from);
  }
  function being(n) {
    const adj = adjective(n);
    write(adj.fr, adj.from, true);
    return adj.text;
  }
  /** VP; `object` null: a noun phrase follows */
  function action(agent, object) {
    const way = sees('wanted to') ? 'wanted to' : sees('did not') ? 'did not' : 'past';
    const lead = way === 'past' ? null : expect(way);
    parts.way = way;
    const form = way === 'past' ? 'past' : 'base';
    const { text, from } = expect(...VERBS.map((verb) => verb[form]));
    const verb = VERBS.find((one) => one[form] === text);
    const pronoun = object && expect(object.many ? 'them' : 'it');
    const finite = verb.forms[agent.many ? 2 : 1];
    const clitic = () => pronoun && write(object.many ? 'les' : THE[object.gender], pronoun.from);
    if (way === 'wanted to') {
      write(agent.many ? 'voulaient' : 'voulait', lead.from);
      clitic();
      write(verb.forms[0], from, true);
    } else if (way === 'did not') {
      write('ne', lead.from);
      clitic();
      write(finite, from, true);
      write('pas', [lead.from[1]]);
    } else {
      clitic();
      write(finite, from, true);
    }
    const what = object ?? phrase('object');
    if (!verb.kinds.includes(what.kind)) fail('the verb does not fit');
    return what;
  }
  const done = (family) => {
    if (at !== words.length) fail('more words');
    return {
      family,
      french: out.map(({ word }) => word),
      links: out.map(({ from }) => from),
      content: out.map(({ content }) => content),
      parts,
    };
  };
  const stop = () => write('.', expect('.').from);

  const first = phrase('subject');
  if (at === words.length) return done('g');
  if (words[at] === 'was' || words[at] === 'were') {
    copula(first);
    if (words[at] in PREPOSITIONS) {
      const { text, from } = expect(...Object.keys(PREPOSITIONS));
      write(PREPOSITIONS[text], from);
      if (phrase('place').kind === 'A') fail('no place');
      stop();
      return done('e');
    }
    being(first);
    if (sees('.')) {
      stop();
      return done('a');
    }
    const { text, from } = expect('and', 'but');
    write({ and: 'et', but: 'mais' }[text], from);
    if (first.kind === 'A') fail('an animate object');
    const agent = phrase('agent');
    if (agent.kind !== 'A') fail('no agent');
    action(agent, first);
    stop();
    return done('c');
  }
  if (first.kind !== 'A') fail('no agent');
  const object = action(first, null);
  if (sees('.')) {
    stop();
    return done('b');
  }
  write('car', expect('because').from);
  if (object.kind === 'A') fail('an animate object');
  const { text, from } = expect('it', 'they');
  const copied = words[at + 1];
  const which = ADJECTIVES[copied]?.kinds.includes('A') ? first : object;
  const other = which === first ? object : first;
  if (which.many !== (text === 'they')) fail('number');
  write(`${which.gender === 'f' ? 'elle' : 'il'}${which.many ? 's' : ''}`, from);
  copula(which);
  const adj = being(which);
  if (ADJECTIVES[adj].kinds.includes(other.kind)) fail('the adjective does not decide');
  parts.meant = which === first ? 'agent' : 'object';
  stop();
  return done('d');
}
