// The package as it is published, in a real page: under a Content-Security-Policy, in a service worker, by one file
// from another origin.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { load } from 'glassformer';
import { launchChromium } from './engines.js';

const dist = fileURLToPath(new URL('../../dist/', import.meta.url));
const TYPES = { '.js': 'text/javascript', '.wasm': 'application/wasm' };

/** Says what came of it, for `result`. */
const REPORT = `
const report = (work) => work.then(
  (gf) => [gf.variant, ...gf.softmax({ data: [0, 0], shape: [2] }).data].join(' '),
  (error) => [error.name, error.code, error.message].join(' '),
);`;
const worker = (/** @type {string} */ entry, /** @type {string} */ options) => `
import { load } from '/dist/js/${entry}.js';
${REPORT}
addEventListener('install', () => skipWaiting());
addEventListener('message', ({ ports: [port] }) => report(load(${options})).then((text) => port.postMessage(text)));`;
const PAGES = {
  '/default-worker.js': worker('index', ''),
  '/core-worker.js': worker('core', "{ wasm: '/dist/simd.wasm' }"),
  '/min-worker.js': worker('../glassformer.min', ''),
};

let requested = /** @type {string[]} */ ([]);
/** Pages whose address ends in ?POLICY have that Content-Security-Policy. */
const server = createServer((request, response) => {
  const { pathname, search } = new URL(request.url ?? '', 'http://a');
  requested.push(pathname);
  response.setHeader('Access-Control-Allow-Origin', '*');
  if (search) response.setHeader('Content-Security-Policy', decodeURIComponent(search.slice(1)));
  const written = PAGES[/** @type {keyof typeof PAGES} */ (pathname)];
  if (pathname === '/favicon.ico')
    response.writeHead(204).end(); // a full browser asks for it
  else if (pathname === '/') response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>a</title>');
  else {
    response.setHeader('Content-Type', TYPES[/** @type {keyof typeof TYPES} */ (extname(pathname))] ?? 'text/plain');
    response.end(written ?? readFileSync(dist + pathname.replace('/dist/', '')));
  }
});
/** @type {import('playwright-core').Browser} */
let browser;
let site = '';
before(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  site = `http://127.0.0.1:${/** @type {any} */ (server.address()).port}/`;
  browser = await launchChromium();
});
after(async () => {
  await browser?.close();
  server.close();
  server.closeAllConnections();
});

/**
 * Runs a module of this text on a page with this policy, and returns its report.
 * @param {string} code @param {string} [policy] @param {string} [from] where the page is served
 */
async function inPage(code, policy = '', from = site) {
  const page = await browser.newPage();
  await page.goto(`${from}${policy && `?${encodeURIComponent(policy)}`}`);
  requested = [];
  const content = `${REPORT}\n${code}`;
  const result = await page.evaluate(
    (text) =>
      new Promise((resolve) => {
        Object.assign(globalThis, { done: resolve });
        const script = document.createElement('script');
        script.type = 'module';
        const trusted = Reflect.get(globalThis, 'trustedTypes')?.createPolicy('page', { createScript: String });
        script.textContent = trusted?.createScript(text) ?? text;
        document.head.append(script);
      }),
    content,
  );
  await page.close();
  return String(result);
}

const LOAD = (/** @type {string} */ entry, options = '') =>
  `import { load } from '${site}dist/${entry}.js'; done(await report(load(${options})));`;

test("a policy without 'wasm-unsafe-eval' is named before a module is fetched; with it every entry runs", async () => {
  const strict = "script-src 'self' 'unsafe-inline'";
  for (const code of [LOAD('js/index'), LOAD('glassformer.min'), LOAD('js/core', "{ wasm: '/dist/simd.wasm' }")]) {
    assert.match(await inPage(code, strict), /^GlassformerError unsupported WebAssembly: .*'wasm-unsafe-eval'/);
    assert.deepEqual(
      requested.filter((path) => path.includes('wasm')),
      [],
    );
    assert.match(await inPage(code, `${strict} 'wasm-unsafe-eval'`), /^(simd|relaxed) 0\.5 0\.5$/);
  }
});

