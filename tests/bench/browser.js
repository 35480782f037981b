// Chromium for the suites, each run in its own process, on a page that may use threads and the fine clock.
import { createServer } from 'node:http';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import sirv from 'sirv';
import { renderersOf } from './renderer.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

// As root Chromium needs --no-sandbox; the others keep it from calling home.
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

// Threads and a clock of 5 microseconds come with these.
const ISOLATED = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' };

/** @returns {string} the browser's program: CHROMIUM, or the one that the build found or made */
export function executable() {
  return process.env.CHROMIUM || readFileSync(`${ROOT}dist/tools/chromium`, 'utf8').trim();
}

/** Whether this system tells how long each thread of another process ran. */
export const threadTimes = existsSync('/proc/self/schedstat');

/**
 * Milliseconds that the main threads of these processes ran: exact, as they wait for the answer.
 * @param {number[]} processes
 */
function clock(processes) {
  if (!threadTimes) return performance.now();
  const nanoseconds = processes.map((id) => {
    try {
      return Number(readFileSync(`/proc/${id}/task/${id}/schedstat`, 'utf8').split(' ')[0]);
    } catch {
      // a spare process that has just ended
      return 0;
    }
  });
  return nanoseconds.reduce((a, b) => a + b, 0) / 1e6;
}

/**
 * Serves the whole checkout to this machine, and `/clock` to pages.
 * @param {() => number[]} [renderers] the processes that run the pages
 * @param {string} [folder] what is at `/given/`
 * @returns {Promise<{url: string, close: () => void}>}
 */
export async function serve(renderers = () => [], folder = '') {
  const files = sirv(ROOT, { dev: true, dotfiles: false });
  const given = folder && sirv(folder, { dev: true });
  const server = createServer((request, response) => {
    for (const [name, value] of Object.entries(ISOLATED)) response.setHeader(name, value);
    if (request.url === '/')
      return response
        .setHeader('Content-Type', 'text/html')
        .end('<!doctype html><title>bench</title><input type=file multiple>');
    if (request.url === '/clock')
      return response.setHeader('Cache-Control', 'no-store').end(String(clock(renderers())));
    const missing = () => response.writeHead(404).end();
    if (given && request.url?.startsWith('/given/')) {
      request.url = request.url.slice('/given'.length);
      return given(request, response, missing);
    }
    files(request, response, missing);
  });
  await new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(undefined));
  });
  return {
    url: `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}/`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Starts Chromium. */
export const launch = () => chromium.launch({ executablePath: executable(), args: FLAGS });

/**
 * Calls a module's default export in a page of a fresh Chromium process.
 * @param {string} module path from the top of the checkout
 * @param {unknown} options its argument, as JSON
 * @param {string} [folder] what its server has at `/given/`
 * @returns {Promise<any>} its result, as JSON
 */
export async function inBrowser(module, options, folder) {
  /** @type {number[]} */
  let renderers = [];
  const server = await serve(() => renderers, folder);
  const browser = await launch();
  try {
    const page = await browser.newPage();
    await page.goto(server.url);
    renderers = await renderersOf(await browser.newBrowserCDPSession());
    return await page.evaluate(
      ([url, argument]) => import(url).then((m) => m.default(argument)),
      /** @type {[string, any]} */ ([`/${module}`, options]),
    );
  } finally {
    await browser.close();
    server.close();
  }
}
