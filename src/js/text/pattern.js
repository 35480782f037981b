// Patterns of a tokenizer.json are Oniguruma's. This translates those parts that JavaScript matches in the same way,
// letter for letter. It refuses all other parts by name, and patterns that may take forever.
import { slownessOf } from './backtracking.js';
import { SPACE, WORD } from './characters.js';
import { refuse, textOf, unread } from './settings.js';

/** Letters of a pattern; published ones have some 300. */
const LONGEST_PATTERN = 10_000;
/** Groups within groups. */
const DEEPEST = 50;
const MOST_ROUNDS = 100_000;

/**
 * A part of a pattern.
 * @typedef {object} Part
 * @property {string} exact what JavaScript is given
 * @property {string} plain the same for slownessOf, which counts no fewer ways: without what forbids to go back
 * @property {boolean} [empty] it may match nothing
 * @property {boolean} [fixed] it consumes no text, so nothing may repeat it
 * @property {string} [letter] a single letter, as the pattern has it
 */

const LETTERS = { t: '\t', n: '\n', r: '\r', f: '\f', v: '\v', a: '\x07', e: '\x1b' };
/** The class of a letter behind a backslash, as a set without brackets. */
const SETS = { d: '\\p{Nd}', s: SPACE, w: WORD, h: '\\da-fA-F' };
/** Oniguruma counts these to \w, but not within a set. */
const LATIN = '\\xb2\\xb3\\xb9\\xbc-\\xbe';
/** Categories, scripts and others that both know under this name, as far as anybody uses them. */
const CATEGORY = /^(?:L[ulmto]?|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?|C[cfo])$/i;
const SCRIPTS =
  'Arabic Armenian Bengali Bopomofo Cyrillic Devanagari Ethiopic Georgian Greek Gujarati Gurmukhi Han Hangul Hebrew ' +
  'Hiragana Kannada Katakana Khmer Lao Latin Malayalam Mongolian Myanmar Oriya Sinhala Tamil Telugu Thai Tibetan';
/** @type {Record<string, string>} */
const NAMES = {
  letter: 'L',
  mark: 'M',
  number: 'N',
  punctuation: 'P',
  symbol: 'S',
  separator: 'Z',
  alpha: 'Alphabetic',
  alphabetic: 'Alphabetic',
  digit: 'Nd',
  space: 'White_Space',
  whitespace: 'White_Space',
  upper: 'Uppercase',
  uppercase: 'Uppercase',
  lower: 'Lowercase',
  lowercase: 'Lowercase',
  punct: 'P',
  ...Object.fromEntries(SCRIPTS.split(' ').map((name) => [name.toLowerCase(), `Script=${name}`])),
};
/** @type {Record<string, string>} */
const POSIX = {
  alpha: '\\p{Alphabetic}',
  digit: '\\p{Nd}',
  space: SPACE,
  upper: '\\p{Uppercase}',
  lower: '\\p{Lowercase}',
  alnum: '\\p{Alphabetic}\\p{Nd}',
  punct: '\\p{P}\\p{S}',
  cntrl: '\\p{Cc}',
  xdigit: '\\da-fA-F',
};
/** Two letters that are one in some script, as ß for ss: such a match cannot be said in JavaScript. */
const JOINED = /^(?:ss|st|f[fil])$/i;

/** A letter as itself, within a set or not. @param {string} letter */
const literal = (letter) =>
  /[\^$\\.*+?()[\]{}|/-]/.test(letter) ? `\\u{${letter.codePointAt(0)?.toString(16)}}` : letter;

/** @param {string} text @returns {Part} */
const same = (text) => ({ exact: text, plain: text });

/** @param {string} exact @param {string} plain @returns {Part} */
const assertion = (exact, plain) => ({ exact, plain, empty: true, fixed: true });

