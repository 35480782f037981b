// What is watched of a run: gradients and updates by layer, neurons, a row of the reader's own; in Node against
// the public API, on the page against Node.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { load } from 'glassformer';
import { predictor, reverse } from 'glassformer/tasks';
import { lookAt } from '../../../web/train/run/look.js';
import { createMeter, isMeasured } from '../../../web/train/run/measures.js';
import { TASKS, modelConfig, recipeOf, trainerConfig } from '../../../web/train/run/recipes.js';
import { createRun } from '../../../web/train/run/run.js';
import { point, readout, useBrowser } from '../browser.js';
import { at, openAt, press } from './watch.js';

const tools = useBrowser();
/** @typedef {import('playwright-core').Page} Page */

/** @type {import('../../../web/train/run/run.js').Engine} */
let gf;
before(async () => {
  gf = await load({ variant: 'simd' });
});

/** @param {ArrayLike<number>} values */
const normOf = (values) => Math.sqrt(Array.from(values).reduce((sum, value) => sum + value * value, 0));
/** @param {number} a @param {number} b */
const close = (a, b) => assert(Math.abs(a - b) <= 1e-5 * Math.abs(b), `${a}, ${b}`);

test('gradients and updates by layer are those of the public API, and measuring changes no bit', () => {
  const settings = recipeOf('sort');
  const twin = () => {
    const model = gf.createModel(modelConfig('sort', settings));
    return { model, trainer: model.trainer(trainerConfig('sort', settings, model)) };
  };
  const [own, other] = [twin(), twin()];
  const meter = createMeter(own.model);
  assert.deepEqual(meter.parts, ['Embeddings', 'Layer 1', 'Layer 2', 'Output']);
  const names = [...own.model.weights().keys()];
  const partOf = (/** @type {string} */ name) =>
    /emb/.test(name) ? 0 : /layers/.test(name) ? 1 + Number(name.split('.')[2]) : 3;
  for (let step = 0; step < 4; step++) {
    const batch = TASKS.sort.batch(step, 1);
    const before = other.model.weights();
    const { gradientNorm } = other.trainer.gradients(batch);
    const gradients = names.map((name) => other.model.tensor(`grad.${name}`).data);
    other.trainer.step(batch);
    meter.begin();
    own.trainer.step(batch);
    const values = meter.end();
    const after = own.model.weights();
    meter.parts.forEach((_, part) => {
      const mine = names.filter((name) => partOf(name) === part);
      close(values[part], normOf(mine.map((name) => normOf(gradients[names.indexOf(name)]))));
      const was = mine.map((name) => before.get(name)?.data ?? []);
      const moved = mine.map((name, i) => normOf(after.get(name)?.data.map((value, k) => value - was[i][k]) ?? []));
      const size = normOf(was.map(normOf));
      if (size) close(values[4 + part], normOf(moved) / size);
      else assert(Number.isNaN(values[4 + part]), 'biases that were all 0');
    });
    close(normOf(values.slice(0, 4)), gradientNorm);
    for (const [name, { data }] of after) assert.deepEqual(data, other.model.tensor(name).data);
  }
});

test('layers are measured at the first 25 steps, then at every fifth, the same after a return', async () => {
  const run = await createRun(gf, 'copy', recipeOf('copy'));
  await run.go(40);
  const { layers } = run.curve(0);
  assert.deepEqual(
    layers.flatMap((each, i) => (each ? [i + 1] : [])),
    Array.from({ length: 40 }, (_, i) => i + 1).filter(isMeasured),
  );
  assert.equal(layers.filter(Boolean).length, 28);
  await run.go(12);
  await run.go(40);
  assert.deepEqual(run.curve(0).layers, layers);
});

