// Normalizes a text before the tokenizer cuts it.
import { CONTROL, IDEOGRAPH, MARK, NONSPACING, SPACE, byteLetters } from './characters.js';
import { Charsmap } from './charsmap.js';
import { expectShort, flagOf, refuse, stepsOf, textOf, unread } from './settings.js';
import { matches, patternOf } from './pattern.js';

/** @typedef {import('./settings.js').Step} Step */
/**
 * most: how long the result may be; isMoved: the first letter may not have been first in the text.
 * @typedef {((text: string, most: number) => string) & {isMoved?: boolean}} Normalizer
 */

/** @param {string} pattern */
const all = (pattern) => new RegExp(pattern, 'gu');
const [ALL_SPACES, ALL_CONTROLS, ALL_IDEOGRAPHS] = [SPACE, CONTROL, IDEOGRAPH].map(all);
const [ALL_NONSPACING, ALL_MARKS] = [NONSPACING, MARK].map(all);
const LEADING = all(`^${SPACE}+`);
const TRAILING = all(`(?<!${SPACE})${SPACE}+$`);

const NMT_DROPPED = all('(?![\\t\\n\\f\\r])[\\x01-\\x1f\\x7f\\x8f\\x9f]');
const NMT_SPACES = all('[\\t\\n\\f\\r\\u1680\\u200b-\\u200f\\u2028\\u2029\\u2581\\ufeff\\ufffd]');

/** Letter by letter: a sigma knows nothing of the end of its word. @param {string} text */
const lowercase = (text) => text.replaceAll('Σ', 'σ').toLowerCase();

/** @param {Normalizer} normalizer @param {boolean} [isMoved] */
const moved = (normalizer, isMoved = true) => Object.assign(normalizer, { isMoved });

const MANY_MARKS = all('\\p{M}{64,}');
/** The mark that Unicode puts behind all others: whatever passes it is a mark that can be moved. */
const LAST_MARK = '\u0345';

/** @param {string} text */
const isOrdered = (text) => text.normalize('NFD') === text;

/**
 * Many marks in a row, in Unicode's order. The engine's own sorting takes the square of their number: 100,000 marks of
 * two kinds take half a minute.
 * @param {string} run
 */
function orderMarks(run) {
  const marks = Array.from(run).flatMap((mark) => Array.from(mark.normalize('NFD')));
  const kinds = [...new Set(marks)].filter((mark) => mark === LAST_MARK || !isOrdered(LAST_MARK + mark));
  kinds.sort((a, b) => Number(isOrdered(b + a)) - Number(isOrdered(a + b)));
  let rank = 0;
  const ranks = new Map(kinds.map((mark, i) => [mark, i && isOrdered(mark + kinds[i - 1]) ? rank : (rank = i)]));
  /** @type {string[][]} */
  const parts = [[]];
  // Marks that stay where they are part the others.
  for (const mark of marks) {
    if (ranks.has(mark)) parts[parts.length - 1].push(mark);
    else parts.push([mark], []);
  }
  return parts.flatMap((part) => part.sort((a, b) => (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0))).join('');
}

/** @param {string} text @param {'NFC' | 'NFD' | 'NFKC' | 'NFKD'} form */
const normalized = (text, form) => text.replace(MANY_MARKS, orderMarks).normalize(form);

/** @param {'NFC' | 'NFD' | 'NFKC' | 'NFKD'} form @returns {() => Normalizer} */
const unicode = (form) => () => (text) => normalized(text, form);

/**
 * @param {string} text
 * @param {string | RegExp} pattern
 * @param {string} content
 * @param {number} most
 */
export function replaced(text, pattern, content, most) {
  /** @type {string[]} */
  const parts = [];
  let at = 0;
  let length = text.length;
  matches(text, pattern, (start, end) => {
    expectShort((length += content.length - (end - start)), most);
    parts.push(text.slice(at, start));
    at = end;
  });
  parts.push(text.slice(at));
  return parts.join(content);
}

