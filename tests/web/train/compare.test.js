// Compare: runs that begin with the same bits, trained in turn as each alone would be; what a link says of them, who
// won, and in the page the whole way: predicted, trained, Node's shares, the link, cancelled.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { load } from 'glassformer';
import { examine } from 'glassformer/tasks';
import { readAddress, writeAddress } from '../../../web/train/schema.js';
import { nameOf, othersOf, reachedBy } from '../../../web/train/comparison.js';
import { winnerOf } from '../../../web/train/winner.js';
import { createComparison } from '../../../web/train/run/compare.js';
import { TASKS, longestOf, modelConfig, recipeOf } from '../../../web/train/run/recipes.js';
import { createRun } from '../../../web/train/run/run.js';
import { createBrowser, until } from './dom.js';

/** @type {import('../../../web/train/run/run.js').Engine} */
let gf;
before(async () => {
  gf = await load({ variant: 'simd' });
});

const recipes = new Map(Object.keys(TASKS).map((name) => [name, recipeOf(name)]));

test('weights of the same name and shape begin with the same bits, for every switch and task', () => {
  for (const task of ['order', 'reverse', 'reverse-variable', 'sort', 'addition']) {
    const weightsOf = (/** @type {object} */ change) =>
      gf.createModel(modelConfig(task, { ...recipeOf(task), ...change, seed: 2 })).weights();
    const own = weightsOf({});
    const size = { words: TASKS[task].vocabulary.size, longest: longestOf(task) };
    for (const { name, change } of othersOf(task, recipeOf(task), size)) {
      const other = weightsOf(change);
      const shared = [...own].filter(([key, { shape }]) => String(other.get(key)?.shape) === String(shape));
      assert(shared.length > 3, name);
      for (const [key, { data }] of shared)
        assert.deepEqual(Buffer.from(other.get(key)?.data.buffer ?? []), Buffer.from(data.buffer), `${name}: ${key}`);
    }
  }
});

test('in turn, each as alone: shares of the seed’s own held-out rows', async () => {
  const variants = [recipeOf('order'), { ...recipeOf('order'), positions: 'none' }];
  const comparison = await createComparison(gf, 'order', variants, [1, 2]);
  /** @type {number[]} */
  const rounds = [];
  await comparison.train(
    60,
    () => true,
    () => rounds.push(comparison.report().step),
  );
  assert.deepEqual(rounds, [25, 50, 60]);
  const { checks } = comparison.report();
  for (const [i, seed] of [1, 2].entries())
    for (const [variant, settings] of variants.entries()) {
      const alone = await createRun(gf, 'order', { ...settings, seed });
      await alone.go(50);
      const score = await examine(alone.model, TASKS.order.heldOut(seed, { count: 192 }), { maps: false });
      assert.equal(checks[i][variant].at(-1)?.sequences, score.sequences);
    }
  comparison.free();
});

test('one that is no longer finite stands still, and the others go on; it ends where it is told', async () => {
  const recipe = recipeOf('reverse');
  const wild = { ...recipe, norm: 'none', learningRate: 1000, warmup: 0, optimizer: 'sgd', clip: 0 };
  const comparison = await createComparison(gf, 'reverse', [recipe, wild], [0]);
  let left = 70;
  await comparison.train(400, () => left-- > 0);
  const { step, failures, checks } = comparison.report();
  assert.equal(step, 50, 'the last check that all of them have reached');
  assert.equal(failures[0][0], null);
  assert(Number(failures[0][1]) > 0);
  assert.deepEqual(
    checks[0][0].map((each) => each.step),
    [0, 25, 50],
  );
  comparison.free();
});

test('what the page says of switches: without positions Order and Reverse learn nothing, Copy needs none', async () => {
  const best = async (/** @type {string} */ task, /** @type {number} */ steps, /** @type {object[]} */ changes) => {
    const variants = changes.map((change) => ({ ...recipeOf(task), ...change }));
    const comparison = await createComparison(gf, task, variants, [0, 1, 2]);
    await comparison.train(steps, () => true);
    const reached = reachedBy(comparison.report().checks, 'sequences', 0.9);
    comparison.free();
    return reached.map((steps) => steps.filter((step) => step !== null).length);
  };
  const none = { positions: 'none' };
  assert.deepEqual(await best('order', 100, [{}, none]), [3, 0]);
  assert.deepEqual(await best('reverse', 150, [{}, none]), [2, 0]);
  const copies = othersOf('copy', recipeOf('copy')).map(({ change }) => change);
  assert((await best('copy', 100, copies)).every((count) => count === 3));
});

