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
import { ALL, IDS, METHODS, OBJECTS, OF, SMALL, X, use } from '../methods.js';

const { engine: gf, model, trainer } = OBJECTS;
const BATCH = { ids: IDS, labels: IDS };

const HUGE = new Array(2 ** 32 - 1);
const LONG = 'x'.repeat(4_000_000);
/** @type {any[]} */
const self = [];
for (let i = 0; i < 4; i++) self.push(self);
/** Six levels of ten thousand, of one array: 10^24 numbers. */
let wide = new Array(10_000).fill(1);
for (let i = 0; i < 5; i++) wide = new Array(10_000).fill(wide);

/** Values that no argument takes, but for those in TAKEN. @type {Record<string, any>} */
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

/** @typedef {[name: string, call: (given: any, world: any) => unknown, given: Record<string, any>]} Call */

/** The methods that take something, and how else they are called; `given`: each of them is replaced in turn. */
const CALLS = /** @type {Call[]} */ ([
  ...ALL.filter(([, , { given, alone }]) => given && Object.keys(given).length > 0 && alone !== 'there').map(
    ([kind, name, row]) => [
      `${kind}.${name}`,
      (/** @type {any} */ given, /** @type {any} */ world) => use(world[row.on ?? kind], name, row, given),
      row.given,
    ],
  ),
  ['engine.loadModel', ({ cache }, { engine }) => engine.loadModel('hub:a/b', { cache }), { cache: false }],
  [
    'model.generate',
    async (given, { model }) => {
      for await (const { id } of model.generate(given)) assert.ok(id >= 0);
    },
    METHODS.model.generate.given,
  ],
  [
    'vjp',
    (given, { model }) => vjp(model, given),
    { ids: IDS, cotangents: { output: { data: new Float32Array(12), shape: [1, 3, 4] } }, of: [OF] },
  ],
  [
    'gradients',
    (given, { model }) => gradients(model, given),
    { ids: IDS, labels: IDS, loss: undefined, ignoreIndex: undefined, of: [OF] },
  ],
  [
    'operationVjp',
    (given, { engine }) => operationVjp(engine, given.operation, [X], given.cotangent),
    { operation: 'softmax', cotangent: X },
  ],
  ['exportOnnx', (given, { model }) => exportOnnx(model, given), { inputs: undefined }],
  ['readSafetensors', ({ file }) => readSafetensors(file), { file: undefined }],
  ['openSafetensors', ({ file }) => openSafetensors(file), { file: undefined }],
  ['writeSafetensors', ({ tensors }) => writeSafetensors(tensors), { tensors: undefined }],
  ['Vocabulary', ({ words }) => new Vocabulary(words), { words: undefined }],
  [
    'load',
    (given) => load(given),
    Object.fromEntries(['variant', 'maxOperations', 'threads', 'wasm', 'worker'].map((name) => [name, undefined])),
  ],
]);

/** The state that may not change where a call is refused. */
const digest = () => {
  const hash = createHash('sha256').update(JSON.stringify([model.config, trainer.settings, trainer.steps]));
  for (const { data } of model.weights().values()) hash.update(data);
  for (const part of Object.values(trainer.state())) hash.update(typeof part === 'number' ? String(part) : part);
  return hash.digest('hex');
};
/** The last pass. */
const passOf = () => ['logits', OF].map((name) => model.tensor(name).data);
model.forward({ ids: IDS, capture: true });
const [before, pass] = [digest(), passOf()];

/**
 * By kind of value, or `any`, the arguments that an exception holds for, of all methods or of one; each must be needed.
 * @param {Record<string, string>} lists
 */
function exceptions(lists) {
  const left = new Set(
    Object.entries(lists).flatMap(([kind, words]) => words.split(' ').map((of) => `${of}: ${kind}`)),
  );
  const all = new Set(left);
  /** @param {string} name @param {string} argument @param {string} kind */
  const has = (name, argument, kind) => {
    const found = [argument, `${name}.${argument}`].flatMap((of) => [`${of}: ${kind}`, `${of}: any`]);
    const holds = found.filter((each) => all.has(each));
    for (const each of holds) left.delete(each);
    return holds.length > 0;
  };
  return { has, left };
}

