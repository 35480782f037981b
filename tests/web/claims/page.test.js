// The place Claims in Chromium: how its lines break, and what is fetched when.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { useBrowser } from '../browser.js';
import { openCard, tested } from './watch.js';

const tools = useBrowser();

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
