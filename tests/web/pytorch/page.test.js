// “Continue in PyTorch” on the page, in Chromium: the archive holds what Node makes of the same run.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { unzipSync } from 'fflate';
import { load } from 'glassformer';
import { creek } from 'glassformer/tasks';
import { pytorchFiles } from '../../../web/pytorch/files.js';
import { recipeOf } from '../../../web/train/run/recipes.js';
import { packRun } from '../../../web/train/run/run-file.js';
import { createRun } from '../../../web/train/run/run.js';
import { ready, useBrowser } from '../browser.js';
import { press } from '../train/watch.js';

const tools = useBrowser();
const script = readFileSync(new URL('../../../web/pytorch/train.py', import.meta.url));

test('Train: the shown moment with its moments, the rows of its next steps and the script', async () => {
  const page = await tools.open({ at: '#/train?task=order&norm=pre&seed=4&step=12' });
  await page.waitForFunction(
    () =>
      document.querySelector('.train-step strong')?.textContent === '12' &&
      document.querySelector('.train-play')?.textContent?.trim() !== 'Pause',
  );
  const [download] = await Promise.all([page.waitForEvent('download'), press(page, 'Continue in PyTorch')]);
  assert.equal(download.suggestedFilename(), 'order-12-pytorch.zip');
  const found = unzipSync(readFileSync(await download.path()));
  const gf = await load({ variant: 'simd' });
  const own = await createRun(gf, 'order', { ...recipeOf('order'), norm: 'pre', seed: 4 });
  await own.go(12);
  const wanted = { 'train.py': script, ...(await pytorchFiles(gf, packRun(own))) };
  assert.deepEqual(
    Object.keys(found).filter((name) => !name.endsWith('/')),
    Object.keys(wanted).map((name) => `order-12-pytorch/${name}`),
  );
  for (const [name, bytes] of Object.entries(wanted))
    assert.ok(Buffer.from(bytes).equals(found[`order-12-pytorch/${name}`]), name);
  await page.locator('.train-notice').filter({ hasText: 'order-12-pytorch.zip is saved.' }).waitFor();
});

/** A model as the shipped one is, after three steps. */
async function small(/** @type {Awaited<ReturnType<typeof load>>} */ gf) {
  const recipe = {
    ...{ task: 'creek', seed: 2, dataSeed: 2, steps: 3, batchSize: 64, variant: 'simd' },
    trainer: { ...creek.trainer, steps: 2000 },
  };
  const model = gf.createModel({ ...creek.config, seed: 2 });
  const trainer = model.trainer(recipe.trainer);
  while (trainer.steps < 3) trainer.step(creek.batch(trainer.steps, 2));
  const file = await model.save({
    float16: true,
    vocabulary: creek.vocabulary,
    recipe,
    metadata: { name: 'creek', scores: '[]' },
  });
  model.free();
  return file;
}

test('Explore: a model that says how it was trained, with its moments; not an untrained one', async () => {
  const gf = await load({ variant: 'simd' });
  const file = await small(gf);
  const page = await tools.open({
    model: 'creek',
    layout: 'page',
    setUp: (each) => each.route('**/creek.safetensors', (route) => route.fulfill({ body: Buffer.from(file) })),
  });
  await ready(page);
  const button = page.locator('#share').getByRole('button', { name: 'Continue in PyTorch' });
  const saved = page.locator('#share [role=status]').filter({ hasText: 'creek-pytorch.zip is saved' }).waitFor();
  const [download] = await Promise.all([page.waitForEvent('download'), button.click(), saved]); // it shows for seconds
  assert.equal(download.suggestedFilename(), 'creek-pytorch.zip');
  const found = unzipSync(readFileSync(await download.path()));
  for (const [name, bytes] of Object.entries({ 'train.py': script, ...(await pytorchFiles(gf, file)) }))
    assert.ok(Buffer.from(bytes).equals(found[`creek-pytorch/${name}`]), name);
  await tools.close(page);

  for (const model of ['untrained', 'austen']) {
    const other = await tools.open({ model, layout: 'page' });
    await ready(other);
    await other.getByRole('button', { name: 'Save the model' }).waitFor();
    const carries = other.locator('#share button').filter({ hasText: 'Continue in PyTorch' });
    assert.equal(await carries.isVisible(), false, model);
  }
});
