// pytorch_model.bin made to do harm: each is refused with an error of ours that names it, and nothing of it is run.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { load } from 'glassformer';
import { GlassformerError } from '../../src/js/errors.js';
import { openBytes } from '../../src/js/formats/file-bytes.js';
import { openTorch } from '../../src/js/formats/torch-file.js';
import {
  filesOf,
  global,
  int,
  pickleOf,
  storage,
  text,
  tuple,
  writeLegacy,
  writeTorch,
  zipOf,
} from './torch-writer.js';

const floats = Buffer.from(Float32Array.from({ length: 12 }, (_, i) => i).buffer);
const TENSORS = new Map(
  Object.entries({
    a: { bytes: floats, shape: [3, 4] },
    b: { key: 'one', bytes: floats, shape: [4, 3], strides: [1, 4] },
    c: { key: 'one', bytes: floats, shape: [2], offset: 7, isParameter: true },
  }),
);
const good = writeTorch(TENSORS);
const pickle = pickleOf(TENSORS);
const op = (/** @type {number[]} */ ...codes) => Buffer.from(codes);
const join = (/** @type {(string | Uint8Array)[]} */ ...parts) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)));

/** Opens it and reads all that it has. @param {Uint8Array} file @returns {Promise<any>} the error; null: it was read */
async function attempt(file) {
  const before = process.memoryUsage().arrayBuffers;
  try {
    const opened = await openTorch(await openBytes(file, 'file'), file.subarray(0, 40), { onProgress() {} });
    for (const [name, { shape }] of opened.tensors) {
      const count = shape.reduce((product, size) => product * size, 1);
      assert.equal((await opened.read(name)).length, count);
    }
    return null;
  } catch (error) {
    assert(error instanceof GlassformerError, /** @type {any} */ (error).stack);
    assert(error.message.length < 500, error.message);
    return error;
  } finally {
    assert(process.memoryUsage().arrayBuffers - before < 64e6, 'memory');
  }
}

/** In place of the pickle. @param {(string | Uint8Array)[]} parts */
const withPickle = (...parts) => zipOf(filesOf(TENSORS, join(op(0x80, 2), ...parts)));
/** A dictionary of one value. @param {(string | Uint8Array)[]} parts */
const withValue = (...parts) => withPickle('}', text('a'), ...parts, 's.');
/** A tensor of 12 floats. @param {number[]} shape @param {number[]} strides @param {number} [offset] */
const view = (shape, strides, offset = 0) => writeTorch(new Map([['a', { bytes: floats, shape, strides, offset }]]));
const rebuild = global('torch._utils', '_rebuild_tensor_v2');
const held = storage('0', { bytes: floats, shape: [12] });

const FOREIGN = ['os.system', 'posix.system', 'builtins.eval', 'builtins.exec', '__builtin__.getattr', 'torch.load'];
FOREIGN.push(
  'subprocess.Popen',
  'torch.FloatTensor',
  'torch._utils._rebuild_tensor_v3',
  'numpy.core.multiarray.scalar',
);
FOREIGN.push('collections.defaultdict', 'torch.toString', 'torch.__proto__', 'torch.constructor', 'torch.QInt8Storage');
FOREIGN.push('transformers.training_args.TrainingArguments', 'torch.nn.modules.linear.Linear', 'webbrowser.open');