test('the runs on offer: those that teach something first, none that changes nothing', () => {
  const names = (/** @type {string} */ task) => othersOf(task, recipeOf(task)).map(({ name }) => name);
  assert.deepEqual(names('reverse').slice(0, 2), ['no positions', 'no scale 1/√d_k']);
  assert(!names('reverse').includes('one head'), 'it has one');
  assert(!names('induction').includes('learned positions'), 'it has them');
  assert.equal(nameOf({ positions: 'none' }), 'no positions');
  assert.equal(nameOf({ positions: 'none', layers: 2 }), 'Positions: None, Layers: 2');
});

test('who won with few seeds: more of them, then clearly sooner; else nobody', () => {
  const won = (/** @type {(number | null)[][]} */ reached) => winnerOf(reached, 100).run;
  assert.equal(
    won([
      [50, 75, null],
      [null, null, null],
    ]),
    0,
  );
  assert.equal(won([[null], [100], [null]]), 1);
  assert.equal(
    won([
      [100, 100],
      [50, 75],
    ]),
    1,
    'as many, sooner',
  );
  assert.equal(
    won([
      [50, 75],
      [75, 75],
    ]),
    null,
    'within a measurement',
  );
  assert.equal(won([[null], [null]]), null);
  const check = (/** @type {number} */ step, /** @type {number} */ sequences) =>
    /** @type {any} */ ({ step, sequences });
  const checks = [
    [
      [check(0, 0), check(25, 0.9)],
      [check(0, 0), check(25, 0.89)],
    ],
  ];
  assert.deepEqual(reachedBy(checks, 'sequences', 0.9), [[25], [null]]);
});

test('a link says a comparison and leads back to it; one of twins does, too; what cannot be is refused', () => {
  const recipe = recipeOf('order');
  const comparison = { changes: [{ positions: 'none' }, { heads: 1, d_ff: 0 }], seeds: 5, within: 300, threshold: 0.9 };
  const hash = writeAddress({ task: 'order', settings: recipe, step: 0, comparison }, recipe);
  assert.equal(hash, '#/train?task=order&runs=positions=none,heads=1~d_ff=0&seeds=5&within=300&threshold=.9');
  const found = readAddress(hash, recipes);
  assert.deepEqual([found.comparison, found.refused], [comparison, []]);
  const old = readAddress('#/train?task=order&step=1&twins=3:75:50:2:positions=none,scoreScale=0', recipes);
  const changes = [{ positions: 'none' }, { scoreScale: false }];
  assert.deepEqual(old.comparison, { changes, seeds: 3, within: 75, threshold: 0.9 });
  assert.deepEqual([old.step, old.refused], [1, []]);
  assert.equal(readAddress('#/train?task=order&runs=norm=pre', recipes).comparison?.seeds, 3, 'the rest has defaults');
  for (const [wrong, refused] of [
    ['runs=positions=north', ['runs']],
    ['runs=seed=3', ['runs']],
    ['runs=positions=sinusoidal', ['runs']],
    ['runs=norm=pre,norm=none,positions=none', ['runs']],
    ['runs=norm=pre&seeds=0', ['seeds']],
    ['runs=norm=pre&seeds=11', ['seeds']],
    ['runs=norm=pre&within=2.5', ['within']],
    ['runs=norm=pre&within=2001', ['within']],
    ['runs=norm=pre&threshold=1.1', ['threshold']],
    ['runs=norm=pre&threshold=x', ['threshold']],
    ['seeds=3', ['seeds']],
    ['task=xor&runs=d_ff=2', ['runs']],
    ['twins=2:75:50:norm=pre', ['twins']],
    ['twins=3:75:50:positions=north', ['twins']],
  ]) {
    const each = readAddress(`#/train?${wrong}`, recipes);
    assert.deepEqual([each.comparison, each.refused], [null, refused], String(wrong));
  }
});

const form = '#train-fold-compare .compare-form';
const percent = (/** @type {number} */ share) => `${(100 * share).toFixed(1)} %`;

test('of an FFN alone nothing is compared, and after it the form of another task comes', async () => {
  const tab = await createBrowser()('#/train?task=square');
  await tab.at(0);
  await tab.unfold('compare');
  await new Promise((resolve) => setTimeout(resolve, 500)); // its code has come
  assert.deepEqual(tab.all(form), []);
  await tab.press('One step');
  await tab.at(1);
  await tab.fill('#train-seed', '3');
  await tab.there('.train-runs li', /^The run before/);
  assert(!tab.button('Compare over seeds'));
  await tab.fill('[name=train-task]', 'order');
  await tab.there(form);
  await tab.close();
});

