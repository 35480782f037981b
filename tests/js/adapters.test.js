// Low-rank adapters: a step's numbers against the same step in double precision, what stays, resuming, and merging.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'glassformer';
import { load as loadWorker } from 'glassformer/worker';

const gf = await load({ variant: 'simd' });
const CONFIG = /** @type {const} */ ({
  ...{ kind: 'encoder', vocabulary: 11, d_model: 12, heads: 2, d_ff: 20, layers: 2, head: 'linear', seed: 5 },
});
const BATCH = {
  ids: [
    [1, 2, 3, 4],
    [5, 6, 7, 8],
  ],
  labels: [
    [2, 3, 4, 5],
    [6, 7, 8, 9],
  ],
};
const OF = ['self_attn.in_proj_weight', 'encoder.layers.1.linear2.weight'];
const ADAPTED = [
  'encoder.layers.0.self_attn.in_proj_weight',
  'encoder.layers.1.self_attn.in_proj_weight',
  'encoder.layers.1.linear2.weight',
];
const SETTINGS = /** @type {const} */ ({ learningRate: 0.01, optimizer: 'sgd', momentum: 0, clip: 0, weightDecay: 0 });
const PLAIN = { learningRate: 0.01, optimizer: 'adam', clip: 1, dropout: 0.1, seed: 3 };

/** A and B of a state by the names of their matrices. */
function partsOf(model, trainer) {
  const { adapters } = trainer.state();
  const { rank } = trainer.settings.adapters;
  let at = 0;
  return new Map(
    ADAPTED.map((name) => {
      const [rows, columns] = model.tensor(name).shape;
      const a = adapters.slice(at, at + rank * columns);
      const b = adapters.slice(at + rank * columns, (at += rank * (rows + columns)));
      return [name, { a, b, rows, columns }];
    }),
  );
}
const near = (found, wanted, what, within = 2e-6) => {
  assert.equal(found.length, wanted.length, what);
  wanted.forEach((each, i) => {
    assert.ok(Math.abs(found[i] - each) <= within * Math.max(1, Math.abs(each)), `${what}[${i}]: ${found[i]}, ${each}`);
  });
};

test('two steps are those of Hu et al. 2021 in double precision; all other weights stay', async () => {
  const model = gf.createModel(CONFIG);
  const before = model.weights();
  const [rank, alpha] = [2, 6];
  const trainer = await model.trainer({ ...SETTINGS, adapters: { rank, of: OF, alpha } });
  assert.deepEqual(trainer.settings.adapters, { rank, of: OF, alpha, also: [] });
  const s = alpha / rank;
  for (const { b } of partsOf(model, trainer).values()) assert.ok(b.every((each) => each === 0));
  const plain = gf.createModel(CONFIG).trainer(SETTINGS);
  assert.equal(trainer.loss(BATCH).loss, plain.loss(BATCH).loss, 'nothing changes at the start');
  for (let step = 1; step <= 2; step++) {
    const had = partsOf(model, trainer);
    trainer.gradients(BATCH);
    const slopes = new Map(ADAPTED.map((name) => [name, model.tensor(`grad.${name}`).data]));
    const report = trainer.step(BATCH);
    assert.equal(report.step, step);
    let squares = 0;
    for (const [name, { a, b, rows, columns }] of partsOf(model, trainer)) {
      const [old, slope] = [had.get(name), slopes.get(name)];
      const sum = (count, each) => Array.from({ length: count }, (_, i) => each(i)).reduce((x, y) => x + y, 0);
      const db = Array.from({ length: rows * rank }, (_, at) => {
        const [row, k] = [Math.floor(at / rank), at % rank];
        return s * sum(columns, (i) => slope[row * columns + i] * old.a[k * columns + i]);
      });
      const da = Array.from({ length: rank * columns }, (_, at) => {
        const [k, i] = [Math.floor(at / columns), at % columns];
        return s * sum(rows, (row) => old.b[row * rank + k] * slope[row * columns + i]);
      });
      squares += sum(db.length, (i) => db[i] ** 2) + sum(da.length, (i) => da[i] ** 2);
      near(b, db.map((each, i) => old.b[i] - 0.01 * each), `${name}.b`); // prettier-ignore
      near(a, da.map((each, i) => old.a[i] - 0.01 * each), `${name}.a`); // prettier-ignore
      const base = before.get(name).data;
      const whole = Array.from(base, (each, at) => {
        const [row, i] = [Math.floor(at / columns), at % columns];
        return each + s * sum(rank, (k) => b[row * rank + k] * a[k * columns + i]);
      });
      near(model.tensor(name).data, whole, name);
      assert.deepEqual(model.tensor(`grad.${name}`).data, slope, 'the gradient of the matrix can be read');
    }
    assert.ok(Math.abs(report.gradientNorm - Math.sqrt(squares)) < 1e-5 * Math.sqrt(squares));
  }
  for (const [name, { data }] of model.weights()) {
    const isSame = data.every((each, i) => each === before.get(name).data[i]);
    assert.equal(isSame, !ADAPTED.includes(name), name);
  }
});

