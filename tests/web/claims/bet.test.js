// The bet: its order, its worth, and the whole of a quick card by keyboard.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claims } from 'glassformer/claims';
import { FIRST } from '../../../web/claims/order.js';
import { scoreOf, surprise, surpriseText, testedOf } from '../../../web/claims/score.js';
import { shuffled } from '../../../web/claims/state.js';
import { useBrowser } from '../browser.js';
import { openCard, tested } from './watch.js';

const tools = useBrowser();

const of = (/** @type {number} */ number) =>
  (claims.find(({ claim }) => claim.number === number) ?? assert.fail()).claim;

/**
 * @param {number} number @param {number | null} predicted @param {number | null} sure
 * @param {'true' | 'it depends' | 'false'} verdict @param {number} [when]
 */
const answer = (number, predicted, sure, verdict, when = 0) => ({
  number,
  params: {},
  predicted,
  sure,
  comparisons: [],
  seconds: 1,
  when,
  verdict: { kind: /** @type {const} */ ('sentence'), verdict, found: '' },
});

test('the choices stand in an order that tells nothing, and that stays during a visit', () => {
  const VISITS = 300;
  for (const { claim } of claims) {
    const first = new Map();
    for (let visit = 0; visit < VISITS; visit++) {
      const state = /** @type {any} */ ({ shuffle: visit / VISITS });
      const order = shuffled(state, /** @type {any} */ (claim));
      assert.deepEqual(order, shuffled(state, /** @type {any} */ (claim)));
      assert.deepEqual(
        order.map(({ index }) => index).sort(),
        claim.choices.map((_, i) => i),
      );
      first.set(order[0].choice.verdict, (first.get(order[0].choice.verdict) ?? 0) + 1);
    }
    for (const [verdict, count] of first)
      assert(
        Math.abs(count / VISITS - 1 / claim.choices.length) < 0.15,
        `card ${claim.number}: ${verdict} is first ${count} times`,
      );
    assert.equal(first.size, claim.choices.length);
  }
});

test('tested is a card that has a verdict, not one that has only a bet', () => {
  const answers = new Map([
    [8, answer(8, 0, 70, 'true')],
    [9, { ...answer(9, 0, 70, 'true'), verdict: null }],
    [99, answer(99, 0, 70, 'true')],
  ]);
  assert.deepEqual(testedOf([of(8), of(9), of(11)], answers), [of(8)]);
});

test('the Brier score is that of the three verdicts; what was not asked is no bet', () => {
  const claim = of(11);
  const right = claim.choices.findIndex(({ verdict }) => verdict === 'false');
  const wrong = claim.choices.findIndex(({ verdict }) => verdict === 'true');
  const near = (/** @type {number | null} */ value, /** @type {number} */ to) =>
    assert(value !== null && Math.abs(value - to) < 1e-12, `${value}, not ${to}`);
  /** Of one answer alone. @param {ReturnType<typeof answer>} one */
  const brier = (one) => scoreOf([claim], new Map([[11, one]])).score;
  near(brier(answer(11, right, 70, 'false')), 0.3 ** 2 + 2 * 0.15 ** 2);
  near(brier(answer(11, wrong, 70, 'false')), 0.7 ** 2 + 0.85 ** 2 + 0.15 ** 2);
  near(surprise(claim, answer(11, wrong, 99, 'false')), 0.995);
  assert.equal(surpriseText(surprise(claim, answer(11, right, 70, 'false')) ?? NaN), 'as you said');
  assert.equal(surpriseText(0.995), 'a surprise');
  assert(Number.isNaN(brier(answer(11, right, null, 'false'))));
  assert(Number.isNaN(brier(answer(11, null, 70, 'false'))));
  const all = new Map([
    [11, answer(11, right, 70, 'false', 3)],
    [
      8,
      answer(
        8,
        of(8).choices.findIndex(({ verdict }) => verdict === 'true'),
        99,
        'true',
        2,
      ),
    ],
    [
      12,
      answer(
        12,
        of(12).choices.findIndex(({ verdict }) => verdict === 'false'),
        60,
        'true',
        1,
      ),
    ],
    [9, answer(9, 0, null, 'true', 4)], // of an earlier version
  ]);
  const { bets, streak, score } = scoreOf(
    claims.map((each) => each.claim),
    all,
  );
  assert.deepEqual([bets, streak], [3, 2]);
  near(score, (0.135 + 0.01 ** 2 + 2 * 0.005 ** 2 + 0.6 ** 2 + 0.8 ** 2 + 0.2 ** 2) / 3);
  assert(Number.isNaN(scoreOf([], new Map()).score));
});

