// The nodes of two models, each to its standard; what is tried does what a pass of the module with these patches does.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shipped } from '../../in-node.js';
import { checkNodes, nodeTry } from '../nodes.js';
import { gf, open, openFolder } from '../table.js';

const BERT = 'bert-2l'; // token types, a norm of the embeddings, a transform before the logits
await openFolder(BERT);

for (const link of ['model=creek&row=12', `model=${BERT}&row=3`])
  test(`${link}: each node has a picture, a Try and, where numbers are computed, a Why with true ones`, () =>
    checkNodes(link));

const KNOWN = 'the creek was cold and the spunky dog wanted to jump over it .';

test('creek: what each Try does is a pass with these patches, and the same control takes it back', async () => {
  const { model, ids, vocabulary } = shipped(gf, 'creek');
  const known = ids(KNOWN);
  const floats = (/** @type {string} */ name) => model.tensor(name).data.slice();
  /** @param {object[]} patches @param {object} [more] */
  const pass = (patches, more) => model.forward({ ids: known, capture: true, patches, ...more }).logits.data.slice();
  pass([]);
  const ffn = 'encoder.layers.2.ffn.activation';
  const width = model.tensor(ffn).shape[2];
  const at12 = floats(ffn).subarray(12 * width, 13 * width);
  const strongest = at12.indexOf(Math.max(...at12));
  const [norm1, residual] = ['encoder.layers.1.norm1.out', 'encoder.layers.1.residual1'];
  const mean = known.reduce((sum, _, at) => sum + floats(ffn)[at * width + strongest], 0) / known.length;
  const dog = vocabulary.indexOf('dog');
  const zero = (/** @type {string} */ name) => [{ name, index: [0, null, null], value: 0 }];
  const other = known.with(12, dog);
  const input = () => {
    model.forward({ ids: other, capture: true });
    const size = model.config.d_model;
    return floats('encoder.input').slice(12 * size, 13 * size);
  };
  const exit = { name: 'encoder.layers.2.out', index: [0, null, null], value: floats('encoder.layers.0.out') };
  for (const [part, act, expected, back] of /** @type {[string, (page: any) => Promise<void>, object[], any][]} */ ([
    [
      'ffn&head=3.1',
      (page) => page.click('[role=switch]'),
      [{ name: ffn, index: [0, null, strongest], value: 0 }],
      (/** @type {any} */ page) => page.click('[role=switch]'),
    ],
    [
      'ffn&head=3.1',
      (page) => page.click('[aria-pressed=false]'),
      [{ name: ffn, index: [0, null, strongest], value: mean }],
      (/** @type {any} */ page) => page.click('[aria-pressed=true]'), // of the same neuron, which stays the chosen one
    ],
    [
      'ffn&head=3.1&neuron=7',
      (page) => page.type('.try-neuron', '1.25'),
      [{ name: ffn, index: [0, null, 7], value: 1.25 }],
      (/** @type {any} */ page) => page.click('.try-computed'),
    ],
    [
      'embedding',
      (page) => page.choose('select', String(dog)),
      [{ name: 'encoder.input', index: [0, 12, null], value: input() }],
      (/** @type {any} */ page) => page.choose('select', String(known[12])),
    ],
    [
      'norm&head=2.1&sublayer=1',
      (page) => page.click('[role=switch]'),
      [{ name: norm1, index: [0, null, null], value: (pass([]), floats(residual)) }],
      (/** @type {any} */ page) => page.click('[role=switch]'),
    ],
    [
      'norm&head=2.1&sublayer=2',
      (page) => page.click('[aria-label^="Sublayer on"]'),
      zero('encoder.layers.1.ffn.out'),
      (/** @type {any} */ page) => page.click('[aria-label^="Sublayer on"]'),
    ],
    [
      'norm&head=2.1&sublayer=2',
      (page) => page.click('[aria-label^="FFN on at it"]'),
      [{ name: 'encoder.layers.1.ffn.out', index: [0, 12, null], value: 0 }],
      (/** @type {any} */ page) => page.click('[aria-label^="FFN on at it"]'),
    ],
    [
      'add&head=1.1&sublayer=1',
      (page) => page.click('[role=switch]'),
      zero('encoder.layers.0.self_attn.out'),
      (/** @type {any} */ page) => page.click('[role=switch]'),
    ],
    ['logits', (page) => page.type('.try-exit', '1'), [exit], (/** @type {any} */ page) => page.type('.try-exit', '3')],
  ])) {
    const page = await open(
      { ...nodeTry, needs: (/** @type {any} */ query) => [...(nodeTry.needs?.(query) ?? []), '@probabilities'] },
      `model=creek&row=12&part=${part}`,
    );
    await act(page);
    assert.equal(page.state().interventions.length, 1, part);
    const { data } = page.result().derived.get('@probabilities');
    const own = gf.softmax({ data: pass(expected), shape: [known.length, vocabulary.length] }).data;
    const most = data.reduce((/** @type {number} */ so, /** @type {number} */ p, /** @type {number} */ i) => {
      return Math.max(so, Math.abs(p - own[i]));
    }, 0);
    assert(most < 1e-5, `${part}: ${most}`);
    await back(page);
    assert.deepEqual(page.state().interventions, [], part);
  }

  const page = await open(nodeTry, 'model=creek&row=1&part=positions');
  await page.choose('select', '7');
  assert.deepEqual(page.state().interventions, [{ what: 'swap', kind: 'encoder', row: 1, to: 7 }]);
  await page.change({ cursor: { ...page.state().cursor, row: 7 } });
  assert.match(page.all('option:checked')[0], /^1 creek$/, 'the other of the two says so, too');
  await page.choose('select', '3');
  assert.deepEqual(page.state().interventions, [{ what: 'swap', kind: 'encoder', row: 7, to: 3 }]);
  await page.choose('select', '7');
  assert.deepEqual(page.state().interventions, []);
});
