// pytorch_model.bin: the same model as its safetensors twin, however it was saved.
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, mkdtempSync, openAsBlob, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { load } from 'glassformer';
import { openBytes } from '../../src/js/formats/file-bytes.js';
import { openTorch } from '../../src/js/formats/torch-file.js';
import { savedOf, writeLegacy, writeTorch } from './torch-writer.js';

const gf = await load({ variant: 'simd' });
const folder = new URL('../checkpoints/', import.meta.url);
const temporary = mkdtempSync(join(tmpdir(), 'torch-'));
after(() => rmSync(temporary, { recursive: true, force: true }));
const NAMES = ['bert-2l', 'bert-3l-f16', 'distilbert-2l', 'gpt2-2l', 'gpt2-bare-bf16', 'gpt-neo-4l'];

/** @param {string} name @returns {Map<string, any>} */
const tensorsOf = (name) => savedOf(readFileSync(new URL(`${name}/model.safetensors`, folder)));

/** Everything that a checkpoint computes of a few ids. @param {any} source @param {object} [options] */
async function numbersOf(source, options) {
  const { model } = /** @type {any} */ (await gf.loadModel(source, options));
  const ids = [3, 5, 12, 33, 2];
  const { logits, output } = model.forward({ ids, ...(model.config.types && { typeIds: ids.map(() => 0) }) });
  model.free();
  return [...output.data, ...(logits?.data ?? [])];
}

/** The same tensor with its axes turned in the storage. @param {any} tensor */
function turned(tensor) {
  const { shape, kind, bytes } = tensor;
  if (shape.length !== 2) return { ...tensor, isParameter: true };
  const size = kind === 'FloatStorage' ? 4 : 2;
  const [rows, columns] = shape;
  const other = Buffer.alloc(bytes.length);
  for (let r = 0; r < rows; r++) {
    for (let c = 0; c < columns; c++) {
      bytes.copy(other, (c * rows + r) * size, (r * columns + c) * size, (r * columns + c + 1) * size);
    }
  }
  return { kind, shape, strides: [1, rows], bytes: other };
}

/** All tensors in one storage. @param {Map<string, any>} tensors */
function shared(tensors) {
  const bytes = Buffer.concat([...tensors.values()].map((tensor) => tensor.bytes));
  const [{ kind }] = tensors.values();
  let at = 0;
  return new Map(
    [...tensors].map(([name, { shape, bytes: own }]) => {
      const offset = at / (kind === 'FloatStorage' ? 4 : 2);
      at += own.length;
      return [name, { kind, key: 'all', bytes, shape, offset }];
    }),
  );
}

for (const name of NAMES) {
  test(`${name}: every number is that of its safetensors twin`, async () => {
    const tensors = tensorsOf(name);
    const config = new URL(`${name}/config.json`, folder);
    const wanted = await numbersOf({ config, weights: new URL(`${name}/model.safetensors`, folder) });
    const plain = writeTorch(tensors);
    const isOneKind = new Set([...tensors.values()].map(({ kind }) => kind)).size === 1;
    const path = join(temporary, `${name}.bin`);
    writeFileSync(path, plain);
    for (const [how, weights] of Object.entries({
      bytes: plain,
      'in a file': path,
      'as a Blob': await openAsBlob(path),
      'as a stream': new Response(plain),
      'of 64 bits': writeTorch(tensors, { zip64: true }),
      'of PyTorch 1.5': writeLegacy(tensors),
      'with axes turned': writeTorch(new Map([...tensors].map(([key, tensor]) => [key, turned(tensor)]))),
      ...(isOneKind && { 'in one storage': writeTorch(shared(tensors)) }),
      ...(isOneKind && { 'in one storage of PyTorch 1.5': writeLegacy(shared(tensors)) }),
    })) {
      assert.deepEqual(await numbersOf({ config, weights }), wanted, how);
    }
  });
}