test('in the page: predicted, trained, Node’s shares, the link asks the next one first; cancelled', async () => {
  const open = createBrowser();
  const tab = await open('#/train?task=reverse');
  await tab.at(0);
  await tab.unfold('compare');
  /** Of a form: a box or radio by its name. @param {typeof tab} of @param {string} kind @param {string} name */
  const choice = async ({ there }, kind, name) => {
    const label = await there(`${form} label:has([type=${kind}])`, new RegExp(`^${name.replace('/', '.')}$`));
    return label.querySelector('input');
  };
  const start = (/** @type {typeof tab} */ { button }) => button('Start');
  assert.equal((await choice(tab, 'checkbox', 'no positions')).checked, true);
  (await choice(tab, 'checkbox', 'no scale 1/√d_k')).click();
  assert(start(tab).disabled, 'before a prediction');
  await tab.fill('.compare-steps', '2.5');
  (await choice(tab, 'radio', 'as set')).click();
  await tab.press('Start');
  await tab.there(`${form} .error`, 'Steps: must be an integer from 1 to 2,000, not 2.5.');
  await tab.fill('.compare-steps', '75');
  const threshold = `${form} select:has([value="0.5"])`;
  await tab.fill(threshold, '0.5');
  assert(start(tab).disabled, 'the prediction was of another threshold');
  (await choice(tab, 'radio', 'no positions')).click();
  await tab.press('Start');
  await tab.press('One step'); // the page stays usable
  await until(() => tab.step() === 1);
  await tab.there('.compare-verdict p');

  const changes = [{}, { positions: 'none' }, { scoreScale: false }];
  const variants = changes.map((change) => ({ ...recipeOf('reverse'), ...change }));
  const own = await createComparison(gf, 'reverse', variants, [0, 1, 2]);
  await own.train(75, () => true);
  const { checks } = own.report();
  const names = ['as set', 'no positions', 'no scale 1/√d_k'];
  const reached = reachedBy(checks, 'sequences', 0.5);
  const wanted = names.map((name, run) => [
    name,
    ...checks.map((group, seed) => {
      const at = reached[run][seed];
      return percent(Number(group[run].at(-1)?.sequences)) + (at === null ? '' : `, at ${at}`);
    }),
  ]);
  assert.deepEqual(
    tab.all('.compare-table tbody tr').map((row) => [...row.children].map((each) => each.textContent.trim())),
    wanted,
  );
  const sentences = tab.texts('.compare-sentences li');
  names.forEach((name, run) => {
    const count = reached[run].filter((step) => step !== null).length;
    assert.equal(sentences[run], `${name} reaches 50 % of the held-out rows within 75 steps in ${count} of 3 seeds.`);
  });
  const { run: winner } = winnerOf(reached, 75);
  assert.match(
    tab.text('.compare-verdict p'),
    winner === null ? /it was no difference/ : new RegExp(`You predicted “no positions”: it was “${names[winner]}”`),
  );
  await tab.there('.compare-verdict', /Fewer than four seeds cannot rule out chance\./);
  await until(() => tab.all('.compare-chart .curves-line').length === 10); // nine runs and the threshold
  assert.equal(new Set(tab.all('.compare-chart .curves-line').map((line) => line.style.stroke)).size, 4);
  assert.match(tab.all('.compare-table a')[4].getAttribute('href'), /^#\/train\?task=reverse&positions=none&step=75$/);

  const link = '#/train?task=reverse&step=1&runs=positions=none,scoreScale=0&seeds=3&within=75&threshold=.5';
  await until(() => tab.address() === link);
  await tab.fill('#train-norm', 'pre'); // other runs, which are not trained
  await until(() => tab.address() === '#/train?task=reverse&norm=pre');
  assert.equal(tab.all('.compare-results').length, 0);
  await tab.close();

  const other = await createBrowser()(link);
  await other.there(form);
  assert.equal(other.value(threshold), '0.5');
  assert.equal(other.value('.compare-steps'), '75');
  assert(start(other).disabled, 'it asks first');
  await other.fill('.compare-steps', '2000');
  await other.fill(`${form} select:has([value="5"])`, '1');
  (await choice(other, 'radio', 'no difference')).click();
  await other.press('Start');
  await until(() => Number(other.text('.compare-progress').match(/\d+/)) >= 25);
  await other.press('Cancel');
  await other.there('.compare-results', 'It was cancelled before its last step.');
  await other.close();
});
