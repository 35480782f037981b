// Twins: the same bits at the start, trained in turn as each alone would be, shown side by side with Node's numbers.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { load } from 'glassformer';
import { examine } from 'glassformer/tasks';
import { lookAt } from '../../../web/train/run/look.js';
import { TASKS, modelConfig, recipeOf } from '../../../web/train/run/recipes.js';
import { createRun } from '../../../web/train/run/run.js';
import { createTwins } from '../../../web/train/run/twins-run.js';
import { readTwins, writeTwins } from '../../../web/train/twins/link.js';
import { ABOUT, pairsOf } from '../../../web/train/twins/lessons.js';
import { LATER, ROWS, SWITCHES, TABLE } from '../../../web/train/twins/table.js';
import { readout, useBrowser } from '../browser.js';
import { assertAccessible, chooseTask, openAt } from './watch.js';

const tools = useBrowser();
/** @typedef {import('playwright-core').Page} Page */

/** @type {import('../../../web/train/run/run.js').Engine} */
let gf;
before(async () => {
  gf = await load({ variant: 'simd' });
});

test('what twins share begins with the same bits, for every switch and task', async () => {
  for (const task of Object.keys(TABLE)) {
    const recipe = recipeOf(task);
    const weightsOf = (/** @type {object} */ settings) =>
      gf.createModel(modelConfig(task, /** @type {any} */ ({ ...settings, seed: 2 }))).weights();
    const own = weightsOf(recipe);
    const twins = await createTwins(
      gf,
      task,
      [recipe, ...SWITCHES.map(({ change }) => ({ ...recipe, ...change }))],
      [2],
    );
    const [starts] = twins.report().starts;
    assert.deepEqual(starts[0], { shared: own.size, equal: own.size });
    for (const [i, { name, change }] of SWITCHES.entries()) {
      const other = weightsOf({ ...recipe, ...change });
      const shared = [...own].filter(([key, { shape }]) => String(other.get(key)?.shape) === String(shape));
      assert(shared.length > 3, name);
      for (const [key, { data }] of shared)
        assert.deepEqual(Buffer.from(other.get(key)?.data.buffer ?? []), Buffer.from(data.buffer), key);
      assert.deepEqual(starts[i + 1], { shared: shared.length, equal: shared.length }, `${task}, ${name}`);
    }
    twins.free();
  }
  const wider = await createTwins(gf, 'order', [recipeOf('order'), { ...recipeOf('order'), d_model: 64 }], [0]);
  const [[, { shared, equal }]] = wider.report().starts;
  assert(shared < 16, `${shared}: of another shape`);
  assert(equal <= shared);
});

test('in turn, each as alone: shares of the seed’s own held-out rows, maps, other seeds', async () => {
  const recipe = recipeOf('order');
  const variants = [recipe, { ...recipe, positions: 'none' }];
  const twins = await createTwins(gf, 'order', variants, [1, 2]);
  /** @type {number[]} */
  const rounds = [];
  await twins.train(
    60,
    () => true,
    async () => rounds.push(twins.report().step),
  );
  assert.deepEqual(rounds, [25, 50, 60]);
  const { checks } = twins.report();
  for (const [i, seed] of [1, 2].entries()) {
    for (const [variant, settings] of variants.entries()) {
      const alone = await createRun(gf, 'order', { ...settings, seed });
      await alone.go(50);
      const score = await examine(alone.model, TASKS.order.heldOut(seed, { count: ROWS }), { maps: false });
      assert.equal(checks[i][variant].at(-1)?.sequences, score.sequences);
      assert.deepEqual((await twins.look(50, i, 3))[variant].maps, (await lookAt(alone, 3)).maps);
      await alone.go(25);
      assert.deepEqual((await twins.look(25, i, 0))[variant].maps, (await lookAt(alone, 0)).maps, 'back in time');
    }
  }
  twins.free();
});

test('one that is no longer finite stands still, and the others go on; it ends where it is told', async () => {
  const recipe = recipeOf('reverse');
  const wild = { ...recipe, norm: 'none', learningRate: 1000, warmup: 0, optimizer: 'sgd', clip: 0 };
  const twins = await createTwins(gf, 'reverse', [recipe, wild], [0]);
  let left = 70;
  await twins.train(400, () => left-- > 0);
  const { step, failures, checks } = twins.report();
  assert.equal(step, 50); // the last check that all of them have reached
  assert.equal(failures[0][0], null);
  assert(Number(failures[0][1]) > 0);
  assert.deepEqual(
    checks[0][0].map((each) => each.step),
    [0, 25, 50],
  );
});

