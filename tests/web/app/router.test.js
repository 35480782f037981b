// The address between a click on a link and its hashchange event, and while a link's model is awaited.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { placeOf } from '../../../web/app/places.js';
import { createRouter } from '../../../web/app/router.js';
import { openingState } from '../../../web/app/schema.js';
import { createModelLoader } from '../../../web/engine/model-loader.js';
import { createLink } from '../../../web/kit/link.js';
import { createPlaces } from '../../../web/kit/place.js';
import { setModel } from '../../../web/models/catalogue.js';
import { readModel } from '../../../src/models/measure.mjs';

const globals = /** @type {Record<string, any>} */ (globalThis);
const NAMES = ['location', 'history', 'addEventListener'];
/** @type {Record<string, PropertyDescriptor | undefined>} */
const own = {};
/** @type {() => void} */
let follow;

before(() => {
  const location = { hash: '', href: 'https://example.org/' };
  const write = (/** @type {any} */ _, /** @type {any} */ __, /** @type {string} */ hash) => (location.hash = hash);
  const stubs = {
    location,
    history: { pushState: write, replaceState: write },
    addEventListener: (/** @type {string} */ _, /** @type {() => void} */ listener) => (follow = listener),
  };
  for (const name of NAMES) own[name] = Object.getOwnPropertyDescriptor(globals, name);
  for (const [name, value] of Object.entries(stubs))
    Object.defineProperty(globals, name, { value, configurable: true, writable: true });
});

after(() => {
  for (const name of NAMES) {
    if (own[name]) Object.defineProperty(globals, name, /** @type {PropertyDescriptor} */ (own[name]));
    else delete globals[name];
  }
});

/**
 * Begins a page whose only open place is Explore.
 * @param {import('../../../web/kit/link.js').Link} link @param {import('../../../web/kit/place.js').Life} explore
 * @param {(place: string) => void} [show]
 */
function begin(link, explore, show = () => {}) {
  const places = createPlaces({ explore }, { show, failed: assert.fail });
  link.begin((hash) => places.go(placeOf(hash), hash));
}

