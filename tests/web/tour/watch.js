// What the place Train shows of a run in any engine: layers, neurons, a row of the reader's own, and an FFN alone,
// each against Node.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatValue } from '../../../web/draw/canvas.js';
import { load } from 'glassformer';
import { lookAt } from '../../../web/train/run/look.js';
import { recipeOf } from '../../../web/train/run/recipes.js';
import { createRun } from '../../../web/train/run/run.js';
import { until } from '../engines.js';
import { click, eventually, fill, move, quiet, shown, there } from './steps.js';

/** @typedef {import('../engines.js').EnginePage} EnginePage */

/** The text of all that a selector finds, by rows and their children. @param {EnginePage} page @param {string} rows */
const cells = (page, rows) =>
  page.evaluate(
    (rows) => [...document.querySelectorAll(rows)].map((row) => [...row.children].map((e) => e.textContent?.trim())),
    rows,
  );

/** @param {import('./steps.js').Tour} tour @param {string} query @param {string} hash */
async function open({ page, url }, query, hash) {
  await page.goto(`${url}empty.html`);
  await page.goto(`${url}#/train?${query}`);
  await until(page, (hash) => document.querySelector('.train-hash code')?.textContent === hash, hash, 60_000);
}

/** @param {import('./steps.js').Tour} tour */
export default function watch(tour) {
  test('watch: layers, neurons and a row of one’s own are Node’s', async () => {
    const { page } = tour;
    const own = await createRun(await load({ variant: 'simd' }), 'addition', recipeOf('addition'));
    await own.go(60);
    const { hash, neurons } = await lookAt(own, 0);
    await open(tour, 'task=addition&step=60', hash);
    for (const fold of ['neurons', 'layers']) await click(page, `#train-fold-${fold} > summary`);
    await there(page, '#train-fold-neurons [role=application]');
    await move(page, '#train-fold-neurons', 3, 7);
    await shown(page, '#train-fold-neurons', neurons[1].data[3 * 64 + 7]);
    await there(page, '#train-fold-layers tbody tr');
    const [values] = own.curve(59).layers;
    assert(values);
    assert.deepEqual(
      await cells(page, '#train-fold-layers tbody tr'),
      own.parts.map((part, i) => [part, ...[values[i], values[own.parts.length + i]].map((v) => v.toPrecision(3))]),
    );
    await click(page, '.train-edit');
    await fill(page, '#train-own', '47+25=');
    await click(page, '.train-own button');
    const asked = await lookAt(own, '47+25=');
    await until(page, () => document.querySelector('.train-rows li:nth-child(9)'));
    const answers = await page.evaluate(() =>
      [...document.querySelectorAll('.train-rows li:nth-child(9) .train-token > :last-child')]
        .map((each) => each.textContent?.replace(/≠.*/, ''))
        .filter(Boolean),
    );
    assert.deepEqual(
      answers,
      asked.rows[8].answers.map(({ got }) => got),
    );
    await shown(page, '#train-fold-neurons', asked.neurons[1].data[3 * 64 + 7]);
    await quiet(page);
  });

  test('watch: XOR by an FFN alone is learnt with Node’s bits and numbers', async () => {
    const { page } = tour;
    const own = await createRun(await load({ variant: 'simd' }), 'xor', recipeOf('xor'));
    await own.go(400);
    const { hash, ffn } = await lookAt(own, 0);
    assert(ffn?.surface && ffn.error < 1e-3);
    await open(tour, 'task=xor&step=400', hash);
    const { side, values } = ffn.surface;
    const corners = [0, side - 1, (side - 1) * side, side * side - 1].map((i) => formatValue(values[i]));
    await eventually(async () =>
      assert.deepEqual(
        (await cells(page, '.train-ffn tbody tr')).map(([, , output]) => output),
        corners,
      ),
    );
    await quiet(page);
  });
}
