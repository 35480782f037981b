// The place Claims in Chromium: the numbers and verdicts of the same runs in Node, predictions, switches, links.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { load } from 'glassformer';
import { claims, compareNumbers } from '../../../src/claims/index.js';
import { writeAddress } from '../../../web/claims/address.js';
import { rowsOf, span } from '../../../web/claims/numbers.js';
import { typeset } from '../../../web/draw/typeset.js';
import { NAMES, verdictText } from '../../../web/claims/verdict.js';
import { useBrowser } from '../browser.js';
import { openCard, predict, printed, seen, tested } from './watch.js';

/** Those that train for seconds; the tours compare all of them to the bit. */
const SLOW = [2, 6, 13, 14, 16, 17, 19];
const tools = useBrowser();

/** The same run in Node: what the card is to show. @param {number} number @param {object} [params] */
async function inNode(number, params = {}) {
  const module = claims.find(({ claim }) => claim.number === number);
  assert(module);
  const numbers = await module.run(await load({ variant: 'simd' }), params);
  const outcome = module.outcome(numbers, params);
  const comparisons = compareNumbers(module.claim, numbers, params);
  const rows = rowsOf(module.claim, { numbers, comparisons }).map(({ label, values, share }) => [
    printed(label),
    span(values, share),
  ]);
  return { claim: module.claim, outcome, rows };
}

/** @param {Awaited<ReturnType<typeof seen>>} shown @param {Awaited<ReturnType<typeof inNode>>} own */
function assertSame(shown, { claim, outcome, rows }) {
  const isJudged = outcome.kind === 'sentence';
  assert.deepEqual(
    { ...shown, agreement: null, rows: shown.rows.map((row) => row.slice(0, 2)) },
    {
      sentence: printed(claim.sentence),
      verdict: isJudged ? outcome.verdict : null,
      word: isJudged ? printed(verdictText(outcome)) : NAMES[outcome.kind],
      found: printed(typeset(outcome.found)),
      agreement: null,
      rows,
    },
  );
}

test('a card: nothing before the prediction, then Node’s numbers and verdict; a switch gives it none', async () => {
  const page = await openCard(tools, '#/claims?view=list');
  await page.getByRole('link', { name: /The cat sat on the mat/ }).click();
  await page.locator('.claims-question').waitFor();
  assert.equal(await page.evaluate(() => location.hash), '#/claims?card=4');
  assert.equal(await page.title(), 'Sentences as sets of words · Claims · Glassformer');
  assert.equal((await seen(page)).verdict, null);
  assert.deepEqual((await seen(page)).rows, []);
  assert(await page.getByRole('button', { name: 'Bet and run' }).isDisabled());
  await predict(page, 0);
  await tested(page);
  assertSame(await seen(page), await inNode(4));
  assert.equal(
    (await seen(page)).agreement,
    'Not as you expected: “Each word’s output is the same in both sentences.”',
  );

  await page.getByRole('button', { name: 'Run the boundary' }).click();
  await page.waitForURL(/mask=causal$/);
  await tested(page);
  assertSame(await seen(page), await inNode(4, { mask: 'causal' }));
  assert.equal((await seen(page)).word, 'Boundary');
  await page.getByRole('radio', { name: 'sinusoidal' }).check();
  await page.waitForURL(/positions=sinusoidal&mask=causal$/);
  await tested(page);
  assertSame(await seen(page), await inNode(4, { mask: 'causal', positions: 'sinusoidal' }));
  assert.equal((await seen(page)).word, 'Control');
  await page.getByRole('button', { name: 'Run the sentence' }).click();
  await page.waitForURL(/card=4$/);
  await tested(page);
  assertSame(await seen(page), await inNode(4));
  await tools.close(page);
});

test('no line of a heading ends within key–value', async () => {
  const page = await openCard(tools, '#/claims?card=13');
  const pair = page.locator('.claims-sentence .claims-pair');
  for (const width of [390, 700, 1024, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    assert.equal(await pair.innerText(), 'key–value');
    assert.equal(await pair.evaluate((span) => span.getClientRects().length), 1, `${width}`);
  }
  await tools.close(page);
});

test('no line of the verdict or the reasons is longer than some 75 characters, in the widest window too', async () => {
  for (const number of [9, 21]) {
    const page = await openCard(tools, `#/claims?card=${number}&seeds=1`, { viewport: { width: 1920, height: 1080 } });
    await page.getByRole('button', { name: 'Run without a bet' }).click();
    await tested(page);
    const lines = await page.locator('.claims-verdict > span, .claims-reasons dd:not(.hint)').evaluateAll((all) =>
      all.map((each) => {
        const count = Math.round(each.clientHeight / parseFloat(getComputedStyle(each).lineHeight)) || 1;
        return (each.textContent ?? '').trim().replace(/\s+/g, ' ').length / count;
      }),
    );
    assert(Math.max(...lines) <= 80, `card ${number}: ${Math.max(...lines)} characters`);
    await tools.close(page);
  }
});

test('each card shows the numbers and the verdict of the same run in Node', async () => {
  const page = await openCard(tools, '#/claims?view=list');
  for (const { claim } of claims.filter((each) => !SLOW.includes(each.claim.number))) {
    const params = claim.seeded ? { seed: 1, seeds: 1 } : {};
    const hash = writeAddress({ number: claim.number, params }, claim);
    await page.evaluate((address) => (location.hash = address), hash);
    await page.waitForFunction(
      (sentence) => document.querySelector('.claims-sentence')?.textContent === sentence,
      printed(claim.sentence),
    );
    await page.getByRole('button', { name: 'Run without a bet' }).click();
    await tested(page);
    assertSame(await seen(page), await inNode(claim.number, params));
  }
  await tools.close(page);
});

test('fetched when it is opened; the engine comes with the first card', async (t) => {
  /** @type {string[]} */
  const names = [];
  const page = await tools.open({ model: '', layout: 'workspace' });
  await page.locator('.head').first().waitFor();
  page.on('response', (response) => names.push(new URL(response.url()).pathname.slice(1)));
  await page.evaluate(() => (location.hash = '#/claims?view=list'));
  await page.locator('.claims-list').first().waitFor();
  const folder = fileURLToPath(new URL('../../../dist/web/', import.meta.url));
  const fetched = names.filter((name) => readdirSync(folder).includes(name));
  assert(fetched.includes('claims.js') && fetched.some((name) => /^claims-/.test(name)), fetched.join());
  assert(!names.some((name) => /wasm/.test(name)), names.join());
  const engine = page.waitForResponse(/\/simd\.wasm-/);
  await page.getByRole('link', { name: /bottleneck/ }).click();
  await engine;
  const sizes = fetched.map((name) => gzipSync(readFileSync(`${folder}${name}`), { level: 9 }).length);
  t.diagnostic(fetched.map((name, i) => `${name} ${sizes[i]}`).join(', '));
  await tools.close(page);
});
