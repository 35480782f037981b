// Tokenizers: texts to ids and back, and tokens for people.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Vocabulary, load } from 'glassformer';
import { loadTokenizer } from 'glassformer/tokenizers';
import { listsOf } from './encoding.js';
import { regexpOf } from '../../src/js/text/pattern.js';
import { PUBLISHED, SLOW, refuses, withPattern } from './tokenizer-patterns.js';

const folder = new URL('../checkpoints/', import.meta.url);
const jsonOf = (/** @type {string} */ path) => JSON.parse(readFileSync(new URL(path, folder), 'utf8'));

test('tokens are readable, ids and texts go both ways', async () => {
  for (const name of ['gpt2-2l', 'bert-2l']) {
    const tokenizer = await loadTokenizer(new URL(`${name}/tokenizer.json`, folder));
    const { text, ids, tokens } = jsonOf(`${name}/case.json`);
    const none = ids.map(() => 0);
    assert.deepEqual(listsOf(tokenizer.encode(text)), { ids, typeIds: none, padding: none, tokens });
    assert.equal(tokenizer.decode(ids), name === 'bert-2l' ? text.toLowerCase() : text);
    assert.deepEqual(
      ids.map((/** @type {number} */ id) => tokenizer.token(id)),
      tokens,
    );
    assert.deepEqual(
      tokens.map((/** @type {string} */ token) => tokenizer.id(token)),
      ids,
    );
    for (const id of [-1, tokenizer.size, 1.5]) assert.throws(() => tokenizer.token(id), { code: 'token' });
    assert.throws(() => tokenizer.decode([0, 9999]), { code: 'token', parameter: 'id' });
    assert.throws(() => tokenizer.encode(/** @type {any} */ (5)), { code: 'type', parameter: 'text' });
  }
  const gpt2 = await loadTokenizer(new URL('gpt2-2l/tokenizer.json', folder));
  const labels = (/** @type {string} */ text) =>
    gpt2
      .encode(text)
      .ids.map((id) => gpt2.label(id))
      .join('|');
  assert.equal(labels(' the\n'), '␣the|↵');
  assert.equal(labels('é'), '<C3>|<A9>');
  assert.equal(gpt2.decode(gpt2.encode('naïve – 中 🙂').ids), 'naïve – 中 🙂');
  assert.equal(gpt2.label(Number(gpt2.special.end)), '<|endoftext|>');
  const bert = await loadTokenizer(new URL('bert-2l/tokenizer.json', folder));
  const { mask, start, separator, padding, unknown, end } = bert.special;
  assert.deepEqual([padding, unknown, start, separator, mask, end], [0, 1, 2, 3, 4, null]);
  assert.equal(bert.encode('the [MASK] was cold').ids[2], mask);
  assert.deepEqual(bert.encode('the dog', { special: false }).tokens, ['the', 'dog']);
  assert.deepEqual(bert.encode('the', { pair: 'dog' }).typeIds, [0, 0, 0, 1, 1]);
});

test('a decoder gives in parts what decode gives as a whole: characters that tokens share come out whole', async () => {
  const gpt2 = await loadTokenizer(new URL('gpt2-2l/tokenizer.json', folder));
  const text = 'café 😀 日本';
  const { ids } = gpt2.encode(text);
  const decoder = gpt2.decoder();
  const parts = ids.map((id) => decoder.push([id]));
  assert.equal(parts.join('') + decoder.end(), text);
  assert.ok(parts.every((part) => !part.includes('\ufffd')) && parts.includes('😀'), parts.join('|'));
  // Half a character at the end is what decode says of it.
  decoder.push(ids.slice(0, -1));
  assert.match(decoder.end(), /^\ufffd+$/);
  // As Llama has it: bytes of characters, spaces as ▁, one space before the first word.
  const vocab = ['<unk>', '▁the', '<0xE6>', '<0x97>', '<0xA5>', '▁'].map((token, id) => [token, id]);
  const model = { type: 'BPE', vocab: Object.fromEntries(vocab), merges: [], byte_fallback: true, unk_token: '<unk>' };
  const steps = [
    { type: 'Replace', pattern: { String: '▁' }, content: ' ' },
    { type: 'ByteFallback' },
    { type: 'Fuse' },
    { type: 'Strip', content: ' ', start: 1, stop: 0 },
  ];
  const llama = await loadTokenizer({ model, decoder: { type: 'Sequence', decoders: steps } });
  const streamed = llama.decoder();
  assert.deepEqual(
    [5, 1, 2, 3, 4, 1, 2].map((id) => streamed.push([id])),
    ['', ' the', '', '', '', '日 the', ''],
  );
  assert.equal(streamed.end(), '\ufffd');
  assert.equal(llama.unknown, 0);
  // Line ends, letters and parts of letters, whatever the vocabulary writes them as.
  const bytes = ['<0x0A>', '<0x41>', '<0xD7>', '▁'];
  const plain = { ...model, vocab: Object.fromEntries(bytes.map((token, id) => [token, id])), unk_token: null };
  const fallback = await loadTokenizer({ model: plain, decoder: { type: 'Sequence', decoders: steps } });
  assert.deepEqual([0, 1, 2, 3].map((id) => fallback.label(id)), ['↵', 'A', '<D7>', '␣']); // prettier-ignore
});

