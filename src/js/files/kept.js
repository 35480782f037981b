// Files of the hub that were fetched once: kept whole, by the commit that they are of, and read without a network.
import { GlassformerError } from '../errors.js';
import { streamed } from './stream-bytes.js';
import { toBytes } from './source.js';
import { refuseType } from '../arrays/tensor.js';

/**
 * Where files are kept. A key is an address; an answer with the status 404 says that there is no such file.
 * @typedef {object} Store
 * @property {(key: string) => any} get the Response that was put there, or undefined; a promise of it will do
 * @property {(key: string, response: import('../globals.js').Instance<'Response'>) => any} put takes it whole: a body
 *   that breaks must not be kept
 */

/**
 * ask: for the rest of a file, where it breaks.
 * @typedef {{ask: (headers?: Record<string, string>) => Promise<Response>, signal?: import('./file-bytes.js').Signal,
 *   onProgress?: Function}} How
 */

const NAME = 'glassformer-hub';
/** Bytes that the folder of Node may have: beyond, what was read the longest ago goes. */
const MOST = 2 ** 34;
/** Bytes of a file: a larger one is not kept, and a larger JSON is refused by its reader. */
const MOST_FILE = 2 ** 33;
const MOST_JSON = 2 ** 26;
/** Of a file, what its reader and the next commit need to know of the answer. */
const HEADERS = ['content-type', 'etag', 'x-error-code'];

/**
 * What is kept in a store. A store that fails is none.
 * @typedef {ReturnType<typeof keptIn>} Kept
 * @param {Store} store
 */
const keptIn = (store) => ({
  /** @param {string} key @param {Record<string, string>} [headers] Range */
  get: (key, headers) => fromStore(store, key, headers),
  /** @param {string} key @param {Response} response @param {How} how */
  keep: (key, response, how) => keep(store, key, response, how),
  /** @param {string} branch @param {string} commit that it is at */
  note: async (branch, commit) => {
    try {
      await store.put(branch, new Response(commit));
    } catch {
      // then a network is needed the next time
    }
  },
  /** The commit that a branch was at when it was asked last; '' where that is not known. @param {string} branch */
  commitOf: async (branch) => {
    try {
      const bytes = await toBytes(await fromStore(store, branch), 'commit', 'a commit');
      return /^[\da-f]{40}$/.exec(new TextDecoder().decode(bytes))?.[0] ?? '';
    } catch {
      return '';
    }
  },
});

/** @type {import('../arrays/tensor.js').Reader<Kept | null>} */
export const cacheReader = (value = true, name) => {
  const { get, put } = Object(value);
  const isStore = typeof get === 'function' && typeof put === 'function';
  if (typeof value !== 'boolean' && !isStore)
    refuseType(name, value, 'true, false or { get(key), put(key, response) }');
  const store = value === true ? ownStore() : /** @type {any} */ (value);
  return store ? keptIn(store) : null;
};

/** The browser's, Deno's; a folder in Node and Bun; else none. @returns {Store | null} */
function ownStore() {
  const { caches, process } = /** @type {any} */ (globalThis);
  if (caches?.open) {
    const opened = () => caches.open(NAME);
    return {
      get: async (key) => (await opened()).match(key),
      put: async (key, response) => (await opened()).put(key, response),
    };
  }
  // Calls, so that no bundler looks for the modules.
  const [fs, url] = ['node:fs/promises', 'node:url'].map((name) => process?.getBuiltinModule?.(name));
  const { XDG_CACHE_HOME, LOCALAPPDATA, HOME } = process?.env ?? {};
  const base = XDG_CACHE_HOME || LOCALAPPDATA || (HOME && `${HOME}/.cache`);
  return fs && base ? inFolder(fs, `${base}/glassformer/hub`, url.pathToFileURL) : null;
}

/**
 * A file for each key, beside it an empty one where there is no such file. Written under another name first: what is
 * there is whole.
 * @param {any} fs node:fs/promises
 * @param {string} folder
 * @param {(path: string) => URL} addressOf
 * @returns {Store}
 */