const encoder = new TextEncoder();

/** @param {string} base64 */
function bytesOf(base64) {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  } catch {
    return refuse(base64, 'precompiled_charsmap of Precompiled must be base64');
  }
}

/** @type {Record<string, (step: Step) => Normalizer>} */
const NORMALIZERS = {
  BertNormalizer(step) {
    const [clean, ideographs, lower] = ['clean_text', 'handle_chinese_chars', 'lowercase'].map((name) =>
      flagOf(step, name),
    );
    const accents = step.strip_accents === undefined ? lower : flagOf(step, 'strip_accents', lower);
    /** @type {Normalizer} */
    const normalizer = (text) => {
      if (clean) text = text.replace(ALL_CONTROLS, '').replace(ALL_SPACES, ' ');
      if (ideographs) text = text.replace(ALL_IDEOGRAPHS, ' $& ');
      if (accents) text = normalized(text, 'NFD').replace(ALL_NONSPACING, '');
      return lower ? lowercase(text) : text;
    };
    return moved(normalizer, clean || ideographs || accents);
  },
  ByteLevel: () => byteLetters,
  Lowercase: () => lowercase,
  NFC: unicode('NFC'),
  NFD: unicode('NFD'),
  NFKC: unicode('NFKC'),
  NFKD: unicode('NFKD'),
  // SentencePiece does this before it cuts.
  Nmt: () => moved((text) => text.replace(NMT_DROPPED, '').replace(NMT_SPACES, ' ')),
  // The table of SentencePiece, which the library in Rust applies to letters as a reader sees them.
  Precompiled(step) {
    const map = new Charsmap(bytesOf(textOf(step, 'precompiled_charsmap')));
    const { Segmenter } = Intl;
    if (!Segmenter) unread('Precompiled', 'a normalizer that needs Intl.Segmenter, which this browser lacks');
    const letters = new Segmenter(undefined, { granularity: 'grapheme' });
    /** The text of the shortest key. @param {string} part */
    const mapped = (part) => map.keys(encoder.encode(part), 0).next().value?.text;
    /** @param {string} letter */
    const each = (letter) =>
      (encoder.encode(letter).length < 6 ? mapped(letter) : undefined) ??
      Array.from(letter, (part) => mapped(part) ?? part).join('');
    return moved((text) => Array.from(letters.segment(text), ({ segment }) => each(segment)).join(''));
  },
  Prepend(step) {
    const prefix = textOf(step, 'prepend');
    return (text, most) => {
      expectShort(text.length + prefix.length, most);
      return text && prefix + text;
    };
  },
  Replace(step) {
    const [pattern, content] = [patternOf(step), textOf(step, 'content')];
    const isOne = typeof pattern === 'string' && /^.$/su.test(pattern) && content !== '';
    /** @type {Normalizer} */
    const normalizer = (text, most) => replaced(text, pattern, content, most);
    return moved(normalizer, !isOne);
  },
  Strip(step) {
    const [left, right] = ['strip_left', 'strip_right'].map((name) => flagOf(step, name));
    /** @type {Normalizer} */
    const normalizer = (text) => {
      if (left) text = text.replace(LEADING, '');
      return right ? text.replace(TRAILING, '') : text;
    };
    return moved(normalizer, left);
  },
  StripAccents: () => moved((text) => text.replace(ALL_MARKS, '')),
};

/**
 * @param {unknown} json
 * @returns {Normalizer | null}
 */
export function normalizerOf(json) {
  const steps = stepsOf(json, 'normalizer', 'normalizers', NORMALIZERS);
  if (!steps.length) return null;
  /** @type {Normalizer} */
  const normalizer = (text, most) =>
    steps.reduce((result, step) => {
      const next = step(result, most);
      expectShort(next.length, most);
      return next;
    }, text);
  return moved(
    normalizer,
    steps.some(({ isMoved }) => isMoved),
  );
}
