// The axes of the claims' figures.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scaleOf } from '../../../web/claims/pictures/scale.js';

test('axes: round numbers and powers of ten, as many as fit; 0 at the low end of a logarithmic one', () => {
  const texts = (/** @type {Parameters<typeof scaleOf>} */ ...given) => scaleOf(...given).ticks.map(({ text }) => text);
  assert.deepEqual(texts({ title: '', low: 0 }, [2, 10], 60), ['0', '2', '4', '6', '8', '10']);
  assert.deepEqual(texts({ title: '', percent: true, low: 0, high: 1 }, [0.3], 6, true), ['0 %', '50 %', '100 %']);
  assert.deepEqual(texts({ title: '', log: true }, [2e-5, 30], 60), [
    '10⁻⁵',
    '10⁻⁴',
    '0.001',
    '0.01',
    '0.1',
    '1',
    '10',
    '100',
  ]);
  // the same step from each to the next, where long numbers have little space
  assert.deepEqual(texts({ title: '', low: 0 }, [2_099_712], 40), ['0', '1,000,000', '2,000,000']);
  assert.deepEqual(texts({ title: '', low: 0 }, [2048], 40), ['0', '500', '1,000', '1,500', '2,000']);
  const scale = scaleOf({ title: '', log: true, low: 1e-8, high: 1 }, [0, 1e-4], 40);
  assert.equal(scale.ticks[0].text, '0');
  assert.deepEqual([0, 1e-8, 1e-4, 1, Infinity].map(scale.share), [0, 0, 0.5, 1, 1]);
  assert.deepEqual(texts({ title: '', log: true, ticks: [16, 64, 256, 1024, 8192] }, [16], 40), [
    '16',
    '64',
    '256',
    '1,024',
    '8,192',
  ]);
  // numbers that are all the same have space around them, and none is lost
  const same = scaleOf({ title: '' }, [3, 3], 40);
  assert.equal(same.share(3), 0.5);
  assert.equal(scaleOf({ title: '', high: 1 }, [0, 2], 40).share(2), 1);
});
