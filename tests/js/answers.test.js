// Servers that answer something else than what was asked: other parts and lengths, a few bytes that unpack to many.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { load, readSafetensors, writeSafetensors } from 'glassformer';
import { openSafetensors } from 'glassformer/checkpoints';
import { openFile } from '../../src/js/formats/safetensors-stream.js';
import { Remote } from '../../src/js/formats/source.js';
import { openTorch } from '../../src/js/formats/torch-file.js';
import { savedOf, writeTorch } from './torch-writer.js';

const gf = await load({ variant: 'simd' });
const folder = new URL('../checkpoints/gpt2-2l/', import.meta.url);
const [config, weights] = ['config.json', 'model.safetensors'].map((name) => readFileSync(new URL(name, folder)));
const bin = writeTorch(savedOf(weights));
const half = weights.length >> 1;

/** @typedef {import('node:http').IncomingMessage} Request @typedef {import('node:http').ServerResponse} Answer */
/** @type {(request: Request, response: Answer, name: string) => void} */
let answer = () => {};
/** @type {string[]} */
const asked = [];
const server = createServer((request, response) => {
  const name = String(request.url?.split('/').pop());
  asked.push(name);
  answer(request, response, name);
});
await new Promise((done) => server.listen(0, '127.0.0.1', () => done(null)));
after(() => (server.closeAllConnections(), server.close()));
const address = `http://127.0.0.1:${/** @type {any} */ (server.address()).port}/m/`;
const absent = (/** @type {Answer} */ response) => void response.writeHead(404).end();

/** Numbers of the opened model. @param {any} [source] @param {object} [options] */
async function numbersOf(source = address, options) {
  const { model } = /** @type {any} */ (await gf.loadModel(source, options));
  const { data } = model.forward({ ids: [3, 5, 12] }).logits;
  model.free();
  return [...data];
}
const wanted = await numbersOf(folder);

/** @param {object} [options] @returns {Promise<any>} the error of opening, which leaves no memory behind */
async function refused(options) {
  const before = gf.memoryBytes;
  const error = await numbersOf(address, options).then(
    (numbers) => assert.fail(`it opened, ${String(numbers) === String(wanted) ? 'rightly' : 'with OTHER NUMBERS'}`),
    (each) => each,
  );
  assert.equal(error.name, 'GlassformerError', error.stack);
  assert.ok(error.message.length < 500, error.message);
  assert.equal(gf.memoryBytes, before);
  return error;
}

/**
 * The answer to a request for the rest of a file: by default as it should be.
 * @typedef {object} Part
 * @property {number} [status] @property {string | null} [range] @property {string | null} [tag]
 * @property {number} [from] @property {number} [to] @property {string} [encoding] @property {boolean} [says] its length
 */

/** Ranges as `part` has them; the first connection breaks half way. @param {Buffer} file @param {Part} part */
const ranged = (file, { status = 206, range, tag = '"x"', from: shift = 0, to = 0, encoding, says = true }) => {
  answer = ({ headers }, response, name) => {
    if (name === 'config.json') return void response.end(config);
    if (name !== (file === bin ? 'pytorch_model.bin' : 'model.safetensors')) return absent(response);
    const whole = { 'content-length': file.length, etag: '"x"', 'accept-ranges': 'bytes' };
    if (!headers.range) {
      response.writeHead(200, whole);
      return void response.write(file.subarray(0, half), () => setTimeout(() => response.destroy(), 20));
    }
    const from = Number(/^bytes=(\d+)-$/.exec(headers.range)?.[1]);
    const given = range?.replace('FROM', String(from)).replace('BEFORE', String(from - 1));
    const right = `bytes ${from}-${file.length - 1}/${file.length}`;
    const bytes = Buffer.concat([file, Buffer.alloc(Math.max(0, to))]).subarray(from + shift, file.length + to);
    response.writeHead(status, {
      ...(range !== null && { 'content-range': given ?? right }),
      ...(tag !== null && { etag: tag }),
      ...(says && { 'content-length': bytes.length }),
      ...(encoding && { 'content-encoding': encoding }),
    });
    response.end(bytes);
  };
};

