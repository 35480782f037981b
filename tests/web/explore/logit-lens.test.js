// Logits, probabilities and the logit lens: every word and number from the module's own operations.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readModel } from '../../../web/models/measure.mjs';
import { lens } from '../../../web/explore/logit-lens/derived.js';
import { assertShown, chooseModel, compute, ready, useBrowser } from '../browser.js';

const tools = useBrowser();
/** @typedef {import('playwright-core').Page} Page */

/** @param {Page} page @param {string} rows */
const cells = (page, rows) =>
  page
    .locator(rows)
    .evaluateAll((all) => all.map((tr) => [...tr.children].map((cell) => cell.textContent?.trim() ?? '')));
/** @param {string} text */
const numberOf = (text) => Number(text.replace('−', '-'));

const KNOWN = 'the creek was cold and the spunky dog wanted to jump over it .';

/** The shipped creek on its first sentence. */
function creek() {
  const { config, vocabulary, weights } = readModel('creek');
  const model = tools.gf.createModel(config);
  model.loadWeights(weights);
  model.forward({ ids: KNOWN.split(' ').map((word) => vocabulary.indexOf(word)), capture: true });
  return { model, vocabulary };
}

/** The words of a row by probability. @param {Float32Array} data @param {string[]} vocabulary @param {number} row */
const best = (data, vocabulary, row) =>
  vocabulary.map((word, id) => ({ id, word, p: data[row * vocabulary.length + id] })).sort((a, b) => b.p - a.p);

test('the ten likeliest words: logits, probabilities, and why one is likelier', async () => {
  const page = await tools.open({ model: 'creek' });
  await ready(page);
  const { model, vocabulary } = creek();
  const logits = /** @type {any} */ (model.tensor('logits'));
  const { data } = tools.gf.softmax({ x: logits });
  await page.locator('#tokens-encoder .token').nth(12).click();
  const rows = await cells(page, '#logits tbody tr');
  assert.equal(rows.length, 10);
  const right = best(data, vocabulary, 12);
  rows.forEach(([word, logit, p], i) => {
    assert.equal(word, right[i].word);
    assertShown(numberOf(logit), logits.data[12 * vocabulary.length + right[i].id]);
    assertShown(numberOf(p), right[i].p);
  });
  const ratio = numberOf(await page.locator('#logits .live-numbers b').innerText());
  assert(Math.abs(ratio / (right[0].p / right[1].p) - 1) < 1e-4);
  await page.locator('#tokens-encoder .token').nth(1).click();
  assert.equal((await cells(page, '#logits tbody tr'))[0][0], best(data, vocabulary, 1)[0].word);
  await tools.close(page);
});

test('the logit lens: each layer’s answer, as the module’s own operations give it', async () => {
  const page = await tools.open({ model: 'creek' });
  await ready(page);
  const { model, vocabulary } = creek();
  const { gf } = tools;
  const stages = ['encoder.input', ...[0, 1, 2].map((layer) => `encoder.layers.${layer}.out`)].map((name) => {
    const { data, shape } = /** @type {any} */ (model.tensor(name));
    const x = gf.matmul({
      a: { data, shape: shape.slice(1) },
      b: /** @type {any} */ (model.tensor('tok_emb.weight')),
      transposeB: true,
    });
    const bias = model.tensor('generator.bias').data;
    return gf.softmax({ x: { ...x, data: x.data.map((value, i) => value + bias[i % bias.length]) } }).data;
  });
  const rows = await cells(page, '#logit-lens .lens tbody tr');
  assert.equal(rows.length, 14);
  rows.forEach(([, ...answers], row) =>
    answers.forEach((answer, stage) => {
      const [{ word, p }] = best(stages[stage], vocabulary, row);
      const [shownWord, shownP] = answer.split(' ');
      assert.equal(shownWord, word);
      assert(Math.abs(Number(shownP) - p) < 0.00501);
    }),
  );
  await page.locator('#logit-lens').getByRole('button', { name: 'it', exact: true }).click();
  assert.equal(
    await page.locator('#tokens-encoder [aria-checked=true] .token-word').innerText(),
    'it',
    'a word of the lens pins its token',
  );
  (await cells(page, '#logit-lens .lens-top tbody tr')).forEach(([, ...answers], stage) =>
    answers.forEach((answer, i) => {
      const [word, p] = answer.split(' ');
      const right = best(stages[stage], vocabulary, 12)[i];
      assertShown(Number(p), right.p);
      if (right.p > 1e-3) assert.equal(word, right.word);
    }),
  );
  await page.keyboard.press('ArrowUp');
  await page.waitForFunction(() => document.activeElement?.textContent === 'over');
  assert.equal(await page.locator('#logit-lens button[tabindex="0"]').count(), 1);
  await tools.close(page);
});

test('after the last layer the lens is the model', () => {
  for (const settings of [
    { head: 'tied' },
    { head: 'linear', norm: 'pre', finalNorm: true },
    { head: 'tied', headTransform: true, embeddingNorm: true, activation: 'gelu' },
    { head: 'linear', headTransform: true, norm: 'pre', finalNorm: true, kind: 'decoder' },
    { head: 'tied', headBias: false, kind: 'decoder' },
    { head: 'tied', kind: 'encoder-decoder', decoderLayers: 1 },
    { head: 'tied', kind: 'encoder-decoder', tiedEmbeddings: true, norm: 'pre' },
  ]) {
    const { model } = compute(
      tools.gf,
      { vocabulary: 2048, d_model: 32, ...settings },
      settings.kind === 'encoder-decoder' ? { target: 'der Hund' } : {},
    );
    const made = lens(/** @type {any} */ ({ gf: tools.gf, model }));
    assert('stages' in made);
    const { ids, probabilities } = /** @type {import('../../../web/explore/logit-lens/derived.js').Stage} */ (
      made.stages.at(-1)
    );
    const { data, shape } = tools.gf.softmax({ x: /** @type {any} */ (model.tensor('logits')) });
    for (let row = 0; row < shape[1]; row++) {
      const values = data.subarray(row * 2048, (row + 1) * 2048);
      const most = values.reduce((a, b) => Math.max(a, b));
      assert(Math.abs(probabilities[row * 5] - most) < 1e-6, JSON.stringify(settings));
      assert(Math.abs(values[ids[row * 5]] - most) < 1e-6);
    }
    model.free();
  }
  assert.deepEqual(lens(/** @type {any} */ ({ gf: tools.gf, model: compute(tools.gf, {}).model })), { absent: true });
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
  assert.match(second[2], /^\d\.\de−\d$/);
  const [p, q] = [first, second].map((row) => numberOf(row[2])),
    [y, z] = [first, second].map((row) => numberOf(row[1]));
  assert(Math.abs(q / (p * Math.exp(z - y)) - 1) < 0.06, `${q} beside ${p} e^(${z} - ${y})`); // as each is rounded
  assert((await page.locator('#logits .live-numbers').innerText()).includes(`/ ${second[2]} =`));
  await tools.close(page);
});
