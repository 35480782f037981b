// Files that are made to do harm: each is refused with an error of ours, soon, and a model that is open computes the
// same bits as before.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { load, readSafetensors, writeSafetensors } from 'glassformer';

const gf = await load({ variant: 'simd' });
const folder = new URL('../checkpoints/', import.meta.url);
const bytesOf = (/** @type {string} */ path) => readFileSync(new URL(path, folder));
const FILES = ['config.json', 'model.safetensors', 'tokenizer.json'];
const NAMES = [
  ...['bert-2l', 'distilbert-2l', 'gpt2-bare-bf16', 'gpt-neo-4l'],
  ...['llama3-2l', 'qwen3-2l', 'mistral-2l-window', 'pythia-2l-f16', 'gemma-2l-bf16', 'phi3-2l-window'],
];

const held = (await gf.loadModel(new URL('gpt2-2l/', folder))).model;
const IDS = { ids: [5, 80, 12, 33], capture: true };
const wanted = held.forward(IDS).logits.data.slice();
const isUntouched = () => assert.deepEqual(held.forward(IDS).logits.data, wanted);
const temporary = mkdtempSync(join(tmpdir(), 'hostile-'));
after(() => {
  held.free();
  rmSync(temporary, { recursive: true, force: true });
});

/**
 * Opens it, and uses what opens.
 * @param {any} source
 * @param {object} [options]
 * @returns {Promise<any>} the error; null where it opens
 */
async function attempt(source, options) {
  let opened;
  try {
    opened = await gf.loadModel(source, options);
    const { model, tokenizer } = /** @type {any} */ (opened);
    for (const text of ['The creek was cold.', '', 'é 中 🙂 \ud800\0 [MASK]<|endoftext|>']) {
      const said = tokenizer?.encode(text) ?? { ids: [1, 2], typeIds: [0, 0] };
      if (said.ids.length === 0 || said.ids.length > model.config.maxLength) continue;
      const typeIds = model.config.types ? { typeIds: said.typeIds } : {};
      assert(model.forward({ ids: said.ids, ...typeIds }).output.data.every(Number.isFinite));
      if (tokenizer) assert.equal(typeof tokenizer.decode(said.ids), 'string');
    }
    return null;
  } catch (error) {
    const { name, message, stack } = /** @type {any} */ (error);
    assert.equal(name, 'GlassformerError', stack);
    assert(message.length < 500, message.slice(0, 600));
    return error;
  } finally {
    opened?.model.free();
    isUntouched();
  }
}

/** @param {any} source @param {string} parameter @param {RegExp} message */
async function refused(source, parameter, message) {
  const error = await attempt(source);
  assert.equal(error?.parameter, parameter, error?.message ?? 'it opened');
  assert.match(error.message, message);
}

/** @param {string} name */
const filesOf = (name) => {
  const [config, weights, tokenizer] = FILES.map((file) => bytesOf(`${name}/${file}`));
  return { config: JSON.parse(String(config)), weights, tokenizer: JSON.parse(String(tokenizer)) };
};

/** A safetensors file with that header. @param {string | Uint8Array} text @param {Uint8Array} [data] */
function withHeader(text, data = new Uint8Array(0)) {
  const header = Buffer.from(text);
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  return Buffer.concat([length, header, data]);
}

test('brackets without end are refused before they are parsed: each would take fifty times its size', async () => {
  const { config, weights } = filesOf('bert-2l');
  const deep = Buffer.alloc(3e6, '[');
  const objects = Buffer.from('{"":'.repeat(1e6));
  const memory = process.memoryUsage().rss;
  for (const json of [deep, objects, Buffer.concat([Buffer.from('{"a":'), deep])]) {
    await refused({ config: json, weights }, 'config', /config: is no JSON: nested too deep/);
    await refused({ config: new Blob([json]), weights }, 'config', /nested too deep/);
    await refused({ config, weights, tokenizer: json }, 'tokenizer', /nested too deep/);
    await refused({ config, weights: withHeader(json) }, 'header', /nested too deep/);
  }
  await refused({ config, weights: withHeader(Buffer.alloc(5e7, '[')) }, 'header', /nested too deep/);
  await refused({ config, weights: withHeader(`{"a":"\\"${'['.repeat(200)}`) }, 'header', /is no strict JSON/);
  assert(process.memoryUsage().rss - memory < 5e8, 'of 50 MB of brackets JSON.parse makes 3.5 GB');
  const inText = { ...config, said: `"${'['.repeat(200)}\\"{` };
  assert.equal(await attempt({ config: Buffer.from(JSON.stringify(inText)), weights }), null);
});

