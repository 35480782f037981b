// Files of the hub that were fetched once: kept whole, by the commit that they are of, and read without a network.
import { GlassformerError } from '../errors.js';
import { openBytes } from '../formats/file-bytes.js';
import { parseJson } from '../formats/json.js';
import { CHUNK, streamed } from '../formats/stream-bytes.js';
import { refusePage, toBytes } from '../formats/source.js';
import { isObject, refuseType } from '../arrays/tensor.js';

/**
 * Where files are kept. A key is an address; an answer with the status 404 says that there is no such file.
 * @typedef {object} Store
 * @property {(key: string) => any} get the Response that was put there, or undefined; a promise of it will do
 * @property {(key: string, response: import('../globals.js').Instance<'Response'>) => any} put takes it whole: a body
 *   that breaks must not be kept
 */

/**
 * ask: for the rest of a file, where it breaks.
 * @typedef {{ask: (headers?: Record<string, string>) => Promise<Response>, signal?: Signal, onProgress?: Function}} How
 */
/** @typedef {import('../formats/file-bytes.js').Signal} Signal */

const NAME = 'glassformer-hub';
/** Bytes that the folder of Node may have: beyond, what was read the longest ago goes. */
const MOST = 2 ** 34;
/** Bytes of a file: a larger one is not kept, and a larger JSON is refused by its reader. */
const MOST_FILE = 2 ** 33;
const MOST_JSON = 2 ** 26;
/** Of a file, what its reader and the next commit need to know of the answer. */
const HEADERS = ['content-type', 'etag', 'x-error-code'];

/**
 * Reads and writes the copies in a store. A store that fails counts as empty.
 * @typedef {ReturnType<typeof keptIn>} Kept
 * @param {Store} store
 */
const keptIn = (store) => ({
  /** Keys of which the copy is damaged. @type {Set<string>} */
  damaged: new Set(),
  /**
   * A copy whose sum is right.
   * @param {string} key @param {Record<string, string>} [headers] Range @param {Signal} [signal]
   */
  async get(key, headers, signal) {
    const copy = await heard(fromStore(store, key, headers), signal);
    // The rest of a file is asked for behind its beginning, which was checked.
    if (!copy || headers?.Range || copy.status === 404) return copy;
    const said = await textIn(store, sumKey(key), signal);
    const sum = await heard(sumOf(copy, signal), signal);
    if (sum !== said) return void this.damaged.add(key);
    return copy instanceof URL ? copy : heard(fromStore(store, key), signal);
  },
  /** @param {string} key @param {Response} response @param {How} how */
  keep: (key, response, how) => keep(store, key, response, how),
  /** @param {string} branch @param {string} commit that it is at @param {Signal} [signal] */
  note: async (branch, commit, signal) => {
    const put = async () => store.put(branch, new Response(commit));
    // Where the store fails, a network is needed the next time.
    await heard(
      put().catch(() => {}),
      signal,
    );
  },
  /**
   * The commit that a branch was at when it was asked last; '' where that is not known.
   * @param {string} branch @param {Signal} [signal]
   */
  commitOf: async (branch, signal) => /^[\da-f]{40}$/.exec(await textIn(store, branch, signal))?.[0] ?? '',
});

/** Where the sum of a file is kept. @param {string} key */
const sumKey = (key) => `${key}.sum`;

/**
 * A short text of a store; '' where there is none.
 * @param {Store} store @param {string} key @param {Signal} [signal]
 */
async function textIn(store, key, signal) {
  const read = async () => {
    const kept = await fromStore(store, key);
    return kept ? new TextDecoder().decode(await toBytes(kept, 'kept', 'a text')) : '';
  };
  return heard(
    read().catch(() => ''),
    signal,
  );
}

/**
 * A promise, or the signal's reason: whatever a store waits for.
 * @template T
 * @param {Promise<T>} promise @param {Signal} [signal]
 * @returns {Promise<T>}
 */
async function heard(promise, signal) {
  if (!signal?.addEventListener) return promise;
  /** @type {() => void} */
  let abort = () => {};
  const aborted = new Promise((_, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener?.('abort', abort);
    if (signal.aborted) abort();
  });
  try {
    return /** @type {T} */ (await Promise.race([promise, aborted]));
  } finally {
    signal.removeEventListener?.('abort', abort);
  }
}

