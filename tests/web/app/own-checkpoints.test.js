// Checkpoints of Hugging Face's in Explore, in Chromium: sub-words, masked words, continuing, Node's numbers, refusals.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { filesIn } from '../../hub.js';
import { FAMILIES, TALK, answering } from '../../js/chat-folders.js';
import {
  askForOwn,
  assertAxe,
  headOf,
  listedAnswers,
  openMenu,
  openOwn,
  point,
  readout,
  ready,
  update,
  useBrowser,
} from '../browser.js';
import { formatShare } from '../../../web/draw/numbers.js';
import { LABELS } from '../../../web/models/catalogue.js';

/** The models that come with the page. */
const SHIPPED = Object.keys(LABELS).length;
const tools = useBrowser();
/** @typedef {import('playwright-core').Page} Page */

const NAMES = ['config.json', 'model.safetensors', 'tokenizer.json'];
/** @param {string} name @param {string} file */
const bytes = (name, file) => readFileSync(new URL(`../../checkpoints/${name}/${file}`, import.meta.url));
/** @param {string} name @param {string} file @param {Buffer} [other] */
const asFile = (name, file, other) => ({
  name: file,
  mimeType: 'application/octet-stream',
  buffer: other ?? bytes(name, file),
});

/**
 * Node's numbers of a checkpoint.
 * @param {string} name
 * @param {string} text
 */
async function computed(name, text) {
  const [config, weights, tokens] = NAMES.map((file) => bytes(name, file));
  const { model, tokenizer } = await tools.gf.loadModel({ config, weights, tokenizer: tokens });
  const { ids } = /** @type {any} */ (tokenizer).encode(text);
  model.forward({ ids, capture: true });
  const logits = /** @type {any} */ (model.tensor('logits'));
  const { data } = tools.gf.softmax(logits);
  const [, , width] = logits.shape;
  const label = (/** @type {number} */ id) => /** @type {any} */ (tokenizer).label(id);
  return {
    ids,
    labels: ids.map(label),
    width,
    /** @param {number} row */
    order: (row) => [...data.subarray(row * width, (row + 1) * width).entries()].sort((a, b) => b[1] - a[1]),
    /** @param {number} row */
    best(row) {
      return this.order(row)
        .slice(0, 5)
        .map(([id, probability]) => [label(id), formatShare(probability)]);
    },
    /** @param {number} row @param {number} id */
    logit: (row, id) => logits.data[row * width + id],
    id: (/** @type {string} */ token) => /** @type {any} */ (tokenizer).id(token),
    /** @param {string} stack @param {[number, number]} layerAndHead @param {number} row @param {number} key */
    weight: (stack, [layer, head], row, key) => {
      const { data } = /** @type {any} */ (model.tensor(`${stack}.layers.${layer}.self_attn.weights`));
      return data[(head * ids.length + row) * ids.length + key];
    },
  };
}

/** Pins a cell, and waits until it is read. @param {Page} page @param {number} row @param {number} key */
async function pin(page, row, key) {
  await point(page, '#heatmap', row, key, 'click');
  await page
    .locator('#heatmap .map-note')
    .filter({ hasText: `[${row}, ${key}]` })
    .waitFor();
}

/** Waits until the tokens are those. @param {Page} page @param {string[]} labels */
const tokensAre = (page, labels) =>
  page.waitForFunction((wanted) => {
    const strip = [...document.querySelectorAll('.tokens-line:not([hidden]) .token-word')];
    const rows = /** @type {HTMLCanvasElement | null} */ (document.querySelector('#heatmap [role=application] canvas'))
      ?.height;
    return JSON.stringify(strip.map((each) => each.textContent)) === wanted && rows === strip.length;
  }, JSON.stringify(labels));

const WIDE = { width: 1800, height: 1200 };

