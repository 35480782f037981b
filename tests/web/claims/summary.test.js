// The summary of the reader's answers: counts, Markdown, a page in one file.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'glassformer';
import { claims, compareNumbers, course } from '../../../src/claims/index.js';
import { markdownOf } from '../../../web/claims/summary/markdown.js';
import { pageOf } from '../../../web/claims/summary/page.js';
import { headline, summaryOf } from '../../../web/claims/summary/summary.js';
import { typeset } from '../../../web/draw/typeset.js';
import { printed } from './watch.js';

/** @typedef {import('../../../web/claims/answers.js').Answer} Answer */

const gf = await load({ variant: 'simd' });
const PAGE = 'https://example.org/glassformer/';

/** @param {number} number */
const placeOf = (number) => claims.findIndex(({ claim }) => claim.number === number) + 1;

/** @param {Partial<import('../../../src/claims/index.js').Claim>} [changes] to every claim */
const groupsOf = (changes = {}) =>
  course.map(({ title, claims: all }) => ({
    title,
    claims: all.map(({ claim }) => ({ ...claim, place: placeOf(claim.number), ...changes })),
  }));

/**
 * An answer as the page keeps it.
 * @param {number} number @param {number | null} predicted @param {Answer['params']} [params]
 * @param {number | null} [guess]
 * @returns {Promise<[number, Answer]>}
 */
async function answered(number, predicted, params = {}, guess = null) {
  const { claim, run, outcome } = claims.find((one) => one.claim.number === number) ?? assert.fail();
  const numbers = await run(gf, params);
  const comparisons = compareNumbers(claim, numbers, params);
  return [
    number,
    { number, params, predicted, guess, verdict: outcome(numbers, params), comparisons, seconds: 0.1, when: null },
  ];
}

/** @param {number} number @returns {[number, Answer]} */
const predictedOnly = (number) => [
  number,
  { number, params: {}, predicted: 0, verdict: null, comparisons: [], seconds: null, when: null },
];

/** Which of the choices of a claim amounts to a verdict. @param {number} number @param {string} word */
const choice = (number, word) =>
  claims.find((one) => one.claim.number === number)?.claim.choices.findIndex(({ verdict }) => verdict === word) ?? -1;

const answers = new Map([
  await answered(8, choice(8, 'false')), // a surprise
  await answered(20, choice(20, 'true'), {}),
  await answered(22, null, {}, 0.48), // not predicted, but guessed
  await answered(3, choice(3, 'true'), { seed: 3, seeds: 2 }), // as expected
  predictedOnly(7),
]);
const summary = summaryOf(groupsOf(), answers);
const rows = summary.groups.flatMap((group) => group.rows);

test('only what was tested counts; a surprise is a prediction that another verdict met', () => {
  const { count, tested, predicted, surprised, verdicts, untested } = summary;
  assert.deepEqual([count, tested, predicted, surprised], [23, 4, 3, 1]);
  assert.deepEqual(verdicts, [['true', 3], ['it depends', 0], ['false', 1]]); // prettier-ignore
  assert.equal(untested.length, 19);
  assert.equal(headline(summary), '4 tested, 1 surprised you');
  assert.deepEqual(
    rows.map(({ claim, agreed }) => [claim.number, agreed]),
    [
      [20, true],
      [3, true],
      [8, false],
      [22, null],
    ],
  );
});

test('each says with which switches and seeds it was run', () => {
  const said = Object.fromEntries(rows.map(({ claim, switches, seeds }) => [claim.number, `${switches}; ${seeds}`]));
  assert.equal(said[3], 'Positions: sinusoidal; Offset k: 5; seeds 3 to 4');
  assert.equal(said[22], 'd_ff (d_model = 512): 2048; no random numbers');
  assert.match(said[20], /; (seeds 0 to 4|no random numbers)$/);
});

test('nothing tested, nothing predicted, nothing surprising', async () => {
  assert.equal(headline(summaryOf(groupsOf(), new Map())), 'Nothing tested yet');
  assert.equal(headline(summaryOf(groupsOf(), new Map([predictedOnly(7)]))), 'Nothing tested yet');
  const [, unpredicted] = await answered(20, null);
  assert.equal(headline(summaryOf(groupsOf(), new Map([[20, unpredicted]]))), '1 tested, none of them predicted');
  const right = new Map([await answered(20, choice(20, 'true'))]);
  assert.equal(headline(summaryOf(groupsOf(), right)), '1 tested, none surprised you');
});

test('an answer to a claim or a choice that there is not is left out', async () => {
  const [, answer] = await answered(20, 17);
  const other = { ...answer, number: 99 };
  const { tested, predicted } = summaryOf(groupsOf(), new Map([[20, answer], [99, other]])); // prettier-ignore
  assert.deepEqual([tested, predicted], [1, 0]);
});

