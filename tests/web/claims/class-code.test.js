// A student's bets as a code: what is written is read, typos are refused by name.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { claims } from '../../../src/claims/index.js';
import { LEVELS, betsOf, readCode, readCodes, writeCode } from '../../../web/claims/class/code.js';

const ALL = claims.map(({ claim }) => claim.number);
const CARDS = [3, 8, 21];

const verdict = fc.constantFrom(null, 0, 1, 2);
const bet = fc
  .record({ before: verdict, sure: fc.constantFrom(...LEVELS), after: verdict })
  .map((one) => ({ ...one, sure: one.before === null ? null : one.sure }));
const bets = (/** @type {number[]} */ cards) =>
  fc
    .array(bet, { minLength: cards.length, maxLength: cards.length })
    .map((all) => new Map(cards.map((card, i) => [card, all[i]])));
const readable = (/** @type {string} */ code, /** @type {number[]} */ cards) => {
  const got = readCode(code, cards);
  return 'bets' in got ? got.bets : assert.fail(got.problem);
};
const problem = (/** @type {string} */ code, cards = CARDS) => {
  const got = readCode(code, cards);
  return 'problem' in got ? got.problem : assert.fail(`${code} is read`);
};
const some = new Map([
  [3, { before: 0, sure: 70, after: 2 }],
  [8, { before: null, sure: null, after: null }],
  [21, { before: 1, sure: 99, after: null }],
]);

test('what is written is read, at most 40 characters for all cards', () => {
  for (const cards of [CARDS, [7], ALL])
    fc.assert(
      fc.property(bets(cards), (given) => {
        const code = writeCode(cards, given);
        assert(code.length <= 40, `${code.length} characters`);
        assert.match(code, /^[0-9A-Z]{5}(-[0-9A-Z]{1,5})*$/);
        assert.deepEqual(readable(code, cards), given);
        assert.deepEqual(
          readable(code.toLowerCase().replaceAll('-', '').replaceAll('0', 'o').replaceAll('1', 'l'), cards),
          given,
        );
      }),
    );
  assert.equal(writeCode(ALL, new Map()).length, 40);
});

test('how sure a bet was is kept to the nearest level', () => {
  for (const [sure, kept] of [
    [50, 50],
    [54, 50],
    [56, 60],
    [94, 90],
    [95, 99],
    [99, 99],
  ])
    // prettier-ignore
    assert.equal(readable(writeCode([3], new Map([[3, { before: 2, sure, after: null }]])), [3]).get(3)?.sure, kept);
});

test('every wrong character and every two neighbours that are swapped are found', () => {
  const code = writeCode(CARDS, some).replaceAll('-', '');
  for (let i = 0; i < code.length; i++) {
    for (const other of '0123456789ABCDEFGHJKMNPQRSTVWXYZ')
      if (other !== code[i])
        assert.match(
          problem(code.slice(0, i) + other + code.slice(i + 1)),
          /^the checksum does not fit: a character is wrong$/,
        );
    if (i && code[i] !== code[i - 1])
      assert.match(problem(code.slice(0, i - 1) + code[i] + code[i - 1] + code.slice(i + 1)), /checksum/);
  }
});

test('a code that is cut, foreign, of other cards or made up says what is wrong', () => {
  const code = writeCode(CARDS, some);
  assert.match(problem(code.slice(0, -1)), /^the code has 8 characters without its hyphens, not 9$/);
  assert.match(problem(''), /^the code has 0 characters/);
  assert.match(problem(`${code.slice(0, -1)}!`), /^“!” is in no code$/);
  assert.match(problem('💥'), /^“💥” is in no code$/);
  assert.equal(problem(code, [8, 3, 21]), 'the code is for other cards');
  assert.equal(problem(code, ALL), 'the code is for other cards');
  assert.match(problem('0'.repeat(1e5)), /characters without its hyphens/);
});

test('codes are read line by line, with a name or none; each refused line says why', () => {
  const code = writeCode(CARDS, some);
  const { read, refused } = readCodes(
    [`Anna ${code}`, '', code, `  Zoë B.:\t${code}  `, `Anna ${code}`, '<b>x</b>', `Ben ${code}0`, code].join('\r\n'),
    CARDS,
  );
  assert.equal(read.length, 4, 'two without a name may be two students');
  assert.deepEqual(read[0], some);
  assert.deepEqual(
    refused.map(({ line, problem: why }) => `${line}: ${why}`),
    ['5: Anna has a code above', '6: “<” is in no code', '7: the code has 10 characters without its hyphens, not 9'],
  );
  const many = readCodes(`${code}\n`.repeat(600), CARDS);
  assert.deepEqual([many.read.length, many.refused.map(({ problem: why }) => why)], [500, ['only 500 lines are read']]);
});

test('the bets of this browser: verdicts of the choices; one without a probability is none', () => {
  const { claim } = claims.find((one) => one.claim.number === 22) ?? assert.fail();
  const at = (/** @type {string} */ word) => claim.choices.findIndex((choice) => choice.verdict === word);
  const of = (/** @type {object} */ answer) =>
    betsOf([/** @type {any} */ (claim)], new Map([[22, /** @type {any} */ (answer)]])).get(22);
  assert.deepEqual(of({ predicted: at('false'), sure: 80, second: at('true') }), { before: 2, sure: 80, after: 0 });
  const old = of({ predicted: at('true'), sure: null });
  assert.deepEqual(old, { before: 0, sure: null, after: null });
  assert.equal(readable(writeCode([22], new Map([[22, old ?? assert.fail()]])), [22]).get(22)?.before, null);
  assert.deepEqual(betsOf([/** @type {any} */ (claim)], new Map()).get(22), { before: null, sure: null, after: null });
});
