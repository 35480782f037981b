// The node Words: each token's place, word and row of the embedding table, of both texts where there are two.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shipped } from '../../corpus.js';
import { gf, open, openFolder } from '../table.js';

const { features } = await import('../../../../web/explore/index.js');
const rowsAt = (/** @type {string} */ node) =>
  /** @type {any[]} */ (features).filter((row) => row.slot === 'main' && row.nodes?.includes(node));
const words = await rowsAt('tokens')[0].load();

/** @param {Awaited<ReturnType<typeof open>>} page @param {string} [table] */
const rowsOf = (page, table = 'table') =>
  [...page.root.querySelectorAll(`${table} tbody tr`)].map((row) =>
    [...row.children].map((each) => each.textContent?.trim()),
  );

test('Words and Embedding open a picture each', () => {
  assert.deepEqual(
    ['tokens', 'embedding'].map((node) => rowsAt(node).map(({ name }) => name)),
    [['words'], ['embedding']],
  );
});

test('each token has its position, word and id, and its text in the vocabulary where that is another', async () => {
  const page = await open(words, 'model=creek&row=12&part=tokens');
  const { ids, words: shown } = /** @type {any} */ (page.result().plan.tokens.encoder);
  const { vocabulary } = shipped(gf, 'creek');
  assert.deepEqual(page.all('h2, caption'), ['Words']);
  assert.deepEqual(page.all('thead tr > *'), ['position', 'word', 'id', 'in the vocabulary']);
  assert.deepEqual(
    rowsOf(page),
    shown.map((/** @type {string} */ word, /** @type {number} */ i) => [`${i}`, word, `${ids[i]}`, vocabulary[ids[i]]]),
  );
  assert.deepEqual(rowsOf(page)[0].slice(1), ['The', `${vocabulary.indexOf('the')}`, 'the']);
  assert.match(page.text(), /cuts the text into tokens; each is a number: its row in the embedding matrix\./);
  const small = await open(words, 'model=creek&text=the+dog+was+cold+.');
  assert.deepEqual(small.all('thead tr > *'), ['position', 'word', 'id'], 'the same word is not said twice');
});

test('the row of the cursor is marked, and each lights its word in the sentence', async () => {
  const page = await open(words, 'model=creek&row=12&part=tokens');
  const marked = () => page.all('tr.here bdi:first-child').slice(0, 1);
  assert.deepEqual(marked(), ['it']);
  await page.change({ cursor: { ...page.state().cursor, row: 1 } });
  assert.deepEqual(marked(), ['creek']);
  const parts = /** @type {HTMLElement[]} */ ([...page.root.querySelectorAll('tbody tr')]).map(
    (row) => row.dataset.row,
  );
  assert.deepEqual(parts, [...parts.keys()].map(String));
});

test('a translation has both texts; the target is what its decoder reads', async () => {
  const page = await open(words, 'model=translate&attention=cross&head=2.1&row=1&key=2&part=tokens');
  const { encoder, decoder } = /** @type {any} */ (page.result().plan.tokens);
  const { targetVocabulary } = shipped(gf, 'translate');
  assert.deepEqual(page.all('caption'), ['Source tokens', 'Target tokens, as the decoder reads them']);
  const [source, target] = [...page.root.querySelectorAll('table')];
  assert.deepEqual(
    [source, target].map((table) => table.querySelectorAll('tbody tr').length),
    [encoder.ids.length, decoder.ids.length],
  );
  const all = rowsOf(page);
  assert.deepEqual(all[encoder.ids.length + 1], ['1', 'le', `${targetVocabulary.indexOf('le')}`]);
  const here = /** @type {HTMLElement[]} */ ([...page.root.querySelectorAll('tr.here')]);
  assert.deepEqual(
    here.map(({ dataset }) => ({ ...dataset })),
    [{ key: '2' }, { row: '1' }],
  );
});

test('bytes of one letter stand as the vocabulary has them', async () => {
  await openFolder('gpt2-2l');
  const page = await open(words, 'model=gpt2-2l&part=tokens&row=1');
  assert.deepEqual(page.all('h2'), ['Tokens'], 'as its node is called');
  const { tokens } = page.result().plan;
  const said = { ...tokens.decoder, words: ['ש', '⋯'], ids: [5, 9] };
  const result = { ...page.result(), plan: { ...page.result().plan, tokens: { encoder: null, decoder: said } } };
  const vocabulary = [...(page.modelInfo?.vocabulary ?? [])].with(5, '<D7>').with(9, '<A9>');
  const render = (/** @type {any} */ context, /** @type {any} */ tools) =>
    words.render({ ...context, result, modelInfo: { ...context.modelInfo, vocabulary } }, tools);
  assert.deepEqual(rowsOf(await open({ ...words, render }, 'model=gpt2-2l&part=tokens&row=1')), [
    ['0', 'ש', '5', '<D7>'],
    ['1', '⋯', '9', '<A9>'],
  ]);
});

test('a long text shows the rows around the cursor; no vocabulary, only ids; no text, and it says so', async () => {
  const text = Array.from({ length: 100 }, (_, i) => `w${i}`).join('+');
  const page = await open(words, `model=untrained&text=${text}&row=80&part=tokens`);
  assert.match(page.all('caption')[0], /^Tokens: 64 of 100$/);
  const all = rowsOf(page);
  assert.deepEqual([all.length, all[0].slice(0, 2), all[63].slice(0, 2)], [64, ['36', 'w36'], ['99', 'w99']]);
  assert.deepEqual(page.all('tr.here bdi'), ['w80']);
  assert.match((await open(words, 'text=')).text(), /^Words No tokens, so no numbers\. /);
});

test('while another model is on its way, what stands there stays', async () => {
  const { vocabulary } = shipped(gf, 'translate');
  const page = await open(words, 'model=creek&part=tokens');
  const context = { result: page.result(), state: page.state(), modelInfo: { name: 'translate', vocabulary } };
  assert.equal(words.render(context, {}), undefined);
  assert.equal(words.render({ ...context, modelInfo: undefined }, {}), undefined);
});
