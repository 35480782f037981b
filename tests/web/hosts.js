// Other people's sites that have the built page: in a folder, or in a frame of another site.
import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** @typedef {import('playwright-core').Page} Page */

const built = fileURLToPath(new URL('../../dist/web', import.meta.url));
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' };

/**
 * The plainest of hosts.
 * @param {(path: string) => string | Buffer | null} read
 * @param {Record<string, string>} [headers]
 */
export async function host(read, headers = {}) {
  const server = createServer(({ url = '' }, response) => {
    const { pathname } = new URL(url, 'http://host');
    const body = read(pathname);
    if (body === null) return void response.writeHead(404).end('none');
    const type = TYPES[/** @type {keyof typeof TYPES} */ (extname(pathname) || '.html')] ?? 'application/octet-stream';
    response.writeHead(200, { 'Content-Type': type, ...headers }).end(body);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  server.unref();
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { port, close: () => server.close().closeAllConnections() };
}

/** The build in folders of a host. @param {string[]} folders */
export const inFolders =
  (...folders) =>
  (/** @type {string} */ path) => {
    const folder = folders.find((each) => path.startsWith(each));
    const file = folder && join(built, path.slice(folder.length) || 'index.html');
    return file && statSync(file, { throwIfNoEntry: false })?.isFile() ? readFileSync(file) : null;
  };

/** @param {Page} page what it must not do is listed here */
export function watch(page) {
  /** @type {string[]} */
  const seen = [];
  page.on('console', (message) => seen.push(message.text()));
  page.on('pageerror', (error) => seen.push(`exception: ${error.message}`));
  page.on('response', (response) => response.status() >= 400 && seen.push(`${response.status()} ${response.url()}`));
  return seen;
}

/**
 * A site that shows the page in a frame. One is called localhost and the other by its number: they are two sites.
 * @param {any} browser
 * @param {string} tag of the frame, with the page at https://you.example/glassformer/
 * @param {Record<string, string>} [headers] of the framed page
 * @param {string} [at] where the page is served already
 */
export async function framed(browser, tag, headers, at) {
  const address = at ?? `http://127.0.0.1:${(await host(inFolders('/glassformer/'), headers)).port}/glassformer/`;
  const outer = await host(
    () => `<!doctype html><title>Lesson</title>${tag.replace('https://you.example/glassformer/', address)}`,
  );
  const context = await browser.newContext({ viewport: { width: 1400, height: 1000 } });
  const page = await context.newPage();
  const seen = watch(page);
  await page.goto(`http://localhost:${outer.port}/`);
  const frame = /** @type {import('playwright-core').Frame} */ (page.frames()[1]);
  return { page, frame, seen, close: () => context.close() };
}
