// The page without a network, after a new build, and how much the first opening loads.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { serve } from '../../../src/tools/serve.mjs';
import { MOST_BYTES } from '../../bytes.js';
import { openMenu, readout, ready, useBrowser } from '../browser.js';

const BUDGET = MOST_BYTES['the first opening'];

const tools = useBrowser();
const built = fileURLToPath(new URL('../../../dist/web', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'glassformer-'));
after(() => rmSync(folder, { recursive: true }));

/**
 * Asks a page until it says yes.
 * @param {import('playwright-core').Page} page
 * @param {(name: string) => Promise<boolean>} question
 */
async function until(page, question, name = '') {
  for (let i = 0; i < 200 && !(await page.evaluate(question, name)); i++) await page.waitForTimeout(100);
  assert(await page.evaluate(question, name), String(question));
}

/**
 * Waits until a whole build is kept.
 * @param {import('playwright-core').Page} page
 * @param {string} name of its version
 */
const kept = (page, name) =>
  until(
    page,
    async (name) => {
      const registration = await navigator.serviceWorker.getRegistration();
      const names = await caches.keys();
      const [large, builds] = [true, false].map((is) => names.filter((each) => each.includes('sha256') === is));
      return (
        registration?.active?.state === 'activated' &&
        !registration.installing &&
        large.length === 1 &&
        builds.length === 1 &&
        builds[0].endsWith(name)
      );
    },
    name,
  );

const version = () => /\b[0-9a-f]{16}\b/.exec(readFileSync(join(folder, 'service-worker.js'), 'utf8'))?.[0] ?? '';

test('opened once, the page opens without a server, with every model; a new build is shown at once', async () => {
  cpSync(built, folder, { recursive: true });
  let site = await serve({ port: 0, folder });
  const { port } = new URL(site.url);
  const context = await tools.browser.newContext();
  try {
    const page = await context.newPage();
    await page.goto(`${site.url}#model=creek&head=1.1&row=3&key=4`);
    await ready(page);
    await until(page, async () => Boolean(navigator.serviceWorker.controller));
    await page.evaluate(() => fetch('models/austen.safetensors').then((response) => response.blob()));
    await kept(page, version());
    const shown = await readout(page);

    await site.close();
    await page.reload();
    await ready(page);
    assert.deepEqual(await readout(page), shown);
    await openMenu(page, 'models');
    await page.getByRole('radio', { name: /^Translate/ }).check({ force: true });
    await page.locator('#tokens-decoder .token').first().waitFor();
    await openMenu(page, 'models');
    await page.getByRole('radio', { name: /^Austen/ }).check({ force: true });
    await page.locator('body[data-model=austen]').waitFor();

    // Another build: other words on the page, another list of hashes.
    const index = join(folder, 'index.html');
    const old = version();
    writeFileSync(index, readFileSync(index, 'utf8').replace('<title>', '<title>New: '));
    const script = readFileSync(join(folder, 'service-worker.js'), 'utf8');
    const hash = createHash('sha256').update(readFileSync(index)).digest('base64');
    writeFileSync(
      join(folder, 'service-worker.js'),
      script.replace(old, '0123456789abcdef').replace(/("index\.html":")sha256-[^"]+/, `$1sha256-${hash}`),
    );
    site = await serve({ port: Number(port), folder });
    await page.reload();
    assert.match(await page.title(), /^New: /, 'the network comes first');
    await ready(page);
    await kept(page, '0123456789abcdef');
    await site.close();
    await page.reload();
    assert.match(await page.title(), /^New: /, 'and what is kept is the new build, the old one is gone');
    await ready(page);
  } finally {
    await context.close();
    await site.close().catch(() => {});
  }
});

const LOGIN = '<!doctype html><title>Log in</title><form>Name <input name="name" /></form>';

/**
 * A network between the page and its server, which may answer by itself.
 * @param {string} url of the server
 */
