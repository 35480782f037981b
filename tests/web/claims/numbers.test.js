// Numbers as a card prints them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allowance, bounds, format, listOf, rowsOf, span } from '../../../web/claims/numbers.js';
import { typeset } from '../../../web/draw/numbers.js';

test('four digits, powers of ten for very small and large ones, what is no number', () => {
  for (const [value, text] of /** @type {[number, string][]} */ ([
    [0, '0'],
    [-0, '0'],
    [2099712, '2,099,712'],
    [-3, '−3'],
    [0.34567, '0.3457'],
    [-0.5, '−0.5'],
    [1.2e-7, '1.2·10⁻⁷'],
    [-1e-7, '−1·10⁻⁷'],
    [3.4e38, '3.4·10³⁸'],
    [0.00099, '9.9·10⁻⁴'],
    [Infinity, '∞'],
    [-Infinity, '−∞'],
    [NaN, 'not a number'],
  ]))
    assert.equal(format(value), text);
});

test('smallest to largest; one number where they are printed alike', () => {
  assert.equal(span([0.5, 0.25, 0.75]), '0.25 to 0.75');
  assert.equal(span([0.50001, 0.50002]), '0.5');
});

test('shares of a whole in per cent, with the digits of the share', () => {
  assert.equal(span([0.07, 0.5415, 0.98], true), '7 to 98 %');
  assert.equal(span([0.2], true), '20 %');
  assert.deepEqual(listOf([0.54154, 0.1 + 0.2], true), ['54.15', '30']);
  assert.equal(bounds([0.26, 0.97], true), '26 to 97 %');
});

test('a range without an end, or with that of single precision, is open', () => {
  assert.equal(bounds([1000, Infinity]), 'at least 1,000');
  assert.equal(bounds([1000, 3.4e38]), 'at least 1,000');
  assert.equal(bounds([0.5, 2]), '0.5 to 2');
});

test('what is allowed: nothing where it is the range; a size has no negative, a share no more than all', () => {
  assert.equal(allowance([0.5, 1], [0.5, 1]), '');
  assert.equal(allowance([0, 1.6e-7], [-8.4e-7, 1e-6]), 'at most 1·10⁻⁶');
  assert.equal(allowance([0.95, 1], [0.93, 1.02], true), 'at least 93 %');
  assert.equal(allowance([0.04, 0.12], [-0.01, 0.17], true), 'at most 17 %');
  assert.equal(allowance([1.5, 2.2], [0.75, 4.4]), '0.75 to 4.4');
});

test('numbers that are known at other switches follow in the order of the claim, with their first label', () => {
  const range = /** @type {const} */ ([0, 1]);
  const expected = [
    { name: 'a', label: 'A', range },
    { name: 'b', label: 'B', range, at: { x: 1 }, share: true },
    { name: 'c', label: 'C', range, at: { x: 1 } },
    { name: 'b', label: 'B at 2', range, at: { x: 2 } },
    { name: 'd', label: 'D', range, at: { x: 2 } },
  ];
  const comparison = { label: 'A', values: [1], range, allowed: range, within: true };
  const rows = rowsOf({ expected }, { numbers: { a: 1, b: [0.5], c: 3 }, comparisons: [comparison] });
  assert.deepEqual(
    rows.map(({ label, values, share = false }) => [label, values, share]),
    [
      ['A', [1], false],
      ['B', [0.5], true],
      ['C', [3], false],
    ],
  );
});

test('a sentence with numbers as programs write them', () => {
  assert.equal(typeset('off by 9.5e-7 at most, 2e+5 here; token 5e'), 'off by 9.5·10⁻⁷ at most, 2·10⁵ here; token 5e');
});
