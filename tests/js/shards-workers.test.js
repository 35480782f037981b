// The workers of a trainer in shards: what is refused, how they are lost, given back and done without.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { GlassformerError, load } from 'glassformer';
import { mortal, WAYS } from './mortal-worker.js';
import { DECODER, hash, KINDS, random } from './shards-cases.js';

const gf = await load({ variant: 'simd' });
const threads = /** @type {any} */ (process).getBuiltinModule('node:worker_threads');
const { Worker } = threads;
/** Workers as they are started. @type {import('node:worker_threads').Worker[]} */
const started = [];
let refused = false;
class Watched extends Worker {
  constructor(...args) {
    if (refused) throw new Error('no more workers');
    super(...args);
    started.push(/** @type {any} */ (this));
  }
}
Object.assign(threads, { Worker: Watched });
/** Does something as soon as the worker that was started last is given shards. */
const whenAsked = (/** @type {(worker: any) => unknown} */ act) =>
  new Promise((resolve) => {
    const worker = /** @type {any} */ (started.at(-1));
    worker.postMessage = (...given) => {
      delete worker.postMessage;
      worker.postMessage(...given);
      resolve(act(worker));
    };
  });
after(() => Object.assign(threads, { Worker }));

const { batch } = KINDS.decoder;
/** A trainer of a small model, and what it shall compute. */
const begin = (/** @type {object} */ settings) => {
  const model = gf.createModel(DECODER);
  return { model, trainer: model.trainer(settings), given: batch(random(5), 6) };
};

const ENDED = { name: 'GlassformerError', code: 'freed', parameter: 'workers', message: /ended.*no weight/ };

test('the settings go on: kept in files, asked for anew, resumed to the bit', async () => {
  const { model, trainer, given } = begin({ shards: 3, workers: 2, dropout: 0.1 });
  assert.equal(trainer.settings.shards, 3);
  assert.equal('workers' in trainer.settings, false);
  assert.equal('shards' in model.clone().trainer().settings, false, 'other trainers say nothing of shards');
  await trainer.step(given);
  const file = await trainer.save();
  const before = trainer.snapshot();
  const report = await trainer.step(given);
  const wanted = hash(trainer, report);

  const { model: other, trainer: later } = await gf.loadModel(file);
  assert.equal(later.workers, 0);
  assert.equal(hash(later, await later.step(given)), wanted);
  const again = other.trainer({ ...later.settings, workers: 1 });
  await again.resume(file);
  assert.equal(hash(again, await again.step(given)), wanted);
  assert.equal(again.workers, 1);
  again.restore(before);
  assert.deepEqual(again.snapshot(), before);
  for (const each of [model, other]) each.free();
});

test('bad settings and batches are refused by name, and change nothing', async () => {
  const { model, trainer, given } = begin({ workers: 2 });
  for (const [name, value] of [
    ['workers', -1],
    ['workers', 65],
    ['workers', 1.5],
    ['shards', 0],
    ['shards', 1025],
  ]) {
    assert.throws(() => model.trainer({ [name]: value }), { code: 'range', parameter: name, value });
  }
  assert.throws(() => model.trainer({ workers: '2' }), { code: 'type', parameter: 'workers' });
  const before = hash(trainer);
  const bad = [
    [{ ...given, ids: [1, 2] }, 'shape', 'labels'],
    [{ ids: [99], labels: [1] }, 'token', 'ids'],
    [{ ...given, capture: true }, 'unknown', 'capture'],
    [{ ids: [1, 2], labels: [-100, -100] }, 'number', 'labels'],
    [{ ids: [[1], [2]], labels: [[-100], [-100]] }, 'number', 'labels'],
  ];
  for (const [each, code, parameter] of bad) {
    const step = trainer.step(each);
    assert(step instanceof Promise, 'errors are rejections');
    await assert.rejects(step, { name: 'GlassformerError', code, parameter });
  }
  assert.equal(hash(trainer), before);
  model.free();
});

test('what is not finite is named as by a step in one piece, and no weight changes', async () => {
  const errorOf = async (settings) => {
    const { model, trainer, given } = begin(settings);
    model.view('decoder.layers.0.linear1.bias')[0] = 3e38;
    model.view('decoder.layers.0.linear2.weight').fill(3e38);
    const before = hash(trainer);
    try {
      await trainer.step(given);
      return assert.fail('it took the step');
    } catch (error) {
      assert.equal(hash(trainer), before);
      return [error.code, error.parameter, error.message];
    } finally {
      model.free();
    }
  };
  const wanted = await errorOf({});
  for (const workers of [0, 1, 2]) assert.deepEqual(await errorOf({ workers }), wanted);
});

test('shards whose sum overflows change no weight', async () => {
  const how = KINDS['feed-forward'];
  const model = gf.createModel(how.config);
  const trainer = model.trainer({ loss: 'linear', shards: 2, workers: 2, optimizer: 'sgd' });
  model.view('linear1.weight').fill(0);
  model.view('linear1.bias').fill(1);
  const { vectors: x, labels: y } = how.batch(random(1), 2);
  y.data.fill(3e38);
  const before = hash(trainer);
  await assert.rejects(trainer.step({ vectors: x, labels: y }), { code: 'number', message: /no weight was changed/ });
  assert.equal(hash(trainer), before);
  model.free();
});

