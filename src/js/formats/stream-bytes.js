// A file from elsewhere, read once and in order; the server's answer is compared with the request.
import { GlassformerError } from '../errors.js';
import { expectFile, settle, unavailable } from './source.js';

/** @typedef {import('./file-bytes.js').FileBytes} FileBytes */
/** @typedef {import('./file-bytes.js').Signal} Signal */
/** @typedef {import('./source.js').Remote} Remote */

/**
 * Bytes that may still be held of files whose length is not known before they are unpacked.
 * @typedef {{left: number}} Budget
 */

/** Bytes to read at once from a stream, and by default from a file. */
export const CHUNK = 2 ** 22;

/** Bytes that a stream may fill at once. More is no faster: browsers hand over some 64 kB to 2 MB. */
const PART = 2 ** 18;
/** Bytes of a file that has to be held as a whole: an engine's 2 GB as float64, twice. */
const MOST_WHOLE = 2 ** 33;
/** Bytes of a header that may come compressed: those of 10,000 tensors have 2 MB. */
const MOST_HEAD = 2 ** 24;

/**
 * @param {string} parameter
 * @param {number} at
 * @param {number} [size]
 */
export function cut(parameter, at, size) {
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
    /** A buffer for the next reader. */
    buffer: () => buffer,
  };
}

/**
 * @param {Blob} file
 * @param {string} parameter
 * @returns {FileBytes}
 */
export function blob(file, parameter) {
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
        throw unavailable(parameter, error, false); // a file that has changed since it was picked
      }
      if (done < into.byteLength) throw cut(parameter, at + done, file.size);
      return into;
    },
    expectEnd: async () => {},
    close: () => {},
  };
}

/** @param {Response} response @param {string} parameter */
function expectUnread(response, parameter) {
  expectFile(response, parameter);
  if (response.bodyUsed || response.body?.locked) {
    const message = 'this Response has been read already: pass its bytes, or a clone()';
    throw new GlassformerError('format', parameter, undefined, message);
  }
}

/**
 * Facts from the headers of a response.
 * @param {Response} response
 */
function factsOf({ headers, type }) {
  const length = headers?.get('content-length') ?? '';
  const sent = /^\d{1,15}$/.test(length) ? Number(length) : undefined;
  const isEncoded = !/^(identity)?$/i.test(headers?.get('content-encoding') ?? '');
  // Of another origin's file one cannot tell whether this is the length before it was compressed.
  const isPlain = !isEncoded && type !== 'cors';
  const tag = headers?.get('etag') ?? '';
  // A range of a compressed answer counts compressed bytes, not those of the file.
  const hasRanges = /^"/.test(tag) && !isEncoded && headers.get('accept-ranges') === 'bytes';
  return { sent, isEncoded, isPlain, hasRanges, tag };
}

/**
 * Checks the response to a request for all bytes from one on. `why`: the fault; `end`: the end of the file by its
 * headers.
 * @param {Response} part
 * @param {number} from
 * @param {{tag: string, length?: number, sent?: number}} first facts of the first response
 * @returns {{why?: string, value?: unknown, end?: number}}
 */
function readPart(part, from, { tag, length, sent }) {
  const { status, headers } = part;
  const wanted = `of the bytes from ${from} on`;
  if (/^20[06]$/.test(`${status}`) && headers.get('etag') !== tag)
    return { why: 'the file has changed: status', value: status };
  if (status !== 206) return { why: `its server sent something else in place ${wanted}: status`, value: status };
  const { sent: rest, isEncoded } = factsOf(part);
  if (isEncoded) return { why: `its server compressed a part ${wanted}`, value: headers.get('content-encoding') };
  const end = endOf(part, from);
  if (end === null && rest !== undefined && rest + from === sent) return { end: length }; // which is not hidden
  if (end !== null && end === (length ?? end)) return { end };
  const value = headers.get('content-range');
  return { why: `its server sent other bytes in place ${wanted}: content-range`, value };
}

/**
 * All bytes of a file from one on, from its server.
 * @param {Remote['ask']} ask
 * @param {number} from
 * @param {Parameters<typeof readPart>[2] & {parameter: string, signal?: Signal}} first
 */
async function partFrom(ask, from, { parameter, signal, ...first }) {
  // Without If-Range, for which a browser asks another origin's leave first: the tag shows what has changed.
  const part = await settle(ask({ Range: `bytes=${from}-` }), parameter).catch((error) => error);
  signal?.throwIfAborted();
  if (part instanceof Error) throw part;
  const { why, value, end } = readPart(part, from, first);
  if (!why) return { body: part.body, end };
  void part.body?.cancel().catch(() => {});
  throw new GlassformerError('format', parameter, value, why);
}

