import { GlassformerError, beginning } from '../errors.js';
import { Remote } from '../formats/source.js';
import { maybe, refuseType } from '../arrays/tensor.js';

export { endOf } from '../formats/stream-bytes.js';

const HUB = 'https://huggingface.co';
/** Redirects that are followed; a file of the hub takes one. */
const MOST_HOPS = 5;
/** Of those who were given access. */
const WAYS = 'give { token }, or download its files there and open their folder';
/** Where the hub sends those who ask for a file: to itself, or to what stores the large ones. */
const STORES = /^(huggingface\.co|([\w-]+\.)+hf\.co)$/;

/** ORG and NAME, as the hub allows them: no path leads out of them, and no other host. */
const NAME = /^(?!.*(--|\.\.))\w([\w.-]{0,94}\w)?\/\w([\w.-]{0,94}\w)?$/;
const COMMIT = /^[\da-f]{40}$/;
/** Letters that a header may have. */
const TOKEN = /^[!-~]{1,500}$/;
const REVISION = /^(?!.*\.\.)\w[\w.+/-]{0,199}$/;

const { process, document } = /** @type {any} */ (globalThis);
const isNode = Boolean(process?.versions?.node);

/**
 * @typedef {object} HubOptions of a model by its name, `hub:ORG/NAME`
 * @property {string} [revision] branch, tag or commit; by default main
 * @property {string | import('../globals.js').Instance<'URL'>} [endpoint] of a mirror; by default that of the variable
 *   HF_ENDPOINT in Node, else https://huggingface.co
 * @property {string} [token] your access token, for gated and private models. Only the endpoint gets it; it is never
 *   stored, nor shown in an error
 * @property {boolean | import('./kept.js').Store} [cache] where its files are kept, to open without a network; default
 *   the Cache API of browsers and Deno, in Node and Bun the folder glassformer/hub of the user's cache; false: nowhere;
 *   or a store of yours, `{ get(key), put(key, response) }`
 */

/**
 * A model on the hub.
 * @typedef {object} HubModel
 * @property {string} title ORG/NAME
 * @property {(file: string) => Remote} at one of its files, at one commit for all that are asked
 * @property {(path: string) => Promise<Response>} ask requests a path below the endpoint
 */

/** @type {import('../arrays/tensor.js').Reader<string>} */
const revisionReader = (value, name) => {
  if (typeof value !== 'string') refuseType(name, value, 'a branch, a tag or a commit');
  if (!REVISION.test(value)) throw new GlassformerError('format', name, value, 'must be a branch, a tag or a commit');
  return value;
};

/** @type {import('../arrays/tensor.js').Reader<string>} */
const endpointReader = (value, name) => {
  if (typeof value !== 'string' && !(value instanceof URL)) refuseType(name, value, 'the address of a hub');
  try {
    const { protocol, origin, pathname, search, username } = new URL(`${value}`);
    if (/^https?:$/.test(protocol) && !search && !username) return origin + pathname.replace(/\/+$/, '');
  } catch {
    // the error below explains it
  }
  throw new GlassformerError('format', name, `${value}`, 'must be the address of a hub, https://HOST');
};

/** No error may show the value. @type {import('../arrays/tensor.js').Reader<string>} */
const tokenReader = (value, name) => {
  if (typeof value === 'string' && TOKEN.test(value)) return value;
  const why = 'must be an access token: letters, digits and signs, no spaces';
  throw new GlassformerError(typeof value === 'string' ? 'format' : 'type', name, undefined, why);
};

export const HUB_OPTIONS = {
  revision: maybe(revisionReader),
  endpoint: maybe(endpointReader),
  token: maybe(tokenReader),
};

/** @param {unknown} source @returns {source is string} */
export const isOnHub = (source) => typeof source === 'string' && source.startsWith('hub:');

