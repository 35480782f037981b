// Serves the built page to this machine only. As a script: PORT=8080 node src/tools/serve.mjs
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import sirv from 'sirv';

const FIRST_PORT = 8080;
/** Without frame-ancestors: a server cannot see `embed=1`, which stands after the #, so any page may frame this one. */
const HEADERS = {
  'Cache-Control': 'no-cache',
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; " +
    "font-src 'self'; connect-src 'self' https://huggingface.co https://*.hf.co; worker-src 'self'; " +
    "base-uri 'none'; form-action 'none'; " +
    "require-trusted-types-for 'script'; trusted-types lit-html glassformer",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

/** Of the reference: its scripts, and its gallery's engine. TypeDoc needs styles in markup, and no Trusted Types. */
const DOCS_POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; " +
  "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/** With any port. A site that gives its own name this machine's address would otherwise read what is served here. */
const LOCAL = /^(([a-z\d-]+\.)*localhost|127(\.(\d\d?|1\d\d|2[0-4]\d|25[0-5])){3}|\[::1\])(:\d+)?$/i;
const NOT_LOCAL = 'This server answers only to localhost: open the address that npm start printed.\n';
const NO_DOCS = 'The reference is not ready: load this page again in a minute, or see what npm run docs says.\n';

/**
 * @param {object} [options]
 * @param {number} [options.port] a port that must be free; 0 takes any; without it, 8080 or the next free one
 * @param {string} [options.folder] what to serve; without it, the built page
 * @param {string} [options.docs] what to serve at /docs/; without it, the built reference
 * @returns {Promise<{url: string, close: () => Promise<void>}>}
 */
export async function serve({ port, folder, docs } = {}) {
  const built = (/** @type {string} */ name) => fileURLToPath(new URL(`../../dist/${name}`, import.meta.url));
  const files = sirv(folder ?? built('web'), { dev: true, etag: true });
  const reference = sirv(docs ?? built('docs'), { dev: true, etag: true });
  const server = createServer((request, response) => {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    const missing = (/** @type {string} */ text) => () =>
      response.writeHead(404, { 'Content-Type': 'text/plain' }).end(text);
    if (!LOCAL.test(request.headers.host ?? '')) {
      return response.writeHead(421, { 'Content-Type': 'text/plain' }).end(NOT_LOCAL);
    }
    const found = /^\/docs(\/.*)?$/.exec(request.url ?? '');
    if (!found) return files(request, response, missing('Not found\n'));
    const [, path] = found;
    if (!path) return response.writeHead(301, { Location: '/docs/' }).end();
    request.url = path;
    response.setHeader('Content-Security-Policy', DOCS_POLICY);
    reference(request, response, missing(/^\/(index\.html)?$/.test(path) ? NO_DOCS : 'Not found\n'));
  });
  const listen = (/** @type {number} */ wanted) =>
    new Promise((resolve, reject) => {
      server.once('error', reject).listen(wanted, '127.0.0.1', () => {
        server.off('error', reject);
        resolve(undefined);
      });
    });
  for (let wanted = port ?? FIRST_PORT; ; wanted++) {
    try {
      await listen(wanted);
      break;
    } catch (error) {
      if (port !== undefined || error.code !== 'EADDRINUSE' || wanted >= FIRST_PORT + 100) throw error;
    }
  }
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { PORT } = process.env;
  try {
    if (PORT && !/^\d{1,5}$/.test(PORT)) throw new Error(`PORT=${PORT} is not a port number`);
    const { url } = await serve(PORT ? { port: Number(PORT) } : {});
    console.log(`Glassformer is at ${url} (Ctrl-C stops it)`);
  } catch (error) {
    const taken = error.code === 'EADDRINUSE';
    console.error(taken ? `Port ${error.port} is taken: set PORT= to another, or leave it out.` : error.message);
    process.exitCode = 1;
  }
}
