// The registry of panels, the pictures by plan, and the worker's side of both.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import { load, readSafetensors } from 'glassformer';
import { inputs } from '../../../web/explore/inputs.js';
import { panels } from '../../../web/explore/index.js';
import { createPictures } from '../../../web/engine/results.js';
import { attentionKinds, attentionName, makePlan } from '../../../web/engine/plan.js';
import { createRuns } from '../../../web/engine/live-models.js';
import { readLines } from '../../../web/engine/model-cache.js';
import { clampSelection, defaultState, pinOf, pinnedState, trainedState } from '../../../web/app/schema.js';

/** @param {string} name */
const file = (name) => readFileSync(new URL(`../../../web/${name}`, import.meta.url));

/** @type {Awaited<ReturnType<typeof load>>} */
let gf;
before(async () => {
  gf = await load();
});

test('each panel has a name of its own, a station of the model, and an element', () => {
  const page = file('index.html').toString();
  const names = [...panels, ...inputs].map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  for (const name of names) assert.equal(page.split(`id="${name}"`).length, 2, `#${name} in index.html, once`);
  for (const { name, part } of panels)
    assert(['input', 'embedding', 'positions', 'attention', 'ffn', 'stream', 'output', 'run'].includes(part), name);
});

/**
 * What the page asks the worker for a plan, but only these names.
 * @param {any} plan
 * @param {string[]} names
 * @param {1 | 2} runs
 */
function request({ key, config, ids, targetIds, changes, model, generate, settings }, names, runs = 1) {
  const masks = Object.fromEntries(
    attentionKinds(settings).map(({ kind }) => [kind, attentionName(kind, 0, 'masked')]),
  );
  return { id: 1, key, config, ids, targetIds, changes, names, masks, model, generate, runs };
}

test('whatever the panels want of a model, the worker has', () => {
  for (const name of /** @type {const} */ (['creek', 'translate', 'continue'])) {
    const known = { ...JSON.parse(file(`models/${name}.json`).toString()), bytes: 0 };
    const { tensors } = readSafetensors(file(`models/${name}.safetensors`));
    const { sentences, targets } = JSON.parse(file(`models/${name}.corpus.json`).toString());
    const corpus = {
      ids: readLines(sentences, known.vocabulary),
      targetIds: targets ? readLines(targets, known.targetVocabulary) : null,
    };
    const runs = createRuns(gf, { open: async () => known, weights: () => tensors, corpus: () => corpus });
    const state = trainedState(name, known.config);
    const plan = makePlan(state, known);
    const pictures = createPictures();
    for (const { name: panel, wants, present } of panels) {
      const names = wants(plan, { ...state, selection: clampSelection(state.selection, plan.settings) });
      pictures.take(plan, runs.answer(request(plan, names)), known);
      assert.equal(pictures.missing(plan, names), null);
      const picture = pictures.of(plan);
      assert(
        picture && present(picture, state, 'light', known, null) !== undefined,
        `${panel} of ${name} got what it wanted and shows it`,
      );
    }
  }
});

test('a name with @ is made by the lab, from the run', () => {
  const runs = createRuns(gf, { open: async () => ({}), weights: () => null, corpus: () => null });
  const plan = makePlan(defaultState());
  const headed = { ...plan, config: { ...plan.config, head: 'tied' } };
  const { lab, tensors } = runs.answer(request(headed, ['@probabilities', 'logits']));
  assert.deepEqual(lab['@probabilities'].data, gf.softmax({ x: tensors.logits }).data);
});

test('pictures: by plan, filled bit by bit, forgotten when no plan has them', () => {
  const [one, two] = ['a b', 'c'].map((text) => makePlan({ ...defaultState(), text }));
  const pictures = createPictures();
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
    id: 1,
    key: '',
    tensors: Object.fromEntries(names.map((name) => [name, tensor])),
    lab: { '@x': 7 },
    hidden: {},
    facts,
    written: null,
  });
  assert.equal(pictures.of(one), null);
  assert.deepEqual(pictures.missing(one, []), [], 'no picture: it must be asked for though nothing else is wanted');
  pictures.take(one, answer(['a']), undefined);
  assert.deepEqual(pictures.missing(one, ['a', 'b', '@x']), ['b']);
  pictures.take(one, answer(['b']), undefined);
  pictures.take(two, answer([]), undefined);
  assert.deepEqual([...(pictures.of(one)?.tensors.keys() ?? [])], ['a', 'b']);
  pictures.keep([one, null]);
  assert.equal(pictures.of(two), null);
  assert.equal(pictures.missing(one, ['a']), null);
});

test('the pinned state is a plan of its own, looked at as the present one is', () => {
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
    makePlan({ ...state, changes: [{ head: 1 }] }).key,
    makePlan(state).key,
    'changes are part of the key',
  );
  assert.deepEqual(JSON.parse(JSON.stringify(later)), later);
});

test('the worker keeps one run, or two while two plans are shown', () => {
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
  const runs = createRuns(/** @type {any} */ (counting), {
    open: async () => ({}),
    weights: () => null,
    corpus: () => null,
  });
  const state = defaultState();
  const name = attentionName('encoder', 0, 'weights');
  const [present, unscaled] = [true, false].map((scoreScale) =>
    makePlan({ ...state, settings: { ...state.settings, scoreScale } }),
  );
  /** @param {any} plan @param {1 | 2} count */
  const ask = (plan, count) => runs.answer(request(plan, [name], count)).tensors[name].data;
  const first = ask(present, 2);
  const other = ask(unscaled, 2);
  assert.notDeepEqual(first, other);
  for (let i = 0; i < 3; i++) {
    assert.deepEqual(ask(present, 2), first);
    assert.deepEqual(ask(unscaled, 2), other);
  }
  assert.deepEqual([made, freed, forwards], [2, 0, 2], 'neither is computed again');
  ask(makePlan({ ...state, text: 'other words' }), 2);
  assert.deepEqual([made, freed, forwards], [2, 0, 3], 'another text needs no other model');
  ask(makePlan({ ...state, settings: { ...state.settings, heads: 2 } }), 2);
  assert.deepEqual([made, freed], [3, 1], 'the older one makes room');
  ask(present, 1);
  assert.deepEqual([made, freed], [3, 2], 'alone, a plan keeps only its own');
  assert.deepEqual(ask(present, 1), first);
});
