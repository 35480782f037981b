// Every public method, every argument, a table of wrong values: each is refused by a GlassformerError that names the
// argument, and soon; nothing changes. Code of the caller's that runs meanwhile (getters, callbacks) can spoil its own
// call, but reaches no memory beyond the model's.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';

import { GlassformerError, Vocabulary, load, readSafetensors, writeSafetensors } from 'glassformer';
import { openSafetensors } from 'glassformer/checkpoints';
import { loadModel, resumeTrainer, saveModel, saveTrainer } from 'glassformer/core';
import { gradients, operationVjp, vjp } from 'glassformer/derivatives';
import { exportOnnx } from 'glassformer/onnx';
import { refused, same } from './reference.js';
import { perform } from '../operations.js';

const gf = await load({ variant: 'simd' });
const SMALL = { kind: 'decoder', vocabulary: 9, d_model: 4, heads: 2, d_ff: 4, layers: 1, head: 'tied', seed: 1 };
const model = gf.createModel(SMALL);
const trainer = model.trainer();
const vocabulary = new Vocabulary(['a', 'b', 'c', 'd']);
const IDS = [1, 2, 3];
const BATCH = { ids: IDS, labels: IDS };
const OF = 'decoder.layers.0.ffn.out';
const X = [
  [1, 2, 3, 4],
  [5, 6, 7, 8],
];

/** Weights of a layer, by the names that operations have. @param {string} part @param {boolean} [bare] */
const own = (part, bare) => {
  const stem = `decoder.layers.0.${part}`;
  const weights = [...model.weights()].filter(([name]) => name.startsWith(stem));
  return new Map(weights.map(([name, tensor]) => [name.slice((bare ? stem : 'decoder.layers.0.').length), tensor]));
};
const [DECODER, TEXT] = [own(''), { text: 'the creek', pair: 0, special: 0, padding: 0, truncation: 0, maxLength: 0 }];
const FILE = await model.save();
const { model: bert, tokenizer } = /** @type {any} */ (
  await gf.loadModel(new URL('../checkpoints/bert-classes/', import.meta.url).pathname)
);

const HUGE = new Array(2 ** 32 - 1);
const LONG = 'x'.repeat(4_000_000);
/** @type {any[]} */
const self = [];
for (let i = 0; i < 4; i++) self.push(self);
/** Six levels of ten thousand, of one array: 10^24 numbers. */
let wide = new Array(10_000).fill(1);
for (let i = 0; i < 5; i++) wide = new Array(10_000).fill(wide);

/** What no argument is, but for those in TAKEN. @type {Record<string, any>} */
const WRONG = {
  null: null,
  symbol: Symbol('x'),
  NaN,
  bigint: 10n ** 5000n,
  half: 0.5,
  'below 0': -1,
  object: {},
  map: new Map(),
  date: new Date(0),
  promise: Promise.resolve(1),
  function: () => 'x',
  text: 'x',
  'a long text': LONG,
  'too many': HUGE,
  'a list in itself': self,
  'too many in few': wide,
  'no array of numbers': new DataView(new ArrayBuffer(8)),
  'another tag': { [Symbol.toStringTag]: 'Map', size: 2 },
};

