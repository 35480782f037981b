// The client of a place's worker, and the one call at a time that takes long.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { createClient } from '../../../web/kit/client.js';
import { createTask } from '../../../web/kit/task.js';

/** @param {import('node:test').TestContext} t @param {Parameters<typeof createClient>[1]} [options] */
function open(t, options) {
  const start = () => /** @type {any} */ (new Worker(new URL('client-worker.js', import.meta.url)));
  const client = /** @type {import('../../../web/kit/client.js').Client<import('./client-worker.js').Methods>} */ (
    createClient(start, options)
  );
  t.after(client.end);
  return client;
}

test('it has the methods of its worker; another worker begins afresh', async (t) => {
  const client = await open(t); // may be awaited
  assert.deepEqual([await client.add(2), await client.add(3)], [2, 5]);
  await assert.rejects(client.refuse(), { name: 'RangeError', message: 'no such card' });
  const { port1, port2 } = new MessageChannel();
  const said = new Promise((resolve) => (port1.onmessage = ({ data }) => resolve(data)));
  await client.greet(port2);
  assert.equal(await said, 'hello');
  port1.close();
  client.restart();
  assert.equal(await client.add(1), 1);
});

test('a request reports its progress and is given up; what changes the worker still answers', async (t) => {
  for (const whole of [false, true]) {
    const client = open(t, { whole });
    const { signal, abort } = ((own) => ({ signal: own.signal, abort: () => own.abort() }))(new AbortController());
    /** @type {number[]} */
    const seen = [];
    const onProgress = (/** @type {number} */ share) => (seen.push(share), abort());
    const answer = client.wait({ signal, onProgress });
    if (whole) assert.equal(await answer, 'given up');
    else await assert.rejects(answer, { name: 'AbortError' });
    assert.deepEqual(seen, [0.5]);
  }
});

test('a worker that ends by itself is told of, and ends what waits for it', async (t) => {
  let ended = 0;
  const client = open(t, { ended: () => ended++ });
  await assert.rejects(client.quit(), { code: 'freed', parameter: 'worker' });
  assert.equal(ended, 1);
  await assert.rejects(client.add(1), { code: 'freed' });
});

/** Records the events of a task, in order. */
function watched() {
  /** @type {unknown[]} */
  const seen = [];
  return {
    seen,
    then: {
      progress: (/** @type {number} */ share) => seen.push(share),
      done: (/** @type {string} */ answer) => seen.push(answer),
      failed: (/** @type {string} */ problem) => seen.push(problem),
    },
  };
}

test('of a task nothing comes once a newer one runs, or it is stopped', async () => {
  const task = createTask();
  const [first, second, third] = [watched(), watched(), watched()];
  /** @type {(answer: string) => void} */
  let answer = () => {};
  /** @type {AbortSignal[]} */
  const signals = [];
  /** @param {AbortSignal} signal @param {(share: number) => void} onProgress */
  const slow = (signal, onProgress) => {
    signals.push(signal);
    onProgress(0.1);
    return new Promise((resolve) => {
      answer = (given) => (onProgress(0.9), resolve(given));
    });
  };
  const runs = [task.run(slow, first.then)];
  const late = answer;
  runs.push(task.run(slow, second.then));
  late('late');
  answer('done');
  await Promise.all(runs);
  assert.equal(task.isRunning(), false);
  const stopped = task.run(slow, third.then);
  assert.equal(task.isRunning(), true);
  task.stop();
  answer('late');
  await stopped;
  assert.deepEqual([first.seen, second.seen, third.seen], [[0.1], [0.1, 0.9, 'done'], [0.1]]);
  assert.deepEqual(signals.map(({ aborted }) => aborted), [true, false, true]); // prettier-ignore
});

test('a task that fails says so in words; an error of what shows its answer is no failure of it', async () => {
  const task = createTask();
  const { seen, then } = watched();
  await task.run(async () => assert.fail('It broke.'), then);
  assert.deepEqual(seen, ['It broke.']);
  const done = () => assert.fail('a view');
  await assert.rejects(task.run(async () => 'x', { ...then, done }), { message: 'a view' }); // prettier-ignore
  assert.deepEqual([seen, task.isRunning()], [['It broke.'], false]);
});
