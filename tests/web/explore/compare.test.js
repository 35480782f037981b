// A pinned state in the workspace: the difference takes the place of the map and moves nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attentionName } from '../../../web/engine/plan.js';
import { ready, update, useBrowser } from '../browser.js';
import { shipped } from '../in-node.js';

const tools = useBrowser();
const KNOWN = 'the creek was cold and the spunky dog wanted to jump over it .';

test('the answer says first what has changed since the pin; the difference takes the place of the map', async () => {
  const off = [{ name: attentionName('encoder', 0, 'head_outputs'), index: [0, 0, null, null], value: 0 }];
  const [then, now] = [[], off].map((patches) => {
    const { model, ids, probabilities, vocabulary } = shipped(tools.gf, 'creek');
    model.forward({ ids: ids(KNOWN), capture: true, patches });
    return probabilities().data.slice(12 * vocabulary.length, 13 * vocabulary.length);
  });
  for (const [width, height] of [
    [1280, 720],
    [1440, 900],
  ]) {
    const page = await tools.open({
      model: 'creek&head=1.1&row=12&key=1',
      layout: 'workspace',
      viewport: { width, height },
    });
    await ready(page);
    const grid = async (/** @type {string} */ view) => {
      await page.evaluate(() => scrollTo(0, 0)); // a click may have scrolled
      return page.locator(`${view} .map-grid`).first().boundingBox();
    };
    const before = await grid('#heatmap');
    await page.locator('#try-more > summary').click();
    await page.getByRole('button', { name: 'Pin this state' }).click();
    await page.getByText('No attention weight and no neuron differs').waitFor();
    const pinned = await grid('#heatmap');
    await update(page, () => page.locator('#change-head').getByRole('button', { name: 'Switch off' }).first().click());
    await page.locator('.compare-head .map-grid').first().waitFor();
    const [first] = await page.locator('.answers-list li').allInnerTexts();
    const percent = (/** @type {Float32Array} */ all) => Math.round(100 * Math.max(...all));
    assert.match(first.replace(/\s+/g, ' '), new RegExp(`^creek ${percent(then)} → ${percent(now)} %`));
    const after = await grid('.compare-head');
    for (const side of /** @type {const} */ (['x', 'y', 'width', 'height']))
      assert(Math.abs(Number(before?.[side]) - Number(after?.[side])) <= 2, `${width}: ${side}`);
    assert.deepEqual(pinned, before, 'a pin alone moves nothing');
    const [own, map] = await Promise.all(
      ['section:has(> #compare)', '.map-panel'].map((each) => page.locator(each).boundingBox()),
    );
    assert(Number(own?.y) < Number(map?.y), 'above the map, which follows');
    await tools.close(page);
  }
});
