// Models by name that a stranger chose: names, revisions, mirrors, redirects, answers, JSON, headers and pickles made
// to do harm. Each is refused with what is wrong, asks nobody else, runs nothing, takes no memory; one in ten is good.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GlassformerError, load } from 'glassformer';
import { HUB, STORE, filesIn, pointer } from '../hub.js';
import { filesOf, global, pickleOf, savedOf, text, tuple, writeLegacy, writeTorch, zipOf } from '../js/torch-writer.js';
import { entriesOf } from '../safetensors.js';
import { generator } from './files.js';

export const about = 'a name, mirror, redirect, answer, JSON file, header or pickle made to do harm, opened by name';
export const long = 30_000;

process.env.XDG_CACHE_HOME = '/dev/null'; // nothing is kept

/** @typedef {import('./files.js').Below} Below */
/**
 * `files`: of the model; `answer`: what is answered in place of a file, where it is one; `why`: null for a good one.
 * @typedef {object} Case
 * @property {RegExp | null} why
 * @property {string} [name]
 * @property {object} [options]
 * @property {Record<string, Buffer>} [files]
 * @property {(file: string, address: string) => Response | undefined} [answer]
 */

const NAME = 'hub:test/gpt2-2l';
const GOOD = filesIn(new URL('../checkpoints/gpt2-2l/', import.meta.url));
const { 'model.safetensors': WEIGHTS, ...OTHERS } = GOOD;
const SAVED = savedOf(WEIGHTS);
const TENSORS = [...SAVED.keys()].filter((name) => name.endsWith('weight')); // all of these are needed
const PICKLE = pickleOf(SAVED);
const HEADER = JSON.parse(WEIGHTS.toString('utf8', 8, 8 + Number(WEIGHTS.readBigUInt64LE(0))));
const COMMIT = 'c'.repeat(40);
/** Below the hub and its stores, a file of a model at a revision. */
const ADDRESS =
  /^https:\/\/(?:huggingface\.co|(?:[\w-]+\.)+hf\.co)\/[^/]+\/[^/]+\/resolve\/[^/]+\/([\w.-]+)(?:\?\S*)?$/;
const RAN = join(tmpdir(), `glassformer-ran-${process.pid}`);
/** Hang guard, and what opening may take: a fixed part and a multiple of the files' bytes. */
const LONGEST = 20_000;
const [FIXED, TIMES] = [2 ** 24, 8];

/** @template T @param {Below} below @param {readonly T[]} list @returns {T} */
const one = (below, list) => list[below(list.length)];
/** @param {Below} below */
const word = (below) => one(below, ['a', 'evil', 'x-1', 'huggingface', 'hf', `w${below(1e6)}`]);
/** @param {Below} below @param {string} whole @param {string} part */
const inserted = (below, whole, part) => {
  const at = below(whole.length + 1);
  return whole.slice(0, at) + part + whole.slice(at);
};

const BAD = [...' \\?#@:\0\n\té\u202e\ud800&~*$`<"\';|[]^\u200b'].concat('..', '%2e', '%2F', '%00', '🙂', '$(id)');

