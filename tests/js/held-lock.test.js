// A worker's lock: its owner learns of the worker's end from it, so it has to hold it before anybody relies on it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serve } from '../../src/js/worker/serve.js';

/**
 * Serves a method here, with locks that are granted when `grant` is called.
 * @param {(granted: () => unknown) => Promise<unknown>} request
 */
function served(request) {
  /** @type {any[]} */
  const posted = [];
  const locks = { request: (/** @type {string} */ _, /** @type {() => unknown} */ granted) => request(granted) };
  Object.defineProperty(globalThis, 'navigator', { value: { locks }, configurable: true });
  Object.assign(globalThis, { postMessage: (/** @type {any} */ message) => posted.push(message) });
  serve({ add: (a, b) => a + b, fail: () => assert.fail('no') });
  const post = (/** @type {any} */ data) => Reflect.get(globalThis, 'onmessage')({ data });
  return { posted, post };
}
const turn = () => new Promise((resolve) => setTimeout(resolve));

test('a worker answers once it holds its lock, so that an end after an answer is never missed', async () => {
  let grant = () => {};
  const { posted, post } = served((granted) => new Promise((resolve) => (grant = () => resolve(granted()))));
  post({ hold: 'name' });
  post({ id: 1, to: 0, method: 'add', args: [1, 2] });
  post({ id: 2, to: 0, method: 'fail', args: [] });
  await turn();
  assert.deepEqual(posted, []);
  grant();
  await turn();
  assert.deepEqual(posted[0], { held: 'name' });
  assert.deepEqual(
    posted
      .slice(1)
      .map(({ id }) => id)
      .sort(),
    [1, 2],
  );
});

test('a worker answers, too, where there are no locks', async () => {
  for (const data of [{ hold: 'name' }, {}]) {
    const { posted, post } = served(() => Promise.reject(new Error('no locks')));
    post(data);
    post({ id: 1, to: 0, method: 'add', args: [1, 2] });
    await turn();
    assert.equal(posted[0]?.value, 3);
  }
});
