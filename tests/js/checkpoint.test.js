// Safetensors: what is written can be read, what is malformed is refused, and nothing else happens.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import vm from 'node:vm';

import { GlassformerError, load, readSafetensors, writeSafetensors } from 'glassformer';
import { UNREAD, entry, file } from './odd-files.js';
import { random, refused, same } from './reference.js';

const one = (dtype, array) =>
  readSafetensors(file({ x: entry(dtype, [array.length], 0, array.byteLength) }, array)).tensors.get('x');

test('what is written can be read', () => {
  for (let seed = 0; seed < 30; seed++) {
    const r = random(seed);
    const tensors = new Map(
      Array.from({ length: r.int(0, 6) }, (_, i) => {
        const shape = Array.from({ length: r.int(0, 3) }, () => r.int(1, 5));
        const kind = r.int(0, 2);
        return [
          `${r.pick(['a', '__proto__', 'constructor', '"\\\n', 'é🙂', '1', ''])}${i || ''}`,
          kind === 0
            ? r.tensor(shape)
            : kind === 1
              ? r.ids(shape, 1000)
              : { data: Uint8Array.from({ length: r.tensor(shape).data.length }, () => r.int(0, 255)), shape },
        ];
      }),
    );
    const metadata = new Map(
      r.bool()
        ? [
            ['format', 'pt'],
            ['__proto__', 'é"'],
          ]
        : [],
    );
    const bytes = writeSafetensors(tensors, { metadata });
    assert.equal(
      bytes.length >= 8 && Number(new DataView(bytes.buffer).getBigUint64(0, true)) % 8,
      0,
      'the data is aligned',
    );
    const read = readSafetensors(bytes);
    assert.deepEqual([...read.tensors.keys()].sort(), [...tensors.keys()].sort());
    for (const [name, tensor] of tensors) same(read.tensors.get(name), tensor, name);
    assert.deepEqual(read.metadata, metadata);
    assert.deepEqual(writeSafetensors(new Map([...tensors].reverse()), { metadata }), bytes, 'order does not matter');
  }
});

test('a model goes through a file, to the bit', async () => {
  const gf = await load({ variant: 'simd' });
  const config = { kind: 'decoder', vocabulary: 7, d_model: 8, heads: 2, d_ff: 8, head: 'linear' };
  const [a, b] = [1, 2].map((seed) => gf.createModel({ ...config, seed }));
  b.loadWeights(readSafetensors(writeSafetensors(a.weights(), { metadata: { made: 'here' } })).tensors);
  same(a.forward({ ids: [1, 2, 3] }).logits, b.forward({ ids: [1, 2, 3] }).logits);
  const half = readSafetensors(writeSafetensors(a.weights(), { float16: true })).tensors;
  for (const [name, { data }] of a.weights()) {
    half
      .get(name)
      .data.forEach((x, i) => assert.ok(Math.abs(x - data[i]) <= Math.abs(data[i]) * 2 ** -11 + 2 ** -25, name));
  }
  a.free();
  b.free();
});

test('a file in place of its tensors is refused with what to pass', async () => {
  const gf = await load({ variant: 'simd' });
  const model = gf.createModel({ d_model: 8, heads: 2, d_ff: 8 });
  const bytes = writeSafetensors(model.weights());
  const files = [
    bytes,
    bytes.buffer,
    Buffer.from(bytes),
    new Blob([bytes]),
    new Response(bytes),
    readSafetensors(bytes),
  ];
  for (const file of [...files, Promise.resolve(bytes), 'creek.safetensors', new URL('file:///creek'), null, 7]) {
    assert.throws(() => model.loadWeights(/** @type {any} */ (file)), {
      code: 'type',
      parameter: 'weights',
      message: /^weights: must be .*by name, like readSafetensors\(file\)\.tensors/,
    });
  }
  model.loadWeights(readSafetensors(bytes).tensors);
  model.loadWeights(Object.fromEntries(readSafetensors(bytes).tensors));
  const other = vm.runInNewContext('entries => new Map(entries)')([...model.weights()]);
  model.loadWeights(other);
  model.free();
});

