// Models of the hub are kept: fetched once, opened without a network, by commit, whole or not at all.
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { load } from 'glassformer';
import { filesIn, startHub } from '../hub.js';
import { savedOf, writeTorch } from './torch-writer.js';

const gf = await load({ variant: 'simd' });
const base = mkdtempSync(join(tmpdir(), 'glassformer-kept-'));
const folder = join(base, 'glassformer/hub');
process.env.XDG_CACHE_HOME = base;
const hub = await startHub();
const { endpoint } = hub;
after(() => {
  hub.close();
  rmSync(base, { recursive: true });
});
beforeEach(() => rmSync(folder, { recursive: true, force: true }));

/** @param {string} name @param {object} [options] @param {any} [engine] */
async function logits(name, options = {}, engine = gf) {
  const { model, tokenizer } = await engine.loadModel(name, { endpoint, ...options });
  const result = await model.forward({ ids: [5, 80, 12, 33] });
  await model.free();
  return { data: [...result.logits.data], ids: tokenizer?.encode('The creek').ids };
}
const wanted = await logits('hub:test/gpt2-2l', { cache: false });

/** Runs without a network. @param {() => Promise<unknown>} run */
async function offline(run) {
  const real = globalThis.fetch;
  globalThis.fetch = async () => {
    throw new TypeError('fetch failed');
  };
  try {
    return await run();
  } finally {
    globalThis.fetch = real;
  }
}
const AWAY = { message: /could not be reached/ };
/** The files that the hub was asked for since the last call. */
const asked = () => hub.asked.splice(0).map((each) => each.replace(/^.*\//, ''));

/** A store of the caller's. @param {Map<string, {bytes: ArrayBuffer, status: number, headers: Headers}>} kept */
const memory = (kept) => ({
  get(/** @type {string} */ key) {
    const { bytes, status, headers } = kept.get(key) ?? {};
    return status && new Response(status === 200 ? bytes : null, { status, headers });
  },
  async put(/** @type {string} */ key, /** @type {Response} */ response) {
    kept.set(key, { bytes: await response.arrayBuffer(), status: response.status, headers: response.headers });
  },
});

test('a model is fetched once; its branch is asked about; without a network it opens as it was', async () => {
  asked();
  assert.deepEqual(await logits('hub:test/gpt2-2l'), wanted);
  assert.equal(asked().filter((each) => /^store|safetensors/.test(each)).length, 2, 'a redirect and the file');
  assert.deepEqual(await logits('hub:test/gpt2-2l'), wanted);
  assert.deepEqual(
    [...new Set(asked().map((each) => each.replace(/\?.*/, '').trim()))],
    ['config.json'],
    'to learn the commit',
  );
  assert.deepEqual(await offline(() => logits('hub:test/gpt2-2l')), wanted);
  await assert.rejects(
    offline(() => logits('hub:test/gpt2-2l', { cache: false })),
    AWAY,
  );
  await assert.rejects(
    offline(() => logits('hub:test/bert-2l')),
    AWAY,
  );
  await assert.rejects(
    offline(() => logits('hub:test/gpt2-2l', { revision: 'refs/pr/1' })),
    AWAY,
  );
});

test('a commit never changes: once kept it is not asked about', async () => {
  await logits('hub:test/gpt2-2l');
  const [name] = readdirSync(folder).filter((each) => each.includes('config.json'));
  const [revision] = /[\da-f]{40}/.exec(name) ?? [];
  asked();
  assert.deepEqual(await logits('hub:test/gpt2-2l', { revision }), wanted);
  assert.deepEqual(asked(), []);
});

test('what a model lacks is kept, too; a file of PyTorch’s, which is read from its end, by parts', async () => {
  const gpt2 = filesIn(new URL('../checkpoints/gpt2-2l/', import.meta.url));
  const torch = Buffer.from(writeTorch(savedOf(gpt2['model.safetensors'])));
  const other = await startHub({ 'test/bare': { 'config.json': gpt2['config.json'], 'pytorch_model.bin': torch } });
  const options = { endpoint: other.endpoint };
  const first = await logits('hub:test/bare', options);
  assert.deepEqual(first, { data: wanted.data, ids: undefined });
  const cache = memory(new Map());
  assert.deepEqual(await logits('hub:test/bare', { ...options, cache }), first);
  for (const given of [options, { ...options, cache }])
    assert.deepEqual(await offline(() => logits('hub:test/bare', given)), first);
  other.close();
  assert.deepEqual(await logits('hub:test/bare', options), first, 'a hub that is gone');
});

test('a hub that is busy is as good as none', async () => {
  await logits('hub:test/gpt2-2l');
  const real = globalThis.fetch;
  for (const status of [429, 500, 503]) {
    globalThis.fetch = async () => new Response('', { status });
    assert.deepEqual(await logits('hub:test/gpt2-2l').finally(() => (globalThis.fetch = real)), wanted);
  }
  globalThis.fetch = async () => new Response('', { status: 401 });
  await assert.rejects(
    logits('hub:test/gpt2-2l').finally(() => (globalThis.fetch = real)),
    /no such model/,
  );
});

test('a connection that breaks goes on at its byte, and the whole is kept', async () => {
  hub.break(9000);
  assert.deepEqual(await logits('hub:test/gpt2-2l'), wanted);
  assert.deepEqual(await offline(() => logits('hub:test/gpt2-2l')), wanted);
});

test('a part of a file is never kept: after an abort, a file that changes, a connection that is lost', async () => {
  const nothing = () => readdirSync(folder).filter((each) => /safetensors$|part$/.test(each));
  hub.break(9000, true);
  await assert.rejects(logits('hub:test/gpt2-2l'), { message: /the file has changed/ });
  assert.deepEqual(nothing(), []);
  const stop = new AbortController();
  const why = new Error('enough');
  const onProgress = () => stop.abort(why);
  await assert.rejects(logits('hub:test/gpt2-2l', { signal: stop.signal, onProgress }), why);
  assert.deepEqual(nothing(), []);
  await assert.rejects(logits('hub:test/gpt2-2l', { onProgress: () => assert.fail('mine') }), /mine/);
  assert.deepEqual(nothing(), []);
  assert.deepEqual(await logits('hub:test/gpt2-2l'), wanted);
});

test('progress comes while a file is fetched, and while it is read', async () => {
  const steps = [];
  await logits('hub:test/gpt2-2l', { onProgress: (step) => steps.push(step) });
  assert.ok(steps.length >= 2 && steps.every(({ loaded, total }) => loaded > 0 && loaded <= total));
});

test('a store of the caller’s, and in a worker; broken ones cost no model', async () => {
  const kept = new Map();
  const cache = memory(kept);
  assert.deepEqual(await logits('hub:test/gpt2-2l', { cache }), wanted);
  assert.ok([...kept.keys()].every((key) => key.startsWith(`${endpoint}/test/gpt2-2l/resolve/`)));
  assert.ok(!existsSync(folder));
  const again = { get: cache.get, put: assert.fail };
  assert.deepEqual(await offline(() => logits('hub:test/gpt2-2l', { cache: again })), wanted);
  const far = await load({ variant: 'simd', worker: true });
  assert.deepEqual(await offline(() => logits('hub:test/gpt2-2l', { cache: again }, far)), wanted);
  far.terminate();
  const fails = () => {
    throw new Error('mine');
  };
  for (const cache of [
    { get: fails, put: fails },
    { get: () => Promise.reject(new Error('mine')), put: () => Promise.reject(new Error('mine')) },
    { get: () => undefined, put: () => undefined },
    { get: () => undefined, put: (_, response) => response.body?.cancel() },
    { get: () => 7, put: () => undefined },
  ]) {
    assert.deepEqual(await logits('hub:test/gpt2-2l', { cache }), wanted);
  }
  for (const cache of [7, 'here', {}, { get: fails }]) {
    await assert.rejects(logits('hub:test/gpt2-2l', { cache }), { code: 'type', parameter: 'cache' });
  }
  await assert.rejects(gf.loadModel('tests/checkpoints/gpt2-2l/', { cache: false }), { code: 'unknown' });
});

test('the folder has a limit: what was read the longest ago goes', async () => {
  await logits('hub:test/gpt2-2l');
  const names = readdirSync(folder);
  const large = join(folder, 'large');
  writeFileSync(large, '');
  truncateSync(large, 2 ** 34); // a hole, which takes no space on the disk
  utimesSync(large, 1, 1);
  await logits('hub:test/gpt-neo-4l');
  assert.ok(!existsSync(large));
  for (const name of names) assert.ok(existsSync(join(folder, name)), name);
});

test('a folder that cannot be written is none', async () => {
  process.env.XDG_CACHE_HOME = '/dev/null';
  try {
    assert.deepEqual(await logits('hub:test/gpt2-2l'), wanted);
  } finally {
    process.env.XDG_CACHE_HOME = base;
  }
});

/** The name of a kept file. @param {string} ending */
const keptFile = (ending) => join(folder, String(readdirSync(folder).find((name) => name.endsWith(ending))));

test('a damaged copy is fetched again; without a network the error names it', async () => {
  for (const name of ['config.json', 'tokenizer.json', 'model.safetensors']) {
    for (const damage of [
      (/** @type {Buffer} */ bytes) => bytes.subarray(0, bytes.length - 1),
      (/** @type {Buffer} */ bytes) =>
        Buffer.concat([bytes.subarray(0, 200), Buffer.of(bytes[200] ^ 1), bytes.subarray(201)]),
      () => Buffer.from('<!DOCTYPE html>'),
    ]) {
      rmSync(folder, { recursive: true, force: true });
      assert.deepEqual(await logits('hub:test/gpt2-2l'), wanted);
      writeFileSync(keptFile(name), damage(readFileSync(keptFile(name))));
      const why = new RegExp(
        `the kept copy of ${name} is damaged, and a new one cannot be fetched: .* could not be reached`,
      );
      await assert.rejects(
        offline(() => logits('hub:test/gpt2-2l')),
        { code: 'network', message: why },
      );
      asked();
      assert.deepEqual(await logits('hub:test/gpt2-2l'), wanted);
      assert.ok(
        asked().some((each) => each.startsWith(name)),
        name,
      );
      assert.deepEqual(await offline(() => logits('hub:test/gpt2-2l')), wanted);
    }
  }
  const kept = new Map();
  const cache = memory(kept);
  await logits('hub:test/gpt2-2l', { cache });
  for (const [key, entry] of kept) if (/safetensors$/.test(key)) new Uint8Array(entry.bytes)[5000] ^= 1;
  assert.deepEqual(await logits('hub:test/gpt2-2l', { cache }), wanted);
  assert.deepEqual(await offline(() => logits('hub:test/gpt2-2l', { cache })), wanted);
});

test('a page in place of a file is refused, and never kept', async () => {
  const real = globalThis.fetch;
  const page = (/** @type {number} */ status) =>
    new Response('<!DOCTYPE html>Sign in', { status, headers: { 'content-type': 'text/html; charset=utf-8' } });
  for (const [name, status] of /** @type {const} */ ([
    ['config.json', 200],
    ['tokenizer.json', 200],
    ['tokenizer.json', 404],
    ['model.safetensors', 200],
  ])) {
    rmSync(folder, { recursive: true, force: true });
    globalThis.fetch = async (address, init) => {
      const response = await real(address, init);
      if (!String(address).includes(name)) return response;
      return Object.defineProperty(page(status), 'headers', {
        value: new Headers({ ...Object.fromEntries(response.headers), 'content-type': 'text/html', location: '' }),
      });
    };
    const opened = logits('hub:test/gpt2-2l').finally(() => (globalThis.fetch = real));
    if (status === 200) await assert.rejects(opened, /is a page of HTML/, name);
    else assert.equal((await opened).ids, undefined);
    const found = readdirSync(folder).filter((each) => each.includes(name));
    assert.deepEqual(found, [], `${name} ${status}`);
    assert.deepEqual(await logits('hub:test/gpt2-2l'), wanted, name);
  }
});

test('a signal is heard while a store is asked', { timeout: 60_000 }, async () => {
  const never = () => new Promise(() => {});
  const kept = new Map();
  await logits('hub:test/gpt2-2l', { cache: memory(kept) });
  const { get, put } = memory(kept);
  for (const cache of [
    { get: never, put },
    { get: () => undefined, put: never },
    { get: (/** @type {string} */ key) => (/sum$/.test(key) ? never() : get(key)), put },
  ]) {
    const why = new Error('enough');
    const stop = new AbortController();
    setTimeout(() => stop.abort(why), 300);
    const opened = logits('hub:test/gpt2-2l', { cache, signal: stop.signal });
    await assert.rejects(opened, why);
  }
});
