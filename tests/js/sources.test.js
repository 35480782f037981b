// Every kind of source opens, or is refused, in an engine of this thread as in one of a worker.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { load } from 'glassformer';
import { startHub } from '../hub.js';

const [here, there] = [await load({ variant: 'simd' }), await load({ variant: 'simd', worker: true })];
const made = here.createModel({
  kind: 'decoder',
  vocabulary: 9,
  d_model: 16,
  heads: 4,
  d_ff: 24,
  layers: 1,
  head: 'linear',
  seed: 3,
});
const bytes = new Uint8Array(await made.save());
const folder = new URL('../checkpoints/gpt2-2l/', import.meta.url);
const partsOf = () =>
  ['config.json', 'tokenizer.json', 'model.safetensors'].map((name) => [name, readFileSync(new URL(name, folder))]);
const parts = Object.fromEntries(partsOf());
const page = '<!DOCTYPE html><title>Sign in</title>';

const server = createServer((request, response) => {
  const name = String(request.url).slice(1);
  const file = name === 'model' ? bytes : parts[name];
  response.writeHead(name === 'page' || file ? 200 : 404).end(name === 'page' ? page : (file ?? ''));
});
await new Promise((done) => server.listen(0, '127.0.0.1', () => done(undefined)));
const base = `http://127.0.0.1:${/** @type {any} */ (server.address()).port}/`;
const hub = await startHub();
after(() => (server.closeAllConnections(), server.close(), hub.close(), there.terminate()));

/**
 * Webpack turns `new URL(file, import.meta.url)` into such an object of URL: its href is relative.
 * @param {string} to
 */
function relativeUrl(to) {
  const real = new URL(to, 'x:/');
  return Object.create(URL.prototype, {
    ...Object.fromEntries(Object.keys(URL.prototype).map((key) => [key, { value: /** @type {any} */ (real)[key] }])),
    ...{ href: { value: to }, pathname: { value: to }, origin: { value: '' }, protocol: { value: '' } },
    ...{ toString: { value: () => to }, toJSON: { value: () => to } },
  });
}

const path = relative(process.cwd(), fileURLToPath(folder));
const stream = () => new Blob([bytes]).stream();
const read = async () => {
  const response = new Response(bytes);
  await response.arrayBuffer();
  return response;
};
const files = () => Object.entries(parts).map(([name, data]) => new File([data], name));
const fileList = () => Object.assign(files(), { get [Symbol.toStringTag]() { return 'FileList'; } }); // prettier-ignore
const { 'config.json': config, 'tokenizer.json': tokenizer, 'model.safetensors': weights } = parts;

/** By what it is: the source, made anew for each engine. @type {Record<string, () => any>} */
const SOURCES = {
  'a path of a folder': () => `${path}/`,
  'a path of a folder without its end': () => path,
  'a path that is not there': () => 'tests/checkpoints/none.safetensors',
  'a URL of a folder': () => folder,
  'a URL object with a relative href': () => relativeUrl(`${path}/`),
  'an address': () => `${base}model`,
  'an address of a folder': () => base,
  'a URL': () => new URL(`${base}model`),
  'an address that is not there': () => `${base}none`,
  'an address of a page': () => `${base}page`,
  'an address that is none': () => 'http://[',
  'a Response': () => new Response(bytes),
  'a Response of fetch': () => fetch(`${base}model`),
  'a Response of a page': () => new Response(page),
  'a Response of an error': () => new Response('', { status: 404 }),
  'a Response of a part': () => new Response(bytes.slice(0, 90), { status: 206 }),
  'a Response without a body': () => new Response(null),
  'a Response that was read': read,
  'a Response whose body is read': () => {
    const response = new Response(bytes);
    response.body?.getReader();
    return response;
  },
  'a fetch that fails': () => Promise.reject(new TypeError('fetch failed')),
  'a Blob': () => new Blob([bytes]),
  'a File': () => new File([bytes], 'model.safetensors'),
  'a Blob of nothing': () => new Blob([]),
  'an ArrayBuffer': () => bytes.slice().buffer,
  'a typed array': () => bytes.slice(),
  'a view of a part': () => new Uint8Array([0, ...bytes, 0]).subarray(1, 1 + bytes.length),
  'a DataView': () => new DataView(bytes.slice().buffer),
  'a Buffer of Node': () => Buffer.from(bytes),
  'a promise of bytes': async () => bytes.slice(),
  'a list of files': files,
  'a FileList': fileList,
  'named files': () => ({ config, tokenizer, weights }),
  'named Responses': () => ({ config: new Response(config), weights: new Response(weights) }),
  'named files, of which one is unknown': () => ({ config, weights, merges: tokenizer }),
  'a Map': () => new Map([['config', config]]),
  'a ReadableStream': stream,
  'a function': () => () => bytes,
  'a name of the hub': () => 'hub:test/gpt2-2l',
  'a name of no model of the hub': () => 'hub:test/none',
  nothing: () => undefined,
  null: () => null,
  'a number': () => 7,
};

/** The logits of an opened model, or the reason why it does not open. @param {any} engine @param {() => any} source */
async function answer(engine, source) {
  try {
    const given = source();
    const options =
      typeof given === 'string' && given.startsWith('hub:') ? { endpoint: hub.endpoint, cache: false } : {};
    const { model, tokenizer: words } = await engine.loadModel(given, options);
    const { logits } = await model.forward({ ids: [1, 5, 3] });
    await model.free();
    return { logits: [...logits.data], words: Boolean(words) };
  } catch (error) {
    const { name, code, parameter, message } = /** @type {any} */ (error);
    return { name, code, parameter, message };
  }
}

test('each kind of source: the same logits or the same refusal from both engines', async (t) => {
  const opened = [];
  for (const [what, source] of Object.entries(SOURCES)) {
    const [wanted, got] = [await answer(here, source), await answer(there, source)];
    assert.deepEqual({ ...got, message: '' }, { ...wanted, message: '' }, what);
    if (wanted.logits) opened.push(what);
    else assert.equal(wanted.name, 'GlassformerError', `${what}: ${wanted.message}`);
  }
  t.diagnostic(`${opened.length} of ${Object.keys(SOURCES).length} open`);
  assert.equal(opened.length, 22, opened.join(', '));
});

test('a relative address in a worker is the page’s', async () => {
  const state = /** @type {any} */ (globalThis);
  Object.assign(state, { location: { href: 'http://elsewhere.invalid/' }, document: { baseURI: base } });
  try {
    for (const source of ['model', './model', '/model', relativeUrl('/model'), relativeUrl('./model')]) {
      const { model } = await there.loadModel(source);
      assert.deepEqual((await model.forward({ ids: [1, 5] })).logits.shape, [1, 2, 9]);
      await model.free();
    }
  } finally {
    delete state.location;
    delete state.document;
  }
});
