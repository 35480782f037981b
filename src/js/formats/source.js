import { bytesOf } from '../arrays/arrays.js';
import { GlassformerError } from '../errors.js';
import { refuseType } from '../arrays/tensor.js';

/** @template {string} N @typedef {import('../globals.js').Instance<N>} Instance */

/**
 * Awaits what may be a promise, like that of `fetch`.
 * @param {unknown} given
 * @param {string} parameter
 * @returns {Promise<any>}
 */
export async function settle(given, parameter) {
  try {
    return await given;
  } catch (error) {
    if (error instanceof GlassformerError) throw error; // of a name on the hub, which says more
    throw unavailable(parameter, error);
  }
}

/**
 * The error of a file that is not to be had: it is not there, or the network or a server fails.
 * @param {string} parameter
 * @param {any} error
 * @param {boolean} [fetched] it comes from elsewhere
 */
export function unavailable(parameter, error, fetched = true) {
  const { code, path } = Object(error);
  if (/^(ENOENT|ENOTDIR)$/.test(code)) {
    return new GlassformerError('notFound', parameter, undefined, `there is no such file: ${path} (${code})`, error);
  }
  const isMisspelled = !fetched || error?.cause?.code === 'ERR_INVALID_URL';
  const why = `could not be ${fetched ? 'fetched' : 'read'}: ${error}`;
  return new GlassformerError(isMisspelled ? 'format' : 'network', parameter, undefined, why, error);
}

/** A file that is elsewhere, and can be asked for again. */
export class Remote {
  /** @param {(headers?: Record<string, string>) => Promise<any>} ask gives a Response, or the address of a kept file */
  constructor(ask) {
    this.ask = ask;
  }
}

/** Modules that the entry for Node sets, whatever its version. @type {{fs?: any}} */
export const host = {};

/**
 * A file, however it is given; a promise of it will do, so `fetch(url)` as it is.
 * @typedef {string | Instance<'URL'> | Instance<'Response'> | Instance<'Blob'> | ArrayBuffer
 *   | ArrayBufferView} FileSource
 */

/**
 * Refuses an answer that is no file, or not the whole one.
 * @param {{ok?: boolean, status?: number, url?: string}} response
 * @param {string} parameter
 */
export function expectFile({ ok, status, url }, parameter) {
  const why = ok === false ? 'no file at' : status === 206 ? 'not the whole file at' : '';
  if (!why) return;
  const kind = ok === false ? 'error' : 'status';
  const code = status === 404 || status === 410 ? 'notFound' : ok === false ? 'network' : 'format';
  throw new GlassformerError(code, parameter, status, `${why} ${url || 'its address'}: ${kind}`);
}

/**
 * The bytes of a file, however it is given.
 * @param {unknown} given address, Response, Blob, bytes or a promise of one; in Node also a file: address
 * @param {string} parameter
 * @param {string} expected what it must be, for people
 * @returns {Promise<Uint8Array>} a view of the bytes that were given, or bytes of their own
 * @throws {GlassformerError} type; notFound, network; format for a response that is no file
 */
export async function toBytes(given, parameter, expected) {
  const refuse = (/** @type {unknown} */ value, /** @type {string} */ message) =>
    new GlassformerError('format', parameter, value, message);
  let source = await settle(given, parameter);
  if (typeof source === 'string' || source instanceof URL) source = await settle(open(`${source}`), parameter);
  const held = bytesOf(source);
  if (held) return held;
  if (typeof source?.arrayBuffer !== 'function') refuseType(parameter, source, expected);
  expectFile(source, parameter);
  if (source.bodyUsed) throw refuse(undefined, 'this Response has been read already: pass its bytes, or a clone()');
  const bytes = new Uint8Array(await settle(source.arrayBuffer(), parameter));
  refusePage(bytes, parameter);
  return bytes;
}

/**
 * A server's page, or what stands for a large file in Git, in place of the file. The eighth byte of either is text; in
 * safetensors, where a length begins the file, it is 0.
 * @param {Uint8Array} bytes
 * @param {string} parameter
 */
export function refusePage(bytes, parameter) {
  const start = new TextDecoder().decode(bytes.subarray(0, 40));
  if (!bytes[7]) return;
  if (start.startsWith('version https://git-lfs'))
    throw new GlassformerError(
      'format',
      parameter,
      undefined,
      'is a pointer of Git LFS: fetch the file by git lfs pull',
    );
  if (!/^\s*</.test(start)) return;
  throw new GlassformerError('format', parameter, start, 'is a page of HTML or XML, not the file: check the address');
}

/**
 * @param {string} address
 * @returns {Promise<Uint8Array | Response>}
 */
async function open(address) {
  // A call, so that no bundler looks for the module.
  const { process } = /** @type {any} */ (globalThis);
  const fs = /^file:/.test(address) && (host.fs ?? process?.getBuiltinModule?.('node:fs'));
  return fs ? fs.readFileSync(new URL(address)) : fetch(address);
}
