// A claim of one's own: written in the form, opened by its link elsewhere, run there with Node's numbers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'glassformer';
import { foundOf } from '../../../web/claims/own/found.js';
import { recipeOf } from '../../../web/train/run/recipes.js';
import { createTwins } from '../../../web/train/run/twins-run.js';
import { until } from '../engines.js';
import { accessible } from './axe.js';
import { click, fill, quiet } from './steps.js';

const SENTENCE = 'Without positions <b>order</b> is a coin flip.';

/** @param {import('./steps.js').Tour} tour */
export default function ownClaim(tour) {
  test('own claim: the form makes a link, and the link a card that gives Node’s numbers', async () => {
    const { page, url } = tour;
    await page.goto(`${url}empty.html`);
    await page.goto(
      `${url}#/claims?own=&task=order&switch=positions&to=none&measure=rows&at=most&threshold=0.6&steps=50&seeds=2`,
    );
    await until(page, () => document.querySelector('.claims-own-form textarea'));
    await fill(page, '.claims-own-form textarea', SENTENCE);
    await accessible(page, 'the form of a claim');
    await click(page, '.claims-own-form button', 'Make the card');
    const link = await until(page, () => document.querySelector('.claims-own-run') && location.hash);
    await page.goto(`${url}empty.html`);
    await page.goto(`${url}${link}`);
    await until(
      page,
      (sentence) =>
        document.querySelector('#claims-own')?.textContent === sentence && document.querySelector('.claims-own-run'),
      SENTENCE,
    );
    await click(page, '.claims-own-run button', 'Run');
    const values = await until(page, () => {
      const all = /** @type {HTMLDataElement[]} */ ([...document.querySelectorAll('.claims-own-values data')]);
      return all.length > 0 && all.map(({ value }) => value);
    });
    const settings = { ...recipeOf('order'), positions: 'none' };
    const twins = await createTwins(await load({ variant: 'simd' }), 'order', [settings], [0, 1]);
    await twins.train(50, () => true);
    const spec = /** @type {any} */ ({ measure: 'rows', at: 'most', threshold: 0.6, steps: 50 });
    const own = foundOf(spec, twins.report());
    twins.free();
    assert.deepEqual(values, own.values.map(String));
    const verdict = await page.evaluate(() =>
      document.querySelector('.claims-own .claims-word')?.getAttribute('data-verdict'),
    );
    assert.equal(verdict, own.outcome.verdict);
    await accessible(page, 'a claim that someone wrote');
    await quiet(page);
  });
}
