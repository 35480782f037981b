// The page's requests to the worker, and their order.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { defaultState } from '../../../web/app/schema.js';
import { PROBABILITIES } from '../../../web/engine/plan.js';
import { createSession } from '../../../web/engine/session.js';

const LATER = ['@stream', '@head-share/encoder.layers.0.self_attn/1/2', 'logits'];
const URGENT = ['encoder.layers.0.self_attn.weights', PROBABILITIES];
const NAMES = [LATER[0], URGENT[0], ...LATER.slice(1), URGENT[1]];

/**
 * A session of one text, whose requests wait to be answered.
 * @param {{parameters?: number, onResult?: (page: any) => void, infos?: Record<string, any>}} [options]
 */
function begun({ parameters = 1, onResult, infos = {} } = {}) {
  /** @type {any} */
  const page = { state: { ...defaultState(), model: 'untrained' }, names: NAMES, requests: [], shown: 0, slow: 0 };
  Object.assign(page, { isReady: true, queries: [], part: null, written: null });
  const session = createSession({
    state: () => page.state,
    modelInfo: (model) => infos[model],
    required: (query) => (page.queries.push(query), page.names),
    isReady: () => page.isReady,
    send: (request) => void page.requests.push(request),
    onResult() {
      page.shown++;
      session.keepShown();
      onResult?.(page);
    },
    onSlow: () => page.slow++,
  });
  /** @param {object} patch of the state */
  page.set = (patch) => {
    Object.assign(page.state, patch);
    session.update();
  };
  /** @param {any} request */
  page.answer = ({ id, key, names }) => {
    const split = (/** @type {boolean} */ isDerived) =>
      Object.fromEntries(
        names
          .filter((/** @type {string} */ name) => name.startsWith('@') === isDerived)
          .map((name) => [name, { data: new Float32Array(1) }]),
      );
    const facts = { parameters, part: page.part };
    const answer = { type: 'result', id, key, tensors: split(false), derived: split(true), hidden: {}, facts };
    session.receive(/** @type {any} */ ({ ...answer, written: page.written }));
  };
  /** @param {any} request */
  page.refuse = ({ id }) =>
    session.receive(/** @type {any} */ ({ type: 'refused', id, error: { code: 'invalid', message: 'no' } }));
  return Object.assign(page, { session });
}

/** Answers each request, and returns what was asked for each text. @param {number} parameters */
function asked(parameters) {
  const page = begun({ parameters });
  const texts = ['a b c', 'a b d'].map((text) => {
    const first = page.requests.length;
    page.set({ text });
    for (let i = first; i < page.requests.length; i++) page.answer(page.requests[i]);
    return page.requests.slice(first).map((/** @type {any} */ { names }) => names);
  });
  assert.equal(page.shown, page.requests.length);
  return texts;
}

test('of a small model everything is asked for at once', () => {
  assert.deepEqual(asked(2 ** 24 - 1), [[NAMES], [NAMES]]);
});

test('the map of a large model does not wait for what takes long beside the pass; its first one has everything', () => {
  assert.deepEqual(asked(2 ** 24), [[NAMES], [URGENT, LATER]]);
});

test('what is on its way is not asked for again', () => {
  const page = begun();
  page.set({ text: 'a b c' });
  page.set({ cursor: { ...page.state.cursor, row: 1 } });
  page.answer(page.requests[0]);
  assert.deepEqual([page.requests.length, page.shown], [1, 1]);
  page.names = [...NAMES, '@late'];
  page.set({});
  page.set({});
  page.answer(page.requests[1]);
  assert.deepEqual(
    page.requests.map((/** @type {any} */ { names }) => names),
    [NAMES, ['@late']],
  );
  assert.equal(page.shown, 2);
});

test('what the page sets because of an answer is asked for once', () => {
  const page = begun({ onResult: (own) => own.shown === 1 && own.set({ text: 'a b d' }) });
  page.set({ text: 'a b c' });
  for (let i = 0; i < page.requests.length; i++) page.answer(page.requests[i]);
  assert.deepEqual([page.requests.length, page.shown], [2, 2]);
});

test('what was refused of a text that is no longer there is no error', () => {
  const page = begun();
  page.set({ text: 'a b c' });
  page.answer(page.requests[0]);
  page.set({ text: 'a b d' });
  page.set({ text: 'a b c' });
  page.refuse(page.requests[1]);
  assert.deepEqual([page.session.error(), page.session.isBusy(), page.shown], [null, false, 2]);
});

