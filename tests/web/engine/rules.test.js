// Rules about a token that a feature may be named by.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ruleLabels, setLabels } from '../../../web/engine/rules.js';

test('each place has the rules that hold there, rare ones are left out', () => {
  const text = ['“', 'The', '␣walking', '␣dog', '”', '.'];
  const labels = ruleLabels(Array.from({ length: 6 }, () => text));
  assert.equal(labels.length, 36);
  const at = (/** @type {number} */ token) => labels[token + 6].sort();
  assert.deepEqual(at(0), ['place 1', 'punctuation', 'word “']);
  assert.deepEqual(at(1), ['after “', 'capital', 'place 2', 'quoted', 'word The']);
  assert.deepEqual(at(2), [
    ...['after The', 'begins wa', 'begins wal', 'ends ing', 'ends ng', 'place 3', 'quoted', 'word ␣walking'],
  ]);
  assert.deepEqual(at(3), ['after ␣walking', 'quoted', 'word ␣dog']);
  assert.deepEqual(at(4), ['after ␣dog', 'punctuation', 'word ”']);
  assert.deepEqual(at(5), ['after ”', 'punctuation', 'word .']);
  assert.deepEqual(ruleLabels([text])[1], [], 'at one place only');
});

test('a set is of the two to six tokens that a feature fires at most', () => {
  const tokens = ['a', 'b', 'c', 'a', 'd'];
  const examples = [
    [
      { place: 0, value: 3 },
      { place: 1, value: 2 },
      { place: 3, value: 3 },
      { place: 4, value: 0.1 },
    ],
    [{ place: 2, value: 1 }],
  ];
  const label = 'one of a\u2009b';
  assert.deepEqual(setLabels(tokens, examples), [[label], [label], [], [label], []], 'one token is no set');
});