/**
 * @param {string} name hub:ORG/NAME
 * @param {{revision?: string, endpoint?: string, token?: string, cache?: import('./kept.js').Kept | null,
 *   signal?: import('../formats/file-bytes.js').Signal, onProgress?: Function}} options onProgress: of files that
 *   are fetched to be kept
 * @returns {HubModel}
 */
export function onHub(name, options = {}) {
  const { revision = 'main', endpoint = endpointOfNode(), token, cache, signal, onProgress } = options;
  const title = name.slice(4);
  if (!NAME.test(title)) throw new GlassformerError('format', 'hub', title, 'must be hub:ORG/NAME');
  const { host, origin } = new URL(endpoint);
  /** @param {import('../errors.js').ErrorCode} code @param {string} why @param {unknown} cause */
  const fail = (code, why, cause) => new GlassformerError(code, name, undefined, why, cause);
  // A page cannot see redirects, and its policy names the hosts; elsewhere each is checked before it is followed.
  const redirect = isNode && !document ? 'manual' : 'follow';
  let commit = '';

  /** @param {string} address @param {Record<string, string>} headers */
  async function once(address, headers) {
    // The hub needs to know neither the page nor the reader.
    const plain = /** @type {const} */ ({ credentials: 'omit', referrerPolicy: 'no-referrer', redirect });
    const init = { ...plain, headers, signal: /** @type {AbortSignal} */ (signal) };
    try {
      if (!token || new URL(address).origin !== origin) return await fetch(address, init);
      const known = { ...init, headers: { ...headers, authorization: `Bearer ${token}` } };
      const response = await fetch(address, { ...known, redirect: 'manual' });
      // A page sees no redirect; its browser drops the token when it follows one to another origin.
      return response.type === 'opaqueredirect' ? await fetch(address, { ...known, redirect: 'follow' }) : response;
    } catch (error) {
      signal?.throwIfAborted();
      throw fail('network', `${host} could not be reached (${reasonOf(error)}): check the network`, error);
    }
  }

  /** @param {string} path @param {Record<string, string>} [headers] */
  async function ask(path, headers = {}) {
    for (let address = `${endpoint}/${path}`, hops = 0; ; hops++) {
      const response = await once(address, headers);
      const next = nextOf(response, address);
      const isEndless = next && hops === MOST_HOPS;
      const gated = await isGated(response);
      const ways = `${token ? 'This token has none: ask' : 'Ask'} for it at ${endpoint}/${title}, then ${WAYS}`;
      const why =
        elsewhere(next || response.url || address, endpoint) ??
        (gated && `is gated: its makers give access on request. ${ways}`) ??
        (isEndless ? `${host} sent this request on and on` : !next && refusal(response, host, revision, token));
      if (!why && !next) return response;
      void response.body?.cancel().catch(() => {});
      if (why) throw fail(gated ? 'network' : codeOf(response), why, response.status);
      address = next;
    }
  }

  const addressOf = (/** @type {string} */ of, /** @type {string} */ file) =>
    `${endpoint}/${title}/resolve/${of}/${file}`;
  /** Says which commit a branch is at, in the store. */
  const branch = addressOf(encodeURIComponent(revision), '');

  /** From the network. @param {string} file @param {Record<string, string>} [headers] */
  async function fetched(file, headers) {
    const response = await ask(`${title}/resolve/${commit || encodeURIComponent(revision)}/${file}`, headers);
    // A branch that moves meanwhile must not mix two versions.
    commit ||= COMMIT.exec(response.headers.get('x-repo-commit') ?? '')?.[0] ?? '';
    return response;
  }

  /** A file of a commit never changes; for a branch the network is asked, and what is kept is the next best. */
  const at = (/** @type {string} */ file) =>
    new Remote(async (headers) => {
      if (!cache) return fetched(file, headers);
      if (COMMIT.test(revision)) commit = revision;
      const had = commit && (await cache.get(addressOf(commit, file), headers, signal));
      if (had) return had;
      const known = commit;
      try {
        const response = await fetched(file, headers);
        if (!commit || headers?.Range) return response;
        if (!known) await cache.note(branch, commit, signal);
        const again = (/** @type {Record<string, string> | undefined} */ asked) => fetched(file, asked);
        const how = { ask: again, signal, onProgress: /\.json$/.test(file) ? undefined : onProgress };
        return (await cache.keep(addressOf(commit, file), response, how)) ?? (await fetched(file));
      } catch (error) {
        // No network, or none that works: what the branch was at when it was asked last.
        const { cause, code, message } = /** @type {any} */ (error);
        signal?.throwIfAborted();
        if (!(cause instanceof Error || cause >= 429)) throw error;
        if (!known) commit = await cache.commitOf(branch, signal);
        const kept = !known && commit && (await cache.get(addressOf(commit, file), headers, signal));
        if (kept) return kept;
        if (!cache.damaged.has(addressOf(commit, file))) throw error;
        const said = message.slice(name.length + 2);
        throw fail(code, `the kept copy of ${file} is damaged, and a new one cannot be fetched: ${said}`, cause);
      }
    });
  return { title, at, ask };
}

