// The place Train: settings that change on the way, and a comparison: Node's bits and shares.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'glassformer';
import { hashOf } from '../../../web/train/run/look.js';
import { recipeOf } from '../../../web/train/run/recipes.js';
import { createRun } from '../../../web/train/run/run.js';
import { createComparison } from '../../../web/train/run/compare.js';
import { until } from '../engines.js';
import { click, quiet } from './steps.js';

const STEPS = 50;

/** @param {import('./steps.js').Tour} tour */
export default function compare(tour) {
  test('compare: a link with changes on the way: Node’s bits', async () => {
    const { page, url } = tour;
    const own = await createRun(await load({ variant: 'simd' }), 'order', recipeOf('order'), {
      changes: [
        [20, { learningRate: 0.002, dropout: 0.1 }],
        [30, { batch: 48 }],
      ],
    });
    await own.go(STEPS);
    await page.goto(`${url}empty.html`);
    await page.goto(`${url}#/train?task=order&at=20:learningRate=0.002,dropout=0.1&at=30:batch=48&step=${STEPS}`);
    const shown = await until(
      page,
      (step) =>
        document.querySelector('.train-step strong')?.textContent === String(step) &&
        document.querySelector('.train-play')?.textContent?.trim() !== 'Pause' &&
        document.querySelector('.train-hash code')?.textContent,
      STEPS,
      60_000,
    );
    assert.equal(shown, await hashOf(own.model));
    await quiet(page);
  });

  test('compare: recipe and no positions, three seeds, from a link: Node’s shares', async () => {
    const { page, url } = tour;
    const variants = [recipeOf('order'), { ...recipeOf('order'), positions: 'none' }];
    const own = await createComparison(await load({ variant: 'simd' }), 'order', variants, [0, 1, 2]);
    await own.train(100, () => true);
    const { checks } = own.report();
    await page.goto(`${url}empty.html`);
    await page.goto(`${url}#/train?task=order&runs=positions=none&seeds=3&within=100&threshold=.9`);
    await until(page, () => document.querySelector('.compare-form input[type=radio]'), null, 60_000);
    await click(page, '.compare-form input[type=radio]');
    await click(page, '.compare-form button:not([type=button], [disabled])');
    const shown = await until(
      page,
      () =>
        document.querySelector('.compare-verdict p') &&
        [...document.querySelectorAll('.compare-table td')].map((cell) => cell.textContent?.trim()).filter(Boolean),
      null,
      60_000,
    );
    const percent = (/** @type {number} */ share) => `${(100 * share).toFixed(1)} %`;
    assert.deepEqual(
      shown.map((/** @type {string} */ text) => text.replace(/,.*/, '')),
      variants.flatMap((_, i) => checks.map((group) => percent(group[i].slice(-1)[0].sequences))),
    );
    await quiet(page);
  });
}