/** @param {Uint8Array} step @param {number} at its place @param {number | undefined} length @param {string} name */
function expectWithin(step, at, length = Infinity, name) {
  const end = at + step.byteLength;
  if (end <= length) return step;
  const why = `has more bytes than the ${length} that its server says, at least`;
  throw new GlassformerError('format', name, end, why);
}

/**
 * Bytes once and in order. Where the server sends ranges, earlier ones are requested again, and a connection
 * that breaks is made once more from the byte where it broke.
 * @param {Response} response
 * @param {string} parameter
 * @param {Remote['ask']} [ask]
 * @param {Signal} [signal]
 * @returns {Promise<FileBytes & {next: () => Promise<Uint8Array | null>}>} next: bytes, valid until the next call
 */
export async function streamed(response, parameter, ask, signal) {
  expectUnread(response, parameter);
  const { sent, isPlain, hasRanges, tag } = factsOf(response);
  const size = isPlain ? sent : undefined;
  const again = ask && hasRanges ? ask : null;
  /** Where the file ends by what its server says. */
  let length = size;
  let parts = partsOf(response.body);
  let at = 0;
  /** Where it broke last: twice at one byte is the end. */
  let broke = -1;
  let busy = false;
  /** Bytes received and not read yet. @type {Uint8Array} */
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
        if (!again || broke === at) throw unavailable(parameter, error);
        await restart((broke = at));
        continue;
      }
      signal?.throwIfAborted();
      if (!step) return false;
      rest = expectWithin(step, at, length, parameter);
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
    const part = await partFrom(again, from, { tag, length, sent, parameter, signal });
    parts = partsOf(part.body);
    length = part.end;
    rest = new Uint8Array(0);
    at = from;
  }

  return {
    size,
    mostHead: isPlain ? undefined : Math.max(sent ?? 0, MOST_HEAD),
    async read(from, into) {
      if (busy) throw new GlassformerError('state', parameter, undefined, 'one tensor of a stream at a time');
      busy = true;
      try {
        if (from < at || (again && from > at + CHUNK)) await restart(from); // nor is all that lies between fetched
        for (const end = from + into.byteLength; at < end;) {
          if (!(await more())) throw cut(parameter, at, size);
          const used = rest.subarray(0, end - at);
          rest = rest.subarray(used.byteLength);
          // Skip the bytes before `from`.
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
    next,
    whole: again && size !== undefined ? undefined : whole,
  };

  /** @type {NonNullable<FileBytes['whole']>} */
  function whole(first, onHeld, budget) {
    const most = isPlain ? MOST_WHOLE : Math.min(MOST_WHOLE, Math.max(sent ?? 0, budget.left));
    const taken = isPlain ? { left: 0 } : budget;
    return heldWhole({ first: first.slice(0, at), next, close, parameter, onHeld, most, budget: taken });
  }

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
 * @param {{first: Uint8Array, next: () => Promise<Uint8Array | null>, close: () => void, parameter: string,
 *   onHeld: (bytes: number) => void, most: number, budget: Budget}} given
 */
async function heldWhole({ first, next, close, parameter, onHeld, most, budget }) {
  const blobs = [new Blob([/** @type {Uint8Array<ArrayBuffer>} */ (first)])];
  let held = first.byteLength;
  let said = 0;
  for (let part = await next(); part; part = await next()) {
    held += part.byteLength;
    if (held > most) {
      close();
      throw new GlassformerError('format', parameter, held, `must have at most ${most} bytes: its model takes no more`);
    }
    blobs.push(new Blob([/** @type {Uint8Array<ArrayBuffer>} */ (part)]));
    if (held - said >= CHUNK) onHeld((said = held));
  }
  close();
  budget.left = Math.max(0, budget.left - held);
  return blob(new Blob(blobs), parameter);
}

/**
 * Where a file ends by an answer with the part of it from one byte on.
 * @param {Response} response
 * @param {number} from
 * @returns {number | null} NaN for another part; null where another origin's range is hidden
 */
export function endOf({ headers, type }, from) {
  const range = headers.get('content-range');
  if (range === null && type === 'cors') return null;
  const [, begin, last, total] = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/i.exec(range ?? '') ?? [];
  const end = Number(last) + 1;
  const fits = Number(begin) === from && end > from && (total === '*' || Number(total) === end);
  return fits ? end : NaN;
}