test('plain objects, plain arrays and metadata objects can be written', () => {
  const bytes = writeSafetensors(
    { x: { data: [1, 2], shape: [2] }, y: { data: Float64Array.of(0.5), shape: [] } },
    { metadata: { a: 'b' } },
  );
  const { tensors, metadata } = readSafetensors(bytes);
  assert.deepEqual(tensors.get('x'), { data: Float32Array.of(1, 2), shape: [2] });
  assert.deepEqual(tensors.get('y'), { data: Float32Array.of(0.5), shape: [] });
  assert.deepEqual([...metadata], [['a', 'b']]);
});

test('every dtype is read', () => {
  assert.deepEqual(one('F32', Float32Array.of(1.5, -0, Infinity)).data, Float32Array.of(1.5, -0, Infinity));
  assert.deepEqual(one('F64', Float64Array.of(0.1, -2)).data, Float32Array.of(0.1, -2));
  assert.deepEqual(one('I32', Int32Array.of(-5, 2 ** 31 - 1)).data, Int32Array.of(-5, 2 ** 31 - 1));
  assert.deepEqual(one('I64', BigInt64Array.of(-5n, 2n ** 31n - 1n)).data, Int32Array.of(-5, 2 ** 31 - 1));
  assert.deepEqual(one('U8', Uint8Array.of(0, 255)).data, Uint8Array.of(0, 255));
  assert.deepEqual(one('BOOL', Uint8Array.of(0, 1)).data, Uint8Array.of(0, 1));
  assert.deepEqual(
    one('BF16', Uint16Array.of(0x3f80, 0xc000, 0x7f80, 0x0001)).data,
    Float32Array.of(1, -2, Infinity, 2 ** -133),
  );
  assert.deepEqual(
    one('F16', Uint16Array.of(0x3c00, 0xc000, 0x7bff, 0x0001, 0x8000, 0x7c00, 0x7e00, 0x0400)).data,
    Float32Array.of(1, -2, 65504, 2 ** -24, -0, Infinity, NaN, 2 ** -14),
  );
  refused(() => one('I64', BigInt64Array.of(2n ** 31n)), 'format', 'x');
  refused(() => one('I64', BigInt64Array.of(-(2n ** 31n) - 1n)), 'format', 'x');
  refused(() => one('BOOL', Uint8Array.of(2)), 'format', 'x');
  for (const dtype of ['F8_E4M3', 'U16', 'f32', '', 'toString', '__proto__'])
    refused(() => one(dtype, Float32Array.of(1)), 'format', 'x');
});

test('a tensor of a dtype that is not read is listed beside the others', () => {
  for (const dtype of UNREAD) {
    const bits = Number(/\d+/.exec(dtype));
    const header = { q: entry(dtype, [2, 4], 0, bits), x: entry('F32', [2], bits, bits + 8) };
    const data = new Uint8Array(bits + 8);
    new DataView(data.buffer).setFloat32(bits, 1.5, true);
    const { tensors, skipped } = readSafetensors(file(header, data));
    assert.deepEqual(skipped, new Map([['q', { dtype, shape: [2, 4] }]]));
    assert.deepEqual(tensors, new Map([['x', { data: Float32Array.of(1.5, 0), shape: [2] }]]));
  }
  assert.equal(readSafetensors(writeSafetensors({ x: { data: [1], shape: [1] } })).skipped.size, 0);
});

