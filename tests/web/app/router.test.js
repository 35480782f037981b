// The address between a click on a link and its hashchange event.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createRouter } from '../../../web/app/router.js';
import { openingState } from '../../../web/app/schema.js';

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

test('a link that was clicked is followed though the state comes to rest before its event', () => {
  const state = { ...openingState('untrained', undefined), text: 'the cat' };
  let isShown = false;
  let place = '';
  const router = createRouter({
    state: () => state,
    loader: /** @type {any} */ ({
      begun: () => isShown,
      info: () => undefined,
      choose: () => (router.restored(state), (isShown = true)),
    }),
    show: (next) => (place = next),
    isPending: () => false,
  });
  globals.location.hash = '#/explore?model=untrained';
  router.begin();
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

test('the address waits for the result of what was typed, which may move the cell', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const state = { ...openingState('untrained', undefined), text: 'the cat' };
  let isPending = false;
  const router = createRouter({
    state: () => state,
    loader: /** @type {any} */ ({ begun: () => true, info: () => undefined, choose: () => router.restored(state) }),
    show() {},
    isPending: () => isPending,
  });
  globals.location.hash = '#/explore?model=untrained';
  router.begin();
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
