// After a failure at any point of a call, the next one gives the bits of a model that saw nothing of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as core from 'glassformer/core';
import { BUILT_IN, failing, fragile } from './failing.js';
import { smallMemory } from './small-memory.js';

const BASE = { d_model: 8, heads: 2, d_ff: 12, layers: 2, decoderLayers: 2, maxLength: 90, vocabulary: 13, seed: 5 };
const CONFIGS = [
  { ...BASE, kind: 'decoder', head: 'tied', positions: 'learned', norm: 'pre' },
  { ...BASE, kind: 'decoder', head: 'linear', headTransform: true },
  { ...BASE, kind: 'encoder-decoder', head: 'linear' },
];
const LONG = Array.from({ length: 40 }, (_, i) => (i * i) % 13);
const OTHER = [...LONG.slice(0, 30), 1, 2, 3, 4];

const hex = ({ buffer }) => Buffer.from(buffer).toString('hex');
const inputOf = (model, ids) => (model.config.kind === 'decoder' ? { ids } : { sourceIds: [1, 2, 3], targetIds: ids });
const promptOf = (model, ids) => (model.config.kind === 'decoder' ? { ids } : { sourceIds: [1, 2, 3], targetIds: ids });

/** The bits of the logits before each token. */
function written(model, ids, options = {}) {
  const rows = [];
  model.generateSync({ ...promptOf(model, ids), maxTokens: 3, logits: (row) => void rows.push(hex(row)), ...options });
  return rows;
}

/** The bits of every tensor after a pass. */
function read(model, ids, options) {
  model.forward({ ...inputOf(model, ids), ...options });
  return model.tensors().map(({ name }) => [name, hex(model.tensor(name).data)]);
}

/** Results that must be the same, whatever went before. */
const CHECKS = [
  (model) => written(model, LONG),
  (model) => written(model, OTHER.slice(0, 32)),
  (model) => read(model, LONG),
  (model) => read(model, [...LONG, 7], { capture: true }),
];

/** The calls that ran before, and the one that fails. */
const BEFORE = [(model) => written(model, LONG), (model) => model.forward(inputOf(model, LONG))];
const CALLS = [
  (model) => written(model, OTHER),
  (model) => written(model, [...LONG, ...OTHER]),
  (model) => model.forward(inputOf(model, OTHER)),
  (model) =>
    model.forward({
      ...inputOf(model, OTHER),
      capture: [{ layer: 1 }],
      ablate: [{ layer: 1, neuron: 2, stack: 'decoder' }],
    }),
  (model) => model.forward({ ...inputOf(model, LONG), logits: false }) && model.logitsAt(3),
];

const gf = await fragile();

for (const config of CONFIGS) {
  test(`a failure anywhere in a pass or a generation: ${config.kind}, ${config.head}`, () => {
    const fresh = gf.createModel(config);
    const wanted = CHECKS.map((check) => check(fresh.clone()));
    let failures = 0;
    for (const kind of [null, ...BUILT_IN]) {
      CALLS.forEach((call, c) => {
        // Of many points some are taken: the beginning, and then ever further apart; at each, two of the eight pairs of
        // a former call and a check, in turn, as each has points near it.
        let failed = true;
        for (let n = 0, step = 0; failed; n += 1 + (step++ >> 4)) {
          for (const pair of [step, step + 5]) {
            const i = pair % CHECKS.length;
            const model = fresh.clone();
            BEFORE[(pair >> 2) % BEFORE.length](model);
            failed = failing(kind, n, () => call(model));
            failures += Number(failed);
            assert.deepEqual(CHECKS[i](model), wanted[i], `${kind?.[1] ?? 'crossing'} ${n} of call ${c}`);
            model.free();
          }
        }
      });
    }
    assert(failures > 200, `${failures} failures`);
  });
}