test('texts become rows that forward takes: a row of a batch is the text alone', async () => {
  const gf = await load({ variant: 'simd' });
  const texts = ['the dog', 'the creek was cold', 'cold'];
  for (const name of ['gpt2-2l', 'bert-2l']) {
    const { model, tokenizer } = await gf.loadModel(new URL(`${name}/`, folder));
    const { ids, typeIds, padding, tokens } = tokenizer.encode(texts);
    const alone = texts.map((text) => tokenizer.encode(text));
    const longest = Math.max(...alone.map((each) => each.ids.length));
    const more = name === 'bert-2l' ? { typeIds } : {};
    const { logits } = model.forward({ ids, padding, ...more });
    alone.forEach((each, row) => {
      const { length } = each.ids;
      assert.deepEqual(ids[row].slice(0, length), each.ids);
      assert.deepEqual(tokens[row].slice(0, length), each.tokens);
      assert.deepEqual(
        padding[row],
        ids[row].map((_, i) => Number(i >= length)),
      );
      const own = model.forward({ ids: each.ids }).logits.data;
      const V = Number(logits.shape[2]);
      const part = logits.data.slice(row * longest * V, row * longest * V + own.length);
      own.forEach((value, i) => assert.ok(Math.abs(value - part[i]) < 1e-5));
    });
    const cut = tokenizer.encode(texts, { truncation: true, maxLength: 3 });
    alone.forEach((each, row) => {
      const closing = name === 'bert-2l' ? [tokenizer.special.separator] : [];
      const wanted = each.ids.length > 3 ? [...each.ids.slice(0, 3 - closing.length), ...closing] : each.ids;
      assert.deepEqual(cut.ids[row].slice(0, wanted.length), wanted);
      assert.equal(cut.ids[row].length, 3);
    });
    const padded = tokenizer.encode(texts, { padding: 'maxLength', maxLength: 12 });
    assert.deepEqual(
      [padded.ids, padded.typeIds, padded.padding].map((rows) => rows.map((row) => row.length)),
      Array(3).fill([12, 12, 12]),
    );
    assert.deepEqual(
      tokenizer.encode(texts, { padding: false }).ids,
      alone.map((each) => each.ids),
    );
    for (const text of texts) {
      const one = tokenizer.encode(text, { truncation: true, maxLength: 3, padding: 'maxLength' });
      const [ids, typeIds, padding, tokens] = [one.ids, one.typeIds, one.padding, one.tokens].map((row) => [row]);
      assert.deepEqual(
        { ids, typeIds, padding, tokens },
        listsOf(tokenizer.encode([text], { truncation: true, maxLength: 3, padding: 'maxLength' })),
        'one text and many take the same options',
      );
    }
    const pair = tokenizer.encode(['the', 'the dog'], { pair: ['dog', 'cold'], special: false });
    assert.deepEqual(pair.ids[1], tokenizer.encode('the dog', { pair: 'cold', special: false }).ids);
    for (const [options, code, parameter] of [
      [{ maxLength: 3 }, 'missing', 'truncation'],
      ['dog', 'type', 'options'],
      [{ padding: 'max_length' }, 'range', 'padding'],
      [{ padding: 'maxLength', maxLength: 2 }, 'range', 'texts[0]'],
      [{ pair: ['dog'] }, 'shape', 'pair'],
      [{ return_tensors: 'pt' }, 'unknown', 'return_tensors'],
    ]) {
      assert.throws(() => tokenizer.encode(texts, /** @type {any} */ (options)), { code, parameter }, parameter);
    }
    // The limit is the model's; a tokenizer without a model has none.
    assert.equal(tokenizer.encode('the dog '.repeat(50), { truncation: true }).ids.length, model.config.maxLength);
    const unbound = await loadTokenizer(new URL(`${name}/tokenizer.json`, folder));
    for (const options of /** @type {any[]} */ ([{ truncation: true }, { padding: 'maxLength' }])) {
      assert.throws(() => unbound.encode(texts, options), { code: 'missing', parameter: 'maxLength' });
    }
    assert.throws(() => tokenizer.encode([]), { code: 'shape', parameter: 'texts' });
    assert.throws(() => tokenizer.encode(/** @type {any} */ ([5])), {
      code: 'type',
      message: /^texts\[0\] must be a string/,
    });
    const mask = { attention_mask: padding.map((row) => row.map((each) => 1 - each)) };
    assert.throws(
      () => model.forward(/** @type {any} */ ({ ids, ...mask })),
      /padding 1 for what is hidden, did you mean padding/,
    );
    assert.throws(() => model.forward({ ids, padding: [padding[0], padding[1].map(() => 1), padding[2]] }), {
      code: 'range',
      parameter: 'padding[1]',
    });
    model.free();
  }
});

const WORDS = {
  '[PAD]': 0,
  '[UNK]': 1,
  '[CLS]': 2,
  '[SEP]': 3,
  '[MASK]': 4,
  the: 5,
  dog: 6,
  '##s': 7,
  e: 8,
  é: 9,
  中: 10,
  The: 11,
  '.': 12,
};
const bertWith = (/** @type {object} */ model, /** @type {object} */ others = {}) => ({
  model: { type: 'WordPiece', vocab: WORDS, ...model },
  normalizer: {
    type: 'BertNormalizer',
    clean_text: true,
    handle_chinese_chars: true,
    strip_accents: null,
    lowercase: true,
  },
  pre_tokenizer: { type: 'BertPreTokenizer' },
  ...others,
});
const LETTERS = { l: 0, o: 1, w: 2, Ġ: 3, lo: 4, low: 5, Ġlow: 6, '<|endoftext|>': 7 };
const MERGES = [
  ['l', 'o'],
  ['lo', 'w'],
  ['Ġ', 'low'],
];
const byteLevel = (
  /** @type {object} */ model = {},
  /** @type {object} */ pre = {},
  /** @type {object[]} */ added = [],
) => ({
  model: { type: 'BPE', vocab: LETTERS, merges: MERGES, ...model },
  pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, ...pre },
  decoder: { type: 'ByteLevel' },
  added_tokens: added,
});
/** @param {any} json @param {string} text */
const cut = async (json, text) => (await loadTokenizer(json)).encode(text).tokens.join('|');

test('WordPiece: with other prefixes, cased, accents kept or not, characters of Chinese apart', async () => {
  assert.equal(await cut(bertWith({}), 'The dogs.'), 'the|dog|##s|.');
  const normal = bertWith({}).normalizer;
  const cased = { normalizer: { ...normal, lowercase: false } };
  assert.equal(await cut(bertWith({}, cased), 'The Dog the É'), 'The|[UNK]|the|[UNK]');
  assert.equal(await cut(bertWith({}), 'é e\u0301 É'), 'e|e|e');
  const kept = { normalizer: { ...normal, strip_accents: false } };
  assert.equal(await cut(bertWith({}, kept), 'é É e\u0301'), 'é|é|[UNK]');
  assert.equal(await cut(bertWith({}), '中the中'), '中|the|中');
  const apart = { normalizer: { ...normal, handle_chinese_chars: false } };
  assert.equal(await cut(bertWith({}, apart), '中the'), '[UNK]');
  const prefixed = { vocab: { '[UNK]': 0, dog: 1, '@@s': 2 }, continuing_subword_prefix: '@@' };
  assert.equal(await cut(bertWith(prefixed), 'dogs'), 'dog|@@s');
  const bare = { vocab: { '[UNK]': 0, dog: 1, s: 2 }, continuing_subword_prefix: '' };
  assert.equal(await cut(bertWith(bare), 'dogs'), 'dog|s');
  assert.equal(await cut(bertWith({ max_input_chars_per_word: 3 }), 'dog dogs'), 'dog|[UNK]');
});

test('byte-level BPE: merges as strings and pairs, a space before, words that need no merges', async () => {
  assert.equal(await cut(byteLevel(), 'low low'), 'low|Ġlow');
  assert.equal(await cut(byteLevel({ merges: MERGES.map((pair) => pair.join(' ')) }), 'low low'), 'low|Ġlow');
  assert.equal(await cut(byteLevel({}, { add_prefix_space: true }), 'low low'), 'Ġlow|Ġlow');
  assert.equal(await cut(byteLevel({ merges: [] }), 'low'), 'l|o|w');
  assert.equal(await cut(byteLevel({ merges: [], ignore_merges: true }), 'low'), 'low');
  // Files of 2020 do not say what kind they are.
  assert.equal(await cut(byteLevel({ type: undefined }), 'low low'), 'low|Ġlow');
  const end = { content: '<|endoftext|>', id: 7, special: true };
  assert.equal(await cut(byteLevel({}, {}, [end]), 'low<|endoftext|> low'), 'low|<|endoftext|>|Ġlow');
  assert.equal(
    await cut(byteLevel({}, {}, [{ ...end, rstrip: true }]), 'low<|endoftext|>  low'),
    'low|<|endoftext|>|low',
  );
  assert.equal(
    await cut(byteLevel({}, {}, [{ ...end, lstrip: true }]), 'low  <|endoftext|>low'),
    'low|<|endoftext|>|low',
  );
});

