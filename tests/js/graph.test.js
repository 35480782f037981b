// The facts of a model's tensors beside their names, and its graph, against the names that PyTorch's users know.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { load } from 'glassformer';
import { BOTH } from './reference.js';

const gf = await load({ variant: 'simd' });
const CONFIG = { ...BOTH, decoderLayers: 2 };
const BATCH = { sourceIds: [1, 2, 3, 4], targetIds: [5, 6, 7], capture: true };

/** The tensors for which all of these hold. @param {any[]} tensors @param {Record<string, unknown>} facts */
const names = (tensors, facts) =>
  tensors
    .filter((tensor) => Object.entries(facts).every(([key, value]) => tensor[key] === value))
    .map(({ name }) => name);

test('tensors() tells what a tensor is, so that none need be found by its name', () => {
  const model = gf.createModel(CONFIG);
  model.forward(BATCH);
  const all = model.tensors();
  assert.deepEqual(
    all.find(({ name }) => name === 'decoder.layers.1.multihead_attn.weights'),
    {
      name: 'decoder.layers.1.multihead_attn.weights',
      shape: [1, 2, 3, 4],
      dtype: 'float32',
      region: 'intermediate',
      node: 'attention',
      role: 'weights',
      stack: 'decoder',
      layer: 1,
      sublayer: 2,
      attention: 'cross',
      patchable: true,
    },
  );
  assert.deepEqual(
    all.find(({ name }) => name === 'encoder.ids'),
    {
      name: 'encoder.ids',
      shape: [1, 4],
      dtype: 'int32',
      region: 'input',
      node: 'tokens',
      role: 'ids',
      stack: 'encoder',
      layer: null,
      sublayer: null,
      attention: null,
      patchable: false,
    },
  );
  assert.deepEqual(names(all, { node: 'ffn', role: 'activation', stack: 'encoder' }), [
    'encoder.layers.0.ffn.activation',
    'encoder.layers.1.ffn.activation',
  ]);
  assert.deepEqual(names(all, { role: 'head_outputs', attention: 'cross', layer: 1 }), [
    'decoder.layers.1.multihead_attn.head_outputs',
  ]);
  assert.deepEqual(names(all, { role: 'masked', attention: 'self', stack: 'decoder', layer: 0 }), [
    'decoder.layers.0.self_attn.masked',
  ]);
  assert.deepEqual(names(all, { node: 'logits', region: 'weight' }), ['generator.weight', 'generator.bias']);
  assert.deepEqual(names(all, { node: 'embedding', role: 'table' }), ['src_emb.weight', 'tgt_emb.weight']);
  assert.deepEqual(names(all, { node: 'norm', role: 'weight', stack: 'decoder', layer: 1, sublayer: 3 }), [
    'decoder.layers.1.norm3.weight',
  ]);
  assert.ok(all.every(({ region, patchable }) => !patchable || region === 'intermediate'));
  assert.deepEqual(
    new Set(all.filter(({ region, patchable }) => region === 'intermediate' && !patchable).map(({ role }) => role)),
    new Set(['mean', 'variance', 'out']),
  );
  assert.deepEqual(
    names(
      all.filter(({ region }) => region === 'intermediate'),
      { role: 'out', patchable: false },
    ),
    ['probabilities'],
  );
  model.free();
});

test('a gradient has the role and the place of its tensor, and is not patchable', () => {
  const model = gf.createModel(CONFIG);
  model.trainer().gradients({ ...BATCH, labels: [6, 7, 8] });
  const all = model.tensors();
  const gradients = all.filter(({ region }) => region === 'gradient');
  assert.ok(gradients.length > 100);
  for (const { name, shape, dtype, region, patchable, ...facts } of gradients) {
    const value = all.find((tensor) => `grad.${tensor.name}` === name);
    assert.deepEqual([shape, dtype, region, patchable], [value.shape, value.dtype, 'gradient', false], name);
    const wanted = Object.fromEntries(Object.keys(facts).map((key) => [key, value[key]]));
    assert.deepEqual(facts, wanted, name);
  }
  model.free();
});

