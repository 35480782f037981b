// The logit lens as a reader sees it: after the last layer it is what the model says; a click moves the row.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from '../table.js';

const { lens } = await import('../../../../web/explore/features/logit-lens.js');

test('a stage for the input and each layer; the last one is what the model predicts', async () => {
  for (const [link, caption] of [
    ['model=creek&row=3', 'At cold'],
    ['model=continue&row=2', 'Next token after'],
    ['model=translate', 'Next token after'],
  ]) {
    const page = await open(lens, link);
    assert.deepEqual(page.needs(), ['@lens']);
    const { stages, top } = page.result().derived.get('@lens');
    assert.deepEqual(page.all('.lens thead th'), ['token', ...stages.map((/** @type {any} */ { title }) => title)]);
    const row = Number(page.root.querySelector('.lens tr.here')?.getAttribute('data-row') ?? 0);
    const at = page.all('.lens tbody tr').length > row ? page.all('.lens tr.here td').at(-1) : '';
    const last = stages.at(-1);
    const here = Number(/** @type {HTMLElement} */ (page.root.querySelector('[aria-pressed=true]')).dataset.at);
    assert(at?.endsWith(last.probabilities[here * top].toFixed(2)), link);
    assert(at?.startsWith(page.modelInfo.outputVocabulary[last.ids[here * top]]), link);
    assert(page.text().includes(caption), page.text());
  }
});

test('a click and the arrow keys choose the row', async () => {
  const page = await open(lens, 'model=creek&row=3');
  await page.click('button[data-at="5"]');
  assert.equal(page.state().cursor.row, 5);
  await page.press('button[data-at="5"]', 'End');
  const last = page.all('.lens tbody th').length - 1;
  assert.equal(page.state().cursor.row, last);
  assert.deepEqual(page.all('.lens tr.here th'), [page.all('.lens tbody th').at(-1)]);
});

test('there is none without a trained model', async () => {
  const page = await open(lens, 'model=untrained');
  assert.deepEqual([page.needs(), page.text()], [[], '']);
});
