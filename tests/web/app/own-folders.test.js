// Folders of checkpoints in Explore, in Chromium: in parts, dropped, with other files beside; progress, and what is
// cancelled half way.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readSafetensors, writeSafetensors } from 'glassformer';
import { makeBig } from '../../checkpoints/make-big.mjs';
import { ownName } from '../../../web/app/own/files.js';
import { askForOwn, beforeWorker, listedAnswers, openMenu, ready, update, useBrowser } from '../browser.js';
import { JSONS, bert, sharded } from './bert.js';
import { savedOf, writeTorch } from '../../js/torch-writer.js';
import { formatShare } from '../../../web/draw/numbers.js';

const tools = useBrowser();
const place = mkdtempSync(join(tmpdir(), 'own-folders-'));
after(() => rmSync(place, { recursive: true }));
/** @typedef {import('playwright-core').Page} Page */

const TEXT = 'The dog wanted to [MASK] over the creek.';

/** A folder of these files. @param {string} name @param {Record<string, string | Uint8Array>} files */
function folder(name, files) {
  const made = join(place, name);
  for (const [file, data] of Object.entries(files)) {
    mkdirSync(join(made, file, '..'), { recursive: true });
    writeFileSync(join(made, file), data);
  }
  return made;
}

/** Node's five likeliest words at the mask. */
async function expected() {
  const [config, weights, tokens] = ['config.json', 'model.safetensors', 'tokenizer.json'].map(bert);
  const { model, tokenizer } = await tools.gf.loadModel({ config, weights, tokenizer: tokens });
  const words = /** @type {any} */ (tokenizer);
  const { ids } = words.encode(TEXT);
  model.forward({ ids });
  const { data } = tools.gf.softmax(/** @type {any} */ (model.tensor('logits')));
  const width = data.length / ids.length;
  const row = ids.indexOf(words.special.mask);
  const at = [...data.subarray(row * width, (row + 1) * width).entries()].sort((a, b) => b[1] - a[1]).slice(0, 5);
  model.free();
  return at.map(([id, probability]) => [words.label(id), formatShare(probability)]);
}

/** @param {Page} page @param {string} title */
async function showsBert(page, title) {
  await page.locator('.model:has(:checked)').filter({ hasText: title }).waitFor({ state: 'attached' });
  await page.locator('.answers-title').filter({ hasText: '[MASK]' }).waitFor();
  assert.deepEqual(await listedAnswers(page), await expected());
}

/** @param {Page} page @param {string} path */
async function choose(page, path) {
  if (!(await page.locator('.own').isVisible())) await askForOwn(page);
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Choose a folder…' }).click(),
  ]);
  await chooser.setFiles(path);
}

/** Imitates the system's events when something is dropped. @param {Page} page @param {string[]} files */
async function drop(page, files) {
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files, dragOperationsMask: 1 };
  const at = { x: 600, y: 300, data };
  await session.send('Input.dispatchDragEvent', { type: 'dragEnter', ...at });
  await page.waitForFunction(() => document.querySelector('.own'));
  await session.send('Input.dispatchDragEvent', { type: 'dragOver', ...at });
  await session.send('Input.dispatchDragEvent', { type: 'drop', ...at });
}

test('in parts, chosen and dropped, with other files beside: Node’s numbers, the same link', async () => {
  const others = {
    'README.md': '# A model',
    'pytorch_model.bin': 'PK',
    'onnx/model.safetensors': 'none',
    '.gitignore': '',
  };
  const parts = folder('in parts', { ...sharded(), ...others });
  const page = await tools.open({ model: '', layout: 'workspace' });
  await ready(page);
  await update(page, () => choose(page, parts));
  await showsBert(page, 'in parts');
  await page.waitForFunction(() => location.hash.includes('model=file.in-parts'));
  const link = /** @type {RegExpExecArray} */ (/file\.in-parts[^&]+/.exec(page.url()))[0];
  await page.reload();
  await page.getByText('This link shows the model in-parts').waitFor();
  await drop(page, [parts]);
  await showsBert(page, 'in-parts');
  await page.waitForFunction((name) => location.hash.includes(name), link);
  await tools.close(page);
});

