// Changes are marked where they show; those that no longer fit give a notice.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headCells, point, ready, update, useBrowser } from '../browser.js';

const tools = useBrowser();

test('a change that no longer fits is refused in a notice, and can be removed', async () => {
  const page = await tools.open({ model: 'creek' });
  await ready(page);
  await point(page, '#heatmap', 13, 13, 'click');
  await update(page, () => page.getByRole('button', { name: 'Set to 0' }).click());
  await update(page, () => page.locator('#text').fill('the dog was cold'));
  assert.match(
    await page.locator('#notices').innerText(),
    /“Encoder layer \d, head \d, row 13 → column 13: 0” does not exist in this text\. .*last valid settings/,
  );
  await update(page, () => page.getByRole('button', { name: 'Remove' }).click());
  assert.equal(await page.locator('#notices').innerText(), '');
  const second = JSON.stringify([{ what: 'head', kind: 'encoder', layer: 1, head: 2, to: 0 }]);
  await page.goto(`${tools.url}#model=untrained&layers=1&changes=${encodeURIComponent(second)}`);
  await page
    .getByText('“Encoder layer 2, head 3: off” does not exist in this model. Remove it or choose other settings.')
    .waitFor();
  await update(page, () => page.getByRole('button', { name: 'Remove' }).click());
  assert.equal(await page.locator('#notices').innerText(), '');
  await tools.close(page);
});

test('what is changed is marked where it is drawn: a dim head, a cell, a neuron', async () => {
  const list = [
    { what: 'head', kind: 'encoder', layer: 0, head: 1, to: 0 },
    { what: 'cell', kind: 'encoder', layer: 2, head: 1, row: 4, key: 3, to: 0.5 },
    { what: 'neuron', kind: 'encoder', layer: 2, neuron: 12, to: 0 },
  ];
  const changes = encodeURIComponent(JSON.stringify(list));
  const page = await tools.open({ model: `creek&head=3.2&row=4&key=3&neuron=12&neurons=index&changes=${changes}` });
  await ready(page);
  const opacity = async () => (await headCells(page, 1, 1)).map(([, , , alpha]) => (alpha / 255).toFixed(1));
  /** Where the marks of a map lie, as shares of its cells. @param {string} view */
  const marks = (view) =>
    page.locator(`${view} .map-cells`).evaluate((cells) => {
      const box = cells.getBoundingClientRect();
      return [...cells.querySelectorAll('.map-mark')].map((each) => {
        const { x, y, width, height } = each.getBoundingClientRect();
        return [(x - box.x) / box.width, (y - box.y) / box.height, width / box.width, height / box.height].map(
          (share) => Number(share.toFixed(2)),
        );
      });
    });
  const share = (/** @type {number} */ value) => Number(value.toFixed(2));
  assert.deepEqual(await opacity(), ['1.0', '0.2', '1.0', '1.0', '1.0', '1.0']);
  assert.deepEqual(await marks('#heatmap'), [[share(3 / 14), share(4 / 14), share(1 / 14), share(1 / 14)]]);
  assert.deepEqual(await marks('#ffn'), [[share(12 / 96), 0, share(1 / 96), 1]]);
  await page.selectOption('#ffn .arrangement', 'token');
  const left = await page
    .locator('#ffn .map-cells')
    .evaluate(
      (cells) =>
        (Number(cells.querySelector('.map-pin')?.getBoundingClientRect().x) - cells.getBoundingClientRect().x) /
        cells.getBoundingClientRect().width,
    );
  assert(left > 0.01 && Math.abs(left - 12 / 96) > 0.01, 'it stands elsewhere');
  assert(Math.abs((await marks('#ffn'))[0][0] - left) < 0.006, 'the mark goes with its neuron');
  await update(page, () => page.getByRole('button', { name: 'Reset 3 changes' }).click());
  assert.deepEqual([await marks('#heatmap'), await marks('#ffn')], [[], []]);
  assert.deepEqual(await opacity(), ['1.0', '1.0', '1.0', '1.0', '1.0', '1.0']);
  await tools.close(page);
});
