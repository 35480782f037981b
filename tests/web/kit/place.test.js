// The address and its places: what is followed and written, and when; what is opened, left and tried again.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { JSDOM } from 'jsdom';
import { createLink, onAddress, unreadNotice } from '../../../web/kit/link.js';
import { createPlaces } from '../../../web/kit/place.js';

const { window } = new JSDOM('', { url: 'https://example.org/' });
for (const name of ['location', 'history', 'addEventListener', 'removeEventListener', 'dispatchEvent', 'Event'])
  Object.defineProperty(globalThis, name, { value: /** @type {any} */ (window)[name], configurable: true });

const placeOf = (/** @type {string} */ hash) => /\w*$/.exec(hash.split('?')[0])?.[0] ?? '';
/** The reader changes the address; `isHeard`: its event has come. @param {string} hash */
function go(hash, isHeard = true) {
  history.pushState(null, '', hash);
  if (isHeard) dispatchEvent(new Event('hashchange'));
}
const settled = () => new Promise(setImmediate);
/** @type {(string | boolean)[]} */
let seen = [];
beforeEach(() => {
  seen = [];
  history.replaceState(null, '', '#/a');
});

test('the address is followed now and whenever it changes, until the end; others hear of it after', () => {
  const end = onAddress(() => void seen.push('heard'));
  const stop = createLink(placeOf).begin((hash) => seen.push(hash));
  go('#/b');
  assert.deepEqual(seen, ['#/a', 'heard', '#/b', 'heard']);
  end();
  const endLate = onAddress(() => void (seen.push('first'), ends.push(onAddress(() => void seen.push('late')))));
  const ends = [endLate];
  seen = [];
  go('#/a');
  assert.deepEqual(seen, ['#/a', 'first'], 'one that is added meanwhile hears of the next');
  for (const each of ends) each();
  stop();
  go('#/b');
  assert.deepEqual(seen, ['#/a', 'first']);
});

test('a place writes its address while it is shown, as the same entry of the history or as the next', () => {
  const link = createLink(placeOf);
  let [hash, isEntry] = /** @type {[string | null, boolean]} */ (['#/a?x=1', false]);
  const plain = link.writer({ place: 'a', address: () => hash });
  const { write, enter } = link.writer({ place: 'a', address: () => hash, isEntry: () => isEntry, mark: 'own' });
  const stop = link.begin(() => {});
  const entries = () => [location.hash, history.state, history.length - before];
  const before = history.length;
  plain.write();
  assert.deepEqual(entries(), ['#/a?x=1', null, 0]);
  plain.write();
  assert.deepEqual(entries(), ['#/a?x=1', null, 0]);
  write();
  assert.deepEqual(entries(), ['#/a?x=1', 'own', 0], 'the same address gets the mark');
  isEntry = true;
  write();
  assert.deepEqual(entries(), ['#/a?x=1', 'own', 0], 'and then nothing is written');
  hash = '#/a?x=2';
  write();
  assert.deepEqual(entries(), ['#/a?x=2', 'own', 1]);
  enter('#/a?x=3');
  assert.deepEqual(entries(), ['#/a?x=3', 'own', 2]);
  isEntry = false;
  write();
  assert.deepEqual(entries(), ['#/a?x=2', 'own', 2], 'what was written is known');
  hash = null;
  write();
  assert.deepEqual(entries(), ['#/a?x=2', 'own', 2]);
  hash = '#/a?x=4';
  go('#/a?x=5', false);
  write();
  assert.equal(location.hash, '#/a?x=5', 'a link that was clicked waits for its event');
  go('#/b');
  write();
  assert.equal(location.hash, '#/b', 'another place is shown');
  stop();
});

