// Cuts a text into the words that the model is given.
import { byteLetters, JOINERS, PUNCTUATION, SPACE, WORD } from './characters.js';
import { expectShort, flagOf, letterOf, refuse, stepsOf, unread, wordOf } from './settings.js';
import { matches, patternOf, regexpOf } from './pattern.js';

/** @typedef {import('./settings.js').Step} Step */
/**
 * isFirst: the text begins where the whole text does, and needsFirst: that makes a difference.
 * @typedef {((text: string, isFirst: boolean) => string[]) & {needsFirst?: boolean}} Cut
 */
/** @typedef {(text: string, isFirst: boolean, most: number) => string[]} PreTokenizer */

const BEHAVIORS = ['Removed', 'Isolated', 'MergedWithPrevious', 'MergedWithNext', 'Contiguous'];
const GPT2 = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";
const NOT_PUNCTUATION = `(?:(?!${PUNCTUATION})[^])`;

/** Keeps the matches of a pattern and drops the rest. @param {string} pattern @returns {Cut} */
function found(pattern) {
  const regexp = new RegExp(pattern, 'gu');
  return (text) => text.match(regexp) ?? [];
}

/**
 * Cuts at what a pattern matches.
 * @param {string | RegExp} pattern
 * @param {string} behavior what becomes of the matches
 * @param {boolean} invert the pattern matches the words, not what stands between them
 * @returns {Cut}
 */
function cutAt(pattern, behavior, invert) {
  return (text) => {
    /** @type {{start: number, end: number, isMatch: boolean}[]} */
    let parts = [];
    let at = 0;
    const add = (/** @type {number} */ start, /** @type {number} */ end, /** @type {boolean} */ isMatch) =>
      parts.push({ start, end, isMatch: isMatch !== invert });
    matches(text, pattern, (start, end) => {
      if (start > at) add(at, start, false);
      add(start, end, true);
      at = end;
    });
    if (at < text.length) add(at, text.length, false);
    if (behavior === 'Removed') parts = parts.filter(({ isMatch }) => !isMatch);
    else if (behavior === 'MergedWithNext') parts = joined(parts.reverse(), behavior).reverse();
    else if (behavior !== 'Isolated') parts = joined(parts, behavior);
    return parts.map(({ start, end }) => text.slice(start, end)).filter(Boolean);
  };
}

/**
 * Parts with those that belong to them: matches of the same kind, or a match and its neighbour.
 * @param {{start: number, end: number, isMatch: boolean}[]} parts in the order in which they are joined
 * @param {string} behavior
 */
function joined(parts, behavior) {
  /** @type {typeof parts} */
  const all = [];
  let wasMatch = false;
  for (const part of parts) {
    const last = all.at(-1);
    const belongs = behavior === 'Contiguous' ? part.isMatch === wasMatch : part.isMatch && !wasMatch;
    if (belongs && last) {
      last.start = Math.min(last.start, part.start);
      last.end = Math.max(last.end, part.end);
    } else all.push({ ...part });
    wasMatch = part.isMatch;
  }
  return all;
}

/** @type {Record<string, (step: Step, before: Cut[]) => Cut>} */
const PRE_TOKENIZERS = {
  BertPreTokenizer: () => found(`${PUNCTUATION}|(?:(?!${PUNCTUATION})\\P{White_Space})+`),
  ByteLevel(step) {
    const spaced = flagOf(step, 'add_prefix_space');
    const pattern = flagOf(step, 'use_regex', true) ? regexpOf(GPT2) : null;
    return (text) => {
      const whole = spaced && !text.startsWith(' ') ? ` ${text}` : text;
      return (pattern ? (whole.match(pattern) ?? []) : [whole]).map(byteLetters);
    };
  },
  CharDelimiterSplit(step) {
    const delimiter = letterOf(step, 'delimiter');
    return (text) => text.split(delimiter).filter(Boolean);
  },
  Digits: (step) => found(flagOf(step, 'individual_digits', false) ? '\\p{N}|\\P{N}+' : '\\p{N}+|\\P{N}+'),
  Metaspace(step, before) {
    const replacement = letterOf(step, 'replacement');
    const scheme = schemeOf(step);
    if (scheme === 'first' && before.length) unread(scheme, 'prepend_scheme of a Metaspace behind another step');
    const isSplit = flagOf(step, 'split', true);
    const pattern = new RegExp(
      `${asLetter(replacement)}[^${asLetter(replacement)}]*|[^${asLetter(replacement)}]+`,
      'gu',
    );
    /** @type {Cut} */
    const cut = (text, isFirst) => {
      let whole = text.replaceAll(' ', () => replacement);
      const isPrepended = scheme === 'always' || (scheme === 'first' && isFirst);
      if (isPrepended && !whole.startsWith(replacement)) whole = replacement + whole;
      return isSplit ? (whole.match(pattern) ?? []) : [whole];
    };
    return Object.assign(cut, { needsFirst: scheme === 'first' });
  },
  Punctuation(step) {
    const behavior = wordOf(step, 'behavior', BEHAVIORS, 'Isolated');
    if (behavior === 'Isolated') return found(`${PUNCTUATION}|${NOT_PUNCTUATION}+`);
    return cutAt(new RegExp(PUNCTUATION, 'gu'), behavior, false);
  },
  Split(step) {
    const pattern = patternOf(step);
    return cutAt(pattern, wordOf(step, 'behavior', BEHAVIORS), flagOf(step, 'invert', false));
  },
  Whitespace: () => found(`[${WORD}${JOINERS}]+|[^${WORD}${JOINERS}${SPACE}]+`),
  WhitespaceSplit: () => found('\\P{White_Space}+'),
};

/** @param {string} letter */
const asLetter = (letter) => `\\u{${letter.codePointAt(0)?.toString(16)}}`;

/** When a Metaspace, or its decoder, takes a text to begin with a space. @param {Step} step */
export function schemeOf(step) {
  const scheme = wordOf(step, 'prepend_scheme', ['always', 'first', 'never'], 'always');
  const isSpaced = step.add_prefix_space === undefined || flagOf(step, 'add_prefix_space', true);
  if (!isSpaced && scheme !== 'never') refuse(scheme, 'prepend_scheme of Metaspace contradicts its add_prefix_space');
  return scheme;
}

/**
 * @param {unknown} json
 * @returns {{cut: PreTokenizer, needsFirst: boolean}} needsFirst: it cuts the first part in another way
 */
export function preTokenizerOf(json) {
  const steps = stepsOf(json, 'pre_tokenizer', 'pretokenizers', PRE_TOKENIZERS);
  const needsFirst = steps.some((step) => step.needsFirst);
  /** @type {PreTokenizer} */
  const cut = (text, isFirst, most) => {
    let pieces = [text];
    for (const step of steps) {
      /** @type {string[]} */
      const next = [];
      let length = 0;
      for (const piece of pieces) {
        for (const part of step(piece, isFirst)) {
          if (!part) continue;
          length += part.length;
          next.push(part);
        }
        expectShort(length, most);
      }
      pieces = next;
    }
    return pieces;
  };
  return { cut, needsFirst };
}