const END = `${weights.length - 1}/${weights.length}`;
/** @type {[string, Part, RegExp][]} */
const PARTS = [
  ['another range', { range: `bytes 0-${END}` }, /sent other bytes in place of the bytes from \d+ on: content-range/],
  ['a range that begins one earlier', { range: `bytes BEFORE-${END}`, from: -1 }, /sent other bytes/],
  ['no range', { range: null }, /sent other bytes in place of the bytes from \d+ on: content-range, got null/],
  ['several parts', { range: null }, /sent other bytes/],
  ['a range that is none', { range: 'bytes */9' }, /sent other bytes/],
  ['a range of lines', { range: `lines FROM-${END}` }, /sent other bytes/],
  ['a range below 0', { range: `bytes -1-${END}` }, /sent other bytes/],
  ['a range of 10^99', { range: `bytes FROM-${'9'.repeat(99)}/*` }, /sent other bytes/],
  ['another total', { range: `bytes FROM-${weights.length - 1}/${weights.length + 1}` }, /sent other bytes/],
  ['a longer file', { range: `bytes FROM-${weights.length}/${weights.length + 1}`, to: 1 }, /sent other bytes/],
  ['a shorter range', { range: `bytes FROM-${weights.length - 2}/${weights.length}`, to: -1 }, /sent other bytes/],
  ['another tag', { tag: '"y"' }, /the file has changed: status, got 206/],
  ['no tag', { tag: null }, /the file has changed/],
  ['a weak tag', { tag: 'W/"x"' }, /the file has changed/],
  ['the whole of another file', { status: 200, tag: '"y"' }, /the file has changed: status, got 200/],
  ['the whole', { status: 200 }, /sent something else in place of the bytes from \d+ on: status, got 200/],
  ['no such range', { status: 416 }, /sent something else .*: status, got 416/],
  ['an error', { status: 503 }, /sent something else .*: status, got 503/],
  ['compressed bytes', { encoding: 'gzip' }, /compressed a part/],
  ['fewer bytes', { to: -9, says: false }, /ends after \d+ bytes, before the end of 161920 bytes/],
  ['more bytes', { to: 9, says: false }, /has more bytes than the 161920 that its server says/],
];
for (const [what, part, why] of PARTS) {
  test(`the rest of a file comes as ${what}: refused`, async () => {
    ranged(weights, part);
    const { code, parameter, message } = await refused();
    assert.deepEqual([code, parameter], ['format', 'file'], message);
    assert.match(message, why);
  });
}

test('the rest of a file comes as it should, and is taken', async () => {
  for (const part of [{}, { says: false }, { range: `bytes FROM-${weights.length - 1}/*` }]) {
    ranged(weights, part);
    assert.deepEqual(await numbersOf(), wanted);
  }
  ranged(bin, {});
  assert.deepEqual(await numbersOf(), wanted, 'of a .bin its end comes first');
});

test('whatever part a server sends and names, the numbers are those of the file or none', async () => {
  const { length } = weights;
  const place = fc.oneof(fc.constantFrom(half - 1, half, half + 1, length - 1, length), fc.nat(length));
  let opened = 0;
  const property = fc.asyncProperty(place, place, fc.boolean(), async (begin, end, isRight) => {
    const [from, to] = isRight ? [half, length - 1] : [begin, end];
    ranged(weights, {});
    const right = answer;
    answer = (request, response, name) => {
      if (!request.headers.range) return right(request, response, name);
      const range = `bytes ${from}-${to}/${isRight ? length : Math.max(to + 1, begin)}`;
      response.writeHead(206, { etag: '"x"', 'content-range': range }).end(weights.subarray(from, to + 1));
    };
    const numbers = await numbersOf().catch(({ code }) => assert.equal(code, 'format'));
    if (numbers) assert.deepEqual(numbers, wanted);
    opened += Number(Boolean(numbers));
  });
  await fc.assert(property, { numRuns: 60 });
  assert.ok(opened > 10, `${opened} opened`);
});