test('a BERT: [MASK] and what stands there, cells, a word found by typing, a change: Node’s numbers', async () => {
  const page = await tools.open({ model: '', layout: 'workspace', viewport: WIDE });
  await ready(page);
  const files = NAMES.map((file) => asFile('bert-2l', file));
  await update(page, () => openOwn(page, files));
  const first = await computed('bert-2l', 'The dog wanted to [MASK] over the creek.');
  await tokensAre(page, first.labels);
  assert.match((await page.locator('.model:has(:checked)').textContent())?.trim() ?? '', /^bert: your own$/);
  assert.match(await page.locator('.answers-title').innerText(), /Prediction for \[MASK\]/, 'it opens at the mask');
  assert.deepEqual(await listedAnswers(page), first.best(first.labels.indexOf('[MASK]')));
  const text = 'The creek was [MASK], and the spunky dog jumped.';
  await update(page, () => page.locator('#text').fill(text));
  const own = await computed('bert-2l', text);
  assert(own.labels.includes('[CLS]') && own.labels.some((/** @type {string} */ each) => each.startsWith('##')));
  await tokensAre(page, own.labels);
  await pin(page, 4, 2);
  assert.equal((await readout(page)).value, own.weight('encoder', await headOf(page), 4, 2).toFixed(4));
  assert.deepEqual(await listedAnswers(page), own.best(4));
  await page.getByRole('button', { name: 'Mask it' }).waitFor({ state: 'detached' });
  await page.locator('.tokens-line:not([hidden]) .token').filter({ hasText: 'dog' }).click();
  await update(page, () => page.getByRole('button', { name: 'Mask it' }).click());
  assert.equal(await page.locator('#text').inputValue(), 'The creek was [MASK], and the spunky [MASK] jumped.');
  await update(page, () => page.locator('#text').fill(text));
  await tokensAre(page, own.labels);
  await pin(page, 4, 2);
  await page.getByRole('button', { name: /^Logits/ }).click();
  assert.match(String(await page.locator('#logits math').textContent()), /Ew\+bw/, 'this head has a bias');
  await page.getByLabel('Find a token').fill('cold');
  const id = own.id('cold');
  const found = page.locator('[aria-label="Tokens found"] tbody tr').first();
  await found.waitFor();
  const rank = own.order(4).findIndex(([each]) => each === id) + 1;
  assert.equal(await found.locator('th').innerText(), 'cold');
  assert.equal(await found.locator('td').last().innerText(), String(rank));
  const logit = Number((await found.locator('td').first().innerText()).replace('−', '-'));
  assert(Math.abs(logit - own.logit(4, id)) < 1e-4, `${logit}, computed ${own.logit(4, id)}`);
  await tools.close(page);
});

test('an XLM-R: a text in pieces of Unigram, with a mask: Node’s numbers', async () => {
  const page = await tools.open({ model: '', layout: 'workspace', viewport: WIDE });
  await ready(page);
  const files = NAMES.map((file) => asFile('xlm-roberta-2l', file));
  await update(page, () => openOwn(page, files));
  const own = await computed('xlm-roberta-2l', 'The dog wanted to <mask> over the creek.');
  await tokensAre(page, own.labels);
  assert.match(await page.locator('.answers-title').innerText(), /Prediction for <mask>/, 'it opens at the mask');
  assert.deepEqual(await listedAnswers(page), own.best(own.labels.indexOf('<mask>')));
  await tools.close(page);
});

test('Pythia, Gemma and Phi-3: Node’s numbers, and where the FFN stands', async () => {
  for (const name of ['pythia-2l-f16', 'gemma-2l-bf16', 'phi3-2l-window']) {
    const page = await tools.open({ model: '', layout: 'workspace', viewport: WIDE });
    await ready(page);
    const files = NAMES.map((file) => asFile(name, file));
    await update(page, () => openOwn(page, files));
    const text = 'The dog was at the deep creek.';
    await update(page, () => page.locator('#text').fill(text));
    const own = await computed(name, text);
    await tokensAre(page, own.labels);
    const last = own.ids.length - 1;
    await pin(page, last, last - 1);
    assert.equal((await readout(page)).value, own.weight('decoder', await headOf(page), last, last - 1).toFixed(4));
    // Some of its answers are bytes that the page names, U+001E.
    const shares = (/** @type {any[][]} */ answers) => answers.map(([, share]) => share);
    assert.deepEqual(shares(await listedAnswers(page)), shares(own.best(last)), name);
    const beside = name.startsWith('pythia') ? 2 : 0;
    assert.equal(await page.locator('.model-graph-beside').count(), beside, name);
    assert.equal(await page.locator('#notices').innerText(), '');
    await assertAxe(page, name, '#model-graph');
    await tools.close(page);
  }
});

