// Passes cut over threads: the bits of one thread, whatever the model and the number of threads; and how they end.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, test } from 'node:test';

import { load } from 'glassformer';
import { load as loadWorker } from 'glassformer/worker';
import { forwardCut } from '../../src/js/engine/model.js';
import { coreOf } from '../../src/js/engine/engine.js';
import { load as loadSource } from '../../src/js/entries/core.js';
import { Slices, takePart } from '../../src/js/worker/slices.js';
import { mortal, WAYS } from './mortal-worker.js';
import { smallMemory } from './small-memory.js';

const here = await load({ variant: 'simd' });
/** Engines on two and three threads, which cut also what is too small to gain, and the threads of each. */
const teams = await Promise.all(
  [2, 3].map(async (workers) => {
    const threads = [];
    const worker = () => threads[threads.push(mortal()) - 1];
    const gf = await loadWorker({ variant: 'simd', threads: workers, worker, least: 0 });
    return { gf, workers, threads };
  }),
);
after(() => teams.forEach(({ gf }) => gf.terminate()));

const SMALL = { kind: 'decoder', vocabulary: 37, d_model: 64, heads: 4, d_ff: 72, layers: 2, maxLength: 80 };
const MODERN = /** @type {const} */ ({
  ...{ normKind: 'rms', norm: 'pre', finalNorm: true, positions: 'rotary', ffn: 'gated', activation: 'silu' },
  ...{ attentionBias: false, ffnBias: false, embeddingScale: false, head: 'linear' },
});
const MODELS = {
  'pre-LN, learned positions, tied': { norm: 'pre', positions: 'learned', head: 'tied', finalNorm: true },
  'post-LN, a window, GELU, untied': { window: 3, activation: 'gelu', head: 'linear', d_ff: 60 },
  'no norm, residual, bias or FFN': { norm: 'none', residual: false, attentionBias: false, d_ff: 0, head: 'tied' },
  'one head, plain norms and scores': { heads: 1, normAffine: false, scoreScale: false, head: 'tied', headBias: false },
  'bfloat16, a head of 24 columns': { d_model: 96, weights: 'bf16', head: 'tied', embeddingNorm: true },
  'int8, columns that fill no block': { d_model: 48, heads: 3, weights: 'int8', head: 'tied' },
  'float16, a transform': { weights: 'f16', headTransform: true, activation: 'silu', head: 'linear' },
  'the block of today': { ...MODERN, keyValueHeads: 2, head: 'tied' },
  'one key head for six, wide heads, norms of both': {
    ...{ ...MODERN, heads: 6, keyValueHeads: 1, headWidth: 24, qkNorm: true, attentionOutBias: false, ffnBias: true },
    ...{ attentionBias: true, positionsFrom: 'first', ropeScaling: 'llama3', ropeFactor: 4, ropeOriginalLength: 20 },
  },
  'grouped heads of bfloat16, a window': {
    ...MODERN,
    d_model: 96,
    heads: 6,
    keyValueHeads: 3,
    weights: 'bf16',
    window: 4,
  },
  'grouped heads of int8, GeGLU': { ...MODERN, keyValueHeads: 2, weights: 'int8', activation: 'gelu', d_ff: 80 },
  'attention and FFN side by side, a part of each head turned': {
    ...{ ...MODERN, normKind: 'layer', ffn: 'plain', activation: 'gelu', attentionBias: true, ffnBias: true },
    ...{ parallel: true, ropeWidth: 6, layers: 3 },
  },
  'side by side, in bfloat16': { ...MODERN, parallel: true, ropeWidth: 4, keyValueHeads: 2, weights: 'bf16' },
  'an encoder of today': {
    ...MODERN,
    kind: 'encoder',
    norm: 'post',
    ropeScaling: 'linear',
    ropeFactor: 2,
    ffn: 'plain',
  },
  'turned by what is seen': { ...MODERN, positionsFrom: 'visible', normKind: 'layer', ropeTheta: 100.1 },
  'an encoder with types': { kind: 'encoder', types: 2, headTransform: true, head: 'tied', activation: 'gelu-tanh' },
  'top-k': { activation: 'top-k', active: 9, head: 'tied', d_ff: 200 },
  'no head': { heads: 0, norm: 'pre', head: 'tied', d_ff: 200 },
  'an encoder-decoder': {
    kind: 'encoder-decoder',
    norm: 'pre',
    head: 'linear',
    targetVocabulary: 30,
    activation: 'gelu',
  },
  'an encoder-decoder of today': {
    ...MODERN,
    kind: 'encoder-decoder',
    keyValueHeads: 2,
    tiedEmbeddings: true,
    head: 'tied',
  },
  'an encoder of vectors': { kind: 'encoder', vocabulary: 0, globalLayers: 1, window: 2 },
};

