// Equations as they are printed: the printed operands give the printed result, whatever the numbers are.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bracketed, equation, fixed } from '../../../web/draw/equation.js';

/** A printed number as a reader reads it. @param {string} text */
const read = (text) => Number(`${digitsOf(text)}e${powerOf(text)}`);
/** @param {string} text */
const digitsOf = (text) => text.split('·')[0].replace('−', '-').replaceAll(',', '');
/** @param {string} text */
const powerOf = (text) =>
  text.split('·10')[1]?.replace(/./g, (each) => (each === '⁻' ? '-' : String('⁰¹²³⁴⁵⁶⁷⁸⁹'.indexOf(each)))) ?? '0';
/** Counts the significant digits that are printed. @param {string} text */
const countOf = (text) =>
  digitsOf(text)
    .replace(/\D/g, '')
    .replace(/^0+|0+$/g, '').length;
/** Half a unit of a number's last digit. @param {number} value @param {number} digits that count */
const halfOf = (value, digits) => 0.5 * 10 ** (Math.floor(Math.log10(Math.abs(value) || 1)) + 1 - digits);
/** @param {string} text */
const placesOf = (text) => text.split('.')[1]?.length ?? 0;

/** The equations of the page, by how many operands they have. @type {[number, ((known: number[]) => number)[]][]} */
const FORMS = [
  [2, [([a, b]) => a - b]],
  [2, [([a, b]) => a * b]],
  [3, [([a, b, c]) => a + b + c]],
  [1, [([score]) => score / Math.sqrt(24)]],
  [1, [([turn]) => 6 * turn]],
  // A norm: − mean, ÷ deviation, × gain + bias.
  [
    5,
    [
      ([x, mean]) => x - mean,
      ([, , deviation, , , centred]) => centred / deviation,
      ([, , , gain, bias, , normed]) => normed * gain + bias,
    ],
  ],
  [12, [(known) => known.slice(0, 12).reduce((so, each) => so + each, 0)]],
];

const number = fc.oneof(
  fc.double({ min: -5, max: 5, noNaN: true }),
  fc.double({ min: -2000, max: 2000, noNaN: true }),
  fc.double({ min: -0.2, max: 0.2, noNaN: true }),
  fc.integer({ min: -9, max: 9 }),
);

test('the printed operands give the printed results, all with the same decimals', () => {
  for (const [count, forms] of FORMS)
    fc.assert(
      fc.property(fc.array(number, { minLength: count, maxLength: count }), fc.option(fc.nat(4)), (given, fewest) => {
        const operands = given.map((each, i) => (count === 5 && i === 2 ? Math.max(0.1, Math.abs(each)) : each));
        const known = [...operands];
        const steps = forms.map((from) => ({ value: Math.fround(known[known.push(from(known)) - 1]), from }));
        fc.pre(known.every((each) => Math.abs(each) < 9e6));
        const printed = equation(operands, steps, fewest ?? undefined);
        const all = [...printed.operands, ...printed.results];
        assert.equal(new Set(all.map(placesOf)).size, 1, `one number of decimals: ${all}`);
        const half = 0.5 * 10 ** -placesOf(all[0]);
        const reads = all.map(read);
        operands.forEach((each, i) => assert(Math.abs(each - reads[i]) <= half * 1.001, `${each}: ${all[i]}`));
        forms.forEach((from, i) => {
          const computed = from(reads.slice(0, count + i));
          assert(!Number.isFinite(computed) || Math.abs(computed - reads[count + i]) <= half * 1.001, `${all}`);
        });
      }),
      { numRuns: 300 },
    );
});

test('numbers that are too large for decimals: each with digits that count, and what is printed is true', () => {
  const size = fc.oneof(
    fc.double({ min: -1e30, max: 1e30, noNaN: true }),
    fc.double({ min: -1e9, max: 1e9, noNaN: true }),
    number,
  );
  for (const [count, forms] of FORMS)
    fc.assert(
      fc.property(fc.array(size, { minLength: count, maxLength: count }), (given) => {
        const operands = given.map((each, i) => (count === 5 && i === 2 ? Math.max(0.1, Math.abs(each)) : each));
        const known = [...operands];
        const steps = forms.map((from) => ({ value: known[known.push(from(known)) - 1], from }));
        fc.pre(known.every(Number.isFinite) && known.some((each) => Math.abs(each) >= 1e7));
        const printed = equation(operands, steps);
        const all = [...printed.operands, ...printed.results];
        const reads = all.map(read);
        const digits = Math.max(2, ...all.map(countOf));
        const check = (/** @type {number} */ value, /** @type {number} */ i) =>
          assert(Math.abs(value - reads[i]) <= halfOf(value, digits) * 1.001, `${value}: ${all[i]} of ${all}`);
        operands.forEach(check);
        forms.forEach((from, i) => {
          const computed = from(reads.slice(0, count + i));
          if (Number.isFinite(computed)) check(computed, count + i);
        });
      }),
      { numRuns: 100 },
    );
});

