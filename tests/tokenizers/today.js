// tokenizer.json of today's decoders, small: their steps as they are published, vocabularies trained by the library in
// Rust on a text in several languages.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { token } from './added.js';
import { PATTERNS } from './grid.js';

const { Tokenizer, byteLevelAlphabet } = createRequire(import.meta.url)('tokenizers');

const TEXT = `The creek was cold, and the spunky dog wanted to jump over it. The rabbit didn't eat the carrot because
it wasn't hungry; they've been there for 3 days, since 2023-11-27, and I'll pay $1,234.56.
Der Bach war kalt, und der größte Hund wollte darüber springen. Wir können's nicht ändern: die Straße ist für Fußgänger.
Élève, naïve, e\u0301te\u0301, señor, Привет мир, 中文漢字かな, 한국어, العربية, नमस्ते.
def jump(creek, n=10):\n    for i in range(n):\n        print(f"{i}: {creek[i]}")\n    return {'a': 1, "b": [2, 3]}
if (x >= 0 && y !== 1) { console.log(\`\${x}\`); }\t// done\n\n🙂👩‍👩‍👧‍👦🇬🇧 ❤️ 👍🏽
`;

const of = (/** @type {string} */ type, /** @type {object} */ more = {}) => ({ type, ...more });
const bytes = (/** @type {boolean} */ use_regex) =>
  of('ByteLevel', { add_prefix_space: false, trim_offsets: true, use_regex });
const split = (/** @type {string} */ Regex) =>
  of('Sequence', {
    pretokenizers: [of('Split', { pattern: { Regex }, behavior: 'Isolated', invert: false }), bytes(false)],
  });
const metaspace = (/** @type {string} */ prepend_scheme, isSplit = false) =>
  of('Metaspace', { replacement: '▁', prepend_scheme, split: isSplit });
const replaced = (/** @type {string} */ String, /** @type {string} */ content) =>
  of('Replace', { pattern: { String }, content });
const spaced = of('Sequence', { normalizers: [of('Prepend', { prepend: '▁' }), replaced(' ', '▁')] });
const fallback = of('Sequence', {
  decoders: [replaced('▁', ' '), of('ByteFallback'), of('Fuse'), of('Strip', { content: ' ', start: 1, stop: 0 })],
});
const piece = (/** @type {string} */ id, type_id = 0) =>
  /^[AB]$/.test(id) ? { Sequence: { id, type_id } } : { SpecialToken: { id, type_id } };

/**
 * Adds a token at the beginning of a text.
 * @param {string} start @param {Map<string, number>} ids
 */
const begins = (start, ids) =>
  of('TemplateProcessing', {
    single: [piece(start), piece('A')],
    pair: [piece(start), piece('A'), piece(start, 1), piece('B', 1)],
    special_tokens: { [start]: { id: start, ids: [ids.get(start)], tokens: [start] } },
  });

/**
 * @typedef {object} Kind
 * @property {'bytes' | 'spaces'} of what its vocabulary is made of
 * @property {object | null} [normalizer]
 * @property {object | null} pre
 * @property {ReturnType<typeof token>[]} added
 * @property {(ids: Map<string, number>) => object | null} post
 * @property {object} [model] beside vocabulary and merges
 */

