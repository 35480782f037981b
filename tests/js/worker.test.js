// The engine in its own worker gives what the engine gives here, in the order of the calls, and can be ended.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { Worker } from 'node:worker_threads';

import { GlassformerError as Same, load } from 'glassformer';
import { connect, GlassformerError, load as loadWorker, serve } from 'glassformer/worker';
import { mortal, WAYS } from './mortal-worker.js';
import { perform } from '../operations.js';

const here = await load({ variant: 'simd' });
const gf = await loadWorker({ variant: 'simd' });
after(() => gf.terminate());

const WRITER = { kind: 'decoder', vocabulary: 20, d_model: 16, heads: 2, layers: 2, head: 'linear', seed: 3 };
const PROMPT = { ids: [1, 2, 3], maxTokens: 40, temperature: 1, seed: 5 };
const BATCH = { ids: [1, 2, 3], labels: [2, 3, 4] };
const x = { data: Float32Array.from({ length: 24 }, (_, i) => Math.sin(i)), shape: [3, 8] };

/** The same model here and in the worker. @param {object} [config] */
const both = async (config = WRITER) => [here.createModel(config), await gf.createModel(config)];

test('properties are plain, and follow what calls change', async () => {
  for (const name of ['variant', 'reason', 'version']) assert.equal(gf[name], here[name], name);
  const [model, remote] = await both();
  assert.deepEqual(remote.config, model.config);
  assert.equal(remote.parameterCount, model.parameterCount);
  await remote.initialize(9);
  assert.equal(remote.seed, 9);
  const trainer = await remote.trainer({ learningRate: 0.1 });
  assert.equal(trainer.settings.learningRate, 0.1);
  await trainer.step(BATCH);
  assert.equal(trainer.steps, 1);
  const before = gf.memoryBytes;
  await gf.createModel({ vocabulary: 50_000, d_model: 64 });
  assert(gf.memoryBytes > before);
});

test('operations give the same bits', async () => {
  const table = { data: x.data, shape: [8, 3] };
  const attention = { query: x, key: x, value: x, heads: 2, causal: true };
  const { weights } = perform(here, 'attention', attention);
  const cases = {
    matmul: { a: x, b: x, transposeB: true },
    linear: { x, weight: x, bias: [1, 2, 3] },
    add: { a: x, b: 2 },
    mul: { a: x, b: x },
    transpose: { x },
    argmax: { x },
    cosine: { a: x, b: x },
    softmax: { x },
    layerNorm: { x },
    gelu: { x },
    embedding: { ids: [0, 2], table },
    positionalEncoding: { d_model: 4, length: 3 },
    attention,
    crossEntropy: { logits: x, labels: [0, 1, 2] },
    attentionBackward: { query: x, key: x, value: x, heads: 2, weights, gradient: x },
  };
  for (const [name, options] of Object.entries(cases)) {
    assert.deepEqual(await perform(gf, name, options), perform(here, name, options), name);
  }
  assert.equal(x.data.length, 24, 'arguments are copied, not taken');
  const { signal } = new AbortController();
  assert.deepEqual(await gf.softmax(x, { signal }), here.softmax(x));
  assert.deepEqual(await gf.matmul(x, x, { transposeB: true, signal }), here.matmul(x, x, { transposeB: true }));
  await assert.rejects(gf.softmax(x, { signal: AbortSignal.abort() }), { name: 'AbortError' });
});

test('a model there does what one here does', async () => {
  const [model, remote] = await both();
  const pass = { ids: [1, 2, 3], capture: true };
  assert.deepEqual(await remote.forward(pass), model.forward(pass));
  assert.deepEqual(await remote.tensors(), model.tensors());
  assert.deepEqual(await remote.graph(), model.graph());
  assert.deepEqual(await remote.tensor('logits'), model.tensor('logits'));
  assert.deepEqual(await remote.weights(), model.weights());
  const other = await gf.createModel({ ...WRITER, seed: 4 });
  await other.loadWeights(await remote.weights());
  assert.deepEqual(await other.weights(), model.weights());
  assert.deepEqual(await remote.generate(PROMPT), model.generateSync(PROMPT));
  const error = { code: 'type', parameter: 'onToken', message: /left out: loop/ };
  await assert.rejects(remote.generate({ ...PROMPT, onToken() {} }), error);
  await remote.free();
  await assert.rejects(remote.forward(pass), { name: 'GlassformerError', code: 'freed' });
});

