// Two states side by side: three numbers at the cursor, each against the module's own.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attentionName, ffnName } from '../../../web/engine/plan.js';
import { largest } from '../../../web/explore/try/largest.js';
import { assertShown, compute, point, readout, ready, shipped, update, useBrowser } from '../browser.js';

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
  const inOrder = [shown[2], shown[0], shown[1]];
  own.forEach((text, i) => assert.equal(Number(text.replace('−', '-')), inOrder[i], 'each map says its own'));
}

test('other tokens are not laid over each other: it says what differs', async () => {
  const page = await tools.open();
  await ready(page);
  await page.getByRole('button', { name: 'Pin this state' }).click();
  await update(page, () => page.locator('#text').fill('on it goes'));
  // what compares is fetched by now, or soon
  await page.getByText(/Before: 14 tokens, now: 3/).waitFor();
  await update(page, () => page.locator('#text').fill('The creek was warm and the spunky dog wanted to jump over it.'));
  await page.getByText(/Token 3 was “cold” and is “warm” now/).waitFor();
  assert.equal(await page.locator('.compare-head').isVisible(), false);
  await page.getByRole('button', { name: 'Unpin' }).click();
  await page.locator('#compare').waitFor({ state: 'hidden' });
  await tools.close(page);
});

test('the FFN is compared in the order that the reader chose for the neurons', async () => {
  const page = await tools.open({ model: 'untrained&neurons=token' });
  await ready(page);
  await page.getByRole('button', { name: 'Pin this state' }).click();
  await page.getByText('No attention weight and no neuron differs').waitFor();
  await update(page, () => page.locator('#set-scoreScale').uncheck());
  await page.selectOption('.compared', 'selected');
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

test('the largest difference of two tensors: as a search by hand finds it, whatever the numbers', () => {
  let seed = 1;
  const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  const odd = [0, NaN, Infinity, -Infinity, 1];
  for (let round = 0; round < 200; round++) {
    const parts = 1 + Math.floor(random() * 4);
    const size = 1 + Math.floor(random() * 5);
    const draw = () => (random() < 0.2 ? odd[Math.floor(random() * odd.length)] : random() - 0.5);
    const then = Float32Array.from({ length: parts * size }, draw);
    const now = then.map((value) => (random() < 0.5 ? value : draw()));
    const differences = [...now.keys()].map((i) => (now[i] === then[i] ? 0 : Math.abs(now[i] - then[i]) || 0));
    const most = Math.max(...differences);
    const found = largest(now, then, parts);
    if (most === 0) assert.equal(found, null);
    else {
      const at = differences.indexOf(most);
      assert.deepEqual(
        [found?.part, found?.at, found?.difference],
        [Math.floor(at / size), at % size, now[at] - then[at]],
      );
    }
    assert.equal(largest(now, then, parts), found, 'searched for once');
    assert.equal(largest(now, now.slice(), parts)?.difference, undefined, 'nothing differs from its copy');
  }
});

const KNOWN = 'the creek was cold and the spunky dog wanted to jump over it .';

/**
 * Creek in Node as trained and with a head off, and where the two differ most.
 * @param {number} layer
 */
function creekWithHeadOff(layer) {
  const both = [
    [],
    [{ name: attentionName('encoder', layer, 'head_outputs'), index: [0, 0, null, null], value: 0 }],
  ].map((patches) => {
    const own = shipped(tools.gf, 'creek');
    own.model.forward({ ids: own.ids(KNOWN), capture: true, patches });
    return own;
  });
  /** @param {(layer: number) => string} nameOf */
  const most = (nameOf) => {
    const all = Array.from({ length: both[0].config.layers }, (_, at) => {
      const [then, now] = both.map(({ model }) => model.tensor(nameOf(at)).data);
      return [...now].map((value, i) => ({ layer: at, i, difference: value - then[i] }));
    }).flat();
    return all.reduce((best, each) => (Math.abs(each.difference) > Math.abs(best.difference) ? each : best));
  };
  return {
    both,
    head: most((at) => attentionName('encoder', at, 'weights')),
    neuron: most((at) => ffnName('encoder', at, 'activation')),
  };
}

test('opens on the head and the neuron that differ most, and says which; the selected ones are a choice', async () => {
  const words = KNOWN.split(' ');
  const { both, head, neuron } = creekWithHeadOff(0);
  const [then, now] = both;
  assert(head.layer > 0, 'the change shows elsewhere');
  const page = await tools.open({ model: 'creek&head=1.1&row=12&key=1&neuron=0&neurons=index' });
  await ready(page);
  await page.getByRole('button', { name: 'Pin this state' }).click();
  await page.getByText('No attention weight and no neuron differs').waitFor();
  await update(page, () => page.locator('#change-head').getByRole('button', { name: 'Switch off' }).click());
  const note = page.locator('.compare-most');
  await note.waitFor();
  const cell = words.length ** 2;
  const [at, row, column] = [
    Math.floor(head.i / cell),
    Math.floor((head.i % cell) / words.length),
    head.i % words.length,
  ];
  const { d_ff } = then.config;
  const signed = (/** @type {number} */ value) => `${value > 0 ? '\\+' : '−'}${Math.abs(value).toFixed(4)}`;
  assert.match(
    (await note.innerText()).replace(/\s+/g, ' '),
    new RegExp(
      `^Weights differ most in layer ${head.layer + 1}, head ${at + 1}: “?${words[row]}”? → “?${words[column]}”? ` +
        `${signed(head.difference)} Select this head Neurons differ most in layer ${neuron.layer + 1}: ` +
        `neuron ${neuron.i % d_ff} at “?${words[Math.floor(neuron.i / d_ff)]}”? ${signed(neuron.difference)} Select`,
    ),
  );
  const weights = attentionName('encoder', head.layer, 'weights');
  await shows(page, 'head', then.at(weights, 0, at, 12, 1), now.at(weights, 0, at, 12, 1));
  const activation = ffnName('encoder', neuron.layer, 'activation');
  await shows(page, 'ffn', then.at(activation, 0, 12, 0), now.at(activation, 0, 12, 0));
  await page.selectOption('.compared', 'selected');
  const own = attentionName('encoder', 0, 'weights');
  await shows(page, 'head', then.at(own, 0, 0, 12, 1), then.at(own, 0, 0, 12, 1));
  await page.selectOption('.compared', 'most');
  await page.getByRole('button', { name: 'Select this head' }).click();
  await page
    .getByText(`layer ${head.layer + 1}, head ${at + 1} of`)
    .first()
    .waitFor();
  const { place, number } = await readout(page);
  assert.equal(place, `row ${words[row]}, column ${words[column]}`);
  assertShown(number, now.at(weights, 0, at, row, column));
  await page.getByRole('button', { name: 'Select this neuron' }).click();
  await page.waitForFunction(
    (text) => document.querySelector('#ffn .map-readout bdi')?.textContent === text,
    `row ${words[Math.floor(neuron.i / d_ff)]}, neuron ${neuron.i % d_ff}`,
  );
  await tools.close(page);
});

test('the answer says first what has changed since the pin; the difference takes the place of the map', async () => {
  const [then, now] = creekWithHeadOff(0).both.map(({ probabilities, vocabulary }) =>
    probabilities().data.slice(12 * vocabulary.length, 13 * vocabulary.length),
  );
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
    await update(page, () => page.locator('#change-head').getByRole('button', { name: 'Switch off' }).click());
    await page.locator('.compare-head .map-grid').first().waitFor();
    const [first] = await page.locator('.answers-list li').allInnerTexts();
    const percent = (/** @type {Float32Array} */ all) => Math.round(100 * Math.max(...all));
    assert.match(first.replace(/\s+/g, ' '), new RegExp(`^creek ${percent(then)} → ${percent(now)} %`));
    const after = await grid('.compare-head');
    for (const side of /** @type {const} */ (['x', 'y', 'width', 'height']))
      assert(Math.abs(Number(before?.[side]) - Number(after?.[side])) <= 2, `${width}: ${side}`);
    assert.deepEqual(pinned, before, 'a pin alone moves nothing');
    await tools.close(page);
  }
});

test('where a head of the last layer is off no weight differs: it opens on the FFN', async () => {
  const last = creekWithHeadOff(2);
  assert.equal(last.head.difference, 0);
  const page = await tools.open({ model: 'creek&head=3.1&row=12&key=1&neuron=5&neurons=index' });
  await ready(page);
  await page.getByRole('button', { name: 'Pin this state' }).click();
  await page.getByText('No attention weight and no neuron differs').waitFor();
  await update(page, () => page.locator('#change-head').getByRole('button', { name: 'Switch off' }).click());
  await page.getByText('No attention weight differs').waitFor();
  assert.equal(await page.locator('.compare-head').isVisible(), false);
  const name = ffnName('encoder', last.neuron.layer, 'activation');
  await shows(page, 'ffn', last.both[0].at(name, 0, 12, 5), last.both[1].at(name, 0, 12, 5));
  await tools.close(page);
});

test('in the workspace it stands above the map, and has what it takes without the view of the FFN', async () => {
  const page = await tools.open({ model: 'creek&head=3.1&row=12&key=1&neurons=index', layout: 'workspace' });
  await ready(page);
  await page.locator('#try-more > summary').click();
  await page.getByRole('button', { name: 'Pin this state' }).click();
  await page.getByText('No attention weight and no neuron differs').waitFor();
  await update(page, () => page.locator('#change-head').getByRole('button', { name: 'Switch off' }).click());
  await page.getByText('Neurons differ most in layer 3').waitFor();
  const { both, neuron } = creekWithHeadOff(2);
  const name = ffnName('encoder', 2, 'activation');
  const { d_ff } = both[0].config;
  const at = [Math.floor(neuron.i / d_ff), neuron.i % d_ff];
  await page.getByRole('button', { name: 'Select this neuron' }).click();
  await page.waitForFunction(
    (text) => document.querySelector('.compare-ffn .compare-readout bdi')?.textContent?.endsWith(text),
    `neuron ${at[1]}`,
  );
  await shows(page, 'ffn', both[0].at(name, 0, ...at), both[1].at(name, 0, ...at));
  const [own, other] = await Promise.all(
    ['section:has(> #compare)', '.map-panel'].map((each) => page.locator(each).boundingBox()),
  );
  assert(Number(own?.y) < Number(other?.y));
  await tools.close(page);
});
