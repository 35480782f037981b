// Runs kept as files: saved, opened again, refused, shared.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'glassformer';
import { hashOf } from '../../../web/train/run/look.js';
import { recipeOf } from '../../../web/train/run/recipes.js';
import { createRun } from '../../../web/train/run/run.js';
import { openRun, packRun } from '../../../web/train/run/run-file.js';
import { createBrowser, until } from './dom.js';

test('a saved run is opened in another tab: task, settings, step, curves; going on gives Node’s hash', async () => {
  const gf = await load({ variant: 'simd' });
  const open = createBrowser();
  const tab = await open('#/train?task=order&positions=learned&seed=4&step=30');
  await tab.at(30);
  const file = await tab.download('Save the run');
  assert.equal(file.name, 'order-30.safetensors');
  const own = await createRun(gf, 'order', { ...recipeOf('order'), positions: 'learned', seed: 4 });
  await own.go(30);
  const inNode = await openRun(gf, file.bytes);
  assert.equal(await hashOf(inNode.model), await hashOf(own.model));
  assert.deepEqual(Buffer.from(packRun(own)), file.bytes, 'Node packs the same file');
  await tab.close();

  const other = await open('#/train?task=copy&step=5');
  await other.at(5);
  const before = other.hash();
  const chooser = '.train-keep input[type=file]';
  for (const [name, bytes, reason] of /** @type {[string, Buffer, RegExp][]} */ ([
    ['notes.safetensors', Buffer.from('some notes, and no tensors'), /“notes.safetensors” was not opened: .*text/],
    [
      'model.safetensors',
      Buffer.from(await own.model.save()),
      /“model.safetensors” was not opened: .*no run of this page/,
    ],
  ])) {
    await other.give(chooser, name, bytes);
    await other.there('.train-notice', reason);
    assert.deepEqual([other.hash(), other.task()], [before, 'copy'], 'the present run is as it was');
  }
  await other.give(chooser, 'run.safetensors', file.bytes);
  await other.at(30);
  assert.equal(other.hash(), await hashOf(own.model));
  assert.equal(other.task(), 'order');
  assert.equal(other.value('#train-positions'), 'learned');
  assert.equal(other.notice(), '');
  await until(() => other.address() === '#/train?task=order&positions=learned&seed=4&step=30');
  assert.equal(other.all('#train-moment')[0].getAttribute('aria-valuetext'), 'step 30 of 30');
  await other.press('Train');
  await other.at(200);
  await own.go(200);
  assert.equal(other.hash(), await hashOf(own.model));
  other.window.history.back();
  await other.at(5);
  assert.equal(other.hash(), before);
  await other.close();
});

test('a run is shared where the browser shares files', async () => {
  /** @type {any} */
  let given = null;
  let refusal = 'AbortError';
  const tab = await createBrowser()('#/train?task=copy&step=5', {
    setUp: ({ navigator }) =>
      Object.assign(navigator, {
        canShare: () => true,
        async share(/** @type {{files: File[]}} */ { files: [file] }) {
          given = { name: file.name, bytes: Buffer.from(await file.arrayBuffer()) };
          throw new DOMException('not here', refusal);
        },
      }),
  });
  await tab.at(5);
  const saved = await tab.download('Save the run');
  await tab.press('Share the run');
  await until(() => given);
  assert.deepEqual(given, saved);
  assert.equal(tab.notice(), '', 'the reader has changed his mind');
  refusal = 'NotAllowedError';
  await tab.press('Share the run');
  await tab.there('.train-notice', /could not be shared \(not here\)/);
  await tab.close();
});
