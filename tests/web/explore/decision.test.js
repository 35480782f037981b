// "What decided this?": every number of its maps is that of a pass in Node with the same ablation or patch.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { loadDerived } from '../../../web/engine/derived.js';
import { createLiveModels } from '../../../web/engine/live-models.js';
import { createModelCache } from '../../../web/engine/model-cache.js';
import { makePlan } from '../../../web/engine/plan.js';
import { trainedState } from '../../../web/app/schema.js';
import { readModel } from '../../../web/models/measure.mjs';
import {
  assertAxe,
  assertShown,
  beforeWorker,
  listedAnswers,
  map,
  openOwn,
  point,
  readout,
  ready,
  shipped,
  update,
  useBrowser,
} from '../browser.js';
import { formatShare } from '../../../web/draw/share.js';

const tools = useBrowser();
/** @typedef {import('playwright-core').Page} Page */

const TIRED = 'The dog did not jump over the creek because it was tired.';
const ROW = 9;
const AT = `#/explore?model=creek&text=${encodeURIComponent(TIRED)}&follow=1`;
const TOKENS = 'the dog did not jump over the creek because it was tired .';

/** Creek in Node: the probabilities at "it" with these patches. */
function creek() {
  const { model, ids, vocabulary } = shipped(tools.gf, 'creek');
  const own = ids(TOKENS);
  const other = ids(TOKENS.replace('tired', 'deep'));
  const width = vocabulary.length;
  /** @param {any[]} [patches] @param {number[]} [input] */
  function answers(patches = [], input = own) {
    const { data } = model.forward({ ids: input, capture: true, patches }).logits;
    return tools.gf.softmax({ data: data.slice(ROW * width, (ROW + 1) * width), shape: [1, width] }).data;
  }
  /** The stream of a token after so many layers. @param {number[]} input @param {number} after @param {number} row */
  function stream(input, after, row) {
    model.forward({ ids: input, capture: true });
    const { data, shape } = model.tensor(name(after));
    return data.slice(row * shape[2], (row + 1) * shape[2]);
  }
  const name = (/** @type {number} */ after) => (after ? `encoder.layers.${after - 1}.out` : 'encoder.input');
  /** @param {number} after @param {number} row @param {number} [share] */
  function patch(after, row, share = 1) {
    const [a, b] = [own, other].map((input) => stream(input, after, row));
    return [{ name: name(after), index: [0, row, null], value: a.map((each, i) => (1 - share) * each + share * b[i]) }];
  }
  const headOff = (/** @type {number} */ layer, /** @type {number} */ head) => [
    { name: `encoder.layers.${layer}.self_attn.head_outputs`, index: [0, head, null, null], value: 0 },
  ];
  const neuronsOff = (/** @type {number} */ layer, /** @type {number} */ first, /** @type {number} */ last) =>
    Array.from({ length: last - first + 1 }, (_, i) => ({
      name: `encoder.layers.${layer}.ffn.activation`,
      index: [0, null, first + i],
      value: 0,
    }));
  const [dog, wet] = ['dog', 'creek'].map((word) => vocabulary.indexOf(word));
  return { answers, patch, headOff, neuronsOff, dog, wet, own, other, vocabulary };
}

/** Where the other sentence's answer overtakes this one's. @param {ReturnType<typeof creek>} model */
function flipOf({ answers, patch, dog, wet }) {
  let [low, high] = [0, 1];
  while (high - low > 1e-3) {
    const middle = (low + high) / 2;
    const all = answers(patch(0, 11, middle));
    if (all[dog] > all[wet]) low = middle;
    else high = middle;
  }
  return high;
}

/** What the page shows as a probability. @param {string} text */
const shownShare = (text) => Number(text.replace(/[ %<>]/g, '')) / 100;

/** @param {Page} page */
async function ask(page) {
  await page.locator('#decide').click();
  await page.locator('.decision-words').waitFor();
}