test('a link that was clicked is followed though the state comes to rest before its event', () => {
  const state = { ...openingState('untrained', undefined), text: 'the cat' };
  let isShown = false;
  let place = '';
  const link = createLink(placeOf);
  const router = createRouter({
    state: () => state,
    link,
    loader: /** @type {any} */ ({
      begun: () => isShown,
      info: () => undefined,
      choose: () => (router.restored(state), (isShown = true)),
    }),
    isPending: () => false,
  });
  globals.location.hash = '#/explore?model=untrained';
  begin(link, router, (next) => (place = next));
  router.write();
  assert.match(globals.location.hash, /^#\/explore\?model=untrained&text=the\+cat/);
  state.text = 'the dog';
  router.write();
  assert.match(globals.location.hash, /the\+dog/);

  globals.location.hash = '#/train';
  state.text = 'the bird';
  router.write();
  assert.equal(globals.location.hash, '#/train');
  follow();
  assert.equal(place, 'train');
  globals.location.hash = '#/explore';
  follow();
  assert.equal(place, 'explore');
  assert.match(globals.location.hash, /the\+bird/, 'what was shown is there again');
});

/**
 * A page whose models come when the test says so.
 * @param {(name: string) => Promise<void>} want
 */
function pageWith(want) {
  let state = openingState('untrained', undefined);
  const link = createLink(placeOf);
  const loader = createModelLoader({
    state: () => state,
    fetch() {},
    openingState,
    begin(next) {
      state = router.restored(next);
      router.write();
    },
    fail: assert.fail,
    draw() {},
  });
  const router = createRouter({ state: () => state, loader, link, isPending: () => false, want });
  /** @param {string} hash @param {() => void} action */
  async function go(hash, action) {
    globals.location.hash = hash;
    action();
    await new Promise((resolve) => setImmediate(resolve)); // until it is known whether the model comes
  }
  const { config, vocabulary } = readModel('creek');
  const info = /** @type {any} */ ({ config, vocabulary, outputVocabulary: vocabulary });
  return {
    router,
    loader,
    state: () => state,
    come: (/** @type {string} */ model) => loader.receive({ type: 'opened', model, info: { ...info, name: model } }),
    type(/** @type {string} */ text) {
      state = { ...state, text };
      router.write();
    },
    begin: (/** @type {string} */ hash) => go(hash, () => begin(link, router)),
    go: (/** @type {string} */ hash) => go(hash, follow),
  };
}
const TRAINED = 'train?task=reverse&step=10';
const LINK = `#/explore?${new URLSearchParams({ model: TRAINED, text: '3 1 2' })}`;
/** @type {string[]} what the one who gets the model is heard */
let heard = [];
async function wanted(/** @type {string} */ name) {
  const onWait = (/** @type {boolean} */ waits) => void heard.push(waits ? 'waits' : 'left');
  const entry = /** @type {any} */ ({ input: 'text', text: '', examples: {} });
  setModel(name, { label: { label: 'Trained again', does: '', wanted: true, onWait }, entry });
}
beforeEach(() => {
  heard = [];
  setModel(TRAINED, null);
});

test('a link whose model cannot be fetched opens the first one, or what was shown; the address goes on', async () => {
  const page = pageWith(() => Promise.reject(new Error('the chunk is out of reach')));
  await page.begin(LINK);
  assert.equal(page.loader.chosen(), 'creek');
  page.come('creek');
  assert.match(page.router.status(), /^This link’s model could not be opened/);
  assert.equal(globals.location.hash, '#/explore?model=creek', 'nothing of the rest is meant for another model');
  page.type('the dog');
  assert.equal(globals.location.hash, '#/explore?model=creek&text=the+dog');

  await page.go(LINK);
  assert.equal(page.loader.chosen(), 'creek');
  assert.match(page.router.status(), /^This link’s model could not be opened/);
  assert.equal(page.state().text, 'the dog', 'as it was left');
  page.type('the bird');
  assert.match(globals.location.hash, /the\+bird/);
});

test('what is awaited stays so in another place, and can be given up there; the address goes on', async () => {
  const page = pageWith(wanted);
  await page.begin('#/explore?model=creek&text=the+cat');
  page.come('creek');
  for (const isBack of [false, true]) {
    await page.go(LINK);
    await page.go('#/train');
    if (isBack) await page.go('#/explore');
    assert.equal(page.loader.chosen(), TRAINED);
    assert.deepEqual(heard, ['waits']);
    setModel(TRAINED, null);
    page.router.giveUp();
    assert.equal(page.loader.chosen(), 'creek');
    if (!isBack) assert.equal(globals.location.hash, '#/train');
    await page.go('#/explore');
    assert.equal(globals.location.hash, '#/explore?model=creek&text=the+cat');
    page.type('the dog');
    assert.match(globals.location.hash, /the\+dog/);
    page.type('the cat');
    heard = [];
  }
  await page.go(LINK);
  await page.go('#/train');
  page.come(TRAINED);
  await page.go('#/explore');
  assert.equal(globals.location.hash, LINK);
  page.loader.forget(TRAINED);
  page.loader.choose('creek');
  await page.go(LINK);
  assert.equal(page.loader.chosen(), TRAINED);
  assert.equal(page.state().model, 'creek', 'a model whose file is gone is awaited again');
});

test('another model that is chosen meanwhile gets nothing of the link', async () => {
  const page = pageWith(wanted);
  await page.begin(LINK);
  page.loader.choose('creek');
  assert.deepEqual(heard, ['waits', 'left']);
  setModel(TRAINED, null);
  page.come('creek');
  assert.equal(globals.location.hash, '#/explore?model=creek');
  assert.equal(page.router.status(), '');
});

test('the address waits for the result of what was typed, which may move the cell', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const state = { ...openingState('untrained', undefined), text: 'the cat' };
  let isPending = false;
  const link = createLink(placeOf);
  const router = createRouter({
    state: () => state,
    link,
    loader: /** @type {any} */ ({ begun: () => true, info: () => undefined, choose: () => router.restored(state) }),
    isPending: () => isPending,
  });
  globals.location.hash = '#/explore?model=untrained';
  begin(link, router);
  router.write();
  const before = globals.location.hash;
  isPending = true;
  state.text = 'a dog';
  router.writeSoon();
  context.mock.timers.tick(2000);
  assert.equal(globals.location.hash, before);
  isPending = false;
  context.mock.timers.tick(400);
  assert.match(globals.location.hash, /a\+dog/);
});