test('under Trusted Types the worker says which policy it needs, and starts with it', async () => {
  const policy = "require-trusted-types-for 'script'; trusted-types page glassformer";
  const start = (/** @type {string} */ options) => `import { load } from '${site}dist/js/worker.js';
    done(await load(${options}).then(
      async (gf) => [...(await gf.softmax([0, 0])).data].join(' '),
      (error) => [error.code, error.message, error.cause.name].join(' '),
    ));`;
  const refusal = await inPage(start(''), policy);
  assert.match(
    refusal,
    /^unsupported worker: could not be started; under require-trusted-types-for 'script'.* TypeError$/,
  );
  const [, advice] = /load\((.*?)\) \(/.exec(refusal) ?? [];
  assert.equal(await inPage(start(advice.replace('/worker-thread', '/dist/js/worker-thread')), policy), '0.5 0.5');
});

test('the file for CDNs runs from another origin, by a plain script of type module', async () => {
  const other = site.replace('127.0.0.1', 'localhost');
  assert.match(await inPage(LOAD('glassformer.min'), '', other), /^(simd|relaxed) 0\.5 0\.5$/);
  assert.match(await inPage(LOAD('js/index'), '', other), /^(simd|relaxed) 0\.5 0\.5$/);
});

test('the classic script runs from file:, alone in its folder and quietly, but starts no worker', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'glassformer-'));
  const page = await browser.newPage();
  /** @type {string[]} */
  const heard = [];
  page.on('console', (message) => heard.push(message.text()));
  page.on('pageerror', (error) => heard.push(error.message));
  try {
    cpSync(`${dist}glassformer.global.js`, join(folder, 'glassformer.global.js'));
    const script = '<script src="glassformer.global.js"></script>';
    writeFileSync(join(folder, 'page.html'), `<!doctype html><title>a</title>${script}`);
    await page.goto(`file://${folder}/page.html`);
    const seen = await page.evaluate(async () => {
      const { GlassformerError, load } = Reflect.get(globalThis, 'glassformer');
      const gf = await load();
      const model = gf.createModel({ kind: 'decoder', head: 'tied', vocabulary: 9, d_model: 8, heads: 2 });
      const { loss } = model.trainer({ learningRate: 0.01 }).step({ ids: [[1, 2]], labels: [[2, 3]] });
      const opened = await gf.loadModel(new Blob([await model.save()]));
      const { logits } = opened.model.forward({ ids: [1, 2] });
      const refused = await load({ worker: true }).catch((/** @type {any} */ error) => error);
      return [gf.variant, loss > 0, logits.shape, refused instanceof GlassformerError && refused.code];
    });
    assert.deepEqual(seen, ['simd', true, [1, 2, 9], 'unsupported']);
    assert.deepEqual(heard, []);
  } finally {
    await page.close();
    rmSync(folder, { recursive: true });
  }
});

test('in a service worker core runs, and the default entry says that core does', async () => {
  const page = await browser.newPage();
  await page.goto(site);
  const ask = (/** @type {string} */ name) =>
    page.evaluate(async (url) => {
      const registration = await navigator.serviceWorker.register(url, { type: 'module' });
      const at = registration.installing ?? registration.waiting ?? registration.active;
      const { port1, port2 } = new MessageChannel();
      const reply = new Promise((resolve) => {
        port1.onmessage = ({ data }) => resolve(data);
      });
      at?.postMessage(0, [port2]);
      const text = await reply;
      await registration.unregister();
      return String(text);
    }, name);
  requested = [];
  assert.match(await ask('/default-worker.js'), /^GlassformerError unsupported .*service workers.*'glassformer\/core'/);
  assert.deepEqual(
    requested.filter((path) => path.includes('wasm')),
    [],
  );
  assert.equal(await ask('/core-worker.js'), 'simd 0.5 0.5');
  assert.match(await ask('/min-worker.js'), /^(simd|relaxed) 0\.5 0\.5$/);
  await page.close();
});

/** Trains a small model in shards, and says how many workers there were and what the weights are. */
const SHARDS = (/** @type {string} */ options) => `
  const model = gf.createModel({ kind: 'decoder', vocabulary: 20, d_model: 8, heads: 2, head: 'tied', seed: 3 });
  const trainer = model.trainer({ shards: 4, dropout: 0.1, ${options} });
  const ids = { data: Int32Array.from({ length: 42 }, (_, i) => (i * i) % 20), shape: [7, 6] };
  for (let i = 0; i < 50; i++) await trainer.step({ ids, labels: ids });
  const { workers } = trainer;
  const { weights } = trainer.snapshot();
  model.free();
  return [workers, ...new Uint8Array(await crypto.subtle.digest('SHA-256', weights))].join(' ');`;
const inShards = (/** @type {string} */ options) => `import { load } from '/dist/js/index.js';
  done(await load({ variant: 'simd' }).then(async (gf) => { ${SHARDS(options)} }));`;

test('shards are computed in workers without special headers, with the bits of Node', async () => {
  const here = new (Object.getPrototypeOf(async () => {}).constructor)('gf', SHARDS('workers: 0'));
  const [, ...hash] = (await here(await load({ variant: 'simd' }))).split(' ');
  for (const workers of [0, 1, 2, 3]) {
    assert.equal(await inPage(inShards(`workers: ${workers}`)), [workers, ...hash].join(' '));
  }
  const strict = "script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; worker-src 'self'";
  assert.equal(await inPage(inShards('workers: 2'), strict), ['0', ...hash].join(' '), 'blob: is refused');
  const own = "workers: 2, worker: '/dist/js/worker-thread.js'";
  assert.equal(await inPage(inShards(own), strict), ['2', ...hash].join(' '));
  const made = "workers: 2, worker: () => new Worker('/dist/js/worker-thread.js', { type: 'module' })";
  assert.equal(await inPage(inShards(made), strict), ['2', ...hash].join(' '));
});

test('passes are cut over threads without special headers, with the bits of one', async () => {
  const strict = "script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; worker-src 'self'";
  const code = (/** @type {string} */ worker) => `import { load } from '/dist/js/worker.js';
    const bits = async (threads) => {
      const gf = await load({ variant: 'simd', threads, least: 0, ${worker} });
      const model = await gf.createModel({ kind: 'decoder', vocabulary: 20, d_model: 32, heads: 2, head: 'tied' });
      const { newIds } = await model.generate({ ids: [1, 2, 3], maxTokens: 20, temperature: 1, seed: 1 });
      const { logits } = await model.forward({ ids: newIds });
      const { threads: count } = gf;
      gf.terminate();
      return [count, ...logits.data].join();
    };
    const [one, three] = [await bits(1), await bits(3)];
    done(three === one.replace(/^1/, '3') ? 'same' : three);`;
  assert.equal(await inPage(code('')), 'same');
  assert.equal(await inPage(code("worker: '/dist/js/worker-thread.js'"), strict), 'same');
});
