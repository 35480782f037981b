// The model graph on the page: where its nodes lead, what is painted of its heads, and what moves.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fillPixels } from '../../../web/draw/canvas.js';
import { probabilityScale } from '../../../web/draw/color.js';
import { headCells, point, readout, ready, update, useBrowser } from '../browser.js';
import { compute } from '../in-node.js';

const tools = useBrowser();

test('a part leads to its view, its layer and its stack', async () => {
  const page = await tools.open({ reducedMotion: 'reduce' });
  await ready(page);
  const at = () => page.evaluate(() => document.activeElement?.textContent);
  const inSight = (/** @type {string} */ id) =>
    page.waitForFunction((each) => {
      const { top } = document.getElementById(each).closest('section').querySelector('h2').getBoundingClientRect();
      return top >= 0 && top < innerHeight;
    }, id);
  const go = (/** @type {string} */ name) => page.getByRole('button', { name }).first().click();
  await update(page, () => go('Layer 2: FFN'));
  await inSight('ffn');
  assert.equal(await at(), 'Feed-forward network');
  assert.equal(await page.locator('#model-graph [aria-current=step]').count(), 1);
  assert.match(String(await page.locator('#model-graph [aria-current=step]').textContent()), /^Layer 2:\s*FFN/);
  assert.match((await page.locator('.head[aria-checked=true]').getAttribute('aria-label')) ?? '', /layer 2/);
  await go('Embedding');
  await inSight('embedding');
  assert.equal(await at(), 'Embedding');
  await page.getByRole('button', { name: 'Layer 1: Add & norm' }).nth(1).click();
  await inSight('layer-norm');
  await page.waitForFunction(
    () =>
      /** @type {HTMLSelectElement} */ (document.querySelector('#layer-norm select')).selectedOptions[0].textContent ===
      'Layer 1, after FFN',
  );
  await update(page, () => page.selectOption('#set-kind', 'encoder-decoder'));
  const decoder = page.getByRole('group', { name: 'Decoder', exact: true });
  await update(page, () => decoder.getByRole('radio', { name: 'Cross-attention, layer 2, head 1' }).click());
  await inSight('heatmap');
  assert.match(await page.locator('#heatmap .view-title').innerText(), /^Cross-attention, layer 2/);
  await update(page, () =>
    page.getByRole('group', { name: 'Encoder', exact: true }).getByRole('button', { name: '+ Positions' }).click(),
  );
  await inSight('positions');
  assert.match((await readout(page)).place, /row it, column creek/);
  await tools.close(page);
});

test('the heads are drawn pixel by pixel; the way to another cell lights up', async () => {
  const page = await tools.open();
  await ready(page);
  await page.waitForFunction(() => document.querySelectorAll('#model-graph .on-path').length > 0);
  const { model } = compute(tools.gf, {});
  const { data } = model.tensor('encoder.layers.1.self_attn.weights');
  const painted = (await headCells(page, 14, 14))[6];
  const pixels = new Uint32Array(196);
  const own = data.slice(2 * 196, 3 * 196);
  fillPixels(pixels, { rows: 14, columns: 14, data: own, scale: probabilityScale('light', true), scheme: 'light' });
  const bytes = [...new Uint8Array(pixels.buffer)];
  assert.equal(painted.length, bytes.length);
  painted.forEach((each, i) => assert(Math.abs(each - bytes[i]) <= 2, `byte ${i}: ${each}, ${bytes[i]}`));

  await update(page, () => page.getByRole('radio', { name: 'layer 2, head 3' }).click());
  const animations = () => page.evaluate(() => document.querySelector('#model-graph .on-path')?.getAnimations().length);
  assert.equal(await animations(), 0);
  await page.evaluate(() => {
    const { animate } = Element.prototype;
    Element.prototype.animate = function (...all) {
      if (this.matches('#model-graph .on-path')) Object.assign(globalThis, { hasLit: true });
      return animate.apply(this, all);
    };
  });
  await point(page, '#heatmap', 7, 3, 'click');
  await page.waitForFunction(() => 'hasLit' in globalThis); // 400 ms may have passed
  await update(page, () => page.getByRole('button', { name: 'Base size' }).click());
  await page.waitForFunction(() => document.querySelectorAll('#model-graph .head').length === 48);
  const drawn = await headCells(page, 2, 2);
  assert.equal(drawn.length, 48);
  assert(drawn.every((cells) => cells.length === 16 && cells[3] === 255 && cells[15] === 255));
  const ids = await page.evaluate(() => [...document.querySelectorAll('[id]')].map(({ id }) => id));
  assert.equal(new Set(ids).size, ids.length, 'each id is of one element, on the whole page');
  await tools.close(page);
});

test('where picture, Why and Try fit into the window, a part leaves sentence and graph there', async () => {
  const page = await tools.open({ model: 'creek', layout: 'workspace', viewport: { width: 1440, height: 900 } });
  await ready(page);
  await page.locator('.model-graph-node', { hasText: 'FFN' }).first().click();
  await page.waitForFunction(() => document.activeElement?.id === 'ffn-title');
  await page.locator('#try-node').waitFor();
  await page.evaluate(() => new Promise(requestAnimationFrame));
  assert.equal(await page.evaluate(() => scrollY), 0);
  const ends = await page.evaluate(() =>
    ['#ffn [role=application]', '#try-node'].map(
      (each) => /** @type {Element} */ (document.querySelector(each)).getBoundingClientRect().bottom,
    ),
  );
  assert(Math.max(...ends) <= 900, String(ends));
  await tools.close(page);
});

test('a click on a node scrolls only to what is not in the window, and no further', async () => {
  for (const [width, height, most] of [
    [1440, 900, 0],
    [1280, 720, 0],
    [390, 844, 120],
  ]) {
    const page = await tools.open({
      model: 'creek',
      layout: 'workspace',
      viewport: { width, height },
      reducedMotion: 'reduce',
    });
    await ready(page);
    for (const [name, picture] of [
      ['FFN', '#ffn [role=application]'],
      ['Logits', '#logit-lens table'],
    ]) {
      await page.evaluate(() => scrollTo(0, 0));
      await page.locator('.model-graph-node', { hasText: name }).first().click();
      await page.locator(picture).first().waitFor();
      await page.waitForTimeout(300);
      const { by, bottom } = await page.evaluate(
        (each) => ({ by: scrollY, bottom: Number(document.querySelector(each)?.getBoundingClientRect().bottom) }),
        picture,
      );
      assert(by <= most && bottom <= height, `${name} at ${width}: scrolled by ${by}, ends at ${bottom}`);
    }
    await tools.close(page);
  }
});

test('nothing lights up by itself where motion is reduced', async () => {
  const page = await tools.open({ layout: 'workspace', reducedMotion: 'reduce' });
  await ready(page);
  const marked = page.locator('#model-graph .on-path');
  await marked.first().waitFor();
  await point(page, '#heatmap', 7, 3, 'click');
  assert.equal(await marked.first().evaluate((node) => node.getAnimations().length), 0);
  await tools.close(page);
});