/** Operations, by the arguments that they take. @type {Record<string, any>} */
const OPERATIONS = {
  matmul: { a: X, b: X, transposeA: false, transposeB: true, maxOperations: 0 },
  linear: { x: 0, weight: X, bias: [1, 2], maxOperations: 0 },
  transpose: { x: 0 },
  add: { a: X, b: X },
  mul: { a: X, b: X },
  argmax: { x: 0 },
  softmax: { x: 0 },
  logSoftmax: { x: 0 },
  klDivergence: { p: X, q: X },
  dot: { a: X, b: X },
  cosine: { a: X, b: X },
  vectorNorm: { x: 0 },
  layerNorm: { x: 0, weight: 0, bias: 0, epsilon: 0 },
  rmsNorm: { x: 0, weight: 0, epsilon: 0 },
  activation: { x: 0, activation: 'relu' },
  relu: { x: 0 },
  gelu: { x: 0, approximate: 0 },
  embedding: { ids: IDS, table: X, scale: 1 },
  positionalEncoding: { d_model: 4, length: 2, start: 0, positions: 0 },
  rotaryTable: { headWidth: 4, length: 2, start: 0, positions: 0, theta: 0, scaling: 0, factor: 0 },
  rotary: { x: 0, heads: 1, start: 0, interleaved: 0, inverse: 0, lowFrequency: 0, originalLength: 0 },
  attention: { query: X, key: X, value: X, heads: 1, scale: 0, causal: false, keyPadding: 0, maxOperations: 0 },
  multiHeadAttention: { x: 0, heads: 2, weights: own('self_attn.', true), memory: 0, causal: 0, keyPadding: 0 },
  feedForward: { x: 0, weights: own('linear'), activation: 0, maxOperations: 0 },
  encoderLayer: { x: 0, weights: own(''), heads: 2, activation: 0, norm: 0, epsilon: 0, causal: 0, mask: 0 },
  decoderLayer: { x: 0, memory: X, weights: DECODER, heads: 2, norm: 0, keyPadding: 0, memoryKeyPadding: 0 },
  crossEntropy: { logits: X, labels: [0, 1], reduction: 0, ignoreIndex: 0, labelSmoothing: 0 },
  softmaxBackward: { output: X, gradient: X },
  layerNormBackward: { x: 0, gradient: X, weight: 0, epsilon: 0 },
  rmsNormBackward: { x: 0, gradient: X, weight: 0, epsilon: 0 },
  activationBackward: { x: 0, gradient: X, activation: 'relu' },
  attentionBackward: { query: X, key: X, value: X, gradient: X, heads: 1, scale: 0, weights: X.map(() => [0.5, 0.5]) },
  crossEntropyBackward: { logProbabilities: X, labels: [0, 1], reduction: 0, ignoreIndex: 0, labelSmoothing: 0 },
  optimizerStep: { parameters: X, gradients: X, step: 1, optimizer: 0, learningRate: 0, moment1: 0, moment2: 0 },
};
const CHANGES = { capture: 0, patches: 0, ablate: 0, temperature: 0, maxOperations: 0 };
const READING = { ids: 0, padding: 0, mask: 0, logits: 0, ...CHANGES };
const STEP = { ids: 0, labels: 0, padding: 0, mask: 0, maxOperations: 0 };
const POOLED = { ids: 0, typeIds: 0, padding: 0, maxLength: 0, truncation: 0, maxOperations: 0, signal: 0 };
const GENERATED = {
  ids: 0,
  maxTokens: 2,
  temperature: 0,
  topK: 0,
  topP: 0,
  repetitionPenalty: 0,
  logits: 0,
  seed: 0,
  endId: 0,
  stop: 0,
  window: 0,
  cache: 0,
  signal: 0,
  patches: 0,
  ablate: 0,
  maxOperations: 0,
};

/**
 * The good arguments of a call, each of which is replaced in turn; 0: that of GOOD.
 * @type {[string, (given: any, world: any) => unknown, any][]}
 */