const ids = (/** @type {number} */ length, first = 0) => Array.from({ length }, (_, i) => (first + i * i) % 37);
const vectors = { data: Float32Array.from({ length: 640 }, (_, i) => Math.sin(i)), shape: [2, 5, 64] };
const mask = Array.from({ length: 5 }, (_, i) => Array.from({ length: 5 }, (_, j) => (j > i + 1 ? -Infinity : i - j)));
const padding = [[0, 0, 0, 0, 1], [0, 0, 0, 1, 1]]; // prettier-ignore

/** Calls one after the other, each of which may go on from the last. */
const CALLS = {
  decoder: [
    ['forward', { ids: ids(5) }],
    ['forward', { ids: ids(9) }],
    ['forward', { ids: [...ids(7), 3, 3, 3] }],
    ['forward', { ids: ids(4) }],
    ['forward', { ids: ids(70) }],
    ['generate', { ids: ids(6), maxTokens: 20, temperature: 1, seed: 0 }],
    ['generate', { ids: [...ids(6), 2, 2], maxTokens: 40, window: 12 }],
    ['forward', { ids: ids(3) }],
    ['generate', { ids: ids(5), maxTokens: 4 }],
    ['generate', { ids: ids(5), maxTokens: 3, cache: false }],
    ['initialize', 5],
    ['generate', { ids: [ids(5), ids(4, 1)], maxTokens: 4 }],
    ['forward', { ids: ids(5), capture: true }],
    ['forward', { ids: ids(6) }],
    ['forward', { ids: ids(6), logits: false }],
    ['forward', { ids: [ids(5), ids(5, 3)], padding, mask }],
    ['forward', { ids: ids(5), mask, padding: padding[0] }],
  ],
  encoder: [
    ['forward', { ids: ids(5) }],
    ['forward', { ids: [ids(5), ids(5, 3)], padding }],
    ['forward', { ids: [ids(5), ids(5, 3)], mask }],
  ],
  'encoder-decoder': [
    ['forward', { sourceIds: ids(7), targetIds: [1, 2, 3] }],
    ['forward', { sourceIds: ids(7), targetIds: [1, 2, 3, 4, 5] }],
    [
      'forward',
      {
        sourceIds: [ids(5), ids(5, 3)],
        sourcePadding: padding,
        targetIds: [
          [1, 2],
          [3, 4],
        ],
      },
    ],
    ['generate', { sourceIds: ids(9), targetIds: [1], maxTokens: 8, temperature: 1, seed: 0 }],
  ],
  vectors: [
    ['forward', { vectors }],
    ['forward', { vectors, padding, mask }],
  ],
};

for (const [name, given] of Object.entries(MODELS)) {
  test(`the bits of one thread: ${name}`, async () => {
    const config = { ...SMALL, ...given, seed: 3 };
    const one = here.createModel(config);
    const remotes = await Promise.all(teams.map(({ gf }) => gf.createModel(config)));
    for (const [method, options] of CALLS[config.vocabulary ? config.kind : 'vectors']) {
      const expected = await one[method](options);
      const results = await Promise.all(remotes.map((remote) => remote[method](options)));
      for (const result of results) assert.deepEqual(result, expected, `${method} ${JSON.stringify(options)}`);
    }
    await Promise.all(remotes.map((remote) => remote.free()));
    for (const { gf, workers } of teams) assert.equal(gf.threads, workers, 'all threads took part');
  });
}

/** An engine on three threads of its own. */
async function three() {
  const threads = [];
  const worker = () => threads[threads.push(mortal()) - 1];
  return { gf: await loadWorker({ variant: 'simd', threads: 3, worker, least: 0 }), threads };
}

function ended(/** @type {any} */ thread) {
  thread.ref();
  return thread.threadId === -1 || new Promise((end) => thread.once('exit', end));
}

test('a model that is trained, or one after another, is sent anew', async () => {
  const config = { ...SMALL, head: 'linear' };
  const one = here.createModel(config);
  const remote = await teams[0].gf.createModel(config);
  const batch = { ids: ids(5), labels: ids(5, 1) };
  const trainer = await remote.trainer({ learningRate: 0.1 });
  one.trainer({ learningRate: 0.1 }).step(batch);
  await remote.forward({ ids: ids(5) });
  await trainer.step(batch);
  assert.deepEqual(await remote.forward({ ids: ids(5) }), one.forward({ ids: ids(5) }));
  const streamed = [];
  for await (const { id } of remote.generate({ ids: ids(3), maxTokens: 9 })) streamed.push(id);
  assert.deepEqual(streamed, [...one.generateSync({ ids: ids(3), maxTokens: 9 }).newIds]);
});

