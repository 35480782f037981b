// A Vocabulary saved in Hugging Face's format: of its tokenizer.json the library in Rust and loadTokenizer make the ids
// and texts that the Vocabulary makes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Vocabulary, load } from 'glassformer';
import { loadTokenizer } from 'glassformer/tokenizers';
import { compare } from '../tokenizers/compare.js';

const gf = await load({ variant: 'simd' });

/** @param {Vocabulary} vocabulary */
async function fileOf(vocabulary) {
  const sizes = { d_model: 2, heads: 1, d_ff: 1, layers: 1, positions: 'learned', maxLength: 2, head: 'tied' };
  const block = { norm: 'pre', finalNorm: true, embeddingScale: false, headBias: false, activation: 'gelu-tanh' };
  const model = gf.createModel(/** @type {any} */ ({ kind: 'decoder', vocabulary, ...sizes, ...block }));
  const files = await model.save({ format: 'huggingface' });
  model.free();
  return JSON.parse(new TextDecoder().decode(files['tokenizer.json']));
}

/** @param {Vocabulary} vocabulary @param {readonly string[]} texts */
async function expectAlike(vocabulary, texts) {
  const json = await fileOf(vocabulary);
  assert.deepEqual(await compare(json, texts, { pairs: false }), { is: 'right', why: '' });
  const tokenizer = await loadTokenizer(json);
  for (const text of texts) {
    const { ids, tokens } = vocabulary.encode(text);
    if (ids.includes(-1)) {
      assert.throws(() => tokenizer.encode(text), { code: 'token', parameter: 'text' }, text);
      continue;
    }
    const read = tokenizer.encode(text);
    assert.deepEqual([read.ids, read.tokens], [ids, tokens], text);
    for (const special of [true, false]) assert.equal(tokenizer.decode(ids, { special }), vocabulary.decode(ids), text);
  }
  assert.deepEqual([tokenizer.size, tokenizer.unknown], [vocabulary.size, vocabulary.unknown]);
}

const SMALL =
  'the creek . , old [ ] ] a [unk] a[b] σοφος οδος straße 犬 ❤️ 👩‍👧 i̇ __proto__ 12 a\\b (c)* x-y \ufeff'.split(' ');
const LARGE = 'The CREEK I iPhone A[B] ΣΟΦΟΣ Straße'.split(' ');
const BRACKETS = '[UNK] [PAD] [MASK] [a.B] [unk]'.split(' ');
const unit = fc.oneof(
  fc.constantFrom(...SMALL, ...LARGE, ...BRACKETS),
  fc.constantFrom(...SMALL, ...LARGE).map((word) => word.toUpperCase()),
  fc.constantFrom(...'.,!?;:[]aAbBTheE-_σΣςİK\u212b\u0301'),
  fc.constantFrom(' ', ' ', ' ', '\n', '\t', '\u00a0', '\u0085', '\u200b', '\ufeff', '\u3000', '  '),
  fc.string({ unit: 'binary', maxLength: 3 }),
  fc.constantFrom('\u{f0000}', '\u{f0001}', '\ufffd'),
);
const texts = fc.array(
  fc.array(unit, { maxLength: 12 }).map((parts) => parts.join('')),
  { minLength: 20, maxLength: 20 },
);
/** More small letters than a normalizer has steps. */
const ALPHABETS = [...'abcdefghijklmnopqrstuvwxyzàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþαβγδεζηθικλμνξοπρσςτυφχψω'];
const some = (/** @type {readonly string[]} */ words) => fc.subarray([...new Set(words)]);

test('words: any texts, with small words alone, with special ones, with capitals', { timeout: 600_000 }, async () => {
  const words = fc.tuple(some(SMALL), some(BRACKETS), fc.oneof(fc.constant([]), some(LARGE)), fc.boolean());
  await fc.assert(
    fc.asyncProperty(words, texts, async ([small, brackets, large, knowsAll], all) => {
      const list = [...new Set([...small, ...brackets, ...large, 'end', ...(knowsAll ? ['[UNK]'] : [])])];
      await expectAlike(new Vocabulary(list), all);
    }),
    { numRuns: 300, seed: 49 },
  );
});

test('characters: any texts, with and without spaces, with entries of several', { timeout: 600_000 }, async () => {
  const letters = fc.tuple(
    some([...'abcehtTAB.,[]UNK-σςΣß犬\u0301\n\\']),
    some(['[UNK]', '<pad>', '[unk]', 'the', 'th', '[MASK]', '👩‍👧', '. ']),
    fc.boolean(),
    fc.boolean(),
    fc.boolean(),
  );
  await fc.assert(
    fc.asyncProperty(letters, texts, async ([single, long, spaced, knowsAll, isSmall], all) => {
      const letters = isSmall ? ALPHABETS : single;
      const list = [...new Set([...letters, ...long, 'z', ...(spaced ? [' '] : []), ...(knowsAll ? ['[UNK]'] : [])])];
      await expectAlike(new Vocabulary(list, { level: 'characters' }), all);
    }),
    { numRuns: 300, seed: 49 },
  );
});
