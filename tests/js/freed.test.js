// After free: what computes refuses and names what was freed; what was computed before stays. A table of every public
// method and property of models, traces and trainers, alike here and in a worker.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { load } from 'glassformer';
import { load as loadWorker } from 'glassformer/worker';

const here = await load({ variant: 'simd' });
const there = await loadWorker({ variant: 'simd' });
after(() => there.terminate());

const CONFIG = { kind: 'decoder', vocabulary: 10, layers: 2, head: 'tied', d_model: 16, heads: 2, seed: 2 };
const INPUT = { ids: [1, 2, 3] };
const BATCH = { ids: [1, 2], labels: [2, 3] };
const REFUSES = { code: 'freed', parameter: 'model', message: /^model: the decoder of \d+ parameters was freed$/ };
const STAYS = 'stays';

const drain = async (/** @type {AsyncIterable<unknown>} */ steps) => {
  for await (const step of steps) assert.ok(step);
};

/** Of a model: how each is used, and what comes after `model.free()`. @type {Record<string, [(m: any) => any, any]>} */
const MODEL = {
  config: [(m) => m.config, STAYS],
  seed: [(m) => m.seed, STAYS],
  parameterCount: [(m) => m.parameterCount, STAYS],
  tokenizer: [(m) => m.tokenizer, STAYS],
  targetTokenizer: [(m) => m.targetTokenizer, STAYS],
  free: [(m) => m.free(), STAYS],
  initialize: [(m) => m.initialize(3), REFUSES],
  forward: [(m) => m.forward(INPUT), REFUSES],
  trace: [(m) => m.trace(INPUT), REFUSES],
  gradients: [(m) => m.gradients(INPUT, { logit: { at: 2, id: 1 }, of: ['decoder.input'] }), REFUSES],
  forwardBytes: [(m) => m.forwardBytes(INPUT), REFUSES],
  logitsAt: [(m) => m.logitsAt(2), REFUSES],
  embed: [(m) => m.embed(INPUT), REFUSES],
  classify: [(m) => m.classify(INPUT), REFUSES],
  tensors: [(m) => m.tensors(), REFUSES],
  graph: [(m) => m.graph(), REFUSES],
  tensor: [(m) => m.tensor('logits'), REFUSES],
  view: [(m) => m.view('tok_emb.weight'), REFUSES],
  weights: [(m) => m.weights(), REFUSES],
  loadWeights: [(m) => m.loadWeights({}, { strict: false }), REFUSES],
  clone: [(m) => m.clone(), REFUSES],
  generate: [(m) => m.generate({ ...INPUT, maxTokens: 2 }), REFUSES],
  generateSync: [(m) => m.generateSync({ ...INPUT, maxTokens: 2 }), REFUSES],
  save: [(m) => m.save(), REFUSES],
  trainer: [(m) => m.trainer(), REFUSES],
};

/** Of a trace: after `model.free()`. @type {Record<string, [(t: any, other: any) => any, any]>} */
const TRACE = {
  output: [(t) => t.output, STAYS],
  logits: [(t) => t.logits, STAYS],
  values: [(t) => t.values, STAYS],
  tensor: [(t) => t.tensor({ layer: 1, head: 1 }), STAYS],
  'a row of tensor': [(t) => t.tensor({ layer: 0, row: 2 }), STAYS],
  'patch of another model': [
    (t, other) => other.forward({ ids: [3, 2, 1], patches: [{ at: { layer: 0 }, from: t }] }),
    STAYS,
  ],
  'from of another decided': [
    async (t, other) => (await other.trace({ ids: [3, 2, 1] })).decided(2, { from: t }),
    STAYS,
  ],
  lens: [(t) => t.lens(0), REFUSES],
  attribution: [(t) => t.attribution(2), REFUSES],
  decided: [(t) => t.decided(2), REFUSES],
  'loop over decided': [(t) => drain(t.decided(2)), REFUSES],
  free: [(t) => t.free(), STAYS],
};

