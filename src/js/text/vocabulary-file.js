// A vocabulary as a tokenizer.json, of which Hugging Face's library and loadTokenizer make the same ids and texts.
import { WORD, escaped, longOf } from './cuts.js';
import { GlassformerError } from '../errors.js';

/** JavaScript's `\s`: in that library it is another set. */
const SPACE = '\\t-\\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';
const MARKS = '.,!?;:';
const BRACKET = /^\[[^\s[\]]+\]$/;
/** Letters that no text has stand for words with capitals, from this one on, while the others are written small. */
const FIRST = 0xf0000;
/** Capitals have no larger code point. */
const CAPITALS_END = 0x20000;
/** Steps of a normalizer, of which the reader takes 64; each word with capitals needs two, the others three. */
const [MOST_STEPS, MOST_KEPT] = [64, 30];

/**
 * @param {readonly string[] | {level: 'characters', words: readonly string[]}} vocabulary
 * @returns {object} tokenizer.json
 * @throws {GlassformerError} unsupported for a word that the file cannot say
 */
export function tokenizerOf(vocabulary) {
  const isOfCharacters = 'level' in vocabulary;
  const words = isOfCharacters ? vocabulary.words : vocabulary;
  const ids = new Map(words.map((word, id) => [word, id]));
  for (const word of words) if (/\p{Surrogate}/u.test(word)) refuse(word, 'half a pair is no character');
  const long = isOfCharacters ? longOf(words) : [];
  const pattern = !isOfCharacters
    ? `\\[[^${SPACE}\\[\\]]+\\]|[^${SPACE}${MARKS}]+|[${MARKS}]`
    : ids.has(' ')
      ? '[^\\n]|\\n'
      : `[^${SPACE}]`;
  const normalizers = isOfCharacters ? smallLetters(ids) : smallWords(words);
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: long.map((content) => ({
      id: ids.get(content),
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: false,
    })),
    normalizer: normalizers.length ? { type: 'Sequence', normalizers } : null,
    pre_tokenizer: { type: 'Split', pattern: { Regex: pattern }, behavior: 'Removed', invert: true },
    post_processor: null,
    decoder: isOfCharacters ? { type: 'Fuse' } : null,
    model: { type: 'WordLevel', vocab: Object.fromEntries(ids), unk_token: '[UNK]' },
  };
}

/** @param {string} word @param {string} why @returns {never} */
function refuse(word, why) {
  throw new GlassformerError('unsupported', 'vocabulary', word, `cannot stand in a tokenizer.json: ${why}`);
}

/** @param {{String: string} | {Regex: string}} pattern @param {string} content */
const replace = (pattern, content) => ({ type: 'Replace', pattern, content });

/**
 * Capitals that a vocabulary of characters lacks are read as the small letters that it has.
 * @param {Map<string, number>} ids
 */
function smallLetters(ids) {
  const steps = [];
  for (let code = 0; code < CAPITALS_END; code++) {
    const letter = String.fromCodePoint(code);
    const small = letter.toLowerCase();
    if (small === letter || ids.has(letter) || !ids.has(small)) continue;
    if (Array.from(small).length > 1) refuse(small, `${letter} would be read as one token of two letters`);
    steps.push(replace({ String: letter }, small));
  }
  if (steps.length <= MOST_STEPS) return steps;
  const isCapital = (/** @type {string} */ word) => Array.from(word).length < 2 && word !== word.toLowerCase();
  const capital = [...ids.keys()].find((word) => word === '\u{f0000}' || isCapital(word));
  if (capital !== undefined) refuse(capital, `it lacks more than ${MOST_STEPS} capitals and has this one`);
  // The only capital that is two letters when it is small.
  return [replace({ String: 'İ' }, '\u{f0000}'), { type: 'Lowercase' }];
}

/**
 * All is written small but for the words with capitals that the vocabulary has: letters of their own stand for them.
 * @param {readonly string[]} words
 */
function smallWords(words) {
  const capitals = words.filter((word) => word !== word.toLowerCase() && word.match(WORD)?.[0] === word);
  const isBracket = (/** @type {string} */ word) => BRACKET.test(word);
  const kept = [...capitals.filter(isBracket), ...capitals.filter((word) => !isBracket(word))];
  if (kept.length > MOST_KEPT) refuse(kept[MOST_KEPT], `at most ${MOST_KEPT} of its words may have capitals`);
  const letter = (/** @type {number} */ at) => String.fromCodePoint(FIRST + at);
  const taken = `${letter(0)}-${letter(kept.length)}`;
  const isTaken = new RegExp(`[${taken}\ufffd]`, 'u');
  for (const word of kept.length ? words : [])
    if (isTaken.test(word)) refuse(word, 'it has a letter that stands for a word with capitals');
  const withBrackets = words.filter((word) => /[[\]]/.test(word));
  const steps = kept.map((word, at) => {
    const part = isBracket(word) ? word.toLowerCase() : `]${word.toLowerCase()}`;
    const other = withBrackets.find((each) => each.length > part.length && each.toLowerCase().includes(part));
    if (other) refuse(other, `${word} is a word, too`);
    const regex = `(?<![^${SPACE}${MARKS}\\]${taken}])${escaped(word)}(?![^${SPACE}${MARKS}])`;
    return replace(isBracket(word) ? { String: word } : { Regex: regex }, letter(at));
  });
  return [
    ...(kept.length ? [replace({ Regex: `[${taken}]` }, '\ufffd')] : []),
    ...steps,
    // The library writes a sigma at the end of a word as one within.
    ...(/[σς]/.test(words.join()) ? [replace({ Regex: '(?<=[\\p{L}\\p{M}])Σ(?![\\p{L}\\p{M}])' }, 'ς')] : []),
    { type: 'Lowercase' },
    ...kept.map((word, at) => replace({ String: letter(at) }, word)),
  ];
}
