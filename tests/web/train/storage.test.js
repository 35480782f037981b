// The messages and the kept state of a run if this browser's storage is missing, refuses, is full or is left half-way.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IDBFactory, IDBObjectStore } from 'fake-indexeddb';
import { createBrowser, until } from './dom.js';
import { hashInNode } from './node.js';

/** Where a browser does not answer, the worker waits 8 seconds: here less. */
const IMPATIENT = `const own = setTimeout;
  globalThis.setTimeout = (call, ms, ...all) => own(call, ms === 8000 ? 400 : ms, ...all);`;
const refuse = (/** @type {string} */ name) => () => {
  throw new DOMException('', name);
};
const REFUSED = /^This browser refuses storage here/;
const { prototype } = IDBObjectStore;
for (const [what, fault, said] of /** @type {[string, (t: any) => object | void, RegExp][]} */ ([
  ['indexedDB is not there', () => ({ indexedDB: undefined }), REFUSED],
  ['indexedDB may not be read', () => ({ indexedDB: new Proxy({}, { get: refuse('SecurityError') }) }), REFUSED],
  ['open throws', (t) => void t.mock.method(IDBFactory.prototype, 'open', refuse('SecurityError')), REFUSED],
  [
    'open fails',
    (t) =>
      void t.mock.method(IDBFactory.prototype, 'open', () => {
        const request = /** @type {any} */ ({});
        setTimeout(() => {
          request.error = new DOMException('', 'InvalidStateError');
          request.onerror({});
        });
        return request;
      }),
    REFUSED,
  ],
  ['open does not answer', (t) => void t.mock.method(IDBFactory.prototype, 'open', () => ({})), REFUSED],
  [
    'a request is not answered',
    (t) => {
      t.mock.method(prototype, 'get', () => ({}));
      t.mock.method(prototype, 'put', () => {});
    },
    REFUSED,
  ],
  ['put throws', (t) => void t.mock.method(prototype, 'put', refuse('DataCloneError')), REFUSED],
  [
    'the quota is used up',
    (t) => void t.mock.method(prototype, 'put', refuse('QuotaExceededError')),
    /^The browser’s storage is full/,
  ],
]))
  test(`${what}: it is said in a sentence, and the run goes on`, async (t) => {
    const globals = fault(t) ?? {};
    const tab = await createBrowser()('#/train?task=order&steps=20', { globals, code: IMPATIENT });
    await tab.at(0);
    await tab.press('Train');
    await tab.at(20);
    assert.match(tab.kept(), said);
    assert.equal(tab.hash(), await hashInNode('order', 20, { steps: 20 }));
    assert.equal(tab.button('Delete the kept run'), undefined);
    await tab.close();
  });

for (const name of /** @type {const} */ (['put', 'get']))
  test(`a page that is left while it stores and comes back keeps all of it: ${name}`, async (t) => {
    const { [name]: own } = prototype;
    let calls = 0;
    let isLeft = false;
    const first = await createBrowser()('#/train?task=order&steps=20', {
      setUp(window) {
        window.addEventListener('pagehide', () => (isLeft = true));
        t.mock.method(prototype, name, function (/** @type {any[]} */ ...all) {
          if (++calls === 5) queueMicrotask(() => window.dispatchEvent(new window.Event('pagehide')));
          return /** @type {any} */ (own).apply(this, all);
        });
      },
    });
    await first.at(0);
    await first.press('Train');
    await first.at(20);
    assert(isLeft);
    assert.match(first.kept(), /up to step 20: /);
    await until(() => first.address().endsWith('&step=20'));
    const tab = await first.reload();
    await tab.at(20);
    assert.equal(tab.hash(), await hashInNode('order', 20, { steps: 20 }));
    await tab.close();
  });

test('storage that fills up on the way keeps what it has', async (t) => {
  // at the moment of step 10, the third that is put
  const { put } = prototype;
  let moments = 0;
  t.mock.method(prototype, 'put', function (/** @type {any} */ value, /** @type {any} */ key) {
    if (typeof key === 'number' && ++moments > 2) throw new DOMException('', 'QuotaExceededError');
    return put.call(this, value, key);
  });
  const open = createBrowser();
  const tab = await open('#/train?task=order&steps=20');
  await tab.at(0);
  await tab.press('Train');
  await tab.at(20);
  assert.match(tab.kept(), /up to step 5: .*The browser’s storage is full/);
  assert.equal(tab.hash(), await hashInNode('order', 20, { steps: 20 }));
  const next = await open('#/train');
  await next.at(5);
  assert.equal(next.hash(), await hashInNode('order', 5, { steps: 20 }));
  for (const each of [tab, next]) await each.close();
});
