// A neuron's card and a token's strongest neurons: every number is the module's own answer.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { formatShare } from '../../../web/draw/share.js';
import { corpus as census } from '../../../web/explore/shared/corpus.js';
import { assertShown, compute, ready, update, useBrowser } from '../browser.js';
import { checkKey, checkWords, saidBy } from '../checks.js';
import { shipped } from '../corpus.js';

const tools = useBrowser();
/** @typedef {import('playwright-core').Page} Page */

/** @param {string} text */
const number = (text) => Number(text.replace('−', '-'));

/** @param {Page} page @param {string} selector */
const numbers = async (page, selector) => (await page.locator(selector).allInnerTexts()).map(number);

/** @param {Page} page @param {string} name */
const fact = async (page, name) => number(await page.locator(`#neuron [data-number=${name}]`).innerText());

/** Waits until the corpus has been read. @param {Page} page */
const read = (page) => page.locator('#neuron [data-number=active]').waitFor({ timeout: 30_000 });

test('translate: a decoder neuron has output words, an encoder neuron has none', async () => {
  const page = await tools.open({ model: 'translate' });
  await ready(page);
  await page.locator('#neuron button').first().click();
  await read(page);
  const neuron = Number((await page.locator('.neuron-card .view-title').innerText()).split(' ')[1]);
  const own = shipped(tools.gf, 'translate');
  const { words } = saidBy(tools.gf, own, {
    stack: 'decoder',
    layer: 1,
    neuron,
    gain: 'decoder.layers.1.norm3.weight',
    table: 'tgt_emb.weight',
  });
  await checkWords(page, words, own.targetVocabulary);
  await checkKey(page, own.read('decoder', 1), neuron);
  await page.getByRole('radio', { name: 'Encoder self-attention, layer 1, head 1' }).click();
  await page.waitForFunction(() =>
    document.querySelector('.neuron-value')?.textContent?.includes('promotes no tokens directly'),
  );
  await read(page);
  await checkKey(page, own.read('encoder', 0), neuron);
  await tools.close(page);
});

test('untrained: the corpus is the text itself, and there are no output words', async () => {
  const page = await tools.open();
  await ready(page);
  const own = compute(tools.gf, {});
  await page.locator('#neuron button').first().click();
  await read(page);
  const neuron = Number((await page.locator('.neuron-card .view-title').innerText()).split(' ')[1]);
  const values = Array.from({ length: 14 }, (_, row) => own.at('encoder.layers.0.ffn.activation', 0, row, neuron));
  const top = [...values].filter((value) => value > 0).sort((a, b) => b - a);
  (await numbers(page, '.neuron-key li .number')).forEach((shown, i) => assertShown(shown, top[i]));
  assert.equal(await page.locator('#neuron [data-number=active]').innerText(), formatShare(top.length / 14));
  assert.match(await page.locator('.neuron-key').innerText(), /the text itself \(untrained model\)/);
  assert.match(await page.locator('.neuron-value').innerText(), /no output table/);
  await update(page, () =>
    page
      .locator('#set-d_ff')
      .fill('0')
      .then(() => page.keyboard.press('Enter')),
  );
  assert.equal(await page.locator('#neuron').isVisible(), false);
  await tools.close(page);
});

test('while the corpus is read the reader types on, and gets the new text’s numbers', async () => {
  const page = await tools.open({ model: 'creek' });
  await ready(page);
  await page.locator('#neuron button').first().click();
  await page.locator('#text').fill('the dog was cold .');
  await page.waitForFunction(() => document.querySelectorAll('#ffn .map-rows bdi').length === 5);
  await read(page);
  const own = shipped(tools.gf, 'creek');
  own.model.forward({ ids: own.words('the dog was cold .'), capture: true });
  const neuron = Number((await page.locator('.neuron-card .view-title').innerText()).split(' ')[1]);
  const row = ['the', 'dog', 'was', 'cold', '.'].indexOf(
    (await page.locator('.neuron-strongest .quoted').innerText()).replace(/[“”]/g, ''),
  );
  assertShown(
    await fact(page, 'before'),
    own.model.tensor('encoder.layers.2.ffn.pre_activation').data[row * own.config.d_ff + neuron],
  );
  await tools.close(page);
});

test('the corpus: read in parts, kept for the same switches, read anew for others', () => {
  const { config, weights, corpus } = shipped(tools.gf, 'creek');
  const context = {
    gf: tools.gf,
    name: 'creek',
    config,
    /** @param {any} each */
    build(each) {
      const model = tools.gf.createModel(each);
      model.loadWeights(weights);
      return model;
    },
    corpus: () => corpus,
    ids: [],
    targetIds: null,
    model: null,
  };
  /** @param {any} given */
  const whole = (given) => {
    let [answer, parts] = [census(given, 'encoder', '0'), 1];
    for (; answer.unfinished; parts++) answer = census(given, 'encoder', '0');
    return { ...answer, parts };
  };
  const first = whole(context);
  assert.equal(first.ids.length, corpus.ids.flat().length);
  const again = whole(context);
  assert.equal(again.parts, 1);
  assert.deepEqual(again.values, first.values);
  const unscaled = whole({ ...context, config: { ...config, scoreScale: false } });
  assert.notDeepEqual(unscaled.values, first.values);
  assert.equal(whole(context).parts, 1);
});

test('the corpora are what their script makes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'corpus-'));
  execFileSync(process.execPath, [fileURLToPath(new URL('../../../web/models/corpus.mjs', import.meta.url)), folder]);
  for (const name of ['creek', 'translate', 'continue'].map((each) => `${each}.corpus.json`)) {
    assert.equal(
      readFileSync(join(folder, name), 'utf8'),
      readFileSync(new URL(`../../../web/models/${name}`, import.meta.url), 'utf8'),
    );
  }
  rmSync(folder, { recursive: true });
});