test('without tokenizer.json: ids in place of words, and what is said of masks', async () => {
  const bare = folder('bare', { 'config.json': JSONS['config.json'], 'model.safetensors': bert('model.safetensors') });
  const page = await tools.open({ model: '', layout: 'workspace' });
  await ready(page);
  await update(page, () => choose(page, bare));
  await page.locator('.model:has(:checked)').filter({ hasText: 'bare' }).waitFor({ state: 'attached' });
  await page.getByText('bare is open without tokenizer.json, so a text is a row of ids.').waitFor();
  await update(page, () => page.locator('#text').fill('2 10 4 12 3'));
  const tokens = page.locator('.tokens-line:not([hidden]) .token-word');
  assert.deepEqual(await tokens.allInnerTexts(), ['2', '10', '4', '12', '3']);
  assert.equal(await page.getByRole('button', { name: 'Mask it' }).count(), 0);
  await openMenu(page, 'more');
  await page.getByText('Whole page').click();
  const said = await page.waitForFunction(() =>
    /To mask a token, type the id of .MASK./.exec(document.body.textContent),
  );
  assert(said);
  await tools.close(page);
});

test('a dropped folder of before safetensors, kept in this browser once it is open', async () => {
  const old = folder('old', {
    ...JSONS,
    'pytorch_model.bin': writeTorch(savedOf(bert('model.safetensors'))),
    'training_args.bin': 'PK',
  });
  const page = await tools.open({ model: '', layout: 'workspace' });
  await ready(page);
  await update(page, () => drop(page, [old]));
  await showsBert(page, 'old');
  await page.waitForFunction(() => location.hash.includes('model=file.old'));
  await askForOwn(page);
  await page.getByText('hf download openai-community/gpt2 config.json').waitFor();
  const keep = page.getByRole('button', { name: 'Keep old in this browser' });
  await keep.click();
  await page.locator('.own-kept').filter({ hasText: 'old' }).waitFor();
  assert.equal(await keep.count(), 0);
  await page.reload();
  await showsBert(page, 'old');
  await tools.close(page);
});

test('a link tells files apart by any tensor, whatever they are called', async () => {
  const { tensors } = readSafetensors(bert('model.safetensors'));
  const nameOf = (/** @type {Uint8Array} */ bytes, file = 'model.safetensors') =>
    ownName({ title: 'm', weights: new File([/** @type {any} */ (bytes)], file), parts: [] });
  const name = await nameOf(writeSafetensors(tensors));
  assert.match(name, /^file\.m\.\d+\.[0-9a-f]{64}$/);
  assert.equal(await nameOf(writeSafetensors(tensors), 'other.safetensors'), name);
  for (const [changed, { data, shape }] of tensors) {
    const trained = Float32Array.from(data, (value) => value * 1.001 + 1e-6);
    const other = await nameOf(writeSafetensors(new Map([...tensors, [changed, { data: trained, shape }]])));
    assert.notEqual(other, name, changed);
  }
});

test('progress is shown; what is cancelled half way leaves the open model with the same bits', async () => {
  const big = join(place, 'big');
  makeBig(big, { layers: 2, d_model: 256, heads: 8, vocabulary: 20_000, length: 64, tokenizer: true });
  const slowly = `{
    const { getReader } = ReadableStream.prototype;
    ReadableStream.prototype.getReader = function (...all) {
      const reader = getReader.apply(this, all);
      const { read } = reader;
      reader.read = async (...what) => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        return read.apply(reader, what);
      };
      return reader;
    };
    const { arrayBuffer } = Blob.prototype;
    Blob.prototype.arrayBuffer = async function () {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return arrayBuffer.call(this);
    };
  }`;
  const page = await tools.open({ model: '', layout: 'workspace', setUp: beforeWorker(slowly) });
  await ready(page);
  const table = () => page.evaluate(() => document.querySelector('#heatmap .map-readout')?.textContent);
  const chosen = () => page.locator('.model:has(:checked)').textContent();
  const before = [await listedAnswers(page), await table(), await chosen()];
  await choose(page, big);
  await page.waitForFunction(() => {
    const { value = 0 } = /** @type {any} */ (document.querySelector('.own progress')) ?? {};
    return value > 0 && value < 1;
  });
  assert.match(await page.locator('.own [role=status]').innerText(), /Opening big/);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.locator('.own .error').filter({ hasText: 'it was cancelled' }).waitFor();
  assert.equal(await page.locator('.own progress').count(), 0);
  assert.deepEqual([await listedAnswers(page), await table(), await chosen()], before);
  await openMenu(page, 'models');
  await update(page, () => page.locator('.model').nth(2).click());
  await openMenu(page, 'models');
  await update(page, () => page.locator('.model').first().click());
  assert.deepEqual(await listedAnswers(page), before[0]);
  await choose(page, big);
  await page.locator('.model:has(:checked)').filter({ hasText: 'big' }).waitFor({ state: 'attached' });
  await page.waitForFunction(() => document.querySelectorAll('.head').length === 16);
  await tools.close(page);
});