/** @type {[string, Uint8Array, RegExp][]} */
const PICKLES = [
  ...FOREIGN.flatMap((name) => {
    const [, module, last] = /** @type {RegExpExecArray} */ (/^(.*)\.(.*?)$/.exec(name));
    const named = new RegExp(`names "${name.replaceAll('.', '\\.')}": only tensors are read; nothing`);
    const call = [global(module, last), tuple(text('echo')), 'R'];
    return /** @type {[string, Uint8Array, RegExp][]} */ ([
      [`calls ${name}`, withPickle(...call, '.'), named],
      [`${name} for a tensor`, withValue(...call), named],
      [
        `${name} in a file of PyTorch 1.5`,
        join(writeLegacy(TENSORS).subarray(0, 15), op(0x80, 2), ...call, '.'),
        named,
      ],
    ]);
  }),
  ['an object', withValue(global('collections', 'OrderedDict'), ')', op(0x81)), /makes an object of "collections/],
  ['an object of no class', withValue('N)', op(0x81)), /makes an object of no class/],
  ['the state of an object', withValue('N}b'), /fills what is no dict/],
  ['the state of a dict, set', withPickle('}Nb.'), /sets the state of an object/],
  ['protocol 0', withPickle('(dp0\n.'), /operation 0x64 of pickles at byte 3/],
  ['protocol 4', zipOf(filesOf(TENSORS, join(op(0x80, 4), '}.'))), /protocol 4 of pickles/],
  ...[
    0x63, 0x69, 0x6f, 0x82, 0x83, 0x84, 0x92, 0x93, 0x95, 0x50, 0x49, 0x53, 0x42, 0x8b, 0x30, 0x31, 0x32, 0xff, 0,
  ].map(
    (code) =>
      /** @type {[string, Uint8Array, RegExp]} */ ([
        `operation ${code}`,
        withPickle(op(code), op(1, 0, 0, 0), '.'),
        code === 0x63
          ? /name without end|no UTF-8/
          : new RegExp(`operation 0x${code.toString(16).padStart(2, '0')} of`),
      ]),
  ),
  ['a value that is not there', withPickle('.'), /takes a value that is not there/],
  ['a value below a mark', withPickle('}(.'), /takes a value that is not there/],
  ['a mark that is not there', withPickle('t.'), /a mark that is not there/],
  ['a memo that is not there', withPickle('h', op(9), '.'), /recalls a value that is not there/],
  ['values left over', withPickle('}}.'), /left over/],
  ['no end', withPickle('}'), /ends early/],
  ['a text beyond the end', withPickle('X', op(255, 255, 255, 255), 'a.'), /ends early/],
  ['a text that is no text', withPickle('X', op(1, 0, 0, 0, 255), '.'), /no UTF-8/],
  ['a name of 300 letters', withPickle('c', 'x'.repeat(300), '\ny\n.'), /a name without end/],
  ['a number beyond 2^53', withPickle(op(0x8a, 8), op(255, 255, 255, 255, 255, 255, 255, 127), '.'), /beyond 2\^53/],
  ['a number of 255 bytes', withPickle(op(0x8a, 255), Buffer.alloc(255, 1), '.'), /beyond 2\^53/],
  ['a dict as key', withPickle('}}Ns.'), /a key that is no text/],
  ['a key without value', withPickle('}(', text('a'), 'u.'), /a key without a value/],
  ['a call of a text', withPickle(text('os.system'), ')R.'), /calls what is no function/],
  ['a call of a storage class', withValue(global('torch', 'FloatStorage'), ')R'), /calls "FloatStorage" in a way/],
  ['a dict of something', withValue(global('collections', 'OrderedDict'), tuple(int(1)), 'R'), /OrderedDict" in a way/],
  ['a parameter of no tensor', withValue(global('torch._utils', '_rebuild_parameter'), tuple(int(1)), 'R'), /in a way/],
  ['a tensor of no storage', withValue(rebuild, tuple(int(1), int(0), tuple(), tuple()), 'R'), /never does/],
  [
    'a tensor of a shape of text',
    withValue(rebuild, tuple(held, int(0), tuple(text('3')), tuple(int(1))), 'R'),
    /in a way/,
  ],
  ['more axes than strides', withValue(rebuild, tuple(held, int(0), tuple(int(3)), tuple()), 'R'), /in a way/],
  ['65 axes', view(Array(65).fill(1), Array(65).fill(1)), /in a way/],
  ['another persistent id', withPickle(tuple(text('module'), int(1)), 'Q.'), /describes a storage in a way/],
  [
    'a storage that is a part of another',
    withValue(storage('0', { bytes: floats, shape: [] }, tuple(int(1)))),
    /in a way/,
  ],
  ['a number', withPickle(int(7), '.'), /is no dictionary of tensors/],
  ['a tuple', withPickle(')', '.'), /is no dictionary of tensors/],
  ['a number beside tensors', withValue(int(7)), /holds "a", which is not a tensor/],
  ['a storage beside tensors', withValue(held), /holds "a", which is not a tensor/],
  ['a dict in itself', withPickle('}q', op(0), text('a'), 'h', op(0), 's.'), /holds "a", which is not a tensor/],
  ['a list in itself', withValue(']q', op(0), 'h', op(0), 'a'), /holds "a", which is not a tensor/],
  ['a key __proto__', withPickle('}', text('__proto__'), int(1), 's.'), /holds "__proto__", which is not/],
  ['2 million values', withPickle('N'.repeat(2e6), '.'), /more than 1048576 operations/],
  ['2 million dicts', withPickle('}'.repeat(2e6), '.'), /more than 65536 dicts and lists/],
  ['70,000 lists', withPickle(']'.repeat(7e4), '.'), /more than 65536 dicts and lists/],
  [
    '70,000 ordered dicts',
    withPickle(global('collections', 'OrderedDict'), 'q\0', 'h\0)R'.repeat(7e4), '.'),
    /more than 65536 dicts and lists/,
  ],
  ['a million tuples in each other', withPickle('N', op(0x85).toString('latin1').repeat(1e6), '.'), /no dictionary/],
  ['tuples of 2^64 in all', withPickle('N', 'q\0h\0\x86'.repeat(64), '.'), /no dictionary/],
  [
    'storages of 2^40 names, before PyTorch 1.6',
    writeLegacy(TENSORS, Buffer.from(`])${'q\0h\0\x86'.repeat(40)}a`, 'latin1')),
    /a storage that no tensor uses/,
  ],
  ['offset beyond the storage', view([1], [1], 12), /reaches beyond its storage/],
  ['offset of 2^53', view([1], [1], 2 ** 53 - 1), /reaches beyond its storage/],
  ['offset below 0', view([1], [1], -1), /never does/],
  ['strides beyond the storage', view([3, 4], [4, 2]), /reaches beyond its storage/],
  ['strides of 2^52', view([3, 4], [2 ** 52, 1]), /reaches beyond its storage/],
  ['strides below 0', view([12], [-1], 11), /in a way/],
  ['shape beyond the storage', view([13], [1]), /reaches beyond its storage/],
  ['shape below 0', view([-3, -4], [4, 1]), /in a way/],
  ['one number for a billion', view([2 ** 30], [0]), /repeats the numbers/],
  ['rows that overlap', view([6, 4], [1, 1]), /repeats the numbers/],
  ['2^62 numbers', view([2 ** 31, 2 ** 31], [0, 0]), /product beyond/],
];

for (const [name, file, message] of PICKLES) {
  test(`refused: ${name}`, async () => assert.match((await attempt(file))?.message ?? 'it was read', message));
}

/** The file with other numbers, from its end or beginning. @param {[number, number, number][]} changes */
function changed(changes, file = good) {
  const copy = Buffer.from(file);
  for (const [at, value, size] of changes) copy.writeUIntLE(value, at < 0 ? copy.length + at : at, size);
  return copy;
}
const central = good.indexOf('PK\x01\x02');
const long = writeTorch(TENSORS, { zip64: true });
const lacking = (/** @type {string} */ name) => zipOf(filesOf(TENSORS).filter(([each]) => !each.endsWith(name)));
const data = (/** @type {Uint8Array} */ bytes) =>
  zipOf(filesOf(TENSORS).map(([name, own]) => [name, name.endsWith('/one') ? bytes : own]));

/** @type {[string, Uint8Array, RegExp][]} */
const ZIPS = [
  ['compressed', writeTorch(TENSORS, { method: 8 }), /is compressed \(method 8\)/],
  ['encrypted', writeTorch(TENSORS, { flags: 0x0809 }), /is encrypted/],
  ['no pickle', lacking('data.pkl'), /without the data.pkl/],
  ['two pickles', zipOf([...filesOf(TENSORS), ['other/data.pkl', pickle]]), /without the data.pkl/],
  ['a name twice', zipOf([...filesOf(TENSORS), ['archive/data/0', floats]]), /has "archive\/data\/0" twice/],
  ['no storage', lacking('/one'), /lacks the numbers of storage "one"/],
  ['a storage that is too short', data(floats.subarray(4)), /storage "one" must have 48 bytes, got 44/],
  ['a storage that is too long', data(Buffer.alloc(52)), /storage "one" must have 48 bytes, got 52/],
  ['a pickle of 17 MB', zipOf(filesOf(TENSORS, Buffer.alloc(17e6, 'N'))), /data.pkl must have at most/],
  [
    'big-endian',
    zipOf(filesOf(TENSORS).map(([n, b]) => [n, n.endsWith('order') ? Buffer.from('big') : b])),
    /big-endian/,
  ],
  ['more entries than there are', changed([[-12, 999, 2]]), /directory of the zip is damaged/],
  ['a directory beyond the end', changed([[-6, 2 ** 31, 4]]), /lies beyond its end/],
  ['a directory of 4 GB', changed([[-10, 2 ** 32 - 1, 4]]), /at most 16777216 bytes/],
  ['a name beyond the directory', changed([[central + 28, 65535, 2]]), /is damaged/],
  ['two sizes', changed([[central + 20, 1, 4]]), /two sizes/],
  ['an entry over others', changed([[central + 20, 2000, 4], [central + 24, 2000, 4]]), /overlap/], // prettier-ignore
  ['an entry elsewhere', changed([[central + 42, 3, 4]]), /has no header at byte/],
  ['an entry beyond the end', changed([[central + 42, 2 ** 31, 4]]), /overlap/],
  ['a local header that is longer', changed([[28, 60000, 2]]), /reaches into the next one/],
  ['two entries for the same bytes', changed([[good.lastIndexOf('PK\x01\x02') + 42, 0, 4]]), /overlap/],
  ['a directory of 64 bits elsewhere', changed([[-34, 7, 6]], long), /has no directory at byte/],
  ['a directory of 64 bits beyond the end', changed([[-34, 2 ** 47, 6]], long), /lies beyond its end/],
  ['2^48 entries', changed([[-66, 2 ** 47, 6]], long), /is damaged/],
  ['a size of 64 bits that lacks', changed([[long.indexOf('PK\x01\x02') + 46 + 16 + 2, 8, 2]], long), /lacks a size/],
  ['text behind it', Buffer.concat([good, Buffer.from('more')]), /no directory at its end/],
  ['no zip', Buffer.from('PK is how it begins, and nothing else'), /no directory at its end/],
  ['a pickle alone', pickle, /torch.save did not write/],
];

for (const [name, file, message] of ZIPS) {
  test(`refused zip: ${name}`, async () => assert.match((await attempt(file))?.message ?? 'it was read', message));
}

const legacy = writeLegacy(TENSORS);
const DATA = legacy.length - 2 * (8 + floats.length);
const keysOf = (/** @type {string[]} */ ...names) => join('](', ...names.map(text), 'e');
/** The same before PyTorch 1.6, with a byte changed. @param {number} at @param {number} byte */
const old = (at, byte) => Buffer.from(legacy.with(at, byte));
/** @type {[string, Buffer, RegExp][]} */
const LEGACY = [
  [
    'another version',
    old(legacy.indexOf('M\xe9\x03', 'latin1') + 1, 0xea),
    /a version of torch\.save that is not read/,
  ],
  ['big-endian', old(legacy.indexOf('little_endian') + 'little_endian'.length, 0x89), /a version of torch\.save/],
  ['a count of more', old(DATA, 13), /storage "?0"? has another size than its tensors say/],
  ['a count of 2^32 more', old(DATA + 8 + floats.length + 4, 1), /storage "?one"? has another size/],
  ['a byte that lacks', legacy.subarray(0, -1), /is cut short: storage "?one"? ends at byte/],
  ['no list', writeLegacy(TENSORS, Buffer.from('N')), /no list of storages/],
  ['a storage of nobody', writeLegacy(TENSORS, keysOf('0', 'one', 'two')), /a storage that no tensor uses/],
  ['a storage by a number', writeLegacy(TENSORS, join('](', int(0), 'e')), /a storage that no tensor uses/],
  ['a storage twice', writeLegacy(TENSORS, keysOf('0', '0')), /is cut short/],
  ['a storage that lacks', writeLegacy(TENSORS, keysOf('0')), /lacks the numbers of storage "?one"?/],
];

test('refused before PyTorch 1.6: by its reason', async () => {
  assert.equal(await attempt(legacy), null);
  for (const [name, file, message] of LEGACY)
    assert.match((await attempt(file))?.message ?? 'it was read', message, name);
});

test('cut anywhere, each is refused', async () => {
  for (let i = 1; i < 200; i++) {
    assert(await attempt(good.subarray(0, Math.floor((good.length * i) / 200)) ), String(i)); // prettier-ignore
    assert(await attempt(legacy.subarray(0, Math.max(8, Math.floor((legacy.length * i) / 200)))), String(i));
    const short = pickle.subarray(0, Math.floor((pickle.length * i) / 200));
    assert(await attempt(zipOf(filesOf(TENSORS, short))), String(i));
  }
});

test('with any bytes changed, each is read or refused with an error of ours', async () => {
  const codes = fc.constantFrom(...Buffer.from('(.0}]){NRbcQtqrhjJKMXGsuae'), 0x80, 0x85, 0x8a, 0xff, 0);
  const edits = fc.array(fc.tuple(fc.nat(), fc.oneof(codes, fc.nat(255))), { minLength: 1, maxLength: 4 });
  let refused = 0;
  const property = fc.asyncProperty(fc.constantFrom(0, 1, 2, 3), edits, async (which, changes) => {
    const file = Buffer.from([good, long, legacy, pickle][which]);
    for (const [at, byte] of changes) file[(which < 3 ? 2 : 0) + (at % (file.length - 2))] = byte;
    const error = await attempt(which < 3 ? file : zipOf(filesOf(TENSORS, file)));
    refused += Number(error !== null);
  });
  await fc.assert(property, { numRuns: 600 });
  assert(refused > 200, `${refused} refused`);
});

// ---- few numbers that stand for many

const WIDTH = 64;
const gf = await load({ variant: 'simd' });
/** The weights of a GPT-2 with so many layers, by name with their shapes. @param {number} layers */
const shapesOf = (layers, C = WIDTH) =>
  /** @type {[string, number[]][]} */ ([
    ...[
      ['wte.weight', [40, C]],
      ['wpe.weight', [16, C]],
      ['ln_f.weight', [C]],
      ['ln_f.bias', [C]],
    ],
    ...Array.from({ length: layers }, (_, i) =>
      Object.entries({
        'ln_1.weight': [C],
        'ln_1.bias': [C],
        'ln_2.weight': [C],
        'ln_2.bias': [C],
        'attn.c_attn.weight': [C, 3 * C],
        'attn.c_attn.bias': [3 * C],
        'attn.c_proj.weight': [C, C],
        'attn.c_proj.bias': [C],
        'mlp.c_fc.weight': [C, 4 * C],
        'mlp.c_fc.bias': [4 * C],
        'mlp.c_proj.weight': [4 * C, C],
        'mlp.c_proj.bias': [C],
      }).map(([name, shape]) => [`h.${i}.${name}`, shape]),
    ).flat(),
  ]);
/** @param {number} layers @param {object} [more] */
const configOf = (layers, more) => ({
  model_type: 'gpt2',
  vocab_size: 40,
  n_positions: 16,
  n_embd: WIDTH,
  n_layer: layers,
  n_head: 4,
  ...more,
});
const sizeOf = (/** @type {number[]} */ shape) => shape.reduce((product, size) => product * size, 1);

/**
 * Tensors of floats, each in a storage as `keyOf` names it.
 * @param {[string, number[]][]} shapes @param {(name: string) => string} keyOf
 */
function sharing(shapes, keyOf) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const [name, shape] of shapes) counts.set(keyOf(name), Math.max(counts.get(keyOf(name)) ?? 0, sizeOf(shape)));
  const storages = new Map([...counts].map(([key, count]) => [key, Buffer.alloc(4 * count, 1)]));
  const saved = shapes.map(([name, shape]) => [name, { key: keyOf(name), bytes: storages.get(keyOf(name)), shape }]);
  return new Map(/** @type {any} */ (saved));
}