test('a model takes no notice of what is skipped beside its weights; a weight among them is named', async () => {
  const gf = await load({ variant: 'simd' });
  const model = gf.createModel({
    kind: 'decoder',
    vocabulary: 5,
    head: 'tied',
    layers: 1,
    d_model: 8,
    heads: 2,
    seed: 3,
  });
  const saved = [await model.save(), await model.trainer().save()];
  const folder = new URL('../checkpoints/bert-2l/', import.meta.url);
  const [config, bert] = ['config.json', 'model.safetensors'].map((name) => readFileSync(new URL(name, folder)));
  /** The file with other dtypes for some of its tensors, and one tensor more. */
  const changed = (bytes, dtypes) => {
    const { tensors, metadata } = readSafetensors(bytes);
    const header = { __metadata__: Object.fromEntries(metadata) };
    const parts = [...tensors].map(([key, { data }]) => (dtypes[key] ? new Uint8Array(data.length) : data));
    let at = 0;
    for (const [i, [key, { shape }]] of [...tensors].entries())
      header[key] = entry(dtypes[key] ?? 'F32', shape, at, (at += parts[i].byteLength));
    header['quantized.scale'] = entry('F8_E4M3', [3], at, at + 3);
    return file(header, Buffer.concat([...parts.map(({ buffer }) => Buffer.from(buffer)), Buffer.alloc(3)]));
  };
  const name = 'decoder.layers.0.linear1.weight';
  for (const bytes of saved) {
    for (const source of [changed(bytes, {}), new Blob([changed(bytes, {})])]) {
      const opened = await gf.loadModel(source);
      assert.deepEqual(opened.model.tensor(name).data, model.tensor(name).data);
      opened.model.free();
    }
    for (const source of [changed(bytes, { [name]: 'I8' }), new Blob([changed(bytes, { [name]: 'I8' })])]) {
      await assert.rejects(gf.loadModel(source), { code: 'dtype', parameter: name, value: 'I8' });
    }
  }
  const { notes } = await gf.loadModel({ config, weights: changed(bert, {}) });
  assert.match(notes.join(), /left over: quantized.scale/);
  const weight = 'bert.encoder.layer.1.output.dense.weight';
  await assert.rejects(gf.loadModel({ config, weights: changed(bert, { [weight]: 'F8_E5M2' }) }), {
    name: 'GlassformerError',
    code: 'dtype',
    parameter: weight,
    value: 'F8_E5M2',
  });
});

test('each half is itself again, and numbers between go to the nearest, ties to even', () => {
  const all = Uint16Array.from({ length: 65536 }, (_, i) => i);
  const floats = one('F16', all);
  const bytes = writeSafetensors({ x: floats }, { float16: true });
  const back = new Uint16Array(bytes.slice(bytes.length - 2 * 65536).buffer);
  all.forEach((bits, i) => assert.equal(back[i], (bits & 0x7fff) > 0x7c00 ? 0x7e00 : bits));
  const rounded = (x) =>
    readSafetensors(writeSafetensors({ x: { data: [x], shape: [1] } }, { float16: true })).tensors.get('x').data[0];
  for (let i = 0x0001; i < 0x7bff; i += 7) {
    const [low, high] = [floats.data[i], floats.data[i + 1]];
    const middle = (low + high) / 2;
    assert.equal(rounded(middle), i % 2 ? high : low, `tie between ${low} and ${high}`);
    assert.equal(rounded(middle + (high - low) / 1024), high);
    assert.equal(rounded(middle - (high - low) / 1024), low);
  }
  assert.equal(rounded(65519), 65504);
  refused(() => rounded(65520), 'range', 'x');
  refused(() => rounded(-1e30), 'range', 'x');
});

test('nothing need be aligned, and results are copies', () => {
  const inner = file({ a: entry('U8', [1], 0, 1), b: entry('F32', [1], 1, 5) }, Uint8Array.of(7, 0, 0, 128, 63));
  const outer = new Uint8Array(inner.length + 3);
  outer.set(inner, 3);
  const { tensors } = readSafetensors(outer.subarray(3));
  assert.deepEqual(tensors.get('b').data, Float32Array.of(1));
  outer.fill(0);
  assert.deepEqual(tensors.get('b').data, Float32Array.of(1));
  assert.deepEqual(readSafetensors(new Uint8Array(inner).buffer).tensors.get('a').data, Uint8Array.of(7));
});