test('a GPT-2: byte-level parts shown readably, Node’s numbers, what it writes', async () => {
  const page = await tools.open({ model: '', layout: 'workspace', viewport: WIDE });
  await ready(page);
  await update(page, () =>
    openOwn(
      page,
      NAMES.map((file) => asFile('gpt2-2l', file)),
    ),
  );
  const text = 'The creek was cold, and';
  await update(page, () => page.locator('#text').fill(text));
  const own = await computed('gpt2-2l', text);
  assert(own.labels.includes('␣was'));
  await tokensAre(page, own.labels);
  const last = own.ids.length - 1;
  await pin(page, last, 1);
  assert.equal((await readout(page)).value, own.weight('decoder', await headOf(page), last, 1).toFixed(4));
  assert.deepEqual(await listedAnswers(page), own.best(last));
  await openMenu(page, 'generation');
  await page.getByLabel('Maximum tokens').fill('3');
  await page.getByLabel('Maximum tokens').press('Enter');
  await page.getByRole('button', { name: 'Generate' }).click();
  await page.waitForFunction(
    (count) => document.querySelectorAll('.tokens-line:not([hidden]) .token').length === count,
    own.ids.length + 3,
  );
  assert.equal(await page.locator('#notices').innerText(), '');
  await openMenu(page, 'more');
  await page.getByText('Whole page').click();
  await page.locator('#neuron').scrollIntoViewIfNeeded();
  const origin = 'sentences of Jane Austen’s novels, which it may have learned from';
  await page.locator('.neuron-key').filter({ hasText: origin }).waitFor();
  await tools.close(page);
});

test('letters of bytes, line ends and words in parts: what the sentence and the map show of them', async () => {
  const page = await tools.open({ model: '', layout: 'workspace', viewport: WIDE });
  await ready(page);
  const files = NAMES.map((file) => asFile('gpt2-2l', file));
  await update(page, () => openOwn(page, files));
  await update(page, () => page.locator('#text').fill('the é\nש was dogged'));
  const words = ['t', 'he', '␣', 'é', '⋯', '↵', 'ש', '⋯', '␣was', '␣dog', 'g', 'e', 'd'];
  await tokensAre(page, words);
  assert.deepEqual(await page.locator('#heatmap .map-rows bdi').allTextContents(), words);
  const broken = page.locator('.token.broken');
  assert.deepEqual(await broken.allTextContents(), ['he', 'g', 'e', 'd']);
  assert.match(String(await broken.first().getAttribute('title')), /goes on with the word before/);
  const joints = await page
    .locator('.token')
    .evaluateAll((all) => all.filter((each) => getComputedStyle(each, '::after').content !== 'none').length);
  assert.equal(joints, 4);
  await tools.close(page);
});

test('a tokenizer that takes too long: the text is refused, the page answers, and so does the next text', async () => {
  const page = await tools.open({ model: '', layout: 'workspace', viewport: WIDE });
  await ready(page);
  const tokens = JSON.parse(bytes('bert-2l', 'tokenizer.json').toString());
  // Each alone grows with the square of the text, so the package takes them.
  const slow = { type: 'Replace', pattern: { Regex: 'a[^!]*!' }, content: '' };
  const normalizers = [...Array.from({ length: 32 }, () => slow), tokens.normalizer];
  const other = Buffer.from(JSON.stringify({ ...tokens, normalizer: { type: 'Sequence', normalizers } }));
  const files = NAMES.map((file) => asFile('bert-2l', file, file === 'tokenizer.json' ? other : undefined));
  await update(page, () => openOwn(page, files));
  const first = await computed('bert-2l', 'The dog wanted to [MASK] over the creek.');
  await tokensAre(page, first.labels);
  const cutters = () => page.workers().filter((each) => each.url().endsWith('/tokenizer.js'));
  const ended = cutters()[0].waitForEvent('close');
  await page.locator('#text').fill('a'.repeat(20_000));
  // The page goes on: it answers within the time that the worker has.
  await openMenu(page, 'more');
  await page.getByText('Whole page').click();
  const note = page.locator('#text-note');
  await note.filter({ hasText: 'not read: its tokenizer took longer than 3 seconds' }).waitFor();
  await ended;
  await update(page, () => page.locator('#text').fill('The creek was cold.'));
  await tokensAre(page, (await computed('bert-2l', 'The creek was cold.')).labels);
  assert.equal(cutters().length, 1);
  assert.doesNotMatch(await note.innerText(), /not read/);
  await tools.close(page);
});

