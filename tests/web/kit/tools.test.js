// A message that goes away, what a browser keeps, transactions, modules that break down, and turns of others.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readKept, readText, writeKept, writeText } from '../../../web/kit/kept.js';
import { createStatus } from '../../../web/kit/status-message.js';
import { ended } from '../../../web/kit/transaction.js';
import { hasEnded, hasTrapped, withFresh } from '../../../web/kit/trap.js';
import { frameShown, turnOfOthers } from '../../../web/kit/turn.js';

/** Globals for one test. @param {import('node:test').TestContext} t @param {Record<string, unknown>} values */
function put(t, values) {
  for (const [name, value] of Object.entries(values)) {
    const own = Object.getOwnPropertyDescriptor(globalThis, name);
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
    t.after(() => (own ? Object.defineProperty(globalThis, name, own) : Reflect.deleteProperty(globalThis, name)));
  }
}

test('a message stands for four seconds after the last one', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  /** @type {string[]} */
  const drawn = [];
  const { message, show, destroy } = createStatus(() => drawn.push(message()));
  assert.equal(message(), '');
  show('one');
  t.mock.timers.tick(3000);
  show('two');
  t.mock.timers.tick(3999);
  assert.deepEqual([message(), drawn], ['two', ['one', 'two']]);
  t.mock.timers.tick(1);
  assert.deepEqual([message(), drawn], ['', ['one', 'two', '']]);
  show('three');
  destroy();
  t.mock.timers.tick(9000);
  assert.equal(message(), 'three');
});

test('what is kept comes back; where nothing may be kept, or it is damaged, there is none', (t) => {
  /** @type {Map<string, string>} */
  const kept = new Map();
  const localStorage = {
    getItem: (/** @type {string} */ name) => kept.get(name) ?? null,
    setItem: (/** @type {string} */ name, /** @type {string} */ text) => void kept.set(name, text),
    removeItem: (/** @type {string} */ name) => void kept.delete(name),
  };
  put(t, { localStorage });
  assert.deepEqual([readText('x'), readKept('x')], [null, {}]);
  writeText('x', '');
  assert.equal(readText('x'), '');
  writeKept('x', { a: [1] });
  assert.deepEqual([readText('x'), readKept('x')], ['{"a":[1]}', { a: [1] }]);
  writeText('x', null);
  assert.equal(kept.size, 0);
  for (const text of ['{', 'null', '']) {
    kept.set('x', text);
    assert.deepEqual(readKept('x'), {}, text);
  }
  const refuse = () => assert.fail('not allowed');
  put(t, { localStorage: { getItem: refuse, setItem: refuse, removeItem: refuse } });
  writeText('x', 'y');
  writeText('x', null);
  assert.deepEqual([readText('x'), readKept('x')], [null, {}]);
});

test('a transaction ends as it does, or is aborted where the page is left', async (t) => {
  /** @type {(() => void)[]} */
  let leaving = [];
  const of = (/** @type {string} */ type, /** @type {() => void} */ act) => type === 'pagehide' && act;
  put(t, {
    addEventListener: (/** @type {string} */ type, /** @type {() => void} */ act) => of(type, act) && leaving.push(act),
    removeEventListener: (/** @type {string} */ type, /** @type {() => void} */ act) =>
      (leaving = leaving.filter((each) => each !== of(type, act))),
  });
  const begun = () => {
    /** @type {any} */
    const transaction = {
      error: new Error('full'),
      aborts: 0,
      abort: () => (transaction.aborts++, transaction.onabort()),
    };
    return transaction;
  };
  const LEFT = { name: 'PageLeft', message: 'the page was left' };
  const [stored, full, left] = [begun(), begun(), begun()];
  for (const [transaction, end] of [
    [stored, () => stored.oncomplete({})],
    [full, () => full.onabort()],
    [left, () => leaving[0]()],
  ]) {
    const ending = ended(transaction);
    assert.equal(leaving.length, 1);
    end();
    if (transaction === stored) await ending;
    else await assert.rejects(ending, transaction === full ? { message: 'full' } : LEFT);
    assert.deepEqual([leaving.length, transaction.aborts], [0, Number(transaction === left)]);
  }
});

test('what traps is tried once more with a fresh module, and anything else is not', async () => {
  const trap = () => new WebAssembly.RuntimeError('unreachable');
  /** @param {...(Error | string)} results of one try after the other */
  async function run(...results) {
    let renewed = 0;
    const action = async () => {
      const result = results.shift();
      if (result instanceof Error) throw result;
      return result;
    };
    const answer = await withFresh(action, () => renewed++).catch((error) => [error.name, error.message]);
    return [answer, renewed, results.length];
  }
  assert.deepEqual(await run('x', 'y'), ['x', 0, 1]);
  assert.deepEqual(await run(trap(), 'x', 'y'), ['x', 1, 1]);
  assert.deepEqual(await run(new RangeError('no'), 'x'), [['RangeError', 'no'], 0, 1]);
  assert.deepEqual(await run(trap(), new RangeError('no'), 'x'), [['RangeError', 'no'], 1, 1]);
  const twice = 'The WebAssembly module broke down, and so did a fresh one: this browser reports “unreachable”.';
  assert.deepEqual(await run(trap(), trap(), 'x'), [['RuntimeError', twice], 2, 1]);
  assert.deepEqual([trap(), new Error('x'), { name: 'RuntimeError' }, null].map(hasTrapped), [
    true,
    false,
    false,
    false,
  ]);
  const gone = { code: 'freed', parameter: 'worker' };
  assert.deepEqual([gone, { ...gone, code: 'range' }, { ...gone, parameter: 'model' }, undefined].map(hasEnded), [
    true,
    false,
    false,
    false,
  ]);
});

test('others have their turn, and a frame is waited for, or 0.1 s where there is none', async (t) => {
  /** @type {string[]} */
  const seen = [];
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => (seen.push('message'), port1.close());
  port2.postMessage(0);
  await turnOfOthers();
  assert.deepEqual(seen, ['message']);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  put(t, { requestAnimationFrame: () => {} });
  const hidden = frameShown().then(() => seen.push('hidden'));
  t.mock.timers.tick(99);
  await turnOfOthers();
  await turnOfOthers();
  assert.equal(seen.length, 1);
  t.mock.timers.tick(1);
  await hidden;
  put(t, { requestAnimationFrame: (/** @type {() => void} */ paint) => (seen.push('frame'), paint()) });
  const shown = frameShown().then(() => seen.push('shown'));
  await Promise.resolve();
  await Promise.resolve();
  assert.deepEqual(seen.slice(2), ['frame'], 'the frame is painted before it goes on');
  await shown;
});
