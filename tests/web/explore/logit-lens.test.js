// Logits, probabilities and the logit lens: every word and number from the module's own operations.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lens } from '../../../web/explore/derived/logit-lens.js';
import { chooseModel, compute, ready, useBrowser } from '../browser.js';

const tools = useBrowser();
/** @typedef {import('playwright-core').Page} Page */

/** @param {Page} page @param {string} rows */
const cells = (page, rows) =>
  page
    .locator(rows)
    .evaluateAll((all) => all.map((tr) => [...tr.children].map((cell) => cell.textContent?.trim() ?? '')));
/** @param {string} text */
const numberOf = (text) => Number(text.replace('−', '-'));

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
      tools.gf,
      { vocabulary: 2048, d_model: 32, ...settings },
      settings.kind === 'encoder-decoder' ? { target: 'der Hund' } : {},
    );
    const made = await lens(/** @type {any} */ ({ gf: tools.gf, model, ...input, interventions: [] }));
    assert('stages' in made);
    const { ids, probabilities } = /** @type {import('../../../web/explore/derived/logit-lens.js').Stage} */ (
      made.stages.at(-1)
    );
    const { data, shape } = tools.gf.softmax(/** @type {any} */ (model.tensor('logits')));
    for (let row = 0; row < shape[1]; row++) {
      const values = data.subarray(row * 2048, (row + 1) * 2048);
      const most = values.reduce((a, b) => Math.max(a, b));
      assert(Math.abs(probabilities[row * 5] - most) < 1e-6, JSON.stringify(settings));
      assert(Math.abs(values[ids[row * 5]] - most) < 1e-6);
    }
    model.free();
  }
  const { model } = compute(tools.gf, {});
  assert.deepEqual(await lens(/** @type {any} */ ({ gf: tools.gf, model })), { absent: true });
});

test('a model without an output table says so; a translation is read word by word', async () => {
  const page = await tools.open();
  await ready(page);
  assert.match(await page.locator('#logits').innerText(), /no output table, so there are no logits/);
  assert.equal(await page.locator('#logit-lens').isVisible(), false);
  await chooseModel(page, 'translate');
  await page.locator('#logit-lens .lens tbody tr').first().waitFor();
  const written = (await page.locator('#tokens-decoder .token-word').allInnerTexts()).map((word) => word.trim());
  const answers = (await cells(page, '#logit-lens .lens tbody tr')).map((row) => row.at(-1)?.split(' ')[0]);
  assert.deepEqual(answers, written, 'the last layer’s answers are the words that were written');
  await tools.close(page);
});

test('a probability too small for four places is told as a power of ten, and the formula holds with it', async () => {
  const page = await tools.open({ model: 'translate' });
  await ready(page);
  const [first, second] = await cells(page, '#logits .top-words tbody tr');
  assert.match(second[2], /^\d\.\d\d·10⁻⁵$/);
  const [p, q] = [Number(first[2]), Number(second[2].replace('·10⁻⁵', 'e-5'))],
    [y, z] = [first, second].map((row) => numberOf(row[1]));
  assert(Math.abs(q / (p * Math.exp(z - y)) - 1) < 0.006, `${q} beside ${p} e^(${z} - ${y})`); // as each is rounded
  const shown = await page.locator('#logits .live-numbers').innerText();
  const [, above, below, ratio] = shown.match(/= ([\d.]+) \/ (\S+)\s+≈\s+([\d,]+)/) ?? [];
  assert.equal(below, second[2]);
  const exact = Number(above) / Number(below.replace('·10⁻⁵', 'e-5'));
  assert(Math.abs(Number(ratio.replace(',', '')) / exact - 1) < 0.05, `${shown}: two digits of ${exact}`);
  await tools.close(page);
});