test('a part where the whole was asked for is refused, whichever file it is', async () => {
  for (const partial of ['config.json', 'model.safetensors', 'tokenizer.json']) {
    answer = (_, response, name) => {
      const file = { 'config.json': config, 'model.safetensors': weights, 'tokenizer.json': config }[name];
      if (!file || (name === 'tokenizer.json' && name !== partial)) return absent(response);
      const range = { 'content-range': `bytes 0-${file.length - 1}/${file.length}` };
      response.writeHead(name === partial ? 206 : 200, name === partial ? range : {}).end(file);
    };
    if (partial === 'tokenizer.json') {
      const { notes } = /** @type {any} */ (await gf.loadModel(address));
      assert.match(notes[0], /has no tokenizer.json/, 'it may be absent');
    } else assert.match((await refused()).message, /not the whole file at \S+: status, got 206/, partial);
  }
  const own = new Response(weights, { status: 206 });
  await assert.rejects(openSafetensors(own), { code: 'format', message: /not the whole file at its address/ });
});

test('a length that is no number is none, and one that is wrong is noticed', async () => {
  const given = (/** @type {string} */ length) => new Response(weights, { headers: { 'content-length': length } });
  for (const length of ['abc', '-1', '1e99', '9'.repeat(40), '']) {
    assert.deepEqual(await numbersOf({ config, weights: given(length) }), wanted, length);
  }
  for (const length of ['0', '7', String(weights.length - 1), String(weights.length + 1)]) {
    await assert.rejects(numbersOf({ config, weights: given(length) }), { code: 'format', parameter: 'file' }, length);
  }
});

/**
 * Another origin's answers as a page sees them: they may hide the range and the encoding, but not the length.
 * @param {(headers?: Record<string, string>) => [BodyInit, ResponseInit]} ask
 */
const elsewhere = (ask) =>
  new Remote(async (headers) => Object.defineProperty(new Response(...ask(headers)), 'type', { value: 'cors' }));
const quiet = { onProgress() {} };

test('in a page, another origin may hide the range of a part: then its length has to fit', async () => {
  const { length } = weights;
  for (const more of [0, 1, -1, half]) {
    const source = elsewhere((headers) => {
      const from = Number(/\d+/.exec(headers?.Range ?? '')?.[0] ?? 0);
      const facts = { etag: '"x"', 'accept-ranges': 'bytes', 'content-length': String(length - from + (from && more)) };
      return [weights.subarray(from), { status: from ? 206 : 200, headers: facts }];
    });
    const file = await openFile(source, quiet);
    const [first] = file.tensors.keys();
    for (const name of file.tensors.keys()) await file.read(name);
    const again = file.read(first);
    if (more === 0) assert.deepEqual(await again, readSafetensors(weights).tensors.get(first)?.data);
    else await assert.rejects(again, { code: 'format', message: /content-range, got null/ });
  }
});

test('in a page, where compression is hidden, bytes are held up to their length or the budget', async () => {
  const open = (/** @type {number} */ sent, /** @type {number} */ left) =>
    openFile(
      elsewhere(() => [bin, { headers: { 'content-length': String(sent) } }]),
      { ...quiet, budget: { left } },
      openTorch,
    );
  assert.ok((await open(bin.length, 0)).tensors.size > 9);
  assert.ok((await open(1000, bin.length)).tensors.size > 9);
  await assert.rejects(open(1000, bin.length - 1), { message: /must have at most \d+ bytes: its model takes no more/ });
});

// ---- a few bytes that unpack to many

/**
 * Members of a gzip file may follow each other.
 * @param {Buffer} begin @param {string} fill @param {number} megabytes
 */
function bomb(begin, fill, megabytes) {
  const member = gzipSync(Buffer.alloc(2 ** 22, fill), { level: 9 });
  return Buffer.concat([gzipSync(begin), ...Array(megabytes >> 2).fill(member)]);
}

/** Serves one file compressed, the others as they are. @param {Record<string, Buffer>} files @param {string} packed */
function compressed(files, packed, says = true) {
  answer = (_, response, name) => {
    const file = files[name];
    if (!file) return absent(response);
    const encoding = name === packed ? { 'content-encoding': 'gzip' } : {};
    response.writeHead(200, { ...encoding, ...(says && { 'content-length': file.length }) });
    response.end(file);
  };
}

