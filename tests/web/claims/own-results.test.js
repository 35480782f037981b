// What claims of the reader's own showed: kept by link, harmless where the browser keeps nothing or something else.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOwnResults } from '../../../web/claims/own-results.js';

const verdict = /** @type {const} */ ({ kind: 'sentence', verdict: 'false', found: '0 of 3 seeds agree.' });
const result = (/** @type {string} */ own) => ({
  ...{ link: `#/claims?own=${own}`, sentence: own, plan: 'Train Copy.', bet: 'true', verdict },
});

/** @param {string | null} text what is kept to begin with */
function memory(text = null) {
  const storage = /** @type {any} */ ({ text, getItem: () => storage.text, removeItem: () => (storage.text = null) });
  storage.setItem = (/** @type {string} */ _, /** @type {string} */ value) => (storage.text = value);
  return storage;
}
const sentences = (/** @type {ReturnType<typeof createOwnResults>} */ results) =>
  results.all().map(({ sentence }) => sentence);

test('the latest stands first, each link once, and the next page reads them', () => {
  const storage = memory();
  const results = createOwnResults(() => storage);
  for (const own of ['a', 'b', 'a']) results.keep(result(own));
  assert.deepEqual(sentences(createOwnResults(() => storage)), ['a', 'b']);
  for (let i = 0; i < 60; i++) results.keep(result(String(i)));
  assert.equal(results.all().length, 50);
  assert.equal(results.all()[0].sentence, '59');
});

test('cleared results can be brought back beside new ones', () => {
  const storage = memory();
  const results = createOwnResults(() => storage);
  for (const own of ['a', 'b']) results.keep(result(own));
  const undo = results.clear();
  assert.deepEqual([storage.text, sentences(results)], [null, []]);
  results.keep(result('a'));
  undo();
  assert.deepEqual(sentences(results), ['a', 'b']);
});

test('what is no result is left out; where nothing can be kept, results last as long as the page', () => {
  const whole = result('a');
  const wrong = [
    { ...whole, link: 'javascript:alert(1)' },
    { ...whole, verdict: { verdict: 'maybe', found: '' } },
    null,
  ];
  assert.deepEqual(sentences(createOwnResults(() => memory(JSON.stringify([...wrong, whole])))), ['a']);
  for (const text of ['{', '{}', '7']) assert.deepEqual(createOwnResults(() => memory(text)).all(), []);
  const refused = createOwnResults(() => assert.fail('SecurityError'));
  refused.keep(whole);
  assert.deepEqual(sentences(refused), ['a']);
});