/** Of a trainer: after `model.free()`. @type {Record<string, [(t: any) => any, any]>} */
const TRAINER = {
  workers: [(t) => t.workers, STAYS],
  settings: [(t) => t.settings, STAYS],
  steps: [(t) => t.steps, REFUSES],
  step: [(t) => t.step(BATCH), REFUSES],
  train: [(t) => t.train([BATCH]), REFUSES],
  loss: [(t) => t.loss(BATCH), REFUSES],
  gradients: [(t) => t.gradients(BATCH), REFUSES],
  snapshot: [(t) => t.snapshot(), REFUSES],
  restore: [(t) => t.restore({ bytes: new Uint8Array(0) }), REFUSES],
  state: [(t) => t.state(), REFUSES],
  save: [(t) => t.save(), REFUSES],
  resume: [(t) => t.resume(new Uint8Array(0)), REFUSES],
  free: [(t) => t.free(), STAYS],
};

/** A worker has neither, and its properties are the last that were known. */
const NOT_THERE = /^(view|generateSync|steps)$/;

/** @param {any} value of any use, as it can be compared */
const plain = (value) => (value && 'tensor' in Object(value) ? 'a trace' : value);

for (const [where, gf] of /** @type {[string, any][]} */ ([
  ['here', here],
  ['in a worker', there],
])) {
  const tableOf = (/** @type {Record<string, any>} */ table) =>
    Object.entries(table).filter(([name]) => gf === here || !NOT_THERE.test(name));

  /** Uses each before and after; where it stays, what it gives stays. */
  const holds = async (/** @type {any} */ table, /** @type {any} */ object, /** @type {any} */ model) => {
    const other = await gf.createModel(CONFIG);
    const rows = tableOf(table);
    /** @type {Map<string, unknown>} */
    const before = new Map();
    for (const [name, [use, what]] of rows)
      if (what === STAYS && name !== 'free') before.set(name, plain(await use(object, other)));
    await model.free();
    for (const [name, [use, what]] of rows) {
      const now = async () => use(object, other);
      if (what !== STAYS) await assert.rejects(now, what, name);
      else if (name !== 'free') assert.deepEqual(plain(await now()), before.get(name), name);
    }
    await object.free();
    await object.free();
    await other.free();
  };

  test(`a freed model refuses what computes, and names itself (${where})`, async () => {
    const model = await gf.createModel(CONFIG);
    await holds(MODEL, model, model);
  });

  test(`a trace of a freed model keeps its numbers, and refuses what runs the model (${where})`, async () => {
    for (const later of [false, true]) {
      const model = await gf.createModel(CONFIG);
      const trace = await model.trace(INPUT);
      if (later) await model.forward({ ids: [4] });
      await holds(TRACE, trace, model);
    }
  });

  test(`a trainer of a freed model refuses what computes (${where})`, async () => {
    const model = await gf.createModel(CONFIG);
    const trainer = await model.trainer();
    await holds(TRAINER, trainer, model);
  });

  test(`a freed trace refuses everything, and names itself (${where})`, async () => {
    const model = await gf.createModel(CONFIG);
    const trace = await model.trace(INPUT);
    await trace.free();
    const other = await gf.createModel(CONFIG);
    for (const [name, [use]] of tableOf(TRACE))
      if (name !== 'free') {
        await assert.rejects(async () => use(trace, other), { code: 'freed', parameter: 'trace' }, name);
      }
    await trace.free();
    await model.free();
    await other.free();
  });

  test(`a loop whose model is freed ends with its name (${where})`, async () => {
    const model = await gf.createModel(CONFIG);
    const trace = await model.trace(INPUT);
    const steps = trace.decided(2)[Symbol.asyncIterator]();
    await steps.next();
    await model.free();
    await assert.rejects(steps.next(), REFUSES);
  });
}

test('every public method and property is in a table', () => {
  const model = here.createModel(CONFIG);
  for (const [object, table] of /** @type {[object, object][]} */ ([
    [model, MODEL],
    [model.trace(INPUT), TRACE],
    [model.trainer(), TRAINER],
  ])) {
    for (const name of Object.getOwnPropertyNames(Object.getPrototypeOf(object))) {
      if (/^(constructor|generateAsync|stream)$/.test(name)) continue; // two are names of earlier versions
      assert.ok(name in table, name);
    }
  }
  model.free();
});