test('malformed files are refused', () => {
  const data = Float32Array.of(1, 2);
  const good = { x: entry('F32', [2], 0, 8) };
  assert.equal(readSafetensors(file(good, data)).tensors.size, 1);
  for (const [bytes, why] of [
    [new Uint8Array(0), 'empty'],
    [new Uint8Array(7), 'shorter than its length'],
    [new Uint8Array(8), 'no header'],
    [file(good, data, 1e6), 'header beyond the end'],
    [file(good, data).fill(255, 0, 8), 'header of 2^64 - 1 bytes'],
    [file('{"x":', data), 'not JSON'],
    [file('[]', data), 'no object'],
    [file('null', data), 'null'],
    [file('{"\xff":1}'.replace('\xff', '\ud800'), data), 'entry without fields'],
    [Buffer.concat([Buffer.from([5, 0, 0, 0, 0, 0, 0, 0]), Buffer.from('{"\xff"', 'latin1')]), 'not UTF-8'],
    [file(`{"x":${JSON.stringify(good.x)},"x":${JSON.stringify(good.x)}}`, data), 'a name twice'],
    [file(`{"x":${JSON.stringify(good.x)},"\\u0078":${JSON.stringify(good.x)}}`, data), 'a name twice, escaped'],
    [file('{"x":{"dtype":"F32","dtype":"F32","shape":[2],"data_offsets":[0,8]}}', data), 'a field twice'],
    [
      file('{"__metadata__":{"a":"1","a" : "2"},"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}', data),
      'metadata twice',
    ],
    [file({ x: { dtype: 'F32', shape: [2] } }, data), 'a field too few'],
    [file({ x: 1 }, data), 'no entry'],
    [file({ x: null }, data), 'a null entry'],
    [file({ x: [good.x] }, data), 'a list'],
    [file({ x: entry(5, [2], 0, 8) }, data), 'dtype no text'],
    [file({ x: entry('F32', 2, 0, 8) }, data), 'shape no list'],
    [file({ x: entry('F32', [2.5], 0, 10) }, data), 'a fraction'],
    [file({ x: entry('F32', [-2], 0, 8) }, data), 'a negative size'],
    [file({ x: entry('F32', ['2'], 0, 8) }, data), 'a size as text'],
    [file({ x: entry('F32', [2 ** 53], 0, 8) }, data), 'a huge size'],
    [file({ x: entry('F32', [2 ** 32, 2 ** 32], 0, 8) }, data), 'a huge product'],
    [file({ x: entry('F32', [1], 0, 8) }, data), 'too many bytes for the shape'],
    [file({ x: entry('F32', [2], 8, 0) }, data), 'reversed offsets'],
    [file({ x: { ...good.x, data_offsets: [0] } }, data), 'one offset'],
    [file({ x: { ...good.x, data_offsets: [0, 8, 8] } }, data), 'three offsets'],
    [file({ x: entry('F32', [2], 0.5, 8.5) }, data), 'offsets that are fractions'],
    [file({ x: entry('F32', [1], 4, 8) }, data), 'a hole in front'],
    [file({ x: entry('F32', [1], 0, 4) }, data), 'bytes left over'],
    [file({ x: entry('F32', [3], 0, 12) }, data), 'beyond the end'],
    [file({ x: entry('F32', [2], 0, 8), y: entry('F32', [1], 4, 8) }, data), 'an overlap'],
    [file({ x: entry('F32', [2], 0, 8), y: entry('F32', [2], 0, 8) }, data), 'the same place twice'],
    [file(good), 'no data'],
    [file({ __metadata__: { a: 1 }, ...good }, data), 'metadata no text'],
    [file({ __metadata__: 'a', ...good }, data), 'metadata no object'],
  ]) {
    try {
      refused(() => readSafetensors(bytes), 'format');
    } catch (error) {
      assert.fail(`${why}: ${error.message}`);
    }
  }
  refused(() => readSafetensors(), 'missing', 'file');
  refused(() => readSafetensors('x'), 'type', 'file');
  refused(() => readSafetensors([1, 2]), 'type', 'file');
});