const CALLS = [
  ...Object.entries(OPERATIONS).map(
    ([name, args]) => /** @type {any} */ ([`gf.${name}`, (given, { gf }) => perform(gf, name, given), args]),
  ),
  ['gf.tensor', ({ values, shape }, { gf }) => gf.tensor(values, shape), { values: [1, 2], shape: [2] }],
  ['gf.createModel', (given, { gf }) => gf.createModel(given), model.config],
  [
    'gf.loadModel',
    ({ file, ...how }, { gf }) => gf.loadModel(file, how),
    { file: FILE, weights: undefined, signal: 0, onProgress: undefined },
  ],
  ['gf.loadModel', ({ cache }, { gf }) => gf.loadModel('hub:a/b', { cache }), { cache: false }],
  ['model.clone', (given, { model }) => model.clone(given), model.config],
  ['model.forward', (given, { model }) => model.forward(given), READING],
  ['model.forwardBytes', (given, { model }) => model.forwardBytes(given), { ids: 0, capture: 0, logits: 0 }],
  ['model.trace', (given, { model }) => model.trace(given), { ...READING, capture: undefined }],
  ['model.gradients', (given, { model }) => model.gradients(given), { ids: 0, labels: 0, of: 0, maxOperations: 0 }],
  ['model.logitsAt', ({ row }, { model }) => model.logitsAt(row), { row: 0 }],
  ['model.embed', (given, { bert }) => bert.embed(given), { ...POOLED, pooling: 0, normalize: 0 }],
  ['model.classify', (given, { bert }) => bert.classify(given), POOLED],
  ['model.tensor', (given, { model }) => model.tensor(given), { name: 'logits', batch: undefined, row: undefined }],
  ['model.view', ({ name }, { model }) => model.view(name), { name: 0 }],
  ['model.initialize', ({ seed }, { model }) => model.initialize(seed), { seed: 0 }],
  [
    'model.loadWeights',
    ({ weights, ...how }, { model }) => model.loadWeights(weights, how),
    { weights: 0, rename: 0, strict: 0 },
  ],
  ['model.generate', (given, { model }) => model.generate(given), GENERATED],
  [
    'model.generate, looped',
    async (given, { model }) => {
      for await (const { id } of model.generate(given)) assert.ok(id >= 0);
    },
    GENERATED,
  ],
  ['model.generateSync', (given, { model }) => model.generateSync(given), GENERATED],
  [
    'model.save',
    (given, { model }) => model.save(given),
    { format: 0, recipe: 0, vocabulary: 0, metadata: 0, float16: 0 },
  ],
  ['model.trainer', (given, { spare }) => spare.trainer(given), { ...trainer.settings, shards: 1, workers: 0 }],
  ['trainer.step', (given, { trainer }) => trainer.step(given), STEP],
  [
    'trainer.train',
    ({ batches, ...how }, { trainer }) => trainer.train(batches, how),
    { batches: [], onProgress: 0, signal: 0 },
  ],
  ['trainer.loss', (given, { trainer }) => trainer.loss(given), { ids: 0, labels: 0, ...CHANGES }],
  [
    'trainer.gradients',
    (given, { trainer }) => trainer.gradients(given),
    { ids: 0, labels: 0, ...CHANGES, temperature: undefined },
  ],
  ['trainer.restore', (given, { trainer }) => trainer.restore(given), { weights: 0 }],
  ['trainer.resume', (given, { trainer }) => trainer.resume(given), { ...trainer.state() }],
  ['trainer.save', (given, { trainer }) => trainer.save(given), { recipe: 0, vocabulary: 0, metadata: 0 }],
  ['trace.tensor', (given, { trace }) => trace.tensor(given), { name: 'logits', batch: undefined, row: undefined }],
  ['trace.lens', ({ layer }, { trace }) => trace.lens(layer), { layer: 0 }],
  [
    'trace.attribution',
    ({ token, ...how }, { trace }) => trace.attribution(token, how),
    { token: 1, id: 2, against: 3 },
  ],
  [
    'trace.decided',
    ({ token, ...how }, { trace }) => trace.decided(token, how),
    { token: 1, groups: 2, from: 0, signal: 0 },
  ],
  ['tokenizer.encode', ({ text, ...how }) => tokenizer.encode(text, how), TEXT],
  ['tokenizer.decode', ({ ids, ...how }) => tokenizer.decode(ids, how), { ids: IDS, special: 0 }],
  ['tokenizer.decoder', (given) => tokenizer.decoder(given), { special: 0 }],
  ['tokenizer.id', ({ token }) => tokenizer.id(token), { token: 'the' }],
  ['tokenizer.has', ({ token }) => tokenizer.has(token), { token: 'the' }],
  ['tokenizer.token', ({ id }) => tokenizer.token(id), { id: 5 }],
  ['tokenizer.label', ({ id }) => tokenizer.label(id), { id: 5 }],
  ['vocabulary.encode', ({ text, ...how }) => vocabulary.encode(text, how), TEXT],
  ['vocabulary.decode', ({ ids, ...how }) => vocabulary.decode(ids, how), { ids: IDS, special: 0 }],
  ['vocabulary.ids', ({ words }) => vocabulary.ids(words), { words: ['a'] }],
  ['vjp', (given, { model }) => vjp(model, given), { ids: IDS, cotangents: 0, of: [OF] }],
  ['gradients', (given, { model }) => gradients(model, given), { ids: 0, labels: 0, loss: 0, ignoreIndex: 0, of: 0 }],
  [
    'operationVjp',
    (given, { gf }) => operationVjp(gf, given.operation, [X], given.cotangent),
    { operation: 'softmax', cotangent: X },
  ],
  ['exportOnnx', (given, { model }) => exportOnnx(model, given), { inputs: 0 }],
  ['readSafetensors', ({ file }) => readSafetensors(file), { file: 0 }],
  ['openSafetensors', ({ file }) => openSafetensors(file), { file: 0 }],
  ['writeSafetensors', ({ tensors }) => writeSafetensors(tensors), { tensors: 0 }],
  ['Vocabulary', ({ words }) => new Vocabulary(words), { words: 0 }],
  ['load', (given) => load(given), { variant: 0, maxOperations: 0, threads: 0, wasm: undefined, worker: undefined }],
];