for (const way of ['from outside', 'an exception']) {
  test(`a thread that is lost under way (${way}) leaves the work to one`, async () => {
    const { gf, threads } = await three();
    const one = here.createModel({ ...SMALL, head: 'tied' });
    const model = await gf.createModel({ ...SMALL, head: 'tied' });
    await model.forward({ ids: ids(20) });
    const prompt = { ids: ids(20), maxTokens: 50, temperature: 1, seed: 0 };
    const seen = [];
    for await (const { id } of model.generate(prompt)) if (seen.push(id) === 5) WAYS[way][0](threads[2]);
    assert.deepEqual(seen, [...one.generateSync(prompt).newIds]);
    await Promise.all([ended(threads[1]), ended(threads[2])]);
    assert.deepEqual(await model.forward({ ids: ids(21) }), one.forward({ ids: ids(21) }));
    assert.equal(gf.threads, 1);
    gf.terminate();
  });
}

/** Its arrays are large: 100 rows take 7 MB, 400 rows 27; the weights 8, and half of them in another thread. */
const WIDE = { kind: 'encoder', vocabulary: 37, d_model: 64, heads: 4, d_ff: 16_384, layers: 1, positions: 'none' };

test('all threads compute what one has memory for, also after a pass that none has memory for', async () => {
  const threads = [];
  const worker = () => threads[threads.push(mortal()) - 1];
  const gf = await loadWorker({ wasm: smallMemory(2 ** 26), threads: 3, worker, least: 0 });
  const one = here.createModel({ ...WIDE, seed: 3 });
  const model = await gf.createModel({ ...WIDE, seed: 3 });
  const active = () => threads.slice(1).map(({ performance }) => performance.eventLoopUtilization().active);
  for (let turn = 0; turn < 3; turn++) {
    for (const length of [100, 400]) {
      const before = active();
      const { output } = await model.forward({ ids: ids(length) });
      assert.deepEqual(output, one.forward({ ids: ids(length) }).output, `${length} rows, turn ${turn}`);
      assert.equal(gf.threads, 3);
      assert.ok(active().every((each, i) => each > before[i]), 'each thread was asked'); // prettier-ignore
    }
  }
  await assert.rejects(model.forward({ ids: ids(4000), maxOperations: Infinity }), { code: 'memory' });
  assert.deepEqual((await model.forward({ ids: ids(90) })).output, one.forward({ ids: ids(90) }).output);
  assert.equal(gf.threads, 3);
  gf.terminate();
});

/** An engine and another thread as two parts of this one, so that what goes from one to the other can be counted. */
async function inOneThread(/** @type {number} */ bytes, /** @type {number} */ bytesOfOther) {
  const gf = await loadSource({ wasm: smallMemory(bytes) });
  const core = coreOf(gf);
  const module = await WebAssembly.compile(smallMemory(bytesOfOther));
  const [pieces, control] = [new MessageChannel(), new MessageChannel()];
  const post = pieces.port2.postMessage.bind(pieces.port2);
  let sent = 0;
  pieces.port2.postMessage = (/** @type {any[]} */ ...message) => {
    sent += Number(message[0] instanceof Float32Array);
    post(.../** @type {[any]} */ (message));
  };
  void takePart(1, [pieces.port2, null]);
  const own = { ...core, module };
  const slices = new Slices(own, [null, pieces.port1], control.port1, 0);
  core.slices = own.slices = slices;
  return {
    gf,
    close: () => [pieces, control].forEach(({ port1 }) => port1.close()),
    /** @returns {Promise<[any, boolean]>} the result, and whether the other thread computed a part of it */
    async forward(/** @type {any} */ model, /** @type {object} */ options) {
      const before = sent;
      return [(await forwardCut(model, options, undefined, slices)).output.data, sent > before];
    },
  };
}

test('whatever rows come, each pass has its bits, and is cut if it fits in both threads', async () => {
  const { gf, forward, close } = await inOneThread(2 ** 27, 2 ** 25);
  const [model, one] = [gf.createModel({ ...WIDE, seed: 5 }), here.createModel({ ...WIDE, seed: 5 })];
  const cuts = [];
  for (const length of [50, 400, 50, 100, 420, 100, 3, 410, 3]) {
    const [data, isCut] = await forward(model, { ids: ids(length) });
    assert.deepEqual(data, one.forward({ ids: ids(length) }).output.data, `${length} rows`);
    cuts.push(isCut);
  }
  assert.deepEqual(cuts, [true, false, true, true, false, true, true, false, true]);
  close();
});

