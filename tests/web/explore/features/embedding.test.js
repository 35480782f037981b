// The embeddings: the map with and without positions.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allShown, assertPrinted, numberOf } from '../../checks.js';
import { shipped } from '../../corpus.js';
import { gf, open, openFolder } from '../table.js';

const { embedding } = await import('../../../../web/explore/features/embedding.js');
const { embeddingWhy } = await import('../../../../web/explore/features/stream-why.js');

const STATES = [
  ['model=creek&row=7&dimension=5', 'encoder', 'Encoder embeddings'],
  ['model=translate&head=2.1&attention=cross&row=2', 'decoder', 'Decoder embeddings, of its input tokens'],
  ['model=continue&row=2', 'decoder', 'Decoder embeddings'],
  ['model=untrained&positions=learned', 'encoder', 'Encoder embeddings'],
  ['model=untrained&positions=none', 'encoder', 'Encoder embeddings'],
];

test('what is needed, and each number', async () => {
  for (const [link, stack, title] of STATES) {
    const names = ['embedding', 'input'].map((each) => `${stack}.${each}`);
    const page = await open(embedding, String(link));
    const { tensors, plan } = page.result();
    const { row, dimension } = page.state().cursor;
    const at = (/** @type {string} */ name) =>
      tensors.get(`${stack}.${name}`)?.data[row * plan.settings.d_model + dimension] ?? NaN;
    assert.deepEqual(page.needs(), names, String(link));
    assert.deepEqual(page.all('h2, .view-title'), ['Embedding', title]);
    const shown = () => page.all('.map-readout strong').map(numberOf);
    allShown(shown(), [at('input')], 'with positions');
    assert.match(page.root.querySelector('[role=application]')?.ariaLabel ?? '', /embedding \+ position/);
    await page.choose('select', 'embedding');
    assert.equal(page.state().graph.embedding, 'embedding');
    allShown(shown(), [at('embedding')], 'alone');
    assert.match(page.text(), /Embedding only/);
  }
});

test('what goes in is called by its own word, not by the one that is written there', async () => {
  const page = await open(embedding, 'model=translate&attention=cross&head=2.1&row=1&dimension=3&embedding=embedding');
  assert.deepEqual(page.all('.map-readout bdi'), ['row le, dimension 3']);
  const { config, targetVocabulary, model } = shipped(gf, 'translate');
  const { d_model } = config;
  const value = model.weights().get('tgt_emb.weight').data[targetVocabulary.indexOf('le') * d_model + 3];
  allShown(page.all('.map-readout strong').map(numberOf), [Math.sqrt(d_model) * value], 'the row of le');
});

test('the keyboard moves token and dimension of the map', async () => {
  const page = await open(embedding, 'model=creek&row=7&dimension=5');
  await page.press('[role=application]', 'ArrowRight');
  await page.press('[role=application]', 'ArrowDown');
  const { row, dimension } = page.state().cursor;
  assert.deepEqual([row, dimension], [8, 6]);
  assert.match(page.all('.map-readout bdi')[0], /^row wanted, dimension 6$/);
});

test('an empty text takes the map away, the next one brings the same map back', async () => {
  const page = await open(embedding, 'model=creek');
  const map = page.root.querySelector('[role=application]');
  const { text } = page.state();
  await page.change({ text: '' });
  assert.match(page.text(), /No tokens, so no embeddings to show/);
  await page.change({ text });
  assert.equal(page.root.querySelector('[role=application]'), map);
  assert.doesNotMatch(page.text(), /No tokens/);
});

test('without text the panel says so', async () => {
  assert.equal((await open(embedding, 'text=')).text(), 'Embedding No tokens, so no embeddings to show.');
});

test('a BERT’s vector is word, position and token type', async () => {
  await openFolder('bert-2l');
  const page = await open(embeddingWhy, 'model=bert-2l&part=embedding&row=3&dimension=5');
  const { tensors, plan } = page.result();
  const at = (/** @type {string} */ name) => tensors.get(`encoder.${name}`)?.data[3 * plan.settings.d_model + 5] ?? NaN;
  const parts = [at('embedding'), at('positions'), at('input') - at('embedding') - at('positions'), at('input')];
  assert.match(page.text(), /row of .*\+ position 3.*\+ token type.*= input of LayerNorm/);
  const printed = page.all('strong');
  assert.equal(printed.length, parts.length);
  printed.forEach((text, i) => assertPrinted(text, parts[i]));
  const [word, position, type, sum] = printed.map((text) => Number(text.replace('−', '-')));
  assert.ok(Math.abs(word + position + type - sum) < 1e-9, `${printed}`);
  assert.equal(page.root.querySelector('math')?.textContent?.replace(/\s/g, ''), 'Eword+PEp+Ttype');
});
