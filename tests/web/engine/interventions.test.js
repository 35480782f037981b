// The list of changes, undo and redo, and what the worker makes of them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'glassformer';
import { readModel } from '../../../src/models/measure.mjs';
import { interventionLabel } from '../../../web/engine/intervention-labels.js';
import {
  changedSwitches,
  headsOff,
  isAtWord,
  isIntervention,
  put,
  setTo,
  standingAt,
  switchesAsBuilt,
  temperatureOf,
  valueLabel,
  without,
} from '../../../web/engine/interventions.js';
import { forwardWithInterventions } from '../../../web/engine/intervene.js';
import { makePlan, pinOf } from '../../../web/engine/plan.js';
import { createLiveModels } from '../../../web/engine/live-models.js';
import { createModelCache } from '../../../web/engine/model-cache.js';
import { UNDO, defaultState, trainedState } from '../../../web/app/schema.js';
import { createStore, createUndo } from '../../../web/kit/store.js';

const gf = await load({ variant: 'simd' });
const KNOWN = 'the creek was cold and the spunky dog wanted to jump over it .';

const { weights, ...known } = readModel('creek');
const ids = KNOWN.split(' ').map((word) => known.vocabulary.indexOf(word));

/** Creek in Node, its weights edited by `edit`. */
function creek(edit = () => {}) {
  const model = gf.createModel(known.config);
  model.loadWeights(weights, { strict: false });
  const own = model.weights();
  edit(own);
  model.loadWeights(own);
  return model;
}

const head = { what: 'head', kind: 'encoder', layer: 1, head: 0, to: 0 };
const cell = { what: 'cell', kind: 'encoder', layer: 1, head: 1, row: 2, key: 3, to: 0.25 };
const headAt = { what: 'headAt', kind: 'encoder', layer: 1, head: 1, row: 2, to: 0 };
const ffnAt = { what: 'ffnAt', kind: 'encoder', layer: 1, row: 2, to: 'mean' };
const neuron = { what: 'neuron', kind: 'encoder', layer: 0, neuron: 7, to: 'mean' };
const neurons = { what: 'neurons', kind: 'encoder', layer: 0, first: 24, last: 47, to: 0 };
const patch = { what: 'patch', kind: 'encoder', after: 1, row: 2, from: [3, 4, 5], share: 1 };
const norm = { what: 'skip', node: 'norm', kind: 'encoder', layer: 1, sublayer: 1, to: 0 };
const ffn = { ...norm, node: 'ffn', layer: 0, sublayer: 2 };
const swap = { what: 'swap', kind: 'encoder', row: 1, to: 7 };
const exit = { what: 'exit', kind: 'encoder', to: 1 };
const feature = { what: 'feature', kind: 'encoder', layer: 1, part: 'out', seed: 0, feature: 37, row: 2, to: 0 };
const weight = { what: 'weight', name: 'encoder.layers.0.linear1.weight', row: 3, column: 5, value: 1.5 };

test('the list: one change at a place, temperature 1 is none', () => {
  const list = put(put(put([], head), cell), { ...head, to: 'mean' });
  assert.deepEqual(list, [{ ...head, to: 'mean' }, cell]);
  assert.deepEqual(without(list, 0), [cell]);
  assert.equal(standingAt(list, { ...cell, to: 1 }), cell);
  assert.equal(standingAt(list, { ...cell, key: 4 }), undefined);
  const warm = put(list, { what: 'temperature', value: 2 });
  assert.equal(temperatureOf(warm), 2);
  assert.deepEqual(put(warm, { what: 'temperature', value: 1 }), list);
  assert.equal(temperatureOf(list), 1);
  const words = () => ({ rowWords: ['a', 'b', 'c'], columnWords: ['d', 'e', 'f', 'g'] });
  assert.deepEqual(
    [
      head,
      headAt,
      ffnAt,
      cell,
      neuron,
      neurons,
      patch,
      { ...patch, after: 0, from: 'mean', share: 0.4 },
      weight,
      { ...cell, row: 9 },
      norm,
      { ...norm, sublayer: 0 },
      ffn,
      { ...norm, node: 'attention' },
      { ...swap, to: 0 },
      exit,
      { ...exit, to: 0 },
      feature,
      { ...feature, part: 'ffn', to: 0.4 },
      { ...feature, feature: null, to: [1] },
    ].map((each) => interventionLabel(each, words)),
    [
      'Encoder layer 2, head 1: off',
      'Encoder layer 2, head 2 at c: off',
      'Encoder layer 2, FFN at c: average',
      'Encoder layer 2, head 2, c → g: 0.25',
      'Encoder layer 1, neuron 7: average',
      'Encoder layer 1, neurons 24 to 47: off',
      'Encoder layer 1, c: from the other sentence',
      'Embedding, c: 40 % from the mean of the tokens',
      'encoder.layers.0.linear1.weight[3, 5] = 1.5',
      'Encoder layer 2, head 2, row 9 → g: 0.25',
      'Encoder layer 2, norm 1: skipped',
      'Encoder norm outside the layers: skipped',
      'Encoder layer 1, FFN: adds nothing',
      'Encoder layer 2, attention: adds nothing',
      'Encoder positions 1 (b) and 0 (a) swapped',
      'Encoder read after layer 1',
      'Encoder read after its input',
      'Encoder layer 2, stream at c: feature 37 off',
      'Encoder layer 2, FFN at c: feature 37 × 0.4',
      'Encoder layer 2, stream at c: all features from the other sentence',
    ],
  );
});