test('what no file may say is refused by name', async () => {
  /** @param {any} json @param {RegExp} message */
  const refused = async (json, message) => {
    const error = await loadTokenizer(json).then(
      () => null,
      (/** @type {any} */ thrown) => thrown,
    );
    assert.deepEqual(
      [error?.name, error?.code, error?.parameter],
      ['GlassformerError', 'format', 'tokenizer'],
      `${error}`,
    );
    assert.match(error.message, message);
    assert(error.message.length < 300, error.message);
  };
  const word = { content: 'dog', id: 6, single_word: 'yes' };
  await refused(
    bertWith({}, { added_tokens: [word] }),
    /single_word of an added token must be true or false, got "yes"/,
  );
  await refused(
    byteLevel({ continuing_subword_prefix: 7 }),
    /continuing_subword_prefix of BPE must be a string, got 7/,
  );
  await refused(byteLevel({}, { add_prefix_space: 1 }), /add_prefix_space of ByteLevel must be true or false, got 1/);
  await refused(bertWith({}, { normalizer: { type: 'BertNormalizer' } }), /clean_text of BertNormalizer must be true/);
  await refused(bertWith({}, { normalizer: [] }), /each normalizer must have a type/);
  await refused(byteLevel({ merges: ['l o', 'lo'] }), /merges\[1\] must be two tokens, got "lo"/);
  await refused(byteLevel({ merges: ['l x'] }), /merges\[0\] names no token, got "x"/);
  await refused(byteLevel({ merges: ['l w'] }), /merges\[0\] makes no token, got "lw"/);
  await refused({ model: { vocab: [['a'], ['b', 1]] } }, /vocab\[0\] must have a score/);
  await refused(
    bertWith({}, { decoder: { type: 'Strip', content: 'ab', start: 1, stop: 0 } }),
    /must be one character/,
  );
  for (const behavior of ['isolated', undefined]) {
    const split = { type: 'Split', pattern: { String: 'a' }, behavior, invert: false };
    await refused(bertWith({}, { pre_tokenizer: split }), /behavior of Split must be/);
  }
  for (const most of [1e9, 0, '100', null]) {
    await refused(
      bertWith({ max_input_chars_per_word: most }),
      /max_input_chars_per_word must be an integer from 1 to 1000/,
    );
  }
  await refused(bertWith({ continuing_subword_prefix: 7 }), /continuing_subword_prefix must be a string/);
  await refused(bertWith({ type: { toString: 1 } }), /model\.type must be a string/);
  await refused(
    bertWith({}, { added_tokens: [{ content: 'dog', id: { toString: 1 } }] }),
    /id of "dog" must be an integer/,
  );
  await refused(bertWith({}, { added_tokens: [{ content: 'dog', id: '6' }] }), /id of "dog" must be an integer/);
  await refused(bertWith({}, { added_tokens: [{ content: 'x'.repeat(1e5), id: 6 }] }), /have the same id/);
  await refused(byteLevel({ merges: 7 }), /merges of BPE must be an array, got 7/);
  for (const Regex of ['(', ')', '*a', 'a{2,1}', '[z-a]', '^*', '(?=a)*']) {
    const split = { type: 'Split', pattern: { Regex }, behavior: 'Isolated' };
    await refused(byteLevel({}, split), /a pattern of it is none/);
  }
  const nobody = [{ SpecialToken: { id: '[NONE]', type_id: 0 } }];
  const two = [{ Sequence: { id: 'B', type_id: 0 } }];
  for (const single of ['a', [null], [7], [{ Sequence: null }], [{}], undefined, nobody, two]) {
    const post_processor = { type: 'TemplateProcessing', single, pair: [] };
    await refused(bertWith({}, { post_processor }), /single of TemplateProcessing/);
  }
  for (const type_id of ['one', -1, 0.5]) {
    const single = [{ Sequence: { id: 'A', type_id } }];
    await refused(bertWith({}, { post_processor: { type: 'TemplateProcessing', single, pair: [] } }), /type_id/);
  }
  /** @type {any} */
  let deep = { type: 'ByteLevel' };
  for (let i = 0; i < 100_000; i++) deep = { type: 'Sequence', pretokenizers: [deep], decoders: [deep] };
  const wide = { type: 'Sequence', pretokenizers: Array(65).fill({ type: 'Whitespace' }) };
  /** @type {[any, RegExp][]} */
  const unread = [
    [{ ...byteLevel(), pre_tokenizer: deep }, /more than 64 steps of its pre_tokenizer/],
    [{ ...byteLevel(), decoder: deep }, /more than 64 steps of its decoder/],
    [{ ...byteLevel(), pre_tokenizer: wide }, /more than 64 steps of its pre_tokenizer/],
    [bertWith({}, { pre_tokenizer: { type: 'x'.repeat(1e5) } }), /this pre_tokenizer is not read here, got "x/],
    [bertWith({}, { decoder: { type: 'CTC' } }), /this decoder is not read here, got "CTC"/],
    [bertWith({}, { added_tokens: [{ content: 'new', id: 20 }] }), /id of the added token "new" must be 13, got 20/],
    [bertWith({ type: 'constructor' }), /this model is not read here, got "constructor"/],
  ];
  for (const [json, message] of unread) {
    await assert.rejects(loadTokenizer(json), {
      name: 'GlassformerError',
      code: 'unsupported',
      parameter: 'tokenizer',
      message,
    });
  }
});

test('a text is cut as the library in Rust cuts it, where others approximate', async () => {
  /** @param {any} json @param {string} text @param {object} [options] */
  const tokens = async (json, text, options) => (await loadTokenizer(json)).encode(text, options).tokens;
  const gpt2 = jsonOf('gpt2-2l/tokenizer.json');
  const two = await loadTokenizer(gpt2);
  const both = two.encode('The creek', { pair: ' was cold' });
  assert.equal(both.tokens.join('|'), 'T|he|Ġc|reek|Ġwas|Ġc|old');
  assert.deepEqual(both.typeIds, [0, 0, 0, 0, 1, 1, 1]);
  const bert = await loadTokenizer(jsonOf('bert-2l/tokenizer.json'));
  const empty = bert.encode(['the creek'], { pair: [''] });
  assert.deepEqual([empty.tokens[0].join(' '), empty.typeIds[0].join('')], ['[CLS] the creek [SEP] [SEP]', '00001']);
  for (const ids of [[], two.encode('').ids, new Int32Array(0)]) assert.equal(two.decode(ids), '');
  const model = { type: 'WordPiece', unk_token: '[UNK]' };
  const normalizer = bertWith({}).normalizer;
  const bare = (/** @type {string[]} */ vocab, /** @type {object} */ more) => ({
    model: { ...model, vocab: Object.fromEntries(['[UNK]', ...vocab].map((token, id) => [token, id])) },
    ...more,
  });
  const whitespace = { pre_tokenizer: { type: 'Whitespace' } };
  const words = ['größer', 'gr', 'Привет', ','];
  assert.deepEqual(await tokens(bare(words, whitespace), 'größer'), ['größer']);
  assert.deepEqual(await tokens(bare(words, whitespace), 'Привет,'), ['Привет', ',']);
  const level = { model: { type: 'WordLevel', unk_token: '[UNK]', vocab: { '[UNK]': 0, cat: 1 } }, ...whitespace };
  assert.deepEqual((await loadTokenizer(level)).encode('the cat').ids, [0, 1]);
  const uncased = { normalizer, pre_tokenizer: { type: 'BertPreTokenizer' } };
  assert.deepEqual(await tokens(bare(['a', 'b', '𠮷'], uncased), 'a𠮷b'), ['a', '𠮷', 'b']);
  assert.deepEqual(await tokens(bare(['σασ', 'σας'], uncased), 'ΣΑΣ'), ['σασ']);
  const letters = [..."don'tab ,!$&x"].flatMap((letter) => [letter, `##${letter}`]);
  const split = (/** @type {object} */ pre_tokenizer, /** @type {object} */ more = {}) =>
    tokens(bare(letters, { pre_tokenizer, ...more }), "don't").then((all) => all.join(' ').replace(/ ##/g, ''));
  const pattern = { String: "'" };
  assert.equal(await split({ type: 'Punctuation', behavior: 'Removed' }), 'don t');
  assert.equal(await split({ type: 'Split', pattern, behavior: 'MergedWithNext', invert: false }), "don 't");
  assert.equal(await split({ type: 'Split', pattern, behavior: 'Removed', invert: false }), 'don t');
  assert.equal(await split({ type: 'Split', pattern, behavior: 'Removed', invert: true }), "'");
  const literal = { type: 'Replace', pattern, content: '$&' };
  assert.equal(await split({ type: 'WhitespaceSplit' }, { normalizer: literal }), 'don$&t');
  const gap = { type: 'BPE', unk_token: null, vocab: { 0: 0, '00': 1 }, merges: ['0 0'] };
  assert.deepEqual(await tokens({ model: gap, pre_tokenizer: { type: 'WhitespaceSplit' } }, '0,0'), ['00']);
  const spaces = bare(['a', '\ufeffa'], { pre_tokenizer: { type: 'WhitespaceSplit' } });
  assert.deepEqual(await tokens(spaces, 'a\u0085a \ufeffa'), ['a', 'a', '\ufeffa']);
});

test('truncation keeps the special tokens that were put there, not those that a reader types', async () => {
  const bert = await loadTokenizer(jsonOf('bert-2l/tokenizer.json'));
  for (const text of ['the dog [SEP]', '[SEP] '.repeat(8), `the creek was cold ${'[SEP]'.repeat(5)}`]) {
    const alone = bert.encode(text).ids;
    const { ids } = bert.encode(['the creek', text], { truncation: true, maxLength: 6 });
    const wanted = alone.length > 6 ? [...alone.slice(0, 5), Number(bert.special.separator)] : alone;
    assert.deepEqual(ids[1].slice(0, wanted.length), wanted, text);
  }
  const { ids } = bert.encode(['[SEP] '.repeat(8)], { truncation: true, maxLength: 6, special: false });
  assert.deepEqual(ids, [Array(6).fill(bert.special.separator)]);
});

// Each of the six places in turn; tokenizer-large.test.js tries all, with long texts.
test('patterns of published tokenizers pass, slow ones are refused by name', async () => {
  for (const [i, [name, pattern]] of Object.entries(PUBLISHED).entries()) {
    await loadTokenizer(withPattern(pattern)[i % 6]);
    const tokenizer = await loadTokenizer({
      ...withPattern(pattern)[0],
      model: { type: 'WordPiece', vocab: { '[UNK]': 0 } },
    });
    assert(tokenizer.encode(`${'aA 1'.repeat(50)}!`).ids.length > 0, name);
  }
  for (const [i, [pattern, why]] of SLOW.entries()) await refuses(withPattern(pattern)[i % 6], pattern, why);
});

test('ids that no token has, names of objects, and files that go wrong with a text', async () => {
  const gaps = await loadTokenizer(
    bertWith({ vocab: { '[UNK]': 0, dog: 5, __proto__: 7, constructor: 9, toString: 3 } }),
  );
  assert.equal(gaps.size, 10);
  assert.deepEqual(gaps.encode('dog constructor cat').ids, [5, 9, 0]);
  assert.equal(gaps.id('dog'), 5);
  assert.throws(() => gaps.id('hasOwnProperty'), { code: 'unknown', parameter: 'token' });
  assert.throws(() => gaps.token(4), { code: 'token' });
  assert.throws(() => gaps.decode([4]), { code: 'token' });
  const special_tokens = { '[NEW]': { id: '[NEW]', ids: [99], tokens: ['[NEW]'] } };
  const single = [{ SpecialToken: { id: '[NEW]', type_id: 0 } }];
  const post_processor = { type: 'TemplateProcessing', single, pair: [], special_tokens };
  const beyond = await loadTokenizer(bertWith({}, { post_processor }));
  assert.throws(() => beyond.encode('dog'), { code: 'token', parameter: 'text', value: 99 });
  const lacking = await loadTokenizer(bertWith({ vocab: { dog: 0 }, unk_token: '[UNK]' }));
  assert.throws(() => lacking.encode('cat'), { code: 'token', parameter: 'text' });
});

test('texts of all kinds: emoji, accents, right to left, NUL, half pairs, nothing, 10,000 characters', async () => {
  const gpt2 = await loadTokenizer(new URL('gpt2-2l/tokenizer.json', folder));
  const bert = await loadTokenizer(new URL('bert-2l/tokenizer.json', folder));
  for (const text of [
    '👩‍👩‍👧‍👦 🇬🇧',
    'e\u0301\u0323 é',
    'שלום עולם',
    'a\0b',
    '\u202eabc\u202c',
    ' \t\n\r ',
    'ﬁ Ǆ ß İ',
    '\ufeffa',
    '\ufffd',
  ]) {
    assert.equal(gpt2.decode(gpt2.encode(text).ids), text, JSON.stringify(text));
    const { ids, tokens, typeIds } = bert.encode(text);
    assert.deepEqual([tokens[0], tokens.at(-1)], ['[CLS]', '[SEP]']);
    assert.equal(typeIds.length, ids.length);
    for (const [tokenizer, said] of /** @type {const} */ ([
      [gpt2, gpt2.encode(text).ids],
      [bert, ids],
    ])) {
      for (const id of said) assert.doesNotMatch(tokenizer.label(id), /[ \n\t]/);
    }
  }
  assert.equal(gpt2.decode(gpt2.encode('a\ud800b').ids), 'a\ufffdb');
  assert.deepEqual(bert.encode('a\ud800b').tokens, ['[CLS]', 'a', '##b', '[SEP]']);
  assert.deepEqual(listsOf(gpt2.encode('')), { ids: [], typeIds: [], padding: [], tokens: [] });
  assert.deepEqual(bert.encode('').tokens, ['[CLS]', '[SEP]']);
  for (const text of ['a'.repeat(10_000), 'the dog '.repeat(1250), '🙂'.repeat(5000), '.'.repeat(10_000)]) {
    assert.equal(gpt2.decode(gpt2.encode(text).ids), text);
    assert(bert.encode(text).ids.length >= 3);
  }
});

test('a tokenizer given as an object that no file can say is refused', async () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const json = jsonOf('bert-2l/tokenizer.json');
  for (const odd of [proxy, Symbol('x')]) {
    for (const changed of [
      { ...json, model: odd },
      { ...json, model: { ...json.model, vocab: odd } },
      { ...json, added_tokens: odd },
      { ...json, added_tokens: [{ id: 0, content: odd }] },
    ])
      await assert.rejects(loadTokenizer(changed), { name: 'GlassformerError' });
  }
});

// Cases of the Rust library's own tests.
test('Unigram takes the likeliest row of tokens, and unknown letters in a row as one', async () => {
  /** @param {[string, number][]} vocab @param {object} [more] */
  const unigram = (vocab, more) => loadTokenizer({ model: { type: 'Unigram', vocab, unk_id: 0, ...more } });
  const small = [...'abcd'].map((letter) => /** @type {[string, number]} */ ([letter, 0]));
  const nested = await unigram([['<unk>', 0], ...small, ['cd', 1], ['ab', 2], ['abc', 5], ['abcd', 10]]);
  assert.deepEqual(nested.encode('abcd').tokens, ['abcd']);
  const scored = await unigram([
    ...[
      ['<unk>', 0],
      ['ab', 0],
      ['cd', -0.1],
      ['abc', -0.2],
      ['a', -0.3],
      ['b', -0.4],
      ['c', -0.5],
      ['ABC', -0.5],
    ],
    ...[
      ['abcdabcd', 20],
      ['q', 20.5],
      ['r', 20.5],
      ['qr', -0.5],
    ],
  ]);
  for (const [text, tokens] of /** @type {[string, string][]} */ ([
    ['abc', 'abc'],
    ['AB', '<unk>'],
    ['abcd', 'ab|cd'],
    ['abcc', 'abc|c'],
    ['xabcabaabcdd', '<unk>|abc|ab|a|ab|cd|<unk>'],
    ['xyz東京', '<unk>'],
    ['🙂a🙂🙂', '<unk>|a|<unk>'],
    ['ABC', 'ABC'],
    ['abABCcd', 'ab|ABC|cd'],
    ['ababcdabcdcd', 'ab|abcdabcd|cd'],
    ['abqrcd', 'ab|q|r|cd'],
  ]))
    assert.equal(scored.encode(text).tokens.join('|'), tokens, text);
  const bytes = await unigram(
    [
      ['<unk>', 0],
      ['<0xC3>', -0.01],
      ['<0xA9>', -0.03],
      ['<0x0A>', -1],
    ],
    { byte_fallback: true },
  );
  assert.deepEqual(
    ['é', '?é', '\n'].map((text) => bytes.encode(text).ids),
    [[1, 2], [0], [3]],
  );
  const plain = await unigram([
    ['<unk>', 0],
    ['<0xC3>', -0.01],
    ['<0xA9>', -0.03],
  ]);
  assert.deepEqual(plain.encode('é').ids, [0]);
  const strict = await unigram(
    [
      ['a', 0],
      ['', 5],
    ],
    { unk_id: null },
  );
  assert.deepEqual(strict.encode('aa').ids, [0, 0]);
  assert.throws(() => strict.encode('ab🙂'), { code: 'token', parameter: 'text', value: 'b' });
  for (const unk_id of [2, -1, 'a'])
    await assert.rejects(
      unigram(
        [
          ['a', 0],
          ['b', 0],
        ],
        { unk_id },
      ),
      /unk_id/,
    );
});

/** Steps of a tokenizer.json and their results: those of the Rust library's own tests where it has some. */
const MARKED = `ấ${'\u0301\u0323\u0345\u0f73\u0344\u0334\u0903\u20dd\u034f'.repeat(9)}é`;
const NORMALIZED = /** @type {[any, string, string][]} */ ([
  [{ type: 'NFC' }, 'e\u0301', 'é'],
  [{ type: 'NFD' }, 'é', 'e\u0301'],
  [{ type: 'NFKC' }, 'ﬁ①', 'fi1'],
  [{ type: 'NFKD' }, 'ﬁé', 'fie\u0301'],
  [{ type: 'NFC' }, MARKED, MARKED.normalize('NFC')],
  [{ type: 'NFKD' }, MARKED, MARKED.normalize('NFKD')],
  [{ type: 'Lowercase' }, 'ΟΔΟΣ İ', 'οδοσ i\u0307'],
  [{ type: 'StripAccents' }, 'e\u0301a\u0323', 'ea'],
  [{ type: 'StripAccents' }, 'é', 'é'],
  [{ type: 'Strip', strip_left: true, strip_right: true }, ' \t a b \n', 'a b'],
  [{ type: 'Strip', strip_left: true, strip_right: false }, '  a  ', 'a  '],
  [{ type: 'Strip', strip_left: false, strip_right: true }, '  a  ', '  a'],
  [{ type: 'Prepend', prepend: '▁' }, 'Hello', '▁Hello'],
  [{ type: 'Replace', pattern: { String: "''" }, content: '"' }, "This is a ''test''", 'This is a "test"'],
  [{ type: 'Replace', pattern: { Regex: '\\s+' }, content: ' ' }, 'This     is   a         test', 'This is a test'],
  [{ type: 'Nmt' }, 'a\u0001\u007fb\tc\u200bd\u2581e\u008ff\ufeffg\rh', 'ab c d ef g h'],
  [
    { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, lowercase: true },
    'É\u0000\ufffd\tA中',
    'e a 中 ',
  ],
  [
    { type: 'BertNormalizer', clean_text: false, handle_chinese_chars: false, lowercase: false, strip_accents: true },
    'É\tA中',
    'E\tA中',
  ],
  [
    { type: 'BertNormalizer', clean_text: false, handle_chinese_chars: false, lowercase: true, strip_accents: false },
    'ÉÀ',
    'éà',
  ],
]);
const between = (/** @type {string} */ behavior, invert = false) => ({
  type: 'Split',
  pattern: { String: '-' },
  behavior,
  invert,
});
const DASHES = 'the-final--countdown';
const CUT = /** @type {[any, string, string][]} */ ([
  [between('Removed'), DASHES, 'the|final|countdown'],
  [between('Isolated'), DASHES, 'the|-|final|-|-|countdown'],
  [between('MergedWithPrevious'), DASHES, 'the-|final-|-|countdown'],
  [between('MergedWithNext'), DASHES, 'the|-final|-|-countdown'],
  [between('Contiguous'), DASHES, 'the|-|final|--|countdown'],
  [between('Removed', true), DASHES, '-|-|-'],
  [between('MergedWithNext', true), DASHES, 'the-|final-|-|countdown'],
  [between('MergedWithPrevious'), '-a', '-|a'],
  [{ type: 'CharDelimiterSplit', delimiter: '-' }, DASHES, 'the|final|countdown'],
  [{ type: 'Digits', individual_digits: false }, 'Hey 123 friend!', 'Hey |123| friend!'],
  [{ type: 'Digits', individual_digits: true }, 'Hey 123 friend!', 'Hey |1|2|3| friend!'],
  [{ type: 'Digits' }, 'a12', 'a|12'],
  [{ type: 'Whitespace' }, 'Hey man!', 'Hey|man|!'],
  [{ type: 'Whitespace' }, "How are you doing? I'm_ok", "How|are|you|doing|?|I|'|m_ok"],
  [{ type: 'WhitespaceSplit' }, 'Hey, man, Good?', 'Hey,|man,|Good?'],
  [{ type: 'Punctuation' }, 'Hey friend!     How are you?!?', 'Hey friend|!|     How are you|?|!|?'],
  [{ type: 'Punctuation', behavior: 'Contiguous' }, 'a?!b', 'a|?!|b'],
  [{ type: 'BertPreTokenizer' }, 'Hey friend!     How are you?!?', 'Hey|friend|!|How|are|you|?|!|?'],
  [{ type: 'Metaspace', replacement: '▁', prepend_scheme: 'always' }, 'Hey   friend!', '▁Hey|▁|▁|▁friend!'],
  [{ type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: false }, 'Hey you', '▁Hey▁you'],
  [{ type: 'Metaspace', replacement: '▁', prepend_scheme: 'always' }, ' Hey', '▁Hey'],
  [{ type: 'Metaspace', replacement: '▁', prepend_scheme: 'never' }, 'Hey you', 'Hey|▁you'],
  [{ type: 'ByteLevel', add_prefix_space: true }, 'Hi é', 'ĠHi|ĠÃ©'],
  [{ type: 'ByteLevel', add_prefix_space: true }, ' Hi', 'ĠHi'],
  [{ type: 'ByteLevel', add_prefix_space: false }, "I'll  go 12", "I|'ll|Ġ|Ġgo|Ġ12"],
  [{ type: 'ByteLevel', add_prefix_space: false, use_regex: false }, 'a b', 'aĠb'],
]);
const fused = (/** @type {object} */ step) => ({ type: 'Sequence', decoders: [{ type: 'Fuse' }, step] });
const DECODED = /** @type {[any, string[], string[]][]} */ ([
  [
    { type: 'WordPiece', prefix: '##', cleanup: false },
    ['##uelo', 'Ara', '##új', '##o', 'No', 'Guera'],
    ['##uelo', ' Ara', 'új', 'o', ' No', ' Guera'],
  ],
  [
    { type: 'WordPiece', prefix: '##', cleanup: true },
    ['do', 'do not', 'not', '.', ',', 'it', "'", 's', '##.', '?', '!', "n't", "'m", "'s", "'ve", "'re"],
    ['do', " don't", ' not', '.', ',', ' it', " '", ' s', '.', '?', '!', "n't", "'m", "'s", "'ve", "'re"],
  ],
  [{ type: 'Strip', content: 'H', start: 1, stop: 0 }, ['Hey', ' friend!', 'HHH'], ['ey', ' friend!', 'HH']],
  [{ type: 'Strip', content: 'y', start: 0, stop: 1 }, ['Hey', ' friend!', 'yyy'], ['He', ' friend!', 'yy']],
  [{ type: 'Strip', content: 'y', start: 2, stop: 2 }, ['yyy', 'y'], ['', '']],
  [{ type: 'BPEDecoder', suffix: '</w>' }, ['ab</w>', 'c', 'd</w>', 'e</w>'], ['ab ', 'c', 'd ', 'e']],
  [{ type: 'ByteFallback' }, ['Hey', 'friend!'], ['Hey', 'friend!']],
  [{ type: 'ByteFallback' }, ['<0x61>'], ['a']],
  [{ type: 'ByteFallback' }, ['<0xE5>'], ['\ufffd']],
  [{ type: 'ByteFallback' }, ['<0xE5>', '<0x8f>'], ['\ufffd\ufffd']],
  [{ type: 'ByteFallback' }, ['<0xE5>', '<0x8f>', '<0xab>'], ['叫']],
  [{ type: 'ByteFallback' }, ['<0xE5>', '<0x8f>', '<0xab>', 'a'], ['叫', 'a']],
  [{ type: 'ByteFallback' }, ['<0xE5>', '<0x8f>', 'a'], ['\ufffd\ufffd', 'a']],
  [{ type: 'ByteFallback' }, ['<0xEF>', '<0xBB>', '<0xBF>', 'x<0x61>', '<0x61>y'], ['\ufeff', 'x<0x61>', '<0x61>y']],
  [{ type: 'Metaspace', replacement: '▁', prepend_scheme: 'always' }, ['▁Hey', '▁friend!'], ['Hey', ' friend!']],
  [{ type: 'Metaspace', replacement: '▁', prepend_scheme: 'never' }, ['▁Hey', '▁friend!'], [' Hey', ' friend!']],
  // Behind a step that joins, the next one has the whole text as one token.
  [fused({ type: 'Strip', content: 'y', start: 0, stop: 1 }), ['ay', 'by'], ['ay', 'b']],
  [fused({ type: 'Strip', content: ' ', start: 2, stop: 0 }), [' ', '  a', ' b'], [' a b']],
  [fused({ type: 'BPEDecoder', suffix: '</w>' }), ['ab</w>', 'c</w>'], ['abc']],
  [fused({ type: 'Metaspace', replacement: '▁', prepend_scheme: 'always' }), ['▁a', '▁b'], ['ab']],
  [fused({ type: 'WordPiece', prefix: '##', cleanup: false }), ['a', '##b'], ['a##b']],
  [{ type: 'Replace', pattern: { String: '▁' }, content: '_' }, ['▁a', 'b▁'], ['_a', 'b_']],
  [{ type: 'ByteLevel' }, ['ĠHi', 'ÃŃ', 'é', '你', 'ï»¿'], [' Hi', 'í', '\ufffd', '你', '\ufeff']],
]);

test('each step of a tokenizer.json does alone what its definition says', async () => {
  const vocabOf = (/** @type {string[]} */ tokens) =>
    Object.fromEntries(['[UNK]', ...tokens].map((token, i) => [token, i]));
  const level = (/** @type {string[]} */ tokens) => ({ type: 'WordLevel', unk_token: '[UNK]', vocab: vocabOf(tokens) });
  for (const [normalizer, text, wanted] of NORMALIZED) {
    const tokenizer = await loadTokenizer({ normalizer, model: level([wanted]) });
    assert.deepEqual(tokenizer.encode(text).ids, [1], `${JSON.stringify(normalizer)} ${JSON.stringify(text)}`);
    assert.deepEqual(tokenizer.encode('').ids, [], normalizer.type);
  }
  for (const [pre_tokenizer, text, wanted] of CUT) {
    const tokenizer = await loadTokenizer({ pre_tokenizer, model: level([...new Set(wanted.split('|'))]) });
    assert.equal(tokenizer.encode(text).tokens.join('|'), wanted, JSON.stringify(pre_tokenizer));
  }
  for (const [decoder, tokens, wanted] of DECODED) {
    const tokenizer = await loadTokenizer({ decoder, model: level([...new Set(tokens)]) });
    const ids = tokens.map((token) => tokenizer.id(token));
    assert.equal(tokenizer.decode(ids), wanted.join(''), JSON.stringify(decoder));
    // In parts, with a look at the text as it would end there, which changes nothing.
    const parts = tokenizer.decoder();
    let text = '';
    for (const [i, id] of ids.entries()) {
      text += parts.push([id]);
      const whole = tokenizer.decode(ids.slice(0, i + 1));
      if (decoder.type !== 'ByteLevel') assert.equal(text + parts.peek(), whole, JSON.stringify(decoder));
    }
    assert.equal(text + parts.end(), wanted.join(''), JSON.stringify(decoder));
  }
});

/** Patterns, texts, and the matches that Oniguruma finds. */
const FOUND = /** @type {[string, string, string[]][]} */ ([
  ['a{2}', 'aaaaa', ['aa', 'aa']],
  ['a{2,}', 'aaaaa a', ['aaaaa']],
  ['a{,2}b', 'aaab', ['aab']],
  ['a{1,2}', 'aaa', ['aa', 'a']],
  ['a{1,2}?', 'aa', ['a', 'a']],
  ['ba*?|ca+?|da??', 'baa caa da', ['b', 'ca', 'd']],
  ['ba*|ca+|da?', 'baa caa daa', ['baa', 'caa', 'da']],
  ['a++b|c*+d|e?+f', 'aab ccd ef', ['aab', 'ccd', 'ef']],
  ['a++a|b?+b|(?>c+)c', 'aaa b ccc', []],
  ['(?>a|ab)c', 'abc ac', ['ac']],
  ['.', 'a\n\r\u2028', ['a', '\r', '\u2028']],
  ['^a', 'a\na ba', ['a', 'a']],
  ['\\Aa', 'a\na', ['a']],
  ['b$', 'b\nab b-', ['b']],
  ['a\\z', 'a\na', ['a']],
  ['a\\z', 'a\n', []],
  ['a\\Z', 'a\na\n', ['a']],
  ['\\bé.', 'éx aéy', ['éx']],
  ['\\Bé.', 'éx aéy', ['éy']],
  ['\\w+', 'aé_1²-x', ['aé_1²', 'x']],
  ['[\\w]+', 'a²b', ['a', 'b']],
  ['\\W', 'a-²', ['-']],
  ['\\d+', '1٣²', ['1٣']],
  ['\\D', '1a', ['a']],
  ['\\s+|\\S', 'a \u0085\u00a0b', ['a', ' \u0085\u00a0', 'b']],
  ['\\h+', '0aFg', ['0aF']],
  ['\\H', 'ag', ['g']],
  ['\\p{Lu}', 'aBÉ', ['B', 'É']],
  ['\\p{^lu}', 'aB', ['a']],
  ['\\P{Lu}', 'aB', ['a']],
  ['\\P{^Lu}', 'aB', ['B']],
  ['[^\\p{L}\\P{Lu}]|\\p{Upper_Case}', 'aB1', ['B']],
  ['\\p{Han}+|\\p{greek}', 'a中文α', ['中文', 'α']],
  ['\\p{Letter}|\\p{punctuation}', '1a!', ['a', '!']],
  ['[[:alpha:]]+|[[:xdigit:]]', 'é1', ['é', '1']],
  ['[[:^digit:]]+', 'a1b', ['a', 'b']],
  ['[[:punct:]]', 'a!+', ['!', '+']],
  ['[[:alnum:]]+|[[:cntrl:]]', 'a1_\u0001', ['a1', '\u0001']],
  ['[a-c&&[^b]]+', 'abcd', ['a', 'c']],
  ['[a-d&&b-e&&c-f]+', 'abcdef', ['cd']],
  ['[^a-c&&b-d]', 'abcd', ['a', 'd']],
  ['[a[bc]]+', 'abcd', ['abc']],
  ['[^a[bc]]', 'abcd', ['d']],
  ['[\\]\\-x]+', ']-xy', [']-x']],
  ['[a-]+|[-b]+', 'a-b', ['a-', 'b']],
  ['[\\d-]+', 'a1-2', ['1-2']],
  ['[\\x41-\\u0043]+', 'ABCD', ['ABC']],
  ['\\x41\\x{1F600}', 'A😀', ['A😀']],
  ['[\\b]\\t\\n\\r\\f\\v\\a\\e', '\b\t\n\r\f\v\x07\x1b', ['\b\t\n\r\f\v\x07\x1b']],
  ['(?i)aB-1', 'Ab-1 AB-1', ['Ab-1', 'AB-1']],
  ['(?i:a)b', 'Ab AB', ['Ab']],
  ['a(?i)b|c', 'aB ac C', ['aB', 'ac']],
  ['((?i)a)b|(?>(?i)c)d|(?=(?i)e)ef', 'Ab AB Cd CD ef eF', ['Ab', 'Cd', 'ef']],
  ['(?i)[a-c]+|[xy]', 'abCDxY', ['abC', 'x', 'Y']],
  ['(?i)[!-B]', '!AbBc', ['!', 'A', 'b', 'B']],
  ['(?i)s|k', 'sSſkK\u212a', ['s', 'S', 'ſ', 'k', 'K', '\u212a']],
  ['(?i)sat|as', 'SAT', ['SAT']],
  ['a(?=b)|c(?!d)|(?<=f)e|(?<!h)g', 'ab ac cd ce fe e hg g', ['a', 'c', 'c', 'e', 'g']],
  ['(?<name>a)b|(c)', 'abc', ['ab', 'c']],
  ['a{|{|b{,}|}|]', 'a{ b{,} ]', ['a{', 'b{,}', ']']],
  ['\\.\\/\\-', './-', ['./-']],
]);
/** Patterns that are not read, or are none. @type {[RegExp, string[]][]} */
const UNREAD = [
  [/\{2\}\+ of a pattern/, ['a{2}+']],
  [/\{2\}\? of a pattern/, ['a{2}?']],
  [/a sign of repetition behind another/, ['a**', 'a+{2}', 'a+?*']],
  [/a loop whose round may match nothing/, ['(?:a?){2}', '(?:|a){2}']],
  [/keeps its match, in a look-behind/, ['(?<=(?>a))b', '(?<!a++)b']],
  [/refers back to a group/, ['(a)\\1', '(?<n>a)\\k<n>']],
  [/a comment/, ['(?#x)a']],
  [/the option \(\?m\)/, ['(?m)a', '(?m:a)']],
  [/the option \(\?-i\)/, ['(?-i)a']],
  [/a group that begins so/, ['(?P<n>a)', '(?~a)', '(?<1>a)']],
  [/\\p\{Foo\}/, ['\\p{Foo}', '[\\p{Foo}]']],
  [/\\p without a name/, ['\\pL', '[\\pL]', '\\p{}']],
  [/\\w under \(\?i\)/, ['(?i)\\w', '(?i)[\\w]']],
  [/\\p under \(\?i\)/, ['(?i)\\p{L}']],
  [/é under \(\?i\)/, ['(?i)é', '(?i)[é]', '(?i)[é-ê]']],
  [/ss under \(\?i\)/, ['(?i)ss', '(?i)ass']],
  [/fi under \(\?i\)/, ['(?i)fi']],
  [/\[:upper:\]/, ['(?i)[[:upper:]]']],
  [/\] as the first of a set/, ['[]a]', '[^]a]']],
  [/\[:foo:\]/, ['[[:foo:]]']],
  [/a range of sets/, ['[a-\\d]', '[\\d-a]', '[a-[b]]']],
  [/an empty set/, ['[a&&]', '[&&a]']],
  [/the \\u\{ of other libraries/, ['\\u{41}']],
  [/\\y of a pattern/, ['\\y', '[\\y]']],
  [/\\x of a pattern/, ['\\xg', '\\x8']],
  [/a group in so many others/, ['('.repeat(50) + 'a' + ')'.repeat(50)]],
  [/a set in so many others/, ['['.repeat(50) + 'a' + ']'.repeat(50)]],
  [/none/, ['a\\', '[a', '[a-', '[a\\', '[b-a]', '\\ud800', '\\u12', '\\x{110000}', '{1}a', '{,1}a', 'a{100001}']],
  [/none/, ['a{0,100001}', 'a{3,2}', '?a', '+', 'a)', '(?=a', '\\b+', '$?', '(?<!a)*']],
];

test('a pattern finds what Oniguruma finds, or is refused by the part that is not read', () => {
  for (const [pattern, text, wanted] of FOUND)
    assert.deepEqual(text.match(regexpOf(pattern)) ?? [], wanted, `${pattern} in ${JSON.stringify(text)}`);
  for (const [message, patterns] of UNREAD)
    for (const pattern of patterns) {
      const code = message.source === 'none' ? 'format' : 'unsupported';
      assert.throws(() => regexpOf(pattern), { name: 'GlassformerError', code, message, value: pattern }, pattern);
    }
  assert.deepEqual('a'.match(regexpOf(`${'('.repeat(49)}a${')'.repeat(49)}`))?.[0], 'a');
  assert.equal('a'.repeat(1e5).match(regexpOf('a{1000,100000}'))?.[0].length, 1e5);
});

test('BPE: letters without a token are unknown one by one, as one, or their bytes', async () => {
  const vocab = { '<unk>': 0, a: 1, b: 2, '<0xC3>': 3, '<0xA9>': 4, ab: 5 };
  const bpe = { type: 'BPE', vocab, merges: [['a', 'b']], unk_token: '<unk>' };
  for (const [more, text, ids] of /** @type {[object, string, number[]][]} */ ([
    [{}, 'c', [0]],
    [{}, 'cc', [0, 0]],
    [{}, 'accb🙂', [1, 0, 0, 2, 0]],
    [{}, 'cab', [0, 5]],
    [{}, 'é', [0]],
    [{ fuse_unk: true }, 'cc', [0]],
    [{ fuse_unk: true }, 'accb', [1, 0, 2]],
    [{ fuse_unk: true }, 'cacc', [0, 1, 0]],
    [{ byte_fallback: true }, 'éa', [3, 4, 1]],
    [{ byte_fallback: true }, 'èa', [0, 1]],
    [{ byte_fallback: true, unk_token: null }, 'é', [3, 4]],
    [{ unk_token: null }, 'acb', [5]],
  ]))
    assert.deepEqual((await loadTokenizer({ model: { ...bpe, ...more } })).encode(text).ids, ids, text);
});

test('special tokens stand around one text and two, and added ones are found in a text', async () => {
  const vocab = Object.fromEntries(['[UNK]', '<s>', '</s>', 'a', 'b', 'c'].map((token, i) => [token, i]));
  const model = { type: 'WordLevel', unk_token: '[UNK]', vocab };
  const [cls, sep] = [
    ['<s>', 1],
    ['</s>', 2],
  ];
  const template = [{ SpecialToken: { id: '<s>', type_id: 3 } }, { Sequence: { id: 'A', type_id: 0 } }];
  const pair = [...template, { Sequence: { id: 'B', type_id: 7 } }];
  const special_tokens = { '<s>': { id: '<s>', ids: [1, 1], tokens: ['<s>', '<s>'] } };
  for (const [post_processor, one, two, types] of /** @type {[any, number[], number[], number[]][]} */ ([
    [{ type: 'BertProcessing', cls, sep }, [1, 3, 2], [1, 3, 2, 4, 2], [0, 0, 0, 1, 1]],
    [{ type: 'RobertaProcessing', cls, sep }, [1, 3, 2], [1, 3, 2, 2, 4, 2], [0, 0, 0, 0, 0, 0]],
    [{ type: 'ByteLevel' }, [3], [3, 4], [0, 1]],
    [{ type: 'TemplateProcessing', single: template, pair, special_tokens }, [1, 1, 3], [1, 1, 3, 4], [3, 3, 0, 7]],
  ])) {
    const tokenizer = await loadTokenizer({ model, post_processor });
    assert.deepEqual(tokenizer.encode('a').ids, one, post_processor.type);
    const both = tokenizer.encode('a', { pair: 'b' });
    assert.deepEqual([both.ids, both.typeIds], [two, types], post_processor.type);
    const bare = tokenizer.encode('a', { pair: 'b', special: false });
    assert.deepEqual(bare.ids, [3, 4], post_processor.type);
  }
  for (const sep of [['</s>'], ['</s>', -1], ['</s>', 1.5], [2, 2]])
    await assert.rejects(
      loadTokenizer({ model, post_processor: { type: 'BertProcessing', cls, sep } }),
      /sep of BertProcessing must be a token and its id/,
    );
  const second = {
    type: 'Sequence',
    processors: [{ type: 'ByteLevel' }, ...Array(2).fill({ type: 'BertProcessing', cls, sep })],
  };
  await assert.rejects(loadTokenizer({ model, post_processor: second }), {
    code: 'unsupported',
    message: /a second step/,
  });

  const added = async (
    /** @type {object} */ token,
    /** @type {string} */ text,
    /** @type {any} */ normalizer = null,
  ) => {
    const added_tokens = [{ id: 6, content: '[A]', ...token }];
    const json = {
      model,
      normalizer,
      pre_tokenizer: { type: 'Split', pattern: { String: ' ' }, behavior: 'Isolated' },
      added_tokens,
    };
    return (await loadTokenizer(json))
      .encode(text)
      .tokens.map((each) => (each === '[UNK]' ? '?' : each))
      .join('|');
  };
  assert.equal(await added({}, 'a[A]b[A'), 'a|[A]|?');
  assert.equal(await added({ single_word: true }, '[A] a[A] [A]b ü[A] [A]_ -[A]-'), '[A]|?|?|?|?|?|?|?|?|?|?|[A]|?');
  assert.equal(await added({ lstrip: true }, 'a \t[A] b'), 'a|[A]|?|b');
  assert.equal(await added({ rstrip: true }, 'a [A] \tb'), 'a|?|[A]|b');
  assert.equal(await added({ lstrip: true, rstrip: true }, ' [A]  [A] b '), '[A]|[A]|b|?');
  const lower = { type: 'Lowercase' };
  assert.equal(await added({ normalized: true }, '[a][A]', lower), '[A]|[A]');
  assert.equal(await added({ normalized: false }, '[A][a]', lower), '[A]|?');
  assert.equal(await added({ special: true }, '[A][a]', lower), '[A]|?');
  const twice = [
    { id: 6, content: '[A]' },
    { id: 6, content: '[A]', lstrip: true },
  ];
  await assert.rejects(loadTokenizer({ model, added_tokens: twice }), /an added token is there twice/);
  const same = await loadTokenizer({ model, added_tokens: [twice[0], twice[0], { id: 7, content: '[B]' }] });
  assert.deepEqual(same.encode('[B][A]').ids, [7, 6]);
  const clash = [twice[0], { id: 7, content: '[a]', normalized: true }];
  await assert.rejects(
    loadTokenizer({ model, normalizer: lower, added_tokens: clash }),
    /two added tokens that the normalizer makes the same/,
  );
  const gone = { type: 'Strip', strip_left: true, strip_right: true };
  await assert.rejects(
    loadTokenizer({ model, normalizer: gone, added_tokens: [{ id: 6, content: ' ' }] }),
    /leaves nothing/,
  );
  const spaces = [
    { ...twice[0], rstrip: true },
    { id: 7, content: ' ', lstrip: true },
  ];
  await assert.rejects(loadTokenizer({ model, added_tokens: spaces }), /an added token of spaces with lstrip alone/);
});

test('decode takes ids as gf.argmax gives them', () => {
  const words = new Vocabulary(['the', 'dog', 'creek', '.']);
  const tensor = (/** @type {number[]} */ data, /** @type {number[]} */ shape) => ({
    data: Int32Array.from(data),
    shape,
  });
  assert.equal(words.decode(tensor([1], [])), 'dog');
  assert.equal(words.decode(tensor([0, 1, 3], [3])), 'the dog .');
  assert.deepEqual(words.decode(tensor([0, 1, 3, 0, 2, 3], [2, 3])), ['the dog .', 'the creek .']);
  assert.deepEqual(words.decode(tensor([0, 1], [1, 2])), ['the dog']);
  for (const [data, shape] of [
    [[0, 1], [3]],
    [
      [0, 1],
      [1, 1, 2],
    ],
    [
      [0, 1],
      [-1, -2],
    ],
    [
      [0, 1],
      [0.5, 4],
    ],
    [[], [1e9, 0]],
    [[0, 1], '2'],
  ])
    assert.throws(() => words.decode(/** @type {any} */ ({ data: Int32Array.from(data), shape })), {
      code: 'type',
      message: /^ids: must be an array of numbers/,
    });
  assert.throws(() => words.decode(tensor([4], [1])), { code: 'token' });
});
