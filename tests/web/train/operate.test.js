// A run that is operated on: one hash by link, file, printed program and in the page.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { before, test } from 'node:test';
import { load, readSafetensors, writeSafetensors } from 'glassformer';
import { saveTrainer } from 'glassformer/core';
import { readAddress, writeAddress } from '../../../web/train/schema.js';
import { codeOf } from '../../../web/train/keep/code.js';
import { hashOf } from '../../../web/train/run/look.js';
import { TASKS, recipeOf } from '../../../web/train/run/recipes.js';
import { openRun, packRun } from '../../../web/train/run/run-file.js';
import { createRun } from '../../../web/train/run/run.js';
import { PARTS } from '../../../web/train/settings/settings.js';
import { createBrowser, until } from './dom.js';
/** @typedef {import('../../../web/train/settings/changes.js').Change} Change */

/** @type {import('../../../web/train/run/run.js').Engine} */
let gf;
before(async () => {
  gf = await load({ variant: 'simd' });
});

const recipes = new Map(Object.keys(TASKS).map((name) => [name, recipeOf(name)]));

/**
 * The hash of a run at its end, made on the way; every other way there must give it, too.
 * @param {string} task @param {object} patch of its recipe @param {Change[]} changes @param {number} end
 */
async function oneHash(task, patch, changes, end) {
  const settings = { ...recipeOf(task), ...patch };
  const run = await createRun(gf, task, settings);
  for (const [step, each] of changes) {
    await run.go(step);
    await run.change(each);
    assert.equal(run.step, step);
  }
  assert.deepEqual(run.changes(), changes);
  await run.go(end);
  const hash = await hashOf(run.model);
  for (const way of [changes[0][0] - 3, 0, changes[0][0]]) {
    await run.go(way);
    await run.go(end);
    assert.equal(await hashOf(run.model), hash, `from ${way}`);
  }
  const address = writeAddress({ task, settings, changes, step: end }, recipeOf(task));
  const asked = readAddress(address, recipes);
  assert.deepEqual([asked.changes, asked.refused], [changes, []], address);
  const linked = await createRun(gf, task, asked.settings, { changes: asked.changes });
  await linked.go(end);
  assert.equal(await hashOf(linked.model), hash, 'by its link');
  assert.deepEqual(linked.checks(), run.checks());
  await linked.rebuild(await load({ variant: 'simd' }));
  assert.equal(await hashOf(linked.model), hash, 'in another engine');
  for (const step of [changes[0][0], end - 2]) {
    await run.go(step);
    const opened = await openRun(gf, packRun(run));
    assert.equal(await hashOf(opened.model), await hashOf(run.model), `the file of step ${step}`);
    await opened.go(end);
    assert.equal(await hashOf(opened.model), hash, `from the file of step ${step}`);
    opened.free();
  }
  const code = codeOf({ task, settings, changes, recipe: recipeOf(task), step: end, hash });
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
  assert.equal(printed.trim(), hash, code);
  run.free();
  return hash;
}

test('a part frozen from a step on keeps its weights, thaws again, and gives one hash on every way', async () => {
  const weights = (/** @type {any} */ { model }) =>
    new Map([...model.weights()].map(([name, { data }]) => [name, data.slice()]));
  for (const [part, pattern] of Object.entries(PARTS)) {
    const run = await createRun(gf, 'induction', recipeOf('induction'), { changes: [[3, { frozen: part }]] });
    await run.go(3);
    const first = weights(run);
    await run.go(5);
    for (const [name, data] of weights(run))
      assert.equal(
        Buffer.compare(Buffer.from(data.buffer), Buffer.from(first.get(name).buffer)) === 0,
        pattern.test(name),
        `${part}: ${name}`,
      );
    run.free();
  }
  const changes = /** @type {Change[]} */ ([
    [30, { frozen: 'embedding' }],
    [40, { frozen: 'none', learningRate: 0.002 }],
    [45, { frozen: 'FFN' }],
  ]);
  const hash = await oneHash('reverse', { seed: 3 }, changes, 50);
  assert.notEqual(hash, await oneHash('reverse', { seed: 3, frozen: 'FFN' }, changes, 50));
});

