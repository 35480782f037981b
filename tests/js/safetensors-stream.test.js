// Files opened without being read: what readSafetensors says of each, however it is given; the numbers piece by piece.
import assert from 'node:assert/strict';
import { mkdtempSync, openAsBlob, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import fc from 'fast-check';
import { GlassformerError, load, readSafetensors, writeSafetensors } from 'glassformer';
import { openSafetensors } from 'glassformer/checkpoints';
import { FILES, entry, file as made } from './odd-files.js';
import { random } from './reference.js';

const folder = mkdtempSync(join(tmpdir(), 'safetensors-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** A file on disk. */
function stored(bytes, name = 'x.safetensors') {
  writeFileSync(join(folder, name), bytes);
  return pathToFileURL(join(folder, name));
}

/** A Response whose body comes in parts of so many bytes; nobody says how many there will be. */
function parts(bytes, size) {
  let at = 0;
  return new Response(
    new ReadableStream({
      pull(controller) {
        if (at < bytes.length) controller.enqueue(Uint8Array.from(bytes.subarray(at, (at += size))));
        else controller.close();
      },
    }),
  );
}

/** Each way in which a file can be given. */
const WAYS = {
  bytes: (bytes) => bytes,
  'bytes at an odd address': (bytes) => {
    const moved = new Uint8Array(bytes.length + 3);
    moved.set(bytes, 3);
    return moved.subarray(3);
  },
  buffer: (bytes) => Uint8Array.from(bytes).buffer,
  Blob: (bytes) => new Blob([bytes]),
  'file: URL': (bytes) => stored(bytes),
  'file: address': (bytes) => stored(bytes).href,
  'Blob of a file': (bytes) => openAsBlob(stored(bytes)),
  Response: (bytes) => new Response(bytes, { headers: { 'content-length': bytes.length } }),
  'Response in parts': (bytes) => parts(bytes, 7),
  'promise of a Response': async (bytes) => parts(bytes, 1e6),
};

/** All that a file has, by openSafetensors. */
async function readAll(source, options) {
  const file = await openSafetensors(source, options);
  try {
    const tensors = new Map();
    for (const [name, { shape }] of file.tensors) tensors.set(name, { data: await file.read(name), shape });
    return { tensors, metadata: file.metadata };
  } finally {
    file.close();
  }
}

/** The result of a reader, or its refusal. */
async function outcome(read) {
  try {
    const { tensors, metadata } = await read();
    return { tensors: new Map([...tensors].sort()), metadata };
  } catch (error) {
    assert.ok(error instanceof GlassformerError, error?.stack);
    return { code: error.code, parameter: error.parameter, message: error.message };
  }
}

test('each odd file has the verdict of readSafetensors, however it is given', async () => {
  for (const [name, bytes] of FILES) {
    const wanted = await outcome(() => readSafetensors(bytes));
    const ways = bytes.length > 1e6 ? ['file: URL'] : Object.keys(WAYS);
    for (const way of ways) {
      const got = await outcome(async () => readAll(await WAYS[way](bytes)));
      // Where nobody says how long a stream is, its end is found at the end.
      if (/parts|promise/.test(way) && wanted.message) assert.equal(got.code, 'format', `${name}, ${way}`);
      else assert.deepEqual(got, wanted, `${name}, ${way}`);
    }
  }
});

test('a damaged file has the verdict of readSafetensors', async () => {
  const base = writeSafetensors({ a: { data: [1, 2, 3], shape: [3] }, b: { data: Int32Array.of(7), shape: [1] } });
  const edit = fc.tuple(fc.nat(base.length - 1), fc.nat(255));
  await fc.assert(
    fc.asyncProperty(fc.array(edit, { maxLength: 3 }), fc.integer({ min: -9, max: 9 }), async (edits, longer) => {
      const bytes = new Uint8Array(base.length + longer);
      bytes.set(base.subarray(0, bytes.length));
      for (const [at, byte] of edits) if (at < bytes.length) bytes[at] = byte;
      assert.deepEqual(await outcome(() => readAll(new Blob([bytes]))), await outcome(() => readSafetensors(bytes)));
    }),
    { numRuns: 300 },
  );
});

test('every dtype and length of a piece gives the numbers of readSafetensors', async () => {
  const r = random(5);
  const count = 5 * 212_183; // of F32, more than a piece
  const bits = Uint32Array.from({ length: count * 2 }, () => r.int(0, 2 ** 31) * 2 + r.int(0, 1));
  for (const [dtype, size] of [
    ['F64', 8],
    ['F32', 4],
    ['F16', 2],
    ['BF16', 2],
    ['I32', 4],
    ['U8', 1],
  ]) {
    const body = new Uint8Array(bits.buffer, 0, count * size);
    const bytes = made({ x: entry(dtype, [5, count / 5], 0, body.length) }, body);
    const { data } = readSafetensors(bytes).tensors.get('x');
    for (const way of ['bytes at an odd address', 'file: URL', 'Response in parts'])
      assert.deepEqual(
        (await readAll(way === 'Response in parts' ? parts(bytes, 100_003) : WAYS[way](bytes))).tensors.get('x').data,
        data,
        `${dtype}, ${way}`,
      );
  }
});

test('a tensor of a dtype that is not read is listed, and named when it is asked for', async () => {
  const header = { q: entry('I8', [4], 0, 4), x: entry('U8', [2], 4, 6), z: entry('U16', [2], 6, 10) };
  for (const way of Object.keys(WAYS)) {
    const file = await openSafetensors(await WAYS[way](made(header, new Uint8Array(10).fill(7))));
    assert.deepEqual([...file.tensors.keys()], ['x']);
    assert.deepEqual(
      file.skipped,
      new Map([
        ['q', { dtype: 'I8', shape: [4], bytes: 4 }],
        ['z', { dtype: 'U16', shape: [2], bytes: 4 }],
      ]),
    );
    for (const [name, { dtype }] of file.skipped)
      await assert.rejects(file.read(name), { code: 'dtype', parameter: name, value: dtype, message: /F64, F32, / });
    await assert.rejects(file.pieces('q').next(), { code: 'dtype', parameter: 'q' });
    assert.deepEqual([...(await file.read('x'))], [7, 7]);
    file.close();
  }
});

test('pieces are blocks of 32 rows, in order, and no larger than 4 MB', async () => {
  const [rows, columns] = [700, 3001];
  const data = Float32Array.from({ length: rows * columns }, (_, i) => i);
  const file = await openSafetensors(new Blob([writeSafetensors({ x: { data, shape: [rows, columns] } })]));
  let end = 0;
  for await (const { data: piece, at } of file.pieces('x')) {
    assert.equal(at, end);
    assert.ok(piece.length % (32 * columns) === 0 || end + piece.length === data.length);
    assert.ok(piece.byteLength <= 2 ** 22);
    assert.deepEqual(piece, data.subarray(at, (end += piece.length)));
  }
  assert.equal(end, data.length);
});

test('tensors go into an array, or into a view asked for anew where memory grows', async () => {
  const gf = await load({ variant: 'simd' });
  const model = gf.createModel({ kind: 'decoder', vocabulary: 40_000, d_model: 64, heads: 2, layers: 0, head: 'tied' });
  const name = [...model.weights().keys()].find((key) => model.weights().get(key).shape[0] === 40_000);
  const data = Float32Array.from({ length: 40_000 * 64 }, (_, i) => i);
  const file = await openSafetensors(new Blob([writeSafetensors({ x: { data, shape: [40_000, 64] } })]), {
    onProgress: () => void gf.createModel({ vocabulary: 100_000 }), // the memory grows between pieces
  });
  assert.deepEqual(await file.read('x', () => model.view(name)), model.view(name));
  assert.deepEqual(model.tensor(name).data, data);
  await assert.rejects(file.read('x', model.view(name)), { code: 'state', parameter: 'x' });
  await assert.rejects(file.read('x', new Float32Array(3)), { code: 'shape', parameter: 'x', value: 3 });
  await assert.rejects(file.read('y'), { code: 'unknown', value: 'y' });
});

test('a stream gives its tensors in their order, and passes over those not asked for', async () => {
  const tensors = Object.fromEntries(['a', 'b', 'c'].map((key, i) => [key, { data: [i, i + 1], shape: [2] }]));
  const bytes = writeSafetensors(tensors);
  const file = await openSafetensors(parts(bytes, 5));
  assert.deepEqual([...(await file.read('b'))], [1, 2]);
  await assert.rejects(file.read('a'), { code: 'state', parameter: 'file' });
  assert.deepEqual([...(await file.read('c'))], [2, 3]);
  const other = await openSafetensors(parts(bytes, 5));
  const both = await Promise.allSettled([other.read('a'), other.read('b')]);
  assert.deepEqual([both[0].status, both[1].reason.code], ['fulfilled', 'state'], 'one at a time');
});

test('a stream of bytes is given the buffer that it fills, again and again', async () => {
  const data = Float32Array.from({ length: 1_000_000 }, (_, i) => i);
  const bytes = writeSafetensors({ x: { data, shape: [data.length] } });
  const asked = [];
  let at = 0;
  const body = new ReadableStream({
    type: 'bytes',
    pull(controller) {
      const view = controller.byobRequest?.view;
      asked.push(view?.byteLength);
      if (!view) return controller.enqueue(bytes.slice(at, (at += 1e5))); // a buffer for the garbage collector
      const part = bytes.subarray(at, at + Math.min(view.byteLength, 70_001));
      new Uint8Array(view.buffer, view.byteOffset).set(part);
      at += part.byteLength;
      if (part.byteLength === 0) controller.close();
      controller.byobRequest.respond(part.byteLength);
    },
  });
  const file = await openSafetensors(new Response(body));
  assert.deepEqual(await file.read('x'), data);
  assert.ok(asked.length > bytes.length / 70_001, `asked ${asked.length} times`);
  assert.deepEqual([...new Set(asked)].length, 1, `each time for as much: ${asked}`);
  assert.ok(asked[0] > 0);
});

test('of an address with ranges, what has gone by is asked for again', async () => {
  const bytes = writeSafetensors({ a: { data: [1, 2], shape: [2] }, b: { data: [3, 4], shape: [2] } });
  const asked = [];
  let tag = '"1"';
  const server = createServer(({ headers }, response) => {
    asked.push(headers.range);
    const from = Number(/\d+/.exec(headers.range ?? '')?.[0] ?? 0);
    const part = from && { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` };
    response.writeHead(from ? 206 : 200, { 'accept-ranges': 'bytes', etag: tag, ...part });
    response.end(bytes.subarray(from));
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  try {
    const file = await openSafetensors(`http://127.0.0.1:${server.address().port}/`);
    assert.deepEqual([...(await file.read('b'))], [3, 4]);
    assert.deepEqual([...(await file.read('a'))], [1, 2]);
    assert.deepEqual(asked, [undefined, `bytes=${bytes.length - 16}-`]);
    tag = '"2"';
    await assert.rejects(file.read('a'), /the file has changed/);
    file.close();
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test('a signal ends what is opened, what waits and what is read', async () => {
  const bytes = writeSafetensors({ x: { data: new Float32Array(2 ** 21), shape: [2 ** 21] } });
  const why = new Error('enough');
  await assert.rejects(openSafetensors(bytes, { signal: AbortSignal.abort(why) }), why);
  const controller = new AbortController();
  const file = await openSafetensors(stored(bytes), {
    signal: controller.signal,
    onProgress: ({ loaded, total }) => {
      assert.deepEqual([loaded, total], [2 ** 22, 2 ** 23]);
      controller.abort(why);
    },
  });
  await assert.rejects(file.read('x'), why);
  file.close();

  const waiting = new AbortController();
  const silent = new Response(new ReadableStream({ start: (c) => c.enqueue(bytes.slice(0, 1000)) }));
  const stream = await openSafetensors(silent, { signal: waiting.signal });
  const read = stream.read('x');
  setImmediate(() => waiting.abort(why));
  await assert.rejects(read, why);
});

test('a file that is cut while it is read, or closed, is said so', async () => {
  const bytes = writeSafetensors({ x: { data: new Float32Array(100), shape: [100] } });
  const cut = await openSafetensors(stored(bytes, 'cut.safetensors'));
  truncateSync(join(folder, 'cut.safetensors'), bytes.length - 8);
  await assert.rejects(cut.read('x'), { code: 'format', message: /^file: ends after \d+ bytes, before the end of/ });
  cut.close();
  await assert.rejects(cut.read('x'), { code: 'state' });
  await assert.rejects(openSafetensors(pathToFileURL(join(folder, 'none'))), { code: 'notFound', message: /ENOENT/ });
  await assert.rejects(openSafetensors(7), { code: 'type', parameter: 'file' });
  await assert.rejects(openSafetensors(new Response('x', { status: 404 })), { code: 'notFound', value: 404 });
  const taken = new Response(bytes);
  taken.body.getReader();
  await assert.rejects(openSafetensors(taken), {
    code: 'format',
    message: /^file: this Response has been read already/,
  });
});