/** Where an argument is not given, a good one. @type {Record<string, any>} */
const GOOD = {
  x: X,
  ids: IDS,
  labels: IDS,
  of: [OF],
  weights: model.weights(),
  cotangents: { output: { data: new Float32Array(12), shape: [1, 3, 4] } },
};

/** What may not change where a call is refused. */
const digest = () => {
  const hash = createHash('sha256').update(JSON.stringify([model.config, trainer.settings, trainer.steps]));
  for (const { data } of model.weights().values()) hash.update(data);
  for (const part of Object.values(trainer.state())) hash.update(typeof part === 'number' ? String(part) : part);
  return hash.digest('hex');
};
/** The last pass. */
const passOf = () => ['logits', OF].map((name) => model.tensor(name).data);
const trace = model.trace({ ids: IDS, capture: true });
const spare = model.clone();
const [before, pass] = [digest(), passOf()];

/** What arguments do take of these values: call and argument, then value. */
const TAKEN = [
  /^(gf[.]createModel|model[.]clone)[.]((epsilon|rope\w+|initializerRange): half|globalLayers(Above)?: below 0)$/,
  /^model[.]trainer[.](.*: half|ignoreIndex: below 0)$/,
  /^\S+[.]save[.](recipe: (?!null|symbol|NaN|bigint|half|below|function|.*text|too|a list)|metadata: (object|map))/,
  /^.*[.](temperature|topP|repetitionPenalty|epsilon|labelSmoothing|learningRate|(low|high)Frequency): half$/,
  /^gf[.]((add|mul)[.][ab]: (NaN|half|below 0)|((layer|rms)Norm\w*[.]epsilon|\w+[.]scale): (half|below 0))$/,
  /^(\S+[.]ignoreIndex: below 0|load[.]maxOperations: half|writeSafetensors[.]tensors: (object|map))$/,
  /^(gf|model|trainer)[.].*[.](logits|onProgress): function$/,
  /^trainer[.]train[.]batches: map$/,
  /^(model[.](embed|classify)[.]ids|\w+[.]encode[.](text|pair)): (a long )?text$/,
  /^tokenizer[.](id[.]token: text|has[.]token: .*)$/,
];
/** What is refused by another name: that of what is missing or given in it, or of what costs too much. */
const ELSEWHERE = new RegExp(
  '^((gf[.]createModel|model[.]clone)[.](targetV|v)ocabulary|(read|open)Safetensors[.]file: no array' +
    '|.*[.]maxOperations: half|model[.]loadWeights[.](weights|rename)|gf[.]tensor[.]shape|tokenizer[.]id[.]token' +
    '|gf[.]\\w+[.](weights: (object|map)|file: (object|too many|a list|no array))|trace[.]lens[.]layer' +
    '|trainer[.]train[.]batches)',
);
/** Where a message shows a name that may be meant, what is missing, or what the value gives. */
const UNSHOWN = new RegExp(
  '^(\\w+[.](tensor|view)[.]name: text|model[.]loadWeights|operationVjp[.]cot|\\S*[.](file|wasm): promise' +
    '|gf[.]\\w+[.](weights|file: object)|trace[.]lens|trainer[.]train[.]batches|load[.]worker)',
);
/** How a message shows a value. @type {Record<string, string>} */
const SHOWN = {
  null: 'null',
  symbol: 'Symbol(x)',
  NaN: 'NaN',
  bigint: '1000',
  half: '0.5',
  'below 0': '-1',
  text: 'x',
  object: '{}',
  map: '[object Map]',
  date: '[object Date]',
  promise: '[object Promise]',
  function: 'a function',
};

/** @param {() => unknown} call */
const thrownBy = (call) =>
  Promise.resolve()
    .then(call)
    .then(
      () => undefined,
      (error) => error,
    );