/** The columns of a head in the output projection, of the weights and of both moments. @param {any} run */
function columnsOf({ model, trainer }, layer = 0, head = 0) {
  const { tensors } = readSafetensors(saveTrainer(trainer));
  const size = model.config.d_model / model.config.heads;
  return ['', 'moment1.', 'moment2.'].map((moment) => {
    const name = `${moment}${model.config.kind}.layers.${layer}.self_attn.out_proj.weight`;
    const { data } = /** @type {any} */ (tensors.get(name));
    return [...data].filter((_, i) => Math.floor((i % model.config.d_model) / size) === head);
  });
}

test('a head that is cut has no weights and moments; training grows it again', async () => {
  const run = await createRun(gf, 'induction', recipeOf('induction'));
  await run.go(50);
  const before = await hashOf(run.model);
  const { loss } = /** @type {any} */ (run.checks().at(-1));
  await run.change({ cut: '2.1' });
  assert.equal(run.step, 50);
  assert(
    columnsOf(run, 1, 0)
      .flat()
      .every((value) => value === 0),
  );
  assert(
    columnsOf(run, 1, 1)
      .flat()
      .every((value) => value !== 0),
  );
  const check = /** @type {any} */ (run.checks().at(-1));
  assert.deepEqual([check.step, check.loss === loss], [50, false]);
  await run.advance();
  assert(columnsOf(run, 1, 0)[0].some((value) => value !== 0));
  await run.go(50);
  await run.change({ learningRate: 0.001 });
  assert.deepEqual(run.changes(), [[50, { learningRate: 0.001, cut: '2.1' }]]);
  await run.change({ cut: '' });
  assert.deepEqual(run.changes(), [[50, { learningRate: 0.001 }]]);
  assert.equal(await hashOf(run.model), before, 'taken back');
  run.free();
});

const SMALL = { layers: 2, heads: 2 };

test('runs with heads cut on the way: one hash by every way there', async () => {
  await oneHash(
    'order',
    SMALL,
    [
      [12, { cut: '1.2' }],
      [20, { cut: '2.1 1.1', clip: 0.5 }],
      [23, { cut: '1.2' }],
    ],
    25,
  );
  const sgd = { optimizer: 'sgd', learningRate: 0.1, heads: 4 };
  await oneHash(
    'reverse',
    sgd,
    [
      [10, { cut: '1.4', frozen: 'FFN' }],
      [16, { batch: 40 }],
    ],
    20,
  );
  await oneHash(
    'order',
    {},
    [
      [10, { learningRate: 0.002 }],
      [20, { cut: '1.1' }],
    ],
    20,
  );
});

test('a saved run in which a head is cut at its very step takes the cut back', async () => {
  const run = await createRun(gf, 'order', recipeOf('order'));
  await run.go(7);
  const before = await hashOf(run.model);
  await run.change({ cut: '1.1' });
  const opened = await openRun(gf, packRun(run));
  await opened.change({ cut: '' });
  assert.deepEqual([opened.step, opened.changes(), await hashOf(opened.model)], [7, [], before]);
  for (const each of [run, opened]) each.free();
});

test('a link that operates on what is not there is refused by name', () => {
  for (const [wrong, refused] of [
    ...['1.3', '2.1', '0.1', '1', '1.1.1', '1.1,cut=1.1', '', 'x'].map((each) => [`at=20:cut=${each}`, ['at']]),
    ['at=20:graft=1.1', ['at']],
    ['at=0:cut=1.1', ['at']],
    ['cut=1.1', ['cut']],
    ['task=xor&at=20:cut=1.1', ['at']],
    ['at=20:frozen=heads', ['at']],
    ['at=20:frozen', ['at']],
    ['d_ff=0&at=20:frozen=FFN', ['at']],
    ['frozen=0', ['frozen']],
    ['task=xor&frozen=FFN', ['frozen']],
  ])
    assert.deepEqual(readAddress(`#/train?${wrong}`, recipes).refused, refused, String(wrong));
});