test('maps, neurons and answers of a row of one’s own; words that the task does not have are refused', async () => {
  const run = await createRun(gf, 'reverse', recipeOf('reverse'));
  await run.go(150);
  const look = await lookAt(run, '3141 5926');
  assert.deepEqual([look.own, look.example, look.rows.length], [true, 8, 9]);
  assert.equal(look.rows[8].words.join(''), '31415926');
  const { batch } = reverse.ask('31415926');
  const { logits, maps } = await predictor(run.model)(batch, { maps: true });
  assert(maps);
  assert.deepEqual([...look.maps[0].data], [...maps[0].data]);
  assert.deepEqual([...look.neurons[0].data], [...run.model.tensor('encoder.layers.0.ffn.activation').data]);
  assert.equal(look.neurons[0].count, 64);
  const best = (/** @type {number} */ at) => {
    const row = [...logits.data].slice(at * 10, at * 10 + 10);
    return String(row.indexOf(Math.max(...row)));
  };
  assert.deepEqual(
    look.rows[8].answers.map(({ got }) => got),
    Array.from({ length: 8 }, (_, at) => best(at)),
  );
  assert.deepEqual(
    look.rows[8].answers.map(({ expected }) => expected),
    [...'62951413'],
  );
  assert.deepEqual((await lookAt(run, 2)).rows, look.rows.slice(0, 8), 'the held-out rows stay');
  await assert.rejects(lookAt(run, '31x15926'), { code: 'unknown', value: 'x' });
  await assert.rejects(lookAt(run, '314'), { code: 'range' });
  for (const [name, typed] of [
    ['addition', '47+25='],
    ['order', 'CABDEF'],
    ['reverse-variable', '12345'],
    ['induction', 'abc'.repeat(8)],
    ['story', 'one day a dog saw a bone .'],
  ]) {
    const each = await createRun(gf, name, recipeOf(name));
    const shown = await lookAt(each, typed);
    assert.equal(shown.own, true, name);
    assert.equal(shown.neurons.length, Number(recipeOf(name).layers), name);
    assert.equal(shown.maps[0].size, shown.rows.at(-1)?.words.length, name);
    each.free();
  }
  const none = await createRun(gf, 'reverse', { ...recipeOf('reverse'), d_ff: 0 });
  assert.deepEqual((await lookAt(none, 0)).neurons, []);
});

const NEURONS = '#train-fold-neurons .train-fold-body';

/** @param {string} hash @param {object} [options] */
const open = (hash, options) => openAt(tools, hash, options);

test('on the page: folds with Node’s numbers, the neurons, and one’s own row while training goes on', async () => {
  const page = await open('#/train?task=reverse&step=30');
  await at(page, 30);
  const own = await createRun(gf, 'reverse', recipeOf('reverse'));
  await own.go(30);
  const look = await lookAt(own, 0);

  await page.getByText('FFN neurons').click(); // then it is fetched
  await point(page, NEURONS, 2, 5);
  assert.equal((await readout(page, NEURONS)).value, look.neurons[0].data[2 * 64 + 5].toFixed(4));
  assert.match(await page.locator(`${NEURONS} > .hint`).innerText(), /at step 30\. \d+\.\d % of the values/);

  await page.getByText('Gradients and updates by layer').click();
  const rows = page.locator('.train-parts tbody tr');
  await rows.first().waitFor();
  const [values] = own.curve(29).layers;
  assert(values);
  const shown = await rows.evaluateAll((all) => all.map((row) => [...row.children].map((e) => e.textContent?.trim())));
  assert.deepEqual(
    shown,
    own.parts.map((part, i) => [part, ...[values[i], values[own.parts.length + i]].map((v) => v.toPrecision(3))]),
  );
  await page.waitForFunction(
    // they are drawn in the frame after their size is known
    (lines) => document.querySelectorAll('#train-fold-layers .curves-line').length === lines,
    2 * own.parts.length,
  );

  await press(page, '✎ type your own');
  const field = page.getByLabel('Your own example');
  assert.equal(await field.inputValue(), look.rows[0].words.join(''));
  await field.fill('12');
  await field.press('Enter');
  const note = page.locator('#train-own-note');
  await note.locator('.error').waitFor();
  assert.equal(await note.innerText(), 'It must be 8 digits.');
  await field.fill('1234567x');
  await field.press('Enter');
  await page.waitForFunction(() => document.querySelector('#train-own-note')?.textContent?.includes('“x”'));
  assert.equal(await field.getAttribute('aria-invalid'), 'true');
  assert.equal(await field.inputValue(), '1234567x');

  await page.getByRole('button', { name: 'Train', exact: true }).click();
  await field.fill('12345678');
  await field.press('Enter');
  await page.waitForFunction(() => document.querySelector('.train-rows li:nth-child(9)'));
  assert.equal(await note.locator('.error').count(), 0);
  await at(page, 400);
  await own.go(400);
  const last = await lookAt(own, '12345678');
  const row = page.locator('.train-rows li').nth(8);
  assert.deepEqual(
    await row.locator('.train-token > :last-child').allInnerTexts(),
    last.rows[8].answers.map(({ got }) => got),
  );
  assert.equal(last.rows[8].answers.filter(({ right }) => right).length, 8);
  await point(page, NEURONS, 7, 63);
  assert.equal((await readout(page, NEURONS)).value, last.neurons[0].data[8 * 64 - 1].toFixed(4));
  assert.equal(await page.locator('#train-shown-title').innerText(), 'Your row');
  await page.getByRole('radio', { name: /^Row 2:/ }).check();
  await page.waitForFunction(() => document.querySelectorAll('.train-rows li').length === 8);
  assert.equal(await field.inputValue(), last.rows[1].words.join(''));
  await tools.close(page);
});
