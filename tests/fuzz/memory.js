// Its short form is memory.test.js.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';

import { GlassformerError, load } from 'glassformer';
import { gradients, vjp } from 'glassformer/derivatives';
import { Random } from 'glassformer/tasks';

import { smallMemory } from '../js/small-memory.js';

export const about = 'calls in a module whose memory is small, and often full';
export const long = 100_000;

/** Calls on one engine. */
const ROUND = 120;
/** No call takes as long, however burdened the machine is. */
const HANG = 60_000;

/** @typedef {import('glassformer').Engine} Engine */
/** @typedef {import('glassformer').Model} Model */
/** @typedef {{model: Model, trainer?: any}} Held */
/** @typedef {{gf: Engine, random: Random, held: Held[], files: Uint8Array[]}} State */

/** Of models that take from 60 kB to more than there is. @param {Random} random */
function configOf(random) {
  const heads = random.choose([1, 2, 4]);
  const large = random.choose([1, 1, 4, 24]);
  const kind = random.choose(['encoder', 'decoder', 'encoder-decoder']);
  return {
    kind,
    heads,
    vocabulary: 20,
    head: random.choose(['none', 'tied', 'linear']),
    d_model: heads * (1 + random.integer(8)) * random.choose([1, large]),
    d_ff: (1 + random.integer(30)) * large,
    layers: random.choose([0, 1, 1, 2, 3, 64]),
    decoderLayers: random.choose([1, 2, 64]),
    positions: random.choose(['none', 'sinusoidal', 'learned']),
    norm: random.choose(['none', 'pre', 'post']),
    seed: random.integer(1000),
  };
}

/** Sequences of a length, whose maps may be larger than what there is. @param {Random} random @param {Model} model */
function batchOf(random, { config }) {
  const length = 1 + random.integer(random.choose([4, 4, 30, 500]));
  const rows = random.choose([1, 1, 3]);
  const ids = () => Array.from({ length: rows }, () => Array.from({ length }, () => random.integer(20)));
  return config.kind === 'encoder-decoder' ? { sourceIds: ids(), targetIds: ids() } : { ids: ids() };
}

/** The same with labels. @param {Random} random @param {Model} model */
function lessonOf(random, model) {
  const batch = batchOf(random, model);
  const rows = batch.targetIds ?? batch.ids;
  const { head, d_model } = model.config;
  const vectors = () => rows.map((row) => row.map(() => Array(d_model).fill(1)));
  return { ...batch, labels: head === 'none' ? vectors() : rows };
}

/** @param {State} state */
const one = ({ random, held }) => random.choose(held);

/** The calls: each with a state that has a model. @type {Record<string, (state: State) => unknown>} */
const CALLS = {
  create: ({ gf, random, held }) => held.push({ model: gf.createModel(configOf(random)) }),
  clone: (state) => state.held.push({ model: one(state).model.clone() }),
  changed(state) {
    state.held.push({ model: one(state).model.clone({ layers: state.random.integer(3), maxLength: 600 }) });
  },
  forward(state) {
    const { model } = one(state);
    model.forward({ ...batchOf(state.random, model), capture: state.random.chance(0.5) });
  },
  ablated(state) {
    const { model } = one(state);
    model.forward({ ...batchOf(state.random, model), ablate: [{ stack: 'decoder', layer: 0, head: 0 }] });
  },
  generate(state) {
    const ids = Array.from({ length: 1 + state.random.integer(300) }, () => state.random.integer(20));
    one(state).model.generateSync({ ids, maxTokens: 1 + state.random.integer(4), temperature: 1, seed: 1 });
  },
  read(state) {
    const { model } = one(state);
    const { name } = state.random.choose(model.tensors());
    assert.equal(model.tensor(name).data.length > 0, true);
    model.graph();
  },
  unknown: (state) => one(state).model.tensor(state.random.choose(['encoder.layers.0.self_attn.scores', 'x'])),
  trainer(state) {
    const found = one(state);
    const { model } = found;
    const settings = { learningRate: 0.01, loss: model.config.head === 'none' ? 'mse' : 'crossEntropy' };
    found.trainer = model.trainer({ ...settings, ...(state.random.chance(0.2) && { shards: 2 }) });
  },
  step: (state) => taught(state, (trainer, batch) => trainer.step(batch)),
  loss: (state) => taught(state, (trainer, batch) => trainer.loss({ ...batch, capture: state.random.chance(0.5) })),
  gradients: (state) => taught(state, (trainer, batch) => trainer.gradients(batch)),
  resume: (state) => taught(state, (trainer) => trainer.resume(trainer.state())),
  derivatives(state) {
    const { model } = one(state);
    const batch = lessonOf(state.random, model);
    const loss = model.config.head === 'none' ? 'mse' : 'crossEntropy';
    gradients(model, { ...batch, loss, of: [model.tensors()[0].name] });
  },
  products(state) {
    const { model } = one(state);
    const { ids, ...others } = batchOf(state.random, model);
    const rows = (others.targetIds ?? ids).map((row) => row.map(() => Array(model.config.d_model).fill(1)));
    const of = [model.tensors()[0].name];
    vjp(model, { ids, ...others, cotangents: { output: rows }, of });
  },
  async save(state) {
    const { model, trainer } = one(state);
    const file = trainer && state.random.chance(0.5) ? await trainer.save() : await model.save();
    state.files = [...state.files.slice(-4), file];
  },
  async open(state) {
    const { gf, random, held, files } = state;
    if (!files.length) return;
    const file = random.choose(files);
    held.push(await gf.loadModel(random.chance(0.5) ? file : new Blob([/** @type {any} */ (file)])));
  },
  matmul({ gf, random }) {
    const [rows, inner, columns] = [1, 2, 3].map(() => 1 + random.integer(random.choose([4, 400])));
    const ones = (/** @type {number[]} */ shape) => ({ data: new Float32Array(shape[0] * shape[1]).fill(1), shape });
    assert.equal(gf.matmul(ones([rows, inner]), ones([inner, columns])).data[0], inner);
  },
  layer({ gf, random }) {
    const [length, C] = [1 + random.integer(300), 8];
    const data = (/** @type {number[]} */ ...shape) => ({ data: new Float32Array(shape[0] * (shape[1] ?? 1)), shape });
    const weights = { 'linear1.weight': data(64, C), 'linear1.bias': data(64), 'linear2.weight': data(C, 64) };
    gf.feedForward(data(length, C), { weights: { ...weights, 'linear2.bias': data(C) } });
  },
  attention({ gf, random }) {
    const length = 1 + random.integer(400);
    const x = { data: new Float32Array(length * 4), shape: [length, 4] };
    gf.attention(x, x, x, { heads: 2 });
  },
};

