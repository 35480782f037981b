// Tokenizers: texts to ids and back, and tokens for people.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { loadTokenizer } from 'glassformer/tokenizers';

const folder = new URL('../checkpoints/', import.meta.url);
const jsonOf = (/** @type {string} */ path) => JSON.parse(readFileSync(new URL(path, folder), 'utf8'));

test('tokens are readable, ids and texts go both ways', async () => {
  for (const name of ['gpt2-2l', 'bert-2l']) {
    const tokenizer = await loadTokenizer(new URL(`${name}/tokenizer.json`, folder));
    const { text, ids, tokens } = jsonOf(`${name}/case.json`);
    const { types, ...said } = tokenizer.encode(text);
    assert.deepEqual(said, { ids, tokens });
    assert.deepEqual(
      types,
      ids.map(() => 0),
    );
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
  assert.deepEqual(bert.encode('the', { pair: 'dog' }).types, [0, 0, 0, 1, 1]);
});