test('a file of empty lists is refused at a million values: parsed, it would take fifty times its size', async () => {
  const { config, weights } = filesOf('bert-2l');
  const lists = (/** @type {number} */ bytes) => `{"a":[${'[],'.repeat(bytes / 3)}[]]}`;
  const inMetadata = (/** @type {string} */ text) =>
    withHeader(JSON.stringify({ __metadata__: { 'glassformer.version': '1', 'glassformer.config': text } }));
  const memory = process.memoryUsage().rss;
  for (const given of [withHeader(lists(24e6)), new Response(withHeader(lists(24e6)))]) {
    await refused({ config, weights: given }, 'header', /is no strict JSON: more than 1048576 values/);
  }
  await refused({ config, weights, tokenizer: Buffer.from(lists(24e6)) }, 'tokenizer', /more than 4194304 values/);
  await refused(inMetadata(lists(24e6)), 'file', /glassformer.config is no JSON: .*more than 4194304 values/);
  assert(process.memoryUsage().rss - memory < 1e9, 'all four parsed would take 5 GB');
});

test('a header of 200,000 tensors is refused; one of 100,000 is read, in one pass over each list', async () => {
  const { config } = filesOf('bert-2l');
  const empty = (/** @type {number} */ count, /** @type {object} */ metadata = {}) => {
    const entries = Array.from({ length: count }, (_, i) => `"${i}":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}`);
    return withHeader(`{"__metadata__":${JSON.stringify(metadata)},${entries}}`);
  };
  await refused({ config, weights: empty(200_000) }, 'header', /more than 1048576 values/);
  assert.equal((await attempt({ config, weights: empty(100_000) }))?.code, 'missing');
  const small = readSafetensors(await gf.createModel({ kind: 'encoder', vocabulary: 2 }).save()).metadata;
  const own = empty(100_000, Object.fromEntries(small));
  for (const given of [own, new Blob([own])]) assert.equal((await attempt(given))?.code, 'unknown');
});

test('a stream that promises a header of 100 MB takes no more memory than has arrived', async () => {
  const { config } = filesOf('bert-2l');
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  let sent = 0;
  const body = new ReadableStream({
    pull(controller) {
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
      const length = Buffer.alloc(8);
      length.writeBigUInt64LE(100_000_000n);
      if (sent++ === 0) controller.enqueue(new Uint8Array(length));
      else if (sent < 8) controller.enqueue(new Uint8Array(1000).fill(32));
      else controller.close();
    },
  });
  await refused({ config, weights: new Response(body) }, 'file', /ends after 6008 bytes/);
  assert(most < 3e7, `${most} bytes`);
});

test('JSON of 200 MB and more is not read', async () => {
  const { config, weights } = filesOf('gpt-neo-4l');
  const long = Buffer.alloc(2e8, ' ');
  await refused({ config: long, weights }, 'config', /must be at most 4194304 bytes, got 200000000/);
  await refused({ config: new Blob([long]), weights }, 'config', /must be at most 4194304 bytes, got 200000000/);
  await refused({ config, weights, tokenizer: long }, 'tokenizer', /must be at most 67108864 bytes/);
  let pulled = 0;
  const endless = new ReadableStream({
    pull(controller) {
      pulled += 2 ** 20;
      controller.enqueue(new Uint8Array(2 ** 20).fill(32));
    },
  });
  await refused({ config: new Response(endless), weights }, 'config', /must be at most 4194304 bytes/);
  assert(pulled < 2 ** 24, `${pulled} bytes were asked for`);
  await refused({ config: new Response('<!DOCTYPE html><p>no'), weights }, 'config', /page of HTML/);
  await refused({ config: new Response('{}', { status: 404 }), weights }, 'config', /404/);
});

