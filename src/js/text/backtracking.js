// Limits the time of a search. JavaScript tries all the ways in which a pattern can match before it gives up, so
// (a+)+$ takes twice the time with each letter. The pattern becomes an automaton with a state for each position of a
// character (Glushkov 1961). Its number of ways grows exponentially where a state has two paths to itself with the same
// text, and with a power of the length where two loops, one after the other, share a text (Weber & Seidl 1991).

/** A count within braces up to which the copies are written out; beyond it counts as endless. */
const WRITTEN_OUT = 8;
/** Places, once written out. */
const MOST_STATES = 1000;
/** Ways through a pattern without its loops. */
const MOST_WAYS = 10_000;
/** Steps of the search for two ways, and edges that it may find. */
const MOST_STEPS = 2e5;
/** Different sets of characters. */
const MOST_SETS = 32;

/** Sets of characters, escapes, what opens a group, counts; any other character. */
const TOKEN = new RegExp(
  [
    String.raw`\[(?:\\.|[^\]\\])*\]`,
    String.raw`\\[pPu]\{[^}]*\}|\\u[\dA-Fa-f]{4}|\\x[\dA-Fa-f]{2}|\\c.|\\k<[^>]*>|\\[1-9]\d*|\\.`,
    String.raw`\(\?<?[=!]|\(\?<[^>]*>|\(\?[^:)]*:`,
    String.raw`[*+?]\??|\{\d+(?:,\d*)?\}\??|.`,
  ].join('|'),
  'gsu',
);

/**
 * A part of a pattern, by its states. A state stands twice in a list where two ways lead there.
 * @typedef {object} Part
 * @property {number[]} first where it may begin
 * @property {number[]} last where it may end
 * @property {number[]} sure those of `last` behind which nothing can fail
 * @property {number} empty ways to match no character
 * @property {boolean} certain it can match no character whatever comes
 */

/** @type {Part} */
const NOTHING = { first: [], last: [], sure: [], empty: 1, certain: true };
/** A part that consumes no text. @type {Part} */
const ASSERTION = { ...NOTHING, certain: false };

/**
 * Why a pattern may take very long, judged by its text alone. Also refuses what cannot be judged.
 * @param {string} source of a RegExp with the flag u
 * @returns {string} '' where its time grows at most with the square of the text's length
 */
export function slownessOf(source) {
  try {
    const { automaton, whole } = automatonOf(source);
    expectFewWays(automaton, whole);
    expectOneWay(automaton, whole);
    return '';
  } catch (error) {
    if (error instanceof Slow) return error.message;
    throw error;
  }
}

class Slow extends Error {}
const LONG = 'one is too long to be judged';
const WAYS = 'there are thousands of ways to match the same text';

/** The states of a pattern, and which follow which. */
class Automaton {
  /** @type {string[]} of characters, by state */
  sets = [];
  /** @type {number[][]} by state, those that may follow */
  next = [];
  /** @type {number[][]} by state, those that may follow in another round of a loop */
  again = [];
  loops = 0;
  #count = 0;

