// A large checkpoint opens in Chromium beside its weights only: nothing of the file waits for the garbage collector.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { load } from 'glassformer';
import { openBarePage } from '../bench/bare-page.js';
import { renderersOf, tellsMemory, watch } from '../bench/renderer.js';
import { makeBig } from '../checkpoints/make-big.mjs';
import { askForOwn, ready, useBrowser } from './browser.js';

/** 48 MB as float32. */
const SIZES = { layers: 3, d_model: 256, heads: 4, vocabulary: 37_000, length: 512 };
/**
 * 9 MB were seen, F16 16: a piece of 4 MB, for halves its numbers, the heap. With buffers of the streams' own 35 to 52.
 */
const BESIDE = 24e6;
/** For the first picture of all views: 27 MB were seen, with a copy of the largest table 65. */
const PAGE = 46e6;
const WORK = 'tests/bench/checkpoints-open.js';

const tools = useBrowser();
const folder = mkdtempSync(join(tmpdir(), 'memory-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** @type {number[]} what Node computes of each file */
const wanted = [];
let weights = 0; // bytes
before(async () => {
  const gf = await load({ variant: 'simd' });
  for (const dtype of ['F32', 'F16']) {
    weights = 4 * makeBig(join(folder, dtype), { dtype, ...SIZES }).parameters;
    makeBig(join(folder, `small-${dtype}`), { dtype, layers: 1, d_model: 16, heads: 2, vocabulary: 50, length: 8 });
    const { model } = await gf.loadModel(`${join(folder, dtype)}/`);
    wanted.push(model.forward({ ids: [1, 2, 3] }).logits.data[7]);
    model.free();
  }
});

for (const [i, dtype] of ['F32', 'F16'].entries()) {
  for (const way of ['file', 'address']) {
    test(`${dtype} of ${way === 'file' ? 'a file' : 'an address'}`, { skip: !tellsMemory }, async () => {
      const { processes, call, choose, close } = await openBarePage(folder);
      try {
        const open = async (/** @type {string} */ name) => {
          const files = ['config.json', 'model.safetensors'].map((file) => join(folder, name, file));
          if (way === 'file') await choose(files);
          return call(WORK, { variant: 'simd', way, folder: `/given/${name}/`, format: 'huggingface' });
        };
        await open(`small-${dtype}`); // module and code are here, and the loader's own buffers
        const { value, peak } = await watch(processes, () => open(dtype));
        assert.equal(value.first, wanted[i]);
        assert.equal(value.weights, weights);
        assert.ok(peak > weights / 2, `only ${peak} bytes were seen`);
        assert.ok(peak < weights + BESIDE, `${peak - weights} bytes beside ${weights} of weights`);
      } finally {
        await close();
      }
    });
  }
}

test('Explore keeps the weights once', { skip: !tellsMemory }, async () => {
  const page = await tools.open({ model: '', layout: 'workspace' });
  await ready(page);
  const processes = await renderersOf(await tools.browser.newBrowserCDPSession());
  /** @param {string} name @param {number} heads */
  async function open(name, heads) {
    await askForOwn(page);
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Choose files…' }).click(),
    ]);
    await chooser.setFiles(['config.json', 'model.safetensors'].map((file) => join(folder, name, file)));
    await page.waitForFunction((count) => document.querySelectorAll('.head').length === count, heads);
    await page.locator('.next-words, .answers-list li').first().waitFor();
  }
  await open('small-F32', 2);
  const { peak } = await watch(processes, () => open('F32', 12));
  assert.ok(peak < weights + PAGE, `${peak - weights} bytes beside ${weights} of weights`);
  await tools.close(page);
});