const IN_WORD = `[${WORD}${LATIN}]`;
/** @type {Record<string, Part>} */
const ANCHORS = {
  '^': assertion('(?:(?<![^])|(?<=\\n)(?=[^]))', '^'),
  $: assertion('(?=\\n|(?![^]))', '$'),
  '\\A': assertion('(?<![^])', '^'),
  '\\z': assertion('(?![^])', '$'),
  '\\Z': assertion('(?=\\n?(?![^]))', '$'),
  '\\b': assertion(`(?:(?<=${IN_WORD})(?!${IN_WORD})|(?<!${IN_WORD})(?=${IN_WORD}))`, '\\b'),
  '\\B': assertion(`(?:(?<=${IN_WORD})(?=${IN_WORD})|(?<!${IN_WORD})(?!${IN_WORD}))`, '\\b'),
};

class Reader {
  #source;
  #letters;
  #at = 0;
  #groups = 0;
  #depth = 0;
  #behind = 0;
  #isCaseless = false;
  /** The reason to refuse the pattern, after its speed is known. */
  flaw = '';

  /** @param {string} source */
  constructor(source) {
    this.#source = source;
    this.#letters = Array.from(source);
  }

  /** @param {string} what @returns {never} */
  #unread(what) {
    return unread(this.#source, `${what} of a pattern is not read here`);
  }

  /** @returns {never} */
  #refuse() {
    return refuse(this.#source, 'a pattern of it is none');
  }

  /** @param {string} text whether it comes next; then it is passed */
  #take(text) {
    if (!text || !this.#ahead(text)) return false;
    this.#at += text.length;
    return true;
  }

  /** @param {string} text of ASCII */
  #ahead(text) {
    for (let i = 0; i < text.length; i++) if (this.#letters[this.#at + i] !== text[i]) return false;
    return true;
  }

  /** @param {RegExp} pattern with the flag y, of ASCII @returns {RegExpExecArray | null} */
  #match(pattern) {
    const found = pattern.exec(this.#letters.slice(this.#at, this.#at + 40).join(''));
    if (found) this.#at += found[0].length;
    return found;
  }

  whole() {
    const part = this.#choice();
    return this.#at < this.#letters.length ? this.#refuse() : part;
  }