/** Most memory that a refusal took, beside what was there. @param {() => Promise<unknown>} action */
async function memoryOf(action) {
  const taken = () => process.memoryUsage().arrayBuffers + process.memoryUsage().heapUsed;
  const before = taken();
  let most = 0;
  const watch = setInterval(() => (most = Math.max(most, taken() - before)), 5);
  const result = await action();
  clearInterval(watch);
  return { most, result };
}

const small = Buffer.from(
  JSON.stringify({ model_type: 'gpt2', vocab_size: 4, n_positions: 4, n_embd: 4, n_layer: 1, n_head: 1 }),
);
const zip = Buffer.from('PK\x03\x04\xff\xff\xff\xff', 'latin1');
/** A header of safetensors with 99 MB of spaces. */
const header = Buffer.alloc(9, '{');
header.writeBigUInt64LE(99_000_000n);

test('what comes compressed is held up to what the model takes, its header and JSON up to a limit', async () => {
  const index = 'model.safetensors.index.json';
  /** @type {[string, Buffer, number, RegExp][]} */
  const cases = [
    [
      'pytorch_model.bin',
      bomb(zip, '\0', 400),
      2 ** 25,
      /^file: must have at most 16779\d\d\d bytes: its model takes no/,
    ],
    [
      'model.safetensors',
      bomb(header, ' ', 120),
      2 ** 24,
      /^file: the header's length must be at most 16777208, got 99/,
    ],
    ['config.json', bomb(Buffer.from('{"a":['), '1,', 400), 2 ** 23, /^config.json: must be at most 4194304 bytes/],
    ['tokenizer.json', bomb(Buffer.from('{"a":['), '1,', 400), 2 ** 27, /^tokenizer.json: must be at most 67108864 by/],
    [index, bomb(Buffer.from('{"weight_map":{'), '[],', 400), 2 ** 23, /index.json: must be at most 4194304 bytes/],
  ];
  for (const [name, file, budget, why] of cases) {
    for (const says of [true, false]) {
      compressed({ 'config.json': small, [name]: file }, name, says);
      const { most, result } = await memoryOf(() => refused());
      assert.match(result.message, why);
      assert.ok(most < 2 * budget + 2 ** 25, `${name}: ${most} bytes of ${file.length}`);
    }
  }
});

test('of shards that come compressed, all together are held up to what the model takes', async () => {
  const names = [...readSafetensors(weights).tensors.keys()];
  const index = { weight_map: Object.fromEntries(names.map((name, i) => [name, `pytorch_model-${i % 9}.bin`])) };
  const packed = bomb(zip, '\0', 12);
  let sent = 0;
  answer = (_, response, name) => {
    if (name === 'config.json') return void response.end(config);
    if (name === 'pytorch_model.bin.index.json') return void response.end(JSON.stringify(index));
    if (!/\d\.bin$/.test(name)) return absent(response);
    sent++;
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed);
  };
  const { message } = await refused();
  assert.match(message, /cut short|must have at most/);
  assert.ok(sent <= 2, `${sent} shards`);
});

test('a model that really comes compressed opens, with the numbers of its file', async () => {
  for (const [name, file] of Object.entries({ 'model.safetensors': weights, 'pytorch_model.bin': bin })) {
    for (const says of [true, false]) {
      compressed({ 'config.json': gzipSync(config), [name]: gzipSync(file) }, name, says);
      const plain = answer;
      answer = (request, response, each) => {
        if (each !== 'config.json') return plain(request, response, each);
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(config));
      };
      assert.deepEqual(await numbersOf(), wanted, `${name}, ${says}`);
      assert.equal((await numbersOf(address, { weights: 'int8' })).length, wanted.length);
    }
  }
});

test('ranges of what is compressed are not asked for', async () => {
  let ranges = 0;
  answer = ({ headers }, response, name) => {
    if (name === 'config.json') return void response.end(config);
    if (name !== 'model.safetensors') return absent(response);
    ranges += Number(Boolean(headers.range));
    const packed = gzipSync(weights);
    const facts = { 'content-encoding': 'gzip', etag: '"x"', 'accept-ranges': 'bytes' };
    response.writeHead(200, { ...facts, 'content-length': packed.length });
    response.write(packed.subarray(0, packed.length >> 1), () => setTimeout(() => response.destroy(), 20));
  };
  assert.match((await refused()).message, /could not be fetched/);
  assert.equal(ranges, 0);
});

