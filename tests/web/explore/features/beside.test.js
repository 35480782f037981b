// A Pythia on the page: the FFN stands beside attention, and a part of each head turns. The line of nodes, the norm and
// Why say so, and switches that do not go with it make the block a plain one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodesOf } from '../../../../web/explore/shared/graph.js';
import { assertPrinted } from '../../checks.js';
import { gf, open, openFolder } from '../table.js';

Object.assign(globalThis, { cancelAnimationFrame: () => {} });
const NAME = 'pythia-2l-f16';
const info = await openFolder(NAME);
const { features } = await import('../../../../web/explore/index.js');
const { settingsFacts } = await import('../../../../web/explore/features/settings.js');
const { modelGraph } = await import('../../../../web/explore/features/model-graph.js');
const { norms } = await import('../../../../web/explore/features/layer-norm.js');
const LINK = `model=${NAME}&attention=decoder&head=1.2&row=5&key=2`;

/** @param {string} name */
const feature = async (name) => {
  const row = /** @type {any} */ (features.find((each) => each.name === name));
  return 'load' in row ? row.load() : row;
};

test('the line of nodes says that the FFN stands beside attention', async () => {
  const page = await open(modelGraph, LINK);
  const beside = page.root.querySelectorAll('.model-graph-beside');
  assert.equal(beside.length, 2, 'once in each layer');
  assert.match(String(beside[0].getAttribute('title')), /both read the layer’s input/);
  const next = /** @type {Element} */ (beside[0].nextElementSibling);
  assert.match(String(next.textContent).replace(/\\s+/g, ' '), /Layer 1: Norm of the layer’s input,/);
  const plain = await open(modelGraph, `${LINK}&norm=none`);
  assert.equal(plain.root.querySelectorAll('.model-graph-beside').length, 0);
});

test('the nodes of each layer: the second norm reads what the first one reads', () => {
  const model = gf.createModel({ ...info?.config, layers: 1, vocabulary: 9, seed: 1 });
  model.forward({ ids: [1, 2, 3], capture: true });
  const nodes = nodesOf(/** @type {any} */ (model), false).decoder ?? [];
  assert.deepEqual(
    nodes.map(({ label, before, beside }) => [label, before, beside]).filter(([, before]) => before),
    [
      ['Norm', 'decoder.embedding', false],
      ['Norm', 'decoder.embedding', true],
      ['Final norm', 'decoder.layers.0.residual2', false],
    ],
  );
  model.free();
});

test('the FFN says what it reads', async () => {
  const page = await open(await feature('ffn'), `${LINK}&part=ffn`);
  assert.match(page.text(), /It stands beside attention: it reads the layer’s input, as attention does\./);
  const plain = await open(await feature('ffn'), `${LINK}&part=ffn&norm=post`);
  assert.doesNotMatch(plain.text(), /beside attention/);
});

test('the norm before the FFN says what it reads', async () => {
  const page = await open(norms, `${LINK}&part=norm`);
  const titles = [...page.root.querySelectorAll('option')].map(({ textContent }) => textContent);
  assert.deepEqual(titles.slice(0, 2), ['Layer 1, before attention', 'Layer 1, before FFN, of the layer’s input']);
});

test('Why turns one pair of each head, says that the rest stays, and its product is the score', async () => {
  const page = await open(await feature('computation'), LINK);
  while (!page.root.querySelector('.turns-dial')) await page.show();
  assert.equal(page.root.querySelectorAll('.turns-dial').length, 1, 'of 8 dimensions 2 turn');
  assert.match(page.text(), /The other 6 dimensions of the head do not turn/);
  const share = page.result().derived.get('@head-share/decoder.layers.0.self_attn/1/5');
  assertPrinted(page.all('#computation .why-number')[1], share.scores[2], LINK);
});

test('a switch that does not go with it makes the block a plain one', async () => {
  const facts = async (/** @type {string} */ more) => (await open(settingsFacts, LINK + more)).text();
  assert.match(await facts(''), /rotary, pre LayerNorm, gelu, FFN beside attention$/);
  for (const more of ['&norm=post', '&residual=0', '&positions=sinusoidal&norm=none']) {
    assert.doesNotMatch(await facts(more), /beside/, more);
    const page = await open(modelGraph, LINK + more);
    const { parallel, ropeWidth } = page.result().plan.config;
    assert.deepEqual([parallel, ropeWidth], [false, more.includes('positions') ? 0 : 2], more);
  }
});