test('whatever is set and answered: an answer is shown, or a request follows; at rest nothing lacks', () => {
  const steps = fc.array(
    fc.oneof(
      { weight: 2, arbitrary: fc.constantFrom('answer', 'refuse') },
      { weight: 3, arbitrary: fc.record({ text: fc.constantFrom('a b', 'a c', 'b c d') }) },
      { weight: 1, arbitrary: fc.constantFrom(NAMES.slice(0, 2), NAMES, [...NAMES, '@late']) },
    ),
    { maxLength: 30 },
  );
  fc.assert(
    fc.property(steps, fc.constantFrom(1, 2 ** 24), (all, parameters) => {
      const page = begun({ parameters });
      /** @param {any} how */
      function end(how) {
        const before = [page.requests.length, page.shown];
        how(page.requests.at(-1));
        assert.notDeepEqual([page.requests.length, page.shown], before);
      }
      page.set({ text: 'a b' });
      for (const step of all) {
        if (step === 'answer' || step === 'refuse') page.session.isBusy() && end(page[step]);
        else {
          if (Array.isArray(step)) page.names = step;
          page.set(Array.isArray(step) ? {} : step);
        }
      }
      page.set({});
      while (page.session.isBusy()) end(page.answer);
      if (page.session.error()) return;
      const { tensors, derived } = page.session.presentResult();
      for (const name of page.names) assert(tensors.has(name) || derived.has(name), name);
    }),
  );
});

test('only whole names wait for the map of a large model, and all are asked for where nothing else is', () => {
  const page = begun({ parameters: 2 ** 24 });
  page.set({ text: 'a b' });
  page.answer(page.requests[0]);
  page.names = ['logits', 'logits.x', 'x.logits', '@stream/x', 'x@stream', 'x@head-share/1'];
  page.set({ text: 'a c' });
  assert.deepEqual(page.requests[1].names, page.names.slice(1));
  page.answer(page.requests[1]);
  page.answer(page.requests[2]);
  page.names = LATER;
  page.set({ text: 'a d' });
  assert.deepEqual(page.requests[3].names, LATER);
});

test('a request has the plan, the masks that there are, and the selection as far as it exists', () => {
  const page = begun();
  const { settings, selection, cursor } = page.state;
  const at = { selection: { ...selection, layer: 9, head: 9 }, cursor: { ...cursor, row: 9 } };
  page.isReady = false;
  page.set({ text: 'a b c', ...at });
  page.isReady = true;
  page.set({ text: ' ' });
  assert.deepEqual([page.requests, page.session.isBusy()], [[], false]);
  page.set({ text: 'a b c' });
  const { plan } = page.session;
  const { key, config, ids, targetIds, interventions, model, generate } = plan();
  const maskNames = { encoder: 'encoder.layers.0.self_attn.masked' };
  assert.deepEqual(page.requests, [{
    ...{ type: 'run', id: 1, key, config, ids, targetIds, interventions, model, generate },
    ...{ names: NAMES, maskNames, plans: 1, focus: { layer: 1, row: 2 } },
  }]); // prettier-ignore
  const [query] = page.queries;
  assert.deepEqual(
    [query.plan, query.state],
    [plan(), { ...page.state, selection: { ...selection, layer: 1, head: 3 } }],
  );
  assert.deepEqual(page.session.selection(), query.state.selection);
  page.answer(page.requests[0]);
  const both = { ...settings, kind: 'encoder-decoder' };
  page.set({ targetText: 'x y', settings: both });
  assert.deepEqual(
    [Object.keys(page.requests[1].maskNames), page.requests[1].focus.row],
    [['encoder', 'decoder', 'cross'], 1],
  );
  page.answer(page.requests[1]);
  page.set({ settings: { ...settings, heads: 0 }, cursor: { ...cursor, row: 1 } });
  assert.deepEqual([page.requests[2].maskNames, page.requests[2].focus.row], [{}, 1]);
  page.session.save('onnx');
  const { config: saved } = plan();
  assert.deepEqual(page.requests[3], { type: 'save', format: 'onnx', config: saved, model: null, interventions: [] });
});

test('until a result has come the last one is shown; of the same numbers it is the present one', () => {
  const page = begun();
  const { session } = page;
  assert.deepEqual([session.result(), session.presentResult(), session.isPending()], [null, null, true]);
  page.set({ text: 'a b' });
  assert.deepEqual([session.isBusy(), session.isPending()], [true, true]);
  page.answer(page.requests[0]);
  const first = session.plan();
  assert.deepEqual([session.isBusy(), session.isPending(), session.result().plan], [false, false, first]);
  page.set({ text: ' a  b' });
  assert.notEqual(session.plan(), first);
  assert.equal(session.result().plan, session.plan());
  assert.equal(session.result().tensors, session.presentResult().tensors);
  assert.equal(page.requests.length, 1);
  page.set({ text: 'a c' });
  assert.deepEqual([session.isPending(), session.presentResult()], [true, null]);
  assert.equal(session.result().plan.key, first.key);
  page.answer(page.requests[1]);
  page.set({ text: 'a b' });
  assert.equal(page.requests.length, 3, 'one that is shown no more is forgotten');
  session.fail({ code: 'x', parameter: '', message: 'no' });
  assert.deepEqual([session.error().message, session.isPending()], ['no', false]);
  session.reset();
  assert.deepEqual([session.error(), session.result(), session.isPending()], [null, null, true]);
});

