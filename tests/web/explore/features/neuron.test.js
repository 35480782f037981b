// A token's strongest neurons and one neuron's card: every number is the module's own answer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'glassformer';
import { formatShare } from '../../../../web/draw/numbers.js';
import { corpus as census } from '../../../../web/explore/shared/corpus.js';
import { allShown, checkKey, checkWords, numberOf, saidBy } from '../../checks.js';
import { shipped } from '../../corpus.js';
import { open } from '../table.js';

/** As a new page has it: whether a reader saw it is kept beside it. */
const NEW = '../../../../web/explore/features/neuron.js?new';
const { neuron } = await import(NEW);

const gf = await load();
/** This document, asked as a browser's page is. */
const here = { evaluate: async (/** @type {(argument: any) => any} */ act, /** @type {any} */ all) => act(all) };

/** @typedef {Awaited<ReturnType<typeof open>>} Page */

/** @param {Page} page */
const pinned = (page) => Number(page.root.querySelector('.neuron-card')?.getAttribute('data-neuron'));

const NAME = 'encoder.layers.2.ffn.activation';

test('the corpus is asked for, and the card opened, once the reader sees it', async () => {
  const page = await open(neuron, 'layout=page&model=creek&head=3.1&row=12');
  assert.deepEqual(page.needs(), [NAME, '@neurons/encoder/2']);
  assert.equal(page.root.querySelector('details.neuron-card')?.open, false);
  assert.equal(page.root.querySelector('.neuron-key'), null);
  await page.see();
  assert.deepEqual(page.needs(), [NAME, '@neurons/encoder/2', '@corpus/encoder/2']);
  assert.equal(page.root.querySelector('details.neuron-card')?.open, true);

  const own = shipped(gf, 'creek');
  const rows = own.read('encoder', 2);
  const after = /** @type {any} */ (page.result().tensors.get(NAME));
  const width = after.shape[2];
  const values = after.data.subarray(12 * width, 13 * width);
  const top = [...values.keys()].sort((a, b) => values[b] - values[a]).slice(0, 8);
  assert.deepEqual(
    page.all('.neuron-strongest button'),
    top.map((each) => `Neuron ${each}`),
  );
  allShown(
    page.all('.neuron-strongest .number').map(numberOf),
    top.map((each) => values[each]),
    'strongest',
  );
  const said = (/** @type {number} */ each) =>
    saidBy(gf, own, {
      stack: 'encoder',
      layer: 2,
      neuron: each,
      gain: 'encoder.layers.2.norm2.weight',
      table: 'tok_emb.weight',
    });
  assert.deepEqual(
    page.all('.neuron-says bdi'),
    top.map((each) => own.vocabulary[said(each).words[0].id]),
  );
  for (const each of top.slice(0, 2)) {
    await page.click(`li[data-neuron="${each}"] button`);
    assert.deepEqual([page.state().cursor.neuron, page.state().neuronCard, pinned(page)], [each, true, each]);
    assert.deepEqual(page.all('.neuron-strongest [aria-pressed=true]'), [`Neuron ${each}`]);
    const { words } = said(each);
    await checkWords(here, words, own.vocabulary);
    await checkKey(here, rows, each);
  }
  await page.click('summary');
  assert.deepEqual([page.state().neuronCard, page.root.querySelector('details.neuron-card')?.open], [false, false]);
  assert.deepEqual(page.needs(), [NAME, '@neurons/encoder/2'], 'nor is the corpus asked for');
});

test('translate: a decoder neuron has output words, an encoder neuron has none', async () => {
  const own = shipped(gf, 'translate');
  const decoder = await open(neuron, 'layout=page&model=translate&attention=cross&head=2.1');
  const { words } = saidBy(gf, own, {
    stack: 'decoder',
    layer: 1,
    neuron: pinned(decoder),
    gain: 'decoder.layers.1.norm3.weight',
    table: 'tgt_emb.weight',
  });
  await checkWords(here, words, own.targetVocabulary);
  await checkKey(here, own.read('decoder', 1), pinned(decoder));
  assert.match(decoder.text(), /The marked token is the decoder’s input/);
  const encoder = await open(neuron, 'layout=page&model=translate&attention=encoder&head=1.1');
  assert.match(encoder.all('.neuron-value')[0], /promotes no tokens directly/);
  await checkKey(here, own.read('encoder', 0), pinned(encoder));
  const bare = await open(neuron, 'layout=page&model=untrained&kind=encoder-decoder&attention=decoder');
  assert.match(bare.all('.neuron-value')[0], /no output table/);
});

test('untrained: the corpus is the text itself, and there are no output words', async () => {
  const page = await open(neuron, 'layout=page&model=untrained');
  const { data, shape } = /** @type {any} */ (page.result().tensors.get('encoder.layers.0.ffn.activation'));
  const column = Array.from({ length: shape[1] }, (_, row) => data[row * shape[2] + pinned(page)]);
  const top = column.filter((value) => value > 0).sort((a, b) => b - a);
  allShown(page.all('.neuron-key li .number').map(numberOf), top.slice(0, 8), 'key');
  assert.equal(page.all('[data-number=active]')[0], formatShare(top.length / shape[1]).replace(/\s/, ' '));
  assert.match(page.all('.neuron-key')[0], /the text itself \(untrained model\)/);
  assert.match(page.all('.neuron-value')[0], /no output table/);
  assert.equal((await open(neuron, 'layout=page&model=untrained&d_ff=0')).text(), '');
  assert.equal((await open(neuron, 'layout=page&model=untrained&text=')).text(), '');
});

test('nothing offers to save a card that has left the page', async () => {
  const page = await open(neuron, 'layout=page&model=untrained');
  /** @type {(string | undefined)[]} */
  const names = [];
  document.addEventListener('figurechange', (event) => names.push(/** @type {any} */ (event).detail?.name));
  await page.change({ cursor: { ...page.state().cursor, neuron: 5 } });
  assert.equal(names.at(-1), 'Neuron 5');
  await page.change({ settings: { ...page.state().settings, d_ff: 0 } });
  assert.deepEqual([names.at(-1), page.text()], [undefined, '']);
});

test('while the corpus is read the reader types on, and gets the new text’s numbers', async () => {
  const page = await open(neuron, 'layout=page&model=continue');
  await page.change({ neuronCard: false });
  const reading = page.change({ neuronCard: true, settings: { ...page.state().settings, residual: false } });
  await page.change({ text: 'One day a dog' });
  await reading;
  const { row } = page.state().cursor;
  const [name] = page.needs();
  const { data, shape } = /** @type {any} */ (page.result().tensors.get(name));
  assert.equal(page.result().plan.tokens.decoder?.words.length, 4);
  const most = Math.max(...data.subarray(Math.min(row, 3) * shape[2], (Math.min(row, 3) + 1) * shape[2]));
  allShown([numberOf(page.all('.neuron-strongest .number')[0])], [most], 'of the new text');
  assert.match(page.all('.neuron-key')[0], /of the [\d,]+ tokens of the corpus/);
});

test('the corpus: read in parts, kept for the same switches, read anew for others', () => {
  const { config, weights, corpus } = shipped(gf, 'creek');
  const context = {
    gf,
    name: 'creek',
    config,
    /** @param {any} each */
    build(each) {
      const model = gf.createModel(each);
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
    let [answer, parts] = [/** @type {any} */ (census(given, 'encoder', '0')), 1];
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
