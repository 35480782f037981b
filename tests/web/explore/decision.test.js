// "What decided this?" on the page: a click and its link, the search cancelled, a patch that does not fit, a model of
// the reader's own.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  assertAxe,
  assertShown,
  beforeWorker,
  listedAnswers,
  map,
  openOwn,
  point,
  readout,
  ready,
  update,
  useBrowser,
} from '../browser.js';
import { formatShare } from '../../../web/draw/share.js';
import { creekIn } from './decided.js';

const tools = useBrowser();
/** @typedef {import('playwright-core').Page} Page */

const TIRED = 'The dog did not jump over the creek because it was tired.';
const AT = `#/explore?model=creek&text=${encodeURIComponent(TIRED)}&follow=1`;

/** @param {Page} page */
async function ask(page) {
  await page.locator('#decide').click();
  await page.locator('.decision-words').waitFor();
}

test('a click leads to the state, Enter back, its link restores it, and the graph marks what decides', async () => {
  const page = await tools.open({ at: AT });
  await ready(page);
  await ask(page);
  const node = creekIn(tools.gf);
  const patched = node.answers(node.patch(2, 9));
  await update(page, () => point(page, '#decision .decision-stream', 2, 9, 'click'));
  const [first, after] = (await listedAnswers(page))[0];
  assert.equal(first, node.vocabulary[patched.indexOf(Math.max(...patched))]);
  assert.equal(String(after).split('→').at(-1)?.trim(), formatShare(Math.max(...patched)));
  assert.match(await page.locator('.chips').innerText(), /Encoder layer 2, it: from the other sentence/);
  assert.match(await page.locator('.decision-stream .decision-cell').innerText(), /shown now/);
  const shown = await listedAnswers(page);
  await page.waitForFunction(() => location.hash.includes('changes='));
  const link = await page.evaluate(() => location.hash);

  await map(page, '#decision .decision-stream').focus();
  await update(page, () => page.keyboard.press('Enter'));
  assert.equal(await page.locator('.chips').count(), 0);
  await tools.close(page);

  const again = await tools.open({ at: link });
  await ready(again);
  await again.locator('.decision-words').waitFor();
  assert.deepEqual(await listedAnswers(again), shown);
  assert.match(await again.locator('.chips').innerText(), /it: from the other sentence/);
  assert(
    (await again.locator('#model-graph .decisive').count()) === 3,
    'one node of each layer is marked, or one head',
  );
  await again.getByRole('button', { name: 'Close' }).click();
  assert.equal(await again.locator('#model-graph .decisive').count(), 0);
  await tools.close(again);
});

test('it can be cancelled, and is not there without an answer in words', async () => {
  const slow = `{
    const { instantiate } = WebAssembly;
    WebAssembly.instantiate = async (...all) => {
      const { exports } = await instantiate(...all);
      return { exports: { ...exports, gf_model_forward_patched(...values) {
        for (const end = performance.now() + 40; performance.now() < end;);
        return exports.gf_model_forward_patched(...values);
      } } };
    };
  }`;
  const page = await tools.open({ at: AT, setUp: beforeWorker(slow) });
  await ready(page);
  await page.locator('#decide').click();
  await page.getByText(/^[1-9]\d* of 57 passes$/).waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.locator('#decision').waitFor({ state: 'hidden' });
  await page.evaluate(() => performance.clearMeasures());
  await page.waitForTimeout(500);
  assert.equal((await page.evaluate(() => performance.getEntriesByName('glassformer:update').length)) <= 1, true);
  assert.equal(await page.locator('#decide').getAttribute('aria-expanded'), 'false');
  await tools.close(page);
  const untrained = await tools.open();
  await ready(untrained);
  assert.equal(await untrained.locator('#decide').isVisible(), false);
  await tools.close(untrained);
});

test('a patch that does not fit is refused by its name', async () => {
  const patch = { what: 'patch', kind: 'encoder', after: 1, row: 2, from: [1, 2, 3], share: 1 };
  for (const [change, says] of /** @type {[object, RegExp][]} */ ([
    [
      patch,
      /“Encoder layer 1, token 2: from the other sentence”: the other sentence has 3 tokens, this one 13\. Remove/,
    ],
    [
      { ...patch, from: Array(13).fill(9999) },
      /“Encoder layer 1, token 2: from the other sentence”: the model cannot read the other sentence\./,
    ],
    [{ ...patch, from: 'mean', row: 40 }, /does not exist in this text/],
    [{ ...patch, from: 'mean', after: 40 }, /does not exist in this model/],
    [{ ...patch, share: 2 }, /changes/],
  ])) {
    const page = await tools.open({ at: `${AT}&changes=${encodeURIComponent(JSON.stringify([change]))}` });
    await page.getByText(says).first().waitFor();
    await tools.close(page);
  }
});

test('a BERT of the reader’s own: the mean of the tokens, and axe finds nothing in the open panel', async () => {
  const page = await tools.open({ model: '', layout: 'workspace' });
  await ready(page);
  const folder = (/** @type {string} */ name) =>
    readFileSync(new URL(`../../checkpoints/bert-2l/${name}`, import.meta.url));
  const names = ['config.json', 'model.safetensors', 'tokenizer.json'];
  const files = names.map((name) => ({ name, mimeType: 'application/octet-stream', buffer: folder(name) }));
  await update(page, () => openOwn(page, files));
  await ask(page);
  const [config, weights, tokens] = files.map(({ buffer }) => buffer);
  const { model, tokenizer } = await tools.gf.loadModel({ config, weights, tokenizer: tokens });
  const { ids } = /** @type {any} */ (tokenizer).encode('The dog wanted to [MASK] over the creek.');
  const row = ids.indexOf(/** @type {any} */ (tokenizer).id('[MASK]'));
  /** @param {any[]} [patches] */
  function answers(patches = []) {
    const { data, shape } = /** @type {any} */ (model.forward({ ids, capture: true, patches }).logits);
    return tools.gf.softmax({ data: data.slice(row * shape[2], (row + 1) * shape[2]), shape: [1, shape[2]] }).data;
  }
  const plain = answers();
  const answer = plain.indexOf(Math.max(...plain));
  const name = 'encoder.layers.0.out';
  const { data, shape } = model.tensor(name);
  const value = Array.from(
    { length: shape[2] },
    (_, i) => ids.reduce((sum, __, token) => sum + data[token * shape[2] + i], 0) / ids.length,
  );
  const patched = answers([{ name, index: [0, 2, null], value }]);
  assert.match(await page.locator('.decision-head .hint').innerText(), /replaced by the mean/);
  await point(page, '#decision .decision-stream', 1, 2);
  const { number } = await readout(page, '#decision .decision-stream');
  assertShown(number, patched[answer] - plain[answer]);
  await assertAxe(page, '', '#decision, #decide');
  await tools.close(page);
});