/** @returns {string} */
function endpointOfNode() {
  const given = isNode && process.env.HF_ENDPOINT;
  return given ? endpointReader(given, 'HF_ENDPOINT') : HUB;
}

/** Node hides why behind “fetch failed”. @param {any} error */
const reasonOf = (error) => error.cause?.code ?? error.cause?.message ?? error.message;

/** Where a response sends on to; '' where it does not. @param {Response} response @param {string} address */
function nextOf({ status, headers }, address) {
  const location = headers.get('location');
  if (status < 300 || status > 399 || !location) return '';
  try {
    return new URL(location, address).href;
  } catch {
    return 'about:invalid';
  }
}

/**
 * Why a file is not taken from where it came; a mirror may store large files wherever it likes.
 * @param {string} from @param {string} endpoint
 */
function elsewhere(from, endpoint) {
  const [{ protocol, host }, asked] = [new URL(from), new URL(endpoint)];
  const isSafe = protocol === 'https:' || protocol === asked.protocol;
  if (isSafe && (endpoint !== HUB || STORES.test(host))) return null;
  return `${asked.host} sent this request on to ${protocol}//${beginning(host, 99)}, which is not trusted`;
}

/** @param {Response} response @returns {import('../errors.js').ErrorCode} */
const codeOf = ({ status }) => (/^40[14]$/.test(`${status}`) ? 'notFound' : status >= 400 ? 'network' : 'format');

/**
 * Whether the hub wants to know who asks for a model. A mirror may send no header that says so, but the hub's text.
 * @param {Response} response
 * @returns {Promise<true | null>}
 */
async function isGated({ status, headers, body }) {
  if (status !== 401 && status !== 403) return null;
  const code = headers.get('x-error-code');
  if (code) return code === 'GatedRepo' || null;
  const said = headers.get('x-error-message') ?? (await body?.getReader().read())?.value;
  const text = typeof said === 'string' ? said : new TextDecoder().decode(said?.subarray(0, 1000));
  return /gated|is restricted/i.test(text) || null;
}

/**
 * The reason why the hub refuses a request, by its headers. A file that a model lacks is no refusal.
 * @param {Response} response
 * @param {string} host
 * @param {string} revision
 * @param {string} [token]
 */
function refusal({ ok, status, headers }, host, revision, token) {
  if (ok) return null;
  const code = headers.get('x-error-code');
  if (code === 'RevisionNotFound') return `has no revision ${revision}`;
  if (code === 'RepoNotFound' || status === 401) {
    const other = token ? 'the token may not read it: check both' : 'it is private: check the name';
    return `${host} has no such model, or ${other}`;
  }
  if (status === 403)
    return `${host} refuses access: ${beginning(headers.get('x-error-message') ?? 'no reason is given', 200)}`;
  if (status === 404) return null;
  if (status === 429) return `${host} has had too many requests from here: wait some minutes`;
  return `${host} answered with status ${status}: try again later`;
}
