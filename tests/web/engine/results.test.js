// The results by plan, and the worker's side of them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createResults } from '../../../web/engine/results.js';
import { attentionKinds, attentionName, makePlan, pinOf, pinnedState } from '../../../web/engine/plan.js';
import { createLiveModels } from '../../../web/engine/live-models.js';
import { createModelCache } from '../../../web/engine/model-cache.js';
import { defaultState } from '../../../web/app/schema.js';
import { load } from '../../../dist/js/index.js';

const gf = await load();

/**
 * The page's request to the worker for a plan, but only for these names.
 * @param {any} plan
 * @param {string[]} names
 * @param {1 | 2} plans
 */
function request({ key, config, ids, targetIds, interventions, model, generate, settings }, names, plans = 1) {
  const maskNames = Object.fromEntries(
    attentionKinds(settings).map(({ kind }) => [kind, attentionName(kind, 0, 'masked')]),
  );
  const what = { config, ids, targetIds, interventions, names, maskNames, model, generate, plans };
  return { id: 1, key, ...what, focus: { layer: 0, row: 0 } };
}

/** No model of a file. */
const cache = createModelCache();

test('a name with @ is a derived value, computed from the run', async () => {
  const live = createLiveModels(gf, cache);
  const plan = makePlan(defaultState());
  const headed = { ...plan, config: { ...plan.config, head: 'tied' } };
  const { derived, tensors } = await live.run(request(headed, ['@probabilities', 'logits']));
  assert.deepEqual(derived['@probabilities'].data, gf.softmax(tensors.logits).data);
});

test('a run tells its facts, and which cells a mask hides', async () => {
  const live = createLiveModels(gf, cache);
  const state = defaultState();
  const settings = { ...state.settings, kind: /** @type {const} */ ('decoder'), causal: true };
  const start = performance.now();
  const { facts, hidden, written } = await live.run(request(makePlan({ ...state, text: 'a b c', settings }), []));
  assert.deepEqual([[...hidden.decoder], written], [[0, 1, 1, 0, 0, 1, 0, 0, 0], null]);
  assert.deepEqual([facts.absent, facts.finite, facts.part], [[], true, null]);
  assert(facts.milliseconds > 0 && facts.milliseconds <= performance.now() - start);
  const seeded = async (/** @type {number} */ seed) => {
    const plan = makePlan({ ...state, settings: { ...state.settings, seed } });
    return (await live.run(request(plan, ['encoder.input']))).tensors['encoder.input'].data;
  };
  const first = await seeded(1);
  assert.notDeepEqual(await seeded(2), first);
  assert.deepEqual(await seeded(1), first, 'the model that is kept is drawn again from its seed');
  const config = {
    ...{ kind: 'encoder-decoder', vocabulary: 9, d_model: 8, heads: 2, layers: 1 },
    head: 'linear',
    seed: 1,
  };
  const generate = { begin: 1, maxTokens: 4 };
  const plan = { ...makePlan(state), config, ids: [3, 4, 5], key: 'translation', generate };
  const answer = await live.run(request(plan, ['logits']));
  const model = gf.createModel(config);
  const newIds = [...model.generateSync({ sourceIds: [3, 4, 5], targetIds: [1], maxTokens: 4 }).newIds];
  assert.deepEqual(answer.written, newIds);
  const targetIds = [1, ...newIds.slice(0, -1)];
  assert.deepEqual(answer.tensors.logits.data, model.forward({ sourceIds: [3, 4, 5], targetIds }).logits?.data);
  const given = { ...plan, generate: null, targetIds: [2, 2], key: 'given' };
  const { logits } = (await live.run(request(given, ['logits']))).tensors;
  assert.deepEqual(logits.data, model.forward({ sourceIds: [3, 4, 5], targetIds: [2, 2] }).logits?.data);
});