function inFolder(fs, folder, addressOf) {
  const pathOf = (/** @type {string} */ key) => `${folder}/${encodeURIComponent(key)}`;
  return {
    async get(key) {
      const now = new Date();
      const touch = (/** @type {string} */ path) =>
        fs.utimes(path, now, now).then(
          () => true,
          () => false,
        );
      if (await touch(pathOf(key))) return addressOf(pathOf(key));
      return (await touch(`${pathOf(key)}.absent`)) ? new Response(null, { status: 404 }) : undefined;
    },
    async put(key, response) {
      await fs.mkdir(folder, { recursive: true, mode: 0o700 });
      if (response.status === 404) return fs.writeFile(`${pathOf(key)}.absent`, '');
      const part = `${folder}/${crypto.randomUUID()}.part`;
      try {
        await fs.writeFile(part, /** @type {any} */ (response.body), { mode: 0o600 });
        await fs.rename(part, pathOf(key));
      } catch (error) {
        await fs.rm(part, { force: true });
        throw error;
      }
      await shorten(fs, folder);
    },
  };
}

/** Deletes what was read the longest ago. @param {any} fs @param {string} folder */
async function shorten(fs, folder) {
  /** @type {string[]} */
  const names = await fs.readdir(folder);
  /** @type {{path: string, size?: number, mtimeMs?: number}[]} */
  const files = await Promise.all(
    names.map(async (name) => ({
      path: `${folder}/${name}`,
      ...(await fs.stat(`${folder}/${name}`).catch(() => null)),
    })),
  );
  let left = MOST;
  for (const { path, size = 0 } of files.sort((a, b) => (b.mtimeMs ?? 0) - (a.mtimeMs ?? 0))) {
    left -= size;
    if (left < 0) await fs.rm(path, { force: true });
  }
}

/**
 * What is kept under a key, from a byte on.
 * @param {Store} store
 * @param {string} key
 * @param {Record<string, string>} [headers] Range
 * @returns {Promise<any>} undefined: nothing
 */
async function fromStore(store, key, { Range } = {}) {
  try {
    const kept = await store.get(key);
    if (kept instanceof URL) return kept;
    if (typeof kept?.arrayBuffer !== 'function' || !kept.headers || kept.bodyUsed) return undefined;
    if (!Range || !kept.ok) return kept;
    const from = Number(/\d+/.exec(Range)?.[0]);
    const whole = await kept.blob();
    const rest = whole.slice(from);
    const facts = { etag: kept.headers.get('etag') ?? '', 'content-length': `${rest.size}` };
    const range = `bytes ${from}-${whole.size - 1}/${whole.size}`;
    return new Response(rest, { status: 206, headers: { ...facts, 'content-range': range } });
  } catch {
    return undefined;
  }
}

/**
 * Keeps an answer, and gives what is then kept of it.
 * @param {Store} store
 * @param {string} key
 * @param {Response} response
 * @param {How} how
 * @returns {Promise<any>} the answer itself where it is too large; undefined where the store failed: it is used up
 * @throws {GlassformerError} what broke on the way here
 */
async function keep(store, key, response, { ask, signal, onProgress }) {
  const facts = HEADERS.map((name) => [name, response.headers.get(name) ?? '']).filter(([, value]) => value);
  const headers = Object.fromEntries([...facts, ['accept-ranges', 'bytes']]);
  const most = /\.json$/.test(key) ? MOST_JSON : MOST_FILE;
  const total = Number(response.headers.get('content-length'));
  if (total > most) return response;
  /** @type {unknown} */
  let broken;
  try {
    if (!response.ok) await store.put(key, new Response(null, { status: response.status, headers }));
    else {
      const file = await streamed(response, 'file', ask, signal);
      let loaded = 0;
      const next = async () => {
        const part = await file.next();
        loaded += part?.byteLength ?? 0;
        const isCut = !part && file.size !== undefined && loaded < file.size;
        if (isCut) throw new GlassformerError('format', 'file', loaded, `ends before its ${file.size} bytes`);
        if (loaded > most) throw new GlassformerError('format', 'file', loaded, `must be at most ${most} bytes`);
        if (part) onProgress?.({ loaded, total: Math.max(loaded, total) });
        return part;
      };
      const body = new ReadableStream({
        async pull(controller) {
          try {
            const part = await next();
            if (part) controller.enqueue(part.slice());
            else controller.close();
          } catch (error) {
            broken = error;
            file.close();
            controller.error(error);
          }
        },
        cancel: () => file.close(),
      });
      const length = file.size === undefined ? {} : { 'content-length': `${file.size}` };
      await store.put(key, new Response(body, { headers: { ...headers, ...length } }));
    }
  } catch {
    signal?.throwIfAborted();
    if (!broken) return undefined;
  }
  if (broken) throw broken;
  return fromStore(store, key);
}
