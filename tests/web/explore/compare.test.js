// Two states side by side: three numbers at the cursor, each against the module's own.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertShown, compute, map, point, ready, update, useBrowser } from '../browser.js';

const tools = useBrowser();
/** @typedef {import('playwright-core').Page} Page */

/** Pinned, present, difference. @param {Page} page @param {string} what */
const numbers = async (page, what) =>
  (await page.locator(`.compare-${what} .compare-readout strong`).allInnerTexts()).map((text) =>
    Number(text.replace('−', '-')),
  );

/** @param {Page} page @param {string} what @param {number} pinned @param {number} present */
async function shows(page, what, pinned, present) {
  const shown = await numbers(page, what);
  [pinned, present, present - pinned].forEach((value, i) => assertShown(shown[i], value, `${what} ${i}`));
  const own = await page.locator(`.compare-${what} .map-readout strong`).allInnerTexts();
  own.forEach((text, i) => assert.equal(Number(text.replace('−', '-')), shown[i], 'each map says its own'));
}

test('pinned, present and difference, of a head and of the FFN, with one cursor', async () => {
  const page = await tools.open();
  await ready(page);
  assert.equal(await page.locator('#compare').isVisible(), false);
  await page.getByRole('button', { name: 'Pin this state' }).click();
  await page.locator('.compare-readout').first().waitFor();
  assert.deepEqual(await numbers(page, 'head').then(([, , difference]) => difference), 0);
  await update(page, () => page.locator('#set-scoreScale').uncheck());
  const [then, now] = [compute(tools.gf, {}), compute(tools.gf, { scoreScale: false })];
  const [weights, scaled, activation] = ['self_attn.weights', 'self_attn.scaled', 'ffn.activation'].map(
    (name) => `encoder.layers.0.${name}`,
  );
  await shows(page, 'head', then.at(weights, 0, 0, 12, 1), now.at(weights, 0, 0, 12, 1));
  await shows(page, 'ffn', then.at(activation, 0, 12, 0), now.at(activation, 0, 12, 0));
  assert.match(await page.locator('.compare-head .legend').nth(2).innerText(), /Present − pinned\s*−1\s*0\s*1/);
  await point(page, '.compare-head .compare-maps > div:nth-child(3)', 3, 5, 'click');
  await shows(page, 'head', then.at(weights, 0, 0, 3, 5), now.at(weights, 0, 0, 3, 5));
  await point(page, '.compare-head .compare-maps > div:nth-child(1)', 4, 2);
  await shows(page, 'head', then.at(weights, 0, 0, 4, 2), now.at(weights, 0, 0, 4, 2));
  await page.mouse.move(0, 0);
  await shows(page, 'head', then.at(weights, 0, 0, 3, 5), now.at(weights, 0, 0, 3, 5));
  const third = map(page, '.compare-ffn .compare-maps > div:nth-child(2)');
  await third.focus();
  await page.keyboard.press('ArrowRight');
  await shows(page, 'ffn', then.at(activation, 0, 3, 1), now.at(activation, 0, 3, 1));
  await update(page, () => page.selectOption('#heatmap .quantity', 'scaled'));
  await page.waitForFunction(() =>
    document.querySelector('.compare-head .view-title')?.textContent?.includes('scaled'),
  );
  await shows(page, 'head', then.at(scaled, 0, 0, 3, 5), now.at(scaled, 0, 0, 3, 5));
  await tools.close(page);
});

test('other tokens are not laid over each other: it says what differs', async () => {
  const page = await tools.open();
  await ready(page);
  await page.getByRole('button', { name: 'Pin this state' }).click();
  await update(page, () => page.locator('#text').fill('on it goes'));
  // what compares is fetched by now, or soon
  await page.getByText(/pinned state has 14 tokens here, the present one 3/).waitFor();
  await update(page, () => page.locator('#text').fill('The creek was warm and the spunky dog wanted to jump over it.'));
  await page.getByText(/Token 3 is “cold” in the pinned state and “warm” in the present one/).waitFor();
  assert.equal(await page.locator('.compare-head').isVisible(), false);
  await page.getByRole('button', { name: 'Unpin' }).click();
  await page.locator('#compare').waitFor({ state: 'hidden' });
  await tools.close(page);
});

test('the FFN is compared in the order that the reader chose for the neurons', async () => {
  const page = await tools.open({ model: 'untrained&neurons=token' });
  await ready(page);
  await page.getByRole('button', { name: 'Pin this state' }).click();
  await page.locator('.compare-readout').first().waitFor();
  await update(page, () => page.locator('#set-scoreScale').uncheck());
  const [then, now] = [compute(tools.gf, {}), compute(tools.gf, { scoreScale: false })];
  const name = 'encoder.layers.0.ffn.activation';
  const byValue = Array.from({ length: 256 }, (_, i) => i).sort(
    (a, b) => now.at(name, 0, 12, b) - now.at(name, 0, 12, a) || a - b,
  );
  for (const column of [0, 1, 40]) {
    await point(page, '.compare-ffn .compare-maps > div:nth-child(1)', 12, column, 'click');
    assert.equal(
      await page.locator('.compare-ffn .compare-readout bdi').innerText(),
      `row it, neuron ${byValue[column]}`,
    );
    await shows(page, 'ffn', then.at(name, 0, 12, byValue[column]), now.at(name, 0, 12, byValue[column]));
    await page.mouse.move(0, 0);
    assert.equal(
      await page.locator('#ffn .map-readout bdi').innerText(),
      `row it, neuron ${byValue[column]}`,
      'one cursor',
    );
  }
  await tools.close(page);
});
