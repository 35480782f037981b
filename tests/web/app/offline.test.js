// The page without a network, after a new build, and how much the first opening loads.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { serve } from '../../../src/tools/serve.mjs';
import { openMenu, readout, ready, useBrowser } from '../browser.js';

const BUDGET = 340_000; // bytes, gzip

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

test(`page, module and the opening model are at most ${BUDGET / 1000} kB gzip`, async (t) => {
  /** @type {Map<string, number>} */
  const sizes = new Map();
  const page = await tools.open({
    model: '',
    layout: 'workspace',
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
  const late = [...sizes.keys()].filter((name) => /^(late|views|train|claims)/.test(name));
  assert.deepEqual(late, [], 'what only an action needs waits for it');
  const total = [...sizes.values()].reduce((sum, size) => sum + size);
  t.diagnostic([...sizes].map(([name, size]) => `${name} ${size}`).join(', '));
  t.diagnostic(`together ${total} bytes`);
  assert(total <= BUDGET, `${total} bytes`);
  await tools.close(page);
});