/** @param {Uint8Array} file @param {object} config */
async function opening(file, config) {
  const before = gf.memoryBytes;
  try {
    const { model } = await gf.loadModel({ config, weights: new Blob([/** @type {any} */ (file)]) });
    model.free();
    return null;
  } catch (error) {
    assert.equal(gf.memoryBytes, before, 'refused before memory is taken');
    return /** @type {any} */ (error);
  }
}

const table = /** @type {[string, number[]]} */ (['lm_head.weight', [40, WIDTH]]);
const tied = (/** @type {string} */ name) => (name === 'lm_head.weight' ? 'wte.weight' : name);

test('tensors that share a storage as real files have them are read', async () => {
  const shapes = shapesOf(2);
  /** @type {[string, [string, number[]][], (name: string) => string, object?][]} */
  const cases = [
    ['a tied table', [...shapes, table], tied],
    ['a tied table that config.json calls two', [...shapes, table], tied, { tie_word_embeddings: false }],
    ['all biases of a width', shapes, (name) => (name.endsWith('bias') ? `bias${/c_(attn|fc)/.exec(name)}` : name)],
    ['two layers that are one', shapes, (name) => name.replace('h.1.', 'h.0.')],
  ];
  for (const [what, given, keyOf, more] of cases) {
    for (const write of [writeTorch, writeLegacy]) {
      assert.equal((await opening(write(sharing(given, keyOf)), configOf(2, more)))?.message, undefined, what);
    }
  }
});