test('pairs: what teaches something first, with what was measured; none that changes nothing', () => {
  const names = (/** @type {string} */ task) => pairsOf(task, recipeOf(task)).map(({ name }) => name);
  assert.deepEqual(names('reverse').slice(0, 2), ['no positions', 'no scale 1/√d_k']);
  assert(!names('reverse').includes('one head'), 'it has one');
  assert(!names('induction').includes('learned positions'), 'it has them');
  const [first] = pairsOf('addition', recipeOf('addition'));
  assert.deepEqual([first.name, first.measured], ['linear FFN', '11, 11 and 4 %.']);
  assert.match(pairsOf('addition', recipeOf('addition'))[2].lesson, /After 1,200 steps 87, 93 and 99 %/);
  assert.equal(LATER.task, 'addition');
  assert.match(ABOUT.copy, /No switch matters/);
});

test('a link says twins and leads back to them; of others it says nothing', () => {
  const pairs = pairsOf('reverse', recipeOf('reverse'));
  for (const names of [...pairs.map(({ name }) => [name]), ['no positions', 'pre-LN']]) {
    const chosen = pairs.filter(({ name }) => names.includes(name));
    const twins = { seeds: 3, to: 150, step: 75, seed: names.length };
    const text = writeTwins({ ...twins, changes: chosen.map(({ change }) => change) });
    assert.deepEqual(readTwins(text, pairs), { ...twins, chosen: chosen.map(({ name }) => name) }, text);
    assert.equal(new URLSearchParams(`twins=${text}`).get('twins'), text);
  }
  for (const text of [
    '',
    '3:75:50:',
    '2:75:50:norm=pre',
    '3:0:0:norm=pre',
    '3:50:75:norm=pre',
    '3:75:50:norm=none2',
    '3:75:50:3:norm=pre',
    '1:75:50:1:norm=pre',
  ])
    assert.equal(readTwins(text, pairs), null, text);
  assert.equal(readTwins('3:75:50:norm=pre', pairs)?.seed, 0, 'as before');
  assert.equal(readTwins('3:75:50:heads=1', pairs), null, 'it has one head');
  assert.equal(readTwins('1:75:50:norm=pre,norm=none,positions=none', pairs), null, 'more than are shown');
});

test('copy: every switch is at 100 % of the rows by step 100, as the page says', async () => {
  const recipe = recipeOf('copy');
  const variants = [recipe, ...pairsOf('copy', recipe).map(({ change }) => ({ ...recipe, ...change }))];
  const twins = await createTwins(gf, 'copy', variants, [0]);
  await twins.train(100, () => true);
  const [checks] = twins.report().checks;
  assert.deepEqual(
    checks.map((list) => Math.max(...list.map(({ sequences }) => sequences))),
    variants.map(() => 1),
  );
  twins.free();
});

/** @param {string} hash @param {object} [options] */
const open = (hash, options) => openAt(tools, hash, options);

/** @param {Page} page @param {number} step */
const trained = (page, step) =>
  page.waitForFunction(
    (wanted) =>
      document.querySelector('.twins-moment strong')?.textContent === String(wanted) &&
      /** @type {HTMLElement | null} */ (document.querySelector('.twins-progress'))?.hidden,
    step,
  );
/** @param {Page} page */
const cells = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('.twins-table tbody tr')].map((row) =>
      [...row.children].map((each) => each.textContent),
    ),
  );
const percent = (/** @type {number} */ share) => `${(100 * share).toFixed(1)} %`;