test('where the other thread alone lacks memory: for a pass, for a model, until another is freed', async () => {
  const { gf, forward, close } = await inOneThread(2 ** 27, 3 * 2 ** 23);
  const options = { ids: ids(20) };
  const models = [1, 2, 3, 4, 5, 6].map((seed) => gf.createModel({ ...WIDE, seed }));
  const expected = [1, 2, 3, 4, 5, 6].map(
    (seed) => here.createModel({ ...WIDE, seed }).forward(options).output.data, // prettier-ignore
  );
  const run = async (/** @type {number} */ i) => {
    const [data, isCut] = await forward(models[i], options);
    assert.deepEqual(data, expected[i], `model ${i}`);
    return isCut;
  };
  const cuts = [];
  for (const i of models.keys()) cuts.push(await run(i));
  assert.equal(cuts[0], true);
  assert.equal(cuts[5], false, `${cuts}`);
  assert.equal(await run(5), false, 'nor are its weights sent again');
  assert.equal(await run(0), true, 'the others stay');
  for (const i of [0, 1, 2]) models[i].free();
  assert.equal(await run(5), true);
  const [, isCut] = await forward(models[5], { ids: ids(300) });
  assert.equal(isCut, false);
  assert.equal(await run(5), true);
  close();
});

test('a token after a pass that was not cut goes on from it, and after one that does not fit any more', async () => {
  const { gf, forward, close } = await inOneThread(2 ** 27, 2 ** 25);
  const config = { ...WIDE, kind: 'decoder', positions: 'none', seed: 4 };
  const [model, one] = [gf.createModel(config), here.createModel(config)];
  const cuts = [];
  for (const length of [100, 101, 300, 301, 120, 121]) {
    const [data, isCut] = await forward(model, { ids: ids(length) });
    assert.deepEqual(data, one.forward({ ids: ids(length) }).output.data, `${length} tokens`);
    cuts.push(isCut);
  }
  assert.ok(cuts.includes(true) && cuts.includes(false), `${cuts}`);
  close();
});

test('the threads end with the engine, however that ends', async () => {
  for (const end of [({ gf }) => gf.terminate(), ({ threads }) => WAYS.exit[0](threads[0])]) {
    const team = await three();
    end(team);
    await Promise.all(team.threads.map(ended));
    await assert.rejects(team.gf.createModel(SMALL), { code: 'freed' });
  }
});

test('a program ends though it has not terminated its threads', () => {
  const program = `import { load } from 'glassformer/worker';
    const gf = await load({ threads: 2 });
    console.log(gf.threads);`;
  const { stdout, status } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  assert.deepEqual([stdout, status], ['2\n', 0]);
});

test('one thread computes where no other one starts, and where the pass is small', async () => {
  const worker = mortal();
  const alone = await loadWorker({ variant: 'simd', threads: 2, worker });
  assert.equal(alone.threads, 1);
  alone.terminate();
  let first = true;
  const gone = () => (first ? ((first = false), mortal()) : '/no/such/script.js');
  const gf = await loadWorker({ variant: 'simd', threads: 2, worker: gone });
  assert.equal(gf.threads, 1);
  assert.equal((await (await gf.createModel(SMALL)).forward({ ids: [1] })).output.data.length, 64);
  gf.terminate();
});

test('a thread that ends as it is joined leaves the work to one', async () => {
  let threads = 0;
  const worker = () => {
    const thread = mortal();
    const post = thread.postMessage.bind(thread);
    if (++threads === 2) {
      thread.postMessage = (message, moved) =>
        message.method === 'slice' ? void thread.terminate() : post(message, moved);
    }
    return thread;
  };
  const gf = await loadWorker({ variant: 'simd', threads: 2, worker, least: 0 });
  const { data } = (await (await gf.createModel(SMALL)).forward({ ids: ids(5) })).output;
  assert.deepEqual(data, here.createModel(SMALL).forward({ ids: ids(5) }).output.data);
  assert.equal(gf.threads, 1);
  gf.terminate();
});

test('refused: what is no number of threads, and workers of an engine that does not wait', async () => {
  for (const workers of [0, 1.5, 65, '2', NaN]) {
    await assert.rejects(loadWorker({ threads: workers }), { name: 'GlassformerError', parameter: 'threads' });
  }
  await assert.rejects(load({ threads: 2 }), { code: 'unsupported', message: /^threads: needs worker: true/ });
});
