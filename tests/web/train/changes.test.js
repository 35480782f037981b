// Settings that change while a run goes on: the same bits on every way there, in the page, by its link and its code.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { before, test } from 'node:test';
import { load } from 'glassformer';
import { reverse } from 'glassformer/tasks';
import { readAddress, writeAddress } from '../../../web/train/schema.js';
import { LIVE, settingsAt, withChange } from '../../../web/train/settings/changes.js';
import { codeOf } from '../../../web/train/keep/code.js';
import { hashOf } from '../../../web/train/run/look.js';
import { TASKS, fetchTask, recipeOf, rowReader } from '../../../web/train/run/recipes.js';
import { openRun, packRun } from '../../../web/train/run/run-file.js';
import { createRun } from '../../../web/train/run/run.js';
import { FIELDS } from '../../../web/train/settings/settings.js';
import { createBrowser, until } from './dom.js';

/** @typedef {import('../../../web/train/settings/changes.js').Change} Change */

/** @type {import('../../../web/train/run/run.js').Engine} */
let gf;
before(async () => {
  gf = await load({ variant: 'simd' });
});

/** @type {Change[]} */
const CHANGES = [
  [40, { learningRate: 0.001, clip: 0.5, dropout: 0.1 }],
  [53, { batch: 48, schedule: 'linear', steps: 90, weightDecay: 0.01 }],
  [60, { batch: 64, labelSmoothing: 0.1, dropout: 0 }],
];

test('a run with changes: made on the way, back and on, planned, in another engine, by code: one hash', async () => {
  const settings = { ...recipeOf('reverse'), seed: 3 };
  const run = await createRun(gf, 'reverse', settings);
  for (const [step, patch] of CHANGES) {
    await run.go(step);
    await run.change(patch);
    assert.equal(run.step, step);
  }
  await run.go(80);
  const hash = await hashOf(run.model);
  const { loss } = run.curve(0);
  const checks = run.checks();
  assert.deepEqual(run.changes(), CHANGES);
  for (const way of [37, 0, 55, 60]) {
    await run.go(way);
    await run.go(80);
    assert.equal(await hashOf(run.model), hash, `from ${way}`);
  }
  const planned = await createRun(gf, 'reverse', settings, { changes: CHANGES });
  await planned.go(80);
  assert.equal(await hashOf(planned.model), hash);
  assert.deepEqual(planned.curve(0).loss, loss);
  assert.deepEqual(planned.checks(), checks);
  await planned.rebuild(await load({ variant: 'simd' }));
  await planned.go(80);
  assert.equal(await hashOf(planned.model), hash, 'in another engine');

  const code = codeOf({ task: 'reverse', settings, changes: CHANGES, recipe: recipeOf('reverse'), step: 80, hash });
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
  assert.equal(printed.trim(), hash, code);

  const { recipe, trainer } = await gf.loadModel(run.save());
  assert.deepEqual(recipe.changes, CHANGES);
  assert.equal(trainer?.settings.learningRate, 0.001);
  const opened = await openRun(gf, packRun(run));
  assert.deepEqual([opened.changes(), opened.step], [CHANGES, 80]);
  await opened.go(90);
  await planned.go(90);
  assert.equal(await hashOf(opened.model), await hashOf(planned.model), 'from its file');
  await run.go(35);
  const early = await gf.loadModel(run.save());
  assert.equal(early.trainer?.settings.learningRate, settings.learningRate, 'of the step that is saved');
});

test('a schedule that is left and chosen again ends where the recipe has it end, in the code too', async () => {
  await fetchTask('square'); // its schedule ends at 0, not at 2 %
  const settings = { ...recipeOf('square'), steps: 60 };
  /** @type {Change[]} */
  const changes = [
    [5, { schedule: 'constant' }],
    [50, { schedule: 'linear' }],
  ];
  const run = await createRun(gf, 'square', settings, { changes });
  await run.go(60);
  const hash = await hashOf(run.model);
  const code = codeOf({ task: 'square', settings, changes, recipe: recipeOf('square'), step: 60, hash });
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
  assert.equal(printed.trim(), hash, code);
  run.free();
});

