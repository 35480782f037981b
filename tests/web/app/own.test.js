// The reader's own models in this project's format, in Chromium: chosen, dropped, asked for by a link,
// kept. Refused: own-refused.test.js.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeSafetensors } from 'glassformer';
import { until } from '../engines.js';
import {
  askForOwn,
  assertAxe,
  headOf,
  listedAnswers,
  openOwn,
  point,
  readout,
  ready,
  update,
  useBrowser,
} from '../browser.js';
import { formatShare, shortValue } from '../../../web/draw/numbers.js';

const tools = useBrowser();
/** @typedef {import('playwright-core').Page} Page */

const WORDS = ['[PAD]', '[MASK]', 'the', 'creek', 'was', 'cold', 'dog', 'jump', 'over', 'it', '.'];
const SIZES = { d_model: 16, heads: 2, layers: 2, d_ff: 32 };

/** @param {object} config @param {object} [saved] */
async function make(config, saved = {}) {
  const model = tools.gf.createModel({ ...SIZES, ...config });
  return { model, file: Buffer.from(await model.save(saved)) };
}
const masked = () => make({ kind: 'encoder', vocabulary: WORDS.length, head: 'tied', seed: 4 }, { vocabulary: WORDS });
const ofIds = () =>
  make({
    kind: 'decoder',
    vocabulary: 7,
    head: 'linear',
    positions: 'learned',
    maxLength: 8,
    seed: 5,
    weights: 'bf16',
  });

/** @param {string} name @param {Buffer} buffer */
const asFile = (name, buffer) => ({ name, mimeType: 'application/octet-stream', buffer });

/** Drops files in the middle of the page. @param {Page} page @param {ReturnType<typeof asFile>[]} files */
async function drop(page, files) {
  const given = files.map(({ name, buffer }) => ({ name, bytes: buffer.toString('base64') }));
  const data = await page.evaluateHandle((all) => {
    const transfer = new DataTransfer();
    for (const { name, bytes } of all)
      transfer.items.add(new File([Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0))], name));
    return transfer;
  }, given);
  await page.dispatchEvent('#heatmap', 'dragenter', { dataTransfer: data });
  await page.waitForFunction(() => document.querySelector('.own'));
  await page.dispatchEvent('#heatmap', 'dragover', { dataTransfer: data });
  assert(await page.evaluate(() => document.documentElement.hasAttribute('data-dropping')));
  await page.dispatchEvent('#heatmap', 'drop', { dataTransfer: data });
}

/** @param {Page} page @param {string} name */
const shows = (page, name) =>
  page.waitForFunction(
    (wanted) =>
      document.querySelector('.model:has(:checked)')?.textContent?.includes(wanted) &&
      document.querySelector('#heatmap .map-readout strong'),
    name,
  );

/**
 * Pins a cell, and waits until it is read.
 * @param {Page} page
 * @param {number} row
 * @param {number} key
 * @param {number} size rows of the map
 */
async function pin(page, row, key, size) {
  await page.waitForFunction(
    (rows) =>
      /** @type {HTMLCanvasElement} */ (document.querySelector('#heatmap [role=application] canvas')).height === rows,
    size,
  );
  await point(page, '#heatmap', row, key, 'click');
  await page
    .locator('#heatmap .map-note')
    .filter({ hasText: `[${row}, ${key}]` })
    .waitFor();
}

/** Node’s numbers. @param {any} model @param {number[]} ids @param {string[]} words @param {number} row */
function computed(model, ids, words, row) {
  model.forward({ ids, capture: true });
  const { data } = tools.gf.softmax(model.tensor('logits'));
  const width = words.length;
  const best = [...data.subarray(row * width, (row + 1) * width).entries()].sort((a, b) => b[1] - a[1]).slice(0, 5);
  return {
    /** @param {string} stack @param {[number, number]} layerAndHead @param {number} at @param {number} key */
    weight: (stack, [layer, head], at, key) =>
      model.tensor(`${stack}.layers.${layer}.self_attn.weights`).data[(head * ids.length + at) * ids.length + key],
    best: best.map(([id, probability]) => [words[id], formatShare(probability)]),
  };
}