test('a trainer there does what one here does', async () => {
  const [model, remote] = await both();
  const [trainer, far] = [model.trainer(), await remote.trainer()];
  assert.deepEqual(await far.step(BATCH), trainer.step(BATCH));
  assert.deepEqual(await far.loss(BATCH), trainer.loss(BATCH));
  assert.deepEqual(await far.gradients(BATCH), trainer.gradients(BATCH));
  const name = 'grad.decoder.layers.0.linear1.weight';
  assert.deepEqual(await remote.tensor(name), model.tensor(name));
  const state = await far.state();
  assert.deepEqual(state, trainer.state());
  const batches = Array.from({ length: 5 }, (_, i) => ({ ids: [1, 2, i], labels: [2, i, 3] }));
  const reports = batches.map((batch) => trainer.step(batch));
  const seen = [];
  assert.deepEqual(await far.train(batches, { onProgress: (report) => seen.push(report) }), reports);
  assert.deepEqual(seen, reports);
  await far.resume(state);
  assert.equal(far.steps, 1);
  async function* made() {
    yield* batches;
  }
  assert.deepEqual(await far.train(made(), { onProgress: ({ step }) => step < 3 }), reports.slice(0, 2));
  await assert.rejects(far.train([BATCH, { ids: [99], labels: [1] }, BATCH]), { code: 'token', parameter: 'ids' });
  assert.equal(far.steps, 4);
});

test('data that look like the messages of the worker stay data', async () => {
  const model = here.createModel(WRITER);
  const deep = JSON.parse('{"$object": 1, "__proto__": {"free": 1}, "in": [{"$call": 0}]}');
  for (const recipe of [
    { $object: 1, methods: ['createModel', 'free', 'then'], facts: { variant: 'mine' } },
    { $call: 0 },
    { $signal: true },
    { of: { $object: 1 }, at: { $call: 0 }, to: { $signal: true } },
    deep,
  ]) {
    const file = await model.save({ recipe });
    const opened = await gf.loadModel(file);
    assert.deepEqual(opened.recipe, recipe);
    assert.deepEqual(await opened.model.save({ recipe: opened.recipe }), file, JSON.stringify(recipe));
    await opened.model.free();
  }
  assert.equal(gf.variant, 'simd');
});

test('errors are those of the package', async () => {
  assert.equal(GlassformerError, Same);
  for (const [call, remote] of [
    [() => here.softmax(x, { axis: 0 }), () => gf.softmax(x, { axis: 0 })],
    [() => here.softmax(), () => gf.softmax()],
    [() => here.createModel({ heads: 3 }), () => gf.createModel({ heads: 3 })],
    [
      () => here.matmul(x, x, { transposeB: true, maxOperations: 1 }),
      () => gf.matmul(x, x, { transposeB: true, maxOperations: 1 }),
    ],
  ]) {
    let expected;
    try {
      call();
    } catch (error) {
      expected = error;
    }
    await assert.rejects(remote(), (error) => {
      assert(error instanceof GlassformerError);
      for (const key of ['message', 'code', 'parameter', 'value']) assert.deepEqual(error[key], expected[key]);
      return true;
    });
  }
  await assert.rejects((await gf.createModel()).view('x'), { code: 'unsupported', parameter: 'view' });
  await assert.rejects(loadWorker({ variants: 1 }), { code: 'unknown', parameter: 'variants' });
  await assert.rejects(loadWorker({ wasm: new Uint8Array(9) }), { code: 'format', parameter: 'wasm' });
  await assert.rejects(loadWorker({ wasm: new Response('', { status: 404 }) }), {
    code: 'notFound',
    parameter: 'wasm',
  });
});

