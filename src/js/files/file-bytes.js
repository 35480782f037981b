import { bytesOf } from '../arrays/arrays.js';
import { GlassformerError } from '../errors.js';
import { isText } from './json.js';
import { Remote, host, settle } from './source.js';
import { refuseType } from '../arrays/tensor.js';

/** @typedef {Partial<AbortSignal> & import('../engine/generate.js').Signal} Signal what asks for the end */

/**
 * A file of which parts are asked, in whatever way it is given.
 * @typedef {object} FileBytes
 * @property {number | undefined} size in bytes; undefined for a stream whose length nobody says
 * @property {(at: number, into: Uint8Array) => Promise<Uint8Array>} read so many bytes from there: `into`
 * @property {(end: number) => Promise<void>} expectEnd refuses what goes on beyond
 * @property {() => void} close
 * @property {(first: Uint8Array, onHeld: (bytes: number) => void) => Promise<FileBytes>} [whole] of what comes once:
 *   all of it, to be read in any order, after those first bytes that were read of it
 */

/** A file that was opened to see whether it is there. */
export class Opened {
  /** @param {FileBytes} bytes */
  constructor(bytes) {
    this.bytes = bytes;
  }
}

/** What is read of a stream at once, and of a file by default. */
export const CHUNK = 2 ** 22;

/** What a stream may fill at once. Larger ones are filled no faster: browsers hand some 64 kB to 2 MB over. */
const PART = 2 ** 18;
/** Bytes of a file that has to be held as a whole: an engine's 2 GB as float64, twice. */
const MOST_WHOLE = 2 ** 33;

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
      throw isAbsent(error) && HUB_NAME.test(`${source}`) ? notOnHub(`${source}`, parameter, error) : error;
    }
  }
  if (source instanceof Remote) return streamed(await source.ask(), parameter, source.ask, signal);
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
    throw unread(parameter, error, true);
  }
  return streamed(response, parameter, ask, signal);
}

/** Whether there is no such file. @param {any} error */
const isAbsent = (error) => error?.value === 404 || error?.cause?.code === 'ENOENT';

/** What may be the name of a model, rather than the address of a file. */
const HUB_NAME = /^[\w-][\w.-]*\/(?!.*\.(safetensors|bin|json)$)[\w.-]+$/;

/** @param {string} name @param {string} parameter @param {unknown} cause */
function notOnHub(name, parameter, cause) {
  return new GlassformerError('format', parameter, name, `there is no such file; did you mean hub:${name}?`, cause);
}

/**
 * @param {string} parameter
 * @param {unknown} error
 * @param {boolean} [fetched] it came from elsewhere
 */
function unread(parameter, error, fetched = false) {
  const how = fetched ? 'fetched' : 'read';
  return new GlassformerError('format', parameter, undefined, `could not be ${how}: ${error}`, error);
}

/**
 * @param {string} parameter
 * @param {number} at
 * @param {number} [size]
 */
function cut(parameter, at, size) {
  const whole = size === undefined ? 'its header says' : `of ${size} bytes`;
  return new GlassformerError('format', parameter, undefined, `ends after ${at} bytes, before the end ${whole}`);
}

/**
 * A stream part by part, where it can be into one buffer that goes to it and comes back: buffers of the stream's own
 * wait for the garbage collector, which lets half of a large file pile up in Chromium. Safari's streams have no such
 * readers, nor have those that a program makes of what is no bytes.
 * @param {ReadableStream<Uint8Array> | null | undefined} stream
 * @param {ArrayBuffer} [given] the buffer of an earlier one
 */
function partsOf(stream, given) {
  let own = true;
  /** @type {any} */
  let reader;
  try {
    reader = stream?.getReader({ mode: 'byob' });
  } catch {
    reader = stream?.getReader();
    own = false;
  }
  let buffer = given ?? new ArrayBuffer(own ? PART : 0);
  return {
    /** @returns {Promise<Uint8Array | null>} until the next call; null at the end */
    async next() {
      const { done, value } = (await reader?.read(own ? new Uint8Array(buffer) : undefined)) ?? { done: true };
      if (own && value) ({ buffer } = value);
      return done ? null : value;
    },
    cancel: () => void reader?.cancel().catch(() => {}),
    /** What the next one may use. */
    buffer: () => buffer,
  };
}

/** @param {string} parameter */
const isFolder = (parameter) =>
  new GlassformerError('format', parameter, undefined, 'is a folder: put / at the end of its address');

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
 * @param {Blob} file
 * @param {string} parameter
 * @returns {FileBytes}
 */