test('a change in words: of each stack, with words or without, its number', () => {
  const none = () => ({ rowWords: [], columnWords: [] });
  const words = (/** @type {string} */ kind) => ({ rowWords: [`${kind} a`, 'b'], columnWords: ['c', 'd', 'e', 'f'] });
  const mean = /** @type {const} */ ('mean');
  for (const [change, said, of = none, vocabulary = undefined] of /** @type {[any, string, any?, string[]?][]} */ ([
    [{ what: 'temperature', value: 0.5 }, 'Temperature 0.5'],
    [{ ...head, kind: 'decoder', to: mean }, 'Decoder layer 2, head 1: average'],
    [{ ...head, kind: 'cross' }, 'Cross layer 2, head 1: off'],
    [{ ...headAt, to: mean }, 'Encoder layer 2, head 2 at token 2: average'],
    [{ ...ffnAt, kind: 'cross', row: 0, to: 0 }, 'Cross layer 2, FFN at cross a: off', words],
    [{ ...headAt, to: [1, 2] }, 'Encoder layer 2, head 2 at token 2: from the other sentence', words],
    [ffnAt, 'Encoder layer 2, FFN at token 2: average', words],
    [{ ...ffnAt, to: [1, 2] }, 'Encoder layer 2, FFN at token 2: from the other sentence', words],
    [{ ...neuron, kind: 'decoder', to: 0 }, 'Decoder layer 1, neuron 7: off'],
    [{ ...neuron, to: 1.5 }, 'Encoder layer 1, neuron 7: 1.5'],
    [{ ...cell, to: 0.123456 }, 'Encoder layer 2, head 2, row 2 → column 3: 0.1235'],
    [{ ...cell, row: 0 }, 'Encoder layer 2, head 2, encoder a → f: 0.25', words],
    [{ ...patch, row: 1, share: 0 }, 'Encoder layer 1, b: 0 % from the other sentence', words],
    [{ ...patch, after: 0, row: 1 }, 'Embedding of b: that of creek', words, ['', '', '', '', 'creek']],
    [{ ...patch, after: 0 }, 'Embedding of token 2: that of dog', words, ['', '', '', '', '', 'dog']],
    [{ ...patch, after: 0, share: 0.5 }, 'Embedding, token 2: 50 % from the other sentence', none, Array(9).fill('x')],
    [{ ...patch, after: 0 }, 'Embedding, token 2: from the other sentence'],
    [{ ...patch, after: 0, from: mean }, 'Embedding, token 2: from the mean of the tokens', none, Array(9).fill('x')],
    [
      { ...patch, after: 2, kind: 'decoder' },
      'Decoder layer 2, token 2: from the other sentence',
      none,
      Array(9).fill('x'),
    ],
    [{ ...norm, sublayer: 4 }, 'Encoder second norm outside the layers: skipped'],
    [{ ...norm, sublayer: 3, kind: 'cross' }, 'Cross layer 2, norm 3: skipped'],
    [{ ...norm, node: 'ffn', sublayer: 0 }, 'Encoder layer 2, FFN: adds nothing'],
    [{ ...norm, node: 'attention', sublayer: 4, kind: 'decoder' }, 'Decoder layer 2, attention: adds nothing'],
    [swap, 'Encoder positions 1 (token 1) and 7 (token 7) swapped'],
    [{ ...exit, kind: 'decoder', to: 2 }, 'Decoder read after layer 2'],
  ]))
    assert.equal(interventionLabel(change, of, vocabulary), said);
  assert.deepEqual(
    [0, 'mean', 0.5].map((to) => valueLabel(/** @type {any} */ (to))),
    ['off', 'mean', 'set'],
  );
  const all = [head, cell, headAt, ffnAt, neuron, neurons, patch, norm, swap, exit, weight];
  assert.deepEqual(
    all.filter((each) => isAtWord(/** @type {any} */ (each))),
    [cell, headAt, ffnAt, patch, swap],
  );
});

