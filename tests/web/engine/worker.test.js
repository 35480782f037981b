// The page's worker as a thread of Node: each kind of request, its answer or its error in a reader's words, its end.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Worker as Thread } from 'node:worker_threads';
import { load } from 'glassformer';
import { readModel } from '../../../src/models/measure.mjs';
import { defaultState, trainedState } from '../../../web/app/schema.js';
import { makePlan } from '../../../web/engine/plan.js';
import { connectWorker } from '../../../web/engine/protocol.js';

const gf = await load();
Reflect.set(globalThis, 'origin', 'https://example.org');
after(() => Reflect.deleteProperty(globalThis, 'origin'));
const web = new URL('../../../web/', import.meta.url);
const TEXT = 'the dog did not jump over the creek because it was deep .';

/**
 * The worker's script, as a browser runs it beside the models. `code` runs before it.
 * @param {string} code
 */
const script = (code) => `import { parentPort } from 'node:worker_threads';
  import { readFile } from 'node:fs/promises';
  globalThis.postMessage = (message, moved) => parentPort.postMessage(message, moved);
  const { fetch } = globalThis;
  globalThis.fetch = async (url, options) => /^models/.test(url)
    ? readFile(new URL(url, '${web}')).then((bytes) => new Response(bytes), () => new Response('', { status: 404 }))
    : fetch(url, options);
  ${code};
  await import('${new URL('engine/worker.js', web)}');
  parentPort.on('message', (data) => globalThis.onmessage({ data }));`;

/** @param {import('node:test').TestContext} t @param {string} [code] */
function connected(t, code = '') {
  const thread = new Thread(new URL(`data:text/javascript,${encodeURIComponent(script(code))}`));
  t.after(() => thread.terminate());
  /** @type {any[]} */
  const heard = [];
  const take = (/** @type {any} */ response) => void heard.push(response);
  const handlers = { result: take, refused: take, opened: take, token: take, saved: take, failed: take };
  const { post } = connectWorker({ worker: /** @type {any} */ (thread), isLost: false }, handlers);
  return { heard, thread, post: /** @type {(request: any) => Promise<any>} */ (post) };
}

/** @param {any} state @param {any} [info] @param {object} [more] */
function runOf(state, info, more) {
  const { key, config, ids, targetIds, interventions, model, generate } = makePlan(state, info);
  const what = { key, config, ids, targetIds, interventions, model, generate, maskNames: {}, plans: 1 };
  return { type: 'run', id: 7, names: ['logits'], focus: { layer: 0, row: 0 }, ...what, ...more };
}