test('a damaged file of a folder is refused, not passed over; an absent one is noted', async () => {
  const at = pathToFileURL(`${temporary}/`);
  const put = (/** @type {string} */ name, /** @type {any} */ bytes) => writeFileSync(new URL(name, at), bytes);
  for (const file of FILES.slice(0, 2)) put(file, bytesOf(`bert-2l/${file}`));
  const { model, notes } = /** @type {any} */ (await gf.loadModel(at));
  model.free();
  assert.deepEqual(notes.slice(0, 1), ['the folder has no tokenizer.json']);
  const tokenizer = bytesOf('bert-2l/tokenizer.json');
  put('tokenizer.json', tokenizer.subarray(0, 900));
  await refused(at, 'tokenizer.json', /is no JSON/);
  put('tokenizer.json', '[]');
  await refused(at, 'tokenizer.json', /must be an object of JSON/);
  put('tokenizer.json', Buffer.alloc(2 ** 26 + 1, ' '));
  await refused(at, 'tokenizer.json', /must be at most/);
  put('tokenizer.json', tokenizer);
  rmSync(new URL('model.safetensors', at)); // beside it no index is read
  put('model.safetensors.index.json', '{"weight_map"');
  await refused(at, 'model.safetensors.index.json', /is no JSON/);
  for (const map of [{}, { a: '../x.safetensors' }, { a: 7 }, ['x'], { a: 'http://x/y.safetensors' }, null]) {
    put('model.safetensors.index.json', JSON.stringify({ weight_map: map }));
    await refused(at, 'model.safetensors.index.json', /weight_map must name files/);
  }
  put('model.safetensors.index.json', '{"weight_map":{"a":"none.safetensors"}}');
  await refused(at, 'embeddings.word_embeddings.weight', /no file has this weight, by their index/);
  const names = readSafetensors(bytesOf('bert-2l/model.safetensors')).tensors.keys();
  const map = Object.fromEntries([...names].map((name) => [name, 'none.safetensors']));
  put('model.safetensors.index.json', JSON.stringify({ weight_map: map }));
  await refused(at, 'file', /there is no such file/);
});

test('headers that lie', async () => {
  const { config, weights } = filesOf('bert-2l');
  const start = 8 + Number(weights.readBigUInt64LE(0));
  const data = weights.subarray(start);
  const header = JSON.parse(String(weights.subarray(8, start)));
  const [first] = Object.keys(header).filter((name) => name !== '__metadata__');
  const said = (/** @type {any} */ entry, /** @type {object} */ others = {}) =>
    withHeader(JSON.stringify({ ...header, [first]: { ...header[first], ...entry }, ...others }), data);
  const { shape } = header[first];
  for (const length of [2n ** 63n, 2n ** 64n - 1n, 10_000_000_000n, 100_000_001n, 0n]) {
    const lying = Buffer.from(weights);
    lying.writeBigUInt64LE(length);
    for (const given of [lying, new Blob([lying]), new Response(lying)]) {
      assert.equal((await attempt({ config, weights: given }))?.code, 'format', String(length));
    }
  }
  for (const entry of [
    { shape: [2 ** 31, 2 ** 31] },
    { shape: [2 ** 53, 0] },
    { shape: [-1, ...shape] },
    { shape: [1.5] },
    { shape: ['8'] },
    { shape: null },
    { shape: { 0: 1, length: 1 } },
    { data_offsets: [-8, 0] },
    { data_offsets: [0.5, 8.5] },
    { data_offsets: [1e300, 1e301] },
    { data_offsets: [0, 2 ** 63] },
    { data_offsets: [0] },
    { data_offsets: null },
    { dtype: 'F4' },
    { dtype: '__proto__' },
    { dtype: null },
    null,
  ]) {
    const bytes = entry ? said(entry) : withHeader(JSON.stringify({ ...header, [first]: null }), data);
    await refused({ config, weights: bytes }, first, /./);
    await refused({ config, weights: new Response(bytes) }, first, /./);
  }
  const twice = JSON.stringify(header).replace('{', `{${JSON.stringify(first)}:${JSON.stringify(header[first])},`);
  await refused({ config, weights: withHeader(twice, data) }, 'header', /twice/);
  const odd = JSON.stringify(header).replace('{', '{"__proto__":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},');
  assert.equal(await attempt({ config, weights: withHeader(odd, data) }), null, 'a name as any other, of no elements');
  assert.equal((await attempt({ config, weights: withHeader('1'.repeat(1e6)) })).parameter, 'header');
});

