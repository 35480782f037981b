// Reading arguments may run code of the caller's: getters, iterators, callbacks. Whatever that does to the model, no
// number of another model changes, and what the call was for is either done or refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { GlassformerError, load, writeSafetensors } from 'glassformer';
import { gradients, vjp } from 'glassformer/derivatives';
import { exportOnnx } from 'glassformer/onnx';
import { same } from './reference.js';

const SMALL = { kind: 'decoder', vocabulary: 9, d_model: 8, heads: 2, d_ff: 8, layers: 1, head: 'tied' };
const IDS = [1, 2, 3];
const BATCH = { ids: IDS, labels: [2, 3, 4] };
const OTHERS = 6;

/** Named arguments of which the last one that is read runs code first. */
const trapped = (given, name, run) =>
  Object.defineProperty({ ...given }, name, {
    enumerable: true,
    get() {
      run();
      return given[name];
    },
  });

/** An array of which the element runs code first. */
const trappedList = (element, run) => Object.defineProperty([0], 0, { enumerable: true, get: () => (run(), element) });

/** A tensor whose shape runs code first. */
const trappedTensor = (tensor, run) => trapped(tensor, 'shape', run);

/** Each call of a model that reads what may run code: `run` is called while it reads. */
const CALLS = {
  'forward, capture': ({ model }, run) => model.forward(trapped({ ids: IDS, capture: true }, 'capture', run)),
  'forward, ids': ({ model }, run) => model.forward({ ids: trappedList(1, run) }),
  'forward, mask': ({ model }, run) =>
    model.forward({ ids: [1], mask: trappedTensor({ data: Float32Array.of(0), shape: [1, 1] }, run) }),
  'forward, patches': ({ model }, run) =>
    model.forward({ ids: IDS, capture: true, patches: [trapped({ name: PATCHED, value: 1 }, 'value', run)] }),
  'forward, values of a patch': ({ model }, run) =>
    model.forward({
      ids: [1],
      capture: true,
      patches: [{ name: PATCHED, index: [0, 0, 0], value: trappedList(1, run) }],
    }),
  'forward, index of a patch': ({ model }, run) =>
    model.forward({ ids: [1], capture: true, patches: [{ name: PATCHED, index: trappedIndex(run), value: 1 }] }),
  'forward, ablate': ({ model }, run) => model.forward({ ids: IDS, ablate: [trapped({ head: 0 }, 'head', run)] }),
  'forward, list of ablate': ({ model }, run) => model.forward({ ids: IDS, ablate: trappedList({ head: 0 }, run) }),
  generate: ({ model }, run) => model.generate(trapped({ ids: IDS, maxTokens: 2 }, 'maxTokens', run)),
  'generate, ablate': ({ model }, run) =>
    model.generate({ ids: IDS, maxTokens: 2, ablate: trappedList({ head: 1 }, run) }),
  'generate, onToken': ({ model }, run) => model.generate({ ids: IDS, maxTokens: 2, onToken: run }),
  'generate, signal': ({ model }, run) => model.generate({ ids: IDS, maxTokens: 2, signal: { throwIfAborted: run } }),
  generateAsync: ({ model }, run) => model.generateAsync({ ids: IDS, maxTokens: 2, onToken: run }),
  'loadWeights, rename': ({ model, weights }, run) => model.loadWeights(weights, { rename: (name) => (run(), name) }),
  'loadWeights, options': ({ model, weights }, run) =>
    model.loadWeights(weights, trapped({ strict: true }, 'strict', run)),
  'loadWeights, a weight': ({ model, weights }, run) =>
    model.loadWeights(new Map([...weights].map(([name, tensor]) => [name, trappedTensor(tensor, run)]))),
  'loadWeights, an object': ({ model, weights }, run) =>
    model.loadWeights(trapped(Object.fromEntries(weights), 'tok_emb.weight', run)),
  clone: ({ model }, run) => model.clone(trapped({ causal: true }, 'causal', run)).free(),
  trainer: ({ model }, run) => model.trainer(trapped({ learningRate: 0.1 }, 'learningRate', run)),
  'trainer, frozen': ({ model }, run) => model.trainer({ frozen: trappedList('decoder.layers.0', run) }),
  save: ({ model }, run) => model.save({ recipe: { toJSON: () => (run(), {}) } }),
  'save of a trainer': ({ trainer }, run) => trainer.save({ recipe: { toJSON: () => (run(), {}) } }),
  exportOnnx: ({ model }, run) => exportOnnx(model, trapped({ inputs: ['padding'] }, 'inputs', run)),
  'exportOnnx, inputs': ({ model }, run) => exportOnnx(model, { inputs: trappedList('padding', run) }),
  step: ({ trainer }, run) => trainer.step(trapped(BATCH, 'labels', run)),
  loss: ({ trainer }, run) => trainer.loss({ ...BATCH, ablate: trappedList({ head: 0 }, run) }),
  gradients: ({ trainer }, run) =>
    trainer.gradients({ ...BATCH, patches: trappedList({ name: PATCHED, value: 0 }, run) }),
  restore: ({ trainer }, run) => trainer.restore(trapped(trainer.snapshot(), 'weights', run)),
  resume: ({ trainer }, run) => trainer.resume(trapped(trainer.state(), 'steps', run)),
  vjp: ({ model }, run) => vjp(model, { ids: IDS, cotangents: { output: ones() }, of: trappedList(PATCHED, run) }),
  'vjp, cotangents': ({ model }, run) =>
    vjp(model, { ids: IDS, cotangents: trapped({ [PATCHED]: ones() }, PATCHED, run), of: [PATCHED] }),
  'gradients without a trainer': ({ model }, run) => gradients(model, trapped({ ...BATCH, of: [PATCHED] }, 'of', run)),
};
const PATCHED = 'decoder.layers.0.ffn.out';
const ones = () => ({ data: new Float32Array(24).fill(1), shape: [1, 3, 8] });
const trappedIndex = (run) => {
  const index = [0, 0, 0];
  return Object.defineProperty(index, 1, { enumerable: true, get: () => (run(), 0) });
};

