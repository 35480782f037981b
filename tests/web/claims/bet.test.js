// The bet: its order, its worth, and the whole of a quick card by keyboard.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claims } from 'glassformer/claims';
import { brier, scoreOf, surprise, surpriseText, testedOf } from '../../../web/claims/score.js';
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
      assert.deepEqual(order.map(({ index }) => index).sort(), [0, 1, 2]);
      first.set(order[0].choice.verdict, (first.get(order[0].choice.verdict) ?? 0) + 1);
    }
    for (const [verdict, count] of first)
      assert(count > VISITS / 5 && count < VISITS / 2, `card ${claim.number}: ${verdict} is first ${count} times`);
    assert.equal(first.size, 3);
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
  near(brier(claim, answer(11, right, 70, 'false')), 0.3 ** 2 + 2 * 0.15 ** 2);
  near(brier(claim, answer(11, wrong, 70, 'false')), 0.7 ** 2 + 0.85 ** 2 + 0.15 ** 2);
  near(surprise(claim, answer(11, wrong, 99, 'false')), 0.995);
  assert.equal(surpriseText(surprise(claim, answer(11, right, 70, 'false')) ?? NaN), 'as you said');
  assert.equal(surpriseText(0.995), 'a surprise');
  assert.equal(brier(claim, answer(11, right, null, 'false')), null);
  assert.equal(brier(claim, answer(11, null, 70, 'false')), null);
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

for (const [width, height] of [
  [1440, 900],
  [390, 844],
])
  test(`${width} × ${height}: the place opens on one card, with at most 15 controls beside the tiles`, async () => {
    const page = await openCard(tools, '#/claims', { viewport: { width, height } });
    await page.locator('.claims-question').waitFor();
    const seen = await page.evaluate(() => {
      const inView = (/** @type {Element} */ element) => {
        const { top, bottom, width } = element.getBoundingClientRect();
        return width > 0 && bottom > 0 && top < innerHeight && element.checkVisibility();
      };
      return [...document.querySelectorAll('a, button, input, select, summary, textarea')].filter(
        (each) => inView(each) && !each.matches('.claims-tile, .visually-hidden, .skip-link'),
      ).length;
    });
    assert(seen <= 15, `${seen} controls`);
    assert(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    const button = await page.getByRole('button', { name: 'Bet and run' }).boundingBox();
    assert(button && button.y + button.height <= height, 'the bet is in the window');
    await tools.close(page);
  });

test('bet, verdict and why take less than ten key presses; the tile is coloured, the score shown', async () => {
  const page = await openCard(tools, '#/claims');
  await page.locator('.claims-question').waitFor();
  let presses = 0;
  const press = (/** @type {string} */ key) => (presses++, page.keyboard.press(key));
  const at = (/** @type {string} */ selector) =>
    page.evaluate((each) => document.activeElement?.matches(each), selector);
  await press('Tab');
  await press('Enter'); // past the bar
  while (!(await at('.claims-choice input')) && presses < 10) await press('Tab');
  await press('Space');
  await press('Tab');
  await press('ArrowRight');
  assert.equal(await page.locator('.claims-sure:first-of-type output').innerText(), '71\u00a0%');
  await press('Enter');
  await tested(page);
  assert(presses < 10, `${presses} presses`);
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'claims-found');
  assert(await page.locator('.claims-reasons dd').first().isVisible());
  const kept = JSON.parse((await page.evaluate(() => localStorage.getItem('glassformer-claims'))) ?? '[]');
  assert.equal(kept[0].sure, 71);
  const { number } = kept[0];
  assert.match(
    (await page.locator('.claims-tile[aria-current]').getAttribute('data-surprise')) ?? '',
    /^(as|a|unsure)/,
  );
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
  await page.locator('.claims-question').waitFor();
  assert.notEqual(await page.locator('.claims-tile[aria-current]').innerText(), String(number), 'the next card');
  await tools.close(page);
});