/** @type {Record<string, Kind>} */
const KINDS = {
  'Llama 3': {
    of: 'bytes',
    pre: split(PATTERNS['Llama 3']),
    added: ['begin_of_text', 'end_of_text', 'start_header_id', 'end_header_id', 'eot_id'].map((name) =>
      token(`<|${name}|>`),
    ),
    post: (ids) => of('Sequence', { processors: [bytes(true), begins('<|begin_of_text|>', ids)] }),
    model: { ignore_merges: true },
  },
  'Qwen 2 and 3': {
    of: 'bytes',
    normalizer: of('NFC'),
    pre: split(PATTERNS.Qwen),
    added: [
      ...['<|endoftext|>', '<|im_start|>', '<|im_end|>'].map((name) => token(name)),
      ...['<think>', '</think>', '<tool_call>'].map((name) => token(name, { special: false })),
    ],
    post: () => bytes(false),
  },
  SmolLM: {
    of: 'bytes',
    pre: of('Sequence', { pretokenizers: [of('Digits', { individual_digits: true }), bytes(true)] }),
    added: ['<|endoftext|>', '<|im_start|>', '<|im_end|>', '<repo_name>', '<jupyter_code>'].map((name) => token(name)),
    post: () => null,
  },
  'Llama 1': {
    of: 'spaces',
    normalizer: spaced,
    pre: null,
    added: ['<unk>', '<s>', '</s>'].map((name) => token(name, { normalized: true })),
    post: (ids) => begins('<s>', ids),
  },
  'Llama 2, TinyLlama, Mistral v1': {
    of: 'spaces',
    normalizer: spaced,
    pre: null,
    added: ['<unk>', '<s>', '</s>'].map((name) => token(name)),
    post: (ids) => begins('<s>', ids),
  },
  'Mistral v3': {
    of: 'spaces',
    pre: metaspace('first'),
    added: ['<unk>', '<s>', '</s>', '[INST]', '[/INST]', '[TOOL_CALLS]'].map((name) => token(name)),
    post: (ids) => begins('<s>', ids),
  },
  'Mistral, always': {
    of: 'spaces',
    pre: metaspace('always'),
    added: ['<unk>', '<s>', '</s>'].map((name) => token(name, { rstrip: name === '</s>' })),
    post: (ids) => begins('<s>', ids),
  },
  'Mistral Nemo': {
    of: 'bytes',
    pre: split(PATTERNS.o200k),
    added: ['<unk>', '<s>', '</s>', '[INST]', '[/INST]'].map((name) => token(name)),
    post: (ids) => begins('<s>', ids),
    model: { ignore_merges: true },
  },
};

const FALLBACK = Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`);

/**
 * A file of such a kind. Words that no merge makes stand in it too, for `ignore_merges`.
 * @param {string} name
 */
function fileOf(name) {
  const { of: parts, normalizer = null, pre, added, post, model } = KINDS[name];
  const isBytes = parts === 'bytes';
  const trained = train(isBytes ? pre : metaspace('always', true));
  const names = added.map(({ content }) => content);
  const alphabet = isBytes ? byteLevelAlphabet() : FALLBACK;
  const whole = model ? ['ĠWord', 'Ġunseen', 'straight'] : [];
  const tokens = [...new Set([...(isBytes ? [] : names), ...alphabet, ...trained.tokens, ...whole])];
  const vocab = Object.fromEntries(tokens.map((each, id) => [each, id]));
  let next = tokens.length;
  const numbered = added.map((each) => ({ id: vocab[each.content] ?? next++, ...each }));
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: numbered,
    normalizer,
    pre_tokenizer: pre,
    post_processor: post(new Map(numbered.map(({ content, id }) => [content, id]))),
    decoder: isBytes ? bytes(true) : fallback,
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: isBytes ? null : '<unk>',
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: !isBytes,
      byte_fallback: !isBytes,
      ignore_merges: false,
      ...model,
      vocab,
      merges: trained.merges,
    },
  };
}

/** A vocabulary with its merges, by the library in Rust. @param {object | null} pre_tokenizer */
function train(pre_tokenizer) {
  const folder = mkdtempSync(join(tmpdir(), 'glassformer-tokenizers-'));
  try {
    const [text, file] = ['text', 'tokenizer.json'].map((name) => join(folder, name));
    writeFileSync(text, TEXT);
    const empty = { type: 'BPE', vocab: {}, merges: [] };
    const tokenizer = Tokenizer.fromString(JSON.stringify({ version: '1.0', pre_tokenizer, model: empty }));
    tokenizer.train([text]);
    tokenizer.save(file);
    const { model } = JSON.parse(readFileSync(file, 'utf8'));
    return { tokens: Object.keys(model.vocab), merges: model.merges };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** By the models that have such. @type {Map<string, any>} */
export const TODAY = new Map(Object.keys(KINDS).map((name) => [name, fileOf(name)]));
