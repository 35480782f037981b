// The store, the rules of the settings, the plan for the model, the queue of one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answers } from '../../../web/explore/features/answers.js';
import { heatmap } from '../../../web/explore/features/heatmap.js';
import { modelGraph } from '../../../web/explore/features/model-graph.js';
import { requiredBy } from '../../../web/explore/place.js';
import { clampSelection, makePlan } from '../../../web/engine/plan.js';
import { createRequestQueue } from '../../../web/engine/request-queue.js';
import { changeSettings, defaultState } from '../../../web/app/schema.js';
import { createStore } from '../../../web/kit/store.js';
import '../explore/table.js'; // which lets a feature import its style

const { ffn } = await import('../../../web/explore/features/ffn.js');
const { positions } = await import('../../../web/explore/features/positions.js');

const settings = defaultState().settings;

/**
 * @param {import('../../../web/engine/plan.js').Plan} plan
 * @param {import('../../../web/explore/index.js').Query} state
 */
const wantedTensors = (plan, state) => requiredBy([answers, modelGraph, heatmap, ffn, positions], { plan, state });

test('the state survives JSON, so it can become a link', () => {
  assert.deepEqual(JSON.parse(JSON.stringify(defaultState())), defaultState());
});

test('a store tells its listeners and forgets those that leave', () => {
  const store = createStore(defaultState());
  /** @type {string[]} */
  const heard = [];
  const leave = store.subscribe((state, previous) => heard.push(`${previous.text.length} ${state.text}`));
  store.set({ text: 'a' });
  leave();
  store.set({ text: 'b' });
  assert.deepEqual(heard, ['61 a']);
  assert.equal(store.get().text, 'b');
});

test('an architecture brings its mask and its view', () => {
  const state = defaultState();
  const changed = changeSettings(state, { kind: 'encoder-decoder' });
  assert.equal(changed.settings?.causal, true);
  assert.equal(changed.selection?.kind, 'cross');
  assert.equal(changeSettings(state, { kind: 'decoder', causal: false }).settings?.causal, false);
  assert.deepEqual(changeSettings(state, { heads: 8 }), { settings: { ...settings, heads: 8 } });
});

test('a selection that is no more moves to the nearest', () => {
  const far = { kind: /** @type {const} */ ('cross'), layer: 11, head: 7 };
  assert.deepEqual(clampSelection(far, settings), { kind: 'encoder', layer: 1, head: 3 });
  assert.deepEqual(clampSelection(far, { ...settings, kind: 'encoder-decoder', layers: 12, heads: 8 }), far);
});

test('plans: equal keys exactly for equal numbers', () => {
  const state = defaultState();
  const { key } = makePlan(state);
  assert.equal(makePlan({ ...state, targetText: 'other', cursor: { ...state.cursor, row: 1 } }).key, key);
  for (const patch of [{ seed: 1 }, { heads: 2 }, { causal: true }, { heads: NaN }]) {
    assert.notEqual(makePlan({ ...state, settings: { ...settings, ...patch } }).key, key, JSON.stringify(patch));
  }
  assert.notEqual(makePlan({ ...state, text: 'other' }).key, key);
});

/** The names that answers need after a switch changed. @param {import('../../../web/engine/plan.js').Plan} plan */
const ofChange = (plan) => ['output', `@before/${JSON.stringify(plan.base)}`];

test('plans: what an encoder–decoder needs', () => {
  const state = {
    ...defaultState(),
    settings: { ...settings, kind: /** @type {const} */ ('encoder-decoder'), norm: /** @type {const} */ ('none') },
  };
  const plan = makePlan(state);
  assert.equal(plan.config.decoderLayers, 2);
  assert.equal(plan.config.finalNorm, false);
  assert.equal(plan.targetIds?.length, plan.tokens.decoder?.ids.length);
  const names = wantedTensors(plan, {
    selection: { kind: 'cross', layer: 1, head: 0 },
    quantity: 'scaled',
    ffnQuantity: 'activation',
  });
  assert.deepEqual(names.sort(), [
    ofChange(plan)[1],
    '@position-dots/decoder',
    '@stream',
    'decoder.layers.0.multihead_attn.weights',
    'decoder.layers.0.self_attn.weights',
    'decoder.layers.1.ffn.activation',
    'decoder.layers.1.multihead_attn.scaled',
    'decoder.layers.1.multihead_attn.weights',
    'decoder.layers.1.self_attn.weights',
    'decoder.positions',
    'encoder.layers.0.self_attn.weights',
    'encoder.layers.1.self_attn.weights',
    'output',
  ]);
});

test('tensors that do not exist are not asked for', () => {
  const plan = makePlan({ ...defaultState(), settings: { ...settings, layers: 1, d_ff: 0, positions: 'none' } });
  const names = wantedTensors(plan, {
    selection: { kind: 'encoder', layer: 0, head: 0 },
    quantity: 'weights',
    ffnQuantity: 'activation',
  });
  assert.deepEqual(names, [...ofChange(plan), '@stream', 'encoder.layers.0.self_attn.weights']);
});

test('the runner sends one at a time and keeps each answer; what a newer one follows is not done', () => {
  let query = 'a';
  /** @type {{id: number, query: string}[]} */
  const sent = [];
  /** @type {string[]} */
  const kept = [];
  /** @type {string[]} */
  const done = [];
  const runner = createRequestQueue({
    next: () => (query ? { query } : null),
    send: (request) => sent.push(request),
    keep: (answer, request) => kept.push(`${answer.text} to ${request.query}`),
    done: (/** @type {{text: string}} */ answer, request) => done.push(`${answer.text} to ${request.query}`),
  });
  runner.wake();
  query = 'b';
  runner.wake();
  query = 'c';
  runner.wake();
  assert.deepEqual(sent, [{ id: 1, query: 'a' }]);
  runner.receive({ id: 1, text: 'A' });
  assert.deepEqual(sent[1], { id: 2, query: 'c' });
  runner.receive({ id: 1, text: 'A again' });
  runner.receive({ id: 2, text: 'C' });
  assert.deepEqual(kept, ['A to a', 'C to c']);
  assert.deepEqual(done, ['C to c']);
  assert.equal(runner.busy(), false);
  query = '';
  runner.wake();
  assert.equal(sent.length, 2);
});