/** @param {any} args @returns {any} */
const goodOf = (args) =>
  Object.fromEntries(Object.keys(args).map((key) => [key, args[key] === 0 ? GOOD[key] : args[key]]));

for (const [name, call, args] of CALLS) {
  test(`${name}: no argument takes what it is not`, async () => {
    for (const argument of Object.keys(args)) {
      for (const [kind, value] of Object.entries(WRONG)) {
        const what = `${name}.${argument}: ${kind}`;
        model.forward({ ids: IDS, capture: true });
        const given = { ...goodOf(args), [argument]: value };
        const error = await thrownBy(() => call(given, { gf, model, trainer, spare, trace, bert }));
        if (TAKEN.some((each) => each.test(what))) continue;
        assert.ok(error instanceof GlassformerError, `${what}: ${error?.stack ?? 'was taken'}`);
        assert.ok(error.parameter.startsWith(argument) || ELSEWHERE.test(what), `${what}: ${error.message}`);
        assert.ok(error.message.length < 1000, what);
        if (kind in SHOWN && !UNSHOWN.test(what))
          assert.ok(error.message.includes(SHOWN[kind]), `${what}: ${error.message}`);
        assert.deepEqual(passOf(), pass, what);
      }
    }
    assert.equal(digest(), before);
  });
}

test('every public method that takes something has a row', () => {
  /** Of these nothing is taken, or it is tested where they are: tests/js/object.test.js. */
  const without = /[.](free|weights|tensors|graph|snapshot|state|toJSON)$/;
  const rows = new Set(CALLS.map(([name]) => name));
  const methods = Object.entries({ gf, model, trainer, trace, tokenizer, vocabulary }).flatMap(([name, object]) => {
    const own = [];
    for (let at = object; at && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
      for (const [key, { value }] of Object.entries(Object.getOwnPropertyDescriptors(at))) {
        if (typeof value === 'function' && key !== 'constructor') own.push(`${name}.${key}`);
      }
    }
    return own;
  });
  assert.ok(methods.length > 70, `${methods.length}`);
  const inherited = (/** @type {string} */ each) => rows.has(each.replace('vocabulary.', 'tokenizer.'));
  assert.deepEqual(
    methods.filter((each) => !without.test(each) && !inherited(each) && !rows.has(each)),
    [],
  );
});

/** What the caller's code does while a call reads its arguments. @type {Record<string, (world: any) => void>} */
const MEANWHILE = {
  'frees the model, and makes others in its place': ({ gf, model, spare, made }) => {
    for (const each of [model, spare]) each.free();
    for (let i = 0; i < 6; i++) made.push(gf.createModel({ ...SMALL, seed: 100 + i }));
  },
  'runs a pass of another shape': ({ model }) => model.forward({ ids: [1, 2], capture: true }),
  'lets the memory grow': ({ gf, made }) => {
    const { memoryBytes } = gf;
    while (gf.memoryBytes === memoryBytes) made.push(gf.createModel({ ...SMALL, vocabulary: 9_000, d_model: 64 }));
  },
};

/** The weights that a model of these settings and seed begins with. @type {Map<string, Map<string, any>>} */
const twins = new Map();

for (const [action, act] of Object.entries(MEANWHILE)) {
  test(`a getter that ${action} reaches no other model`, async () => {
    for (const [name, call, args] of CALLS) {
      const gf = await load({ variant: 'simd' });
      const [model, witness, spare] = [1, 2, 3].map((seed) => gf.createModel({ ...SMALL, seed }));
      /** @type {any[]} */
      const made = [witness];
      const world = { gf, model, spare, made, bert, trainer: model.trainer(), trace: model.trace({ ids: IDS }) };
      world.trainer.loss(BATCH); // so that a pass of the same shape lays nothing out again
      for (const { name } of model.tensors()) model.tensor(name);
      const good = goodOf(args);
      const last = /** @type {string} */ (Object.keys(good).findLast((key) => good[key] !== undefined));
      let acted = false;
      const get = () => {
        if (!acted) act(world);
        acted = true;
        return good[last];
      };
      const error =
        last &&
        (await thrownBy(() => call(Object.defineProperty({ ...good }, last, { get, enumerable: true }), world)));
      assert.ok(!error || error instanceof GlassformerError, `${name}: ${error?.stack}`);
      for (const each of made) {
        const key = JSON.stringify([each.config, each.seed]);
        const twin = twins.get(key) ?? gf.createModel({ ...each.config, seed: each.seed }).weights();
        twins.set(key, twin);
        for (const [key, tensor] of each.weights()) same(tensor, twin.get(key), `${name}: ${key}`);
      }
    }
  });
}

