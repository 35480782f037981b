// What speaks for an answer and what against it: apart, and nothing where the number that is written stays.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatShare } from '../../../../web/draw/share.js';
import { bothWays } from '../../../../web/explore/shared/effects.js';

/** @param {number} probability @param {number[]} afters */
function said(probability, afters) {
  const { lowers, raises } = bothWays(
    afters.map((after) => ({ after })),
    probability,
  );
  return [lowers?.after ?? null, raises?.after ?? null];
}

test('the largest of each sign, whatever the other sign has', () => {
  assert.deepEqual(said(0.5, [0.6, 0.45, 0.9, 0.4]), [0.4, 0.9]);
  assert.deepEqual(said(0.5, [0.6, 0.9]), [null, 0.9], 'nothing lowers it');
  assert.deepEqual(said(0.5, [0.2, 0.5]), [0.2, null], 'nothing raises it');
  assert.deepEqual(said(0.5, []), [null, null]);
});

test('no effect, or one that is not seen in the number, is none', () => {
  assert.deepEqual(said(0.5, [0.5, 0.5]), [null, null]);
  assert.deepEqual(said(0.5, [0.4999, 0.5001]), [null, null], '50 % → 50 %');
  assert.deepEqual(said(0.0051, [0.0052]), [null, 0.0052], '0.51 % → 0.52 %');
  assert.deepEqual(said(1, [1]), [null, null]);
  assert.deepEqual(said(0.999, [NaN]), [null, null]);
});

const share = fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 0.5, 0.5001, 0.9999, 1));

test('a fall falls, a rise rises, both as written, and nothing goes further', () => {
  fc.assert(
    fc.property(share, fc.array(share), (probability, afters) => {
      const [low, high] = said(probability, afters);
      const writes = formatShare(probability);
      if (low !== null) assert(low < probability && low === Math.min(...afters) && formatShare(low) !== writes);
      else for (const each of afters) assert(each >= probability || formatShare(each) === writes);
      if (high !== null) assert(high > probability && high === Math.max(...afters) && formatShare(high) !== writes);
      else for (const each of afters) assert(each <= probability || formatShare(each) === writes);
    }),
  );
});