test('what is well-formed though unusual is read', () => {
  assert.equal(readSafetensors(file('{}')).tensors.size, 0);
  assert.equal(readSafetensors(file('{}      ')).tensors.size, 0);
  const { tensors } = readSafetensors(
    file(
      { empty: entry('F32', [0, 3], 0, 0), x: entry('F32', [], 0, 4), end: entry('U8', [0], 4, 4) },
      Float32Array.of(3),
    ),
  );
  assert.deepEqual(tensors.get('empty'), { data: new Float32Array(0), shape: [0, 3] });
  assert.deepEqual(tensors.get('x'), { data: Float32Array.of(3), shape: [] });
  const odd = readSafetensors(
    file(
      '{"__proto__":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},' +
        '"{\\"a\\":":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}',
      Uint8Array.of(1, 2),
    ),
  );
  assert.deepEqual([...odd.tensors.keys()], ['__proto__', '{"a":']);
  const long = 'x'.repeat(2 ** 24);
  assert.equal(
    readSafetensors(file({ __metadata__: { long, [`${long}"`]: '' } })).metadata.get('long').length,
    long.length,
  );
});

test("files of PyTorch's own are read", () => {
  const bytes = readFileSync(new URL('../golden/mha_self.safetensors', import.meta.url));
  const { tensors, metadata } = readSafetensors(bytes);
  assert.equal(metadata.get('op'), 'mha');
  assert.ok(tensors.has('weight.in_proj_weight'));
});

test('what cannot be written is refused', () => {
  const x = { data: [1], shape: [1] };
  refused(() => writeSafetensors(), 'missing', 'tensors');
  refused(() => writeSafetensors([x]), 'type', 'tensors');
  refused(() => writeSafetensors({ x: 1 }), 'type', 'x');
  refused(() => writeSafetensors({ x: { data: [1, 2], shape: [1] } }), 'shape', 'x');
  refused(() => writeSafetensors({ x: { data: new Float32Array(0), shape: [0] } }), 'shape', 'x');
  refused(() => writeSafetensors({ x: { data: new Uint16Array(1), shape: [1] } }), 'dtype', 'x');
  refused(() => writeSafetensors({ x: { data: new BigInt64Array(1), shape: [1] } }), 'dtype', 'x');
  refused(() => writeSafetensors({ __metadata__: x }), 'unknown', 'tensors');
  refused(() => writeSafetensors({ x }, { metadata: { a: 1 } }), 'type', 'metadata.a');
  refused(() => writeSafetensors({ x }, { metadata: 'a' }), 'type', 'metadata');
  refused(() => writeSafetensors({ x }, { half: true }), 'unknown', 'half');
  refused(() => writeSafetensors({ x }, { float16: 1 }), 'type', 'float16');
});

test('mutated files either read well or are refused, nothing else', () => {
  const r = random(7);
  const base = writeSafetensors(
    new Map([
      ['a.weight', r.tensor([2, 3])],
      ['ids', r.ids([4], 9)],
      ['mask', r.padding([3])],
    ]),
    { metadata: { k: 'v' } },
  );
  let [read, kept] = [0, 0];
  for (let round = 0; round < 20000; round++) {
    let bytes = base.slice();
    for (let n = r.int(1, 4); n > 0; n--)
      bytes[r.int(0, r.bool(0.8) ? 7 + 200 : bytes.length - 1)] = r.pick([
        r.int(0, 255),
        0,
        255,
        ...Buffer.from('{}[]",:0919eE-\\ '),
      ]);
    if (r.bool(0.2)) bytes = bytes.subarray(0, r.int(0, bytes.length));
    try {
      const { tensors } = readSafetensors(bytes);
      read++;
      for (const { data, shape } of tensors.values())
        assert.equal(
          data.length,
          shape.reduce((a, b) => a * b, 1),
        );
    } catch (error) {
      assert.ok(error instanceof GlassformerError && error.code === 'format', `${error.stack}\n${Buffer.from(bytes)}`);
      kept++;
    }
  }
  assert.ok(read > 100 && kept > 1000, `${read} read, ${kept} refused`);
});