test('streams that fail half way, end early, never begin or go on', async () => {
  for (const name of NAMES.slice(0, 3)) {
    const { config, weights, tokenizer } = filesOf(name);
    for (const share of [0, 0.00001, 0.02, 0.5, 0.999]) {
      for (const isBroken of [true, false]) {
        let sent = false;
        const body = new ReadableStream({
          pull(controller) {
            if (!sent) controller.enqueue(new Uint8Array(weights.subarray(0, Math.ceil(share * weights.length) || 1)));
            else if (isBroken) controller.error(new Error('the line was cut'));
            else controller.close();
            sent = true;
          },
        });
        const error = await attempt({ config, weights: new Response(body), tokenizer });
        const code = isBroken ? 'network' : 'format';
        assert.deepEqual([error?.code, error?.parameter], [code, 'file'], String(error));
        assert.match(
          error.message,
          isBroken ? /could not be (fetched|read): Error: the line was cut/ : /ends after|must/,
        );
      }
    }
    const more = Buffer.concat([weights, Buffer.alloc(5)]);
    assert.equal((await attempt({ config, weights: new Response(more) }))?.code, 'format');
    const stop = AbortSignal.abort(new Error('enough'));
    await assert.rejects(gf.loadModel({ config, weights, tokenizer }, { signal: stop }), { message: 'enough' });
    isUntouched();
  }
});

test('a server that breaks off', async () => {
  const weights = bytesOf('gpt2-2l/model.safetensors');
  const server = createServer((request, response) => {
    const file = FILES.find((each) => request.url?.endsWith(`/${each}`));
    if (!file) return response.writeHead(404).end('{}');
    const bytes = bytesOf(`gpt2-2l/${file}`);
    response.writeHead(200, { 'content-length': bytes.length });
    if (file !== 'model.safetensors') return response.end(bytes);
    response.write(weights.subarray(0, weights.length >> 1), () => response.destroy());
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(null)));
  const { port } = /** @type {any} */ (server.address());
  try {
    const error = await attempt(`http://127.0.0.1:${port}/gpt2/`);
    assert.deepEqual([error?.code, error?.parameter], ['network', 'file'], String(error));
  } finally {
    server.close();
  }
});

test('two tables that differ, in a stream that cannot be read again', async () => {
  const { config, weights, tokenizer } = filesOf('gpt2-bare-bf16');
  const { tensors } = readSafetensors(weights);
  const table = /** @type {any} */ (tensors.get('wte.weight'));
  const own = { ...table, data: table.data.map((/** @type {number} */ x) => x + 0.5) };
  const untied = writeSafetensors(new Map([...tensors, ['lm_head.weight', own]]));
  const stream = () => new Response(/** @type {any} */ (untied));
  const error = await attempt({ config, weights: stream(), tokenizer });
  assert.equal(error?.parameter, 'lm_head.weight');
  assert.match(error.message, /differs from the embedding.*tie_word_embeddings: false/);
  const says = { ...config, tie_word_embeddings: false };
  assert.equal(await attempt({ config: says, weights: stream(), tokenizer }), null);
  assert.equal(await attempt({ config, weights: untied, tokenizer }), null);
});