test('a tokenizer with more ids than the model has rows: it opens, and refuses texts with those', async () => {
  const page = await tools.open({ model: '', layout: 'workspace', viewport: WIDE });
  await ready(page);
  const tokens = JSON.parse(bytes('gpt2-2l', 'tokenizer.json').toString());
  const { vocab_size: id } = JSON.parse(bytes('gpt2-2l', 'config.json').toString());
  // As those of Llama 3, whose generation_config.json has several ids that end a text: here any.
  const ended = Buffer.from(JSON.stringify({ eos_token_id: Array.from({ length: id }, (_, i) => i) }));
  const pad = { id, content: '<pad>', single_word: false, lstrip: false, rstrip: false, normalized: false };
  tokens.added_tokens.push({ ...pad, special: true });
  const others = /** @type {Record<string, Buffer>} */ ({
    'tokenizer.json': Buffer.from(JSON.stringify(tokens)),
    'generation_config.json': ended,
  });
  const files = [...NAMES, 'generation_config.json'].map((file) => asFile('gpt2-2l', file, others[file]));
  await update(page, () => openOwn(page, files));
  await tokensAre(page, (await computed('gpt2-2l', 'The creek was cold, and the spunky dog wanted to')).labels);
  await page.locator('#text').fill('The creek<pad>');
  const note = page.locator('#text-note');
  await note.filter({ hasText: 'not read: the model has no embedding for “<pad>”' }).waitFor();
  await update(page, () => page.locator('#text').fill('The creek was cold'));
  const { labels } = await computed('gpt2-2l', 'The creek was cold');
  await tokensAre(page, labels);
  await openMenu(page, 'generation');
  await page.getByRole('button', { name: 'Generate' }).click();
  const written = page.locator('.tokens-line:not([hidden]) .token.fresh');
  await written.first().waitFor();
  await page.waitForTimeout(500); // another one would have come
  assert.equal(await written.count(), 1);
  await update(page, () => page.locator('#text').fill('The creek<|endoftext|> was cold'));
  assert.deepEqual(await page.locator('.token.special').allTextContents(), ['<|endoftext|>']);
  await tools.close(page);
});

test('a tokenizer that is refused by name costs the words, not the model', async () => {
  const page = await tools.open({ model: '', layout: 'workspace', viewport: WIDE });
  await ready(page);
  const tokens = JSON.parse(bytes('bert-2l', 'tokenizer.json').toString());
  const normalizer = { type: 'Replace', pattern: { Regex: '(a+)+$' }, content: '' };
  const other = Buffer.from(JSON.stringify({ ...tokens, normalizer }));
  const files = NAMES.map((file) => asFile('bert-2l', file, file === 'tokenizer.json' ? other : undefined));
  await update(page, () => openOwn(page, files));
  const why = /is open without its tokenizer, so a text is a row of ids\. The reason: .*could take hours.*\(a\+\)\+\$/;
  await page.getByText(why).waitFor();
  await tokensAre(page, ['1', '2', '3', '4', '5', '6']);
  await tools.close(page);
});

test('hostile files leave the model that is shown as it was; at 390 px nothing is wider; axe', async () => {
  const page = await tools.open({ model: '', layout: 'workspace', viewport: { width: 390, height: 844 } });
  await ready(page);
  await update(page, () =>
    openOwn(
      page,
      NAMES.map((file) => asFile('bert-2l', file)),
    ),
  );
  await tokensAre(page, (await computed('bert-2l', 'The dog wanted to [MASK] over the creek.')).labels);
  const before = [await readout(page), await listedAnswers(page)];
  const lying = Buffer.from(bytes('bert-2l', 'model.safetensors'));
  lying.writeBigUInt64LE(10_000_000_000n);
  // One of each kind; own-refused.test.js has all.
  for (const [file, other, why] of /** @type {[string, Buffer, RegExp][]} */ ([
    ['config.json', Buffer.from('{'), /config\.json is no JSON/],
    ['tokenizer.json', Buffer.from('{}'), /tokenizer/],
    ['model.safetensors', lying, /no safetensors file/],
  ])) {
    await openOwn(
      page,
      NAMES.map((each) => asFile('bert-2l', each, each === file ? other : undefined)),
    );
    const error = page.locator('.own .error');
    await error.filter({ hasText: why }).waitFor();
    assert.match(await error.innerText(), /was not opened: .*The model shown is as it was\.$/s);
    await page.getByRole('button', { name: 'Close' }).click();
  }
  assert.deepEqual([await readout(page), await listedAnswers(page)], before);
  await askForOwn(page);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  await assertAxe(page);
  await tools.close(page);
});