test('a model is opened, run, continued, saved and forgotten; the numbers are Node’s', async (t) => {
  const { post, heard } = connected(t);
  const { info } = await post({ type: 'open', model: 'creek' });
  const known = readModel('creek');
  assert.deepEqual([info.name, info.vocabulary], ['creek', known.vocabulary]);
  const own = gf.createModel(known.config);
  own.loadWeights(known.weights, { strict: false });
  const state = { ...trainedState('creek', known.config), text: TEXT };
  const result = await post(runOf(state, info, { names: ['logits', '@corpus/encoder/0/3'] }));
  const ids = TEXT.split(' ').map((word) => known.vocabulary.indexOf(word));
  assert.deepEqual(result.tensors.logits.data, own.forward({ ids }).logits?.data);
  assert.deepEqual([result.type, result.id, heard.at(-1)], ['result', 7, result]);
  assert(result.derived['@corpus/encoder/0/3'], 'with the sentences beside the model');
  const { memoryBytes, ...facts } = result.facts;
  const { variant, reason, version } = gf;
  const { parameterCount: parameters } = own;
  const { milliseconds } = facts;
  assert.deepEqual(facts, { variant, reason, version, parameters, milliseconds, finite: true, absent: [], part: null });
  assert(memoryBytes > 0 && result.written === null);

  const query = { model: 'creek', config: { seed: 0, ...info.config }, interventions: [] };
  const saved = await post({ type: 'save', format: 'safetensors', ...query });
  assert.deepEqual([saved.type, saved.format, saved.bytes], ['saved', 'safetensors', await own.save()]);
  const { bytes } = await post({ type: 'save', format: 'onnx', ...query });
  assert.deepEqual(bytes, await own.save({ format: 'onnx' }));

  const writer = gf.createModel({
    kind: 'decoder',
    vocabulary: 20,
    d_model: 16,
    heads: 2,
    layers: 2,
    head: 'linear',
    seed: 3,
  });
  const opened = await post({
    type: 'open',
    model: 'given',
    file: new Blob([/** @type {any} */ (await writer.save())]),
  });
  assert.equal(opened.info.name, 'given');
  const asked = { model: 'given', config: { seed: 0, ...opened.info.config }, interventions: [], ids: [1, 2, 3] };
  const options = { maxTokens: 6, temperature: 1, topK: 0, seed: 5 };
  const request = { type: 'generate', id: 3, ...asked, options, signal: new AbortController().signal };
  const { newIds } = writer.generateSync({ ids: [1, 2, 3], ...options });
  for (const [ending, count] of /** @type {[number[], number][]} */ ([
    [[-1], 6],
    [[newIds[2]], newIds.indexOf(newIds[2]) + 1],
  ])) {
    heard.length = 0;
    assert.equal(await post({ ...request, ending }), undefined);
    await new Promise(setImmediate);
    const tokens = [...newIds.slice(0, count)].map((token) => ({ type: 'token', id: 3, token }));
    assert.deepEqual(heard, tokens);
  }
  heard.length = 0;
  const { error, ...token } = await post({ ...request, ending: [-1], signal: AbortSignal.abort() });
  assert.deepEqual([token, error.code, heard.length], [{ type: 'token', id: 3 }, 'internal', 1]);
  /** Until all of the corpus has been read. */
  async function tokensOfCorpus() {
    const run = { ...runOf(defaultState()), ...asked, names: ['@corpus/decoder/0'], key: 'given' };
    for (;;) {
      const { derived } = await post(run);
      const census = derived['@corpus/decoder/0'];
      if (!census.unfinished) return [...census.ids];
    }
  }
  assert.deepEqual(await tokensOfCorpus(), [1, 2, 3], 'of a model without one, the text');
  const sentences = { type: 'corpus', model: 'given', id: 0, ids: [[3, 4, 5], [1, 2]] }; // prettier-ignore
  assert.equal(await post(sentences), undefined);
  assert.deepEqual(await tokensOfCorpus(), [1, 2, 3, 4, 5], 'the shortest first');
  assert.equal(await post({ type: 'forget', model: 'given', id: 0 }), undefined);
});

test('what is refused is an error in words, of its own kind, and the next request is answered', async (t) => {
  const { post, heard } = connected(t);
  const state = defaultState();
  const heads = runOf({ ...state, settings: { ...state.settings, heads: 5 } });
  const first = runOf(state, undefined, { names: ['encoder.input'] });
  const { tensors } = await post(first);
  const message = 'Heads must divide d_model = 64, not 5.';
  const refused = { type: 'refused', id: 7, error: { code: 'config', parameter: 'heads', message } };
  assert.deepEqual(await post(heads), refused);
  assert.deepEqual(heard.at(-1), refused);
  const wide = runOf({ ...state, settings: { ...state.settings, d_model: 20000 } });
  assert.match((await post(wide)).error.message, /must be at most 16,384 on this page, not 20000\.$/);
  const odd = { ...first, interventions: [{ what: 'x' }] };
  assert.deepEqual((await post(odd)).error, {
    ...{ code: 'unknown', parameter: 'interventions', message: 'One of the changes is of an unknown kind.' },
  });
  assert.deepEqual((await post({ ...first, names: ['@nothing'] })).error, {
    ...{
      code: 'internal',
      parameter: '',
      message: 'Something on this page went wrong. Undo the last change or reload the page.',
    },
  });
  assert.deepEqual((await post(first)).tensors, tensors);

  const { settings: config } = state;
  const saved = await post({
    type: 'save',
    format: 'onnx',
    model: null,
    config: { ...config, heads: 5 },
    interventions: [],
  });
  assert.deepEqual([saved.type, saved.bytes, saved.error.parameter], ['saved', null, 'heads']);
  const missing = { code: 'internal', parameter: '', message: 'models/nobody.safetensors could not be fetched (404)' };
  assert.deepEqual(await post({ type: 'open', model: 'nobody' }), { type: 'opened', model: 'nobody', error: missing });
  const damaged = await post({ type: 'open', model: 'own', file: new Uint8Array([1, 2, 3]) });
  assert.deepEqual([damaged.type, damaged.model, damaged.error.code], ['opened', 'own', 'format']);
  assert.match(damaged.error.message, /^\w+: /, 'with the names that the file has');
});