test('what changes soon again is written once it has come to rest', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const pass = (/** @type {number} */ tenths) => {
    for (; tenths; tenths--) t.mock.timers.tick(100);
  };
  let [x, asked, isPending] = [1, 0, false];
  const link = createLink(placeOf);
  const stop = link.begin(() => {});
  const address = () => (asked++, `#/a?x=${x}`);
  const { write, writeSoon } = link.writer({ place: 'a', address, isPending: () => isPending });
  writeSoon();
  pass(3);
  x = 2;
  writeSoon();
  assert.equal(location.hash, '#/a');
  t.mock.timers.tick(99);
  assert.equal(asked, 0);
  t.mock.timers.tick(1);
  assert.deepEqual([location.hash, asked], ['#/a?x=2', 1]);
  pass(10);
  assert.equal(asked, 1);
  isPending = true;
  writeSoon();
  pass(10);
  assert.equal(asked, 1);
  isPending = false;
  pass(2);
  assert.equal(asked, 2);
  writeSoon();
  write();
  pass(10);
  assert.equal(asked, 3, 'what is written at once is not written again');
  writeSoon();
  pass(4);
  assert.equal(asked, 4);
  stop();
});

test('the parts of a link that cannot be read are named, three of them, and none at length', () => {
  const rest = ') and have their default values.';
  for (const [names, said] of /** @type {[string[], string][]} */ ([
    [[], ''],
    [['x'], `Parts of this link could not be read (“x”${rest}`],
    [['x', 'y', 'z'], `Parts of this link could not be read (“x”, “y”, “z”${rest}`],
    [['x', 'y', 'z', 'w'], `Parts of this link could not be read (“x”, “y”, “z” and more${rest}`],
    [['x'.repeat(41)], `Parts of this link could not be read (“${'x'.repeat(40)}”${rest}`],
  ]))
    assert.equal(unreadNotice(names), said);
});

test('a place is opened once, followed while it is shown, left for another, opened again where it failed', async () => {
  const life = (/** @type {string} */ name) => ({
    follow: (/** @type {string} */ hash, /** @type {boolean} */ isBack) => seen.push(`${name} ${hash}`, isBack),
    leave: () => void seen.push(`${name} left`),
  });
  /** @type {PromiseWithResolvers<any>[]} */
  const openings = [];
  const open = () => {
    /** @type {any} */
    const opening = {};
    opening.promise = new Promise((resolve, reject) => Object.assign(opening, { resolve, reject }));
    return (openings.push(opening), opening.promise);
  };
  /** @type {(() => void)[]} */
  const again = [];
  const places = createPlaces(
    { a: life('a'), b: open, c: { follow: life('c').follow } },
    {
      show: (name) => void seen.push(`show ${name}`),
      failed: (name, retry) => void (seen.push(`${name} failed`), again.push(retry)),
    },
  );
  const after = async (/** @type {() => unknown} */ action) => {
    seen = [];
    await action();
    await settled();
    return seen;
  };
  const to = (/** @type {string} */ hash) =>
    after(() => {
      history.replaceState(null, '', hash);
      places.go(placeOf(hash), hash);
    });
  assert.deepEqual(await to('#/a'), ['show a', 'a #/a', true]);
  assert.deepEqual(await to('#/a?x'), ['show a', 'a #/a?x', false]);
  assert.deepEqual(await to('#/nowhere'), ['a left', 'show nowhere']);
  assert.deepEqual(await to('#/b'), ['show b']);
  assert.deepEqual(await to('#/b?x'), ['show b']);
  assert.equal(openings.length, 1);
  assert.deepEqual(await after(() => openings[0].reject(new Error('offline'))), ['b failed']);
  assert.deepEqual(await after(() => void again[0]()), ['show b']);
  await to('#/c');
  assert.deepEqual(await after(() => openings[1].resolve(life('b'))), [], 'it is not shown by then');
  assert.deepEqual(await to('#/b?y'), ['show b', 'b #/b?y', true]);
  assert.deepEqual(await to('#/c'), ['b left', 'show c', 'c #/c', true]);
  assert.equal(openings.length, 2);

  const other = createPlaces({ b: open }, { show() {}, failed: assert.fail });
  other.go('b', '#/b');
  history.replaceState(null, '', '#/b?z');
  assert.deepEqual(await after(() => openings[2].resolve(life('b'))), ['b #/b?z', true], 'the address of now');
});
