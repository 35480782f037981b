// The page's tokenizer: splitting, stable ids, the cap, text that is not English.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_TOKENS, VOCABULARY, assignIds, readWords, replaceWord, tokenize } from '../../../web/engine/tokens.js';

const SENTENCE = 'The creek was cold and the spunky dog wanted to jump over it.';

test('words and punctuation', () => {
  assert.deepEqual(tokenize(SENTENCE).words, [...SENTENCE.slice(0, -1).split(' '), '.']);
  assert.deepEqual(tokenize("it's (don’t) 3.5 a-b").words, ["it's", '(', 'don’t', ')', '3', '.', '5', 'a', '-', 'b']);
  assert.deepEqual(tokenize('<img onerror=alert(1)>').words, ['<', 'img', 'onerror', '=', 'alert', '(', '1', ')', '>']);
});

test('no tokens in nothing and in white space', () => {
  for (const text of ['', ' ', '\n\t \u00a0\u2003'])
    assert.deepEqual(tokenize(text), { words: [], ids: [], truncated: false });
});

test('emoji, flags, combining marks, right-to-left and lone surrogates stay whole', () => {
  assert.deepEqual(tokenize('👩‍👩‍👧 👍🏽❤️🇩🇪').words, ['👩‍👩‍👧', '👍🏽', '❤️', '🇩🇪']);
  assert.deepEqual(tokenize('cafe\u0301 שלום עולם!').words, ['cafe\u0301', 'שלום', 'עולם', '!']);
  assert.deepEqual(tokenize('हिन्दी 日本').words, ['हिन्दी', '日本']);
  assert.deepEqual(tokenize('a \ud800 b').words, ['a', '\ud800', 'b']);
});

test('ids: in range, equal for equal words, apart for different ones, case kept', () => {
  const { words, ids } = tokenize(SENTENCE + ' the The');
  assert(ids.every((id) => Number.isInteger(id) && id >= 0 && id < VOCABULARY));
  assert.equal(ids[5], ids[14]);
  assert.equal(ids[0], ids[15]);
  assert.equal(new Set(ids).size, new Set(words).size);
});

test('ids stay what they are: a pin against a changed hash', () => {
  assert.deepEqual(tokenize('The creek was').ids, [1719, 92, 1667]);
});

test('a word keeps its id in other company', () => {
  assert.equal(tokenize('dog').ids[0], tokenize('a very different dog').ids[3]);
});

test('collisions are probed away, even in a full table', () => {
  const words = Array.from({ length: 8 }, (_, i) => `w${i}`);
  assert.deepEqual([...assignIds(words, 8)].sort(), [0, 1, 2, 3, 4, 5, 6, 7]);
  const many = Array.from({ length: MAX_TOKENS }, (_, i) => `word${i}`);
  assert.equal(new Set(assignIds(many)).size, MAX_TOKENS);
});

test('a long text is cut at the cap and says so', () => {
  assert.deepEqual(tokenize('a '.repeat(MAX_TOKENS)).truncated, false);
  const { ids, truncated } = tokenize('a '.repeat(100_000));
  assert.equal(ids.length, MAX_TOKENS);
  assert.equal(truncated, true);
});

test('a trained model reads the words that it knows, as written or in small letters, and [MASK]', () => {
  const vocabulary = ['[PAD]', '[MASK]', 'the', 'The', 'dog'];
  const words = ['The', 'THE', 'the', '[MASK]', '[', 'PAD', ']', 'cat'];
  assert.deepEqual(readWords(' The THE\nthe [MASK][PAD] cat', vocabulary), {
    ...{ words: ['The', 'THE', 'the', '[MASK]'], ids: [3, 2, 2, 1], truncated: false },
    shown: { words, ids: [3, 2, 2, 1, null, null, null, null] },
  });
  assert.deepEqual(readWords('[PAD] dog.', [...vocabulary], /\S+/g).shown, {
    words: ['[PAD]', 'dog.'],
    ids: [0, null],
  });
  const { shown, truncated } = readWords('dog cat '.repeat(MAX_TOKENS), vocabulary);
  assert.deepEqual([shown.words.length, truncated], [MAX_TOKENS, true]);
  assert.deepEqual(readWords('', vocabulary), { words: [], ids: [], truncated: false, shown: { words: [], ids: [] } });
});

test('a word is replaced where it stands as a token', () => {
  assert.equal(replaceWord('the theme, the [MASK]', 'the', 'a'), 'a theme, a [MASK]');
  assert.equal(replaceWord('[MASK] MASK', '[MASK]', 'a'), 'a MASK');
  assert.equal(replaceWord('abab', 'ab', 'c', /ab?/g), 'cc');
});
