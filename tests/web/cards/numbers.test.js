// Numbers as a card prints them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { format, span, typeset } from '../../../web/cards/numbers.js';

test('four digits, powers of ten for very small and large ones, what is no number', () => {
  for (const [value, text] of /** @type {[number, string][]} */ ([
    [0, '0'],
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

test('a sentence with numbers as programs write them', () => {
  assert.equal(typeset('off by 9.5e-7 at most, 2e+5 here; token 5e'), 'off by 9.5·10⁻⁷ at most, 2·10⁵ here; token 5e');
});