/** What the caller's code does meanwhile. */
const ACTIONS = {
  'frees the model, and makes others in its place': ({ gf, model, made }) => {
    model.free();
    for (let i = 0; i < OTHERS; i++) made.push(gf.createModel({ ...SMALL, seed: 100 + i }));
  },
  'runs a pass of another shape': ({ model }) => model.forward({ ids: [1, 2], capture: true }),
  'makes another trainer': ({ model }) => model.trainer({ learningRate: 0.5 }),
  'lets the memory grow': ({ gf, made }) => {
    const before = gf.memoryBytes;
    while (gf.memoryBytes === before) made.push(gf.createModel({ ...SMALL, vocabulary: 9_000, d_model: 64 }));
  },
  generates: ({ model }) => model.generate({ ids: [1], maxTokens: 1 }),
};

for (const [call, run] of Object.entries(CALLS)) {
  test(`${call}: whatever runs while it reads`, async (t) => {
    for (const [action, act] of Object.entries(ACTIONS)) {
      await t.test(action, async () => {
        const gf = await load({ variant: 'simd' });
        const model = gf.createModel({ ...SMALL, seed: 1 });
        const witness = gf.createModel({ ...SMALL, seed: 2 });
        const kept = witness.weights();
        const weights = gf.createModel({ ...SMALL, seed: 3 }).weights();
        const own = model.weights();
        const world = {
          gf,
          model,
          weights,
          made: [],
          trainer: /trainer|step|loss|gradients$|res/.test(call) && model.trainer(),
        };
        // So that all places are known, and a pass of the same shape lays nothing out anew.
        if (world.trainer) world.trainer.loss(BATCH);
        else model.forward({ ids: IDS, capture: true });
        for (const { name } of model.tensors()) model.tensor(name);
        let acted = false;
        let failed;
        let answer;
        try {
          answer = await run(world, () => {
            if (acted) return;
            acted = true;
            try {
              act(world);
            } catch (error) {
              assert.equal(error.code, 'state', error.stack); // the model is busy
            }
          });
        } catch (error) {
          failed = error;
        }
        assert.ok(acted);
        if (failed) assert.ok(failed instanceof GlassformerError, failed.stack);
        if (failed) assert.match(failed.code, /^(freed|state)$/, failed.stack);
        for (const [name, tensor] of witness.weights()) same(tensor, kept.get(name), name);
        world.made.forEach((each, i) => {
          const twin = gf.createModel({ ...each.config, seed: each.seed }).weights();
          for (const [name, tensor] of each.weights()) same(tensor, twin.get(name), `${i}: ${name}`);
        });
        let now;
        try {
          now = model.weights();
        } catch (error) {
          assert.equal(error.code, 'freed');
          // Weights were copied before they could be lost, or the call was refused.
          assert.ok(failed || answer instanceof Uint8Array, `${answer}`);
        }
        if (failed && now) for (const [name, tensor] of now) same(tensor, own.get(name), name);
        if (answer instanceof Uint8Array && /^save/.test(call)) {
          const { model: read } = await gf.loadModel(answer);
          for (const [name, tensor] of read.weights()) same(tensor, own.get(name), name);
        }
        if (now) model.forward({ ids: IDS });
      });
    }
  });
}

test('an operation whose arguments run code gives the numbers that it was given', async () => {
  const gf = await load({ variant: 'simd' });
  const grow = () => {
    const before = gf.memoryBytes;
    while (gf.memoryBytes === before) gf.createModel({ ...SMALL, vocabulary: 9_000, d_model: 64 });
  };
  const x = { data: Float32Array.of(1, -2), shape: [2] };
  same(gf.relu(trappedTensor(x, grow)), { data: Float32Array.of(1, 0), shape: [2] });
  same(gf.dot(x, trappedTensor(x, grow)), { data: Float32Array.of(5), shape: [] });
  assert.deepEqual(writeSafetensors({ x: trappedTensor(x, grow) }), writeSafetensors({ x }));
});