const ROW = Float32Array.of(1, -2, 3, -4);
const WIDTH = { kind: 'feed-forward', d_model: 4, d_ff: 4, heads: 1 };

/** An array without memory. @template {ArrayBufferView} T @param {T} array @returns {T} */
function detach(array) {
  structuredClone(array.buffer, { transfer: [array.buffer] });
  return array;
}

/** Named arguments of which the reading of one runs code first. */
const trapped = (given, name, run) =>
  Object.defineProperty({ ...given }, name, { enumerable: true, get: () => (run(), given[name]) });

test('arrays of another realm, subclasses and shared memory are read', () => {
  const foreign = runInNewContext('Float32Array.of(1, -2, 3, -4)');
  const shared = new Float32Array(new SharedArrayBuffer(16));
  shared.set(ROW);
  class Sub extends Float32Array {
    static get [Symbol.species]() {
      throw Error('species was asked');
    }
  }
  for (const data of [foreign, shared, Sub.from(ROW)]) {
    same(gf.tensor(data), { data: ROW, shape: [4] });
    same(gf.relu(data), { data: Float32Array.of(1, 0, 3, 0), shape: [4] });
    const zeros = gf.optimizerStep(data, data, { step: 1, learningRate: 0 });
    same(zeros.parameters, { data: ROW, shape: [4] });
  }
});

test('an array that another argument detaches or shrinks is refused by its name', () => {
  const layer = gf.createModel(WIDTH);
  const model = gf.createModel(SMALL);
  const before = model.weights();
  const trainer = model.trainer();
  const shrinks = typeof new ArrayBuffer(4).resize === 'function';
  const resizable = () => {
    const array = new Float32Array(new ArrayBuffer(16, { maxByteLength: 64 }));
    array.set(ROW);
    return [array, () => array.buffer.resize(4)];
  };
  const detached = () => {
    const array = ROW.slice();
    return [array, () => detach(array)];
  };
  for (const make of shrinks ? [detached, resizable] : [detached]) {
    /** An option's value, and another whose reading takes the first one's memory. */
    const calls = {
      x: (x, take) => gf.layerNorm(x, { weight: trapped({ data: [1, 1, 1, 1], shape: [4] }, 'data', take) }),
      a: (data, take) =>
        gf.matmul({ data, shape: [1, 4] }, trapped({ data: [1, 1, 1, 1], shape: [4, 1] }, 'data', take)),
      vectors: (data, take) =>
        layer.forward(trapped({ vectors: { data, shape: [1, 4] }, capture: true }, 'capture', take)),
      'cotangents.output': (data, take) => {
        const cotangents = { output: { data, shape: [1, 1, 4] } };
        vjp(layer, trapped({ vectors: [[1, 2, 3, 4]], cotangents, of: ['input'] }, 'of', take));
      },
      y: (y, take) => writeSafetensors({ y, z: trapped({ data: ROW, shape: [4] }, 'data', take) }),
    };
    for (const [name, call] of Object.entries(calls))
      refused(() => call(...make()), name === 'vectors' ? 'shape' : 'state', name);
  }
  const taken = model.weights();
  const [first, last] = [[...taken.keys()][0], [...taken.keys()].at(-1)];
  const rename = (name) => (name === last && detach(taken.get(first).data), name);
  refused(() => model.loadWeights(taken, { rename }), 'state', first);
  const state = trainer.state();
  const resume = () => trainer.resume(trapped(state, 'steps', () => detach(state.moment1)));
  refused(resume, 'state', 'moment1');
  for (const [name, tensor] of model.weights()) same(tensor, before.get(name));
  model.free();
  layer.free();
});

test('bytes that are detached while a file is read are refused', async () => {
  const bytes = writeSafetensors({ x: ROW });
  const file = await openSafetensors(bytes);
  detach(bytes);
  await assert.rejects(file.read('x'), { name: 'GlassformerError', code: 'format', parameter: 'file' });
  const held = writeSafetensors({ x: ROW });
  const open = await openSafetensors(held);
  const pieces = open.pieces('x');
  const { value } = await pieces.next();
  detach(held); // the piece is no view of it
  assert.deepEqual([...value.data], [...ROW]);
});