/**
 * @param {State} state
 * @param {(trainer: any, batch: object) => unknown} call
 */
function taught(state, call) {
  const found = state.held.filter(({ trainer }) => trainer);
  if (!found.length) return undefined;
  const { model, trainer } = state.random.choose(found);
  return call(trainer, lessonOf(state.random, model));
}

/** The state that a refused call must not change. @param {Held} held */
function stateOf({ model, trainer }) {
  const hash = createHash('sha1');
  for (const { data } of model.weights().values()) hash.update(data);
  return [hash.digest('hex'), trainer?.steps];
}

/**
 * The calls of one engine.
 * @param {number} seed
 * @param {number} count
 * @param {Record<string, number>} figures
 */
async function round(seed, count, figures) {
  const random = new Random(seed);
  const gf = await load({ wasm: smallMemory((1.2 + 3 * random.uniform()) * 2 ** 20) });
  /** The calls so far. @type {string[]} */
  const calls = [];
  try {
    const probe = gf.createModel({ kind: 'decoder', vocabulary: 9, d_model: 8, heads: 2, layers: 2, head: 'tied' });
    const say = () => [...probe.forward({ ids: [1, 2, 3] }).logits.data];
    const [said, weights] = [say(), stateOf({ model: probe })];
    const large = largest(gf);
    /** @type {State} */
    const state = {
      gf,
      random,
      held: [{ model: gf.createModel({ vocabulary: 20, d_model: 8, heads: 2, layers: 1 }) }],
      files: [],
    };
    for (let i = 0; i < count; i++) {
      const name = random.choose(Object.keys(CALLS));
      calls.push(name);
      const start = performance.now();
      const before = state.held.map(stateOf);
      try {
        await CALLS[name](state);
        figures.taken++;
      } catch (error) {
        if (!(error instanceof GlassformerError)) throw error;
        calls.push(`(${error.code})`);
        figures[error.code] = (figures[error.code] ?? 0) + 1;
        assert.deepEqual(state.held.map(stateOf), before, 'a refused call changes nothing');
      }
      assert.ok(performance.now() - start < HANG, 'a call takes too long');
      assert.deepEqual(say(), said, 'the probe says the same');
      // So that memory is full half of the time.
      while (state.held.length > 1 && random.chance(0.2)) {
        const [{ model }] = state.held.splice(random.integer(state.held.length), 1);
        calls.push('free');
        model.free();
      }
    }
    assert.deepEqual(stateOf({ model: probe }), weights, 'the weights of the probe stay');
    for (const { model } of state.held) model.free();
    calls.push('the largest model');
    gf.createModel(large).free();
    probe.free();
    figures.engines++;
  } catch (error) {
    const message = `seed ${seed}, ${gf.memoryBytes} bytes: ${calls.slice(-40).join(' ')}`;
    throw new Error(message, { cause: error });
  }
}

/** The largest model that can be made. @param {Engine} gf */
function largest(gf) {
  const config = (/** @type {number} */ d_ff) => ({
    kind: /** @type {const} */ ('feed-forward'),
    d_model: 64,
    heads: 1,
    d_ff,
  });
  let [fits, fails] = [0, 2 ** 15];
  while (fails - fits > 1) {
    const middle = (fits + fails) >> 1;
    let model;
    try {
      model = gf.createModel(config(middle));
    } catch (error) {
      assert.equal(/** @type {GlassformerError} */ (error).code, 'memory');
    }
    model?.free();
    if (model) fits = middle;
    else fails = middle;
  }
  return config(fits);
}

/** @param {{count: number, seed: number}} options */
export async function run({ count, seed }) {
  const figures = { engines: 0, taken: 0 };
  for (let done = 0; done < count; done += ROUND, seed++) await round(seed, Math.min(ROUND, count - done), figures);
  return figures;
}