test('a storage that stands for many weights is refused by name and numbers, before memory is taken', async () => {
  const layers = 12;
  /** @type {[string, (name: string) => string][]} */
  const cases = [
    ['all in one', () => 'all'],
    ['all layers are one', (name) => name.replace(/^h\.\d+/, 'h.0')],
    ['all matrices are one', (name) => (/c_\w+\.weight/.test(name) ? 'matrix' : name)],
  ];
  for (const [what, keyOf] of cases) {
    const saved = sharing(shapesOf(layers), keyOf);
    for (const file of [writeTorch(saved), writeLegacy(saved)]) {
      const { code, parameter, message } = (await opening(file, configOf(layers))) ?? assert.fail(`${what}: it opened`);
      assert.equal(code, 'format', what);
      assert.ok(saved.has(parameter), parameter);
      assert.match(
        message,
        /shares its storage with \d+ other tensors: of the \d+ numbers .* would take 6\d\d\d\d\d and/,
      );
      assert.ok(message.length < 500);
    }
  }
});

test('small tensors that each reach over the whole of a large storage are refused', async () => {
  const shapes = shapesOf(12);
  const bytes = Buffer.alloc(4 * 6e5);
  const wide = (/** @type {number[]} */ shape) => [Math.floor(6e5 / (shape[0] + 1)), ...shape.slice(1).map(() => 1)];
  const saved = new Map(shapes.map(([name, shape]) => [name, { key: 'all', bytes, shape, strides: wide(shape) }]));
  const { message } = (await opening(writeTorch(saved), configOf(12))) ?? assert.fail('it opened');
  assert.match(message, /the model would take \d+ and read \d{8}\. At most 2 and 4 times as many are allowed/);
});

test('buffers that the model does not need may share as they like', async () => {
  const masks = /** @type {[string, number[]][]} */ (
    Array.from({ length: 12 }, (_, i) => [`h.${i}.attn.bias`, [1, 1, 300, 300]])
  );
  const saved = sharing([...shapesOf(12), ...masks], (name) => (name.endsWith('attn.bias') ? 'mask' : name));
  assert.equal((await opening(writeTorch(saved), configOf(12)))?.message, undefined);
});
