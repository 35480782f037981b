import { GlassformerError } from './errors.js';
import { refuseType } from './tensor.js';

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
    throw new GlassformerError('format', parameter, undefined, `could not be fetched: ${error}`);
  }
}

/**
 * The bytes of a file, however it is given.
 * @param {unknown} given address, Response, Blob, bytes or a promise of one; in Node also a file: address
 * @param {string} parameter
 * @param {string} expected what it must be, for people
 * @returns {Promise<Uint8Array>} a view of the bytes that were given, or bytes of their own
 * @throws {GlassformerError} type, and format for an address or response without a file
 */
export async function toBytes(given, parameter, expected) {
  const refuse = (/** @type {unknown} */ value, /** @type {string} */ message) =>
    new GlassformerError('format', parameter, value, message);
  let source = await settle(given, parameter);
  if (typeof source === 'string' || source instanceof URL) source = await settle(open(`${source}`), parameter);
  if (ArrayBuffer.isView(source)) return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  if (source instanceof ArrayBuffer) return new Uint8Array(source);
  if (typeof source?.arrayBuffer !== 'function') refuseType(parameter, source, expected);
  if (source.ok === false) throw refuse(source.status, `no file at ${source.url || 'its address'}: error`);
  if (source.bodyUsed) throw refuse(undefined, 'this Response has been read already: pass its bytes, or a clone()');
  const bytes = new Uint8Array(await settle(source.arrayBuffer(), parameter));
  if (bytes[0] === 60) throw refuse(source.url, 'is a page of HTML or XML, not the file: check the address');
  return bytes;
}

/**
 * @param {string} address
 * @returns {Promise<Uint8Array | Response>}
 */
async function open(address) {
  // A call, so that no bundler looks for the module.
  const { process } = /** @type {any} */ (globalThis);
  const fs = /^file:/.test(address) && process?.getBuiltinModule?.('node:fs');
  return fs ? fs.readFileSync(new URL(address)) : fetch(address);
}