test('all cells are passes of the module with that head, group or token changed', async () => {
  const { weights, ...known } = readModel('creek');
  const live = createLiveModels(tools.gf, { ...createModelCache(), weights: () => weights });
  const state = { ...trainedState('creek', known.config), text: TIRED };
  const { key, config, ids, targetIds, interventions, model, generate } = makePlan(state, known);
  const node = creek();
  const name = `@decision/${ROW}/${node.other.join('.')}/[]`;
  await loadDerived([name]);
  const query = { config, ids, targetIds, interventions, model, generate };
  const asked = { names: [name, 'logits'], maskNames: {}, plans: 1, focus: { layer: 0, row: 0 } };
  const run = () => live.run({ type: 'run', id: 1, key, ...asked, ...query });
  const plain = node.answers();
  let parts = 0;
  let answer = await run();
  const { logits } = answer.tensors;
  for (; answer.derived[name].unfinished; answer = await run()) parts++;
  assert(parts > 0);
  assert.deepEqual(answer.tensors.logits, logits, 'the model is left as it was');
  const found = answer.derived[name];
  assert.equal(found.answer, node.dog);
  assert.equal(found.probability, plain[node.dog]);
  const [{ stream, parts: others }] = found.stacks;
  assert.equal(stream.changes.length, 3 * 13, 'without what the last layer gives, which is the answer');
  assert.equal(others.changes.length, 3 * (2 + 4));
  stream.changes.forEach((change, i) => {
    assert.deepEqual([change.after, change.row], [Math.floor(i / 13), i % 13]);
    assert.equal(stream.probabilities[i], node.answers(node.patch(change.after, change.row))[node.dog], `cell ${i}`);
  });
  others.changes.forEach((change, i) => {
    const patches =
      change.what === 'head'
        ? node.headOff(change.layer, change.head)
        : node.neuronsOff(change.layer, change.first, change.last);
    assert.equal(others.probabilities[i], node.answers(patches)[node.dog], `part ${i}`);
  });
  const effects = others.probabilities.map((each) => each - found.probability);
  for (const { kind, layer, head } of found.decisive) {
    const row = [...effects.subarray(6 * layer, 6 * layer + 6)];
    const at = kind === 'attention' ? head : 2 + row.slice(2).indexOf(Math.min(...row.slice(2)));
    assert(row[at] === Math.min(...row) && row[at] < 0, `layer ${layer}: the one without which it loses most`);
  }
  assert.deepEqual((await run()).derived[name], found, 'asked again, it is the same');
  assert.deepEqual(found.mix.answers, [node.dog, node.wet]);
  assert(Math.abs(found.mix.flip - flipOf(node)) < 2e-3, found.mix.flip);
});

test('the maps say it in words; a click leads to the state, a second one back, its link restores it', async () => {
  const page = await tools.open({ at: AT });
  await ready(page);
  await ask(page);
  const node = creek();
  const plain = node.answers()[node.dog];
  const words = await page.locator('.decision-words').innerText();
  const [, layer, head, from, to] =
    /For dog: most of all layer (\d), head (\d): without it dog falls from (\S+)\s% to (\S+)\s%/.exec(words) ??
    assert.fail(words);
  const without = node.answers(node.headOff(Number(layer) - 1, Number(head) - 1))[node.dog];
  for (const [shown, computed] of [
    [from, plain],
    [to, without],
  ])
    assert(Math.abs(shownShare(String(shown)) - Number(computed)) < 0.006, `${shown} ${computed}`);
  for (const [after, row] of [
    [0, 11],
    [1, 11],
    [2, 9],
    [1, 1],
  ]) {
    await point(page, '#decision .decision-stream', after, row);
    const { number } = await readout(page, '#decision .decision-stream');
    assertShown(number, node.answers(node.patch(after, row))[node.dog] - plain, `after ${after}, token ${row}`);
  }
  await point(page, '#decision .decision-parts', 1, 0);
  const { number } = await readout(page, '#decision .decision-parts');
  assertShown(number, node.answers(node.headOff(1, 0))[node.dog] - plain);

  const patched = node.answers(node.patch(2, 9));
  await update(page, () => point(page, '#decision .decision-stream', 2, 9, 'click'));
  const [first, after] = (await listedAnswers(page))[0];
  assert.equal(first, node.vocabulary[patched.indexOf(Math.max(...patched))]);
  assert.equal(String(after).split('→').at(-1)?.trim(), formatShare(Math.max(...patched)));
  assert.match(await page.locator('.chips').innerText(), /Encoder layer 2, it: from the other sentence/);
  assert.match(await page.locator('.decision-stream .decision-cell').innerText(), /shown now/);
  const shown = await listedAnswers(page);
  await page.waitForFunction(() => location.hash.includes('changes='));
  const link = await page.evaluate(() => location.hash);

  await map(page, '#decision .decision-stream').focus();
  await update(page, () => page.keyboard.press('Enter'));
  assert.equal(await page.locator('.chips').count(), 0);
  await tools.close(page);

  const again = await tools.open({ at: link });
  await ready(again);
  await again.locator('.decision-words').waitFor();
  assert.deepEqual(await listedAnswers(again), shown);
  assert.match(await again.locator('.chips').innerText(), /it: from the other sentence/);
  assert(
    (await again.locator('#model-graph .decisive').count()) === 3,
    'one node of each layer is marked, or one head',
  );
  await again.getByRole('button', { name: 'Close' }).click();
  assert.equal(await again.locator('#model-graph .decisive').count(), 0);
  await tools.close(again);
});

