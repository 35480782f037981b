// Tokenizers with texts and patterns that are large: what they may cost.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadTokenizer } from 'glassformer/tokenizers';
import { PUBLISHED, SLOW, refuses, withPattern } from './tokenizer-patterns.js';

test('steps that multiply a text are stopped before it fills the memory', async () => {
  const times = (/** @type {number} */ count) => ({
    type: 'Replace',
    pattern: { String: 'a' },
    content: 'a'.repeat(count),
  });
  const vocab = { '[UNK]': 0, a: 1 };
  const model = { type: 'WordPiece', unk_token: '[UNK]', vocab };
  const limit = { name: 'GlassformerError', code: 'limit', parameter: 'text' };
  const twice = [times(16_000), times(16_000)];
  const many = (/** @type {object} */ step) => Array(64).fill(step);
  for (const normalizers of [twice, many(times(2)), many({ type: 'Prepend', prepend: 'a'.repeat(50_000) })]) {
    const normalizer = { type: 'Sequence', normalizers: normalizers.slice(0, 63) };
    const tokenizer = await loadTokenizer({ model, normalizer });
    assert.throws(() => tokenizer.encode('a'), limit);
    const added_tokens = [{ id: 2, content: 'aa', normalized: true, special: false }];
    await assert.rejects(loadTokenizer({ model, normalizer, added_tokens }), { ...limit, parameter: 'tokenizer' });
  }
  const pretokenizers = many({ type: 'ByteLevel', add_prefix_space: true, use_regex: false }).slice(0, 63);
  const cut = await loadTokenizer({ model, pre_tokenizer: { type: 'Sequence', pretokenizers } });
  assert.throws(() => cut.encode('a'), limit);
  const nothing = { type: 'Replace', pattern: { Regex: '' }, content: 'a'.repeat(16_000) };
  for (const decoders of [twice, [nothing, nothing], many(times(2)).slice(0, 63)]) {
    const tokenizer = await loadTokenizer({ model, decoder: { type: 'Sequence', decoders } });
    assert.throws(() => tokenizer.decode([1]), limit);
  }
  const template = Array(9).fill({ Sequence: { id: 'A', type_id: 0 } });
  const post_processor = { type: 'TemplateProcessing', single: template, pair: template, special_tokens: {} };
  await assert.rejects(loadTokenizer({ model, post_processor }), { code: 'unsupported' });
  // A text may become 2^20 letters, and a long one 32 times as long.
  const some = await loadTokenizer({ model, normalizer: times(2 ** 20 - 1) });
  assert.equal(some.encode('a').ids.length, 1);
  const long = await loadTokenizer({ model, normalizer: times(32), pre_tokenizer: { type: 'Whitespace' } });
  assert.equal(long.encode('a '.repeat(1e5)).ids.length, 1e5);
});

test('200,000 texts at once, and a decoded row of as many bytes', async () => {
  const vocab = { '[UNK]': 0, a: 1, '<0xFF>': 2 };
  const decoder = { type: 'Sequence', decoders: [{ type: 'ByteFallback' }, { type: 'Fuse' }] };
  const tokenizer = await loadTokenizer({ model: { type: 'WordPiece', unk_token: '[UNK]', vocab }, decoder });
  assert.equal(tokenizer.encode(Array(200_000).fill('a')).ids.length, 200_000);
  assert.equal(tokenizer.decode(Array(200_000).fill(2)), '\ufffd'.repeat(200_000));
  const prefix = 'x'.repeat(200_000);
  const bytes = Object.fromEntries(
    Array.from({ length: 256 }, (_, i) => [`<0x${i.toString(16).toUpperCase().padStart(2, '0')}>`, i]),
  );
  const model = { type: 'BPE', vocab: bytes, merges: [], byte_fallback: true, end_of_word_suffix: prefix };
  assert.equal((await loadTokenizer({ model })).encode('a').ids.length, 200_001);
});

test('patterns of published tokenizers pass, and take the long texts that are hardest for them', async () => {
  const texts = ['a', ' ', '\n', ' \n', '1', "'", 'aA', 'é', '中', '[', '\r\n ', 'a '].flatMap((part) =>
    ['', '!', 'x'].map((end) => part.repeat(4000 / part.length) + end),
  );
  for (const [name, pattern] of Object.entries(PUBLISHED)) {
    for (const json of withPattern(pattern)) await loadTokenizer(json);
    const [json] = withPattern(pattern);
    json.model = { type: 'WordPiece', vocab: { '[UNK]': 0 } };
    const tokenizer = await loadTokenizer(json);
    for (const text of texts) assert(tokenizer.encode(text).ids.length > 0, name);
  }
});

test(
  'patterns that take twice the time with each letter, or its cube, are refused by name',
  { timeout: 60_000 },
  async () => {
    for (const [pattern, why] of SLOW) for (const json of withPattern(pattern)) await refuses(json, pattern, why);
  },
);

/** Seconds of the processor, which other programs do not lengthen. @param {() => unknown} run */
function secondsOf(run) {
  const start = process.cpuUsage();
  run();
  return process.cpuUsage(start).user / 1e6;
}

test('spaces that an added token takes, and accents in a row, take no square of their number', async () => {
  const vocab = { '[UNK]': 0, ' ': 1 };
  const model = { type: 'WordLevel', vocab, unk_token: '[UNK]' };
  const space = { id: 1, content: ' ', lstrip: false, rstrip: true, single_word: false, normalized: false };
  const spaces = await loadTokenizer({ model, added_tokens: [{ ...space, special: true }] });
  assert.ok(secondsOf(() => assert.equal(spaces.encode(' '.repeat(16_000)).ids.length, 16_000)) < 2);

  const pieces = ['\u0301', '\u0323', '\u0345', '\u0f73', '\u0344', '\u0334', '\u0903', '\u20dd', '\u034f', 'a', 'é'];
  const forms = /** @type {const} */ (['NFC', 'NFD', 'NFKC', 'NFKD']);
  for (let i = 0; i < 200; i++) {
    const many = Array.from({ length: 70 + i }, (_, at) => pieces[(at * (i + 7) + (at >> 2) * i) % (i % 9 ? 9 : 11)]);
    const text = `ấ${many.join('')}`;
    const form = forms[i % 4];
    const words = { type: 'WordLevel', vocab: { '[UNK]': 0, [text.normalize(form)]: 1 }, unk_token: '[UNK]' };
    const { ids } = (await loadTokenizer({ model: words, normalizer: { type: form } })).encode(text);
    assert.deepEqual(ids, [1], `${form} ${JSON.stringify(text)}`);
  }
  for (const type of [...forms, 'BertNormalizer']) {
    const flags = type === 'BertNormalizer' ? { clean_text: true, handle_chinese_chars: true, lowercase: true } : {};
    const tokenizer = await loadTokenizer({ model, normalizer: { type, ...flags } });
    assert.ok(secondsOf(() => tokenizer.encode(`a${'\u0301\u0323'.repeat(50_000)}`)) < 5, type);
  }
});