test('by the package alone: another trainer of the same model goes on with the moments of the former', async () => {
  const run = await createRun(gf, 'reverse', recipeOf('reverse'), { changes: [[30, { learningRate: 0.002 }]] });
  await run.go(50);
  const model = gf.createModel({ ...reverse.config, seed: 1 });
  let trainer = model.trainer(reverse.trainer);
  for (let step = 0; step < 50; step++) {
    if (step === 30) {
      const state = trainer.state();
      trainer = model.trainer({ ...reverse.trainer, learningRate: 0.002 });
      trainer.resume(state);
    }
    trainer.step(reverse.batch(step, 1));
  }
  assert.equal(await hashOf(run.model), await hashOf(model));
});

test('a change in the past drops what came after: moments, curves, checks, later changes', async () => {
  const run = await createRun(gf, 'reverse', recipeOf('reverse'));
  await run.go(60);
  await run.change({ learningRate: 0.001 });
  await run.go(100);
  await run.go(30);
  await run.change({ learningRate: 0.02 });
  assert.deepEqual(run.changes(), [[30, { learningRate: 0.02 }]]);
  assert.equal(run.curve(0).loss.length, 30);
  assert.equal(run.moments().steps.at(-1), 30);
  assert.equal(run.checks().at(-1)?.step, 25);
  await run.go(100);
  const fresh = await createRun(gf, 'reverse', recipeOf('reverse'), { changes: [[30, { learningRate: 0.02 }]] });
  await fresh.go(100);
  assert.equal(await hashOf(run.model), await hashOf(fresh.model));
  await run.go(30);
  await run.change({ learningRate: 0.005 });
  assert.deepEqual(run.changes(), [], 'back to the recipe is no change');
});

test('a change that the engine refuses leaves the run as it was', async () => {
  const run = await createRun(gf, 'reverse', recipeOf('reverse'));
  await run.go(20);
  await assert.rejects(run.change({ learningRate: -1 }), { parameter: 'learningRate' });
  assert.deepEqual(run.changes(), []);
  await run.go(40);
  const fresh = await createRun(gf, 'reverse', recipeOf('reverse'));
  await fresh.go(40);
  assert.equal(await hashOf(run.model), await hashOf(fresh.model));
});

test('another batch size goes on with the next row: none twice, none left out', () => {
  const read = rowReader(TASKS['reverse-variable'], 3);
  const parts = [
    [0, 64],
    [64, 48],
    [112, 16],
    [128, 64],
  ].map(([from, count]) => [...read(from, count).ids.data]);
  const whole = [0, 64, 128].flatMap((from) => [...read(from, 64).ids.data]);
  assert.deepEqual(parts.flat(), whole);
});

test('an address names the changes; what of them cannot be is refused', () => {
  const recipes = new Map(Object.keys(TASKS).map((name) => [name, recipeOf(name)]));
  const recipe = recipeOf('reverse');
  const settings = { ...recipe, seed: 7 };
  const hash = writeAddress({ task: 'reverse', settings, changes: CHANGES, step: 70 }, recipe);
  assert.equal(
    hash,
    '#/train?task=reverse&seed=7&at=40:learningRate=0.001,clip=0.5,dropout=0.1' +
      '&at=53:batch=48,schedule=linear,steps=90,weightDecay=0.01&at=60:batch=64,labelSmoothing=0.1,dropout=0&step=70',
  );
  const { refused, changes } = readAddress(hash, recipes);
  assert.deepEqual(refused, []);
  assert.deepEqual(changes, CHANGES);
  assert.deepEqual(readAddress('#/train?at=200:learningRate=.001', recipes).changes, [[200, { learningRate: 0.001 }]]);
  for (const wrong of [
    '20:heads=2',
    '0:clip=1',
    'x:clip=1',
    '20:clip',
    '20:clip=-1',
    '20',
    '20001:clip=2',
    '8:batch=1.5',
  ])
    assert.deepEqual(readAddress(`#/train?at=${wrong}`, recipes).refused, ['at'], wrong);
  const both = readAddress('#/train?at=20:clip=2&at=10:clip=3', recipes);
  assert.deepEqual([both.changes, both.refused], [[[20, { clip: 2 }]], ['at']]);
  assert(LIVE.every((name) => FIELDS.some((field) => field.name === name)));
  assert.deepEqual(settingsAt({ clip: 1 }, [[5, { clip: 2 }]], 4), { clip: 1 });
  assert.deepEqual(settingsAt({ clip: 1 }, [[5, { clip: 2 }]], 5), { clip: 2 });
  assert.deepEqual(withChange({ clip: 1 }, [[5, { clip: 2 }]], 5, { clip: 1 }), []);
});

