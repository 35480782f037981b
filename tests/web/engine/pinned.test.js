// Two plans at once: what is pinned is computed and kept beside the present picture; what is refused is asked for once.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'glassformer';
import { defaultState } from '../../../web/app/schema.js';
import { createLiveModels } from '../../../web/engine/live-models.js';
import { createModelCache } from '../../../web/engine/model-cache.js';
import { createSession } from '../../../web/engine/session.js';
import { assertShown, compute } from '../in-node.js';

const gf = await load();
const nameOf = (/** @type {string} */ quantity) => `encoder.layers.0.self_attn.${quantity}`;

/** A page that asks for a quantity, with the worker's code in this thread. */
function begin() {
  const live = createLiveModels(/** @type {any} */ (gf), createModelCache());
  let state = { ...defaultState(), model: /** @type {const} */ ('untrained') };
  const asked = { count: 0, open: 0 };
  const session = createSession({
    state: () => state,
    modelInfo: () => undefined,
    required: () => [nameOf(state.quantity)],
    isReady: () => true,
    send: (/** @type {any} */ request) => void answer(request),
    onResult: () => session.keepShown(),
    onSlow() {},
  });
  /** @param {any} request */
  async function answer(request) {
    asked.count++;
    asked.open++;
    /** @type {any} */
    const response = await live.run(request).catch(({ code, parameter, message }) => {
      return { type: 'refused', id: request.id, error: { code, parameter, message } };
    });
    asked.open--;
    session.receive(structuredClone(response));
  }
  /** @param {any} tensors @param {number} row @param {number} key */
  const cell = ({ tensors }, row, key) => {
    const { data, shape } = tensors.get(nameOf(state.quantity));
    return data[row * shape.at(-1) + key];
  };
  return {
    session,
    asked,
    /** @param {Partial<typeof state>} patch */
    async set(patch) {
      state = { ...state, ...patch };
      session.update();
      do await new Promise((done) => setTimeout(done, 5));
      while (asked.open);
    },
    settings: (/** @type {object} */ patch) => ({ settings: { ...state.settings, ...patch } }),
    /** The state as it is pinned. @param {object} [patch] of its settings */
    pin({ ...patch } = {}) {
      const { model, text, targetText, settings, written, interventions } = state;
      return { pinned: { model, text, targetText, settings: { ...settings, ...patch }, written, interventions } };
    },
    present: () => cell(session.result(), 12, 1),
    pinned: () => cell(session.pinned(), 12, 1),
  };
}

const own = (/** @type {object} */ settings, quantity = 'weights') =>
  compute(gf, { finalNorm: false, ...settings }).at(nameOf(quantity), 0, 0, 12, 1);

test('a switch, a quantity, a text: both pictures have their own numbers', async () => {
  const page = begin();
  await page.set({});
  await page.set(page.pin());
  assertShown(page.pinned(), own({}), 'the present picture is the pinned one');
  await page.set(page.settings({ scoreScale: false }));
  for (const quantity of /** @type {const} */ (['weights', 'scores'])) {
    await page.set({ quantity });
    assertShown(page.present(), own({ scoreScale: false }, quantity));
    assertShown(page.pinned(), own({}, quantity), 'pinned');
  }
  await page.set({ quantity: 'weights', text: 'on it goes' });
  assert.deepEqual(page.session.result()?.plan.tokens.encoder?.words, ['on', 'it', 'goes']);
  assertShown(page.pinned(), own({}), 'the pinned text stays');
  await page.set({ pinned: null });
  assert.equal(page.session.pinned(), null);
});

test('a refused setting leaves both pictures, and asks no more', async () => {
  const page = begin();
  await page.set(page.pin());
  await page.set(page.settings({ scoreScale: false }));
  const { count } = page.asked;
  await page.set(page.settings({ heads: 5 }));
  assert.equal(page.session.error()?.parameter, 'heads');
  assertShown(page.present(), own({ scoreScale: false }));
  assertShown(page.pinned(), own({}));
  assert.equal(page.asked.count, count + 1);
  await page.set({});
  assert.equal(page.asked.count, count + 1, 'no request goes round in circles');
});

test('a pinned plan that is refused is asked for once', async () => {
  const page = begin();
  await page.set({});
  await page.set(page.pin({ heads: 5 }));
  await page.set({ text: 'on it goes' });
  const { count } = page.asked;
  await page.set({ text: 'on it went' });
  assert.equal(page.asked.count, count + 1);
  assert.equal(page.session.pinned(), null);
  assert.equal(page.session.error(), null);
});