const documents = /** @type {[string, typeof pageOf][]} */ ([
  ['Markdown', markdownOf],
  ['page', pageOf],
]);
for (const [name, write] of documents)
  test(`the ${name} has each tested card with prediction, verdict, why, run, numbers and link`, () => {
    const text = write(summary, PAGE)
      .replace(/\\(?=[^A-Za-z0-9\s])/g, '')
      .replace(/<\/?su[bp]>/g, '')
      .replace(/&#39;/g, "'")
      .replace(/&quot;/g, '"')
      .replace(/&gt;/g, '>')
      .replace(/&lt;/g, '<')
      .replace(/&amp;/g, '&');
    const said = (/** @type {string} */ part) =>
      text.includes(name === 'page' ? printed(typeset(part)) : typeset(part));
    assert(text.includes('Claims: 4 tested, 1 surprised you'));
    assert(text.includes('4 of 23 sentences'));
    for (const { claim, expected, verdict, switches, seeds, comparisons } of rows) {
      for (const part of [
        claim.sentence,
        claim.saidBy,
        claim.why,
        claim.limits,
        expected?.label ?? '–',
        verdict.verdict,
        verdict.found,
      ])
        assert(said(part), `${claim.number}: ${part}`);
      assert(said(`${switches}; ${seeds}; `), switches);
      for (const { label } of comparisons) assert(said(label), label);
    }
    assert(text.includes('4.763'), 'card 8, at x = 3');
    assert(/Your guess: 48\s%\. Measured: 66\.7\s%\. That is 19 points too low\./.test(text));
    assert.equal(text.split('Your guess').length, 2, 'nothing is said where there was none');
    assert(text.includes(`${PAGE}#/claims?card=3&seed=3&seeds=2`));
    for (const { number, sentence } of summary.untested) assert(said(`${placeOf(number)}. ${sentence}`));
    if (name === 'page') assert(write(summary, PAGE).includes('d<sub>ff</sub> (d<sub>model</sub> = 512): 2048'));
  });

const own = /** @type {const} */ ({
  ...{ link: '#/claims?own=It+learns.&task=copy', sentence: 'It learns.', plan: 'Train Copy for 50 steps.', bet: '' },
  verdict: { kind: 'sentence', verdict: 'it depends', on: 'the seed', found: '1 of 3 seeds agrees.' },
});

test('claims of the reader’s own stand apart with their link, and count for nothing', () => {
  const whole = summaryOf(groupsOf(), answers, [own]);
  assert.deepEqual(
    [whole.tested, whole.verdicts, headline(whole)],
    [summary.tested, summary.verdicts, headline(summary)],
  );
  for (const [name, write] of documents) {
    const text = write(whole, PAGE);
    const [, part] = text.split('Claims of your own');
    for (const said of [own.sentence, 'it depends on the seed', own.verdict.found, own.plan])
      assert(part.includes(said), `${name}: ${said}`);
    assert(part.includes(`${PAGE}${name === 'page' ? own.link.replace('&', '&amp;') : own.link}`));
    assert(!write(summary, PAGE).includes('Claims of your own'));
  }
});

const HOSTILE = `</p><script>alert("1")</script> | \`a\` **b** [c](javascript:d) $e$ & 'f'\n# g`;

test('the page in one file has no script, no address that it fetches, and shows every text as it is', () => {
  const html = pageOf(
    summaryOf(groupsOf({ sentence: HOSTILE, saidBy: HOSTILE, why: HOSTILE, limits: HOSTILE }), answers, [
      { ...own, sentence: HOSTILE, plan: HOSTILE, bet: HOSTILE },
    ]),
    PAGE,
  );
  assert.doesNotMatch(html, /<script|<img|<link|\bsrc=|\bon\w+=|@import|url\(/i);
  assert.match(html, /default-src 'none'/);
  assert(html.includes('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;'));
  const hrefs = new Set([...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href.replace(/#.*/, '')));
  assert.deepEqual([...hrefs], [PAGE]);
});

test('a text in the Markdown is no mark, and does not end its cell or line', () => {
  const markdown = markdownOf(
    summaryOf(groupsOf({ sentence: HOSTILE }), answers, [{ ...own, sentence: HOSTILE, plan: HOSTILE, bet: HOSTILE }]),
    PAGE,
  );
  const bare = markdown.replace(/\\./g, '');
  assert.doesNotMatch(bare, /<script|`|\$|\]\((?!https:\/\/example\.org)/);
  for (const line of bare.split('\n').filter((each) => each.startsWith('|')))
    assert.equal([...line.matchAll(/\|/g)].length, 5, line);
  assert.doesNotMatch(markdown, /^# g/m);
});
