// The place Train: a link to a step restores the run, with Node's bits.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'glassformer';
import { lookAt } from '../../../web/train/look.js';
import { recipeOf } from '../../../web/train/recipes.js';
import { createRun } from '../../../web/train/run.js';
import { until } from '../engines.js';
import { click, quiet } from './steps.js';

const STEP = 200;

/** @param {import('./steps.js').Tour} tour */
export default function train(tour) {
  test('train: 200 steps of reversal from a link, and on to the end: Node’s bits', async () => {
    const { page, url } = tour;
    const own = await createRun(await load({ variant: 'simd' }), 'reverse', recipeOf('reverse'));
    await page.goto(`${url}empty.html`);
    await page.goto(`${url}#/train?task=reverse&step=${STEP}`);
    await own.go(STEP);
    const hashAt = (/** @type {number} */ step) =>
      until(
        page,
        (step) =>
          /** @type {HTMLInputElement | null} */ (document.querySelector('#train-moment'))?.value === String(step) &&
          document.querySelector('.train-play')?.textContent?.trim() !== 'Pause' &&
          document.querySelector('.train-hash code')?.textContent,
        step,
        60_000,
      );
    assert.equal(await hashAt(STEP), (await lookAt(own, 0)).hash);
    assert(own.checks().slice(-1)[0].sequences >= 0.99);
    await click(page, '.train-play');
    await own.go(400);
    assert.equal(await hashAt(400), (await lookAt(own, 0)).hash);
    await quiet(page);
  });
}