test('a step takes the batch as it was, and until it is done all but reading is refused', async () => {
  const [one, two] = [begin({ workers: 2 }), begin({ workers: 0 })];
  const changed = { ids: { ...one.given.ids, data: one.given.ids.data.slice() }, labels: one.given.labels };
  const step = one.trainer.step(changed);
  changed.ids.data.fill(0);
  const busy = { code: 'state', message: /taking a step/ };
  for (const call of [
    () => one.model.forward({ ids: [1] }),
    () => one.model.initialize(1),
    () => one.model.trainer(),
    () => one.model.free(),
    () => one.trainer.loss(changed),
    () => one.trainer.restore({ weights: new Float32Array(1) }),
  ])
    assert.throws(call, busy);
  await assert.rejects(one.trainer.step(changed), busy);
  assert.equal(one.model.tensor('decoder.layers.0.norm1.weight').data[0], 1);
  assert.equal(hash(one.trainer, await step), hash(two.trainer, await two.trainer.step(two.given)));
  for (const { model } of [one, two]) model.free();
});

for (const [way, [end]] of Object.entries(WAYS)) {
  test(`a worker that ends (${way}), between two steps or within one: an error, then it goes on`, async () => {
    const made = [];
    const { model, trainer, given } = begin({ workers: 2, dropout: 0.1, worker: () => made[made.push(mortal()) - 1] });
    const { model: otherModel, trainer: other } = begin({ shards: 4, dropout: 0.1 });
    const same = async () =>
      assert.equal(hash(trainer, await trainer.step(given)), hash(other, await other.step(given)));
    await same();
    made[1].ref();
    const exit = new Promise((resolve) => made[1].on('exit', resolve));
    end(made[1]);
    await exit;
    await assert.rejects(trainer.step(given), ENDED);
    await same();
    const before = hash(trainer);
    const worker = made[3];
    // It ends before it can answer.
    worker.postMessage = (...message) => {
      delete worker.postMessage;
      end(worker);
      worker.postMessage(...message);
    };
    await assert.rejects(trainer.step(given), ENDED);
    assert.equal(hash(trainer), before);
    await same();
    assert.deepEqual([made.length, trainer.workers], [6, 2]);
    for (const each of [model, otherModel]) each.free();
  });
}

test('where no worker can be started the calling thread computes, and workers is 0', async () => {
  const [one, two] = [begin({ workers: 2 }), begin({ workers: 0 })];
  refused = true;
  try {
    assert.equal(one.trainer.workers, 2);
    const report = await one.trainer.step(one.given);
    assert.equal(one.trainer.workers, 0);
    assert.equal(hash(one.trainer, report), hash(two.trainer, await two.trainer.step(two.given)));
  } finally {
    refused = false;
  }
});

test('free of the trainer or the model and the next trainer end the workers; what is under way rejects', async () => {
  const ways = [({ trainer }) => trainer.free(), ({ model }) => model.free(), ({ model }) => model.trainer()];
  for (const way of ways) {
    const made = begin({ workers: 1 });
    await made.trainer.step(made.given);
    const ended = once(/** @type {any} */ (started.at(-1)), 'exit');
    way(made);
    await ended;
  }
  const { trainer, given } = begin({ workers: 2 });
  await trainer.step(given);
  const before = hash(trainer);
  const step = trainer.step(given);
  await whenAsked(() => trainer.free());
  await assert.rejects(step, (error) => error instanceof GlassformerError && error.code === 'freed');
  assert.equal(hash(trainer), before);
  assert.equal((await trainer.step(given)).step, 2);
  assert.equal(trainer.workers, 0);
});

test('the caller may bring the worker, as where a policy forbids blob:', async () => {
  const [one, two] = [begin({ workers: 0 }), begin({ workers: 2, worker: () => startOne() })];
  const { default: script } = await import('glassformer/worker-thread');
  const platform =
    "const { parentPort: p } = require('node:worker_threads'); globalThis.postMessage = p.postMessage.bind(p);" +
    "p.on('message', (data) => globalThis.onmessage({ data }));";
  let brought = 0;
  const startOne = () => {
    brought++;
    return new Worker(platform + script, { eval: true, execArgv: [] });
  };
  assert.equal(
    hash(two.trainer, await two.trainer.step(two.given)),
    hash(one.trainer, await one.trainer.step(one.given)),
  );
  assert.deepEqual([brought, two.trainer.workers], [2, 2]);
  two.model.free();
});

test('Node ends, with workers that nobody has freed', () => {
  const code = `import { load } from 'glassformer';
    const gf = await load();
    const model = gf.createModel({ kind: 'decoder', vocabulary: 5, head: 'tied' });
    const trainer = model.trainer({ workers: 2 });
    console.log((await trainer.step({ ids: [[1], [2]], labels: [[2], [3]] })).step, trainer.workers);`;
  const { stdout, status, stderr } = spawnSync(
    process.execPath,
    [...process.execArgv, '--input-type=module', '-e', code],
    { cwd: fileURLToPath(new URL('../..', import.meta.url)), encoding: 'utf8', timeout: 60_000 },
  );
  assert.deepEqual([stdout, status], ['1 2\n', 0], stderr);
});

test('in an engine of a worker, which starts none, shards are computed there', async () => {
  const { load: loadWorker } = await import('glassformer/worker');
  const there = await loadWorker({ variant: 'simd' });
  try {
    const model = await there.createModel(DECODER);
    const trainer = await model.trainer({ workers: 2 });
    const { given, trainer: here } = begin({ workers: 0 });
    assert.deepEqual(await trainer.step(given), await here.step(given));
    assert.deepEqual(await trainer.state(), here.state());
    assert.equal(trainer.workers, 0);
  } finally {
    there.terminate();
  }
});
