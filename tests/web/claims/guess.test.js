// The guess of the number that decides: its axis, and how far off it was.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { claims } from 'glassformer/claims';
import { PLACES, guessOf, guessText, guessedOf, missText, valueAt } from '../../../web/claims/guess.js';

/** @param {number} number */
const of = (number) => (claims.find(({ claim }) => claim.number === number) ?? assert.fail()).claim;
/** @param {number} number */
const axisOf = (number) => guessOf(of(number)) ?? assert.fail();

test('an axis goes from its beginning to its end, each place further; a logarithmic one by factors', () => {
  for (const { claim } of claims) {
    const axis = guessOf(claim);
    if (!axis) continue;
    const values = Array.from({ length: PLACES + 1 }, (_, place) => valueAt(axis, place));
    assert.deepEqual([values[0], values[PLACES]], [axis.from, axis.to]);
    values.forEach((value, i) => assert.ok(i === 0 || value > values[i - 1], `${claim.number}: ${value}`));
  }
  assert.equal(valueAt(axisOf(1), 50), 0.01);
  assert.deepEqual([guessText(axisOf(2), 0.3), guessText(axisOf(8), 9)], ['30\u00a0%', '9']);
});

test('how far off a guess was is said in the unit of the number', () => {
  const said = (/** @type {number} */ number, /** @type {number} */ value, /** @type {number[]} */ values) =>
    missText({ guess: axisOf(number), value, values, labels: [] });
  assert.equal(said(11, 0.3, [0.81, 0.84]), 'Your guess: 0.30. Measured: 0.81 to 0.84. That is 0.51 too low.');
  assert.equal(
    said(11, 0.82, [0.81, 0.84]),
    'Your guess: 0.82. Measured: 0.81 to 0.84. That is within what was measured.',
  );
  assert.equal(
    said(2, 0.99, [0.26, 0.97]),
    'Your guess: 99.0\u00a0%. Measured: 26.0 to 97.0\u00a0%. That is 2.0 points too high.',
  );
  assert.equal(said(22, 0.67, [2 / 3]), 'Your guess: 67\u00a0%. Measured: 66.7 %. You are right.');
  assert.match(said(1, 0.1, [1e-3, 2e-3]), /That is 50 times too high\.$/);
  assert.equal(said(18, 2, [NaN]), 'Your guess: 2. Measured: not a number.');
});

test('the printed guess and the printed measure give what is printed that the guess is off', () => {
  const axes = claims.flatMap(({ claim }) => guessOf(claim) ?? []);
  const read = (/** @type {string} */ text) => {
    const [digits, power = ''] = text.split('·10');
    const exponent = power.replace(/./g, (each) => (each === '⁻' ? '-' : String('⁰¹²³⁴⁵⁶⁷⁸⁹'.indexOf(each)))) || '0';
    return Number(`${digits.replaceAll(',', '').replace('−', '-')}e${exponent}`);
  };
  /** Half a unit of its last place. @param {string} text */
  const half = (text) => 0.5001 * 10 ** -(text.split('.')[1]?.length ?? 0);
  const measures = (/** @type {import('../../../web/claims/guess.js').Guess} */ { from, to, log }) =>
    fc.array(
      fc
        .nat(1e6)
        .map((part) => part / 1e6)
        .map((share) => (log ? from * (to / from) ** share : from + share * (to - from))),
      { minLength: 1, maxLength: 5 },
    );
  let off = 0;
  for (const guess of axes)
    fc.assert(
      fc.property(fc.nat(PLACES), measures(guess), (place, values) => {
        const text = missText({ guess, value: valueAt(guess, place), values, labels: [] });
        const number = '([\\d,.]+(?:·10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?)';
        const sizes = `Your guess: ${number}(?:\u00a0%)?\\. Measured: ${number}(?: to ${number})?(?:[ \u00a0]%)?`;
        const pattern = `^${sizes}\\. That is ${number} (times |points |)too (low|high)\\.$`;
        const [, own, low, high = low, by, unit, way] = new RegExp(pattern).exec(text) ?? [];
        if (!own) return assert.match(text, /\. (You are right|That is within what was measured)\.$/);
        off++;
        const [one, end] = [own, way === 'low' ? low : high].map(read);
        assert.equal(one < end, way === 'low', text);
        if (unit === 'times ') {
          const computed = Math.max(one / end, end / one);
          const size = 10 ** Math.floor(Math.log10(computed));
          return assert(Math.abs(computed - read(by)) <= size * 0.0501, `${text} ${computed}`);
        }
        assert(Math.abs(Math.abs(one - end) - read(by)) <= half(by), `${text} ${Math.abs(one - end)}`);
        assert.equal(new Set([own, low, high, by].map(half)).size, 1, `one number of decimals: ${text}`);
      }),
      { numRuns: 200 },
    );
  assert(off > 1000, `${off}`);
});

test('a guess is of the sentence’s own run', () => {
  const claim = of(22);
  const { label } = axisOf(22).known;
  const comparison = { label, values: [2 / 3], range: [0, 1], allowed: [0, 1], within: true };
  const result = (/** @type {string} */ kind) =>
    /** @type {any} */ ({ outcome: { kind }, comparisons: [comparison], params: {} });
  assert.deepEqual(guessedOf(claim, 0.5, result('sentence'))?.values, [2 / 3]);
  assert.equal(guessedOf(claim, null, result('sentence')), null);
  assert.equal(guessedOf(claim, 0.5, result('boundary')), null);
});