/** Values that may stand anywhere in a JSON file. */
const odd = fc.oneof(
  fc.constantFrom(null, true, false, '', 'x', '12', [], {}, [[]], [null], { toString: 1, valueOf: 2 }, '__proto__'),
  fc.constantFrom(0, -1, 1.5, 1e9, 2 ** 31, 2 ** 53, 1e308, -0, 65, 64, 2),
  fc.constantFrom('gelu', 'BPE', 'WordPiece', 'Unigram', 'ByteLevel', 'Sequence', '(', { Regex: '(' }, { Regex: '' }),
  fc.jsonValue({ maxDepth: 2 }),
);
/** Every path of a JSON value, of long lists and tables the first. @param {any} value @returns {string[][]} */
const paths = (value) =>
  value && typeof value === 'object'
    ? Object.keys(value)
        .slice(0, 12)
        .flatMap((key) => [[key], ...paths(value[key]).map((rest) => [key, ...rest])])
    : [];

/** @param {any} json @param {[number, any, boolean][]} changes */
function changed(json, changes) {
  const copy = structuredClone(json);
  for (const [at, value, isLost] of changes) {
    const all = paths(copy);
    const path = all[at % all.length];
    const last = /** @type {string} */ (path.pop());
    const parent = path.reduce((each, key) => each[key], copy);
    if (isLost) delete parent[last];
    else {
      const own = structuredClone(value); // one list put into itself has no end
      Object.defineProperty(parent, last, { value: own, writable: true, enumerable: true, configurable: true });
    }
  }
  return copy;
}

test('config and tokenizer with anything anywhere', async () => {
  const files = NAMES.map(filesOf);
  const change = fc.array(fc.tuple(fc.nat(), odd, fc.boolean()), { minLength: 0, maxLength: 3 });
  /** @type {Set<string>} */
  const opened = new Set();
  const property = fc.asyncProperty(fc.nat(NAMES.length - 1), change, change, async (i, inConfig, inTokenizer) => {
    const { config, weights, tokenizer } = files[i];
    const source = { config: changed(config, inConfig), weights, tokenizer: changed(tokenizer, inTokenizer) };
    if ((await attempt(source)) === null) opened.add(NAMES[i]);
  });
  await fc.assert(property, { numRuns: 350 });
  assert(opened.size > 5, `${opened.size} of ${NAMES.length} opened`);
});

test('weights that are no numbers are refused by name, those left over are not read', async () => {
  for (const bad of [NaN, Infinity, -Infinity]) {
    const { config, weights } = filesOf('bert-2l');
    const { tensors } = readSafetensors(weights);
    const key = 'bert.encoder.layer.1.output.dense.weight';
    const tensor = /** @type {any} */ (tensors.get(key));
    const data = tensor.data.slice();
    data[70] = bad;
    const given = new Map([...tensors, [key, { ...tensor, data }]]);
    await refused(
      { config, weights: writeSafetensors(given) },
      key,
      new RegExp(`${key}\\[1\\]\\[6\\] must be finite, got ${bad}`),
    );
    const left = new Map([...tensors, ['classifier.weight', { data: Float32Array.of(bad), shape: [1] }]]);
    assert.equal(await attempt({ config, weights: writeSafetensors(left) }), null);
  }
});

test('ids of a text beyond the table, and texts beyond the context, are named', async () => {
  const { model, tokenizer } = /** @type {any} */ (await gf.loadModel(new URL('bert-2l/', folder)));
  const { ids, typeIds } = tokenizer.encode('the dog '.repeat(1250));
  assert.throws(() => model.forward({ ids, typeIds }), { name: 'GlassformerError', message: /64/ });
  assert.throws(() => model.forward({ ids: [1, 84], typeIds: [0, 0] }), { code: 'token', message: /84/ });
  assert.throws(() => model.forward({ ids: [1, 2], typeIds: [0, 2] }), { code: 'token', message: /2/ });
  assert.throws(() => model.forward({ ids: [], typeIds: [] }), { name: 'GlassformerError' });
  model.free();
  isUntouched();
});