test('what cannot go to a worker is refused by its name and path, and nothing is called', async () => {
  const model = await gf.createModel(WRITER);
  const round = { ids: [1], patches: [] };
  round.patches.push({ name: 'x', value: round });
  const other = await loadWorker({ variant: 'simd' });
  const far = await other.createModel(WRITER);
  const ONE = 'a function cannot go to a worker';
  for (const [call, message] of [
    [() => model.generate({ ...PROMPT, logits() {} }), `logits: ${ONE}`],
    [() => model.loadWeights(new Map(), { rename: (name) => name }), `rename: ${ONE}`],
    [
      () => model.forward({ ids: [1], patches: [{ name: 'x', value: { of: () => 1 } }] }),
      `patches[0].value.of: ${ONE}`,
    ],
    [() => model.forward({ ids: [1, () => 2] }), `ids[1]: ${ONE}`],
    [() => gf.gelu(x, { approximate: Symbol('x') }), 'approximate: a symbol cannot go to a worker'],
    [() => gf.softmax(Symbol('x')), 'argument 1 of softmax: a symbol cannot go to a worker'],
    [() => gf.gelu(x, { approximate: new WeakMap() }), 'approximate: a WeakMap cannot go to a worker'],
    [() => model.forward({ ids: Promise.resolve([1]) }), 'ids: a Promise cannot go to a worker: await it'],
    [() => gf.softmax(gf.relu([1])), 'argument 1 of softmax: a Promise cannot go to a worker: await it'],
    [() => model.forward({ ids: here.createModel(WRITER) }), 'ids: a GlassformerModel cannot go to a worker'],
    [() => model.loadWeights(new Map([['generator.bias', Promise.resolve()]])), /generator\.bias: a Promise cannot go/],
  ]) {
    const refused = { name: 'GlassformerError', code: 'type', message };
    await assert.rejects(call, refused, String(message));
  }
  await assert.rejects(model.forward({ ids: far }), { code: 'foreign' });
  await assert.rejects(model.forward(round), { name: 'GlassformerError' });
  await assert.rejects(model.forward({ ids: model }), { name: 'GlassformerError', code: 'type', parameter: 'ids' });
  assert.equal((await model.forward({ ids: [1] })).logits.data.length, 20);
  other.terminate();
});

test('a signal ends a call, as an option and in a second argument', async () => {
  const { model } = await gf.loadModel(new URL('../checkpoints/bert-classes/', import.meta.url).pathname);
  const over = AbortSignal.abort(new Error('enough'));
  const { signal } = new AbortController();
  for (const one of [
    (signal) => model.classify(['the creek'], { signal }),
    (signal) => model.embed(['the creek'], { signal }),
    (signal) => model.embed({ ids: [[1, 2]], signal }),
    (signal) => model.forward({ ids: [1, 2], typeIds: [0, 0], signal }),
  ]) {
    await assert.rejects(one(over), /enough/);
    assert.ok(await one(signal));
  }
  await model.free();
});

test('an error brings what caused it', async () => {
  const away = new URL('none.safetensors', import.meta.url);
  const errorOf = (engine) => engine.loadModel(away).then(assert.fail, (error) => error);
  const [{ cause: expected }, { cause }] = [await errorOf(here), await errorOf(gf)];
  assert(cause instanceof Error && !(cause instanceof GlassformerError));
  for (const key of ['name', 'message', 'code']) assert.equal(cause[key], expected[key]);
  assert.equal(cause.code, 'ENOENT');

  // The side of a worker, in this thread.
  const posted = [];
  globalThis.postMessage = (message) => posted.push(message);
  serve({
    circle() {
      const error = new Error('round');
      error.cause = error;
      throw error;
    },
    other: () => Promise.reject(new Error('outer', { cause: 'a word' })),
  });
  for (const method of ['circle', 'other']) globalThis.onmessage({ data: { id: 1, to: 0, method, args: [] } });
  await new Promise(setImmediate);
  delete globalThis.postMessage;
  delete globalThis.onmessage;
  const depth = (error) => (error?.cause ? 1 + depth(error.cause) : 0);
  assert.equal(depth(posted[0].error), 8);
  assert.deepEqual(posted[1].error.cause, { thrown: 'a word' });
});