test('a change is found by its place, whatever the order of its fields, and set to a number or taken back', () => {
  const list = /** @type {any[]} */ ([
    head,
    { ...head, layer: 0 },
    { ...head, kind: 'decoder' },
    { ...head, head: 3 },
    headAt,
  ]);
  const { what, ...rest } = head;
  const turned = /** @type {any} */ ({ ...rest, what, to: 'mean' });
  assert.deepEqual(put(list, turned), [turned, ...list.slice(1)]);
  assert.deepEqual(setTo(list, /** @type {any} */ (headAt), 'mean'), [...list.slice(0, 4), { ...headAt, to: 'mean' }]);
  assert.deepEqual(setTo(list, turned, null), list.slice(1));
  assert.deepEqual(setTo(list, /** @type {any} */ (cell), null), list);
  assert.deepEqual(setTo([], turned, 0), [{ ...turned, to: 0 }]);
  const others = [
    { ...patch, from: 'mean', share: 0.5 },
    { ...weight, value: 9 },
  ];
  assert.deepEqual(others.reduce(put, /** @type {any} */ ([patch, weight])), others);
  assert.deepEqual(headsOff([...list, { ...head, head: 2, to: 'mean' }], 'encoder', 1), [0, 3]);
  assert.deepEqual(put(list, { what: 'temperature', value: 1 }), list);
});

test('what a link holds may be no change: it is named so, and refused', () => {
  for (const each of [
    head,
    { ...head, to: 'mean' },
    headAt,
    ffnAt,
    cell,
    neuron,
    neurons,
    patch,
    { ...patch, from: 'mean' },
    weight,
    norm,
    ffn,
    swap,
    exit,
    { what: 'temperature', value: 2 },
    { ...neurons, first: 47 },
    { ...neurons, last: 16383 },
    { ...patch, from: [] },
    { ...patch, from: Array(16384).fill(0), share: 0 },
    { ...patch, kind: 'decoder', after: 0 },
    { ...norm, node: 'attention', kind: 'cross' },
    { ...exit, to: 0 },
    { ...ffnAt, to: [0, 5] },
    { ...headAt, to: [0, 5] },
    feature,
    { ...feature, to: 1.5 },
    { ...feature, part: 'ffn', to: [3] },
    { ...feature, feature: null, to: [3] },
  ])
    assert(isIntervention(each), JSON.stringify(each).slice(0, 99));
  for (const each of [
    {},
    { what: 'constructor' },
    { what: 'head' },
    { ...head, kind: 'x' },
    { ...cell, to: 'mean' },
    { ...cell, row: -1 },
    { ...headAt, row: undefined },
    { ...ffnAt, kind: 'x' },
    { ...ffnAt, to: [0.5] },
    { ...ffnAt, to: Array(16385).fill(0) },
    { ...headAt, to: [0.5] },
    { ...feature, to: 'mean' },
    { ...feature, kind: 'cross' },
    { ...feature, part: 'x' },
    { ...feature, feature: null },
    { ...feature, seed: -1 },
    { ...head, to: [0] },
    { ...neuron, to: [0] },
    { ...cell, to: [0] },
    { ...neuron, to: '1' },
    { ...neurons, first: 48 },
    { ...neurons, last: 16384 },
    { ...neurons, to: 'mean' },
    { ...neuron, to: Infinity },
    { ...head, to: null },
    { what: 'temperature', value: NaN },
    { ...neurons, to: 1 },
    { ...patch, from: 'text' },
    { ...patch, from: [0.5] },
    { ...patch, from: [-1] },
    { ...patch, from: Array(16385).fill(0) },
    { ...patch, from: [0, '1'] },
    { ...patch, from: { length: 1 } },
    { ...patch, share: -0.1 },
    { ...patch, share: NaN },
    { ...patch, share: '1' },
    { ...patch, share: 1.5 },
    { ...patch, share: [0.5] },
    { ...patch, kind: 'cross' },
    { ...patch, after: -1 },
    { ...weight, value: null },
    { ...weight, name: 3 },
    { ...head, layer: 0.5 },
    { ...norm, to: 1 },
    { ...norm, node: 'add' },
    { ...norm, sublayer: -1 },
    { ...swap, to: 'mean' },
    { ...swap, to: -1 },
    { ...exit, kind: 'cross' },
    { ...exit, to: 'mean' },
    { ...norm, to: 'mean' },
    { ...swap, kind: 'cross' },
    { ...exit, to: 0.5 },
  ]) {
    assert(!isIntervention(each), JSON.stringify(each).slice(0, 99));
    assert.equal(
      interventionLabel(/** @type {any} */ (each), () => ({ rowWords: [], columnWords: [] })),
      'Unknown change',
    );
  }
});

