// The FFN where the reader comes to it: its corpus is read then, the pointer pins a neuron, and many neurons fit.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { writeSafetensors } from 'glassformer';
import { assertAxe, map, openOwn, point, readout, ready, useBrowser } from '../browser.js';
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
  await page.locator('#neurons button').first().waitFor();
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

/** The boxes of the chosen column's number, the chosen row's word and the chosen cell; what stands behind the map. */
const inWindow = (/** @type {import('playwright-core').Page} */ page) =>
  page.evaluate(() => {
    const root = /** @type {HTMLElement} */ (document.getElementById('ffn'));
    const box = (/** @type {Element} */ each) => {
      const { left, top, right, bottom } = each.getBoundingClientRect();
      return { left, top, right, bottom };
    };
    const scroll = box(/** @type {Element} */ (root.querySelector('.map-scroll')));
    const columns = [...root.querySelectorAll('.map-columns bdi')];
    const [pin, number, word] = ['.map-pin', '.map-columns .here', '.map-rows .here'].map((each) =>
      box(/** @type {Element} */ (root.querySelector(each))),
    );
    return {
      ...{ pin, number, word, scroll, width: innerWidth, height: innerHeight },
      names: columns
        .map((each) => ({ name: each.textContent, ...box(each) }))
        .sort((a, b) => a.left - b.left)
        .map(({ name, left, right }) => ({ name: String(name), left, right })),
      pages: box(/** @type {Element} */ (root.querySelector('.neuron-pages'))),
    };
  });

/** @param {Awaited<ReturnType<typeof inWindow>>} frame @param {string} where */
function assertLegible({ pin, number, word, scroll, names, pages, width, height }, where) {
  for (const [name, each] of Object.entries({ pin, number, word, pages })) {
    const said = `${where}: ${name} ${JSON.stringify(each)}`;
    assert.ok(each.left >= 0 && each.top >= 0 && each.right <= width && each.bottom <= height, said);
    if (name !== 'pages')
      assert.ok(each.left >= scroll.left && each.right <= scroll.right && each.bottom <= scroll.bottom, said);
  }
  assert.equal(names.at(-1)?.name, 'rest', where);
  assert.ok(names.length >= 15, `${where}: ${names.length} columns`);
  assert.ok(
    names.slice(0, -1).every(({ name }) => /^\d+$/.test(name)),
    `${where}: ${names.map(({ name }) => name)}`,
  );
  const middles = names.map(({ left, right }) => (left + right) / 2);
  const steps = middles.slice(1).map((each, i) => each - middles[i]);
  assert.ok(
    Math.min(...steps) >= 12 && Math.max(...steps) - Math.min(...steps) < 1,
    `${where}: each is named: ${steps}`,
  );
}

/** GPT-2's layout with 3,072 neurons in two narrow layers. */
function gpt2() {
  const of = (/** @type {string} */ file) =>
    readFileSync(new URL(`../../checkpoints/gpt2-2l/${file}`, import.meta.url));
  const config = JSON.parse(String(of('config.json')));
  const { n_embd: width, n_positions: length, vocab_size: vocabulary } = config;
  const neurons = 3072;
  let seed = 1;
  const noise = () => (seed = (seed * 16807) % 2147483647) / 2147483647 - 0.5;
  /** @type {Map<string, {data: Float32Array, shape: number[]}>} */
  const tensors = new Map();
  const put = (/** @type {string} */ name, /** @type {number[]} */ shape, /** @type {() => number} */ value = noise) =>
    tensors.set(name, { data: Float32Array.from({ length: shape.reduce((a, b) => a * b) }, value), shape });
  const norm = (/** @type {string} */ name) => {
    put(`${name}.weight`, [width], () => 1);
    put(`${name}.bias`, [width], () => 0);
  };
  const linear = (/** @type {string} */ name, /** @type {number} */ from, /** @type {number} */ to) => {
    put(`${name}.weight`, [from, to]);
    put(`${name}.bias`, [to], () => 0);
  };
  put('wte.weight', [vocabulary, width]);
  put('wpe.weight', [length, width]);
  for (const layer of [0, 1]) {
    norm(`h.${layer}.ln_1`);
    linear(`h.${layer}.attn.c_attn`, width, 3 * width);
    linear(`h.${layer}.attn.c_proj`, width, width);
    norm(`h.${layer}.ln_2`);
    linear(`h.${layer}.mlp.c_fc`, width, neurons);
    linear(`h.${layer}.mlp.c_proj`, neurons, width);
  }
  norm('ln_f');
  const asFile = (/** @type {string} */ name, /** @type {Uint8Array} */ bytes) => ({
    ...{ name, mimeType: 'application/octet-stream', buffer: Buffer.from(bytes) },
  });
  return [
    asFile('config.json', Buffer.from(JSON.stringify({ ...config, n_inner: neurons }))),
    asFile('model.safetensors', writeSafetensors(tensors)),
    asFile('tokenizer.json', of('tokenizer.json')),
  ];
}

const SIZES = [
  { width: 1440, height: 900 },
  { width: 1280, height: 720 },
];

for (const viewport of SIZES)
  test(`many neurons at ${viewport.width} × ${viewport.height}: numbered columns, the chosen in sight`, async () => {
    const page = await tools.open({ at: '#/explore?model=austen&head=3.1&part=ffn', viewport });
    await page.locator('#ffn .map-readout strong').waitFor();
    assertLegible(await inWindow(page), 'Austen, layer 3');
    const here = await page.locator('#ffn .map-columns .here').innerText();
    const status = () => page.locator('.neuron-pages [role=status]').innerText();
    const turned = (/** @type {string} */ before) =>
      page.waitForFunction(
        (text) => document.querySelector('.neuron-pages [role=status]')?.textContent !== text,
        before,
      );
    const first = await status();
    assert.match(first, /^1–\d+ of 688$/);
    await page.locator('.neuron-pages button').last().click();
    await turned(first);
    const next = await inWindow(page);
    assertLegible(next, 'Austen, the next');
    assert.ok(
      next.names.some(({ name }) => name === here),
      'the chosen neuron comes along',
    );
    // With the keyboard through the last column to the next neurons, then into another row.
    await map(page, '#ffn').focus();
    const second = await status();
    await page.keyboard.press('End');
    await turned(second);
    await page.keyboard.press('ArrowUp');
    await page
      .locator('#ffn .map-readout bdi')
      .filter({ hasText: `row ␣a, neuron ${here}` })
      .waitFor();
    assertLegible(await inWindow(page), 'Austen, by keyboard');
    await assertAxe(page, 'the map of many neurons', '#ffn');
    await tools.close(page);

    const own = await tools.open({ model: 'creek', layout: '', viewport });
    await ready(own);
    await openOwn(own, gpt2());
    await own.locator('body[data-model^="file."]').waitFor();
    await ready(own);
    await own.locator('#model-graph [data-term="FFN"]').last().click();
    await own.locator('.neuron-pages').filter({ hasText: 'of 3,072' }).waitFor();
    const isShown = async () => (await inWindow(own)).pin.bottom <= viewport.height;
    for (let i = 0; i < 50 && !(await isShown()); i++) await own.waitForTimeout(100); // its style is late
    assertLegible(await inWindow(own), 'GPT-2');
    await tools.close(own);
  });
