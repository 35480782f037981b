// The code around the arithmetic: the crossings into the core in a pass, views that are renewed when
// the memory grows, and weights written from outside, which count at once.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { load } from 'glassformer';
import { random, same } from './reference.js';
import { loadWrapped } from './wrapped.js';

/** @type {string[]} the core's functions, as they are called */
let calls = [];

/** Counts the crossings of a call. @param {() => unknown} call */
function crossings(call) {
  calls = [];
  call();
  return calls;
}

const gf = await loadWrapped((it, name) => (...values) => {
  calls.push(name);
  return it(...values);
});
const DECODER = { kind: 'decoder', vocabulary: 11, d_model: 8, heads: 2, d_ff: 12, layers: 1, head: 'linear' };
const BATCH = { ids: [1, 2, 3], labels: [2, 3, 4] };
const WEIGHT = 'decoder.layers.0.linear1.weight';

test('a pass over a batch of the same shape crosses once', () => {
  const vectors = random(1).tensor([3, 8]);
  const encoder = gf.createModel({ kind: 'encoder', vocabulary: 0, d_model: 8, heads: 2, layers: 1 });
  const decoder = gf.createModel(DECODER);
  const trainer = decoder.trainer();
  for (const [call, name] of [
    [() => encoder.forward({ vectors }), 'gf_model_forward'],
    [() => decoder.forward({ ids: [1, 2] }), 'gf_model_resume'], // nothing is new
    [() => trainer.step(BATCH), 'gf_trainer_step'],
    [() => trainer.loss(BATCH), 'gf_trainer_loss'],
    [() => trainer.gradients({ ...BATCH, capture: true }), 'gf_trainer_gradients'],
  ]) {
    call(); // lays the memory out
    call(); // arranges the matrices
    assert.deepEqual(crossings(call), [name]);
  }
  encoder.free();
  decoder.free();
});

test('a pass that begins like the last one computes the rest', () => {
  const model = gf.createModel(DECODER);
  const passes = (options) =>
    crossings(() => model.forward(options)).filter((name) => /_(forward|resi|resu)/.test(name));
  const [full, more, same] = [['gf_model_forward'], ['gf_model_resize', 'gf_model_resume'], ['gf_model_resume']];
  for (const capture of [false, true]) {
    const pass = (...ids) => passes({ ids, capture });
    assert.deepEqual(pass(1, 2, 3), full);
    assert.deepEqual(pass(1, 2, 3, 4), more);
    assert.deepEqual(pass(1, 2), more, 'deleted at the end');
    assert.deepEqual(pass(1, 5), same, 'another in the middle');
    assert.deepEqual(pass(1, ...Array(60).fill(2)), more, 'beyond the capacity');
    assert.deepEqual(pass(3, 2), full, 'another beginning');
    assert.deepEqual(
      passes({
        ids: [
          [3, 2],
          [3, 2],
        ],
        capture,
      }),
      full,
      'a batch',
    );
  }
  for (const change of [() => model.initialize(3), () => model.generateSync({ ids: [3, 2], maxTokens: 1 })]) {
    assert.deepEqual(passes({ ids: [3, 2], capture: true }), full);
    change();
  }
  assert.deepEqual(passes({ ids: [3, 2], capture: true }), full);
  model.view(WEIGHT);
  assert.deepEqual(passes({ ids: [3, 2], capture: true }), full, 'the weights may have been written');
  model.free();
});

test('the second pass over the same weights arranges the matrices, or the first that goes on token by token', () => {
  const model = gf.createModel(DECODER);
  const arranges = (/** @type {() => any} */ pass) => crossings(pass).filter((name) => /arrange/.test(name)).length;
  const passes = () => [[1, 2], [2], [3]].map((ids) => arranges(() => model.forward({ ids })));
  const write = () => void model.loadWeights({ [WEIGHT]: model.tensor(WEIGHT) }, { strict: false });
  assert.deepEqual(passes(), [0, 1, 0]);
  write();
  assert.deepEqual(passes(), [0, 1, 0]);
  write();
  const generate = () => arranges(() => model.generateSync({ ids: [1], maxTokens: 2 }));
  assert.deepEqual([generate(), generate()], [1, 0]);
  model.trainer();
  assert.deepEqual(passes(), [0, 1, 0], 'which the core refuses');
  assert.deepEqual(passes(), [0, 0, 0], 'for good');
  model.free();
});

