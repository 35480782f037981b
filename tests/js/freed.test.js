// After free: what computes refuses and names what was freed; what was computed before stays. Every public method and
// property of models, traces and trainers, alike here and in a worker.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { load } from 'glassformer';
import { load as loadWorker } from 'glassformer/worker';
import { METHODS, use } from '../methods.js';

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

/** In a worker, training of nothing asks nobody. @type {Record<string, any>} */
const GIVEN = { train: { batches: [BATCH] } };

/** Other uses of traces. @type {Record<string, [(t: any, other: any) => any, any]>} */
const MORE = {
  'a row of tensor': [(t) => t.tensor({ layer: 0, row: 2 }), STAYS],
  'patch of another model': [
    (t, other) => other.forward({ ids: [3, 2, 1], patches: [{ at: { layer: 0 }, from: t }] }),
    STAYS,
  ],
  'from of another decided': [
    async (t, other) => (await other.trace({ ids: [3, 2, 1] })).decided(2, { from: t }),
    STAYS,
  ],
  'loop over decided': [(t) => drain(t.decided(2)), REFUSES],
};

/**
 * By method and property: how it is used, and what comes after `model.free()`.
 * @param {string} kind @param {any} gf @returns {[string, [(object: any, other: any) => any, any]][]}
 */
const tableOf = (kind, gf) => [
  ...Object.entries(METHODS[kind])
    .filter(([, { alone }]) => (alone ?? 'here') === 'here' && (gf === here || !alone))
    .map(
      ([name, row]) =>
        /** @type {any} */ ([name, [(o) => use(o, name, row, GIVEN[name]), row.refuses ? REFUSES : STAYS]]),
    ),
  ...(kind === 'trace' ? Object.entries(MORE) : []),
];

/** @param {any} value of any use, as it can be compared */
const plain = (value) => (value && 'tensor' in Object(value) ? 'a trace' : value);

for (const [where, gf] of /** @type {[string, any][]} */ ([
  ['here', here],
  ['in a worker', there],
])) {
  /** Uses each before and after; where it stays, what it gives stays. */
  const holds = async (/** @type {string} */ kind, /** @type {any} */ object, /** @type {any} */ model) => {
    const other = await gf.createModel(CONFIG);
    const rows = tableOf(kind, gf);
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
    await holds('model', model, model);
  });

  test(`a trace of a freed model keeps its numbers, and refuses what runs the model (${where})`, async () => {
    for (const later of [false, true]) {
      const model = await gf.createModel(CONFIG);
      const trace = await model.trace(INPUT);
      if (later) await model.forward({ ids: [4] });
      await holds('trace', trace, model);
    }
  });

  test(`a trainer of a freed model refuses what computes (${where})`, async () => {
    const model = await gf.createModel(CONFIG);
    const trainer = await model.trainer();
    await holds('trainer', trainer, model);
  });

  test(`a freed trace refuses everything, and names itself (${where})`, async () => {
    const model = await gf.createModel(CONFIG);
    const trace = await model.trace(INPUT);
    await trace.free();
    const other = await gf.createModel(CONFIG);
    for (const [name, [use]] of tableOf('trace', gf))
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