test('a lead in scores and how many times the weight is: e to the printed lead, in two digits', () => {
  fc.assert(
    fc.property(
      fc.double({ min: -40, max: 40, noNaN: true }),
      fc.double({ min: -700, max: 700, noNaN: true }),
      (a, lead) => {
        const { operands, results } = equation(
          [a, a - lead],
          [
            { value: lead, from: ([one, other]) => one - other },
            { value: Math.exp(lead), from: ([, , by]) => Math.exp(by), isShort: true },
          ],
        );
        const [one, other, by] = [...operands, results[0]].map(read);
        assert(Math.abs(one - other - by) < 1e-9, `${operands} ${results}`);
        assert.equal(placesOf(results[0]), placesOf(operands[0]));
        if (Math.exp(by) >= 1e-4 && !results[1].includes('10')) {
          const size = 10 ** Math.floor(Math.log10(Math.exp(by)));
          assert(Math.abs(read(results[1]) - Math.exp(by)) <= size * 0.0501, `${results}`);
        }
      },
    ),
    { numRuns: 300 },
  );
});

test('examples that were read as mistakes', () => {
  const minus = (/** @type {number} */ a, /** @type {number} */ b) =>
    equation([a, b], [{ value: a - b, from: ([one, other]) => one - other }]);
  assert.deepEqual(minus(1.0521, 0.0712), { operands: ['1.05', '0.07'], results: ['0.98'] });
  assert.deepEqual(minus(13.38, 8.47), { operands: ['13.4', '8.5'], results: ['4.9'] });
  const turn = 57.2958;
  const turned = equation([turn], [{ value: 6 * turn, from: ([each]) => 6 * each }]);
  assert.deepEqual(turned, { operands: ['57.3'], results: ['343.8'] });
  const lead = equation(
    [12.34, 2],
    [
      { value: 10.34, from: ([a, b]) => a - b },
      { value: Math.exp(10.34), from: ([, , by]) => Math.exp(by), isShort: true },
    ],
  );
  assert.deepEqual(lead, { operands: ['12.34', '2.00'], results: ['10.34', '31,000'] });
  const times = (/** @type {number} */ a, /** @type {number} */ b) =>
    equation([a, b], [{ value: Math.fround(a * b), from: ([one, other]) => one * other }]);
  assert.deepEqual(times(499.99998437500074, 1999.999999999997), {
    operands: ['500', '2,000'],
    results: ['1,000,000'],
  });
  assert.deepEqual(times(1234.5, 20001), { operands: ['1,234.5', '20,001'], results: ['2.4691·10⁷'] });
  assert.deepEqual(minus(1.3e8, 5), { operands: ['1.3·10⁸', '5'], results: ['1.3·10⁸'] });
  const large = equation(
    [12.34, -2.3],
    [
      { value: 14.64, from: ([a, b]) => a - b },
      { value: Math.exp(14.64), from: ([, , by]) => Math.exp(by), isShort: true },
    ],
  );
  assert.deepEqual(large, { operands: ['12.34', '−2.30'], results: ['14.64', '2.3·10⁶'] });
  // No equation joins a number that was set by hand, or none at all.
  assert.deepEqual(equation([2, 3], [{ value: 7, from: ([a, b]) => a * b }]).results, ['7.0']);
  assert.deepEqual(equation([-Infinity], [{ value: NaN, from: ([a]) => a / 2 }]).operands, ['−∞']);
  assert.deepEqual(
    [fixed(-1234567.25, 1), fixed(-0.001, 2), bracketed('−2'), bracketed('2')],
    ['−1,234,567.3', '0.00', '(−2)', '2'],
  );
});