test('a folder that is chosen: its name, and model.safetensors among several files of weights', async () => {
  const page = await tools.open({ model: '', layout: 'workspace' });
  await ready(page);
  await askForOwn(page);
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Choose a folder…' }).click(),
  ]);
  await update(page, () => chooser.setFiles(fileURLToPath(new URL('../../checkpoints/bert-2l', import.meta.url))));
  const { labels } = await computed('bert-2l', 'The dog wanted to [MASK] over the creek.');
  await tokensAre(page, labels);
  assert.match((await page.locator('.model:has(:checked)').textContent())?.trim() ?? '', /^bert-2l: your own bert/);
  await tools.close(page);
});

test('a fourth model of one’s own: the reader says which one is closed, or keeps them all', async () => {
  const page = await tools.open({ model: '', layout: 'workspace' });
  await ready(page);
  const give = (/** @type {string} */ name) =>
    openOwn(
      page,
      NAMES.map((file) => asFile(name, file)),
    );
  const labels = async () => (await page.locator('.model').allTextContents()).map((each) => each.trim()).slice(SHIPPED);
  for (const name of ['bert-2l', 'gpt2-2l', 'distilbert-2l']) {
    await update(page, () => give(name));
    await page.waitForFunction(() => !document.querySelector('.own:not([hidden])'));
  }
  const three = await labels();
  assert.equal(three.length, 3);
  await give('gpt2-bare-bf16');
  const dialog = page.getByRole('dialog', { name: 'Which model do you want to close?' });
  await dialog.waitFor();
  assert.equal(await dialog.getByRole('button').count(), 2 + 1, 'that which is shown cannot be closed');
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Keep them all');
  await assertAxe(page);
  await page.keyboard.press('Escape');
  await page.locator('.own .error', { hasText: 'the models that are open stay open' }).waitFor();
  assert.deepEqual(await labels(), three);
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await give('gpt2-bare-bf16');
  await update(page, () => dialog.getByRole('button', { name: 'Close “gpt2: your own”' }).click());
  await page.waitForFunction(() => !document.querySelector('.own:not([hidden])'));
  const now = await labels();
  assert.deepEqual(now.slice(0, 2), [three[0], three[2]]);
  assert.equal(now.length, 3);
  await tools.close(page);
});