test('graph() lists the nodes in the order of computation, with what each reads', () => {
  const model = gf.createModel({ ...CONFIG, layers: 1, decoderLayers: 1, finalNorm: false });
  model.forward(BATCH);
  const nodes = model.graph();
  const said = nodes.map(({ kind, tensor, inputs }) => `${kind} ${tensor} <${inputs}`);
  const [encoder, decoder] = ['encoder.layers.0', 'decoder.layers.0'];
  assert.deepEqual(said, [
    'tokens encoder.ids <',
    'embedding encoder.embedding <0',
    'positions encoder.input <1',
    `attention ${encoder}.self_attn.out <2`,
    `add ${encoder}.residual1 <2,3`,
    `norm ${encoder}.norm1.out <4`,
    `ffn ${encoder}.ffn.out <5`,
    `add ${encoder}.residual2 <5,6`,
    `norm ${encoder}.norm2.out <7`,
    'tokens decoder.ids <',
    'embedding decoder.embedding <9',
    'positions decoder.input <10',
    `attention ${decoder}.self_attn.out <11`,
    `add ${decoder}.residual1 <11,12`,
    `norm ${decoder}.norm1.out <13`,
    `attention ${decoder}.multihead_attn.out <14,8`,
    `add ${decoder}.residual2 <14,15`,
    `norm ${decoder}.norm2.out <16`,
    `ffn ${decoder}.ffn.out <17`,
    `add ${decoder}.residual3 <17,18`,
    `norm ${decoder}.norm3.out <19`,
    'logits logits <20',
    'probabilities probabilities <21',
  ]);
  assert.deepEqual(nodes[17], {
    kind: 'norm',
    stack: 'decoder',
    layer: 0,
    sublayer: 2,
    attention: 'cross',
    tensor: `${decoder}.norm2.out`,
    weight: `${decoder}.norm2.weight`,
    inputs: [16],
    stream: true,
    residual: true,
    window: 0,
  });
  const logits = nodes.find(({ kind }) => kind === 'logits');
  assert.equal(logits?.weight, 'generator.weight');
  assert.equal(nodes[/** @type {any} */ (logits).inputs[0]].weight, `${decoder}.norm3.weight`, 'the gain before it');
  assert.deepEqual([nodes[0].layer, nodes[0].sublayer, nodes[0].attention, nodes[0].weight], [null, null, null, null]);
  model.forward({ ...BATCH, capture: false });
  const bare = model.graph();
  assert.deepEqual(
    bare.map(({ tensor }) => tensor).filter(Boolean),
    ['encoder.ids', 'decoder.ids', 'logits'],
    'without capture',
  );
  assert.deepEqual(
    bare.map((node) => ({ ...node, tensor: null })),
    nodes.map((node) => ({ ...node, tensor: null })),
  );
  model.free();
  assert.throws(() => model.graph(), { code: 'freed' });
});

test('graph() has the window of each layer, also of one past 32, and of an attention alone', () => {
  const layers = { kind: 'decoder', vocabulary: 5, d_model: 4, heads: 1, d_ff: 0, layers: 34 };
  const model = gf.createModel({ ...layers, window: 3, globalLayers: 2 ** 31 - 2, globalLayersAbove: 1 });
  const windows = model.graph().flatMap(({ kind, window }) => (kind === 'attention' ? [window] : []));
  assert.deepEqual(
    windows,
    Array.from({ length: 34 }, (_, i) => ([0, 31, 33].includes(i) ? 3 : 0)),
  );
  const attention = gf.createModel({ kind: 'attention', d_model: 4, heads: 1, window: 2 });
  const vectors = [[[1, 2, 3, 4]]];
  for (const batch of [{ vectors }, { vectors, memory: vectors }]) {
    attention.forward(batch);
    assert.deepEqual(
      attention.graph().map(({ window }) => window),
      batch.memory ? [0, 0, 2] : [0, 2],
    );
  }
  for (const each of [model, attention]) each.free();
});

test('graph() before the first pass has nodes and weights, but no tensors', () => {
  const model = gf.createModel({
    kind: 'decoder',
    vocabulary: 11,
    head: 'tied',
    layers: 3,
    norm: 'pre',
    residual: false,
  });
  const nodes = model.graph();
  assert.equal(nodes.length, 3 + 3 * 4 + 2);
  assert.ok(nodes.every(({ tensor, residual }) => tensor === null && !residual));
  assert.equal(nodes[1].weight, 'tok_emb.weight');
  assert.equal(nodes.find(({ kind }) => kind === 'logits')?.weight, 'tok_emb.weight', 'tied');
  assert.deepEqual(
    nodes.filter(({ stream }) => stream).map(({ kind }) => kind),
    ['embedding', 'positions', 'attention', 'ffn', 'attention', 'ffn', 'attention', 'ffn'],
  );
  model.free();
});
