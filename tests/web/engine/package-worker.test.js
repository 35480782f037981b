// `glassformer/worker` in Chromium: from a Blob, and from a copy of its script where the page's policy forbids blob:.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { load } from 'glassformer';
import { launchChromium } from '../engines.js';

const STRICT = "default-src 'none'; connect-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'";

/** @type {Awaited<ReturnType<typeof launchChromium>>} */
let browser;
let site = '';
const server = createServer(({ url = '' }, response) => {
  const [path] = url.split('?');
  if (path === '/page' || path === '/strict') {
    if (path === '/strict') response.setHeader('Content-Security-Policy', STRICT);
    response.setHeader('Content-Type', 'text/html');
    return response.end('<!doctype html>');
  }
  try {
    const text = readFileSync(new URL(`../../../dist${path}`, import.meta.url));
    response.setHeader('Content-Type', path.endsWith('.wasm') ? 'application/wasm' : 'text/javascript');
    response.end(text);
  } catch {
    response.writeHead(404).end();
  }
});
before(async () => {
  browser = await launchChromium();
  await new Promise((listening) => server.listen(0, '127.0.0.1', () => listening(undefined)));
  site = `http://127.0.0.1:${/** @type {any} */ (server.address()).port}`;
});
after(async () => {
  await browser?.close();
  server.close();
});

const X = { data: [1, 2, 3], shape: [1, 3] };
const WRITER = { kind: 'decoder', vocabulary: 20, d_model: 16, heads: 2, layers: 2, head: 'linear', seed: 3 };
const PROMPT = { ids: [1, 2, 3], maxTokens: 40, temperature: 1, seed: 5 };

/**
 * Runs a program in a page, in which `load` is that of the package's worker.
 * @param {string} path @param {string} program the body of an asynchronous function
 */
async function run(path, program) {
  const page = await browser.newPage();
  try {
    await page.goto(site + path);
    // Not by eval, which the policy forbids: the driver's own world has none.
    return await page.evaluate(`(async () => { const { load } = await import('/js/worker.js'); ${program} })()`);
  } finally {
    await page.close();
  }
}

test('a page without a policy: from a Blob, with tokens as they come, and an end', async () => {
  const result = await run(
    '/page',
    `const gf = await load({ variant: 'simd' });
     const { data } = await gf.softmax(${JSON.stringify(X)});
     const model = await gf.createModel(${JSON.stringify(WRITER)});
     const prompt = ${JSON.stringify(PROMPT)}, seen = [];
     for await (const { id } of model.generate(prompt)) seen.push(id);
     const { newIds } = await model.generate(prompt);
     const long = { ...prompt, maxTokens: 1e5, maxOperations: Infinity };
     let frames = 0;
     const count = () => { frames++; requestAnimationFrame(count); };
     count();
     const ended = await model.generate({ ...long, signal: AbortSignal.timeout(200) }).catch(({ name }) => name);
     const given = await load({ wasm: 'relaxed.wasm', worker: 'js/worker-thread.js' });
     gf.terminate();
     const over = await gf.softmax([1]).catch(({ code }) => code);
     return { data: [...data], newIds: [...newIds], seen, ended, frames, over, variant: given.variant };`,
  );
  const gf = await load({ variant: 'simd' });
  const model = gf.createModel(WRITER);
  assert.deepEqual(result.data, [...gf.softmax(X).data]);
  assert.deepEqual(result.newIds, [...model.generateSync(PROMPT).newIds]);
  assert.deepEqual(result.seen, result.newIds);
  assert.deepEqual([result.ended, result.over, result.variant], ['TimeoutError', 'freed', 'relaxed']);
  assert(result.frames > 1, 'the page goes on meanwhile');
});

test("a page whose policy has no blob: the error says what to do, and the page's own copy runs", async () => {
  const refusal = await run('/strict', 'return load().catch(({ code, message }) => ({ code, message }));');
  assert.equal(refusal.code, 'unsupported');
  assert.match(refusal.message, /Content-Security-Policy.*worker-src.*glassformer\/worker-thread/);
  for (const worker of [
    "'/js/worker-thread.js'",
    "() => new Worker('/js/worker-thread.js')",
    "new URL('/js/worker-thread.js', location)",
  ]) {
    const data = await run(
      '/strict',
      `const gf = await load({ worker: ${worker} });
       return [...(await gf.relu({ data: [-1, 2], shape: [2] })).data];`,
    );
    assert.deepEqual(data, [0, 2], worker);
  }
});
