// Tokenizers beside the library in Rust, which tests/tokenizers/ installs: for each generated tokenizer.json the same
// ids, types and decoded texts, or a refusal by name.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { loadTokenizer } from 'glassformer/tokenizers';
import { DAY, isWhole } from '../of-the-day.js';
import { compare } from '../tokenizers/compare.js';
import {
  ALONE,
  DECODERS,
  MODELS,
  NORMALIZERS,
  PRE_TOKENIZERS,
  PROCESSORS,
  PUBLISHED,
  charactersOf,
  fileOf,
  gridOf,
  randomOf,
  textsOf,
} from '../tokenizers/grid.js';

const texts = textsOf();
/** Steps that are refused, whatever stands beside them. */
const REFUSED = new Set([
  ...['CTC', 'UnicodeScripts', 'two templates', 'other ids', 'Metaspace of 2023, without'],
  ...['WhitespaceSplit, Metaspace first', 'Split named', 'Split joined letters under (?i)', 'Split a loop of nothing'],
]);

/**
 * @param {Iterable<string[]>} files names of steps
 * @param {number} [share] each file is given every so manieth text, others each day
 */
async function verdicts(files, share = 1) {
  /** @type {{names: string[], is: string, why: string}[]} */
  const all = [];
  for (const names of files) {
    const some = texts.filter((_, i) => (i + all.length + DAY) % share === 0);
    all.push({ names, ...(await compare(fileOf(names), some)) });
  }
  return all;
}

test('files as they are published: none is refused, none differs', async () => {
  for (const { names, is, why } of await verdicts(Object.values(PUBLISHED))) {
    assert.equal(is, 'right', `${names.join(' | ')}: ${why}`);
  }
  const folder = new URL('../checkpoints/', import.meta.url);
  for (const name of ['bert-2l', 'bert-classes', 'distilbert-2l', 'gpt2-2l', 'gpt-neo-4l']) {
    const json = JSON.parse(readFileSync(new URL(`${name}/tokenizer.json`, folder), 'utf8'));
    assert.deepEqual(await compare(json, texts), { is: 'right', why: '' }, name);
  }
});

test('each step alone and with others: the same ids, types and decoded texts, or refused by name', async (t) => {
  const parts = [MODELS, NORMALIZERS, PRE_TOKENIZERS, PROCESSORS, DECODERS].map((kind) => Object.keys(kind));
  const usual = ['BPE of bytes', 'none', 'ByteLevel', 'none', 'ByteLevel', 'special'];
  const alone = parts.flatMap((names, kind) => names.map((name) => usual.map((each, i) => (i === kind ? name : each))));
  const all = [...(await verdicts(alone, isWhole ? 2 : 6)), ...(await verdicts(gridOf(200), isWhole ? 5 : 15))];
  const count = (/** @type {string} */ is) => all.filter((each) => each.is === is).length;
  t.diagnostic(`${all.length} files, ${texts.length} texts: ${count('right')} right, ${count('refused')} refused`);
  /** @type {Map<string, number>} */
  const reasons = new Map();
  for (const { is, names, why } of all) {
    assert.ok(is === 'right' || is === 'refused', `${names.join(' | ')}: ${is}, ${why}`);
    if (is === 'right')
      assert.ok(!names.some((name) => REFUSED.has(name)), `${names.join(' | ')} is no longer refused`);
    else {
      const reason = why.replace(/^tokenizer: |, got .*|must be \d+/gs, '');
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      // The Metaspace "first" is read where nothing before it moves what comes first.
      const isKnown = names.some((name) => REFUSED.has(name)) || /prepend_scheme of a Metaspace behind/.test(why);
      assert.ok(isKnown, `${names.join(' | ')}: ${why}`);
    }
  }
  for (const [reason, times] of reasons) t.diagnostic(`refused ${times} times: ${reason}`);
  assert.ok(count('right') > 200);
});

test('each character up to U+FFFF: the same ids', async () => {
  const all = charactersOf();
  for (const [normalizer, pre] of [
    ['BertNormalizer', 'BertPreTokenizer'],
    ['NFC', 'Whitespace'],
    ['NFD', 'WhitespaceSplit'],
    ['NFKC', 'Punctuation'],
    ['NFKD', 'Digits, individual'],
    ['StripAccents', 'Split words'],
    ['Lowercase', 'Split Llama 3'],
    ['Nmt', 'Split o200k'],
    ['Strip', 'Split DeepSeek'],
    ['none', 'Split caseless'],
  ]) {
    const file = fileOf(['BPE of bytes', normalizer, pre, 'none', 'ByteLevel', 'none']);
    if (!/Split/.test(pre))
      file.pre_tokenizer = {
        type: 'Sequence',
        pretokenizers: [file.pre_tokenizer, PRE_TOKENIZERS['ByteLevel, no use_regex']],
      };
    const { is, why } = await compare(file, all, { pairs: false, decode: pre === 'Whitespace' });
    assert.equal(is, 'right', `${normalizer} | ${pre}: ${why.slice(0, 3000)}`);
  }
});