test('in the page: three variants, three seeds, Node’s shares and maps; the page stays usable', async () => {
  const page = await open('#/train?task=reverse');
  await page.locator('#train-fold-race > summary').click();
  assert.equal(await page.getByLabel('no positions').isChecked(), true);
  await page.getByLabel('no scale').check();
  await page.locator('.twins-steps').fill('75');
  await page.locator('.twins-form').getByRole('button', { name: 'Race' }).click();
  await page.locator('.twins-progress').waitFor();
  await page.getByRole('button', { name: 'One step' }).click();
  await page.waitForFunction(() => document.querySelector('.train-step strong')?.textContent === '1');
  await trained(page, 75);

  const recipe = recipeOf('reverse');
  const changes = [{}, { positions: 'none' }, { scoreScale: false }];
  const twins = await createTwins(
    gf,
    'reverse',
    changes.map((change) => ({ ...recipe, ...change })),
    [0, 1, 2],
  );
  await twins.train(75, () => true);
  const { checks, starts } = twins.report();
  const rows = (/** @type {number} */ at) =>
    ['unchanged', 'no positions', 'no scale 1/√d_k'].map((name, variant) => [
      name,
      ...checks.map((group) => percent(group[variant][at].sequences)),
    ]);
  assert.deepEqual(await cells(page), rows(3));
  const { shared } = starts[0][1];
  assert.match(
    await page.locator('.twins-results [role=status]').innerText(),
    new RegExp(`no positions: ${shared} of ${shared}; no scale 1/√d_k: ${shared} of ${shared}`),
  );
  const strokes = await page
    .locator('.twins-chart')
    .first()
    .locator('.curves-line')
    .evaluateAll((lines) => lines.map((line) => /** @type {SVGElement} */ (line).style.stroke));
  assert.equal(strokes.length, 9);
  assert.equal(new Set(strokes).size, 3, 'a colour for each variant');

  const shown = async () => [
    (await readout(page, '.twins-maps figure:nth-child(1)')).value,
    (await readout(page, '.twins-maps figure:nth-child(2)')).value,
    (await readout(page, '.twins-maps figure:nth-child(3)')).value,
  ];
  const own = async (/** @type {number} */ step, /** @type {number} */ seed) =>
    (await twins.look(step, seed, 0)).map(({ maps }) => maps[0].data[0].toFixed(4));
  assert.deepEqual(await shown(), await own(75, 0));
  await page.locator('.twins-choice select').last().selectOption('2');
  const wait = async (/** @type {string[]} */ wanted) => {
    for (let i = 0; i < 100 && String(await shown()) !== String(wanted); i++) await page.waitForTimeout(50);
    assert.deepEqual(await shown(), wanted);
  };
  await wait(await own(75, 2));
  await page.locator('.twins-moment input').focus();
  await page.keyboard.press('ArrowLeft');
  await trained(page, 50);
  assert.deepEqual(await cells(page), rows(2));
  await wait(await own(50, 2));

  const link = '#/train?task=reverse&step=1&twins=3:75:50:2:positions=none,scoreScale=0';
  await page.waitForFunction((wanted) => location.hash === wanted, link);
  await page.locator('#train-norm').selectOption('pre'); // other twins, which are not trained
  await page.waitForFunction(() => location.hash === '#/train?task=reverse&norm=pre');
  assert.equal(await page.locator('.twins-results').count(), 0);
  await tools.close(page);
  const other = await open(link);
  await trained(other, 50);
  assert.deepEqual(await cells(other), rows(2));
  assert.equal(await other.evaluate(() => location.hash), link);
  assert.equal(await other.locator('.twins-choice select').last().inputValue(), '2');
  const [unchanged] = await own(50, 2);
  for (let i = 0; i < 100 && (await readout(other, '.twins-maps figure:nth-child(1)')).value !== unchanged; i++)
    await other.waitForTimeout(50);
  assert.equal((await readout(other, '.twins-maps figure:nth-child(1)')).value, unchanged);
  assert.equal(await other.getByRole('checkbox', { name: /^no scale/ }).isChecked(), true);
  await other.evaluate(() => (location.hash = '#/train?task=order&twins=3:75:50:positions=north'));
  await other.getByText('The twins of this link could not be read.').waitFor();
  await other.waitForFunction(() => location.hash === '#/train?task=order');
  await tools.close(other);
});

test('it is cancelled where it is, says a wrong number of steps, and ends with the task', async () => {
  const page = await open('#/train?task=order');
  await page.locator('#train-fold-race > summary').click();
  await page.locator('.twins-steps').fill('2.5');
  await page.locator('.twins-form').getByRole('button', { name: 'Race' }).click();
  assert.match(await page.locator('#train-fold-race .error').innerText(), /Steps: must be an integer from 1 to 2,000/);
  await page.locator('.twins-steps').fill('2000');
  await page.locator('.twins-form select').selectOption('1');
  await page.locator('.twins-form').getByRole('button', { name: 'Race' }).click();
  await page.waitForFunction(() => Number(document.querySelector('.twins-moment strong')?.textContent) >= 25);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.locator('.twins-progress').waitFor({ state: 'hidden' });
  const step = Number(await page.locator('.twins-moment strong').innerText());
  assert(step >= 25 && step < 2000, String(step));
  const own = await createTwins(gf, 'order', [recipeOf('order'), { ...recipeOf('order'), positions: 'none' }], [1]);
  await own.train(step, () => true);
  const [group] = own.report().checks;
  assert.deepEqual(
    await cells(page),
    ['unchanged', 'no positions'].map((name, i) => [name, percent(Number(group[i].at(-1)?.sequences))]),
  );
  await chooseTask(page, 'Copy');
  await page.getByText('Which one will learn as well?').waitFor();
  assert.equal(await page.locator('.twins-results').count(), 0);
  await tools.close(page);
});

for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
  test(`axe finds nothing, and nothing runs off the side at 390 px, ${colorScheme}`, async () => {
    const page = await open('#/train?task=order', { colorScheme, viewport: { width: 390, height: 844 } });
    await page.locator('#train-fold-race > summary').click();
    await page.locator('.twins-steps').fill('25');
    await page.locator('.twins-form').getByRole('button', { name: 'Race' }).click();
    await trained(page, 25);
    await assertAccessible(page, { within: '#train-fold-race *', scrolls: '.map-scroll' });
    await tools.close(page);
  });
}
