// <glass-logits>: the answer at the chosen word, and at every word that after each layer, by the module's numbers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from '../../../dist/js/index.js';
import { all, creek, open, problems, settled, TIRED, until } from './dom.js';

/** @param {any} part @param {string} selector */
const texts = (part, selector) => all(part, selector).map((each) => each.textContent.trim());

test('the likeliest words and the lens; a click and a key choose another word', async () => {
  const { model, find } = await open('<glass-logits></glass-logits>', { word: 'it' });
  const part = find('glass-logits');
  await until(() => all(part, '.lens').length);
  const gf = await load();
  const { model: own, tokenizer } = await gf.loadModel(creek);
  const trace = own.trace(TIRED);
  const logits = trace.tensor({ name: 'logits', row: 9 }).data;
  const probabilities = gf.softmax(logits).data;
  const order = [...logits.keys()].sort((a, b) => logits[b] - logits[a]).slice(0, 5);
  assert.deepEqual(
    all(part, '.top-words tbody tr').map((row) => [...row.children].slice(0, 3).map((cell) => cell.textContent.trim())),
    order.map((id) => [tokenizer.token(id), logits[id].toFixed(4), probabilities[id].toFixed(4)]),
  );
  const { data, shape } = await trace.lens(1);
  const row = gf.softmax(data.slice(9 * shape[2], 10 * shape[2])).data;
  const best = row.indexOf(Math.max(...row));
  assert.deepEqual(texts(part, '.lens thead th'), ['token', 'Input', 'Layer 1', 'Layer 2', 'Layer 3']);
  assert.equal(texts(part, '.lens tr.here td')[2], `${tokenizer.token(best)} ${row[best].toFixed(2)}`);
  assert.match(texts(part, '.lens tr.here td')[3], /^dog 0\.9/);
  all(part, '.lens button')[1].click();
  await settled();
  assert.deepEqual([model.word, texts(part, 'p bdi')[0], texts(part, '.lens tr.here th')[0]], [1, 'dog', 'dog']);
  assert.deepEqual(problems.splice(0), []);
});

test('another text has its own lens', async () => {
  const { model, find } = await open('<glass-logits></glass-logits>');
  model.text = 'The cat sat on the mat.';
  await until(() => all(find('glass-logits'), '.lens tbody th').length === 7);
  assert.equal(texts(find('glass-logits'), '.lens tbody th').join(' '), 'The cat sat on the mat .');
});