for (const [width, height, most] of [
  [1440, 900, 15],
  [1280, 720, 15],
  [390, 844, 12],
])
  test(`${width} × ${height}: list, card and verdict show at most ${most} controls, the bet among them`, async () => {
    const page = await openCard(tools, '#/claims', { viewport: { width, height } });
    const seen = () =>
      page.evaluate(() => {
        const all = document.querySelectorAll('a[href], button, input, select, summary, [role=button], [role=radio]');
        return [...all].filter((element) => {
          const { top, bottom, left, right, width, height } = element.getBoundingClientRect();
          const isInside = bottom > 0 && top < innerHeight && right > 0 && left < innerWidth;
          return width > 1 && height > 1 && isInside && element.checkVisibility();
        }).length;
      });
    const check = async (/** @type {string} */ what) => {
      const count = await seen();
      assert(count <= most, `${what}: ${count} controls`);
      assert(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${what} fits in width`);
    };
    await check('list');
    const first = page.locator('.claims-list a').first();
    const box = await first.boundingBox();
    assert(box && box.y <= (width < 640 ? 300 : 260), `the first sentence begins at ${box?.y}`);
    await first.click();
    await page.locator('.claims-choice').first().waitFor();
    await check('card');
    for (const each of await page.locator('.claims-choice').all()) {
      const choice = await each.boundingBox();
      assert(choice && choice.y + choice.height <= height, 'the bet is in the window');
    }
    await page.locator('.claims-choice').first().click();
    await tested(page);
    await check('verdict');
    await tools.close(page);
  });

test('one tap bets and runs; in more, by keys, how sure; the list says how it fared', async () => {
  const page = await openCard(tools, '#/claims');
  const [number] = FIRST;
  let presses = 0;
  const press = (/** @type {string} */ key) => (presses++, page.keyboard.press(key));
  const at = (/** @type {string} */ selector) =>
    page.evaluate((each) => document.activeElement?.matches(each), selector);
  await press('Tab');
  await press('Enter'); // past the bar
  while (!(await at('.claims-list a')) && presses < 10) await press('Tab');
  await press('Enter');
  await page.locator('.claims-choice').first().waitFor();
  await press('Tab');
  if (await at('a[href^="https:"]')) await press('Tab'); // the source, if a reader can open it
  assert(await at('.claims-choice'), 'after the sentence come the answers');
  await page.locator('.claims-more summary').focus();
  await press('Enter');
  await press('Tab');
  await press('ArrowRight');
  assert.equal(await page.locator('.claims-sure:first-of-type output').innerText(), '71\u00a0%');
  await page.locator('.claims-choice').first().focus();
  await press('Enter');
  await tested(page);
  assert(presses < 13, `${presses} presses`);
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'claims-found');
  assert(await page.locator('.claims-reasons dd').first().isVisible());
  const kept = JSON.parse((await page.evaluate(() => localStorage.getItem('glassformer-claims'))) ?? '[]');
  assert.deepEqual([kept[0].number, kept[0].sure], [number, 71]);
  const { score, streak } = scoreOf([of(number)], new Map([[number, kept[0]]]));
  const standing = await page.locator('.claims-standing').innerText();
  assert.match(standing, new RegExp(`^1 of ${claims.length} tested`));
  assert(standing.includes(`streak ${streak}`) && standing.includes(String(Number(score.toPrecision(2)))), standing);
  assert.equal(await page.evaluate(() => location.hash), `#/claims?card=${number}`, 'a reload finds it again');
  const { when } = kept[0];
  await page.reload();
  await tested(page);
  const again = JSON.parse((await page.evaluate(() => localStorage.getItem('glassformer-claims'))) ?? '[]');
  assert.equal(again[0].when, when, 'opening a card is no new bet');
  await page.evaluate(() => (location.hash = '#/claims'));
  await page.locator('.claims-list li').first().locator('[data-verdict]').waitFor();
  await tools.close(page);
});