test('a refused state has its error until it is another one; what was shown stays, and nothing is asked again', () => {
  const page = begun();
  const { session } = page;
  page.set({ text: 'a b' });
  page.answer(page.requests[0]);
  page.set({ text: 'a c' });
  page.refuse(page.requests[1]);
  assert.deepEqual([session.error().message, session.isPending(), page.requests.length], ['no', false, 2]);
  assert.deepEqual(session.result().plan.ids.length, 2);
  page.names = [...NAMES, '@late'];
  page.set({});
  assert.deepEqual(page.requests[2].names, ['@late'], 'of what is shown');
  page.answer(page.requests[2]);
  assert.equal(session.error().message, 'no');
  page.set({ text: 'a b' });
  assert.equal(session.error(), null);
  page.set({ text: 'a c' });
  assert.equal(page.requests.length, 4, 'it is asked for once more after another');
  page.answer(page.requests[3]);
  assert.equal(session.error(), null);
});

test('the pinned state is computed beside the present one, if its model is here, and asked for once if refused', () => {
  const pin = (/** @type {any} */ page, /** @type {object} */ patch) => {
    const { model, text, targetText, settings, written, interventions } = page.state;
    return { pinned: { model, text, targetText, settings, written, interventions, ...patch } };
  };
  const info = { name: 'own', config: { kind: 'encoder' }, vocabulary: ['a', 'b', 'c'] };
  for (const [model, infos, plans] of /** @type {[string, Record<string, any>, number][]} */ ([
    ['untrained', {}, 2],
    ['own', { own: info }, 2],
    ['own', {}, 1],
  ])) {
    const page = begun({ infos });
    page.set({ text: 'a b', ...pin(page, { model, text: 'a c' }) });
    page.answer(page.requests[0]);
    assert.deepEqual([page.requests.length, page.requests[0].plans], [plans, plans]);
    assert.equal(page.session.pinned(), null);
    if (plans === 1) continue;
    assert.equal(page.requests[1].model, model === 'own' ? 'own' : null);
    assert.equal(page.queries.at(-1).state.text, 'a c');
    page.answer(page.requests[1]);
    assert.equal(page.session.pinned().plan.key, page.requests[1].key);
    page.set({ text: 'b c' });
    page.refuse(page.requests[2]);
    assert.equal(page.session.pinned().plan.key, page.requests[1].key);
  }
  const page = begun();
  page.set({ text: 'a b', ...pin(page, { text: 'a c' }) });
  page.answer(page.requests[0]);
  page.refuse(page.requests[1]);
  page.set({ text: 'a d' });
  assert.deepEqual([page.requests[2].plans, page.session.error()], [1, null]);
  const empty = begun();
  empty.set({ text: 'a b', ...pin(empty, { text: ' ' }) });
  empty.answer(empty.requests[0]);
  assert.deepEqual([empty.requests.length, empty.requests[0].plans], [1, 1]);
});

test('a translation is shown with the words that the model wrote; of a long text one layer is asked for', () => {
  const config = { kind: 'encoder-decoder', layers: 2 };
  const own = { name: 'own', config, vocabulary: ['a', 'b'], targetVocabulary: ['[BOS]', 'x', '[EOS]'] };
  const page = begun({ infos: { own } });
  const settings = { ...page.state.settings, kind: 'encoder-decoder' };
  page.written = [1, 2];
  page.set({ model: 'own', text: 'a b', settings });
  page.answer(page.requests[0]);
  page.set({ text: 'a  b' });
  assert.deepEqual(page.session.result().plan.tokens.decoder.words, ['[BOS]', 'x']);

  const long = begun();
  long.part = 0;
  long.set({ text: 'a b' });
  long.answer(long.requests[0]);
  assert.deepEqual(long.requests[1].names, ['@answer-row/1'], 'of the last row that the text has');
});

test('the page hears of an answer that takes 0.4 s', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const page = begun();
  page.set({ text: 'a b' });
  t.mock.timers.tick(399);
  assert.deepEqual([page.slow, page.session.isSlow()], [0, false]);
  t.mock.timers.tick(1);
  assert.deepEqual([page.slow, page.session.isSlow()], [1, true]);
  page.answer(page.requests[0]);
  assert.equal(page.session.isSlow(), false);
  page.set({ text: 'a c' });
  t.mock.timers.tick(300);
  page.answer(page.requests[1]);
  page.set({ text: 'a d' });
  t.mock.timers.tick(300);
  assert.equal(page.slow, 1);
  t.mock.timers.tick(100);
  assert.equal(page.slow, 2);
});