test('callbacks that throw, aborts, and getters that throw', async () => {
  for (const config of CONFIGS) {
    const fresh = gf.createModel(config);
    const wanted = CHECKS.map((check) => check(fresh.clone()));
    const same = (/** @type {any} */ model, /** @type {string} */ what) =>
      CHECKS.forEach((check, i) => assert.deepEqual(check(model), wanted[i], what));
    for (let at = 0; at < 3; at++) {
      const thrown = new Error('mine');
      const fail = () => {
        throw thrown;
      };
      const controller = new AbortController();
      const ways = {
        logits: { logits: (row, ids) => void (ids.length === 34 + at && fail(row.fill(9))) },
        onToken: { onToken: (_, index) => void (index === at && fail()) },
        abort: { onToken: (_, index) => void (index === at && controller.abort(thrown)), signal: controller.signal },
      };
      for (const [name, options] of Object.entries(ways)) {
        const model = fresh.clone();
        written(model, LONG);
        assert.throws(
          () => model.generateSync({ ...promptOf(model, OTHER), maxTokens: 5, ...options }),
          (error) => error === thrown,
          `${name} ${at}`,
        );
        same(model, `${name} at ${at}`);
      }
      const model = fresh.clone();
      const rows = [
        model.generate({ ...promptOf(model, OTHER), maxTokens: 9 })[Symbol.asyncIterator](),
        model.generate({ ...promptOf(model, [1]), maxTokens: 'x' })[Symbol.asyncIterator](),
      ];
      for (let i = 0; i < at; i++) await rows[0].next();
      await rows[0].return(undefined);
      await assert.rejects(rows[1].next(), { code: 'type', parameter: 'maxTokens' });
      same(model, `stream left after ${at}`);
      for (const [call, given] of Object.entries({
        generateSync: promptOf(model, OTHER),
        forward: inputOf(model, OTHER),
      })) {
        const bad = Object.defineProperty({ ...given, maxTokens: 3 }, 'ablate', { get: fail, enumerable: true });
        if (call === 'forward') delete bad.maxTokens;
        assert.throws(
          () => model[call](bad),
          (error) => error === thrown,
        );
      }
      same(model, 'a getter that throws');
    }
  }
});

test('a memory that ends in the middle of a generation or a pass', async () => {
  const small = await core.load({ wasm: smallMemory(3 * 2 ** 20) });
  const config = { ...CONFIGS[0], d_model: 64, heads: 4, maxLength: 4000 };
  const model = small.createModel(config);
  const twin = gf.createModel(config);
  const ids = (/** @type {number} */ length) => Array.from({ length }, (_, i) => (i * i) % 13);
  let refusals = 0;
  for (const length of [20, 300, 40, 2000, 90, 3000, 60, 21]) {
    for (const call of [
      (/** @type {any} */ each) => written(each, ids(length)),
      (/** @type {any} */ each) => read(each, ids(length)),
      (/** @type {any} */ each) => read(each, [...ids(length), 3], { capture: true }),
    ]) {
      let got;
      try {
        got = call(model);
      } catch (error) {
        assert.equal(error.code, 'memory');
        refusals++;
        continue;
      }
      assert.deepEqual(got, call(twin), `${length}`);
    }
  }
  assert(refusals > 2 && refusals < 20, `${refusals} refusals`);
});

test('a prompt of 130,000 tokens that begins like the last one', () => {
  const N = 130_000;
  const tiny = { kind: 'decoder', vocabulary: 7, d_model: 2, heads: 0, d_ff: 2, layers: 1, head: 'tied', seed: 1 };
  const model = gf.createModel({ ...tiny, positions: 'none' });
  const ids = Array.from({ length: N }, (_, i) => (i * i) % 7);
  const other = [...ids.slice(0, 20), ...Array(N - 20).fill(3)];
  const wanted = [ids, other].map((each) => written(model.clone(), each));
  for (const at of [0, 1, 0]) assert.deepEqual(written(model, [ids, other][at]), wanted[at]);
});