test('calls are made one after the other, in their order', async () => {
  const [model, remote] = await both();
  const ends = [];
  const long = remote.generate({ ...PROMPT, maxTokens: 400 }).then(() => ends.push('generate'));
  const next = remote.initialize(8).then(() => ends.push('initialize'));
  const last = remote.generate(PROMPT).then((each) => ends.push(each));
  await Promise.all([long, next, last]);
  model.initialize(8);
  assert.deepEqual(ends, ['generate', 'initialize', model.generateSync(PROMPT)]);
});

test('abort ends a generation, and what waits never begins', async () => {
  const [model, remote] = await both();
  const controller = new AbortController();
  const { signal } = controller;
  const trainer = await remote.trainer();
  const long = { ...PROMPT, maxTokens: 1e5, maxOperations: Infinity };
  const running = remote.generate({ ...long, signal });
  setTimeout(() => controller.abort(), 20);
  await null;
  const waiting = trainer.step({ ...BATCH, signal });
  const refused = assert.rejects(waiting, { name: 'AbortError' });
  await assert.rejects(running, { name: 'AbortError' });
  await refused;
  assert.equal((await remote.trainer()).steps, 0);
  assert.deepEqual(await remote.generate(PROMPT), model.generateSync(PROMPT));
  const reason = new Error('enough');
  await assert.rejects(remote.generate({ ...PROMPT, signal: AbortSignal.abort(reason) }), reason);
  await assert.rejects(remote.generate({ ...long, signal: AbortSignal.timeout(20) }), { name: 'TimeoutError' });
});

test('a stream from the worker: as generate, and only what is asked for', async () => {
  const [model, remote] = await both();
  const { newIds } = model.generateSync(PROMPT);
  const seen = [];
  for await (const { id } of remote.generate(PROMPT)) {
    seen.push(id);
    if (seen.length === 5) assert.deepEqual(await remote.forward({ ids: [7] }), model.forward({ ids: [7] }));
  }
  assert.deepEqual(seen, [...newIds]);
  const endless = { ...PROMPT, maxTokens: 1e5, maxOperations: Infinity };
  for await (const { id } of remote.generate(endless)) if (id >= 0) break;
  assert.deepEqual(await remote.generate(PROMPT), model.generateSync(PROMPT), 'no one waits for the rest');
  const controller = new AbortController();
  const tokens = remote.generate({ ...endless, signal: controller.signal })[Symbol.asyncIterator]();
  assert.deepEqual(await tokens.next(), { value: { id: newIds[0], row: 0 }, done: false });
  controller.abort(new Error('enough'));
  await assert.rejects(tokens.next(), /enough/);
  await assert.rejects(remote.generateSync(PROMPT), { code: 'unsupported', parameter: 'generateSync' });
  const bad = remote.generate({ ...PROMPT, topK: -1 })[Symbol.asyncIterator]();
  await assert.rejects(bad.next(), { code: 'range', parameter: 'topK' });
  await assert.rejects(remote.generate()[Symbol.asyncIterator]().next(), { code: 'missing', parameter: 'options' });
});

test('abort ends training after the step under way, which counts', async () => {
  const [, remote] = await both();
  const trainer = await remote.trainer();
  const controller = new AbortController();
  function* endless() {
    for (;;) yield BATCH;
  }
  const onProgress = ({ step }) => void (step === 3 && controller.abort());
  await assert.rejects(trainer.train(endless(), { onProgress, signal: controller.signal }), { name: 'AbortError' });
  assert(trainer.steps === 3 || trainer.steps === 4);
  const { step } = await trainer.step(BATCH);
  assert.equal(step, trainer.steps);
});

test('terminate rejects what waits, and what is asked later', async () => {
  const other = await loadWorker();
  const model = await other.createModel(WRITER);
  const running = model.generate({ ...PROMPT, maxTokens: 1e5, maxOperations: Infinity });
  await null;
  const waiting = model.forward({ ids: [1] });
  other.terminate();
  for (const each of [running, waiting, model.forward({ ids: [1] }), other.softmax(x)]) {
    await assert.rejects(each, { name: 'GlassformerError', code: 'freed', parameter: 'worker' });
  }
});

