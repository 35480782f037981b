// A hub for tests: answers as huggingface.co does, by its headers, redirects and refusals, with the checkpoints of
// tests/checkpoints. Small files come by a redirect to the hub itself, large ones from another origin, the store.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';

export const HUB = 'https://huggingface.co';
export const STORE = 'https://us.aws.cdn.hf.co';
/** Opens the gated model. */
export const TOKEN = 'hf_ofTheTests';
const LARGE = /\.(safetensors|bin)$/;
const POINTER = 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n';
const sha = (/** @type {string} */ text, /** @type {string} */ how = 'sha1') =>
  createHash(how).update(text).digest('hex');

/**
 * @typedef {Record<string, Buffer & {promised?: number}>} Files by name; `promised`: bytes, where more are said to come
 * @param {Record<string, Files>} [more] models beside those of tests/checkpoints, which are test/CASE
 */
export async function startHub(more = {}) {
  const folder = new URL('checkpoints/', import.meta.url);
  /** @type {Map<string, Files>} */
  const models = new Map(Object.entries(more));
  for (const { name } of readdirSync(folder, { withFileTypes: true }).filter((each) => each.isDirectory()))
    models.set(`test/${name}`, filesIn(new URL(`${name}/`, folder)));
  /** Every request: address and range. @type {string[]} */
  const asked = [];
  /** The header `authorization` of each request that had one, with the name of the server. @type {string[]} */
  const authorized = [];
  /** @param {string} server @param {import('node:http').IncomingMessage} request */
  const noteToken = (server, { headers: { authorization } }) =>
    authorization && authorized.push(`${server} ${authorization}`);
  const state = { after: Infinity, moves: false, moved: '' };

  /**
   * @param {import('node:http').ServerResponse} response @param {number} status
   * @param {Record<string, string>} headers
   */
  function say(response, status, headers, body = '') {
    const exposed = 'X-Repo-Commit,X-Error-Code,X-Error-Message,ETag,Link,Accept-Ranges,Content-Range,X-Linked-Size';
    const open = { 'access-control-allow-origin': '*', 'access-control-expose-headers': exposed };
    response.writeHead(status, { ...open, 'content-type': 'text/plain; charset=utf-8', ...headers });
    response.end(body);
  }
  const refuse = (/** @type {any} */ response, /** @type {number} */ status, code = '', message = '') =>
    say(response, status, { ...(code && { 'x-error-code': code }), 'x-error-message': message }, message);

  /**
   * @param {import('node:http').IncomingMessage} request @param {import('node:http').ServerResponse} response
   * @param {Files[string]} file @param {number} [end] where the connection breaks
   */
  function send({ headers }, response, file, end = file.length) {
    assert.equal(headers['if-range'], undefined, 'it would need another origin’s leave in a browser');
    const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0);
    const whole = file.promised ?? file.length;
    response.writeHead(headers.range ? 206 : 200, {
      ...(headers.range && { 'content-range': `bytes ${from}-${whole - 1}/${whole}` }),
      'access-control-allow-origin': '*',
      'access-control-expose-headers': '*',
      'accept-ranges': 'bytes',
      'content-length': String(whole - from),
      etag: `"${sha(file.toString('latin1'))}${state.moved}"`,
    });
    if (end === file.length) return void response.end(file.subarray(from));
    // A busy browser takes its time.
    response.write(file.subarray(from, end), () => setTimeout(() => response.destroy(), 500));
  }

  const store = await listening((request, response) => {
    asked.push(`store ${request.headers.range ?? ''}`.trim());
    noteToken('store', request);
    const { pathname, searchParams } = new URL(String(request.url), 'http://store');
    const [, org, name, ...path] = decodeURIComponent(pathname).split('/');
    const file = path.join('/');
    if (!searchParams.has('Signature')) return refuse(response, 403, '', 'MissingKey');
    const whole = /** @type {Files} */ (models.get(`${org}/${name}`))[file];
    send(request, response, whole, Math.min(state.after, whole.length));
    if (state.after < whole.length) Object.assign(state, { after: Infinity, moved: state.moves ? '2' : '' });
  });

  const hub = await listening((request, response) => {
    const { pathname, searchParams } = new URL(String(request.url), 'http://hub');
    const isReal = request.headers.host === new URL(HUB).host; // a browser that reaches it as huggingface.co
    asked.push(`${decodeURIComponent(pathname)} ${request.headers.range ?? ''}`.trim());
    noteToken('hub', request);
    if (request.method === 'OPTIONS') return say(response, 204, { 'access-control-allow-headers': 'authorization' });
    const cached = /^\/api\/resolve-cache\/models\/([^/]+\/[^/]+)\/[^/]+\/(.+)$/.exec(pathname);
    const wanted = /^\/([^/]+\/[^/]+)\/resolve\/([^/]+)\/(.+)$/.exec(pathname);
    const info = /^\/api\/models\/([^/]+\/[^/]+)\/revision\/([^/]+)$/.exec(pathname);
    const [, title = '', revision = '', path = ''] = wanted ?? info ?? cached ?? [];
    const file = decodeURIComponent(path);
    const files = models.get(title);
    const commit = sha(title);
    if (title === 'test/busy') return refuse(response, 429, '', 'Too many requests');
    if (title === 'test/gated' && wanted && request.headers.authorization !== `Bearer ${TOKEN}`)
      return refuse(response, 401, 'GatedRepo', `Access to model ${title} is restricted.`);
    // A mirror passes the hub's text on, without its headers.
    if (title === 'test/mirrored' && wanted)
      return say(response, 403, {}, `Access to model ${title} is restricted and you are not in the authorized list.`);
    if (title === 'test/disabled') return refuse(response, 403, '', 'Access to this resource is disabled.');
    if (title === 'test/elsewhere') return say(response, 302, { location: `${HUB}.evil.example/${file}` });
    if (title === 'test/private') return refuse(response, 404, 'RepoNotFound', 'Repository not found');
    if (title === 'test/down') return refuse(response, 503);
    if (!files) return refuse(response, 401, '', 'Invalid username or password.');
    if (cached) {
      response.setHeader('x-repo-commit', commit);
      return send(request, response, files[decodeURIComponent(cached[2])]);
    }
    if (!['main', 'refs/pr/1', commit].includes(decodeURIComponent(revision)))
      return refuse(response, 404, 'RevisionNotFound', `Invalid rev id: ${revision}`);
    const facts = info && infoOf(title, commit, files, searchParams.has('blobs'));
    if (facts) return say(response, 200, { 'content-type': 'application/json' }, JSON.stringify(facts));
    if (!Object.hasOwn(files, file)) return refuse(response, 404, 'EntryNotFound', 'Entry not found');
    const headers = { 'x-repo-commit': commit, 'accept-ranges': 'bytes' };
    if (!LARGE.test(file)) {
      const location = `/api/resolve-cache/models/${title}/${commit}/${file}?etag=1`;
      return say(response, 307, { ...headers, location });
    }
    const size = String(files[file].length);
    say(response, 302, {
      ...headers,
      'x-linked-size': size,
      location: `${isReal ? STORE : store.url}/${title}/${file}?Expires=1&Signature=x`,
    });
  });

  return {
    endpoint: hub.url,
    store: store.url,
    asked,
    authorized,
    models,
    /**
     * Breaks the next connection to the store after so many bytes.
     * @param {number} after @param {boolean} [moves] the file is another one from then on
     */
    break: (after, moves = false) => Object.assign(state, { after, moves }),
    close: () => [hub, store].forEach(({ close }) => close()),
  };
}