test('in the page: a change holds from that step on, back and on, by the link; others restart', async () => {
  const tab = await createBrowser()('#/train?task=reverse&step=100');
  await tab.at(100);
  const early = tab.hash();
  await tab.fill('#train-learningRate', '0.001');
  await tab.there('.train-changes', /From step 100 – Learning rate: 0\.001/);
  await tab.at(100);
  assert.equal(tab.hash(), early);
  await tab.fill('#train-steps', '150');
  await tab.there('.train-changes', /Steps: 150/);
  await tab.at(100);
  await tab.press('Train');
  await tab.at(150);
  const own = await createRun(gf, 'reverse', recipeOf('reverse'), {
    changes: [[100, { learningRate: 0.001, steps: 150 }]],
  });
  await own.go(150);
  const hash = await hashOf(own.model);
  assert.equal(tab.hash(), hash);

  await tab.press('Back to step 0');
  await tab.at(0);
  assert.equal(tab.value('#train-learningRate'), '0.005', 'what holds at the moment shown');
  await tab.press(/^From step 100/);
  await tab.at(100);
  assert.equal(tab.hash(), early);
  assert.equal(tab.value('#train-learningRate'), '0.001');
  await tab.press('Train');
  await tab.at(150);
  assert.equal(tab.hash(), hash, 'the same way once more');

  await until(() => tab.address() === '#/train?task=reverse&at=100:learningRate=0.001,steps=150&step=150');
  const next = await tab.reload();
  await next.at(150);
  assert.equal(next.hash(), hash, 'by its link');

  for (const step of [145, 140]) {
    await next.key('ArrowLeft');
    await next.at(step);
  }
  await next.fill('#train-batch', '32');
  await until(() => next.button(/^From step 140 – Batch size: 32/));
  assert.equal(
    next.all('#train-moment')[0].getAttribute('aria-valuetext'),
    'step 140 of 140',
    'what came after is dropped',
  );
  assert.equal(next.texts('.train-changes button').length, 2);

  const restarts = FIELDS.filter(({ name }) => name in recipeOf('reverse') && !LIVE.includes(name));
  const described = (/** @type {string} */ name) => next.all(`#train-${name}`)[0].getAttribute('aria-describedby');
  for (const { name } of restarts) {
    const said = described(name)
      .split(' ')
      .map((/** @type {string} */ id) => next.all(`#${id}`)[0]?.textContent);
    assert.match(said.join(' '), /restarts the run/, name);
  }
  for (const name of LIVE) assert.equal(described(name), null, name);
  await next.fill('#train-heads', '2');
  await next.at(0);
  assert.equal(next.all('.train-changes').length, 0);
  assert.equal(next.value('#train-batch'), '32', 'a restart keeps the values as they stand');
  await next.close();
});

test('while it trains: it goes on with the new value, and ends as a link to it does', async () => {
  const tab = await createBrowser()('#/train?task=order&steps=300');
  await tab.at(0);
  await tab.press('Train');
  await until(() => tab.step() > 2);
  await tab.fill('#train-learningRate', '0.002');
  await tab.there('.train-changes');
  await tab.at(300);
  const [, step] = /From step (\d+)/.exec(tab.text('.train-changes')) ?? [];
  const own = await createRun(
    gf,
    'order',
    { ...recipeOf('order'), steps: 300 },
    { changes: [[Number(step), { learningRate: 0.002 }]] },
  );
  await own.go(300);
  assert.equal(tab.hash(), await hashOf(own.model));
  await tab.close();
});
