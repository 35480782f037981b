// The tables that a figure saves: the numbers of the pass, and whose they are. Figures with a test of their own file
// are left out.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shipped } from '../../in-node.js';
import { gf, given, open } from '../table.js';

const { modelGraph } = await import('../../../../web/explore/features/model-graph.js');
const { allHeads } = await import('../../../../web/explore/features/all-heads.js');
const { lines } = await import('../../../../web/explore/features/lines.js');
const { neuron } = await import('../../../../web/explore/features/neuron.js');
const { logitWhy } = await import('../../../../web/explore/features/logit-why.js');

/** The figure that was drawn last. @type {any} */
let saved;
document.addEventListener('figurechange', (event) => (saved = /** @type {CustomEvent} */ (event).detail ?? saved));

/** @param {any} feature @param {string} link */
async function savedBy(feature, link) {
  const page = await open(feature, link);
  return { page, name: saved.name, element: saved.element, tables: saved.tables() };
}
/** @param {ArrayLike<number>} shown @param {ArrayLike<number>} own @param {string} what */
function same(shown, own, what) {
  assert.equal(shown.length, own.length, what);
  for (let i = 0; i < own.length; i++)
    assert(Math.abs(shown[i] - own[i]) < 1e-4, `${what} ${i}: ${shown[i]}, ${own[i]}`);
}
const KNOWN = 'the creek was cold and the spunky dog wanted to jump over it .';

/** The model after its pass over the example. */
function creek() {
  const own = shipped(gf, 'creek');
  own.model.forward({ ids: own.ids(KNOWN), capture: true });
  /** @param {string} name @param {number} row */
  const rowOf = (name, row) => {
    const { data, shape } = own.model.tensor(name);
    return data.slice(row * shape.at(-1), (row + 1) * shape.at(-1));
  };
  return { ...own, rowOf };
}

test('the model graph: each node’s number at the token, and the weights of every head', async () => {
  const { page, name, element, tables } = await savedBy(modelGraph, 'model=creek&row=12&head=2.1');
  assert.deepEqual([name, element.id], ['Model graph', 'model-graph']);
  const { model, rowOf, probabilities, ids } = creek();
  const [numbers, ...heads] = tables;
  assert.equal(numbers.name, 'Encoder at it: vector lengths, largest logit and probability');
  assert.deepEqual(numbers.columns, ['number']);
  const layers = [1, 2, 3].flatMap((layer) =>
    ['Attention', 'Add & norm', 'FFN', 'Add & norm'].map((each) => `Layer ${layer}: ${each}`),
  );
  assert.deepEqual(numbers.rows, ['Tokens', 'Embedding', '+ Positions', ...layers, 'Logits', 'Probabilities']);
  const length = (/** @type {string} */ tensor) => Math.hypot(...rowOf(tensor, 12));
  same(
    numbers.data,
    [
      ids(KNOWN)[12],
      length('encoder.embedding'),
      length('encoder.input'),
      ...[0, 1, 2].flatMap((layer) =>
        ['self_attn.out', 'norm1.out', 'ffn.out', 'norm2.out'].map((each) => length(`encoder.layers.${layer}.${each}`)),
      ),
      Math.max(...rowOf('logits', 12)),
      Math.max(...probabilities().data.subarray(12 * 147, 13 * 147)),
    ],
    'numbers',
  );
  assert.deepEqual(
    heads.map((/** @type {any} */ each) => [each.name, each.shape]),
    [1, 2, 3].map((layer) => [`Encoder self-attention, layer ${layer}`, [2, 14, 14]]),
  );
  const words = page.result().plan.tokens.encoder?.words ?? assert.fail();
  for (const [layer, { rows, columns, data }] of heads.entries()) {
    assert.deepEqual(columns, words);
    assert.deepEqual(
      rows,
      [1, 2].flatMap((head) => words.map((word) => `head ${head} ${word}`)),
    );
    same(data, model.tensor(`encoder.layers.${layer}.self_attn.weights`).data, `layer ${layer}`);
  }

  const both = await savedBy(modelGraph, 'model=translate&row=1&attention=cross&head=1.1');
  assert.deepEqual(
    both.tables.map((/** @type {any} */ each) => [each.name, each.shape.at(-1)]),
    [
      ['Encoder at creek: vector lengths, largest logit and probability', 1],
      ...[1, 2].map((layer) => [`Encoder self-attention, layer ${layer}`, 14]),
      ['Decoder at le → ruisseau: vector lengths, largest logit and probability', 1],
      ...[1, 2].flatMap((layer) => [
        [`Decoder self-attention, layer ${layer}`, 13],
        [`Cross-attention, layer ${layer}`, 14],
      ]),
    ],
  );
});

