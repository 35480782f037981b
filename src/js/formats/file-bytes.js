import { bytesOf, isText } from '../arrays/arrays.js';
import { GlassformerError } from '../errors.js';
import { Remote, host, settle, unavailable } from './source.js';
import { blob, cut, streamed } from './stream-bytes.js';
import { refuseType } from '../arrays/tensor.js';

/** @typedef {Partial<AbortSignal> & import('../engine/generate.js').Signal} Signal what asks for the end */

/**
 * A file of which parts are asked, in whatever way it is given.
 * @typedef {object} FileBytes
 * @property {number | undefined} size in bytes; undefined for a stream whose length nobody says
 * @property {(at: number, into: Uint8Array) => Promise<Uint8Array>} read so many bytes from there: `into`
 * @property {(end: number) => Promise<void>} expectEnd refuses bytes beyond
 * @property {() => void} close
 * @property {number} [mostHead] bytes that its header may have, where it may come compressed
 * @property {(first: Uint8Array, onHeld: (bytes: number) => void, budget: import('./stream-bytes.js').Budget) =>
 *   Promise<FileBytes>} [whole] of what comes once: all of it, to be read in any order, after those first bytes that
 *   were read of it; budget: for what may come compressed
 */

/** A file that was opened to see whether it is there. */
export class Opened {
  /** @param {FileBytes} bytes */
  constructor(bytes) {
    this.bytes = bytes;
  }
}

const EXPECTED = 'a URL, Response, Blob or bytes';

/**
 * The address of a file: in Node what names no scheme is a path.
 * @param {string} given
 * @returns {string}
 */
export function located(given) {
  const { process } = /** @type {any} */ (globalThis);
  if (/^[a-z][a-z\d+.-]+:/i.test(given) || !process?.versions?.node) return given;
  if (!isText(given)) throw new GlassformerError('format', 'address', given, 'must be text of Unicode');
  const encoded = (/** @type {string} */ path) => path.split('/').map(encodeURIComponent).join('/');
  return new URL(encoded(given), `file://${encoded(process.cwd())}/`).href;
}

/**
 * @param {unknown} given address, Response, Blob, bytes or a promise of one; in Node also a path or file: address
 * @param {string} parameter
 * @param {Signal} [signal] ends what is being fetched
 * @returns {Promise<FileBytes>}
 */
export async function openBytes(given, parameter, signal) {
  const source = await settle(given, parameter);
  if (source instanceof Opened) return source.bytes;
  if (typeof source === 'string' || source instanceof URL) {
    try {
      return await openAddress(located(`${source}`), parameter, signal);
    } catch (error) {
      const isLost = Object(error).code === 'notFound' && !isFolder(error);
      const meant = isLost ? meantBy(`${source}`) : undefined;
      if (!meant) throw error;
      throw new GlassformerError('notFound', parameter, source, `there is no such file; did you mean ${meant}?`, error);
    }
  }
  if (source instanceof Remote) {
    const found = await source.ask();
    return found instanceof URL ? openBytes(found, parameter) : streamed(found, parameter, source.ask, signal);
  }
  const bytes = bytesOf(source);
  if (bytes) return held(bytes, parameter);
  if (typeof source?.arrayBuffer !== 'function') refuseType(parameter, source, EXPECTED);
  if (typeof source.slice === 'function') return blob(source, parameter);
  return streamed(source, parameter, undefined, signal);
}

/**
 * @param {string} address
 * @param {string} parameter
 * @param {Signal} [signal]
 */
async function openAddress(address, parameter, signal) {
  // A call, so that no bundler looks for the module.
  const { process } = /** @type {any} */ (globalThis);
  const fs = /^file:/.test(address) && (host.fs ?? process?.getBuiltinModule?.('node:fs'));
  if (fs) return local(fs, new URL(address), parameter);
  const ask = (headers = {}) => fetch(address, { headers, signal: /** @type {AbortSignal} */ (signal) });
  let response;
  try {
    response = await ask();
  } catch (error) {
    signal?.throwIfAborted();
    throw unavailable(parameter, error);
  }
  return streamed(response, parameter, ask, signal);
}

/** Matches a name of a model, rather than the address of a file. */
const HUB_NAME = /^[\w-][\w.-]*\/(?!.*\.(safetensors|bin|json)$)[\w.-]+$/;

/** @param {string} name of no file @returns {string | undefined} a model of the package or of the hub */
function meantBy(name) {
  const path = name.replace(/^(creek|continue|translate)$/, 'glassformer/models/$1');
  if (/^glassformer\/[\w/-]+$/.test(path)) return `import.meta.resolve('${path}')`;
  if (/^[\w-]+$/.test(name)) return `hub:owner/${name}, with its owner at huggingface.co`;
  return HUB_NAME.test(name) ? `hub:${name}` : undefined;
}

const FOLDER = 'is a folder, not a file';
/** Whether a folder was there in place of a file. @param {any} error */
const isFolder = (error) => Object(error).message?.endsWith(FOLDER);

/** @param {Uint8Array} bytes which their owner may detach meanwhile @param {string} parameter @returns {FileBytes} */
function held(bytes, parameter) {
  const size = bytes.byteLength;
  return {
    size,
    async read(at, into) {
      if (bytes.byteLength < at + into.byteLength) throw cut(parameter, bytes.byteLength, size);
      into.set(bytes.subarray(at, at + into.byteLength));
      return into;
    },
    expectEnd: async () => {},
    close: () => {},
  };
}

/**
 * A file of Node's, read into one buffer: nothing is left to the garbage collector.
 * @param {any} fs
 * @param {URL} url
 * @param {string} parameter
 * @returns {Promise<FileBytes>}
 */
async function local(fs, url, parameter) {
  /** @param {() => Promise<any>} use */
  const attempt = async (use) => {
    try {
      return await use();
    } catch (error) {
      throw unavailable(parameter, error, false);
    }
  };
  const file = await attempt(() => fs.promises.open(url, 'r'));
  const close = () => void file.close().catch(() => {});
  try {
    const facts = await attempt(() => file.stat());
    if (facts.isDirectory()) throw new GlassformerError('notFound', parameter, undefined, FOLDER);
    const { size } = facts;
    return {
      size,
      async read(at, into) {
        for (let done = 0; done < into.byteLength;) {
          const rest = into.byteLength - done;
          const { bytesRead } = await attempt(() => file.read(into, done, rest, at + done));
          if (bytesRead === 0) throw cut(parameter, at + done, size);
          done += bytesRead;
        }
        return into;
      },
      expectEnd: async () => {},
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}
