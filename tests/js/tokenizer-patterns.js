// Regular expressions of tokenizers: published ones, which must be read, and slow ones, which must be refused.
import assert from 'node:assert/strict';
import { loadTokenizer } from 'glassformer/tokenizers';
import { PATTERNS, SPACES } from '../tokenizers/grid.js';

const MARKS = String.raw`!"#$%&'()*+,\-./:;<=>?@\[\\\]^_{|}~`;
/** @param {string[]} names of patterns that the grid has, too @returns {Record<string, string>} */
const pick = (...names) =>
  Object.fromEntries(names.map((name) => [name, /** @type {Record<string, string>} */ (PATTERNS)[name]]));

/** Patterns of published tokenizers. @type {Record<string, string>} */
export const PUBLISHED = {
  ...pick('GPT-2', 'CLIP', 'Llama 3', 'cl100k', 'o200k'),
  DeepSeek: [String.raw`[${MARKS}][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*`, SPACES].join(
    '|',
  ),
  ...pick('DeepSeek, of Chinese', 'Kimi', 'BLOOM', 'Falcon', 'digits from the right'),
  SMILES: [
    String.raw`(\[[^\]]+]|Br?|Cl?|N|O|S|P|F|I|b|c|n|o|s|p|\(|\)|\.|=|#|-|\+|\\|\/|:|~|@|\?|>>?|\*|\$`,
    String.raw`\%[0-9]{2}|[0-9])`,
  ].join('|'),
  ...pick('XLM', 'SigLIP'),
  'words of any kind': String.raw`\w+|[^\w\s]+`,
  'a line': String.raw`[^\n]*\n`,
  'two loops of different letters': String.raw`<[^>]+>\s*[a-z]+!`,
  'choices in a loop': '(?:ab|cd|[ef]g?)+x',
};
/** Patterns that take very long, and why each is refused. @type {[string, RegExp][]} */
export const SLOW = [
  ['(a+)+$', /a part that repeats can match the same text in several ways/],
  ['(a*)*b', /several ways/],
  ['(a|a)*$', /several ways/],
  ['(?:\\w|\\d)+!', /several ways/],
  ['(?:\\p{Lu}|\\p{Cyrillic})+!', /several ways/],
  ['(?:[^\\p{L}]|[\\u{1f600}-\\u{1f64f}])+!', /several ways/],
  ['(?:a?b?)*$', /several ways/],
  ['(?:(?:a?|b?)c)*$', /several ways/],
  ['(?:(?:a?)+b)*$', /several ways/],
  ['(?:\\w+\\s?)*$', /several ways/],
  ['(x+x+)+y', /several ways/],
  ['(?i:a|A)+$', /several ways/],
  ['(?:a+){2,30}$', /several ways/],
  ['(?=(a+)+$)b', /several ways/],
  ['a*a*$', /two parts that repeat, one after the other/],
  ['(.*)x(.*)y', /two parts that repeat, one after the other/],
  ['\\s*\\n\\s*!', /two parts that repeat, one after the other/],
  ['(?:a{2})*(?:a{3})*b', /two parts that repeat, one after the other/],
  ['(?:a?){30}a{30}', /two parts that repeat, one after the other/],
  ['a{1,1000}a{1,1000}b', /two parts that repeat, one after the other/],
  ['a*(?=a*b)', /two parts that repeat, one after the other/],
  ['(a|a)'.repeat(30), /thousands of ways/],
  ['a?'.repeat(30) + 'a'.repeat(30), /thousands of ways/],
  ['(?:a?|b?)'.repeat(30) + 'c', /thousands of ways/],
  ['(?<=a+)b', /look-behind/],
  ['(a+)\\1', /refers back/],
  ['a'.repeat(2000), /too long/],
  ['a'.repeat(10_001), /more than 10000 letters/],
];

const level = {
  model: { type: 'BPE', vocab: { a: 0 }, merges: [] },
  pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false },
  decoder: { type: 'ByteLevel' },
};

/** A tokenizer with a pattern at each place where one may stand. @param {string} Regex @returns {any[]} */
export const withPattern = (Regex) => {
  const replace = { type: 'Replace', pattern: { Regex }, content: '' };
  const split = { type: 'Split', pattern: { Regex }, behavior: 'Isolated', invert: false };
  return [
    { ...level, pre_tokenizer: split },
    { ...level, pre_tokenizer: { type: 'Sequence', pretokenizers: [{ type: 'Digits' }, split] } },
    { ...level, normalizer: replace },
    { ...level, normalizer: { type: 'Sequence', normalizers: [{ type: 'NFC' }, replace] } },
    { ...level, decoder: replace },
    { ...level, decoder: { type: 'Sequence', decoders: [replace] } },
  ];
};

/**
 * Expects that a tokenizer is refused for its pattern.
 * @param {any} json @param {string} pattern @param {RegExp} why
 */
export async function refuses(json, pattern, why) {
  json.added_tokens = [{ id: 1, content: `${'a'.repeat(40)}!`, normalized: true }];
  await assert.rejects(loadTokenizer(json), (/** @type {any} */ error) => {
    assert.deepEqual([error.name, error.code, error.parameter], ['GlassformerError', 'unsupported', 'tokenizer']);
    assert.equal(error.value, pattern);
    assert.match(error.message, why, pattern);
    assert(error.message.includes(JSON.stringify(pattern.slice(0, 60))) && error.message.length < 300);
    return true;
  });
}