test('all parts: what each adds, or what is lost without it', async () => {
  const part = { kind: 'encoder', layer: 0, head: 0, value: 0.75 };
  const added = {
    ...{ id: 7, against: 9, logit: 6, embedding: 0, biases: 0, patches: 0 },
    parts: [part, { ...part, layer: 2, head: null, value: -2 }, { ...part, kind: 'cross', layer: 1, value: 1 }],
  };
  const { name, tables } = await savedBy(given(allHeads, added), 'model=creek&part=heads&row=12');
  assert.equal(name, 'All parts');
  assert.deepEqual(tables, [
    {
      name: 'What adds to the logit',
      columns: ['added'],
      rows: ['layer 1, head 1', 'layer 3, FFN', 'cross-attention, layer 2, head 1'],
      data: [0.75, -2, 1],
      shape: [3, 1],
    },
  ]);
  const off = { id: 7, share: 0.75, of: 2, parts: [0.25, 0.875].map((left, head) => ({ ...part, head, left, to: 7 })) };
  const both = { ...added, ...off };
  const lost = await savedBy(given(allHeads, both), 'model=creek&part=heads&row=12&parts=off');
  assert.deepEqual(lost.tables, [
    {
      name: 'What the answer loses without each part',
      columns: ['lost'],
      rows: ['layer 1, head 1', 'layer 1, head 2'],
      data: [0.5, -0.125],
      shape: [2, 1],
    },
  ]);
  assert.match(lost.page.all('.hint')[0], /Its bar: what is lost without it of .+ \(to the right\) or won\.$/);
});

test('lines: the weights of the head, of several, of their mean', async () => {
  const { model } = creek();
  const { data } = model.tensor('encoder.layers.1.self_attn.weights');
  const [first, second] = [data.slice(0, 196), data.slice(196)];
  const mean = first.map((each, i) => (each + second[i]) / 2);
  const page = await open(lines, 'model=creek&head=2.2');
  for (const [patch, which, wanted] of /** @type {[any, string, [string, ArrayLike<number>][]][]} */ ([
    [{}, 'head 2', [['', second]]],
    [{ lineHeads: [0, 1] }, 'heads 1, 2', [[', head 1', first], [', head 2', second]]], // prettier-ignore
    [{ lineHeads: [], selection: { ...page.state().selection, mean: true } }, 'mean of its heads', [['', mean]]],
  ])) {
    await page.change(patch);
    const title = `Encoder self-attention, layer 2, ${which}`;
    assert.equal(saved.name, `${title}, as lines`);
    const tables = saved.tables();
    assert.equal(tables.length, wanted.length, which);
    for (const [i, [end, weights]] of wanted.entries()) {
      assert(tables[i].name.startsWith('Encoder self-attention, layer 2'), tables[i].name);
      assert(tables[i].name.replace(', as lines', '').endsWith(end || which), tables[i].name);
      assert.deepEqual([tables[i].shape, tables[i].rows[12], tables[i].columns[1]], [[14, 14], 'it', 'creek']);
      same(tables[i].data, weights, which);
    }
  }
});

test('neurons: the strongest, the words of one, and where in the corpus it is active', async () => {
  const page = await open(neuron, 'layout=page&model=creek&head=3.1&row=12');
  await page.see();
  const { rowOf } = creek();
  const values = rowOf('encoder.layers.2.ffn.activation', 12);
  const top = [...values.keys()].sort((a, b) => values[b] - values[a]).slice(0, 8);
  const [strongest, said, where] = saved.tables();
  assert.equal(saved.name, `Neuron ${top[0]}`);
  assert.deepEqual(
    [strongest, said, where].map(({ name, columns }) => [name, ...columns]),
    [
      ['Strongest neurons at it', 'activation', 'promotes'],
      [`Neuron ${top[0]}, tokens`, 'logit per unit'],
      [`Neuron ${top[0]}, what activates it`, 'activation', 'before', 'after'],
    ],
  );
  assert.deepEqual(
    strongest.rows,
    top.map((each) => `neuron ${each}`),
  );
  /** @param {number} at */
  const column = (at) => strongest.data.filter((/** @type {unknown} */ _, /** @type {number} */ i) => i % 2 === at);
  same(
    column(0),
    top.map((each) => values[each]),
    'strongest',
  );
  assert.deepEqual(column(1), page.all('.neuron-says bdi'));
  assert.deepEqual(said.rows, page.all('.neuron-words bdi'));
  assert.deepEqual(where.rows, page.all('.neuron-key mark'));
  const spoken = page.all('.neuron-key li bdi');
  where.rows.forEach((/** @type {string} */ word, /** @type {number} */ i) => {
    const [value, before, after] = where.data.slice(3 * i, 3 * i + 3);
    assert(value > 0 && (i === 0 || value <= where.data[3 * i - 3]));
    const whole = `${before} ${word} ${after}`.replaceAll(' .', '.').trim();
    assert(whole.includes(spoken[i].replaceAll('… ', '').replaceAll(' …', '')), `${whole}: ${spoken[i]}`);
    if (!spoken[i].includes('…')) assert.equal(spoken[i], whole);
  });
  await page.change({ neuronCard: false });
  assert.deepEqual([saved.name, saved.tables().length], ['Strongest neurons at it', 1]);
});

test('the Why of a logit: its two vectors and their products make it', async () => {
  const { rowOf, model, vocabulary } = creek();
  const { name, tables } = await savedBy(logitWhy, 'model=creek&row=12&part=logits');
  assert.match(name, /^Why 91\s%\? creek at it, 12$/);
  const [{ columns, rows, data }] = tables;
  assert.deepEqual(columns, ['logit: vector', 'logit: key', 'logit: product']);
  assert.deepEqual([rows.length, rows[0], rows.at(-1)], [48, '0', '47']);
  const x = rowOf('encoder.layers.2.norm2.out', 12);
  const key = rowOf('tok_emb.weight', vocabulary.indexOf('creek'));
  same(data, [...x].flatMap((each, i) => [each, key[i], each * key[i]]), 'products'); // prettier-ignore
  assert.equal(model.config.d_model, rows.length);
});