test('results: by plan, filled bit by bit, forgotten when no plan has them', () => {
  const [one, two] = ['a b', 'c'].map((text) => makePlan({ ...defaultState(), text }));
  const results = createResults();
  const facts = {
    variant: '',
    reason: '',
    version: '',
    parameters: 0,
    milliseconds: 0,
    memoryBytes: 0,
    finite: true,
    absent: [],
  };
  const tensor = { data: Float32Array.of(1), shape: [1] };
  /** @param {string[]} names */
  const answer = (names) => ({
    type: /** @type {const} */ ('result'),
    id: 1,
    key: '',
    tensors: Object.fromEntries(names.map((name) => [name, tensor])),
    derived: { '@x': 7 },
    hidden: {},
    facts,
    written: null,
  });
  assert.equal(results.of(one), null);
  assert.deepEqual(results.missing(one, []), [], 'no result: it must be asked for though nothing else is wanted');
  results.add(one, answer(['a']), undefined);
  assert.deepEqual(results.missing(one, ['a', 'b', '@x']), ['b']);
  results.add(one, answer(['b']), undefined);
  results.add(two, answer([]), undefined);
  assert.deepEqual([...(results.of(one)?.tensors.keys() ?? [])], ['a', 'b']);
  results.keep([one, null]);
  assert.equal(results.of(two), null);
  assert.equal(results.missing(one, ['a']), null);
});

test('the pinned state is its own plan, with the selection of the present one', () => {
  const state = defaultState();
  assert.equal(pinnedState(state), null);
  const pinned = pinOf(state);
  const later = { ...state, pinned, text: 'other', quantity: /** @type {const} */ ('scaled') };
  const second = pinnedState(later);
  assert(second);
  assert.equal(makePlan(second).key, makePlan(state).key);
  assert.notEqual(makePlan(later).key, makePlan(state).key);
  assert.equal(second.quantity, 'scaled');
  assert.notEqual(
    makePlan({ ...state, interventions: [{ head: 1 }] }).key,
    makePlan(state).key,
    'changes are part of the key',
  );
  assert.deepEqual(JSON.parse(JSON.stringify(later)), later);
});

test('the worker keeps one run, or two while two plans are shown', async () => {
  let made = 0;
  let freed = 0;
  let forwards = 0;
  const counting = {
    ...gf,
    variant: gf.variant,
    reason: gf.reason,
    version: gf.version,
    memoryBytes: 0,
    createModel(/** @type {any} */ config) {
      made++;
      const model = gf.createModel(config);
      const { free, forward } = model;
      model.free = () => (freed++, free.call(model));
      model.forward = (/** @type {any} */ input) => (forwards++, forward.call(model, input));
      return model;
    },
  };
  const live = createLiveModels(/** @type {any} */ (counting), cache);
  const state = defaultState();
  const name = attentionName('encoder', 0, 'weights');
  const [present, unscaled] = [true, false].map((scoreScale) =>
    makePlan({ ...state, settings: { ...state.settings, scoreScale } }),
  );
  /** @param {any} plan @param {1 | 2} count */
  const ask = async (plan, count) => (await live.run(request(plan, [name], count))).tensors[name].data;
  const first = await ask(present, 2);
  const other = await ask(unscaled, 2);
  assert.notDeepEqual(first, other);
  for (let i = 0; i < 3; i++) {
    assert.deepEqual(await ask(present, 2), first);
    assert.deepEqual(await ask(unscaled, 2), other);
  }
  assert.deepEqual([made, freed, forwards], [2, 0, 2], 'neither is computed again');
  await ask(makePlan({ ...state, text: 'other words' }), 2);
  assert.deepEqual([made, freed, forwards], [2, 0, 3], 'another text needs no other model');
  await ask(makePlan({ ...state, settings: { ...state.settings, heads: 2 } }), 2);
  assert.deepEqual([made, freed], [3, 1], 'the older one is freed');
  await ask(present, 1);
  assert.deepEqual([made, freed], [3, 2], 'alone, a plan keeps only its own');
  assert.deepEqual(await ask(present, 1), first);
});
