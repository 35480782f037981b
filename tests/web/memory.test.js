// A large checkpoint opens in Chromium beside its weights only: nothing of the file waits for the garbage collector.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { load } from 'glassformer';
import { openBarePage } from '../bench/bare-page.js';
import { tellsMemory, watch } from '../bench/renderer.js';
import { makeBig } from '../checkpoints/make-big.mjs';

/** 48 MB as float32. */
const SIZES = { layers: 3, d_model: 256, heads: 4, vocabulary: 37_000, length: 512 };
/**
 * 9 MB were seen, F16 16: a piece of 4 MB, for halves its numbers, the heap. With buffers of the streams' own 35 to 52.
 */
const BESIDE = 24e6;
const WORK = 'tests/bench/checkpoints-open.js';

const folder = mkdtempSync(join(tmpdir(), 'memory-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** @type {number[]} what Node computes of each file */
const wanted = [];
before(async () => {
  const gf = await load({ variant: 'simd' });
  for (const dtype of ['F32', 'F16']) {
    makeBig(join(folder, dtype), { dtype, ...SIZES });
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
        assert.ok(value.weights > 45e6, `${value.weights} bytes of weights`);
        const beside = peak - value.weights;
        assert.ok(peak > value.weights / 2, `only ${peak} bytes were seen`);
        assert.ok(beside < BESIDE, `${beside} bytes beside ${value.weights} of weights`);
      } finally {
        await close();
      }
    });
  }
}