test('a file that is chosen: its words, Node’s numbers, a link that asks for it, and then shows the same', async () => {
  const { model, file } = await masked();
  const page = await tools.open({ model: '', layout: 'workspace', viewport: { width: 1600, height: 1100 } });
  await ready(page);
  await update(page, () => openOwn(page, [asFile('little.safetensors', file)]));
  await shows(page, 'little: your own');
  assert.equal(await page.locator('.own').isVisible(), false);
  await update(page, () => page.locator('#text').fill('the creek was cold zebra [MASK] .'));
  await page.locator('#text').blur();
  await page.getByText('“zebra” is not in this model’s vocabulary (11 tokens) and left out.').waitFor();
  const ids = [2, 3, 4, 5, 1, 10];
  await pin(page, 4, 2, 6);
  const own = computed(model, ids, WORDS, 4);
  assert.equal((await readout(page)).value, own.weight('encoder', await headOf(page), 4, 2).toFixed(4));
  assert.deepEqual(await listedAnswers(page), own.best);
  assert.match(await page.locator('.answers-title').innerText(), /Prediction for \[MASK\]/);
  await page.waitForFunction(() => /zebra.*&row=4&key=2$/.test(location.hash)); // written once the state rests
  const link = await page.evaluate(() => location.hash);
  assert.match(link, /^#\/explore\?model=file\.little\.\d+\.[0-9a-f]{64}&/);
  const shown = await readout(page);
  await tools.close(page);

  const other = await tools.open({ at: link });
  await other.getByText('This link shows the model little').waitFor();
  assert.match(await other.locator('.own').innerText(), new RegExp(file.length.toLocaleString('en')));
  assert.equal(await other.locator('#heatmap').isVisible(), false, 'in place of the map');
  await assertAxe(other);
  await openOwn(other, [asFile('ids.safetensors', (await ofIds()).file)]);
  await other.getByText('“ids.safetensors” is another file: it has').waitFor();
  await openOwn(other, [asFile('called-otherwise.safetensors', file)]);
  await shows(other, 'little');
  assert.deepEqual(await readout(other), shown);
  assert.deepEqual(await listedAnswers(other), own.best);
  assert.equal(await other.locator('#text').inputValue(), 'the creek was cold zebra [MASK] .');
  assert.equal(await other.evaluate(() => location.hash), link);
  await tools.close(other);
});

/**
 * Opens the fold that holds the facts of the model, which are fetched then.
 * @param {import('playwright-core').Page} page
 */
const openSettings = (page) =>
  page.evaluate(() => void Reflect.set(/** @type {object} */ (document.getElementById('settings-box')), 'open', true));

test('a file in 16 bits without words that is dropped: ids as words, what it writes, learned positions', async () => {
  const { model, file } = await ofIds();
  const page = await tools.open({ model: '', layout: 'workspace' });
  await ready(page);
  await update(page, () => drop(page, [asFile('ids.safetensors', file)]));
  await shows(page, 'ids: your own');
  await update(page, () => page.locator('#text').fill('3 1 4 1'));
  await pin(page, 3, 1, 4);
  const own = computed(model, [3, 1, 4, 1], [...'0123456'], 3);
  assert.equal((await readout(page)).value, own.weight('decoder', await headOf(page), 3, 1).toFixed(4));
  assert.deepEqual(await listedAnswers(page), own.best);
  await page.getByRole('button', { name: 'Generate' }).click();
  await page.waitForFunction(() => document.querySelectorAll('.continuation output span').length === 4);
  const card = page.locator('#model-card');
  await openSettings(page);
  await card.getByText('bfloat16', { exact: true }).waitFor();
  await tools.close(page);
});

test('a model without output head, and one with a target of its own: every view draws or says why not', async () => {
  const wide = await make({ kind: 'encoder', vocabulary: 7, seed: 6, d_model: 32 });
  const { model: bare, weightsError } = await tools.gf.loadModel(wide.file, { weights: 'int8' });
  const both = await make({ kind: 'encoder-decoder', vocabulary: 7, targetVocabulary: 6, head: 'linear', seed: 6 });
  const page = await tools.open({ model: '' });
  await ready(page);
  const bareFile = asFile('bare.safetensors', Buffer.from(await bare.save()));
  await update(page, () => openOwn(page, [bareFile]));
  await shows(page, 'bare, approximate (8 bits)');
  const { rms, spread } = weightsError;
  const card = page.locator('#model-card');
  await openSettings(page);
  await card.getByText(`${shortValue(rms)} (RMS), of a spread of ${shortValue(spread)}`).waitFor();
  await card.evaluate((each) => void (/** @type {HTMLDetailsElement} */ (each.closest('details').open = false)));
  await page.locator('#logits').getByText('This model has no output table').waitFor();
  assert.equal(await page.locator('#notices').innerText(), '');
  assert.equal(await page.locator('.head').count(), 4);
  await update(page, () => openOwn(page, [asFile('both.safetensors', both.file)]));
  await shows(page, 'both');
  assert.equal(await page.locator('#notices').innerText(), '');
  assert.equal(await page.locator('#text').inputValue(), '0 1 2 3 4 5');
  await tools.close(page);
});

test('weights beside a config.json', async () => {
  const { model } = await masked();
  const plain = Buffer.from(writeSafetensors(model.weights()));
  const page = await tools.open({ model: '', layout: 'workspace' });
  await ready(page);
  const json = Buffer.from(JSON.stringify(model.config));
  await update(page, () => openOwn(page, [asFile('config.json', json), asFile('plain.safetensors', plain)]));
  await shows(page, 'plain: your own');
  await update(page, () => page.locator('#text').fill('2 3 9'));
  await pin(page, 2, 0, 3);
  const own = computed(model, [2, 3, 9], WORDS, 2);
  assert.equal((await readout(page)).value, own.weight('encoder', await headOf(page), 2, 0).toFixed(4));
  await tools.close(page);
});

test('kept in this browser where the reader wants it, opened from there by its link, and forgotten', async () => {
  const { file } = await masked();
  const page = await tools.open({ model: '', layout: 'workspace' });
  await ready(page);
  await page.locator('#models summary').focus();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Open your own model…' }).focus();
  await page.keyboard.press('Enter');
  await page.getByLabel('Keep in this browser').check();
  await update(page, () => openOwn(page, [asFile('little.safetensors', file)]));
  await shows(page, 'little');
  await page.waitForFunction(() => location.hash.includes('model=file.'));
  await until(page, async () => {
    const all = await indexedDB.databases();
    return all.some(({ name }) => name === 'glassformer-models');
  });
  await page.reload();
  await shows(page, 'little');
  await askForOwn(page);
  const kept = page.locator('.own-kept');
  assert.match(await kept.innerText(), /little\s+\d+ kB/);
  await page.getByRole('button', { name: 'Forget little' }).click();
  await page.waitForFunction(() => !document.querySelector('.own-kept'));
  await page.reload();
  await page.getByText('This link shows the model little').waitFor();
  await tools.close(page);
});

test('storage that is refused is said once', async () => {
  const { file } = await masked();
  const page = await tools.open({
    model: '',
    layout: 'workspace',
    setUp: (page) =>
      page.addInitScript(() => {
        IDBFactory.prototype.open = () => {
          throw new DOMException('The user denied permission', 'SecurityError');
        };
      }),
  });
  await ready(page);
  await askForOwn(page);
  await page.getByText('This browser keeps no models: The user denied permission.').waitFor();
  await update(page, () => openOwn(page, [asFile('little.safetensors', file)]));
  await shows(page, 'little');
  await askForOwn(page);
  assert.equal(await page.getByText('This browser keeps no models').count(), 0);
  await tools.close(page);
});