test('switches: those that stand otherwise than the model was built, which makes a base', () => {
  const state = defaultState();
  assert.equal(makePlan(state).base, null);
  assert.deepEqual(
    changedSwitches({ ...state.settings, kind: 'decoder', causal: true }, undefined),
    [],
    'a decoder is causal',
  );
  const settings = { ...state.settings, norm: /** @type {const} */ ('none'), heads: 2 };
  assert.deepEqual(changedSwitches(settings, undefined), [{ name: 'norm', label: 'Norm: none', value: 'post' }]);
  const label = (/** @type {object} */ patch, trained = /** @type {any} */ (undefined)) =>
    changedSwitches({ ...state.settings, ...patch }, trained).map((each) => each.label);
  assert.deepEqual(label({ causal: true, scoreScale: false }), ['Divide scores by √d_k: off', 'Causal mask: on']);
  assert.deepEqual(label({ kind: 'encoder-decoder' }), ['Causal mask: off']);
  assert.deepEqual(label({ positions: 'none', heads: 1 }, { ...state.settings, heads: 9 }), ['Positions: none']);
  const { causal, norm: built, activation } = switchesAsBuilt({ ...state.settings, norm: 'none' }, undefined);
  assert.deepEqual([causal, built, activation], [false, 'post', 'relu']);
  assert.equal(switchesAsBuilt(state.settings, { norm: 'pre' }).norm, 'pre');
  const { base, config } = makePlan({ ...state, settings });
  assert.deepEqual([base?.norm, base?.finalNorm, base?.heads, config.norm], ['post', undefined, 2, 'none']);
  const trained = trainedState('creek', known.config);
  assert.equal(makePlan(trained, known).base, null);
  assert.deepEqual(makePlan({ ...trained, interventions: [head] }, known).base, { seed: 0, ...known.config });
});

test('undo and redo: numbers, not the selection; typing at once is one entry', () => {
  const store = createStore(defaultState());
  const { undo, redo, canUndo, canRedo } = createUndo(store, UNDO);
  const first = store.get();
  store.set({ cursor: { ...first.cursor, row: 3 }, written: [] });
  assert.equal(canUndo(), false);
  store.set({ text: 'a' });
  store.set({ text: 'ab' });
  store.set({ interventions: [head] });
  store.set({ interventions: [head, cell] });
  store.set({ settings: { ...first.settings, causal: true } });
  const pinned = pinOf(store.get());
  store.set({ pinned });
  const all = store.get();
  undo();
  assert.deepEqual([store.get().settings.causal, store.get().pinned], [false, pinned], 'a pin is not undone');
  store.set({ pinned: null });
  assert.equal(canRedo(), true, 'nor ends it what can be redone');
  store.set({ pinned });
  undo();
  assert.deepEqual(store.get().interventions, [head]);
  undo();
  undo();
  assert.deepEqual([store.get().text, store.get().cursor.row, canUndo()], [first.text, 3, false]);
  for (let i = 0; i < 4; i++) redo();
  assert.deepEqual([store.get(), canRedo()], [all, false]);
  undo();
  store.set({ text: 'other' });
  assert.equal(canRedo(), false, 'a new deed ends what could be redone');
  store.set({ model: 'creek' });
  assert.equal(canUndo(), false, 'each model begins anew');
});