  /** @param {number[][]} edges @param {number[]} from @param {number[]} to */
  #connect(edges, from, to) {
    if ((this.#count += from.length * to.length) > MOST_STEPS) throw new Slow(LONG);
    for (const state of from) edges[state].push(...to);
  }

  /** @param {string} set of characters @returns {Part} */
  state(set) {
    if (this.sets.push(set) > MOST_STATES) throw new Slow(LONG);
    this.next.push([]);
    this.again.push([]);
    const state = this.sets.length - 1;
    return { first: [state], last: [state], sure: [state], empty: 0, certain: false };
  }

  /** @param {Part} a @param {Part} b @returns {Part} */
  sequence(a, b) {
    this.#connect(this.next, a.last, b.first);
    return few({
      first: [...a.first, ...times(a.empty, b.first)],
      last: [...b.last, ...times(b.empty, a.last)],
      sure: [...b.sure, ...(b.certain ? a.sure : [])],
      empty: a.empty * b.empty,
      certain: a.certain && b.certain,
    });
  }

  /** Once or more; the rounds that it must have may match nothing. @param {Part} part @param {number} min */
  loop(part, min) {
    this.loops++;
    this.#connect(this.again, part.last, part.first);
    return few({ ...part, first: [...part.first, ...times(min && part.empty, part.first)] });
  }

  /** @param {Part[]} copies @param {number} min how many of them there must be */
  counted(copies, min) {
    return copies.reduceRight((rest, copy, i) => {
      const both = this.sequence(copy, rest);
      return i < min ? both : maybe(both);
    }, NOTHING);
  }
}

/** @param {Part} a @param {Part} b @returns {Part} */
const either = (a, b) =>
  few({
    first: [...a.first, ...b.first],
    last: [...a.last, ...b.last],
    sure: [...a.sure, ...b.sure],
    empty: a.empty + b.empty,
    certain: a.certain || b.certain,
  });

/** JavaScript refuses a round of a loop that matches nothing, but for those that it must have. @param {Part} part */
const maybe = (part) => ({ ...part, empty: 1, certain: true });

/**
 * The automaton of a pattern.
 * @param {string} source
 * @returns {{automaton: Automaton, whole: Part}}
 */
function automatonOf(source) {
  const tokens = source.match(TOKEN) ?? [];
  const automaton = new Automaton();
  let at = 0;

  function choice() {
    let part = run();
    while (tokens[at] === '|') {
      at++;
      part = either(part, run());
    }
    return part;
  }

  function run() {
    let part = NOTHING;
    while (at < tokens.length && tokens[at] !== '|' && tokens[at] !== ')') part = automaton.sequence(part, repeated());
    return part;
  }

  function repeated() {
    const from = at;
    const part = atom();
    const [sign, least, comma, most] = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})/.exec(tokens[at] ?? '') ?? [];
    if (!sign) return part;
    const min = Number(least ?? sign === '+');
    const max = Number(most || (comma || /[*+]/.test(sign) ? Infinity : (least ?? 1)));
    if (max === 0) return (at++, NOTHING);
    if (max === 1) return (at++, min ? part : maybe(part));
    const isEndless = max > WRITTEN_OUT;
    const copies = [part];
    while (copies.length < Math.min(isEndless ? Math.max(min, 1) : max, WRITTEN_OUT)) {
      at = from;
      copies.push(atom());
    }
    at++;
    if (isEndless) copies.push(automaton.loop(/** @type {Part} */ (copies.pop()), min));
    const whole = automaton.counted(copies, min);
    // Rounds that are not written out must follow.
    return min > WRITTEN_OUT && !part.certain ? { ...whole, sure: [] } : whole;
  }

  /** @returns {Part} */
  function atom() {
    const token = tokens[at++];
    if (/^(\^|\$|\\b|\\B)$/.test(token)) return ASSERTION;
    if (token.startsWith('(')) {
      const before = automaton.loops;
      const part = choice();
      at++;
      if (/^\((\?:|\?<[^=!]|$)/.test(token)) return part;
      if (!/^\(\?<?[=!]$/.test(token)) throw new Slow('one changes flags within');
      if (token.startsWith('(?<') && automaton.loops > before) throw new Slow('a part repeats in a look-behind');
      // A branch that ends there: what it matches is matched again by what follows.
      return { ...ASSERTION, first: part.first };
    }
    if (/^\\(k<|[1-9])/.test(token)) throw new Slow('one refers back to a group');
    return automaton.state(token);
  }

  return { automaton, whole: choice() };
}

/** @param {Part} part */
function few(part) {
  if (Math.max(part.empty, part.first.length, part.last.length, part.sure.length) > MOST_WAYS) throw new Slow(WAYS);
  return part;
}

/** @param {number} count @param {number[]} states */
const times = (count, states) => (states.length ? Array.from({ length: count }, () => states).flat() : []);

/**
 * Without its loops a pattern may still have ways beyond number: (a|a)(a|a)…
 * @param {Automaton} automaton
 * @param {Part} whole
 */
function expectFewWays({ next }, whole) {
  const ways = next.map((_, state) => whole.first.filter((each) => each === state).length);
  let sum = 0;
  // Each state stands behind those that lead to it.
  for (const [state, after] of next.entries()) {
    sum += ways[state];
    if (sum > MOST_WAYS) throw new Slow(WAYS);
    for (const each of after) ways[each] += ways[state];
  }
}

/** @param {Automaton} automaton @param {Part} whole */
function expectOneWay({ sets, next, again }, whole) {
  // The search ends with success at these, so none is undone.
  const sure = new Set(whole.sure);
  const edges = next.map((after, state) =>
    sure.has(state) ? [] : [...after, ...again[state]].filter((each) => !sure.has(each)),
  );
  let steps = 0;
  const spend = (/** @type {number} */ count) => {
    if ((steps += count) > MOST_STEPS) throw new Slow(LONG);
  };
  const reached = edges.map((after) => {
    const found = new Set(after);
    for (const state of found) {
      spend(edges[state].length);
      for (const each of edges[state]) found.add(each);
    }
    return found;
  });
  const loops = [...edges.keys()].filter((state) => reached[state].has(state));
  const share = sharing(sets);

  /**
   * Whether paths from some states, with the same text, come to others.
   * @param {number[]} start @param {(states: number[]) => boolean} isEnd @param {(state: number) => boolean} mayPass
   */
  function meet(start, isEnd, mayPass) {
    const seen = new Set([`${start}`]);
    const left = [start];
    for (let states; (states = left.pop());) {
      /** @type {number[][]} */
      let ahead = [[]];
      for (const state of states) {
        const after = edges[state].filter(mayPass);
        ahead = ahead.flatMap((some) => after.map((each) => [...some, each]));
        spend(ahead.length);
      }
      for (const each of ahead) {
        if (seen.has(`${each}`) || !share(each)) continue;
        if (isEnd(each)) return true;
        seen.add(`${each}`);
        left.push(each);
      }
    }
    return false;
  }

  for (const state of loops) {
    const inLoop = (/** @type {number} */ each) => reached[each].has(state) && reached[state].has(each);
    const after = edges[state].filter(inLoop);
    for (const [i, a] of after.entries()) {
      for (const b of after.slice(0, i)) {
        spend(1);
        if (a === b || (share([a, b]) && meet([a, b], ([x, y]) => x === y, inLoop)))
          throw new Slow('a part that repeats can match the same text in several ways');
      }
    }
  }
  for (const p of loops) {
    for (const q of loops) {
      if (!reached[p].has(q) || reached[q].has(p)) continue;
      const isEnd = (/** @type {number[]} */ [x, y, z]) => x === p && y === q && z === q;
      if (meet([p, p, q], isEnd, (each) => reached[p].has(each) && (each === q || reached[each].has(q))))
        throw new Slow('two parts that repeat, one after the other, can match the same text');
    }
  }
}

/** Code points that stand for all: no property tells those left out from their neighbours. */
const BLOCKS = [
  [0, 0x3400, 1],
  [0x3400, 0xa000, 997],
  [0xa000, 0xac00, 1],
  [0xac00, 0xd7a4, 997],
  [0xd7a4, 0xe000, 1],
  [0xe000, 0xf900, 997],
  [0xf900, 0x17000, 1],
  [0x17000, 0x18d00, 997],
  [0x18d00, 0x1fb00, 1],
  [0x1fb00, 0x110000, 997],
  [0xe0000, 0xe01f0, 1],
];

/**
 * Whether the characters at some states may be the same.
 * @param {string[]} sets
 * @returns {(states: number[]) => boolean}
 */
function sharing(sets) {
  /** The numbers of its groups of characters, by set. @type {Map<string, Set<number>> | undefined} */
  let groups;
  return ([state, ...others]) => {
    groups ??= groupsOf([...new Set(sets)]);
    const [first, ...rest] = [state, ...others].map((each) => /** @type {Set<number>} */ (groups?.get(sets[each])));
    for (const group of first) if (rest.every((set) => set.has(group))) return true;
    return false;
  };
}

/**
 * Parts all characters into groups, of which no set tells two characters apart.
 * @param {string[]} sets
 * @returns {Map<string, Set<number>>}
 */
function groupsOf(sets) {
  if (sets.length > MOST_SETS) throw new Slow(`one has more than ${MOST_SETS} sets of characters`);
  const codes = BLOCKS.flatMap(([from, to, step]) =>
    Array.from({ length: Math.ceil((to - from) / step) }, (_, i) => from + i * step),
  );
  // Add the characters that a set names, with their neighbours, as ranges may begin and end there.
  const named = sets.join('').matchAll(/\\(?:u\{([\dA-Fa-f]+)\}|u([\dA-Fa-f]{4})|x([\dA-Fa-f]{2}))|./gsu);
  for (const [letter, ...hex] of named) {
    const digits = hex.find(Boolean);
    const code = digits ? parseInt(digits, 16) : /** @type {number} */ (letter.codePointAt(0));
    codes.push(...[code - 1, code, code + 1].filter((each) => each >= 0 && each <= 0x10ffff));
  }
  const letters = codes.map((code) => String.fromCodePoint(code));
  let group = letters.map(() => 0);
  const isIn = sets.map((set) => {
    const pattern = new RegExp(`^${set}$`, 'su');
    const flags = letters.map((letter) => pattern.test(letter));
    const numbers = new Map();
    group = group.map((number, i) => {
      const key = 2 * number + Number(flags[i]);
      if (!numbers.has(key)) numbers.set(key, numbers.size);
      return numbers.get(key);
    });
    return flags;
  });
  return new Map(sets.map((set, i) => [set, new Set(group.filter((_, at) => isIn[i][at]))]));
}
