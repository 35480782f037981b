// The place Train: settings that change on the way, and twins: Node's bits and shares.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'glassformer';
import { hashOf } from '../../../web/train/run/look.js';
import { recipeOf } from '../../../web/train/run/recipes.js';
import { createRun } from '../../../web/train/run/run.js';
import { createTwins } from '../../../web/train/run/twins-run.js';
import { until } from '../engines.js';
import { click, quiet } from './steps.js';

const STEPS = 50;

/** @param {import('./steps.js').Tour} tour */
export default function twins(tour) {
  test('twins: a link with changes on the way: Node’s bits', async () => {
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

  test('twins: recipe and no positions, three seeds: Node’s shares', async () => {
    const { page, url } = tour;
    const variants = [recipeOf('order'), { ...recipeOf('order'), positions: 'none' }];
    const own = await createTwins(await load({ variant: 'simd' }), 'order', variants, [0, 1, 2]);
    await own.train(100, () => true);
    const { checks } = own.report();
    await page.goto(`${url}empty.html`);
    await page.goto(`${url}#/train?task=order`);
    await until(page, () => document.querySelector('#train-fold-race > summary'), null, 60_000);
    await click(page, '#train-fold-race > summary');
    await until(page, () => document.querySelector('.twins-form button'));
    await click(page, '.twins-form button');
    const shown = await until(
      page,
      () =>
        document.querySelector('.twins-moment strong')?.textContent === '100' &&
        document.querySelector('.twins-progress')?.hasAttribute('hidden') &&
        [...document.querySelectorAll('.twins-table td')].map((cell) => cell.textContent).filter(Boolean),
      null,
      60_000,
    );
    const percent = (/** @type {number} */ share) => `${(100 * share).toFixed(1)} %`;
    assert.deepEqual(
      shown,
      variants.flatMap((_, i) => checks.map((group) => percent(group[i].slice(-1)[0].sequences))),
    );
    await quiet(page);
  });
}