/**
 * A sum of bytes as they come: FNV-1a, of every fourth byte, which processors compute side by side. It shows damage,
 * not malice: that takes SHA-256, which browsers have only for whole files and on secure pages.
 */
function summing() {
  let lanes = [1, 2, 3, 4];
  let length = 0;
  return {
    /** @param {Uint8Array} bytes */
    add(bytes) {
      let at = 0;
      const singly = (/** @type {number} */ end) => {
        for (; at < end; at++) lanes[(length + at) & 3] = mixed(lanes[(length + at) & 3], bytes[at]);
      };
      singly(Math.min(bytes.length, -length & 3));
      let [a, b, c, d] = lanes;
      for (const end = bytes.length - 3; at < end; at += 4) {
        a = mixed(a, bytes[at]);
        b = mixed(b, bytes[at + 1]);
        c = mixed(c, bytes[at + 2]);
        d = mixed(d, bytes[at + 3]);
      }
      lanes = [a, b, c, d];
      singly(bytes.length);
      length += bytes.length;
    },
    text: () => [length, ...lanes].join(' '),
  };
}

/** @param {number} sum @param {number} byte */
const mixed = (sum, byte) => Math.imul(sum ^ byte, 0x01000193);

/** @param {URL | Response} copy @param {Signal} [signal] @returns {Promise<string>} '' where it cannot be read */
async function sumOf(copy, signal) {
  const sum = summing();
  try {
    const file = /** @type {any} */ (await openBytes(copy, 'file', signal));
    try {
      if (file.next) for (let part; (part = await file.next());) sum.add(part);
      else {
        const buffer = new Uint8Array(Math.min(file.size, CHUNK));
        for (let at = 0; at < file.size; at += buffer.length)
          sum.add(await file.read(at, buffer.subarray(0, file.size - at)));
      }
    } finally {
      file.close();
    }
  } catch {
    return '';
  }
  return sum.text();
}

/**
 * Whether a file of JSON is what its name says: a page that stands for it is not kept.
 * @param {string} key @param {Uint8Array} bytes
 */
function isJson(key, bytes) {
  try {
    const json = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return isObject(json) && (!/\/tokenizer\.json$/.test(key) || isObject(json.model));
  } catch {
    return false;
  }
}

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
 * The copy under a key, from a byte on.
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
  // A page of a network's or a server's own says nothing of the model.
  if (!response.ok && !/^(EntryNotFound)?$/.test(headers['x-error-code'] ?? '')) return response;
  if (!response.ok && /html/i.test(headers['content-type'] ?? '')) return response;
  const sum = summing();
  /** @type {unknown} */
  let broken;
  try {
    const put = (/** @type {string} */ to, /** @type {Response} */ what) =>
      heard((async () => store.put(to, what))(), signal);
    if (!response.ok) await put(key, new Response(null, { status: response.status, headers }));
    else {
      const file = await streamed(response, 'file', ask, signal);
      let loaded = 0;
      const next = async () => {
        const part = await file.next();
        loaded += part?.byteLength ?? 0;
        const isCut = !part && file.size !== undefined && loaded < file.size;
        if (isCut) throw new GlassformerError('format', 'file', loaded, `ends before its ${file.size} bytes`);
        if (loaded > most) throw new GlassformerError('format', 'file', loaded, `must be at most ${most} bytes`);
        if (part && loaded === part.byteLength && most === MOST_FILE) refusePage(part, 'file');
        if (part) sum.add(part);
        if (part) onProgress?.({ loaded, total: Math.max(loaded, total) });
        return part;
      };
      if (most === MOST_JSON) {
        const parts = [];
        try {
          for (let part; (part = await next());) parts.push(part.slice());
        } catch (error) {
          broken = error;
          file.close();
          throw error;
        }
        const whole = new Uint8Array(await new Blob(parts).arrayBuffer());
        const made = () => new Response(whole, { headers: { ...headers, 'content-length': `${whole.length}` } });
        if (!isJson(key, whole)) return made();
        await put(key, made());
        await put(sumKey(key), new Response(sum.text()));
        return heard(fromStore(store, key), signal);
      }
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
      await put(key, new Response(body, { headers: { ...headers, ...length } }));
      if (!broken) await put(sumKey(key), new Response(sum.text()));
    }
  } catch {
    signal?.throwIfAborted();
    if (!broken) return undefined;
  }
  if (broken) throw broken;
  return heard(fromStore(store, key), signal);
}