test('a worker of the caller, and one that is none', async () => {
  const own = new Worker("require('node:worker_threads').parentPort.on('message', () => {})", { eval: true });
  const calls = connect(own);
  const asked = calls.call('any', []);
  calls.terminate(new Error('over'));
  await assert.rejects(asked, { message: 'over' });
  const broken = loadWorker({ worker: () => new Worker('throw new Error("broken script")', { eval: true }) });
  await assert.rejects(broken, { code: 'unsupported', parameter: 'worker', message: /worker-thread.*broken script/ });
});

const ENDED = { name: 'GlassformerError', code: 'freed', parameter: 'worker' };

for (const [way, [end, message]] of Object.entries(WAYS)) {
  test(`a worker that ends by itself (${way}): what waits rejects, and what is asked later`, async () => {
    const worker = mortal();
    const other = await loadWorker({ worker });
    const model = await other.createModel(WRITER);
    const trainer = await model.trainer();
    const running = model.generate({ ...PROMPT, maxTokens: 1e5, maxOperations: Infinity });
    await null;
    const waiting = [model.forward({ ids: [1] }), trainer.step(BATCH), trainer.train([BATCH]), model.save()];
    const refused = [running, ...waiting].map((each) => assert.rejects(each, { ...ENDED, message }));
    await new Promise((resolve) => setTimeout(resolve, 20));
    end(worker);
    await Promise.all(refused);
    await assert.rejects(other.softmax(x), ENDED);
    await assert.rejects(model.forward({ ids: [1], signal: new AbortController().signal }), ENDED);
    await assert.rejects(model.free(), ENDED);
    other.terminate();
    await assert.rejects(other.softmax(x), { code: 'freed', parameter: 'worker', message: /terminated/ });
  });
}

test('a worker that ends while it is loaded, or has ended before, could not be started', async () => {
  const given = { code: 'unsupported', parameter: 'worker' };
  const ending = loadWorker({ worker: () => new Worker('process.exit(4)', { eval: true }) });
  await assert.rejects(ending, { ...given, message: /code 4/ });
  const ended = new Worker('', { eval: true });
  await once(ended, 'exit');
  await assert.rejects(loadWorker({ worker: ended }), { ...given, message: /ended/ });
});

test('a script that is not there is named, and no policy is blamed', async () => {
  const worker = new URL('no-such-script.js', import.meta.url);
  await assert.rejects(loadWorker({ worker }), (/** @type {any} */ { code, parameter, value, message }) => {
    assert.deepEqual([code, parameter, value], ['unsupported', 'worker', String(worker)]);
    assert.match(message, /its script did not start: is it there/);
    assert.doesNotMatch(message, /Content-Security-Policy/);
    return true;
  });
});

test('a program ends when its worker has, with the error of the call', () => {
  const program = `import { load } from 'glassformer/worker';
    import { mortal, WAYS } from './tests/js/mortal-worker.js';
    const worker = mortal();
    const gf = await load({ worker });
    const model = await gf.createModel({ kind: 'decoder', vocabulary: 5, head: 'tied' });
    const call = model.generate({ ids: [1], maxTokens: 1e6, maxOperations: Infinity });
    WAYS.exit[0](worker);
    console.log(await call.catch(({ code }) => code), await gf.relu([1]).catch(({ code }) => code));`;
  const given = ['--input-type=module', '-e', program];
  const { stdout, status, stderr } = spawnSync(process.execPath, given, { encoding: 'utf8', timeout: 60_000 });
  assert.deepEqual([stdout, status], ['freed freed\n', 0], stderr);
});

test('a program ends though it has not terminated its worker', () => {
  const program = `import { load } from 'glassformer/worker';
    const gf = await load();
    const { data } = await gf.relu({ data: [-1, 2], shape: [2] });
    console.log(data.join());`;
  const { stdout, status } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  assert.deepEqual([stdout, status], ['0,2\n', 0]);
});