test('a folder, or files of one, without safetensors', async () => {
  const tensors = tensorsOf('gpt2-2l');
  const wanted = await numbersOf(new URL('gpt2-2l/', folder));
  const entries = [...tensors];
  const shards = [entries.slice(0, 9), entries.slice(9)].map((some) => writeTorch(new Map(some)));
  const weight_map = Object.fromEntries(entries.map(([key], i) => [key, `pytorch_model-${Number(i >= 9)}.bin`]));
  const whole = { 'pytorch_model.bin': writeTorch(tensors), 'training_args.bin': Buffer.from('x') };
  const split = {
    'pytorch_model.bin.index.json': JSON.stringify({ weight_map }),
    'pytorch_model-0.bin': shards[0],
    'pytorch_model-1.bin': shards[1],
  };
  for (const [how, files] of Object.entries({ whole, split })) {
    const at = join(temporary, how);
    mkdirSync(at);
    for (const [file, bytes] of Object.entries(files)) writeFileSync(join(at, file), bytes);
    copyFileSync(new URL('gpt2-2l/config.json', folder), join(at, 'config.json'));
    assert.deepEqual(await numbersOf(`${at}/`), wanted, how);
    const names = [...Object.keys(files), 'config.json'];
    const picked = names.map((file) => new File([readFileSync(join(at, file))], file));
    assert.deepEqual(await numbersOf(picked), wanted, how);
  }
  // Beside safetensors it is not read, nor is an index.
  copyFileSync(new URL('gpt2-2l/model.safetensors', folder), join(temporary, 'whole/model.safetensors'));
  for (const file of ['pytorch_model.bin', 'model.safetensors.index.json']) {
    writeFileSync(join(temporary, 'whole', file), 'damaged');
  }
  assert.deepEqual(await numbersOf(`${temporary}/whole/`), wanted);
});

/** Left over by the model, so that what the model needs lies far apart: 12 MB. */
const apart = () => {
  const [[name, first], ...others] = tensorsOf('gpt2-2l');
  const left = { kind: 'FloatStorage', shape: [3 << 20], bytes: Buffer.alloc(12 << 20) };
  return writeTorch(new Map([[name, first], ['left.over', left], ...others]));
};

/**
 * Opens it from a server.
 * @param {Buffer} bytes
 * @param {{ranges?: boolean, breaks?: number, says?: boolean, onProgress?: (progress: any) => void}} how breaks: where
 *   the first connection does; says: the length
 */
