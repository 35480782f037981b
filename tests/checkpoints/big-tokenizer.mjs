// tokenizer.json of the size that GPT-2 and BERT-base have: every byte or letter, the words of this project's own texts
// with what they begin with, and syllables up to the wanted number.
import { readFileSync } from 'node:fs';
import { added } from '../tokenizers/added.js';

const TEXTS = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'web/models/creek.corpus.json', 'src/docs/intro.md'];
const [ONSETS, VOWELS, ENDS] = [
  'b c d f g h j k l m n p r s t v w z br ch cl cr dr fl gr pl sh sp st th tr'.split(' '),
  'a e i o u ai ea ee io ou'.split(' '),
  ['', ...'l m n r s t ck ng nt st'.split(' ')],
];

/** Words by how often they stand in the texts, then ones made of syllables, without end. */
function* wordsOf() {
  const counts = new Map();
  for (const text of TEXTS) {
    const said = readFileSync(new URL(`../../${text}`, import.meta.url), 'utf8');
    for (const [word] of said.matchAll(/[A-Za-z]{2,16}/g)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  yield* [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([word]) => word);
  const syllables = ONSETS.flatMap((a) => VOWELS.flatMap((b) => ENDS.map((c) => a + b + c)));
  for (let i = 0; ; i++) {
    const [first, second] = [i % syllables.length, Math.floor(i / syllables.length) * 7919 + i * 31];
    yield syllables[first] + syllables[second % syllables.length];
  }
}

/** GPT-2's letters of the 256 bytes: printable ones stand for themselves. @returns {string[]} */
function letters() {
  const isPlain = (/** @type {number} */ byte) =>
    (byte > 32 && byte < 127) || (byte > 160 && byte < 256 && byte !== 173);
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(isPlain(byte) ? byte : next++));
}

/** Byte-level BPE. @param {number} size of its vocabulary, at least 257 */
export function bytePairs(size) {
  const tokens = new Set(letters());
  /** @type {[string, string][]} */
  const merges = [];
  const space = letters()[32];
  for (const word of wordsOf()) {
    for (const whole of [space + word, word]) {
      let part = whole[0];
      for (const letter of whole.slice(1)) {
        if (tokens.size >= size - 1) break;
        if (!tokens.has(part + letter)) merges.push([part, letter]);
        tokens.add((part += letter));
      }
    }
    if (tokens.size >= size - 1) break;
  }
  const end = added('<|endoftext|>', size - 1);
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [end],
    normalizer: null,
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
    post_processor: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: false, use_regex: true },
    decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: '',
      end_of_word_suffix: '',
      fuse_unk: false,
      vocab: byId([...tokens, end.content]),
      merges: merges.map((pair) => pair.join(' ')),
    },
  };
}

/** WordPiece of small letters. @param {number} size of its vocabulary, at least 300 */
export function wordPieces(size) {
  const special = ['[UNK]', '[CLS]', '[SEP]', '[MASK]'];
  const unused = Array.from({ length: 99 }, (_, i) => `[unused${i}]`);
  const signs = Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i)).filter((sign) => !/[A-Z]/.test(sign));
  const parts = [...'abcdefghijklmnopqrstuvwxyz', 's', 'ed', 'ing', 'er', 'est', 'ly', 'ness', 'tion'];
  const tokens = new Set(['[PAD]', ...unused, ...special, ...signs, ...parts.map((part) => `##${part}`)]);
  for (const word of wordsOf()) {
    if (tokens.size >= size) break;
    tokens.add(word.toLowerCase());
  }
  const vocab = byId([...tokens]);
  const one = (/** @type {string} */ token) => ({ SpecialToken: { id: token, type_id: 0 } });
  const text = { Sequence: { id: 'A', type_id: 0 } };
  const entry = (/** @type {string} */ token) => [token, { id: token, ids: [vocab[token]], tokens: [token] }];
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: ['[PAD]', ...special].map((token) => added(token, vocab[token])),
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: {
      type: 'TemplateProcessing',
      single: [one('[CLS]'), text, one('[SEP]')],
      pair: [one('[CLS]'), text, one('[SEP]'), { Sequence: { id: 'B', type_id: 1 } }, one('[SEP]')],
      special_tokens: Object.fromEntries(['[CLS]', '[SEP]'].map(entry)),
    },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab,
    },
  };
}

/** @param {string[]} tokens @returns {Record<string, number>} */
const byId = (tokens) => Object.fromEntries(tokens.map((token, id) => [token, id]));