function blob(file, parameter) {
  /** One serves all reads that follow each other. @type {ArrayBuffer | undefined} */
  let buffer;
  return {
    size: file.size,
    async read(at, into) {
      let done = 0;
      try {
        const parts = partsOf(file.slice(at, at + into.byteLength).stream(), buffer);
        buffer = undefined;
        while (done < into.byteLength) {
          const part = await parts.next();
          if (!part) break;
          into.set(part, done);
          done += part.byteLength;
        }
        parts.cancel();
        buffer = parts.buffer();
      } catch (error) {
        throw unread(parameter, error); // a file that has changed since it was picked
      }
      if (done < into.byteLength) throw cut(parameter, at + done, file.size);
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
      throw unread(parameter, error);
    }
  };
  const file = await attempt(() => fs.promises.open(url, 'r'));
  const close = () => void file.close().catch(() => {});
  try {
    const facts = await attempt(() => file.stat());
    if (facts.isDirectory()) throw isFolder(parameter);
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

/** @param {Response} response @param {string} parameter */
function expectUnread({ ok, status, bodyUsed, body, url }, parameter) {
  if (ok === false)
    throw new GlassformerError('format', parameter, status, `no file at ${url || 'its address'}: error`);
  if (bodyUsed || body?.locked) {
    const message = 'this Response has been read already: pass its bytes, or a clone()';
    throw new GlassformerError('format', parameter, undefined, message);
  }
}

/**
 * What comes once and in order. Where the server sends ranges, what has gone by is asked for again, and a connection
 * that breaks is made once more from the byte where it broke.
 * @param {Response} response
 * @param {string} parameter
 * @param {Remote['ask']} [ask]
 * @param {Signal} [signal]
 * @returns {Promise<FileBytes>}
 */
async function streamed(response, parameter, ask, signal) {
  expectUnread(response, parameter);
  const { body, headers, type } = response;
  const length = headers?.get('content-length');
  // Of another origin's file one cannot tell whether this is the length before it was compressed.
  const known = length && type !== 'cors' && !headers.get('content-encoding');
  const size = known ? Number(length) : undefined;
  const tag = headers?.get('etag');
  const again = ask && tag && !/^W/.test(tag) && headers.get('accept-ranges') === 'bytes' ? ask : null;
  let parts = partsOf(body);
  let at = 0;
  /** Where it broke last: twice at one byte is the end. */
  let broke = -1;
  let busy = false;
  /** What was received and not asked for yet. @type {Uint8Array} */
  let rest = new Uint8Array(0);
  const close = () => {
    signal?.removeEventListener?.('abort', close);
    parts.cancel();
  };
  signal?.addEventListener?.('abort', close); // or what waits for a server would go on waiting

  /** @returns {Promise<boolean>} whether there is more */
  async function more() {
    while (rest.byteLength === 0) {
      let step;
      try {
        step = await parts.next();
      } catch (error) {
        signal?.throwIfAborted();
        if (!again || broke === at) throw unread(parameter, error, true);
        await restart((broke = at));
        continue;
      }
      signal?.throwIfAborted();
      if (!step) return false;
      rest = step;
    }
    return true;
  }

  /** @param {number} from */
  async function restart(from) {
    if (!again) {
      const message = `the stream stands at byte ${at}, ${from} was asked: its tensors come in the file's order`;
      throw new GlassformerError('state', parameter, undefined, message);
    }
    parts.cancel();
    // Without If-Range, for which a browser asks another origin's leave first: the tag shows what has changed.
    const part = await settle(again?.({ Range: `bytes=${from}-` }), parameter).catch((error) => error);
    signal?.throwIfAborted();
    if (part instanceof Error) throw part;
    if (part.status !== 206 || part.headers.get('etag') !== tag)
      throw new GlassformerError('format', parameter, part.status, 'the file has changed: status');
    parts = partsOf(part.body);
    rest = new Uint8Array(0);
    at = from;
  }

  return {
    size,
    async read(from, into) {
      if (busy) throw new GlassformerError('state', parameter, undefined, 'one tensor of a stream at a time');
      busy = true;
      try {
        if (from < at || (again && from > at + CHUNK)) await restart(from); // nor is all that lies between fetched
        for (const end = from + into.byteLength; at < end;) {
          if (!(await more())) throw cut(parameter, at, size);
          const used = rest.subarray(0, end - at);
          rest = rest.subarray(used.byteLength);
          // What lies before is passed over.
          const skipped = Math.min(Math.max(from - at, 0), used.byteLength);
          into.set(used.subarray(skipped), Math.max(at - from, 0));
          at += used.byteLength;
        }
        return into;
      } finally {
        busy = false;
      }
    },
    async expectEnd(end) {
      if (at === end && (await more())) {
        throw new GlassformerError('format', parameter, end, 'goes on after the last tensor, which ends at');
      }
    },
    close,
    whole:
      again && size !== undefined
        ? undefined
        : (first, onHeld) => heldWhole(first.slice(0, at), next, close, parameter, onHeld),
  };

  async function next() {
    if (!(await more())) return null;
    const taken = rest;
    rest = rest.subarray(rest.byteLength);
    at += taken.byteLength; // where a broken connection goes on
    return taken;
  }
}

/**
 * A stream that has to be held as a whole: a Blob for each part, which a browser may put on its disk.
 * @param {Uint8Array} first @param {() => Promise<Uint8Array | null>} next @param {() => void} close
 * @param {string} parameter @param {(bytes: number) => void} onHeld
 */
async function heldWhole(first, next, close, parameter, onHeld) {
  const blobs = [new Blob([/** @type {Uint8Array<ArrayBuffer>} */ (first)])];
  let held = first.byteLength;
  let said = 0;
  for (let part = await next(); part; part = await next()) {
    held += part.byteLength;
    if (held > MOST_WHOLE) {
      close();
      throw new GlassformerError('format', parameter, held, `must have at most ${MOST_WHOLE} bytes`);
    }
    blobs.push(new Blob([/** @type {Uint8Array<ArrayBuffer>} */ (part)]));
    if (held - said >= CHUNK) onHeld((said = held));
  }
  close();
  return blob(new Blob(blobs), parameter);
}
