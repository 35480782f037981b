// The place Claims: a card is predicted, run, changed and left for the state of Explore that shows the same.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'glassformer';
import { claims } from '../../claims/kept.js';
import { defaultState, readLink } from '../../../web/app/schema.js';
import { typeset } from '../../../web/draw/numbers.js';
import { ownModel } from '../../claims/own-model.js';
import { makePlan } from '../../../web/engine/plan.js';
import { assertShown } from '../in-node.js';
import { until } from '../engines.js';
import { click, eventually, quiet, readout, there } from './steps.js';

const CARD = 4;

/** @param {import('./steps.js').Tour} tour */
export default function cards(tour) {
  test('cards: a prediction, Node’s verdicts and the boundary beside it, and the state in Explore', async () => {
    const { page, url } = tour;
    const { claim, run, outcome } = claims.find((one) => one.claim.number === CARD) ?? assert.fail();
    const gf = await load({ variant: 'simd' });
    const at = async (/** @type {import('glassformer/claims').Params} */ params) =>
      outcome(await run(gf, params), params);
    const seen = (/** @type {string} */ found) =>
      until(
        page,
        (found) =>
          document.querySelector('.claims-fresh .claims-verdict > span')?.textContent === found &&
          document.querySelector('.claims-verdict .claims-word')?.textContent,
        found,
      );
    await page.goto(`${url}empty.html`);
    await page.goto(`${url}#/claims?card=${CARD}`);
    await until(page, () => document.querySelector('.claims-choice'));
    await page.evaluate(() => localStorage.removeItem('glassformer-claims'));
    assert.equal(await page.evaluate(() => document.querySelector('.claims-word, .claims-numbers')), null);
    await click(page, '.claims-choice[value="0"]');
    assert.match(await seen(typeset((await at({})).found)), /it depends on the mask$/);
    assert.match(
      await page.evaluate(() => document.querySelector('.claims-agreement')?.textContent?.trim()),
      /^Not as you expected/,
    );
    await click(page, '.claims-contrast button', 0);
    assert.equal(await seen(typeset((await at(claim.contrast)).found)), 'Boundary');
    await until(page, () => document.querySelector('.claims-found img, .claims-found svg, .claims-found canvas'));

    const own = await page.evaluate(() => location.href);
    await page.evaluate(() => {
      if (navigator.clipboard) navigator.clipboard.writeText = () => Promise.reject(new Error('not here'));
    });
    await click(page, '.claims-share button', 'Copy link');
    const field = () => /** @type {HTMLInputElement | null} */ (document.querySelector('.claims-share input'))?.value;
    const link = await until(page, field);
    assert.equal(link, own, 'the address has all');
    await page.goto(`${url}empty.html`);
    await page.goto(link); // it runs at once, as there
    assert.equal(await seen(typeset((await at(claim.contrast)).found)), 'Boundary');

    const href = await until(page, () =>
      [...document.querySelectorAll('.claims-found a')]
        .find((link) => link.textContent === 'Open in Explore')
        ?.getAttribute('href'),
    );
    const { state } = readLink(href, defaultState());
    assert.equal(state.settings.causal, true, 'the switch of the card');
    const { config, ids } = makePlan(state);
    const model = gf.createModel(/** @type {any} */ (config));
    model.forward({ ids, capture: true });
    const { data, shape } = /** @type {any} */ (model.tensor('encoder.layers.0.self_attn.weights'));
    await click(page, '.claims-found a', 'Open in Explore');
    const { row, key } = state.cursor;
    await eventually(async () => {
      const shown = await readout(page);
      assert.match(shown.note, new RegExp(`^\\[${row}, ${key}\\]`));
      assertShown(shown.number, data[row * shape[3] + key]);
    });
    await quiet(page);
  });

  test('cards: a card’s own model, trained there and opened in Explore, has Node’s weight at the cell', async () => {
    const { page, url } = tour;
    const [number, params] = [5, { mask: 'causal' }];
    await page.goto(`${url}empty.html`);
    await page.goto(`${url}#/claims?card=${number}&mask=causal`);
    await click(page, '.claims-question button', 'Run without a bet');
    // The button stands still once the figure above it is there.
    await there(page, '.claims-found :is(img, svg, canvas)');
    await there(page, '.claims-next');
    await click(page, '.claims-model button', 'Open its model in Explore');
    const { model, rows, cell } = await ownModel(await load({ variant: 'simd' }), number, params);
    model.forward({ ids: rows[0], capture: true });
    const { data, shape } = /** @type {any} */ (model.tensor('encoder.layers.0.self_attn.weights'));
    await eventually(async () => {
      const { note, number: shown } = await readout(page);
      assert.match(note, new RegExp(`^\\[${cell.row}, ${cell.key}\\]`));
      assertShown(shown, data[(cell.head * shape[2] + cell.row) * shape[3] + cell.key]);
    });
    await quiet(page);
  });
}
