// A file that is given to an engine in a worker. Fetched when one is.
import { bytesOf, tagOf } from '../arrays/arrays.js';
import { refuseType } from '../arrays/tensor.js';
import { settle } from '../formats/source.js';

export { settle };

/**
 * Turns a file into a form that a worker can take: workers resolve no page-relative URL and receive no Response.
 * @param {any} given
 * @param {string} parameter
 */
export async function portable(given, parameter) {
  const source = await settle(given, parameter);
  // Some bundlers make objects of URL whose href is relative.
  if (typeof source === 'string' || source instanceof URL) return ofPage(`${source}`);
  const isPlain = bytesOf(source) || typeof source?.slice === 'function' || Object(source) !== source;
  if (tagOf(source) === 'ReadableStream') refuseType(parameter, source, 'a URL, Response, Blob or bytes');
  if (isPlain || typeof source.arrayBuffer !== 'function') return source;
  const { ok, status, url, body, bodyUsed } = source;
  const isSpent = bodyUsed || Boolean(body?.locked);
  // Piece by piece, a Blob needs no second copy; an answer that is no file is refused there.
  if (ok !== false && status !== 206 && !isSpent) return settle(source.blob?.() ?? source.arrayBuffer(), parameter);
  return { ok, status, url, bodyUsed: isSpent };
}

/** An address as the page means it; in Node, where there is none, as it is. @param {string} address */
function ofPage(address) {
  const { document, location } = /** @type {any} */ (globalThis);
  try {
    return location ? new URL(address, document?.baseURI ?? location.href).href : address;
  } catch {
    return address; // which the worker refuses
  }
}
