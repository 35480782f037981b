// The steps of one weight as they play: each frame has the module's numbers, the last is the whole story.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { frameAt, positionAt, stepsOf, sumAt } from '../../../web/explore/computation/player.js';
import { SENTENCE, assertShown, compute, point, ready, update, useBrowser } from '../browser.js';
import { numberOf } from '../checks.js';

const tools = useBrowser();
/** @typedef {import('playwright-core').Page} Page */
const PREFIX = 'encoder.layers.0.self_attn';
const [ROW, KEY, SIZE, TOKENS] = [7, 3, 16, 14];
const LAST = SIZE + 1 + 1 + 24 + TOKENS;

/** @param {ReturnType<typeof compute>} own @param {string} name */
const vectors = ({ model }, name) => model.tensor(`${PREFIX}.${name}`).data.subarray(0, TOKENS * SIZE); // of head 1
/** @param {ReturnType<typeof compute>} own @param {string} name */
const rowOf = ({ model }, name) => model.tensor(`${PREFIX}.${name}`).data.subarray(ROW * TOKENS, (ROW + 1) * TOKENS);
/** @param {Float32Array} data @param {number} at */
const vector = (data, at) => data.subarray(at * SIZE, (at + 1) * SIZE);

/** @param {Page} page */
const line = (page) => page.locator('#computation .player-line').innerText();
/** @param {Page} page */
const shownNumber = async (page) => numberOf(await page.locator('#computation .player-line .number').textContent());
/** @param {Page} page */
const range = (page) => page.locator('#computation .player input');

test('frames: sums of the products to each dimension, of the weighted values to each key; four seconds', () => {
  const own = compute(tools.gf, {});
  const [query, key] = [vector(vectors(own, 'query'), ROW), vector(vectors(own, 'key'), KEY)];
  const values = vectors(own, 'value');
  const output = own.model.tensor(`${PREFIX}.concat`).data.slice(ROW * 64, ROW * 64 + SIZE);
  const [scores, scaled, masked, weights] = ['scores', 'scaled', 'masked', 'weights'].map((name) => rowOf(own, name));
  const data = /** @type {any} */ ({
    ...{ query, key, value: vector(values, KEY), values, output, scores, scaled, masked, weights },
    ...{ column: KEY, row: ROW, columnWords: Array.from({ length: TOKENS }, String) },
  });
  assert.equal(
    stepsOf(data).reduce((sum, { frames }) => sum + frames, 0),
    LAST,
  );
  assert.equal(
    stepsOf(data).reduce((sum, { ms }) => sum + ms, 0),
    4000,
  );
  let sum = 0;
  for (let d = 0; d < SIZE; d++) {
    sum += query[d] * key[d];
    assertShown(frameAt(data, d + 1).number, sum, `dimension ${d}`);
  }
  assert.equal(frameAt(data, SIZE).number, scores[KEY], 'of all dimensions the module’s own');
  assert.deepEqual(
    [1, 2, 3].map((after) => frameAt(data, SIZE + after).number),
    [scaled[KEY], masked[KEY], weights[KEY]],
  );
  for (let keys = 1; keys <= TOKENS; keys++) {
    const { keys: summed } = frameAt(data, LAST - TOKENS + keys);
    assert.equal(summed, keys);
    sumAt(data, keys).forEach((z, d) => {
      const computed = weights.slice(0, keys).reduce((so, weight, s) => so + weight * values[s * SIZE + d], 0);
      assertShown(z, computed, `${keys} keys, dimension ${d}`);
    });
  }
  assert.deepEqual([positionAt(data, 0), positionAt(data, 1699), positionAt(data, 4000)], [1, SIZE, LAST]);
  const off = { ...data, set: true, output: new Float32Array(SIZE) };
  assertShown(
    frameAt(off, LAST).number,
    Math.hypot(...output),
    'of a head that is off the sum, not what is put in its place',
  );
  const positions = Array.from({ length: 400 }, (_, i) => positionAt(data, 10 * i));
  assert.deepEqual(
    positions,
    positions.toSorted((a, b) => a - b),
  );
  own.model.free();
});