/** Of a checkpoint: not what PyTorch answered, nor the case. */
const WEIGHTS = /^(?!expected\.).*\.(safetensors|bin)(\.index\.json)?$/;
const WORDS = /^((tokenizer_|generation_)?config|tokenizer|vocab)\.json$|\.spm$/;

/** @param {URL} folder @returns {Files} */
export const filesIn = (folder) =>
  Object.fromEntries(
    readdirSync(folder)
      .filter((name) => WEIGHTS.test(name) || WORDS.test(name))
      .map((name) => [name, readFileSync(new URL(name, folder))]),
  );

/** A file as a mirror without Git LFS has it. */
export const pointer = Buffer.from(POINTER);

/** @param {string} id @param {string} commit @param {Files} files @param {boolean} blobs */
function infoOf(id, commit, files, blobs) {
  const config = JSON.parse(String(files['config.json']));
  const weights = files['model.safetensors'];
  return {
    id,
    sha: commit,
    private: false,
    gated: id === 'test/gated' ? 'manual' : false,
    tags: ['license:mit'],
    cardData: { license: 'mit' },
    config: { model_type: config.model_type },
    ...(weights && { safetensors: { parameters: { F32: weights.length >> 2 }, total: weights.length >> 2 } }),
    siblings: Object.entries(files).map(([rfilename, { length }]) => ({ rfilename, ...(blobs && { size: length }) })),
  };
}

/** @param {import('node:http').RequestListener} answer */
async function listening(answer) {
  const server = createServer(answer);
  await new Promise((done) => server.listen(0, '127.0.0.1', () => done(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const close = () => (server.closeAllConnections(), server.close());
  return { url: `http://127.0.0.1:${port}`, close };
}

/**
 * An answer to a request for the real addresses, one redirect at a time, as the network would give it.
 * @param {Awaited<ReturnType<typeof startHub>>} hub
 * @param {string} address @param {RequestInit} [init]
 * @returns {Promise<Response | null>} null: for an address that is neither hub nor store
 */
export async function answerAsReal(hub, address, init) {
  const local = address.startsWith(`${HUB}/`)
    ? address.replace(HUB, hub.endpoint)
    : address.startsWith(`${STORE}/`)
      ? address.replace(STORE, hub.store)
      : null;
  if (!local) return null;
  const response = await fetch(local, { ...init, redirect: 'manual' });
  const headers = new Headers(response.headers);
  const location = headers.get('location');
  if (location) headers.set('location', new URL(location.replace(hub.store, STORE), address).href);
  return new Response(response.status < 300 || response.status >= 400 ? response.body : null, {
    status: response.status,
    headers,
  });
}
