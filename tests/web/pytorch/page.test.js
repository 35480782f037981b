// “Continue in PyTorch” on the page, in Chromium: the archive holds what Node makes of the same run.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { unzipSync } from 'fflate';
import { load } from 'glassformer';
import { pytorchFiles } from '../../../web/pytorch/files.js';
import { recipeOf } from '../../../web/train/run/recipes.js';
import { packRun } from '../../../web/train/run/run-file.js';
import { createRun } from '../../../web/train/run/run.js';
import { useBrowser } from '../browser.js';

const tools = useBrowser();

test('Train: the shown moment with its moments, the rows of its next steps and the script', async () => {
  const page = await tools.open({
    model: '',
    layout: 'workspace',
    setUp: (each) => each.addInitScript(() => void (location.hash ||= '#/train?task=order&norm=pre&seed=4&step=12')),
  });
  const button = page.getByRole('button', { name: 'Continue in PyTorch' });
  await page.waitForFunction(
    () =>
      document.querySelector('.train-timeline strong')?.textContent === '12' &&
      document.querySelector('.train-play')?.textContent?.trim() !== 'Pause',
  );
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
  assert.equal(download.suggestedFilename(), 'order-12-pytorch.zip');
  const found = unzipSync(readFileSync(await download.path()));
  const gf = await load({ variant: 'simd' });
  const own = await createRun(gf, 'order', { ...recipeOf('order'), norm: 'pre', seed: 4 });
  await own.go(12);
  const wanted = await pytorchFiles(gf, packRun(own));
  assert.deepEqual(
    Object.keys(found).filter((name) => !name.endsWith('/')),
    Object.keys(wanted).map((name) => `order-12-pytorch/${name}`),
  );
  for (const [name, bytes] of Object.entries(wanted))
    assert.ok(Buffer.from(bytes).equals(found[`order-12-pytorch/${name}`]), name);
  await page.locator('.train-notice').filter({ hasText: 'order-12-pytorch.zip is saved.' }).waitFor();
});
