// The name of a model's tokens: words only where they are some, decided in one place.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { load } from 'glassformer';
import { describe } from '../../../web/app/own/entry.js';
import { CATALOGUE, setModel, unitOf, unitsOf } from '../../../web/models/catalogue.js';
import '../explore/table.js'; // which lets a feature import its style

const { tokensText } = await import('../../../web/explore/features/share.js');

test('a shipped model’s tokens are words if its vocabulary has nothing but words', async () => {
  const gf = await load();
  for (const name of Object.keys(CATALOGUE)) {
    const { metadata, model } = await gf.loadModel(readFileSync(`web/models/${name}.safetensors`));
    const tokens = /** @type {string[]} */ (
      metadata.get('tokenizer')
        ? Object.keys(JSON.parse(String(metadata.get('tokenizer'))).model.vocab)
        : JSON.parse(String(metadata.get('glassformer.vocabulary')))
    );
    const hasParts = tokens.some((token) => /^(Ġ|##)/.test(token));
    assert.equal(unitsOf(name), hasParts ? 'parts' : 'words', name);
    assert.equal(unitOf(name), hasParts ? 'token' : 'word', name);
    model.free();
  }
});

test('a file of the reader’s own: words, characters, or ids alone', () => {
  /** @param {string[] | {level: 'characters', words: string[]} | null} vocabulary */
  const unitsWith = (vocabulary) =>
    describe(
      { title: 'own', weights: null },
      {
        'glassformer.config': JSON.stringify({ kind: 'decoder', vocabulary: 9 }),
        ...(vocabulary && { 'glassformer.vocabulary': JSON.stringify(vocabulary) }),
      },
    ).entry.units;
  assert.equal(unitsWith(['the', 'dog', '.', '[MASK]']), 'words');
  assert.equal(unitsWith(['a', 'b', ' ', '[EOS]']), 'words');
  assert.equal(unitsWith({ level: 'characters', words: ['a', 'b', ' ', '[EOS]'] }), 'characters');
  assert.equal(unitsWith(null), 'ids');
});

test('what is said of the tokens, by kind', () => {
  for (const name of ['creek', 'translate', 'continue']) assert.match(tokensText(name), /^Tokens are words and punct/);
  assert.match(tokensText('austen'), /^Tokens are words, parts of words/);
  assert.match(tokensText(null), /a hash into a table of 2,048 random rows/);
  assert.equal(unitOf(null), 'word');
  for (const [units, says] of /** @type {const} */ ([
    ['characters', /^Tokens are characters/],
    ['symbols', /^Tokens are the symbols/],
    ['ids', /^There is no vocabulary/],
  ])) {
    const { entry, label } = describe({ title: 'own', weights: null }, {});
    setModel('own', { label, entry: { ...entry, units } });
    assert.match(tokensText('own'), says);
    assert.equal(unitOf('own'), 'token');
    setModel('own', null);
  }
});
