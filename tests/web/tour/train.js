// The place Train: a link restores a run and what changes on its way, and what was left goes on, with Node’s bits.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'glassformer';
import { lookAt } from '../../../web/train/run/look.js';
import { recipeOf } from '../../../web/train/run/recipes.js';
import { createRun } from '../../../web/train/run/run.js';
import { formatShare, formatValue } from '../../../web/draw/numbers.js';
import { until } from '../engines.js';
import { cells } from '../checks.js';
import { click, eventually, quiet } from './steps.js';

/** @typedef {import('../engines.js').EnginePage} EnginePage */

const STEP = 200;

/** The hash at a step, once that is shown and nothing trains. @param {EnginePage} page @param {number} step */
const hashAt = (page, step) =>
  until(
    page,
    (step) =>
      /** @type {HTMLInputElement | null} */ (document.querySelector('#train-moment'))?.value === String(step) &&
      document.querySelector('.train-play')?.textContent?.trim() !== 'Pause' &&
      document.querySelector('.train-hash code')?.textContent,
    step,
    60_000,
  );

/** @param {import('./steps.js').Tour} tour */
export default function train(tour) {
  test('train: the page is left and opened again: the run goes on with Node’s bits', async () => {
    const { page, url } = tour;
    const own = await createRun(await load({ variant: 'simd' }), 'order', { ...recipeOf('order'), seed: 5 });
    await page.goto(`${url}empty.html`);
    await page.goto(`${url}#/train?task=order&seed=5&step=50`);
    await own.go(50);
    assert.equal(await hashAt(page, 50), (await lookAt(own, 0)).hash);
    await page.goto(`${url}empty.html`);
    await page.goto(`${url}#/train`);
    assert.equal(await hashAt(page, 50), (await lookAt(own, 0)).hash);
    assert.match(await page.evaluate(() => document.querySelector('.train-notice')?.textContent), /was kept/);
    await click(page, '.train-play');
    await own.go(200);
    assert.equal(await hashAt(page, 200), (await lookAt(own, 0)).hash);
    await quiet(page);
  });

  test('train: a run with changes on the way, a part frozen and a head cut, from its link: Node’s bits', async () => {
    const { page, url } = tour;
    const own = await createRun(await load({ variant: 'simd' }), 'order', recipeOf('order'), {
      changes: [
        [20, { learningRate: 0.002, dropout: 0.1, frozen: 'FFN', cut: '1.1' }],
        [30, { batch: 48, frozen: 'none', cut: '1.2' }],
      ],
    });
    await page.goto(`${url}empty.html`);
    const changes = 'at=20:learningRate=0.002,dropout=0.1,frozen=FFN,cut=1.1&at=30:batch=48,frozen=none,cut=1.2';
    await page.goto(`${url}#/train?task=order&${changes}&step=50`);
    await own.go(50);
    assert.equal(await hashAt(page, 50), (await lookAt(own, 0)).hash);
    await quiet(page);
  });

  test('train: XOR by an FFN alone is learnt with Node’s bits and numbers', async () => {
    const { page, url } = tour;
    const own = await createRun(await load({ variant: 'simd' }), 'xor', recipeOf('xor'));
    await own.go(400);
    const { hash, ffn } = await lookAt(own, 0);
    assert(ffn?.surface && ffn.error < 1e-3);
    await page.goto(`${url}empty.html`);
    await page.goto(`${url}#/train?task=xor&step=400`);
    assert.equal(await hashAt(page, 400), hash);
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

  test('train: “Open in Explore” shows Node’s attention and answers of that step', async () => {
    const { page, url } = tour;
    const gf = await load({ variant: 'simd' });
    const { model, go, heldOut, task } = await createRun(gf, 'reverse', recipeOf('reverse'));
    await go(25);
    await page.goto(`${url}empty.html`);
    await page.goto(`${url}#/train?task=reverse&step=25`);
    const step = () => document.querySelector('.train-step strong')?.textContent === '25';
    await until(page, step, null, 60_000);
    await until(page, () => document.querySelector('.train-play')?.textContent?.trim() !== 'Pause');
    await click(page, '.train-explore');
    const ids = [...heldOut[0].batch.ids.data.slice(0, 8)];
    const { data } = /** @type {any} */ (model.forward({ ids, capture: true }).logits);
    const answers = ids.map((_, row) => {
      const logits = [...data.subarray(row * 10, (row + 1) * 10)];
      return task.vocabulary.words[logits.indexOf(Math.max(...logits))];
    });
    await until(page, () => document.querySelector('#answers .answers-all bdi')?.textContent);
    const shown = await page.evaluate(() => ({
      value: document.querySelector('#heatmap .map-readout strong')?.textContent,
      answers: document.querySelector('#answers .answers-all bdi')?.textContent,
    }));
    const weights = /** @type {any} */ (model.tensor('encoder.layers.0.self_attn.weights')).data;
    assert.deepEqual(shown, { value: weights[0].toFixed(4), answers: answers.join(' ') });
    await quiet(page);
  });
}

/** One engine shows this for all. @param {import('./steps.js').Tour} tour */
export function runs(tour) {
  test('train: 200 steps of reversal from a link, and on to the end: Node’s bits', async () => {
    const { page, url } = tour;
    const own = await createRun(await load({ variant: 'simd' }), 'reverse', recipeOf('reverse'));
    await page.goto(`${url}empty.html`);
    await page.goto(`${url}#/train?task=reverse&step=${STEP}`);
    await own.go(STEP);
    assert.equal(await hashAt(page, STEP), (await lookAt(own, 0)).hash);
    assert(own.checks().slice(-1)[0].sequences >= 0.99);
    await click(page, '.train-play');
    await own.go(400);
    assert.equal(await hashAt(page, 400), (await lookAt(own, 0)).hash);
    await quiet(page);
  });

  test('train: from the solved head to why it works, and back to the run as it was', async () => {
    const { page, url } = tour;
    const gf = await load({ variant: 'simd' });
    const own = await createRun(gf, 'reverse', recipeOf('reverse'));
    await page.goto(`${url}empty.html`);
    await page.goto(`${url}#/train?task=reverse&step=${STEP}`);
    await own.go(STEP);
    const hash = await hashAt(page, STEP);
    await click(page, '.train-why');
    own.model.forward({ ids: [...own.heldOut[0].batch.ids.data.slice(0, 8)], capture: true });
    const { data } = /** @type {any} */ (own.model.tensor('encoder.layers.0.self_attn.weights'));
    const most = Math.max(...data.slice(0, 8));
    await until(
      page,
      (wanted) => document.querySelector('#heatmap .map-readout strong')?.textContent === wanted,
      most.toFixed(4),
    );
    await until(
      page,
      (wanted) => document.querySelector('#computation-title')?.textContent?.replace('\u00a0', ' ') === wanted,
      `Why ${formatShare(most).replace('\u00a0', ' ')}?`,
    );
    await until(page, () => document.querySelector('.why-play')?.textContent?.trim() === 'Pause');
    await click(page, '.origin');
    assert.equal(await hashAt(page, STEP), hash);
    await quiet(page);
  });
}