test('a file with a change or a part that Train does not know is refused', async () => {
  const run = await createRun(gf, 'order', recipeOf('order'), { changes: [[2, { clip: 0.5 }]] });
  await run.go(3);
  const { tensors, metadata } = readSafetensors(packRun(run));
  const recipe = JSON.parse(metadata.get('glassformer.recipe') ?? '');
  metadata.set('glassformer.recipe', JSON.stringify({ ...recipe, changes: [[2, { clip: 0.5, graft: '1.1@7' }]] }));
  await assert.rejects(openRun(gf, writeSafetensors(tensors, { metadata })), {
    message: 'its changes cannot be: 2:clip=0.5,graft=1.1@7',
  });
  metadata.set('glassformer.recipe', JSON.stringify({ ...recipe, frozen: 'attention' }));
  await assert.rejects(openRun(gf, writeSafetensors(tensors, { metadata })), { message: /^Frozen .*, not attention$/ });
  run.free();
});

test('in the page: Operate cuts the head that is shown and freezes a part; undo, again, and by its link', async () => {
  const tab = await createBrowser()('#/train?task=order&steps=60');
  await tab.at(0);
  const cut = await until(() => tab.button('Cut layer 1, head 1'));
  assert(cut.disabled);
  tab.window.location.hash = '#/train?task=order&steps=60&at=40:graft=1.1@7&step=50';
  await tab.there('.train-notice', 'Parts of this link could not be read');
  await tab.at(50);
  const before = tab.hash();
  /**
   * Changes the run, which is taken to its step again.
   * @param {() => Promise<void>} change @param {string | RegExp} name
   */
  async function operate(change, name) {
    await change();
    await until(() => tab.button(name));
    await tab.at(50);
  }
  await operate(() => tab.press('Cut layer 1, head 1'), 'From step 50 – Cut: layer 1, head 1');
  assert.equal(tab.all('.train-runs li').length, 2, 'the curves of before stay');
  const settings = { ...recipeOf('order'), steps: 60 };
  const own = await createRun(gf, 'order', settings, { changes: [[50, { cut: '1.1' }]] });
  await own.go(50);
  assert.equal(tab.hash(), await hashOf(own.model));
  await tab.press('Undo the cut of layer 1, head 1');
  await until(() => !tab.button('From step 50 – Cut: layer 1, head 1'));
  await tab.at(50);
  assert.equal(tab.hash(), before);
  await operate(() => tab.press('Cut layer 1, head 1'), 'From step 50 – Cut: layer 1, head 1');
  await operate(
    () => tab.fill('#train-operate-frozen', 'FFN'),
    'From step 50 – Frozen (learning rate 0): FFN, Cut: layer 1, head 1',
  );
  await tab.fill('.train-operate input[type=number]', '-1');
  await tab.there('#train-operate-problem', 'It must be a number from 0 to 1,000, not -1;');
  await operate(
    () => tab.fill('.train-operate input[type=number]', '0.002'),
    /^From step 50 – Frozen .*: FFN, Learning rate: 0.002, Cut/,
  );
  await tab.press('Train');
  await tab.at(60);
  const both = await createRun(gf, 'order', settings, {
    changes: [[50, { learningRate: 0.002, frozen: 'FFN', cut: '1.1' }]],
  });
  await both.go(60);
  const hash = await hashOf(both.model);
  assert.equal(tab.hash(), hash);
  await until(() => tab.address().endsWith('&at=50:frozen=FFN,learningRate=0.002,cut=1.1&step=60'));
  const again = await tab.reload();
  await again.at(60);
  assert.equal(again.hash(), hash, 'by its link');
  await again.close();
});