test('a config or index of more values than any has is refused before it is parsed', async () => {
  const many = `[${'[],'.repeat(1_000_000)}[]]`;
  await assert.rejects(numbersOf({ config: Buffer.from(`{"a":${many}}`), weights }), {
    code: 'format',
    message: /^config: is no JSON: more than 262144 values/,
  });
});

// ---- an index of many files

const tensors = [...readSafetensors(weights).tensors];
const needed = tensors.filter(([name]) => !/\.attn\.(masked_)?bias$/.test(name));
const masks = tensors.filter(([name]) => /\.attn\.(masked_)?bias$/.test(name));

/** @param {Record<string, string>} map @param {Record<string, Buffer>} files @param {Buffer} [about] */
function split(map, files, about = config) {
  answer = (_, response, name) => {
    if (name === 'config.json') return void response.end(about);
    if (name === 'model.safetensors.index.json') return void response.end(JSON.stringify({ weight_map: map }));
    const file = files[name];
    if (!file) return absent(response);
    response.end(file);
  };
}
const shard = (/** @type {typeof tensors} */ some) => Buffer.from(writeSafetensors(new Map(some)));

test('an index that lacks a weight is refused before any of its files is asked for', async () => {
  const map = Object.fromEntries(Array.from({ length: 8000 }, (_, i) => [`t${i}`, `f${i}.safetensors`]));
  for (const [name] of needed.slice(1)) map[name] = 'all.safetensors';
  split(map, {});
  asked.length = 0;
  const { code, parameter } = await refused();
  assert.deepEqual([code, parameter], ['missing', needed[0][0].replace('transformer.', '')]);
  assert.ok(!asked.some((name) => /^(f\d+|all)\.safetensors$/.test(name)), String(asked.length));
});

test('a file that holds nothing of the model is never opened, and what it holds is noted', async () => {
  const map = {
    ...Object.fromEntries(needed.map(([name]) => [name, 'all.safetensors'])),
    ...Object.fromEntries(masks.map(([name]) => [name, 'masks.safetensors'])),
    ...Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`t${i}`, `f${i}.safetensors`])),
  };
  split(map, { 'all.safetensors': shard(needed) });
  asked.length = 0;
  assert.deepEqual(await numbersOf(), wanted);
  assert.deepEqual(asked.slice(-2), ['model.safetensors.index.json', 'all.safetensors']);
  const { notes } = /** @type {any} */ (await gf.loadModel(address));
  assert.ok(
    notes.some((/** @type {string} */ note) => note.startsWith('left over: t0, t1, ') && /1988 more/.test(note)),
  );
  assert.ok(notes.some((/** @type {string} */ note) => note.startsWith(`${masks.length} buffers of masks`)));
  // Of files that a reader picked, those need not be among them.
  const picked = { 'config.json': config, 'all.safetensors': shard(needed) };
  const files = Object.entries({ ...picked, 'model.safetensors.index.json': JSON.stringify({ weight_map: map }) });
  assert.deepEqual(await numbersOf(files.map(([name, bytes]) => new File([bytes], name))), wanted);
  const less = files.filter(([name]) => name !== 'all.safetensors').map(([name, bytes]) => new File([bytes], name));
  await assert.rejects(numbersOf(less), { code: 'missing', parameter: 'all.safetensors' });
});

test('a model in more files than any has is refused before one is opened', async () => {
  const layers = 40;
  const deep = Buffer.from(JSON.stringify({ ...JSON.parse(String(config)), n_layer: layers }));
  const names = needed.flatMap(([name]) =>
    /h\.0\./.test(name) ? Array.from({ length: layers }, (_, i) => name.replace('h.0.', `h.${i}.`)) : [name],
  );
  split(Object.fromEntries(names.map((name, i) => [name, `f${i}.safetensors`])), {}, deep);
  asked.length = 0;
  const { code, message } = await refused();
  assert.equal(code, 'range');
  assert.match(message, /^weights: must be in at most 256 files, got \d{3}$/);
  assert.ok(!asked.some((name) => /^f\d+/.test(name)));
});
