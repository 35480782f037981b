// What the page asks the worker for, and in which order.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultState } from '../../../web/app/schema.js';
import { PROBABILITIES } from '../../../web/engine/plan.js';
import { createSession } from '../../../web/engine/session.js';

const LATER = ['@stream', '@head-share/encoder.layers.0.self_attn/1/2', 'logits'];
const URGENT = ['encoder.layers.0.self_attn.weights', PROBABILITIES];
const NAMES = [LATER[0], URGENT[0], ...LATER.slice(1), URGENT[1]];

/** Answers each request, and returns what was asked for each text. @param {number} parameters */
function asked(parameters) {
  const state = { ...defaultState(), model: 'untrained' };
  /** @type {any[]} */
  const requests = [];
  let shown = 0;
  const session = createSession({
    state: () => state,
    modelInfo: () => undefined,
    required: () => NAMES,
    isReady: () => true,
    send: (request) => void requests.push(request),
    onResult() {
      shown++;
      session.keepShown();
    },
    onSlow() {},
  });
  const texts = ['a b c', 'a b d'].map((text) => {
    Object.assign(state, { text });
    const first = requests.length;
    session.update();
    for (let i = first; i < requests.length; i++) {
      const { id, key, names } = requests[i];
      const split = (/** @type {boolean} */ isDerived) =>
        Object.fromEntries(
          names.filter((/** @type {string} */ name) => name.startsWith('@') === isDerived).map((name) => [name, {}]),
        );
      const facts = { parameters, part: null };
      const answer = { type: 'result', id, key, tensors: split(false), derived: split(true), hidden: {}, facts };
      session.receive(/** @type {any} */ ({ ...answer, written: null }));
    }
    return requests.slice(first).map(({ names }) => names);
  });
  assert.equal(shown, requests.length);
  return texts;
}

test('of a small model everything is asked for at once', () => {
  assert.deepEqual(asked(2 ** 24 - 1), [[NAMES], [NAMES]]);
});

test('the map of a large model does not wait for what takes long beside the pass; its first one has everything', () => {
  assert.deepEqual(asked(2 ** 24), [[NAMES], [URGENT, LATER]]);
});