test('an error of the code of the caller passes as it is', () => {
  for (const error of [
    Error('mine'),
    new TypeError('mine'),
    new GlassformerError('state', 'mine', 1, 'mine'),
    'mine',
  ]) {
    const raise = () => {
      throw error;
    };
    const getter = (name, given) => Object.defineProperty({ ...given }, name, { enumerable: true, get: raise });
    const trap = new Proxy([], { get: raise });
    for (const call of [
      () => model.forward(getter('ids', {})),
      () => model.forward({ ids: trap }),
      () => model.forward({ ids: IDS, capture: true, patches: [getter('value', { name: OF })] }),
      () => gf.relu(getter('data', { shape: [1] })),
      () => gf.relu(getter('shape', { data: [1] })),
      () => model.loadWeights(model.weights(), { rename: raise }),
      () => model.loadWeights(getter('tok_emb.weight', {})),
      () => model.trainer({ frozen: trap }),
      () => trainer.step(getter('targets', { ids: IDS })),
      () => vjp(model, getter('of', { ids: IDS, cotangents: { output: [1] } })),
      () => model.generateSync({ ids: IDS, maxTokens: 2, onToken: raise }),
      () => new Vocabulary(trap),
    ]) {
      try {
        call();
        assert.fail('was taken');
      } catch (thrown) {
        assert.equal(thrown, error, `${thrown?.stack}`);
      }
    }
  }
  assert.equal(model.forward({ ids: IDS }).logits.shape[2], 9); // nothing has stuck
});

const file = await trainer.save();
/** What somebody may give for an object of the engine. @param {any} real @param {string} tag */
const others = (real, tag) => [
  ...[undefined, null, 1, 'x', Symbol('x'), 1n, {}, [], () => {}, new Map()],
  ...[new Proxy(real, {}), Object.create(real), { [Symbol.toStringTag]: tag }],
];
/** @param {any} error @param {unknown} value */
function isRefusal(error, value) {
  assert.ok(error instanceof GlassformerError, `${String(value)}: ${error?.stack ?? error}`);
  return true;
}

test('functions refuse what is no engine, model or trainer', async () => {
  for (const other of others(gf, 'GlassformerEngine')) {
    await assert.rejects(loadModel(other, file), (error) => isRefusal(error, other));
    assert.throws(
      () => operationVjp(other, 'softmax', [[1]], [1]),
      (error) => isRefusal(error, other),
    );
  }
  for (const other of others(model, 'GlassformerModel')) {
    for (const call of [
      () => saveModel(other),
      () => exportOnnx(other),
      () => gradients(other, { ...BATCH, of: ['output'] }),
      () => vjp(other, { ids: [1], cotangents: { output: [[[1, 1, 1, 1]]] }, of: ['output'] }),
    ])
      assert.throws(call, (error) => isRefusal(error, other));
  }
  for (const other of others(trainer, 'GlassformerTrainer')) {
    for (const call of [() => saveTrainer(other), () => resumeTrainer(other, file)])
      assert.throws(call, (error) => isRefusal(error, other));
  }
});

test('methods refuse a foreign this', async () => {
  for (const [real, tag] of /** @type {[any, string][]} */ ([
    [gf, 'GlassformerEngine'],
    [model, 'GlassformerModel'],
    [trainer, 'GlassformerTrainer'],
  ])) {
    const prototype = Object.getPrototypeOf(real);
    const names = Object.getOwnPropertyNames(prototype).filter(
      (name) => name !== 'constructor' && typeof Object.getOwnPropertyDescriptor(prototype, name)?.value === 'function',
    );
    assert.ok(names.includes(real === gf ? 'softmax' : 'free'));
    for (const name of names) {
      for (const other of others(real, tag)) {
        isRefusal(await thrownBy(() => Reflect.apply(prototype[name], other, [{}])), `${name} ${typeof other}`);
      }
    }
  }
});

test('a path that is no text of Unicode is refused', async () => {
  await assert.rejects(gf.loadModel('\ud800/x.safetensors'), { name: 'GlassformerError', code: 'format' });
  await assert.rejects(gf.loadModel('\ud800/'), { name: 'GlassformerError', code: 'type' });
});
