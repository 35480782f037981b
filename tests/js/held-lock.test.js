// A worker and its owner, who learns of its end: from a lock that the worker has to hold before anybody relies on it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect } from '../../src/js/worker/connect.js';
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

/** A worker as browsers have it, of which the test sends the events. */
function browsersWorker() {
  const worker = /** @type {any} */ ({ posted: [], ends: 0 });
  worker.postMessage = (/** @type {any} */ message) => worker.posted.push(message);
  worker.terminate = () => worker.ends++;
  return worker;
}
const setLocks = (/** @type {any} */ locks) =>
  Object.defineProperty(globalThis, 'navigator', { value: { locks }, configurable: true });

test("the end of a browser's worker rejects what waits, and what is asked later, with the reason", async () => {
  setLocks(undefined);
  for (const [end, why] of /** @type {[(worker: any) => void, string][]} */ ([
    [(worker) => worker.onerror({ message: 'boom', preventDefault: () => (worker.prevented = true) }), 'boom'],
    [(worker) => worker.onerror({}), 'the script could not be loaded'],
    [(worker) => worker.onmessageerror(), 'a message could not be read'],
  ])) {
    const worker = browsersWorker();
    let ended = 0;
    const { call } = connect(worker, { ended: () => ended++ });
    const waits = [call('add', [1, 2]), call('add', [3, 4])];
    assert.deepEqual(worker.posted, [
      { id: 1, to: 0, method: 'add', args: [1, 2] },
      { id: 2, to: 0, method: 'add', args: [3, 4] },
    ]);
    end(worker);
    if (why === 'boom') assert.ok(worker.prevented, 'the page hears of it from the call alone');
    worker.onmessageerror();
    const wanted = { code: 'freed', parameter: 'worker', message: `worker: has ended (${why}): start another one` };
    for (const each of [...waits, call('add', [])]) await assert.rejects(each, wanted);
    assert.deepEqual([worker.ends, ended, worker.posted.length], [1, 1, 2]);
  }
});

test("a browser's worker is asked for a lock, and is lost once another has it", async () => {
  /** @type {[name: string, granted: () => void][]} */
  const asked = [];
  let refuses = false;
  setLocks({
    request: (/** @type {string} */ name, /** @type {() => void} */ granted) => {
      asked.push([name, granted]);
      return refuses ? Promise.reject(new Error('no locks')) : new Promise(() => {});
    },
  });
  for (refuses of [true, false]) {
    const worker = browsersWorker();
    const { call } = connect(worker);
    const waits = call('add', [1, 2]);
    assert.match(worker.posted[0].hold, /^glassformer [\da-f-]{36}$/);
    worker.onmessage({ data: { held: 'mine' } });
    await turn();
    assert.equal(worker.ends, 0);
    const [name, granted] = /** @type {[string, () => void]} */ (asked.pop());
    assert.equal(name, 'mine');
    granted();
    await assert.rejects(waits, /has ended \(its thread is gone\)/);
  }
});

test('answers, callbacks and signals reach the call that they belong to', async () => {
  setLocks(undefined);
  const worker = browsersWorker();
  const { call, drop, terminate } = connect(worker);
  const answer = (/** @type {any} */ data) => worker.onmessage({ data });
  const [first, second] = [call('add', [1]), call('add', [2], { to: 5 })];
  assert.equal(worker.posted[1].to, 5);
  answer({ id: 2, value: 'two' });
  answer({ id: 1, value: 'one' });
  answer({ id: 1, value: 'again' });
  assert.deepEqual([await first, await second], ['one', 'two']);

  const cause = { message: 'below' };
  const failed = [call('a', []), call('b', []), call('c', [])];
  answer({ id: 3, error: { code: 'range', parameter: 'x', message: 'x: bad', cause } });
  answer({ id: 4, error: { message: 'plain', cause: { thrown: 7 } } });
  answer({ id: 5, error: { thrown: 'text' } });
  await assert.rejects(failed[0], (/** @type {any} */ error) => {
    const { name, code, parameter, message } = error;
    assert.deepEqual([name, code, parameter, message], ['GlassformerError', 'range', 'x', 'x: bad']);
    return error.cause instanceof Error && error.cause.message === 'below';
  });
  await assert.rejects(failed[1], { name: 'Error', message: 'plain', cause: 7 });
  await assert.rejects(failed[2], (error) => error === 'text');

  /** @type {unknown[]} */
  const heard = [];
  const onToken = (/** @type {number} */ token) => (heard.push(token), token !== 2);
  const generated = call('generate', [{ onToken }]);
  for (const token of [1, 2]) answer({ id: 6, callback: 0, args: [token] });
  assert.deepEqual([heard, worker.posted.at(-1)], [[1, 2], { stop: 6 }]);
  answer({ id: 6, value: 'end' });
  assert.equal(await generated, 'end');
  const why = new Error('mine');
  const throws = call('generate', [{ onToken: () => { throw why; } }]); // prettier-ignore
  answer({ id: 7, callback: 0, args: [1] });
  assert.deepEqual(worker.posted.at(-1), { abort: 7 });
  await assert.rejects(throws, why);

  for (const whole of [false, true]) {
    const controller = new AbortController();
    const waits = call('step', [{ signal: controller.signal }], { whole });
    const { id } = worker.posted.at(-1);
    controller.abort(why);
    assert.deepEqual(worker.posted.at(-1), { abort: id });
    if (whole) answer({ id, value: 'done' });
    if (whole) assert.equal(await waits, 'done');
    else await assert.rejects(waits, why);
    await assert.rejects(call('step', [{ signal: controller.signal }]), why);
    assert.deepEqual(worker.posted.at(-1), { abort: id }, 'a call that is aborted before is not sent');
  }
  drop(9);
  assert.deepEqual(worker.posted.at(-1), { drop: 9 });
  const last = call('add', []);
  terminate(why);
  await assert.rejects(last, why);
  await assert.rejects(call('add', []), why);
  assert.equal(worker.ends, 1);
});

test("an answer's numbers are moved, and of a part of a buffer that part alone", async () => {
  /** @type {[any, ArrayBuffer[]][]} */
  const posted = [];
  setLocks(undefined);
  Object.assign(globalThis, { postMessage: (/** @type {any} */ ...given) => posted.push(/** @type {any} */ (given)) });
  const whole = Float32Array.of(1, 2);
  const part = Float32Array.of(3, 4, 5).subarray(1);
  serve({ make: () => ({ whole, list: [{ whole }, { part }], map: new Map([['part', part]]), words: ['a'] }) });
  Reflect.get(globalThis, 'onmessage')({ data: { id: 1, to: 0, method: 'make', args: [] } });
  await turn();
  const [[{ id, value }, moved]] = posted;
  assert.deepEqual([id, value.whole, value.list[0].whole, value.words], [1, whole, whole, ['a']]);
  const parts = [value.list[1].part, value.map.get('part')];
  assert.deepEqual([...parts, part.buffer.byteLength], [Float32Array.of(4, 5), Float32Array.of(4, 5), 12]);
  assert.deepEqual(new Set(moved), new Set([whole.buffer, ...parts.map(({ buffer }) => buffer)]));
  assert.equal(moved.length, 3);
});
