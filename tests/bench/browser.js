// Chromium for the suites, each run in a process of its own, on a page that may use threads and the fine clock.
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import sirv from 'sirv';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

// As root Chromium needs --no-sandbox; the others keep it from calling home.
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync'];

// Threads and a clock of 5 microseconds come with these.
const ISOLATED = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' };

/** @returns {string} the browser's program: CHROMIUM, or the one that the build found or made */
export function executable() {
  return process.env.CHROMIUM || readFileSync(`${ROOT}dist/tools/chromium`, 'utf8').trim();
}

/**
 * Serves the whole checkout to this machine.
 * @returns {Promise<{url: string, close: () => void}>}
 */
export async function serve() {
  const files = sirv(ROOT, { dev: true, dotfiles: false });
  const server = createServer((request, response) => {
    for (const [name, value] of Object.entries(ISOLATED)) response.setHeader(name, value);
    if (request.url === '/') return response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>bench</title>');
    files(request, response, () => response.writeHead(404).end());
  });
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', () => resolve(undefined)); });
  return {
    url: `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}/`,
    close: () => { server.close(); server.closeAllConnections(); },
  };
}

/**
 * Calls a module's default export in a page of a fresh Chromium process.
 * @param {string} module path from the top of the checkout
 * @param {unknown} options its argument, as JSON
 * @returns {Promise<any>} its result, as JSON
 */
export async function inBrowser(module, options) {
  const server = await serve();
  const browser = await chromium.launch({ executablePath: executable(), args: FLAGS });
  try {
    const page = await browser.newPage();
    await page.goto(server.url);
    return await page.evaluate(([url, argument]) => import(url).then((m) => m.default(argument)),
      /** @type {[string, any]} */ ([`/${module}`, options]));
  } finally {
    await browser.close();
    server.close();
  }
}
