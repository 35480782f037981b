// The rank of a weight in its row: every word of the sentence above the steps holds for any weights.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatShare } from '../../../web/draw/numbers.js';
import { restOf, standingOf } from '../../../web/draw/standing.js';
import { replacedIn } from '../../../web/explore/shared/softmax.js';

/** @param {number[]} masked */
function softmax(masked) {
  const most = Math.max(...masked);
  const exps = masked.map((each) => Math.exp(each - most));
  const total = exps.reduce((a, b) => a + b);
  return exps.map((each) => each / total);
}

/** @param {number[]} masked scores @param {Record<number, number>} [set] weights by an intervention */
function rowOf(masked, set = {}) {
  const weights = softmax(masked).map((each, at) => set[at] ?? each);
  return { masked: Float32Array.from(masked), weights: Float32Array.from(weights) };
}

/** @param {number[]} masked @param {number} column @param {Record<number, number>} [set] */
function kindOf(masked, column, set) {
  const row = rowOf(masked, set);
  return standingOf({ ...row, column, replaced: replacedIn(row) }).kind;
}

test('14 against 13 % is spread evenly; a clear lead is not; a tie, a near one and what gets less say so', () => {
  const even = [0.08, 0, 0.02, 0.01, 0, 0.03, 0.05];
  assert.equal(kindOf(even, 0), 'even');
  assert.equal(kindOf(even, 4), 'even', 'also of a key that gets least');
  assert.equal(kindOf([2, 2], 0), 'even');
  assert.equal(kindOf([5, 0, 1], 0), 'most');
  assert.equal(kindOf([5, 5, 0], 1), 'tie');
  assert.equal(kindOf([5, 4.95, 0], 0), 'near');
  assert.equal(kindOf([5, 4.95, 0], 1), 'slightly');
  assert.equal(kindOf([5, 4, 0], 1), 'less');
  assert.equal(kindOf([9, 4, 0], 1), 'hardly');
});

test('the mask, one key alone, what is set, and what is no number', () => {
  assert.equal(kindOf([1, -Infinity], 1), 'hidden');
  assert.equal(kindOf([1, -Infinity], 0), 'alone');
  assert.equal(kindOf([3], 0), 'alone');
  assert.equal(kindOf([5, 0, 1], 0, { 0: 0.2 }), 'set');
  assert.equal(kindOf([5, 3, 1], 1, { 0: 0 }), 'more', 'another weight was set: a higher score is there still');
  assert.equal(
    standingOf({ masked: Float32Array.of(NaN, 1), weights: Float32Array.of(NaN, NaN), column: 1 }).kind,
    'broken',
  );
  assert.equal(kindOf([0, -1000], 1), 'none');
});

test('the other keys are those in sight', () => {
  assert.deepEqual(restOf(rowOf([1, 2, 3, -Infinity, -Infinity]), [0]), [1, 2]);
  assert.deepEqual(restOf(rowOf([1, 2, -Infinity], { 2: 0.5 }), [0]), [1, 2], 'and what an intervention gave a weight');
  assert.deepEqual(restOf(rowOf([1, -Infinity]), [0]), []);
});

const score = fc.oneof(
  fc.double({ min: -12, max: 12, noNaN: true }),
  fc.double({ min: -0.1, max: 0.1, noNaN: true }),
  fc.constantFrom(-Infinity, 0, 1, 1),
);

test('of any row: who is strongest, by how much, and how the others stand', () => {
  fc.assert(
    fc.property(fc.array(score, { minLength: 1, maxLength: 12 }), fc.nat(), (masked, any) => {
      if (masked.every((each) => each === -Infinity)) return;
      const column = any % masked.length;
      const { weights, masked: scores } = rowOf(masked);
      const { kind, rival, others, count } = standingOf({ masked: scores, weights, column });
      const open = [...scores.keys()].filter((at) => scores[at] > -Infinity);
      const own = weights[column];
      const rest = open.filter((at) => at !== column).map((at) => weights[at]);
      if (kind === 'hidden') return assert.equal(own, 0);
      assert.equal(count, open.length);
      if (kind === 'alone') return assert.deepEqual([rest, rival], [[], -1]);
      assert.deepEqual(others, [Math.min(...rest), Math.max(...rest)]);
      assert.equal(weights[rival], others[1]);
      const [low, high] = others;
      const shown = [own, high].map(formatShare);
      const holds = {
        even: Math.max(own, high) <= 1.25 * Math.min(own, low),
        tie: shown[0] === shown[1],
        near: own > high && high > 0.9 * own && shown[0] !== shown[1],
        most: own > high && high <= 0.9 * own && open.every((at) => scores[at] <= scores[column]),
        slightly: own < high && own > 0.9 * high,
        less: own < high && own <= 0.9 * high,
        hardly: own < high && own < 0.01,
        none: own === 0,
      };
      assert(Reflect.get(holds, kind), `${kind}: ${own} among ${rest}`);
    }),
  );
});