test('a chosen cell plays once it is in sight, and ends on the whole story', async () => {
  const page = await tools.open();
  await ready(page);
  const bars = () =>
    page
      .locator('#computation .softmax rect')
      .evaluateAll((all) => all.map((each) => Number(each.getAttribute('width'))));
  await page.locator('#computation').scrollIntoViewIfNeeded();
  assert.equal(await line(page), '', 'nothing plays when the page opens');
  await update(page, () => page.locator('#text').pressSequentially(' on'));
  assert.equal(await page.locator('#computation .lit').count(), 0, 'nor while the reader types');
  await update(page, () => page.locator('#text').fill(SENTENCE));
  await point(page, '#heatmap', ROW, KEY, 'click');
  await page.locator('#computation').scrollIntoViewIfNeeded();
  const items = page.locator('#computation .story > li');
  await page.locator('#computation .story > li.lit').first().waitFor();
  // Each step lights in its turn.
  await page.waitForFunction(() => document.querySelector('#computation .story > li:nth-child(4).lit'));
  await page.waitForFunction(() => document.querySelector('#computation .player-play')?.textContent === 'Play');
  assert.equal(await page.locator('#computation :is(.lit, .ahead)').count(), 0);
  assert.equal(await range(page).inputValue(), String(LAST));
  assert.equal(await items.count(), 6);
  const own = compute(tools.gf, {});
  const weights = rowOf(own, 'weights');
  (await bars()).forEach((width, key) => assertShown(width, weights[key], `bar ${key}`));
  const whole = await page
    .locator('#computation .strip canvas')
    .evaluateAll((all) => all.map((each) => each.toDataURL()));

  // Dragged back and to the end again: the same picture.
  await range(page).fill('5');
  assert.match(await line(page), /^Query times key: sum up to dimension 4 of 15 = /);
  const [query, key] = [vector(vectors(own, 'query'), ROW), vector(vectors(own, 'key'), KEY)];
  const sumTo = (/** @type {number} */ end) => query.slice(0, end).reduce((so, q, d) => so + q * key[d], 0);
  for (const end of [1, 5, 6, 15, 16]) {
    await range(page).fill(String(end));
    assertShown(await shownNumber(page), sumTo(end), `sum of ${end} products`);
    assert.match((await range(page).getAttribute('aria-valuetext')) ?? '', /^Query times key: sum/);
  }
  await range(page).press('ArrowRight');
  assert.match(await line(page), /^Scale: /);
  assertShown(await shownNumber(page), rowOf(own, 'scaled')[KEY]);
  assert.notDeepEqual(
    await page.locator('#computation .strip canvas').evaluateAll((all) => all.map((each) => each.toDataURL())),
    whole,
  );
  assert((await bars()).every((width) => width === 0));
  const most = Math.max(...rowOf(own, 'masked'));
  await range(page).fill(String(SIZE + 3));
  (await bars()).forEach((width, at) =>
    assertShown(width, Math.exp(rowOf(own, 'masked')[at] - most), `e^(m − max) of ${at}`),
  );
  await range(page).press('End');
  assert.deepEqual(
    await page.locator('#computation .strip canvas').evaluateAll((all) => all.map((each) => each.toDataURL())),
    whole,
  );
  (await bars()).forEach((width, at) => assertShown(width, weights[at], `bar ${at}`));

  // Pause holds it; another cell shows whole unless it is chosen.
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await page.getByRole('button', { name: 'Pause' }).click();
  const held = await range(page).inputValue();
  assert(Number(held) < LAST);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  assert.equal(await range(page).inputValue(), held);
  await update(page, () => page.getByLabel('Divide scores').uncheck());
  await page.waitForFunction(() => !document.querySelector('#computation :is(.lit, .ahead)'));
  await tools.close(page);
});

test('where motion is reduced nothing plays by itself; it steps', async () => {
  const page = await tools.open({ reducedMotion: 'reduce' });
  await ready(page);
  await point(page, '#heatmap', ROW, KEY, 'click');
  await page.locator('#computation').scrollIntoViewIfNeeded();
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  assert.equal(await page.locator('#computation :is(.lit, .ahead)').count(), 0);
  assert.equal(await page.locator('#computation .player-play').isVisible(), false);
  const own = compute(tools.gf, {});
  const back = page.getByRole('button', { name: 'Step back' });
  const names = [];
  for (let i = 0; i < 5; i++) {
    await back.click();
    await page.waitForFunction(
      (last) => document.querySelector('.player-line')?.textContent !== last,
      names.at(-1) ?? '',
    );
    names.push(await page.locator('.player-line').textContent());
  }
  assert.deepEqual(
    names.map((name) => name?.split(':')[0]),
    ['Softmax', 'Mask', 'Scale', 'Query times key', 'Query times key'],
  );
  const forward = page.getByRole('button', { name: 'Step forward' });
  for (const [name, index] of /** @type {const} */ ([
    ['scores', 1],
    ['scaled', 2],
    ['masked', 3],
    ['weights', 4],
  ])) {
    await forward.press('Enter');
    await page.locator(`#computation .story > li:nth-child(${index}).lit`).waitFor();
    assertShown(await shownNumber(page), rowOf(own, name)[KEY], name);
  }
  await forward.press('Enter');
  await page.waitForFunction(() => !document.querySelector('#computation :is(.lit, .ahead)'));
  assert.match(await line(page), /^Weighted sum: length of the sum over 14 of 14 keys = /);
  await tools.close(page);
});