test('between two sentences: the answer flips where bisection in Node finds it', async () => {
  const page = await tools.open({ at: AT });
  await ready(page);
  await ask(page);
  const node = creek();
  const flip = flipOf(node);
  const button = page.locator('.decision-flip');
  assert(Math.abs(shownShare(await button.innerText()) - flip) < 0.006);
  const range = page.locator('.decision-mix input');
  for (const [share, first] of /** @type {[number, string][]} */ ([
    [Math.floor(100 * flip - 1) / 100, 'dog'],
    [Math.ceil(100 * flip + 1) / 100, 'creek'],
  ])) {
    await update(page, () => range.fill(String(share)));
    const all = node.answers(node.patch(0, 11, share));
    const [[word, text]] = await listedAnswers(page);
    assert.equal(word, first, `${share}`);
    assert.equal(String(text).split('→').at(-1)?.trim(), formatShare(Math.max(...all)));
  }
  await update(page, () => range.fill('0'));
  assert.equal(await page.locator('.chips').count(), 0);
  await tools.close(page);
});

test('More puts another sentence’s vector, or the mean, in the chosen token’s place, and takes it back', async () => {
  const page = await tools.open({ at: `${AT.replace('&follow=1', '')}&head=1.1&row=11` });
  await ready(page);
  await page.locator('#try-more > summary').click();
  const group = page.locator('#change-vector');
  await group.getByText('Vector of tired on its way into layer 1').waitFor();
  const button = group.getByRole('button', { name: 'From the sentence with deep' });
  await update(page, () => button.click());
  assert.match(await page.locator('.chips').innerText(), /Embedding, tired: from the other sentence/);
  assert.equal(await button.getAttribute('aria-pressed'), 'true');
  await update(page, () => page.locator('#tokens-encoder .token').nth(ROW).click());
  const node = creek();
  const shown = async () => {
    const [[word, text]] = await listedAnswers(page);
    return [word, String(text).split('→').at(-1)?.trim()];
  };
  const likeliest = (/** @type {Float32Array} */ all) => {
    const most = Math.max(...all);
    return [node.vocabulary[all.indexOf(most)], formatShare(most)];
  };
  const patched = likeliest(node.answers(node.patch(0, 11)));
  assert.deepEqual(await shown(), patched);
  assert.notDeepEqual(patched, likeliest(node.answers()));
  await page.locator('#tokens-encoder .token').nth(11).click();
  await group.getByText('Vector of tired').waitFor();
  await update(page, () => group.getByRole('button', { name: 'Average of the tokens' }).click());
  assert.match(await page.locator('.chips').innerText(), /Embedding, tired: from the mean of the tokens/);
  assert.equal(await page.locator('.chips li').count(), 1, 'the other vector gave way');
  await update(page, () => group.getByRole('button', { name: 'Average of the tokens' }).click());
  assert.equal(await page.locator('.chips').count(), 0);
  await tools.close(page);
});

