// The FFN where the reader comes to it: its corpus is read then, and the pointer pins a neuron.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { map, point, readout, ready, useBrowser } from '../browser.js';
import { assertShown } from '../in-node.js';
import { shipped } from '../corpus.js';

const tools = useBrowser();

const KNOWN = 'the creek was cold and the spunky dog wanted to jump over it .';
const ROW = 12;
const LAYER = 2; // where creek's page opens

test('the corpus is read once the strongest neuron’s card is in sight; a click pins the neuron there', async () => {
  const page = await tools.open({ model: 'creek' });
  await ready(page);
  const corpora = () =>
    page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .map(({ name }) => name)
        .filter((name) => /late-worker|corpus/.test(name)),
    );
  await page.locator('#neuron button').first().waitFor();
  assert.equal(await page.locator('.neuron-card').getAttribute('open'), null);
  assert.deepEqual(await corpora(), [], 'nobody sees it yet');
  const own = shipped(tools.gf, 'creek');
  own.model.forward({ ids: own.words(KNOWN), capture: true });
  const { data, shape } = own.model.tensor(`encoder.layers.${LAYER}.ffn.activation`);
  const strongest = (/** @type {number} */ row) => {
    const values = data.subarray(row * shape[2], (row + 1) * shape[2]);
    return values.indexOf(Math.max(...values));
  };
  await page.locator('#neuron').scrollIntoViewIfNeeded();
  await page.locator('.neuron-key li').first().waitFor({ timeout: 30_000 });
  assert.match(await page.locator('.neuron-card summary').innerText(), new RegExp(`^Neuron ${strongest(ROW)}:`));
  await page.locator('#tokens-encoder .token').nth(7).click();
  await page.waitForFunction(
    (neuron) => document.querySelector('.neuron-card .view-title')?.textContent === `Neuron ${neuron}`,
    strongest(7),
  );

  await page.locator('#tokens-encoder .token').nth(ROW).click();
  await point(page, '#ffn', ROW, 3);
  const neuron = Number(/^row it, neuron (\d+)$/.exec((await readout(page, '#ffn')).place)?.[1]);
  await point(page, '#ffn', ROW, 3, 'click');
  await page.selectOption('#ffn .arrangement', 'index');
  await map(page, '#ffn').focus();
  await page.mouse.move(0, 0);
  const shown = await readout(page, '#ffn');
  assert.equal(shown.place, `row it, neuron ${neuron}`, 'it stays pinned in another order');
  assertShown(shown.number, data[ROW * shape[2] + neuron]);
  await tools.close(page);
});
