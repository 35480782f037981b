// axe-core finds nothing with all that can be opened: light for two models, dark for the others. In Chromium alone, as
// its rules check the document, not at the engine.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { launchEngine, until } from '../engines.js';
import { click, eventually, fill, open, there, unfold } from './steps.js';

/** @param {import('./steps.js').EnginePage} page @param {string} where */
export async function accessible(page, where) {
  const violations = await page.evaluate(async () => {
    await import(new URL('axe.js', location.href).href);
    const found = await Reflect.get(self, 'axe').run(document, { resultTypes: ['violations'] });
    return found.violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 120)).join(' | ')}`,
    );
  });
  assert.deepEqual(violations, [], where);
}

/**
 * Opens and changes everything: two states side by side, the effect, several queries, a neuron's card, tables,
 * code, an unknown word.
 * @param {import('./steps.js').EnginePage} page
 * @param {string} model
 */
async function everything(page, model) {
  if (model === 'continue') {
    await click(page, '#generation button', 'Generate');
    // Word by word; what is pinned before the end has fewer.
    await page.evaluate(async () => {
      const count = () => document.querySelectorAll('.token.fresh').length;
      for (let before = -1; before < 1 || before !== count();) {
        before = count();
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    });
  }
  await click(page, '#interventions button', 'Pin this state');
  await click(page, '.head', 0); // a mean of heads has no switch
  await click(page, '#change-head button', 'Switch off');
  await fill(page, '#try .temperature', '0.3');
  await there(page, '.chips bdi');
  await click(page, '.head', 1); // which has lines still
  await until(page, () => document.querySelector('#effect p') && document.querySelector('.compare-readout'));
  await click(page, '.queries .line-token', 1);
  await page.press('Shift+ArrowDown');
  await click(page, '#neurons button');
  await there(page, '#neuron [data-number=active]');
  await fill(page, '#share-tensor', model === 'untrained' || model === 'creek' ? 'encoder.input' : 'decoder.input');
  await eventually(async () => {
    // One kind of table stands under all maps: that of one map, lest axe counts thousands of like cells.
    await unfold(page, '#heatmap details, details:not(.neuron-card, .map-foot > div:first-child > details)');
    assert(
      await page.evaluate(() =>
        ['#heatmap .map-foot', '#lines', '#share', '#computation', '.neuron-card'].every((each) =>
          document.querySelector(`${each} :is(td, b, strong)`),
        ),
      ),
    );
  });
  await click(page, '#heatmap [role=application]');
  await click(page, '#share-figure button', 'Copy as code');
  await eventually(async () =>
    assert(await page.evaluate(() => document.querySelector('#share-figure pre, #share-figure p.hint'))),
  );
}

/**
 * Links with short texts, one with an unknown word, as axe takes its time for each cell.
 * @type {Record<string, string>}
 */
const LINKS = {
  creek: 'creek&text=the+zebra+was+tired+.',
  translate: 'translate',
  continue: 'continue&text=the+cat&length=4',
  untrained: 'untrained&text=one+two+three&d_model=16&d_ff=24',
};

/** @param {import('./steps.js').Tour} tour */
export default function axe(tour) {
  for (const dark of [false, true]) {
    const models = dark ? ['translate', 'untrained'] : ['creek', 'continue'];
    test(`axe finds nothing in ${models}, ${dark ? 'dark' : 'light'}`, async () => {
      const page = dark ? await launchEngine(tour.name, { dark }) : tour.page;
      try {
        for (const model of models) {
          await open({ ...tour, page }, LINKS[model]);
          assert.equal(await page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches), dark);
          await accessible(page, `${model}, as it opens`);
          await everything(page, model);
          await until(page, () => {
            const steps = document.getElementById('computation'); // dim while they play
            return !steps?.querySelector('.ahead') && !steps?.getAnimations({ subtree: true }).length;
          });
          await accessible(page, `${model}, with everything`);
        }
      } finally {
        if (dark) await page.close();
      }
    });
  }
}