/** @param {Below} below @returns {Case} */
function name(below) {
  const title = one(below, [
    () => inserted(below, 'test/gpt2-2l', one(below, [...BAD, '/', '//', '--'])),
    () => one(below, ['.', '-', '/']) + 'test/gpt2-2l',
    () => 'test/gpt2-2l' + one(below, ['.', '-', '/']),
    () => `${'x'.repeat(97 + below(1e5))}/gpt2`,
    () => `test/${'x'.repeat(97 + below(1e5))}`,
    () => one(below, ['', '/', 'gpt2', 'a/b/c', 'https://evil.example/a', '//evil.example/a', '../a', 'a/..']),
  ])();
  return { name: `hub:${title}`, why: /^hub: must be hub:ORG\/NAME, got "/ };
}

/** @param {Below} below @returns {Case} */
function revision(below) {
  const given = one(below, [
    () => inserted(below, 'refs/pr/1', one(below, BAD)),
    () => one(below, ['.', '-', '/', '+']) + 'main',
    () => 'x'.repeat(201 + below(1e5)),
    () => one(below, [7, true, {}, [], new Date(0), () => 'main', 1n, Symbol('main'), '']),
  ])();
  return { options: { revision: given }, why: /^revision: must be a branch, a tag or a commit, got / };
}

/** @param {Below} below @returns {Case} */
function mirror(below) {
  const host = `${word(below)}.example`;
  const schemes = ['file:///', 'javascript:', 'data:,', 'ftp://', 'blob:https://', 'ws://', 'about:', 'hub:', '', '//'];
  const given = one(below, [
    () => one(below, schemes) + host,
    () => `https://${word(below)}:pw@${host}`,
    () => `${one(below, ['http', 'https'])}://${host}/?${word(below)}=1`,
    () => one(below, [7, true, {}, [], () => HUB, 1n, Symbol('hub'), '', ' ', 'https://', 'https://a b', 'http://[']),
  ])();
  return { options: { endpoint: given }, why: /^endpoint: must be the address of a hub/ };
}

/** Addresses that are neither the hub nor its stores. @param {string} w @returns {string[]} */
const elsewhere = (w) => [
  ...[`http://huggingface.co/${w}`, `http://cdn.hf.co/${w}`, `https://huggingface.co:8443/${w}`, `https://hf.co/${w}`],
  ...[`https://huggingface.co.${w}.example/`, `https://${w}hf.co/`, `https://a.hf.co.${w}.example/`, `//${w}.example/`],
  ...[`https://huggingface.co@${w}.example/`, `https://huggingface.co%2e${w}.example/`, `https:/\\${w}.example`],
  ...[`https://127.0.0.1/${w}`, 'http://169.254.169.254/latest', 'https://[::1]/', `\\\\${w}.example\\x`, 'https://'],
  ...[`file:///etc/${w}`, `data:,${w}`, `javascript:${w}`, `ftp://huggingface.co/${w}`, `blob:${HUB}/${w}`, 'http://['],
  `https://${w}.example/huggingface.co`,
];

/** @param {string} location */
const sendTo = (location, status = 302) => new Response(null, { status, headers: { location } });

/** A redirect elsewhere, after some that are as they should be. @param {Below} below @returns {Case} */
function redirect(below) {
  const [asked, hops] = [one(below, Object.keys(GOOD)), below(4)];
  const last = one(below, [...elsewhere(word(below)), 'again']);
  const status = one(below, [301, 302, 303, 307, 308]);
  return {
    answer(file, address) {
      if (file !== asked) return undefined;
      const hop = Number(/hop=(\d+)/.exec(address)?.[1] ?? 0);
      if (hop < hops || last === 'again')
        return sendTo(`${one(below, [STORE, HUB, ''])}/test/gpt2-2l/resolve/main/${file}?hop=${hop + 1}`, status);
      return sendTo(last, status);
    },
    why:
      last === 'again'
        ? /^hub:test\/gpt2-2l: huggingface\.co sent this request on and on$/
        : /^hub:test\/gpt2-2l: huggingface\.co sent this request on to \S{1,120}, which is not trusted$/,
  };
}

/** Pages, pointers, refusals and half a file in place of it. @param {Below} below @returns {Case} */
function answer(below) {
  const asked = one(below, ['config.json', 'model.safetensors']);
  const headers = {
    'x-error-code': one(below, ['GatedRepo', 'RevisionNotFound', 'RepoNotFound', 'x'.repeat(9000), '__proto__']),
    'x-error-message': one(below, ['', '<script>', 'x'.repeat(1 + below(9000))]),
  };
  const [body, init, why] = /** @type {[any, any, RegExp][]} */ ([
    [
      '',
      { status: 400 + below(200), headers },
      /^(hub:test\/gpt2-2l: (is gated|has no|\S+ (has|ref|ans))|\S+: no file)/,
    ],
    [one(below, ['<!DOCTYPE html>', '  <html lang="en">', '<?xml version="1.0"?>']), {}, /is a page of HTML or XML/],
    [pointer, {}, /is a pointer of Git LFS/],
    ['', {}, /is no JSON|ends after 0 bytes/],
    [GOOD[asked].subarray(0, 1 + below(GOOD[asked].length - 2)), {}, /is no JSON|ends after|another count/],
  ])[below(5)];
  return { answer: (file) => (file === asked ? new Response(body, init) : undefined), why };
}

/** Values that JSON does not allow. */
const FIRST = [
  ',',
  'NaN,',
  "'a':1,",
  '"a":undefined,',
  '"a":01,',
  '"a":+1,',
  '/**/',
  '"a":0x1,',
  '"a":.5,',
  '"a":[,],',
];
FIRST.push('"\\x":1,', '"a":Infinity,', '"a" 1,', '"a":"\n",', '"a":1n,', '"a":{"b"},', '[]', '"a":"\\ud8",');
const LAST = [',', '{}', '\0', ']', 'x', '}', '[', '"', ';'];
/** The settings of a GPT-2 that must be whole numbers. */
const SETTINGS = ['n_embd', 'n_head', 'n_layer', 'vocab_size', 'n_positions'];

/** @param {Below} below @returns {Case} */
function json(below) {
  const file = one(below, ['config.json', 'tokenizer.json', 'generation_config.json']);
  const said = String(GOOD[file] ?? '{"eos_token_id": 1}').trim();
  const [bytes, why] = /** @type {(() => [string | Buffer, RegExp])[]} */ ([
    () => [said.slice(0, 1 + below(said.length - 1)), /is no JSON: /],
    () => [`{${one(below, FIRST)}${said.slice(1)}`, /is no JSON: /],
    () => [said + one(below, LAST), /is no JSON: /],
    () => [`{"a":${one(below, ['[', '{"a":', '[[{"a":'])}`.repeat(128 + below(5e4)), /is no JSON: nested too deep/],
    () => [one(below, ['[]', 'null', '7', '"x"', 'true', '[{}]', '-0']), /must be an object of JSON/],
    () => [Buffer.from(said).fill(255, below(said.length)), /is no JSON: /],
  ])[below(6)]();
  return { files: { ...GOOD, [file]: Buffer.from(bytes) }, why: new RegExp(`^${file}: ${why.source}`) };
}

/** @param {Below} below @returns {Case} */
function setting(below) {
  const config = JSON.parse(String(GOOD['config.json']));
  const key = one(below, [...SETTINGS, 'model_type']);
  const odd = [-1, 0, 1.5, '12', [], {}, [8], true, 2 ** 53, 1e300, -(2 ** 31), '__proto__', 'constructor', 'falcon'];
  config[key] = one(below, odd);
  const files = { ...GOOD, 'config.json': Buffer.from(JSON.stringify(config)) };
  return { files, why: new RegExp(`^config.${key}: `) };
}

/** Other files than those of the folder, in the index of the weights. @param {Below} below @returns {Case} */
function index(below) {
  const ending = one(below, ['safetensors', 'bin']);
  const bad = ['../x', '/etc/x', 'https://evil.example/x', 'a/b', 'a\\b', '%2e%2e%2fx', 'x?', 'x#', '\0', 'é', ' '];
  const names = [
    ...bad.map((each) => `${each}.${ending}`),
    'x.txt',
    `x.${ending}/`,
    `x.${ending}\n`,
    '',
    7,
    null,
    {},
    [],
  ];
  const map = Object.fromEntries(TENSORS.slice(0, 1 + below(4)).map((tensor) => [tensor, `x.${ending}`]));
  map[one(below, TENSORS)] = /** @type {any} */ (one(below, names));
  const said = { weight_map: one(below, [map, map, map, map, [], {}, null, 7, 'x', ['x']]) };
  const file = `${ending === 'bin' ? 'pytorch_model.bin' : 'model.safetensors'}.index.json`;
  return {
    files: { ...OTHERS, [file]: Buffer.from(JSON.stringify(said)) },
    why: new RegExp(`^${file}: weight_map must name files by their tensors`),
  };
}

/** A safetensors file whose header lies of one tensor. @param {Below} below @returns {Case} */
function header(below) {
  const tensor = one(below, TENSORS);
  const entries = [
    ...[{ shape: [2 ** 31, 2 ** 31] }, { shape: [-1, 8] }, { shape: [1.5] }, { shape: ['8'] }, { shape: null }],
    ...[{ data_offsets: [-8, 0] }, { data_offsets: [0.5, 8.5] }, { data_offsets: [0] }, { data_offsets: null }],
    ...[
      { dtype: 'F4' },
      { dtype: '__proto__' },
      { dtype: null },
      { shape: [below(2 ** 31)] },
      { data_offsets: [9, 3] },
    ],
  ];
  const said = { ...HEADER, [tensor]: { ...HEADER[tensor], ...one(below, entries) } };
  const length = Buffer.alloc(8);
  const written = Buffer.from(JSON.stringify(said));
  length.writeBigUInt64LE(BigInt(written.length));
  const body = Buffer.concat(entriesOf(WEIGHTS).map(([, { bytes }]) => bytes));
  const file = Buffer.concat([length, written, body]);
  return { files: { ...OTHERS, 'model.safetensors': file }, why: new RegExp(`^${tensor.replaceAll('.', '\\.')}: `) };
}

const MODULES = [
  'os',
  'posix',
  'subprocess',
  'builtins',
  '__builtin__',
  'sys',
  'runpy',
  'ctypes',
  'torch',
  'torch.hub',
];
MODULES.push('torch._utils', 'torch.storage', 'numpy', 'collections', 'operator', 'functools', 'pty', 'é', '__proto__');
const CALLS = ['system', 'eval', 'exec', '__import__', 'getattr', 'load', 'run', 'Popen', 'partial', 'defaultdict', ''];
CALLS.push('_rebuild_tensor', '_rebuild_tensor_v2.__globals__', 'toString', 'constructor', '__proto__', 'spawn');
/** Operations of pickles that no tensor needs. */
const FOREIGN = [
  0x69, 0x6f, 0x82, 0x83, 0x84, 0x92, 0x93, 0x95, 0x50, 0x49, 0x53, 0x42, 0x8b, 0x30, 0x31, 0x32, 0xff, 0,
];

/** @param {Below} below @returns {Case} */
function pickle(below) {
  const tensor = one(below, TENSORS);
  const saved = /** @type {any} */ (SAVED.get(tensor));
  const place = `archive/data/${[...SAVED.keys()].indexOf(tensor)}`;
  /** Something in front of what the pickle says of that tensor. @param {Buffer} piece */
  const before = (piece) => {
    const at = one(below, [2, PICKLE.indexOf(text(tensor)), PICKLE.length - 1]);
    return zipOf(filesOf(SAVED, Buffer.concat([PICKLE.subarray(0, at), piece, PICKLE.subarray(at)])));
  };
  const lying = (/** @type {object} */ lie) => writeTorch(new Map([...SAVED, [tensor, { ...saved, ...lie }]]));
  const named = new RegExp(`^${tensor.replaceAll('.', '\\.')}: `);
  const [file, why] = /** @type {(() => [Buffer, RegExp])[]} */ ([
    () => {
      const [module, call] = [one(below, MODULES), one(below, CALLS)];
      const made = Buffer.concat([global(module, call), tuple(text(`touch ${RAN}`)), Buffer.from('R')]);
      const end = /only tensors are read; nothing in the file was run$/.source;
      return [before(made), new RegExp(`^file: names ${JSON.stringify(`${module}.${call}`)}: ${end}`)];
    },
    () => [
      before(Buffer.from([one(below, FOREIGN), 1, 0, 0, 0])),
      /^file: uses operation 0x.. of pickles at byte \d+: only/,
    ],
    () => [zipOf(filesOf(SAVED, PICKLE.subarray(0, 1 + below(PICKLE.length - 1)))), /^file: its pickle /],
    () => [lying({ offset: 1 + below(2 ** 53 - 2) }), /reaches beyond its storage/],
    () => [lying({ shape: [2 + below(2 ** 20), saved.bytes.length], strides: [0, 1] }), named],
    () => [lying({ shape: [2 ** 31, 2 ** 31], strides: [0, 0] }), named],
    () => [lying({ shape: [-8, -8], strides: [8, 1] }), /in a way that torch.save never does/],
    () => [writeTorch(SAVED, { method: 1 + below(99) }), /^file: ".*" in the zip is compressed \(method \d+\)/],
    () => [writeTorch(SAVED, { flags: 0x809 }), /^file: ".*" in the zip is encrypted/],
    () => [zipOf(filesOf(SAVED).filter((_, i) => i > 0)), /without the data.pkl of PyTorch/],
    () => [zipOf(filesOf(SAVED).filter(([each]) => each !== place)), /^file: lacks the numbers of storage "\d+"/],
    () => [cut(below, writeTorch(SAVED)), /^file: /],
    () => [cut(below, writeLegacy(SAVED)), /^file: /],
  ])[below(13)]();
  return { files: { ...OTHERS, 'pytorch_model.bin': file }, why };
}

/** @param {Below} below @param {Buffer} file */
const cut = (below, file) => file.subarray(0, 100 + below(file.length - 101));

/** @param {Below} below @returns {Case} */
function good(below) {
  const store = `https://${one(below, ['cdn-lfs', 'us.aws.cdn', 'cas-bridge.xethub', `${word(below)}.a`])}.hf.co`;
  const revisions = ['main', 'refs/pr/1', 'v1.0', '0'.repeat(40), 'a+b/c-d_e'];
  const names = ['test/gpt2-2l', 'a/b', '0/_', `${'x'.repeat(96)}/a.b-c_d`];
  const headers = { 'x-repo-commit': one(below, ['../../evil', '', 'C'.repeat(40), `${COMMIT}/..`]) };
  return {
    why: null,
    ...one(below, [
      { options: { revision: one(below, revisions) }, name: `hub:${one(below, names)}` },
      { files: { ...OTHERS, 'pytorch_model.bin': one(below, [writeTorch, writeLegacy])(SAVED) } },
      {
        answer: (/** @type {string} */ file) =>
          Object.hasOwn(GOOD, file) ? new Response(new Uint8Array(GOOD[file]), { headers }) : undefined,
      },
      {
        answer: (/** @type {string} */ file, /** @type {string} */ address) =>
          address.startsWith(store) ? undefined : sendTo(`${store}/a/b/resolve/main/${file}`),
      },
    ]),
  };
}

const KINDS = { name, revision, mirror, redirect, answer, json, setting, index, header, pickle };

/** The network's answer. @param {Case} each @param {string} address @param {string} file */
function answerTo({ files = GOOD, answer: own }, address, file) {
  const given = own?.(file, address);
  if (given) return given;
  if (!Object.hasOwn(files, file)) return new Response('Entry not found', { status: 404 });
  const isLarge = /\.(safetensors|bin)$/.test(file);
  if (isLarge && address.startsWith(HUB)) return sendTo(address.replace(HUB, STORE));
  return new Response(new Uint8Array(files[file]), { headers: { 'x-repo-commit': COMMIT } });
}

/** @param {{count: number, seed: number}} options */
export async function run({ count, seed }) {
  const gf = await load({ variant: 'simd' });
  /** @type {Record<string, number>} */
  const refused = {};
  let [opened, slowest, wanted] = [0, 0, ''];
  const { fetch, Worker } = /** @type {any} */ (globalThis);

  /** @param {string} which @param {Case} each */
  async function attempt(which, each) {
    const bytes = Object.values(each.files ?? GOOD).reduce((sum, { length }) => sum + length, 0);
    Object.assign(globalThis, {
      async fetch(/** @type {string} */ address, /** @type {RequestInit} */ init) {
        const [, file] = ADDRESS.exec(address) ?? assert.fail(`${which}: ${address} was asked`);
        assert.deepEqual([init.redirect, init.credentials], ['manual', 'omit'], which);
        return Object.defineProperty(answerTo(each, address, file), 'url', { value: address });
      },
      Worker: class { constructor() { assert.fail(`${which}: a worker was started`); } }, // prettier-ignore
    });
    const [before, start] = [process.memoryUsage().arrayBuffers, performance.now()];
    let found;
    try {
      found = await gf.loadModel(each.name ?? NAME, each.options);
      const { data } = found.model.forward({ ids: [5, 80, 12] }).logits;
      const sees = Buffer.from(data.slice().buffer).toString('hex');
      assert.equal(sees, (wanted ||= sees), `${which}: other numbers`);
      assert.equal(each.why, null, `${which}: it opened`);
      opened++;
    } catch (error) {
      const { message, stack } = /** @type {any} */ (error);
      assert.ok(error instanceof GlassformerError, `${which}: ${stack}`);
      assert.ok(each.why, `${which}: ${stack}`);
      assert.match(message, each.why, which);
      assert.ok(message.length < 500, `${which}: ${stack}`);
    } finally {
      found?.model.free();
    }
    const milliseconds = performance.now() - start;
    slowest = Math.max(slowest, milliseconds);
    assert.ok(milliseconds < LONGEST, `${which}: ${milliseconds} ms`);
    const taken = process.memoryUsage().arrayBuffers - before;
    assert.ok(taken < FIXED + TIMES * bytes, `${which}: ${taken} of ${bytes} bytes`);
  }

  try {
    await attempt('the model as it is', { why: null });
    const memory = gf.memoryBytes;
    for (let i = 0; i < count; i++) {
      const below = generator(seed * 1_000_003 + i);
      const kind = below(10) ? one(below, Object.keys(KINDS)) : '';
      await attempt(
        `seed ${seed}, case ${i}, ${kind}`,
        kind ? KINDS[/** @type {'name'} */ (kind)](below) : good(below),
      );
      if (kind) refused[kind] = (refused[kind] ?? 0) + 1;
      assert.equal(gf.memoryBytes, memory, `seed ${seed}, case ${i}: the engine has grown`);
    }
    assert.ok(!existsSync(RAN), 'a pickle was run');
  } finally {
    Object.assign(globalThis, { fetch, Worker });
    if (!Worker) delete (/** @type {any} */ (globalThis).Worker);
  }
  return { opened, refused, slowest: Math.round(slowest) };
}
