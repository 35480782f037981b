// A view whose code is fetched late: shown with the newest data, and fetched again after a failure.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lateView } from '../../web/shared/late-view.js';

const settled = () => new Promise((done) => setImmediate(done));

test('a late view is fetched once, when there is something to show, and shows what came last', async () => {
  const shown = /** @type {(number | null)[]} */ ([]);
  let fetched = 0;
  const view = lateView(async () => (fetched++, { update: (/** @type {number | null} */ data) => shown.push(data) }));
  view.update(null);
  assert.equal(fetched, 0);
  view.update(1);
  view.update(2);
  await settled();
  view.update(null);
  assert.deepEqual([fetched, shown], [1, [2, null]]);
});

test('a fetch that fails is no unhandled rejection, and the next update tries again', async () => {
  const unhandled = /** @type {unknown[]} */ ([]);
  const note = (/** @type {unknown} */ error) => unhandled.push(error);
  process.on('unhandledRejection', note);
  const shown = /** @type {(number | null)[]} */ ([]);
  let fetched = 0;
  const view = lateView(async () => {
    if (++fetched === 1) throw new TypeError('offline');
    return { update: (/** @type {number | null} */ data) => shown.push(data) };
  });
  view.update(1);
  await settled();
  assert.deepEqual(shown, []);
  view.update(2);
  await settled();
  process.off('unhandledRejection', note);
  assert.deepEqual([fetched, shown, unhandled], [2, [2], []]);
});