test('its state resumes to the bit, in another model of the same first weights or not', async () => {
  const adapters = { rank: 2, of: OF, also: ['generator'] };
  const model = gf.createModel(CONFIG);
  const trainer = await model.trainer({ ...PLAIN, adapters });
  for (let i = 0; i < 5; i++) trainer.step(BATCH);
  const state = trainer.state();
  const other = gf.createModel({ ...CONFIG, seed: 9 });
  const later = await other.trainer({ ...PLAIN, adapters });
  later.resume(structuredClone(state));
  assert.deepEqual(other.weights(), model.weights());
  for (let i = 0; i < 5; i++) assert.deepEqual(later.step(BATCH), trainer.step(BATCH));
  assert.deepEqual(other.weights(), model.weights());
  assert.deepEqual(later.state(), trainer.state());
  const reports = await trainer.train(() => BATCH, { onProgress: ({ step }) => step < 200 });
  assert.ok(reports.at(-1).loss < reports[0].loss);
  const saved = await gf.loadModel(await model.save());
  assert.deepEqual(saved.model.forward(BATCH.ids), model.forward(BATCH.ids), 'merged on save');
});

test('the same bits in a worker; a head for classes trains beside them', async () => {
  const far = await loadWorker({ variant: 'simd' });
  try {
    const here = await gf.createModel(CONFIG).clone({ head: 'classes', labels: ['a', 'b'] });
    const there = await (await far.createModel(CONFIG)).clone({ head: 'classes', labels: ['a', 'b'] });
    const adapters = { rank: 3, of: ['in_proj_weight'], also: ['transform', 'generator'] };
    const [own, remote] = [await here.trainer({ ...PLAIN, adapters }), await there.trainer({ ...PLAIN, adapters })];
    const batch = { ids: BATCH.ids, labels: [0, 1] };
    for (let i = 0; i < 4; i++) assert.deepEqual(await remote.step(batch), own.step(batch));
    assert.deepEqual(await there.weights(), here.weights());
    assert.deepEqual(await remote.state(), own.state());
    for (let i = 0; i < 60; i++) own.step(batch);
    assert.deepEqual((await here.classify(BATCH.ids)).map(({ label }) => label), ['a', 'b']); // prettier-ignore
  } finally {
    far.terminate();
  }
});

test('what does not go with adapters is refused by name and value, and changes nothing', async () => {
  const model = gf.createModel(CONFIG);
  const refused = (options, wanted) => assert.rejects(async () => model.trainer(options), wanted);
  const adapters = { rank: 2, of: OF };
  await refused({ adapters: { ...adapters, rank: 0 } }, { code: 'range', parameter: 'adapters.rank', value: 0 });
  await refused({ adapters: { rank: 9, of: OF } }, { code: 'range', parameter: 'adapters.rank', value: 9 });
  await refused({ adapters: { rank: 2, of: 3 } }, { code: 'type', parameter: 'adapters.of', value: 3 });
  await refused({ adapters: { rank: 2, of: ['none'] } }, { code: 'unknown', parameter: 'adapters.of', value: 'none' });
  await refused({ adapters: { rank: 1, of: ['linear1.bias'] } }, { code: 'shape', parameter: 'adapters.of' });
  await refused(
    { adapters: { ...adapters, also: ['x'] } },
    { code: 'unknown', parameter: 'adapters.also', value: 'x' },
  );
  await refused({ adapters: { ...adapters, scale: 2 } }, { code: 'unknown', parameter: 'scale' });
  await refused({ adapters: 3 }, { code: 'type', parameter: 'adapters' });
  await refused({ adapters, shards: 2 }, { code: 'config', parameter: 'shards', value: 2 });
  await refused({ adapters, workers: 0 }, { code: 'config', parameter: 'workers', value: 0 });
  await refused({ adapters, frozen: ['encoder'] }, { code: 'config', parameter: 'frozen' });
  await refused({ adapters, learningRate: 'fast' }, { code: 'type', parameter: 'learningRate' });
  const trainer = await model.trainer({ ...SETTINGS, adapters });
  trainer.step(BATCH);
  const weights = model.weights();
  assert.throws(() => trainer.restore(trainer.snapshot()), { code: 'unsupported', parameter: 'snapshot' });
  await assert.rejects(async () => trainer.save(), { code: 'unsupported', parameter: 'adapters' });
  const { adapters: parts, ...others } = trainer.state();
  const other = model.clone().trainer();
  for (const self of [undefined, {}, other])
    for (const call of ['step', 'state', 'resume'])
      assert.throws(() => trainer[call].call(self, call === 'step' ? BATCH : others), { code: 'foreign' }, call);
  assert.throws(() => trainer.resume(others), { parameter: 'adapters' });
  assert.throws(() => trainer.resume({ ...others, adapters: parts.slice(1) }), {
    code: 'shape',
    parameter: 'adapters',
  });
  assert.throws(() => trainer.step({ ids: [1, 2], labels: [99, 1] }), { code: 'token', parameter: 'labels' });
  const wild = gf.createModel(CONFIG);
  const alone = await wild.trainer({ ...SETTINGS, learningRate: 1e6, adapters: { ...adapters, alpha: 1e6 } });
  let last = alone.state();
  const climb = () => {
    for (let i = 0; i < 99; i++, last = alone.state()) alone.step(BATCH);
  };
  assert.throws(climb, { code: 'number' });
  assert.deepEqual(alone.state(), last);
  assert.ok([...wild.weights().values()].every(({ data }) => data.every(Number.isFinite)));
  assert.deepEqual(model.weights(), weights);
});