/** Beside a name, as `selector.layer`. */
const PLACE = 'node role attention stack sublayer layer';
const OBJECTS_AS_DATA = 'recipe model.save.tokenizer trainer.save.tokenizer';
/** The arguments that take some of these values. */
const TAKEN = exceptions({
  any: 'tokenizer.has.token vocabulary.has.token model.clone.seed model.trainer.worker', // read where it starts
  half:
    'epsilon temperature topP repetitionPenalty labelSmoothing learningRate beta1 beta2 weightDecay momentum clip ' +
    'floor dropout scale initializerRange lowFrequency ropeLowFrequency ropeHighFrequency engine.add.a engine.add.b ' +
    'engine.mul.a engine.mul.b model.forwardBytes.maxOperations load.maxOperations heldOut',
  'below 0':
    'scale ignoreIndex globalLayers globalLayersAbove engine.add.a engine.add.b engine.mul.a engine.mul.b ' +
    'model.tensor.row trace.tensor.row trace.attribution.token trace.decided.token', // from the end
  NaN: 'engine.add.a engine.add.b engine.mul.a engine.mul.b',
  function: 'onProgress onToken model.generate.logits model.generateSync.logits',
  text:
    'text pair model.embed.ids model.classify.ids model.classifyTokens.ids tokenizer.id.token ' +
    'tokenizer.chat.template',
  'a long text': 'text pair model.embed.ids model.classify.ids model.classifyTokens.ids tokenizer.chat.template',
  map: `metadata trainer.train.batches tensors ${OBJECTS_AS_DATA}`,
  object: `metadata tensors rules tokenizer.chat.variables ${OBJECTS_AS_DATA}`,
  date: OBJECTS_AS_DATA,
  promise: OBJECTS_AS_DATA,
  'no array of numbers': OBJECTS_AS_DATA,
  'another tag': OBJECTS_AS_DATA,
});
/** Refusals that name another parameter: a part that is missing or given in it, or one that costs too much. */
const ELSEWHERE = exceptions({
  any: `engine.tensor.shape trace.lens.layer trainer.train.batches ${PLACE}`,
  half: 'maxOperations',
  'below 0': 'model.logitsAt.row', // the last row, of another pass
  object: 'weights engine.loadModel.file',
  map: 'weights',
  function: 'rename',
  'too many': 'engine.loadModel.file',
  'too many in few': 'engine.loadModel.file',
  'a list in itself': 'engine.loadModel.file',
  'no array of numbers': 'file',
});
/** Where a message shows a name that may be meant, what is missing, or what the value gives. */
const UNSHOWN = exceptions({
  any: 'operationVjp.cotangent load.worker',
  'below 0': 'model.logitsAt.row',
  text: 'name trace.lens.layer',
  object: 'weights engine.loadModel.file trace.lens.layer trace.attribution.at',
  map: 'weights',
  function: 'rename trainer.train.batches',
  promise: 'file wasm',
});
/** The text of a value in a message. @type {Record<string, string>} */
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
  promise: 'a promise: await it',
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

for (const [name, call, args] of CALLS) {
  test(`${name}: no argument takes what it is not`, async () => {
    for (const argument of Object.keys(args)) {
      for (const [kind, value] of Object.entries(WRONG)) {
        const what = `${name}.${argument}: ${kind}`;
        model.forward({ ids: IDS, capture: true });
        const error = await thrownBy(() => call({ ...args, [argument]: value }, OBJECTS));
        if (!error && TAKEN.has(name, argument, kind)) continue;
        assert.ok(error instanceof GlassformerError, `${what}: ${error?.stack ?? 'was taken'}`);
        const isNamed = error.parameter.startsWith(argument) || ELSEWHERE.has(name, argument, kind);
        assert.ok(isNamed, `${what}: ${error.message}`);
        assert.ok(error.message.length < 1000, what);
        const isShown = !(kind in SHOWN) || error.message.includes(SHOWN[kind]) || UNSHOWN.has(name, argument, kind);
        assert.ok(isShown, `${what}: ${error.message}`);
        assert.deepEqual(passOf(), pass, what);
      }
    }
    assert.equal(digest(), before);
  });
}