  /** @returns {Part} */
  #choice() {
    if (++this.#depth > DEEPEST) this.#unread('a group in so many others');
    const parts = [this.#run()];
    while (this.#take('|')) parts.push(this.#run());
    this.#depth--;
    return {
      exact: parts.map(({ exact }) => exact).join('|'),
      plain: parts.map(({ plain }) => plain).join('|'),
      empty: parts.some(({ empty }) => empty),
    };
  }

  /** @returns {Part} */
  #run() {
    const run = { exact: '', plain: '', empty: true };
    let last = '';
    while (this.#at < this.#letters.length && !this.#ahead('|') && !this.#ahead(')')) {
      const { exact, plain, empty = false, letter = '' } = this.#repeated();
      if (this.#isCaseless && JOINED.test(last + letter)) this.#unread(`${last}${letter} under (?i)`);
      last = letter;
      run.exact += exact;
      run.plain += plain;
      run.empty &&= empty;
    }
    return run;
  }

  /** @returns {Part} */
  #repeated() {
    const atom = this.#atom();
    const [sign, least, comma, most] = this.#match(/^(?:[*+?]|\{(?:(\d+)(,?)(\d*)|,(\d+))\})/) ?? [];
    if (!sign) return atom;
    if (atom.fixed) return this.#refuse();
    const isCounted = sign.startsWith('{');
    const [min, max] = isCounted
      ? [
          Number(least ?? 0),
          most || comma === undefined ? Number(most || sign.slice(2, -1)) : comma ? Infinity : Number(least),
        ]
      : { '*': [0, Infinity], '+': [1, Infinity], '?': [0, 1] }[/** @type {'*'} */ (sign)];
    if (max < min || min > MOST_ROUNDS || (max > MOST_ROUNDS && max < Infinity)) return this.#refuse();
    const count = isCounted ? `{${min},${max === Infinity ? '' : max}}` : sign;
    const suffix = this.#take('?') ? '?' : this.#take('+') ? '+' : '';
    // There {2}? is an optional pair, and {2}+ a loop of pairs.
    if (isCounted && (suffix === '+' || (suffix && min === max))) this.#unread(`${sign}${suffix}`);
    if (this.#match(/^(?:[*+?]|\{\d*,?\d+\})/)) this.#unread('a sign of repetition behind another');
    if (max > 1 && atom.empty) this.flaw ||= 'a loop whose round may match nothing';
    const empty = min === 0 || atom.empty;
    const lazy = suffix === '?' ? '?' : '';
    const plain = `(?:${atom.plain})${count}${lazy}`;
    const exact = `(?:${atom.exact})${count}${lazy}`;
    return suffix === '+' ? { ...this.#atomic(exact, plain), empty } : { exact, plain, empty };
  }

  /**
   * Makes a part keep its match: JavaScript never backtracks into a look-ahead.
   * @param {string} exact @param {string} plain
   */
  #atomic(exact, plain) {
    if (this.#behind) this.#unread('a part that keeps its match, in a look-behind,');
    const group = `kept${++this.#groups}`;
    return { exact: `(?:(?=(?<${group}>${exact}))\\k<${group}>)`, plain };
  }

  /** @returns {Part} */
  #atom() {
    const letter = this.#letters[this.#at];
    if (letter === '(') return this.#group();
    this.#at++;
    if (letter === '[') return same(this.#set());
    if (letter === '.') return same('[^\\n]');
    if (letter === '^' || letter === '$') return ANCHORS[letter];
    if (letter === '*' || letter === '+' || letter === '?') return this.#refuse();
    if (letter === '{' && /^(?:\d+,?\d*|,\d+)\}/.test(this.#letters.slice(this.#at, this.#at + 20).join('')))
      return this.#refuse();
    if (letter !== '\\') return this.#literal(letter);
    const next = this.#letters[this.#at++] ?? this.#refuse();
    const anchor = ANCHORS[`\\${next}`];
    if (anchor) return anchor;
    if (/[1-9k]/.test(next))
      return unread(this.#source, 'its patterns could take hours with a short text: one refers back to a group');
    const set = this.#named(next);
    if (!set) return this.#literal(this.#escaped(next));
    const [inside, isOutside] = set;
    return same(`[${isOutside ? '^' : ''}${inside}${/w/i.test(next) ? LATIN : ''}]`);
  }

  /** @param {string} letter @returns {Part} */
  #literal(letter) {
    const text = literal(letter);
    if (!this.#isCaseless) return { ...same(text), letter };
    return { ...same(this.#isCased(letter) ? `[${cases(letter)}]` : text), letter };
  }

  /** Whether a letter has another case; of letters beyond ASCII it is not known here. @param {string} letter */
  #isCased(letter) {
    const isSign = /[\0-\x7f\p{P}\p{S}\p{N}\p{Z}]/u.test(letter) && letter.toLowerCase() === letter.toUpperCase();
    return isSign ? false : /[a-z]/i.test(letter) || this.#unread(`${letter} under (?i)`);
  }

  /** @returns {Part} */
  #group() {
    if (this.#match(/^\(\?#/)) this.#unread('a comment');
    const outside = this.#isCaseless;
    const [, behind, sign] = this.#match(/^\(\?(<?)([=!])/) ?? [];
    if (sign) {
      if (behind) this.#behind++;
      const { exact, plain } = this.#closed();
      if (behind) this.#behind--;
      this.#isCaseless = outside;
      return assertion(`(?${behind}${sign}${exact})`, `(?${behind}${sign}${plain})`);
    }
    if (this.#match(/^\(\?>/)) {
      const { exact, plain, empty } = this.#closed();
      this.#isCaseless = outside;
      return { ...this.#atomic(`(?:${exact})`, `(?:${plain})`), empty };
    }
    const [all, options, end] = this.#match(/^\(\?([imsxa-]*)([:)])/) ?? [];
    if (all && /[^i]/.test(options)) this.#unread(`the option (?${options})`);
    if (all && options) this.#isCaseless = true;
    if (!all && !this.#match(/^\((?:\?<[A-Za-z_]\w*>|(?!\?))/)) this.#unread('a group that begins so');
    // (?i) holds up to the end of the group that it stands in, with all its branches.
    const { exact, plain, empty } = end === ')' ? this.#choice() : this.#closed();
    this.#isCaseless = outside;
    return { exact: `(?:${exact})`, plain: `(?:${plain})`, empty };
  }

  #closed() {
    const part = this.#choice();
    return this.#take(')') ? part : this.#refuse();
  }

  /** The set of a letter, without brackets, and whether it is negated. @param {string} letter */
  #named(letter) {
    const lower = letter.toLowerCase();
    if (Object.hasOwn(SETS, lower)) {
      if (this.#isCaseless && /[wh]/.test(lower)) this.#unread(`\\${letter} under (?i)`);
      return /** @type {const} */ ([SETS[/** @type {'d'} */ (lower)], letter !== lower]);
    }
    if (lower !== 'p') return null;
    const [, not, name] = this.#match(/^\{(\^?)([\w -]+)\}/) ?? this.#unread(`\\${letter} without a name`);
    if (this.#isCaseless) this.#unread(`\\${letter} under (?i)`);
    const key = name.replace(/[\s_-]/g, '').toLowerCase();
    const known = CATEGORY.test(key)
      ? key[0].toUpperCase() + key.slice(1)
      : Object.hasOwn(NAMES, key)
        ? NAMES[key]
        : this.#unread(`\\${letter}{${name}}`);
    return /** @type {const} */ ([`\\p{${known}}`, (letter === 'P') !== (not === '^')]);
  }

  /** A letter behind a backslash that is no set. @param {string} letter */
  #escaped(letter) {
    if (Object.hasOwn(LETTERS, letter)) return LETTERS[/** @type {'t'} */ (letter)];
    const [, long, short] =
      letter === 'x'
        ? (this.#match(/^(?:\{([\dA-Fa-f]{1,6})\}|([0-7][\dA-Fa-f]))/) ?? this.#unread('\\x'))
        : letter === 'u'
          ? (this.#match(/^(?:\{([\dA-Fa-f]{1,6})\}|([\dA-Fa-f]{4}))/) ?? this.#refuse())
          : [];
    if (letter === 'u' && long) this.flaw ||= 'the \\u{ of other libraries';
    if (long || short) {
      const code = parseInt(long || short, 16);
      return code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? this.#refuse() : String.fromCodePoint(code);
    }
    return /[A-Za-z0-9]/.test(letter) ? this.#unread(`\\${letter}`) : letter;
  }

  /** A set, behind its bracket, as a pattern of one character. */
  #set() {
    if (++this.#depth > DEEPEST) this.#unread('a set in so many others');
    const isOutside = this.#take('^');
    /** @type {string[]} sets that must all have the character */
    const all = [];
    let flat = '';
    /** @type {string[]} */
    let nested = [];
    let isFirst = true;
    const union = () => {
      const some = [...(flat ? [`[${flat}]`] : []), ...nested];
      if (!some.length) this.#unread('an empty set');
      return some.length === 1 ? some[0] : `(?:${some.join('|')})`;
    };
    for (; ; isFirst = false) {
      if (this.#at >= this.#letters.length) this.#refuse();
      if (this.#take('&&')) {
        all.push(union());
        [flat, nested] = ['', []];
        continue;
      }
      const letter = this.#letters[this.#at++];
      if (letter === ']' && !isFirst) break;
      if (letter === ']') this.#unread('] as the first of a set');
      if (letter === '[') {
        const [, not, name] = this.#match(/^:(\^?)(\w+):\]/) ?? [];
        if (name) {
          const set = (Object.hasOwn(POSIX, name) && !this.#isCaseless && POSIX[name]) || this.#unread(`[:${name}:]`);
          if (not) nested.push(`[^${set}]`);
          else flat += set;
        } else nested.push(this.#set());
        continue;
      }
      const from = this.#member(letter);
      if (typeof from !== 'string') {
        const [inside, isNot] = from;
        if (isNot) nested.push(`[^${inside}]`);
        else flat += inside;
        if (this.#ahead('-') && this.#letters[this.#at + 1] !== ']') this.#unread('a range of sets');
        continue;
      }
      if (!this.#ahead('-') || this.#letters[this.#at + 1] === ']') {
        flat += this.#isCaseless && this.#isCased(from) ? cases(from) : literal(from);
        continue;
      }
      this.#at++;
      const to = this.#member(this.#letters[this.#at++] ?? this.#refuse());
      if (typeof to !== 'string' || to === '[') return this.#unread('a range of sets');
      flat += this.#range(from, to);
    }
    this.#depth--;
    if (!all.length && !nested.length) return `[${isOutside ? '^' : ''}${flat || this.#unread('an empty set')}]`;
    all.push(union());
    const inside = all.map((set, i) => (i < all.length - 1 ? `(?=${set})` : set)).join('');
    return isOutside ? `(?:(?!${inside})[^])` : `(?:${inside})`;
  }

  /** A letter of a set, or a set by its letter. @param {string} letter */
  #member(letter) {
    if (letter !== '\\') return letter;
    const next = this.#letters[this.#at++] ?? this.#refuse();
    return next === 'b' ? '\b' : (this.#named(next) ?? this.#escaped(next));
  }

  /** @param {string} from @param {string} to */
  #range(from, to) {
    const [first, last] = [from, to].map((letter) => Number(letter.codePointAt(0)));
    if (first > last) this.#refuse();
    const range = `${literal(from)}-${literal(to)}`;
    if (!this.#isCaseless) return range;
    let others = '';
    for (let code = first; code <= last; code++) {
      const letter = String.fromCharCode(code);
      if (this.#isCased(letter)) others += cases(letter);
    }
    return range + others;
  }
}

/** A letter of ASCII in both cases; the long s and the sign of Kelvin count as such. @param {string} letter */
function cases(letter) {
  const lower = letter.toLowerCase();
  return lower + lower.toUpperCase() + (lower === 's' ? '\u017f' : lower === 'k' ? '\u212a' : '');
}

/**
 * A pattern of Oniguruma's as JavaScript's.
 * @param {string} source
 * @returns {RegExp} with the flags g and u
 */
export function regexpOf(source) {
  if (source.length > LONGEST_PATTERN) slow(source, `one has more than ${LONGEST_PATTERN} letters`);
  const reader = new Reader(source);
  const { exact, plain } = reader.whole();
  const why = slownessOf(plain);
  if (why) slow(source, why);
  if (reader.flaw) unread(source, `${reader.flaw} is not read here`);
  try {
    return new RegExp(exact, 'gu');
  } catch {
    return refuse(source, 'a pattern of it is none');
  }
}

/** @param {string} source @param {string} why @returns {never} */
function slow(source, why) {
  return unread(source, `its patterns could take hours with a short text: ${why}`);
}

/**
 * The pattern of a step: a text as it stands, or a regular expression.
 * @param {import('./settings.js').Step} step
 * @returns {string | RegExp} never an empty string
 */
export function patternOf(step) {
  const { pattern } = step;
  const kind = typeof pattern === 'object' && pattern !== null ? Object.keys(pattern).join() : '';
  if (kind !== 'String' && kind !== 'Regex')
    return refuse(pattern, `pattern of ${step.type} must have String or Regex`);
  const text = textOf({ ...pattern, type: `the pattern of ${step.type}` }, kind);
  // Nothing stands between all letters.
  return kind === 'String' && text ? text : regexpOf(text);
}

/**
 * Where a pattern matches, as Rust goes on: what matches nothing counts, but not right behind another match.
 * @param {string} text
 * @param {string | RegExp} pattern
 * @param {(start: number, end: number) => void} found
 */
export function matches(text, pattern, found) {
  if (typeof pattern === 'string') {
    for (let at = 0; (at = text.indexOf(pattern, at)) >= 0; at += pattern.length) found(at, at + pattern.length);
    return;
  }
  let last = -1;
  for (let from = 0; from <= text.length;) {
    pattern.lastIndex = from;
    const match = pattern.exec(text);
    if (!match) return;
    // V8 tests assertions in the middle of a character beyond U+FFFF, too.
    if (/[\udc00-\udfff]/.test(text[match.index] ?? '')) {
      from = match.index + 1;
      continue;
    }
    const end = match.index + match[0].length;
    if (end === match.index && end === last) {
      from += Number(text.codePointAt(from)) > 0xffff ? 2 : 1;
      continue;
    }
    found(match.index, end);
    from = last = end;
  }
}