const TRAP = (/** @type {number} */ times) => `const { instantiate } = WebAssembly;
  let left = ${times};
  WebAssembly.instantiate = async (...given) => {
    const instance = await instantiate(...given);
    const trap = () => { throw new WebAssembly.RuntimeError('out of bounds'); };
    return left-- > 0 ? { exports: { ...instance.exports, gf_model_forward: trap, gf_model_extend: trap } } : instance;
  }`;

const NO_CORPUS = `const get = globalThis.fetch;
  globalThis.fetch = (url, more) => get(/corpus/.test(url) ? 'models/none' : url, more)`;

test('only those sentences are fetched that are asked for, and a missing file is named', async (t) => {
  const { post } = connected(t, NO_CORPUS);
  const { info } = await post({ type: 'open', model: 'creek' });
  const state = { ...trainedState('creek', info.config), text: TEXT };
  assert.equal((await post(runOf(state, info))).type, 'result');
  const { error } = await post(runOf(state, info, { names: ['@corpus/encoder/0'] }));
  assert.equal(error.message, 'models/creek.corpus.json could not be fetched (404)');
});

test('a module that breaks down is replaced; where the next does too, that is said', async (t) => {
  const request = runOf(defaultState(), undefined, { names: ['encoder.input'] });
  const { post } = connected(t, TRAP(1));
  assert.equal((await post(request)).type, 'result');
  const broken = connected(t, TRAP(9));
  const { type, error } = await broken.post(request);
  assert.deepEqual([type, error.code, error.parameter], ['refused', 'broken', '']);
  assert.match(error.message, /^The WebAssembly module broke down, and so did a fresh one: .*“out of bounds”\.$/);
});

test('a worker that is lost is told once, and each request with it', async (t) => {
  const { heard, thread, post } = connected(t);
  const { type } = await post(runOf(defaultState(), undefined, { names: ['encoder.input'] }));
  assert.equal(type, 'result');
  const waiting = post({ type: 'open', model: 'creek' });
  await thread.terminate();
  const problem = { code: 'broken', parameter: '', message: 'The part of the page that computes has stopped.' };
  assert.deepEqual(await waiting, { type: 'opened', model: 'creek', error: problem });
  assert.deepEqual(await post({ type: 'open', model: 'creek' }), { type: 'opened', model: 'creek', error: problem });
  await new Promise((done) => setTimeout(done, 5));
  assert.deepEqual(heard.filter(({ type: of }) => !of), [problem]); // prettier-ignore

  for (const [origin, more] of [
    ['https://example.org', ''],
    ['null', ' A frame needs sandbox="allow-scripts allow-same-origin" for it.'],
  ]) {
    Reflect.set(globalThis, 'origin', origin);
    const message = `The part of the page that computes could not be started.${more}`;
    for (const started of [
      { worker: null, isLost: false },
      { worker: /** @type {any} */ ({}), isLost: true },
    ]) {
      /** @type {any[]} */
      const failed = [];
      const page = connectWorker(
        started,
        /** @type {any} */ ({ failed: (/** @type {any} */ why) => failed.push(why), opened() {} }),
      );
      const error = { code: 'broken', parameter: '', message };
      assert.deepEqual(await page.post({ type: 'open', model: 'x' }), { type: 'opened', model: 'x', error });
      await new Promise((done) => setTimeout(done, 2));
      assert.deepEqual(failed, [error]);
    }
  }
});