test('patterns that match nothing put their text between letters', async () => {
  for (const name of Object.keys(ALONE)) {
    const file = fileOf(['Unigram', name, 'none', 'none', 'none', 'none']);
    assert.deepEqual(await compare(file, texts), { is: 'right', why: '' }, name);
  }
});

test('what the library in Rust makes a matter of chance, or cannot do, is refused by name', async () => {
  const plain = fileOf(PUBLISHED.BERT);
  const token = {
    id: 7,
    content: 'x',
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: true,
    special: false,
  };
  const size = Object.keys(plain.model.vocab).length;
  const news = (/** @type {string[]} */ ...contents) =>
    contents.map((content, i) => ({ ...token, content, id: size + i }));
  const step = (/** @type {object} */ normalizer) => ({ ...plain, normalizer, added_tokens: [] });
  for (const [json, why] of /** @type {[any, RegExp][]} */ ([
    [{ ...plain, added_tokens: news('Zebra!', 'ZEBRA!') }, /two added tokens that the normalizer makes the same/],
    [{ ...plain, added_tokens: news('\u0301\u0301') }, /of which the normalizer leaves nothing/],
    [{ ...plain, added_tokens: [...news('zebra!'), { ...news('zebra!')[0], lstrip: true }] }, /is there twice/],
    [step({ type: 'Precompiled', precompiled_charsmap: '' }), /its precompiled_charsmap is damaged, got 0/],
    [step({ type: 'Precompiled', precompiled_charsmap: '§' }), /must be base64/],
    [step({ type: 'Uppercase' }), /this normalizer is not read here, got "Uppercase"/],
    [{ ...plain, pre_tokenizer: { type: 'FixedLength', length: 5 } }, /this pre_tokenizer is not read here/],
    [{ ...plain, model: { ...plain.model, type: 'Other' } }, /this model is not read here, got "Other"/],
    [
      { ...fileOf(PUBLISHED['GPT-2']), model: { ...MODELS['BPE of bytes'], dropout: 0.1 } },
      /dropout of a BPE, got 0.1/,
    ],
  ])) {
    await assert.rejects(loadTokenizer(json), (/** @type {any} */ error) => {
      assert.deepEqual([error.name, error.parameter], ['GlassformerError', 'tokenizer']);
      assert.match(error.message, why);
      return true;
    });
  }
});

/** A file of a few words whose added tokens are given by content and flags. @param {object[]} tokens */
function withAdded(tokens) {
  const added_tokens = tokens.map((token, i) => ({
    ...{ id: 5 + i, single_word: false, lstrip: false, rstrip: false, normalized: false, special: false },
    ...token,
  }));
  const vocab = { '[UNK]': 0, a: 1, b: 2, ' ': 3, '  ': 4 };
  const model = { type: 'WordLevel', vocab, unk_token: '[UNK]' };
  const rest = { truncation: null, padding: null, pre_tokenizer: null, post_processor: null, decoder: null };
  return { version: '1.0', ...rest, normalizer: { type: 'Lowercase' }, model, added_tokens };
}

test('added tokens of spaces among others, with every flag: the same ids, or refused by name', async (t) => {
  const CONTENTS = [' a', '   ', '\n', ' \n', '\u00a0', '\u3000', 'b ', '[X]', '[x] ', ' B', '\t\t', '  a  '];
  const PIECES = ['[X]', ' ', '  ', '   ', '\n', '\u00a0', '\u3000', '\t\t', 'a', 'b', 'B', ' a', 'é', '_', '\u200b'];
  const random = randomOf(11);
  const flag = () => random(2) === 1;
  const counts = { right: 0, refused: 0 };
  for (let i = 0; i < 600; i++) {
    const names = ['[X]', ...CONTENTS.filter(() => random(4) === 0)];
    const tokens = [...new Set(names)].map((content) => ({
      ...{ content, single_word: random(4) === 0, lstrip: flag(), rstrip: flag(), normalized: flag(), special: flag() },
    }));
    const texts = Array.from({ length: 40 }, () =>
      Array.from({ length: 1 + random(9) }, () => PIECES[random(PIECES.length)]).join(''),
    );
    const { is, why } = await compare(withAdded(tokens), ['[X]  a', '[X]   ', ...texts], { pairs: false });
    assert.ok(is === 'right' || is === 'refused', `${JSON.stringify(tokens)}: ${is}, ${why}`);
    if (is === 'refused') assert.match(why, /an added token of spaces with lstrip alone, beside one with rstrip/);
    counts[is]++;
  }
  t.diagnostic(JSON.stringify(counts));
  assert.ok(counts.right > 250 && counts.refused > 50);
  const pair = [
    { content: '[X]', rstrip: true },
    { content: '   ', lstrip: true, rstrip: true },
  ];
  const { ids } = (await loadTokenizer(withAdded(pair))).encode('[X]    a');
  assert.deepEqual(ids, [5, 1]);
});
