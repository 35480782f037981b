// Public names are camelCase; only the paper's symbols and the dotted names of tensors keep their form. And what an
// unknown name may have meant.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as glassformer from 'glassformer';
import * as tasks from 'glassformer/tasks';
import { nearest } from '../../src/js/arrays/names.js';

const CAMEL = /^[a-z][a-z0-9]*(?:[A-Z][a-z0-9]*)*$/;
const PAPER = ['d_model', 'd_ff'];
const CONSTANT = /^[A-Z]+$/;
const CLASS = /^[A-Z][A-Za-z]+$/;

/** Names in a value and below it. @returns {string[]} */
const namesIn = (value, depth = 4) =>
  value === null || typeof value !== 'object' || ArrayBuffer.isView(value) || depth === 0
    ? []
    : Array.isArray(value)
      ? namesIn(value[0], depth - 1)
      : Object.entries(value).flatMap(([name, below]) => [name, ...namesIn(below, depth - 1)]);

test('public names are camelCase, but for those of the paper', async () => {
  const gf = await glassformer.load({ variant: 'simd' });
  const model = gf.createModel({ kind: 'decoder', vocabulary: 5, d_model: 4, heads: 1, d_ff: 4, head: 'tied' });
  const trainer = model.trainer();
  const methods = [gf, model, trainer].flatMap((one) => Object.getOwnPropertyNames(Object.getPrototypeOf(one)));
  const batch = { ids: [1, 2], labels: [2, 3] };
  const names = [
    ...methods,
    ...namesIn(model.config),
    ...namesIn(trainer.settings),
    ...namesIn(trainer.step(batch)),
    ...namesIn(trainer.state()),
    ...namesIn(model.forward({ ids: [1, 2], capture: true })),
    ...namesIn(model.tensors()),
    ...namesIn(model.graph()),
    ...namesIn(model.generate({ ids: [1], maxTokens: 1 })),
    ...namesIn(gf.attention([[1]], [[1]], [[1]])),
    ...namesIn(gf.layerNorm([1, 2])),
    ...namesIn(gf.crossEntropy([1, 2], { data: [0], shape: [] })),
    ...namesIn(Object.values(tasks.tasks)),
    ...namesIn(tasks.tasks.reverse.heldOut(1)),
  ];
  assert.ok(names.length > 150, `${names.length}`);
  assert.deepEqual(
    [...new Set(names)].filter((name) => !CAMEL.test(name) && !PAPER.includes(name)),
    [],
  );
  const exported = [...Object.keys(glassformer), ...Object.keys(tasks)];
  assert.deepEqual(
    exported.filter((name) => !CAMEL.test(name) && !CLASS.test(name) && !CONSTANT.test(name)),
    [],
  );
  model.free();
});

test('the nearest name: case and marks aside, other words, parts, few letters apart, or none', () => {
  const known = ['kind', 'd_model', 'heads', 'head', 'headBias', 'layers', 'decoderLayers', 'learningRate', 'x'];
  for (const [name, meant] of [
    ['dModel', 'd_model'],
    ['D_MODEL', 'd_model'],
    ['n_heads', 'heads'],
    ['numHeads', 'heads'],
    ['nhead', 'heads'],
    ['layer', 'layers'],
    ['num_decoder_layers', 'decoderLayers'],
    ['lr', 'learningRate'],
    ['leraningRate', 'learningRate'],
    ['hidden_size', 'd_model'],
    ['y', undefined],
    ['', undefined],
    ['__proto__', undefined],
    ['.*', undefined],
    ['something else entirely', undefined],
  ])
    assert.equal(nearest(name, known), meant, name);
  assert.equal(nearest('lr', ['x']), undefined, 'what is not known here is not offered');
});
