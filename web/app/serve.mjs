// Serves the built page to this machine only. As a script: PORT=8080 node web/serve.mjs
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import sirv from 'sirv';

const FIRST_PORT = 8080;
const HEADERS = {
  'Cache-Control': 'no-cache',
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; " +
    "connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; " +
    "trusted-types lit-html glassformer; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

/**
 * @param {object} [options]
 * @param {number} [options.port] a port that must be free; 0 takes any; without it, 8080 or the next free one
 * @param {string} [options.folder] what to serve; without it, the built page
 * @returns {Promise<{url: string, close: () => Promise<void>}>}
 */
export async function serve({ port, folder } = {}) {
  const files = sirv(folder ?? fileURLToPath(new URL('../../dist/web', import.meta.url)), { dev: true, etag: true });
  const server = createServer((request, response) => {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    files(request, response, () => {
      response.writeHead(404, { 'Content-Type': 'text/plain' }).end('Not found\n');
    });
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