test('a token with cache crosses for its pass and for its draw', () => {
  const model = gf.createModel(DECODER);
  model.generateSync({ ids: [2], maxTokens: 1 });
  const [few, many] = [3, 8].map((maxTokens) => crossings(() => model.generateSync({ ids: [1], maxTokens })));
  const count = (list, name) => list.filter((each) => each === name).length;
  assert.deepEqual([count(many, 'gf_model_step'), count(many, 'gf_sample')], [7, 8]); // the first token: forward
  assert.equal(many.length - few.length, 2 * 5);
  model.free();
});

test('a prompt that begins like the last one is read on from there', () => {
  const model = gf.createModel(DECODER);
  const runs = (ids) =>
    crossings(() => model.generateSync({ ids, maxTokens: 1 })).filter((name) =>
      /^gf_model_(forward|step|resize)$/.test(name),
    );
  assert.deepEqual(runs([1, 2, 3]), ['gf_model_forward']);
  assert.deepEqual(runs([1, 2, 3, 4]), ['gf_model_step'], 'one token longer');
  assert.deepEqual(runs([1, 2, 3, 4]), ['gf_model_step'], 'the same');
  assert.deepEqual(runs([1, 5, 6, 7, 8, 9]), ['gf_model_step', 'gf_model_step'], 'in pieces of the first prompt');
  assert.deepEqual(runs([2, 5]), ['gf_model_forward'], 'another beginning');
  assert.deepEqual(runs([2, ...Array(60).fill(1)]), ['gf_model_forward'], 'beyond the capacity');
  model.forward({ ids: [4, 5, 6], capture: true });
  assert.deepEqual(runs([4, 5, 7]), ['gf_model_resize', 'gf_model_step'], 'like the last pass');
  assert.deepEqual(runs([4, 5, 7, 8]), ['gf_model_step'], 'and on');
  model.free();
});

test('a stream computes a token when it is asked for one', async () => {
  const model = gf.createModel(DECODER);
  const passes = () => calls.filter((name) => /^gf_model_(forward|step)$/.test(name)).length;
  calls = [];
  const stream = model.generate({ ids: [1], maxTokens: 9 })[Symbol.asyncIterator]();
  assert.deepEqual(calls, []);
  for (let tokens = 1; tokens < 4; tokens++) {
    await stream.next();
    await new Promise((done) => setTimeout(done, 5));
    assert.equal(passes(), tokens);
  }
  await stream.return(undefined);
  assert.equal(passes(), 3);
  model.free();
});

test('growth of the memory between two passes changes neither', async () => {
  const fresh = await load({ variant: 'simd' });
  const model = fresh.createModel(DECODER);
  const twin = fresh.createModel(DECODER);
  const [trainer, other] = [model.trainer(), twin.trainer()];
  assert.deepEqual(trainer.step(BATCH), other.step(BATCH));
  const before = fresh.memoryBytes;
  const large = fresh.createModel({ vocabulary: 20000, d_model: 64 });
  assert.ok(fresh.memoryBytes > before);
  const report = trainer.step(BATCH);
  assert.deepEqual(report, other.step({ ...BATCH }));
  assert.equal(report.step, 2);
  same(model.forward({ ids: [1, 2, 3] }).logits, twin.forward({ ids: [1, 2, 3] }).logits);
  for (const one of [model, twin, large]) one.free();
});

test("results are the caller's own", () => {
  const model = gf.createModel(DECODER);
  const first = model.forward({ ids: [1, 2] }).output;
  const kept = { data: first.data.slice(), shape: [...first.shape] };
  first.data.fill(7);
  first.shape.push(9);
  same(model.forward({ ids: [1, 2] }).output, kept);
  model.tensor('output').shape.length = 0;
  same(model.tensor('output'), kept);
  model.free();
});

test('weights written through a view count in the very next pass', () => {
  const model = gf.createModel(DECODER);
  const twin = gf.createModel(DECODER);
  const batch = { ids: [1, 2, 3] };
  model.forward(batch);
  const view = model.view(WEIGHT);
  for (const value of [0.5, -0.25]) {
    view.fill(value);
    twin.loadWeights({ [WEIGHT]: { data: Array(view.length).fill(value), shape: [12, 8] } }, { strict: false });
    same(model.forward(batch).logits, twin.forward(batch).logits);
  }
  model.free();
  twin.free();
});