test('every exception is needed', () => {
  for (const { left } of [TAKEN, ELSEWHERE, UNSHOWN]) assert.deepEqual([...left], []);
});

/** Actions of the caller's code while a call reads its arguments. @type {Record<string, (world: any) => void>} */
const MEANWHILE = {
  'frees the model, and makes others in its place': ({ engine, model, spare, made }) => {
    for (const each of [model, spare]) each.free();
    for (let i = 0; i < 6; i++) made.push(engine.createModel({ ...SMALL, seed: 100 + i }));
  },
  'runs a pass of another shape': ({ model }) => model.forward({ ids: [1, 2], capture: true }),
  'lets the memory grow': ({ engine, made }) => {
    const { memoryBytes } = engine;
    while (engine.memoryBytes === memoryBytes)
      made.push(engine.createModel({ ...SMALL, vocabulary: 9_000, d_model: 64 }));
  },
};

/** The weights that a model of these settings and seed begins with. @type {Map<string, Map<string, any>>} */
const twins = new Map();

for (const [action, act] of Object.entries(MEANWHILE)) {
  test(`a getter that ${action} reaches no other model`, async () => {
    for (const [name, call, args] of CALLS) {
      const engine = await load({ variant: 'simd' });
      const [model, witness, spare] = [1, 2, 3].map((seed) => engine.createModel({ ...SMALL, seed }));
      /** @type {any[]} */
      const made = [witness];
      const own = { engine, model, spare, made, trainer: model.trainer(), trace: model.trace({ ids: IDS }) };
      const world = { ...OBJECTS, ...own };
      world.trainer.loss(BATCH); // so that a pass of the same shape lays nothing out again
      for (const { name } of model.tensors()) model.tensor(name);
      const last = /** @type {string} */ (Object.keys(args).findLast((key) => args[key] !== undefined));
      let acted = false;
      const get = () => {
        if (!acted) act(world);
        acted = true;
        return args[last];
      };
      const error =
        last &&
        (await thrownBy(() => call(Object.defineProperty({ ...args }, last, { get, enumerable: true }), world)));
      assert.ok(!error || error instanceof GlassformerError, `${name}: ${error?.stack}`);
      for (const each of made) {
        const key = JSON.stringify([each.config, each.seed]);
        const twin = twins.get(key) ?? engine.createModel({ ...each.config, seed: each.seed }).weights();
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
/** Values that somebody may give for an object of the engine. @param {any} real @param {string} tag */
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

test('what saves takes nothing but the object and its options', async () => {
  for (const third of [{}, 5, null, new Map()]) {
    assert.deepEqual(saveModel(model, {}, third), saveModel(model));
    assert.deepEqual(saveTrainer(trainer, {}, third), saveTrainer(trainer));
  }
});

test('methods refuse a foreign this', async () => {
  for (const kind of ['engine', 'model', 'trainer', 'trace']) {
    for (const [name, { given, alone }] of Object.entries(METHODS[kind])) {
      if (!given || alone === 'there') continue;
      for (const other of others(OBJECTS[kind], OBJECTS[kind][Symbol.toStringTag])) {
        const call = () => Reflect.apply(OBJECTS[kind][name], other, [{}]);
        const { code, parameter } = (await thrownBy(call)) ?? {};
        assert.deepEqual([code, parameter], ['foreign', 'this'], `${kind}.${name} of ${typeof other}`);
      }
    }
  }
});

test('a path that is no text of Unicode is refused', async () => {
  await assert.rejects(gf.loadModel('\ud800/x.safetensors'), { name: 'GlassformerError', code: 'format' });
  await assert.rejects(gf.loadModel('\ud800/'), { name: 'GlassformerError', code: 'type' });
});