async function network(url) {
  /** @typedef {(name: string, response: import('node:http').ServerResponse) => boolean} Answer whether it answers */
  const state = { answer: /** @type {Answer} */ (() => false) };
  const through = createServer(async (request, response) => {
    const name = String(request.url).split('?')[0].slice(1) || 'index.html';
    if (state.answer(name, response)) return;
    const got = await fetch(new URL(String(request.url), url));
    response.writeHead(got.status, Object.fromEntries(got.headers)).end(Buffer.from(await got.arrayBuffer()));
  });
  await new Promise((done) => through.listen(0, '127.0.0.1', () => done(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (through.address());
  const close = () => (through.closeAllConnections(), through.close());
  return { state, url: `http://127.0.0.1:${port}/`, close };
}

/** @param {import('node:http').ServerResponse} response @param {number} status @param {string} [body] */
function say(response, status, body = LOGIN, headers = {}) {
  response.writeHead(status, { 'content-type': 'text/html', ...headers }).end(body);
  return true;
}

/** Another build in its own folder: another title, style and script, and their hashes. */
function otherBuild() {
  const other = mkdtempSync(join(tmpdir(), 'glassformer-'));
  cpSync(built, other, { recursive: true });
  const change = (/** @type {string} */ name, /** @type {(text: string) => string} */ to) =>
    writeFileSync(join(other, name), to(readFileSync(join(other, name), 'utf8')));
  change('index.html', (text) => text.replace('<title>', '<title>New: '));
  for (const name of ['style.css', 'main.js']) change(name, (text) => `/* of the new build */${text}`);
  change('service-worker.js', (text) => {
    for (const name of ['index.html', 'style.css', 'main.js']) {
      const hash = createHash('sha256')
        .update(readFileSync(join(other, name)))
        .digest('base64');
      text = text.replace(new RegExp(`("${name}":")sha256-[^"]+`), `$1sha256-${hash}`);
    }
    return text.replace(/\b[0-9a-f]{16}\b/, 'fedcba9876543210');
  });
  return other;
}

/** @param {import('playwright-core').Page} page @param {string} name @returns {Promise<string>} of the file */
const fetched = (page, name) =>
  page.evaluate(
    (each) =>
      fetch(each).then(
        async (response) => `${response.status} ${(await response.text()).slice(0, 60)}`,
        () => 'none',
      ),
    name,
  );

test('where the network answers something else, the kept page is shown, all of one build', async (t) => {
  const other = otherBuild();
  const [site, next] = await Promise.all([built, other].map((each) => serve({ port: 0, folder: each })));
  const elsewhere = createServer((_, response) => void say(response, 200));
  await new Promise((done) => elsewhere.listen(0, '127.0.0.1', () => done(undefined)));
  const login = `http://127.0.0.1:${/** @type {any} */ (elsewhere.address()).port}/`;
  const { state, url, close } = await network(site.url);
  const context = await tools.browser.newContext();
  t.after(async () => {
    await context.close();
    for (const server of [site, next]) await server.close();
    close();
    elsewhere.close();
    rmSync(other, { recursive: true });
  });
  const page = await context.newPage();
  await page.goto(`${url}#model=creek&head=1.1&row=3&key=4`);
  await ready(page);
  await until(page, async () => Boolean(navigator.serviceWorker.controller));
  const version = /\b[0-9a-f]{16}\b/.exec(readFileSync(join(built, 'service-worker.js'), 'utf8'))?.[0] ?? '';
  await until(page, async (name) => (await caches.keys()).some((each) => each.endsWith(name)), version);
  await page.reload();
  await ready(page);
  const shown = await readout(page);
  const title = await page.title();

  /** @type {Record<string, typeof state.answer>} */
  const answers = {
    'a 503': (_, response) => say(response, 503),
    'a 404': (_, response) => say(response, 404),
    'a 429': (_, response) => say(response, 429),
    'a page to log in': (_, response) => say(response, 200),
    'a way to such a page': (_, response) => say(response, 302, '', { location: login }),
    'a way to one of this address': (name, response) =>
      name === 'login' ? say(response, 200) : say(response, 302, '', { location: '/login' }),
    'a page to log in for its files': (name, response) => name !== 'index.html' && say(response, 200),
    'a 503 for its files': (name, response) => name !== 'index.html' && say(response, 503),
    'a 503 for its page': (name, response) => name === 'index.html' && say(response, 503),
    'half a page': (name, response) => name === 'index.html' && say(response, 200, '<!doctype html><html lang="en">'),
    'an end of the connection': (_, response) => Boolean(response.destroy()),
  };
  for (const [what, answer] of Object.entries(answers)) {
    state.answer = answer;
    await page.reload();
    await ready(page);
    assert.equal(await page.title(), title, what);
    assert.deepEqual(await readout(page), shown, what);
  }

  // The kept page stays of its build when the network is back with another.
  const passOn = (/** @type {string} */ name, /** @type {import('node:http').ServerResponse} */ response) => {
    if (name === 'service-worker.js') return say(response, 503); // the new build's worker does not come yet
    fetch(new URL(name, next.url)).then(async (got) =>
      response.writeHead(got.status, Object.fromEntries(got.headers)).end(Buffer.from(await got.arrayBuffer())),
    );
    return true;
  };
  state.answer = passOn;
  for (const name of ['main.js', 'style.css']) assert.doesNotMatch(await fetched(page, name), /of the new build/, name);
  await page.reload();
  await page.waitForFunction(() => document.title.startsWith('New: '));
  await ready(page);
  for (const name of ['main.js', 'style.css']) assert.match(await fetched(page, name), /of the new build/, name);
  assert.deepEqual(await readout(page), shown);

  // Nor is a file of the kept build given to the page of another, whose files the network lacks.
  state.answer = (name, response) => (name === 'index.html' ? passOn(name, response) : say(response, 503));
  await page.reload();
  await page.waitForFunction(() => document.title.startsWith('New: '));
  for (const name of ['main.js', 'worker.js', 'style.css']) assert.match(await fetched(page, name), /^503 /, name);
  state.answer = (_, response) => say(response, 503);
  await page.reload();
  await ready(page);
  assert.equal(await page.title(), title, 'the kept page is whole again');
  assert.doesNotMatch(await fetched(page, 'main.js'), /of the new build/);
});

test('a build that is not whole is not kept', async () => {
  const half = mkdtempSync(join(tmpdir(), 'glassformer-'));
  cpSync(built, half, { recursive: true });
  writeFileSync(join(half, 'style.css'), '/* of another build */');
  const site = await serve({ port: 0, folder: half });
  const context = await tools.browser.newContext();
  try {
    const page = await context.newPage();
    await page.addInitScript(() => {
      const { register } = navigator.serviceWorker;
      navigator.serviceWorker.register = async (url) => {
        const registration = await register.call(navigator.serviceWorker, url);
        registration.installing?.addEventListener(
          'statechange',
          ({ target }) => /** @type {any} */ (window.ended = /** @type {any} */ (target).state),
        );
        return registration;
      };
    });
    await page.goto(site.url);
    await ready(page);
    await until(page, async () => /** @type {any} */ (window).ended === 'redundant');
    assert.deepEqual(await page.evaluate(() => caches.keys()), []);
  } finally {
    await context.close();
    await site.close();
    rmSync(half, { recursive: true });
  }
});

test('page, module and the opening model are at most as many bytes as tests/bytes.js says', async (t) => {
  /** @type {Map<string, number>} */
  const sizes = new Map();
  const page = await tools.open({
    model: '',
    layout: 'workspace',
    fresh: true,
    setUp: async (page) =>
      void page.on('response', (response) => {
        const name = new URL(response.url()).pathname.slice(1) || 'index.html';
        if (response.url().startsWith('http'))
          sizes.set(name, gzipSync(readFileSync(join(built, name)), { level: 9 }).length);
      }),
  });
  await ready(page);
  await page.waitForTimeout(300);
  for (const name of ['index.html', 'main.js', 'worker.js', 'style.css', 'models/creek.safetensors'])
    assert(sizes.has(name), name);
  assert([...sizes.keys()].some((name) => /^(simd|relaxed)\.wasm/.test(name)));
  const late = [...sizes.keys()].filter((name) => /^(late|instrument|train|claims)/.test(name));
  assert.deepEqual(late, [], 'what only an action needs waits for it');
  const total = [...sizes.values()].reduce((sum, size) => sum + size);
  t.diagnostic([...sizes].map(([name, size]) => `${name} ${size}`).join(', '));
  t.diagnostic(`together ${total} bytes`);
  assert(total <= BUDGET, `${total} bytes`);
  await tools.close(page);
});
