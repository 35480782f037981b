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
 * @param {{parameters?: number, onResult?: (page: any) => void}} [options]
 */
function begun({ parameters = 1, onResult } = {}) {
  /** @type {any} */
  const page = { state: { ...defaultState(), model: 'untrained' }, names: NAMES, requests: [], shown: 0 };
  const session = createSession({
    state: () => page.state,
    modelInfo: () => undefined,
    required: () => page.names,
    isReady: () => true,
    send: (request) => void page.requests.push(request),
    onResult() {
      page.shown++;
      session.keepShown();
      onResult?.(page);
    },
    onSlow() {},
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
        names.filter((/** @type {string} */ name) => name.startsWith('@') === isDerived).map((name) => [name, {}]),
      );
    const facts = { parameters, part: null };
    const answer = { type: 'result', id, key, tensors: split(false), derived: split(true), hidden: {}, facts };
    session.receive(/** @type {any} */ ({ ...answer, written: null }));
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