test('it can be cancelled, and is not there without an answer in words', async () => {
  const slow = `{
    const { instantiate } = WebAssembly;
    WebAssembly.instantiate = async (...all) => {
      const { exports } = await instantiate(...all);
      return { exports: { ...exports, gf_model_forward_patched(...values) {
        for (const end = performance.now() + 40; performance.now() < end;);
        return exports.gf_model_forward_patched(...values);
      } } };
    };
  }`;
  const page = await tools.open({ at: AT, setUp: beforeWorker(slow) });
  await ready(page);
  await page.locator('#decide').click();
  await page.getByText(/^[1-9]\d* of 57 passes$/).waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.locator('#decision').waitFor({ state: 'hidden' });
  await page.evaluate(() => performance.clearMeasures());
  await page.waitForTimeout(500);
  assert.equal((await page.evaluate(() => performance.getEntriesByName('glassformer:update').length)) <= 1, true);
  assert.equal(await page.locator('#decide').getAttribute('aria-expanded'), 'false');
  await tools.close(page);
  const untrained = await tools.open();
  await ready(untrained);
  assert.equal(await untrained.locator('#decide').isVisible(), false);
  await tools.close(untrained);
});

test('a patch that does not fit is refused by its name', async () => {
  const patch = { what: 'patch', kind: 'encoder', after: 1, row: 2, from: [1, 2, 3], share: 1 };
  for (const [change, says] of /** @type {[object, RegExp][]} */ ([
    [
      patch,
      /“Encoder layer 1, token 2: from the other sentence”: the other sentence has 3 tokens, this one 13\. Remove/,
    ],
    [
      { ...patch, from: Array(13).fill(9999) },
      /“Encoder layer 1, token 2: from the other sentence”: the model cannot read the other sentence\./,
    ],
    [{ ...patch, from: 'mean', row: 40 }, /does not exist in this text/],
    [{ ...patch, from: 'mean', after: 40 }, /does not exist in this model/],
    [{ ...patch, share: 2 }, /changes/],
  ])) {
    const page = await tools.open({ at: `${AT}&changes=${encodeURIComponent(JSON.stringify([change]))}` });
    await page.getByText(says).first().waitFor();
    await tools.close(page);
  }
});

test('a BERT of the reader’s own: the mean of the tokens, and axe finds nothing in the open panel', async () => {
  const page = await tools.open({ model: '', layout: 'workspace' });
  await ready(page);
  const folder = (/** @type {string} */ name) =>
    readFileSync(new URL(`../../checkpoints/bert-2l/${name}`, import.meta.url));
  const names = ['config.json', 'model.safetensors', 'tokenizer.json'];
  const files = names.map((name) => ({ name, mimeType: 'application/octet-stream', buffer: folder(name) }));
  await update(page, () => openOwn(page, files));
  await ask(page);
  const [config, weights, tokens] = files.map(({ buffer }) => buffer);
  const { model, tokenizer } = await tools.gf.loadModel({ config, weights, tokenizer: tokens });
  const { ids } = /** @type {any} */ (tokenizer).encode('The dog wanted to [MASK] over the creek.');
  const row = ids.indexOf(/** @type {any} */ (tokenizer).id('[MASK]'));
  /** @param {any[]} [patches] */
  function answers(patches = []) {
    const { data, shape } = /** @type {any} */ (model.forward({ ids, capture: true, patches }).logits);
    return tools.gf.softmax({ data: data.slice(row * shape[2], (row + 1) * shape[2]), shape: [1, shape[2]] }).data;
  }
  const plain = answers();
  const answer = plain.indexOf(Math.max(...plain));
  const name = 'encoder.layers.0.out';
  const { data, shape } = model.tensor(name);
  const value = Array.from(
    { length: shape[2] },
    (_, i) => ids.reduce((sum, __, token) => sum + data[token * shape[2] + i], 0) / ids.length,
  );
  const patched = answers([{ name, index: [0, 2, null], value }]);
  assert.match(await page.locator('.decision-head .hint').innerText(), /replaced by the mean/);
  await point(page, '#decision .decision-stream', 1, 2);
  const { number } = await readout(page, '#decision .decision-stream');
  assertShown(number, patched[answer] - plain[answer]);
  await assertAxe(page, '', '#decision, #decide');
  await tools.close(page);
});