test('undo of a text goes back to its words; undo of a change leaves the selection', () => {
  const store = createStore({ ...defaultState(), text: 'a b c d' });
  const { undo, redo } = createUndo(store, UNDO);
  const cursor = (/** @type {number} */ row) => ({ ...store.get().cursor, row });
  store.set({ cursor: cursor(3), brush: [3] });
  store.set({ text: 'e', cursor: cursor(0), brush: [], follow: true });
  store.set({ cursor: cursor(1), follow: false });
  undo();
  assert.deepEqual([store.get().text, store.get().cursor.row, store.get().brush], ['a b c d', 3, [3]]);
  redo();
  assert.deepEqual([store.get().text, store.get().cursor.row, store.get().follow], ['e', 1, false]);
  store.set({ interventions: [head] });
  store.set({ cursor: cursor(2) });
  undo();
  assert.deepEqual([store.get().interventions, store.get().cursor.row], [[], 2]);
});

/**
 * The worker's result for creek with these interventions.
 * @param {ReturnType<typeof createLiveModels>} live
 * @param {any[]} interventions
 * @param {string[]} names
 */
function ask(live, interventions, names) {
  const state = { ...trainedState('creek', known.config), text: KNOWN, interventions };
  const { key, config, ids: own, targetIds, model, generate } = makePlan(state, known);
  const query = { config, ids: own, targetIds, interventions, model, generate };
  return live.run({ type: 'run', id: 1, key, names, maskNames: {}, plans: 1, focus: { layer: 0, row: 0 }, ...query });
}

test('the worker runs the model with interventions, and takes each back exactly', async () => {
  const live = createLiveModels(gf, { ...createModelCache(), weights: () => weights });
  const own = creek();
  const plain = own.forward({ ids, capture: true }).logits;
  const name = 'encoder.layers.0.ffn.activation';
  const { data } = own.tensor(name);
  const mean = ids.reduce((sum, _, row) => sum + data[row * known.config.d_ff + 7], 0) / ids.length;
  const {
    data: heads,
    shape: [, , rows, width],
  } = own.tensor('encoder.layers.1.self_attn.head_outputs');
  const means = Float32Array.from(
    { length: rows * width },
    (_, i) =>
      Array.from({ length: rows }, (__, row) => heads[row * width + (i % width)]).reduce((a, b) => a + b) / rows,
  );
  const part = 'encoder.layers.1.self_attn';
  for (const [changes, options] of /** @type {[any[], any][]} */ ([
    [[head], { patches: [{ name: `${part}.head_outputs`, index: [0, 0, null, null], value: 0 }] }],
    [
      [{ ...head, to: 'mean' }],
      { patches: [{ name: `${part}.head_outputs`, index: [0, 0, null, null], value: means }] },
    ],
    [[headAt], { patches: [{ name: `${part}.head_outputs`, index: [0, 1, 2, null], value: 0 }] }],
    [
      [{ ...headAt, head: 0, to: 'mean' }],
      { patches: [{ name: `${part}.head_outputs`, index: [0, 0, 2, null], value: means.slice(0, width) }] },
    ],
    [[{ ...ffnAt, to: 0 }], { patches: [{ name: 'encoder.layers.1.ffn.out', index: [0, 2, null], value: 0 }] }],
    [[neuron], { patches: [{ name, index: [0, null, 7], value: mean }] }],
    [
      [{ what: 'temperature', value: 3 }, cell],
      { temperature: 3, patches: [{ name: `${part}.weights`, index: [0, 1, 2, 3], value: 0.25 }] },
    ],
  ])) {
    assert.deepEqual(
      (await ask(live, changes, ['logits'])).tensors.logits.data,
      own.forward({ ids, capture: true, ...options }).logits.data,
      JSON.stringify(changes),
    );
  }
  const edited = creek((all) => {
    all.get(weight.name).data[3 * known.config.d_model + 5] = 1.5;
  }).forward({ ids }).logits;
  const { tensors, derived } = await ask(live, [weight], ['logits', `@weight/${weight.name}/3/5`]);
  assert.deepEqual(tensors.logits.data, edited.data);
  assert.equal(derived[`@weight/${weight.name}/3/5`].value, 1.5);
  const bias = { ...weight, name: 'encoder.layers.0.linear1.bias', row: 0, value: 70_000 };
  const biased = creek((all) => {
    all.get(bias.name).data[5] = 70_000;
  }).forward({ ids }).logits;
  assert.deepEqual((await ask(live, [bias], ['logits'])).tensors.logits.data, biased.data);
  for (const [patched, has] of /** @type {[object, string][]} */ ([
    [{ row: 1 }, `1 × ${known.config.d_ff} numbers and none at [1, 5].`],
    [{ column: known.config.d_ff }, `1 × ${known.config.d_ff} numbers and none at [0, ${known.config.d_ff}].`],
  ]))
    await assert.rejects(ask(live, [{ ...bias, ...patched }], []), {
      code: 'range',
      message: `${bias.name} has ${has}`,
    });
  for (const value of [3.1e38, -3.1e38])
    await assert.rejects(ask(live, [{ ...bias, value }], []), {
      message: `A number of ${bias.name} must be within ±3e+38, not ${value}.`,
    });
  await assert.rejects(ask(live, [{ ...weight, row: 96 }], []), { code: 'range' });
  await assert.rejects(ask(live, [{ ...weight, name: 'nobody' }], []), { code: 'unknown' });
  await assert.rejects(ask(live, [{ what: 'nothing' }], []), { code: 'unknown' });
  // A refused change has no effect, and of a cell that is edited twice the first number comes back.
  const twice = await ask(live, [weight, { ...weight, value: 2 }], ['logits']);
  await assert.rejects(ask(live, [{ ...weight, value: 1e39 }], []), { code: 'range' });
  const again = await ask(live, [weight, { ...weight, value: 2 }], ['logits']);
  assert.deepEqual(again.tensors.logits.data, twice.tensors.logits.data);
  assert.deepEqual((await ask(live, [], ['logits'])).tensors.logits.data, plain.data, 'undone, to the bit');
});

