// The logit lens as a reader sees it: after the last layer it is what the model says; a click moves the row.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lens as lensOf } from '../../../../web/explore/derived/logit-lens.js';
import { compute } from '../../in-node.js';
import { gf, open } from '../table.js';

const { lens } = await import('../../../../web/explore/features/logit-lens.js');

test('a readout for the input and each layer; the last one is what the model predicts', async () => {
  for (const [link, caption] of [
    ['model=creek&row=3', 'At cold'],
    ['model=continue&row=2', 'Next token after'],
    ['model=translate', 'Next token after'],
  ]) {
    const page = await open(lens, link);
    assert.deepEqual(page.needs(), ['@lens']);
    const { readouts, top } = page.result().derived.get('@lens');
    assert.deepEqual(page.all('.lens thead th'), ['token', ...readouts.map((/** @type {any} */ { title }) => title)]);
    const row = Number(page.root.querySelector('.lens tr.here')?.getAttribute('data-row') ?? 0);
    const at = page.all('.lens tbody tr').length > row ? page.all('.lens tr.here td').at(-1) : '';
    const last = readouts.at(-1);
    const here = Number(/** @type {HTMLElement} */ (page.root.querySelector('[aria-pressed=true]')).dataset.at);
    assert(at?.endsWith(last.probabilities[here * top].toFixed(2)), link);
    assert(at?.startsWith(page.modelInfo.outputVocabulary[last.ids[here * top]]), link);
    assert(page.text().includes(caption), page.text());
  }
});

test('each cell is the most likely token of its stage', async () => {
  const page = await open(lens, 'model=creek');
  const { readouts, top } = page.result().derived.get('@lens');
  page.root.querySelectorAll('.lens tbody tr').forEach((tr, row) =>
    tr.querySelectorAll('td').forEach((td, stage) => {
      const { ids, probabilities } = readouts[stage];
      const word = page.modelInfo.outputVocabulary[ids[row * top]];
      assert.equal(td.textContent, `${word} ${probabilities[row * top].toFixed(2)}`);
    }),
  );
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

test('a translation is read word by word', async () => {
  const page = await open(lens, 'model=translate');
  assert.deepEqual(
    page.all('.lens tbody tr td:last-child bdi'),
    page.result().plan.tokens.decoder?.predicted?.words,
    'the last layer’s answers are the words that were written',
  );
});

test('after the last layer the lens is the model', async () => {
  for (const settings of [
    { head: 'tied' },
    { head: 'linear', norm: 'pre', finalNorm: true },
    { head: 'tied', headTransform: true, embeddingNorm: true, activation: 'gelu' },
    { head: 'linear', headTransform: true, norm: 'pre', finalNorm: true, kind: 'decoder' },
    { head: 'tied', headBias: false, kind: 'decoder' },
    { head: 'tied', kind: 'encoder-decoder', decoderLayers: 1 },
    { head: 'tied', kind: 'encoder-decoder', tiedEmbeddings: true, norm: 'pre' },
  ]) {
    const { model, input } = compute(
      gf,
      { vocabulary: 2048, d_model: 32, ...settings },
      settings.kind === 'encoder-decoder' ? { target: 'der Hund' } : {},
    );
    const made = await lensOf(/** @type {any} */ ({ gf, model, ...input, interventions: [] }));
    assert('readouts' in made);
    const { ids, probabilities } = /** @type {import('../../../../web/explore/derived/logit-lens.js').Readout} */ (
      made.readouts.at(-1)
    );
    const { data, shape } = gf.softmax(/** @type {any} */ (model.tensor('logits')));
    for (let row = 0; row < shape[1]; row++) {
      const values = data.subarray(row * 2048, (row + 1) * 2048);
      const most = values.reduce((a, b) => Math.max(a, b));
      assert(Math.abs(probabilities[row * 5] - most) < 1e-6, JSON.stringify(settings));
      assert(Math.abs(values[ids[row * 5]] - most) < 1e-6);
    }
    model.free();
  }
  const { model } = compute(gf, {});
  assert.deepEqual(await lensOf(/** @type {any} */ ({ gf, model })), { absent: true });
});