async function served(bytes, { ranges = true, breaks = Infinity, says = true, onProgress } = {}) {
  /** @type {number[]} */
  const asked = [];
  const server = createServer(({ headers }, response) => {
    const range = ranges && headers.range;
    const from = Number(/\d+/.exec(range || '')?.[0] ?? 0);
    asked.push(from);
    const length = says ? { 'content-length': bytes.length - from } : {};
    const part = range && { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` };
    const own = { ...(ranges && { 'accept-ranges': 'bytes' }), ...part };
    response.writeHead(range ? 206 : 200, { etag: '"1"', ...length, ...own });
    if (asked.length > 1 || breaks > bytes.length) response.end(bytes.subarray(from));
    else response.write(bytes.subarray(0, breaks), () => setTimeout(() => response.destroy(), 20));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(null)));
  try {
    const weights = `http://127.0.0.1:${/** @type {any} */ (server.address()).port}/pytorch_model.bin`;
    const config = new URL('gpt2-2l/config.json', folder);
    return { numbers: await numbersOf({ config, weights }, { onProgress }), asked };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test('of an address with ranges, its end, then what the model needs, in few requests', async () => {
  const wanted = await numbersOf(new URL('gpt2-2l/', folder));
  const { numbers, asked } = await served(apart());
  assert.deepEqual(numbers, wanted);
  assert(asked.length <= 8 && Math.max(...asked) > 12 << 20, String(asked));
});

test('of an address without ranges, progress is reported while it arrives, and never goes back', async () => {
  const wanted = await numbersOf(new URL('gpt2-2l/', folder));
  const bytes = apart();
  for (const says of [true, false]) {
    /** @type {{loaded: number, total: number}[]} */
    const steps = [];
    const { numbers, asked } = await served(bytes, { ranges: false, says, onProgress: (step) => steps.push(step) });
    assert.deepEqual([numbers, asked], [wanted, [0]]);
    const coming = steps.filter(({ loaded }) => loaded < bytes.length);
    assert(coming.length >= 2 && coming.every(({ total }) => total === (says ? bytes.length : Infinity)), `${steps}`);
    assert.deepEqual(steps.at(-1), { loaded: bytes.length, total: bytes.length });
    assert(steps.every(({ loaded }, i) => i === 0 || loaded >= steps[i - 1].loaded));
  }
});

test('a connection that breaks goes on at its byte where the server sends ranges, else that is said', async () => {
  const wanted = await numbersOf(new URL('gpt2-2l/', folder));
  const bytes = writeTorch(tensorsOf('gpt2-2l'));
  for (const says of [true, false]) {
    const { numbers, asked } = await served(bytes, { breaks: 40_000, says });
    assert.deepEqual(numbers, wanted);
    assert(asked.includes(40_000) || says, String(asked)); // with its length known, its end is asked for first
  }
  await assert.rejects(served(bytes, { ranges: false, breaks: 40_000 }), {
    code: 'network',
    message: /^file: could not be fetched: TypeError: terminated/,
  });
});

/**
 * By Python 3.11: the pickler and zipfile of its standard library, with stand-ins for the classes of torch. An
 * OrderedDict with its `_metadata`, views of one storage, halves, int64s, parameters, a scalar and an empty tensor.
 */
const BY_PYTHON = Buffer.from(
  'UEsDBBQAAAAAAGaKeV2mT0auyAIAAMgCAAANAAAAdGlueS9kYXRhLnBrbIACY2NvbGxlY3Rpb25zCk9yZGVyZWREaWN0CnEAKVJxAShYBQAAAH' +
    'BsYWlucQJjdG9yY2guX3V0aWxzCl9yZWJ1aWxkX3RlbnNvcl92MgpxAygoWAcAAABzdG9yYWdlcQRjdG9yY2gKRmxvYXRTdG9yYWdlCnEFWAEA' +
    'AAAwcQZYAwAAAGNwdXEHSwZ0cQhRSwBLAksDhnEJSwNLAYZxColoAClScQt0cQxScQ1YBgAAAHR1cm5lZHEOaAMoKGgEaAVYAQAAADBxD2gHSw' +
    'Z0cRBRSwBLA0sChnERSwFLA4ZxEoloAClScRN0cRRScRVYBAAAAHBhcnRxFmN0b3JjaC5fdXRpbHMKX3JlYnVpbGRfcGFyYW1ldGVyCnEXaAMo' +
    'KGgEaAVYAQAAADBxGGgHSwZ0cRlRSwJLAoVxGmgaiWgAKVJxG3RxHFJxHYhoAClScR6HcR9ScSBYBAAAAGhhbGZxIWgXaAMoKGgEY3RvcmNoCk' +
    'hhbGZTdG9yYWdlCnEiWAEAAAAxcSNoB0sDdHEkUUsASwOFcSVLAYVxJoloAClScSd0cShScSmIaAApUnEqh3ErUnEsWAMAAABpZHNxLWgDKCho' +
    'BGN0b3JjaApMb25nU3RvcmFnZQpxLlgBAAAAMnEvaAdLAnRxMFFLAEsBSwKGcTFLAksBhnEyiWgAKVJxM3RxNFJxNVgDAAAAb25lcTZoAygoaA' +
    'RoBVgBAAAAMHE3aAdLBnRxOFFLBSkpiWgAKVJxOXRxOlJxO1gEAAAAbm9uZXE8aAMoKGgEaAVYAQAAADBxPWgHSwZ0cT5RSwBLAEsEhnE/SwRL' +
    'AYZxQIloAClScUF0cUJScUN1fXFEWAkAAABfbWV0YWRhdGFxRWgAKVJxRihYAAAAAHFHfXFIWAcAAAB2ZXJzaW9ucUlLAXNYBQAAAGxheWVycU' +
    'p9cUtoSUsCc3VzYi5QSwMEFAAAAAAAZop5XYU94xkGAAAABgAAAA4AAAB0aW55L2J5dGVvcmRlcmxpdHRsZVBLAwQUAAAAAABminldJOU5GRgA' +
    'AAAYAAAACwAAAHRpbnkvZGF0YS8wAACAPwAAAEAAAEBAAACAQAAAoEAAAMBAUEsDBBQAAAAAAGaKeV0AFAuaBgAAAAYAAAALAAAAdGlueS9kYX' +
    'RhLzEAOAC8AEBQSwMEFAAAAAAAZop5XctLESAQAAAAEAAAAAsAAAB0aW55L2RhdGEvMgAAAAAAAAAAAQAAAAAAAABQSwMEFAAAAAAAZop5XdGe' +
    'Z1UCAAAAAgAAAAwAAAB0aW55L3ZlcnNpb24zClBLAwQUAAAAAABminldjrs/ligAAAAoAAAAGwAAAHRpbnkvLmRhdGEvc2VyaWFsaXphdGlvbl' +
    '9pZDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDBQSwECFAMUAAAAAABminldpk9GrsgCAADIAgAADQAAAAAAAAAAAAAA' +
    'gAEAAAAAdGlueS9kYXRhLnBrbFBLAQIUAxQAAAAAAGaKeV2FPeMZBgAAAAYAAAAOAAAAAAAAAAAAAACAAfMCAAB0aW55L2J5dGVvcmRlclBLAQ' +
    'IUAxQAAAAAAGaKeV0k5TkZGAAAABgAAAALAAAAAAAAAAAAAACAASUDAAB0aW55L2RhdGEvMFBLAQIUAxQAAAAAAGaKeV0AFAuaBgAAAAYAAAAL' +
    'AAAAAAAAAAAAAACAAWYDAAB0aW55L2RhdGEvMVBLAQIUAxQAAAAAAGaKeV3LSxEgEAAAABAAAAALAAAAAAAAAAAAAACAAZUDAAB0aW55L2RhdG' +
    'EvMlBLAQIUAxQAAAAAAGaKeV3RnmdVAgAAAAIAAAAMAAAAAAAAAAAAAACAAc4DAAB0aW55L3ZlcnNpb25QSwECFAMUAAAAAABminldjrs/ligA' +
    'AAAoAAAAGwAAAAAAAAAAAAAAgAH6AwAAdGlueS8uZGF0YS9zZXJpYWxpemF0aW9uX2lkUEsFBgAAAAAHAAcApQEAAFsEAAAAAA==',
  'base64',
);

test('without its configuration it is refused with what it needs', async () => {
  for (const file of [writeTorch(new Map()), writeLegacy(new Map())]) {
    const message = 'file: was saved by PyTorch: give its folder, or { config, weights }';
    await assert.rejects(gf.loadModel(new Blob([file])), { code: 'format', message });
  }
});

test('what Python pickles', async () => {
  const bytes = await openBytes(BY_PYTHON, 'file');
  const file = await openTorch(bytes, BY_PYTHON.subarray(0, 40), { onProgress() {} });
  const read = {};
  for (const [key, { shape }] of file.tensors) read[key] = [shape, [...(await file.read(key))]];
  assert.deepEqual(read, {
    plain: [[2, 3], [1, 2, 3, 4, 5, 6]],
    turned: [[3, 2], [1, 4, 2, 5, 3, 6]],
    part: [[2], [3, 5]],
    half: [[3], [0.5, -1, 2]],
    ids: [[1, 2], [0, 1]],
    one: [[], [6]],
    none: [[0, 4], []],
  }); // prettier-ignore
});