test('a norm or a sublayer skipped, positions swapped, an early exit: in the model’s order, with all before', () => {
  const model = creek();
  const floats = (/** @type {string} */ name) => [...model.tensor(name).data];
  /** @param {object[]} list */
  const run = (...list) => [...forwardWithInterventions(/** @type {any} */ (model), { ids }, list).logits.data];
  const near = (/** @type {number[]} */ a, /** @type {number[]} */ b, /** @type {string} */ what) =>
    assert(Math.max(...a.map((each, i) => Math.abs(each - b[i]))) < 1e-5, what);
  run(norm);
  assert.deepEqual(floats('encoder.layers.1.norm1.out'), floats('encoder.layers.1.residual1'));
  run(norm, { ...norm, layer: 0, sublayer: 2 }, ffn, head); // the later norm comes first
  assert.deepEqual(floats('encoder.layers.0.norm2.out'), floats('encoder.layers.0.residual2'));
  assert.deepEqual(floats('encoder.layers.0.residual2'), floats('encoder.layers.0.norm1.out'), 'the FFN adds nothing');
  assert.deepEqual(floats('encoder.layers.1.norm1.out'), floats('encoder.layers.1.residual1'));
  run({ ...norm, node: 'attention', layer: 0 });
  assert.deepEqual(floats('encoder.layers.0.residual1'), floats('encoder.input'));

  // Without a mask, two words that trade positions say there what they say where they trade places.
  const width = known.config.vocabulary;
  const rowOf = (/** @type {number[]} */ all, /** @type {number} */ at) => all.slice(at * width, (at + 1) * width);
  const swapped = run(swap);
  const other = [...model.forward({ ids: ids.with(1, ids[7]).with(7, ids[1]) }).logits.data];
  for (const [at, there] of [
    [1, 7],
    [7, 1],
    [12, 12],
  ])
    near(rowOf(swapped, at), rowOf(other, there), `row ${at}`);

  const plain = run();
  for (const to of [1, 2]) {
    run();
    const out = { name: 'encoder.layers.2.out', value: model.tensor(`encoder.layers.${to - 1}.out`).data.slice() };
    const expected = [...model.forward({ ids, patches: [out] }).logits.data];
    assert.deepEqual(run({ ...exit, to }), expected, `after layer ${to}`);
  }
  assert.deepEqual(run({ ...exit, to: 3 }), plain);
  for (const [list, message] of /** @type {[object[], RegExp][]} */ ([
    [[{ ...norm, layer: 9 }], /^“Encoder layer 10, norm 1: skipped” does not exist in this model/],
    [[head, { ...norm, sublayer: 0 }], /^“Encoder norm outside the layers: skipped” does not exist/],
    [[{ ...swap, to: 99 }], /: the text has 14 tokens\./],
    [[{ ...exit, to: 9 }], /: the model has 3 layers\./],
    [[norm, { ...head, head: 7 }], /^“Encoder layer 2, head 8: off” does not exist in this model/],
  ]))
    assert.throws(() => run(...list), { message });
});