test('a Marian: its target, another token, one typed by hand; undo, link, keys, phone: Node’s numbers', async () => {
  const page = await tools.open({ model: '', layout: 'workspace', viewport: WIDE });
  await ready(page);
  const folder = new URL('../../checkpoints/marian-2l/', import.meta.url);
  const files = Object.entries(filesIn(folder)).map(([file, buffer]) => asFile('marian-2l', file, buffer));
  await update(page, () => openOwn(page, files));
  const { model, tokenizer, targetTokenizer, endIds } = /** @type {any} */ (await tools.gf.loadModel(folder));
  const text = 'The dog was at the deep creek.';
  await update(page, () => page.locator('#text').fill(text));
  await page.locator('#text').blur();
  const sourceIds = tokenizer.encode(text).ids;
  const own = [...model.generateSync({ sourceIds }).newIds];
  const label = (/** @type {number} */ id) => targetTokenizer.label(id);
  /** Waits until the target is that. @param {number[]} ids */
  const targetIs = (ids) =>
    page.waitForFunction(
      (wanted) =>
        JSON.stringify(
          [...document.querySelectorAll('#tokens-decoder .token-word')].map((each) => each.textContent),
        ) === wanted,
      JSON.stringify(ids.map(label)),
    );
  await targetIs(own);
  const source = page.locator('#tokens-encoder .token-word');
  assert.deepEqual(
    await source.allTextContents(),
    sourceIds.map((/** @type {number} */ id) => tokenizer.label(id)),
  );
  assert.equal(await page.locator('#tokens-encoder .token.special').allTextContents().then(String), '</s>');

  await page.locator('#tokens-decoder .token').nth(2).click();
  const second = page.locator('.answers-list button').nth(1);
  const other = targetTokenizer.id(String(await second.textContent()).replace('␣', '▁'));
  await second.click();
  const start = { sourceIds, targetIds: [149, ...own.slice(0, 2), other] };
  const changed = [...own.slice(0, 2), other, ...model.generateSync({ ...start, maxTokens: 8 }).newIds];
  await targetIs(changed);
  await page.waitForURL((url) => url.hash.includes(`written=${[...own.slice(0, 2), other].join('.')}`));
  await page.keyboard.press('Control+Z');
  await targetIs(own);

  await page.getByRole('button', { name: 'Edit the sentence' }).nth(1).click();
  assert.equal(await page.locator('#target-text').inputValue(), targetTokenizer.decode(own));
  await page.locator('#target-text').fill('Le chien était là.');
  const typed = targetTokenizer.encode('Le chien était là.').ids;
  await targetIs(typed);
  await page.keyboard.press('Enter');
  await pin(page, 2, 3);
  model.forward({ sourceIds, targetIds: [149, ...typed.slice(0, -1)], capture: true });
  const [layer, head] = await headOf(page);
  const { data } = model.tensor(`decoder.layers.${layer}.multihead_attn.weights`);
  const at = (head * typed.length + 2) * sourceIds.length + 3;
  assert.equal((await readout(page)).value, data[at].toFixed(4));
  await assertAxe(page, 'typed', '#top');

  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('button', { name: 'Model’s own' }).click();
  await targetIs(own);
  await page.getByRole('button', { name: 'Token by token' }).press('Enter');
  await page.waitForFunction(() => document.activeElement?.textContent === 'Next token');
  await page.keyboard.press('Enter'); // which pauses
  const later = page.locator('#tokens-decoder .token.later');
  const count = await later.count();
  assert(count > 0 && count < own.length);
  await page.getByRole('button', { name: 'Next token' }).press('Enter');
  assert.equal(await later.count(), count - 1);
  await assertAxe(page, 'token by token', '#top');
  await page.getByRole('button', { name: 'All', exact: true }).click();
  assert.equal(await later.count(), 0);
  await page.waitForFunction(() => document.activeElement?.closest('#target'));
  assert.deepEqual(endIds, [own.at(-1)]);

  await page.getByRole('button', { name: 'Beams', exact: true }).click();
  const found = await model.generate({ sourceIds });
  const best = page.locator('.beams-ends li').first();
  await best.filter({ hasText: targetTokenizer.decode([...found.newIds]) }).waitFor();
  assert.match(await best.innerText(), new RegExp(found.score.toFixed(2).replace('-', '−')));
  assert.equal(await page.locator('.beams-node').count(), found.tree?.length ?? found.beams?.length);
  await assertAxe(page, 'beams', '.beams');
  await page.locator('.beams-node.wins').last().click();
  await targetIs([...found.newIds]);
  assert(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing is wider');
  await tools.close(page);
});

test('a chat model continues a chat that is typed in its own words, and its answer ends by itself', async () => {
  const page = await tools.open({ model: '', layout: 'workspace', viewport: WIDE });
  await ready(page);
  const [[question, answer]] = TALK;
  for (const name of /** @type {const} */ (['qwen3-2l', 'llama3-2l'])) {
    const { files } = await answering(tools.gf, name);
    const given = Object.entries(files).map(([file, each]) => asFile(name, file, Buffer.from(each)));
    await update(page, () => openOwn(page, given));
    const { first, prompt } = FAMILIES[name];
    await update(page, () => page.locator('#text').fill(`${first}${question}${prompt}`));
    await page.getByText('How', { exact: true }).click();
    await page.getByRole('spinbutton', { name: 'Temperature' }).fill('0');
    await page.getByLabel('Maximum tokens').fill('60');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Generate' }).click();
    const output = page.locator('.continuation output');
    const written = async () => (await output.textContent())?.trim();
    await output.filter({ hasText: answer }).waitFor();
    await page.waitForTimeout(300); // no token follows
    assert.equal(await written(), answer);
    await page.getByRole('button', { name: 'Remove the continuation' }).click();
  }
  await tools.close(page);
});
