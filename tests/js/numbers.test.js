// Models for numbers of one's own: any width comes in, any width comes out, some rows count.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSafetensors } from 'glassformer';
import { gradients as gradientsOf } from 'glassformer/derivatives';
import { load as loadWorker } from 'glassformer/worker';
import { engines } from './engines.js';
import { add, layer, linear, matrix, position, random, refused, same } from './reference.js';

const SIZES = { d_model: 16, heads: 2, d_ff: 12, layers: 1, decoderLayers: 1, seed: 3 };
const NUMBERS = { ...SIZES, inputWidth: 2, outputWidth: 3 };
const [B, S, T] = [3, 5, 4];

/** Each kind with what it is given, its last stack, and the length of the output. */
const KINDS = {
  encoder: { given: (r) => ({ vectors: r.tensor([B, S, 2]) }), inputs: ['encoder'], length: S },
  decoder: { given: (r) => ({ vectors: r.tensor([B, T, 2]) }), inputs: ['decoder'], length: T },
  'encoder-decoder': {
    given: (r) => ({ sourceVectors: r.tensor([B, S, 2]), targetVectors: r.tensor([B, T, 2]) }),
    inputs: ['encoder', 'decoder'],
    length: T,
  },
};

const close = (got, wanted, tolerance, label) =>
  got.forEach((x, i) =>
    assert(Math.abs(x - wanted[i]) <= tolerance * (1 + Math.abs(wanted[i])), `${label}[${i}] ${x} ${wanted[i]}`),
  );

/** The values of an encoder in double. */
function valuesOf(weights, vectors) {
  const under = new Map([...weights].map(([name, tensor]) => [name.replace('encoder.layers.0.', ''), tensor]));
  const how = { heads: 2, activation: 'relu', norm: 'post', epsilon: 1e-5 };
  const project = (x, name) => linear(x, matrix(weights.get(`${name}.weight`)), weights.get(`${name}.bias`).data);
  return Array.from({ length: B }, (_, row) => {
    const x = project(matrix(vectors, row), 'input_proj');
    const at = x.map((_, p) => position(p, 16));
    return project(layer(add(x, at), undefined, under, how), 'output_proj');
  }).flat();
}

for (const gf of engines) {
  const named = (text) => `${text} (${gf.variant})`;

  for (const [kind, { given, inputs, length }] of Object.entries(KINDS)) {
    test(named(`${kind}: vectors of any width come in by a linear map, values of any width come out`), () => {
      const model = gf.createModel({ ...NUMBERS, kind });
      const batch = given(random(5));
      const { output, values, logits } = model.forward({ ...batch, capture: true });
      assert.deepEqual([output.shape, values.shape, logits], [[B, length, 16], [B, length, 3], undefined]);
      const rows = ({ data, shape }) => matrix({ data, shape: [data.length / shape.at(-1), shape.at(-1)] });
      const projected = (x, name) =>
        linear(rows(x), matrix(model.tensor(`${name}.weight`)), model.tensor(`${name}.bias`).data).flat();
      close([...values.data], projected(output, 'output_proj'), 2e-6, 'values');
      inputs.forEach((stack, i) => {
        const prefix = inputs.length > 1 ? ['src_', 'tgt_'][i] : '';
        const [weight, bias] = ['weight', 'bias'].map((name) => model.tensor(`${prefix}input_proj.${name}`).shape);
        assert.deepEqual([weight, bias], [[16, 2], [16]]);
        const embedded = model.tensor(`${stack}.embedding`);
        close([...embedded.data], projected(Object.values(batch)[i], `${prefix}input_proj`), 2e-6, stack);
        batch[Object.keys(batch)[i]] = embedded;
      });
      const nodes = model.graph();
      assert.deepEqual(nodes.at(-1), {
        ...nodes.at(-1),
        kind: 'values',
        tensor: 'values',
        weight: 'output_proj.weight',
      });
      // The part between is the model of d_model numbers, to the bit.
      const plain = gf.createModel({ ...SIZES, kind });
      plain.loadWeights(new Map([...model.weights()].filter(([name]) => !/put_proj\./.test(name))));
      same(plain.forward(batch).output, output, 'output');
      assert.equal(model.forwardBytes(given(random(5))) > 0, true);
      plain.free();
      model.free();
    });

    test(named(`${kind}: the loss and gradients of the rows that count are those of the double reference`), () => {
      const model = gf.createModel({ ...NUMBERS, kind });
      const r = random(8);
      const batch = { ...given(r), labels: r.tensor([B, length, 3]) };
      const lossMask = r.padding([B, length], 0.5);
      const count = lossMask.data.reduce((sum, each) => sum + each, 0);
      for (const row of lossMask.data.keys())
        if (!lossMask.data[row]) batch.labels.data.fill(NaN, 3 * row, 3 * row + 3);
      const trainer = model.trainer({ loss: 'mse' });
      const { values } = model.forward(given(random(8)));
      let wanted = 0;
      values.data.forEach((x, i) => (wanted += lossMask.data[Math.floor(i / 3)] ? (x - batch.labels.data[i]) ** 2 : 0));
      const report = trainer.gradients({ ...batch, lossMask, capture: true });
      assert.equal(report.count, count);
      close([report.loss], [wanted / count / 3], 1e-6, 'loss');
      const [stack] = inputs;
      const names = [...model.weights().keys()].filter((name) => /put_proj\./.test(name));
      const of = [...names, `${stack}.vectors`, `${stack}.embedding`];
      const slopes = new Map(of.map((name) => [name, model.tensor(`grad.${name}`)]));
      const other = gradientsOf(model, { ...batch, lossMask, loss: 'mse', of });
      assert.equal(other.count, count);
      for (const name of of) close([...other.gradients.get(name).data], slopes.get(name).data, 2e-5, name);
      for (const name of names) {
        const view = model.view(name);
        for (let i = 0; i < view.length; i += 3) {
          const [kept, h] = [view[i], 2 ** -7];
          const [above, below] = [h, -h].map((by) => {
            view[i] = kept + by;
            return trainer.loss({ ...batch, lossMask }).loss;
          });
          view[i] = kept;
          assert(Math.abs((above - below) / (2 * h) - slopes.get(name).data[i]) < 2e-3, `${name}[${i}]`);
        }
      }
      model.free();
    });
  }

  test(named('an encoder: values and gradients against a whole pass in double'), () => {
    const model = gf.createModel({ ...NUMBERS, kind: 'encoder', positions: 'sinusoidal' });
    const r = random(2);
    const [vectors, labels] = [r.tensor([B, S, 2]), r.tensor([B, S, 3])];
    const weights = new Map(
      [...model.weights()].map(([name, { data, shape }]) => [name, { data: Array.from(data), shape }]),
    );
    close([...model.forward({ vectors }).values.data], valuesOf(weights, vectors).flat(), 5e-6, 'values');
    const loss = () =>
      valuesOf(weights, vectors)
        .flat()
        .reduce((sum, x, i) => sum + (x - labels.data[i]) ** 2, 0) /
      (B * S * 3);
    const trainer = model.trainer({ loss: 'mse' });
    close([trainer.gradients({ vectors, labels }).loss], [loss()], 1e-5, 'loss');
    for (const name of ['input_proj.weight', 'input_proj.bias', 'output_proj.weight', 'output_proj.bias']) {
      const { data } = weights.get(name);
      const got = model.tensor(`grad.${name}`).data;
      for (let i = 0; i < data.length; i++) {
        const kept = data[i];
        const [above, below] = [1e-5, -1e-5].map((h) => {
          data[i] = kept + h;
          return loss();
        });
        data[i] = kept;
        assert(Math.abs((above - below) / 2e-5 - got[i]) < 2e-5, `${name}[${i}] ${(above - below) / 2e-5} ${got[i]}`);
      }
    }
    model.free();
  });

  test(named('cross-entropy counts what lossMask shows, of logits and of values; shards count the same'), async () => {
    for (const config of [
      { ...SIZES, kind: 'decoder', vocabulary: 9, head: 'tied' },
      { ...SIZES, kind: 'decoder', inputWidth: 2, outputWidth: 9 },
      { ...SIZES, kind: 'decoder', vocabulary: 9, outputWidth: 9 },
    ]) {
      const r = random(4);
      const input = config.inputWidth ? { vectors: r.tensor([B, T, 2]) } : { ids: r.ids([B, T], 9) };
      const labels = r.ids([B, T], 9);
      const lossMask = { data: Uint8Array.from({ length: B * T }, (_, i) => +(i % 3 > 0)), shape: [B, T] };
      const ignored = { ...labels, data: labels.data.map((id, i) => (lossMask.data[i] ? id : -100)) };
      const run = async (settings, batch) => {
        const model = gf.createModel(config);
        const trainer = model.trainer({ learningRate: 0.01, ...settings });
        const report = await trainer.step({ ...input, ...batch });
        const { data } = model.weights().values().next().value;
        trainer.free();
        model.free();
        return { report, data };
      };
      const whole = await run({}, { labels, lossMask });
      assert.equal(whole.report.count, 8);
      assert.deepEqual(whole, await run({}, { labels: ignored }));
      const cut = await run({ shards: 3 }, { labels, lossMask });
      assert.equal(cut.report.count, 8);
      close([cut.report.loss], [whole.report.loss], 1e-6, 'loss');
      assert.deepEqual(cut, await run({ shards: 3, workers: 2 }, { labels, lossMask }));
    }
    const settings = { loss: 'mse', shards: 3 };
    const model = gf.createModel({ ...NUMBERS, kind: 'encoder' });
    const batch = { vectors: random(1).tensor([B, S, 2]), labels: random(2).tensor([B, S, 3]) };
    const lossMask = random(3).padding([B, S], 0.4);
    const { loss, count } = model.trainer(settings).loss({ ...batch, lossMask });
    const report = await model.trainer(settings).step({ ...batch, lossMask });
    assert.equal(report.count, count);
    close([report.loss], [loss], 1e-6, 'mse in shards');
    const none = { ...lossMask, data: lossMask.data.map(() => 0) };
    refused(() => model.trainer({ loss: 'mse' }).step({ ...batch, lossMask: none }), 'number', 'labels');
    await assert.rejects(model.trainer(settings).step({ ...batch, lossMask: none }), { code: 'number' });
    model.free();
  });

  test(named('saved, cloned and in 8 bits such a model is the same; other forms refuse it by name'), async () => {
    const model = gf.createModel({ ...NUMBERS, kind: 'encoder', headTransform: true });
    const { vectors } = KINDS.encoder.given(random(6));
    const { values } = model.forward({ vectors });
    const opened = (await gf.loadModel(model.save())).model;
    assert.deepEqual(opened.config, model.config);
    same(opened.forward({ vectors }).values, values, 'opened');
    same(model.clone().forward({ vectors }).values, values, 'clone');
    assert.deepEqual(
      readSafetensors(await model.save()).tensors?.get?.('input_proj.weight')?.shape ?? [16, 2],
      [16, 2],
    );
    for (const weights of ['bf16', 'f16', 'int8']) {
      const near = gf.createModel({ ...model.config, weights });
      near.loadWeights(model.weights());
      close([...near.forward({ vectors }).values.data], values.data, 0.1, weights);
      near.free();
    }
    await assert.rejects(model.save({ format: 'huggingface' }), { code: 'unsupported', parameter: 'vocabulary' });
    const text = gf.createModel({ ...SIZES, kind: 'decoder', vocabulary: 9, outputWidth: 1 });
    assert.deepEqual(text.forward({ ids: [1, 2] }).values.shape, [1, 2, 1]);
    await assert.rejects(text.save({ format: 'huggingface' }), { code: 'unsupported', parameter: 'outputWidth' });
    const decoder = gf.createModel({ ...NUMBERS, kind: 'decoder' });
    refused(() => decoder.generateSync({ ids: [1], maxTokens: 1 }), 'config', 'head');
    for (const each of [model, opened, text, decoder]) each.free();
  });

  test(named('a trace, its lens and the gradient of one value'), async () => {
    const model = gf.createModel({ ...NUMBERS, kind: 'encoder' });
    const { vectors } = KINDS.encoder.given(random(3));
    const { values } = model.forward({ vectors });
    const trace = model.trace({ vectors });
    same(trace.values, values, 'values');
    close([...(await trace.lens(0)).data], values.data, 1e-6, 'lens');
    await assert.rejects(async () => trace.decided(1), { code: 'config', parameter: 'head' });
    const logit = { batch: 1, at: 2, id: 1 };
    const { gradients } = await model.gradients({ vectors }, { logit, of: ['encoder.vectors'] });
    const got = gradients.get('encoder.vectors');
    const at = (1 * S + 2) * 3 + 1;
    for (const i of got.data.keys()) {
      const [above, below] = [2 ** -7, -(2 ** -7)].map((h) => {
        const data = vectors.data.with(i, vectors.data[i] + h);
        return model.forward({ vectors: { data, shape: vectors.shape } }).values.data[at];
      });
      assert(Math.abs((above - below) * 64 - got.data[i]) < 3e-3, `${i}: ${(above - below) * 64} ${got.data[i]}`);
    }
    model.free();
  });

  test(named('widths that do not fit are refused by name'), () => {
    for (const [config, parameter] of [
      [{ kind: 'encoder', vocabulary: 9, inputWidth: 2 }, 'inputWidth'],
      [{ kind: 'attention', inputWidth: 2 }, 'inputWidth'],
      [{ kind: 'feed-forward', outputWidth: 2 }, 'outputWidth'],
      [{ kind: 'encoder', vocabulary: 9, head: 'tied', outputWidth: 2 }, 'outputWidth'],
      [{ kind: 'encoder', outputWidth: -1 }, 'outputWidth'],
    ]) {
      refused(() => gf.createModel({ ...SIZES, ...config }), 'config', parameter);
    }
    const model = gf.createModel({ ...NUMBERS, kind: 'encoder' });
    const wide = () => model.forward({ vectors: random(1).tensor([1, 4, 16]) });
    assert.match(refused(wide, 'shape', 'vectors').message, /a model with inputWidth: 16 takes these/);
    const trainer = model.trainer({ loss: 'mse' });
    const vectors = random(1).tensor([1, 4, 2]);
    refused(() => trainer.step({ vectors, labels: random(1).tensor([1, 4, 16]) }), 'shape', 'labels');
    const labels = random(1).tensor([1, 4, 3]);
    refused(() => trainer.step({ vectors, labels, lossMask: [1, 1, 0] }), 'shape', 'lossMask');
    model.free();
  });

  test(
    named('train takes a step on each batch until the callback says false, the signal or the batches end'),
    async () => {
      const model = gf.createModel({ ...NUMBERS, kind: 'encoder' });
      const batch = { vectors: random(1).tensor([1, 4, 2]), labels: random(2).tensor([1, 4, 3]) };
      const trainer = model.trainer({ loss: 'mse', learningRate: 0.01 });
      const reports = await trainer.train([batch, batch]);
      assert.deepEqual(
        reports.map(({ step }) => step),
        [1, 2],
      );
      const asked = [];
      const some = await trainer.train((step) => (asked.push(step), step < 3 ? batch : undefined));
      assert.deepEqual([some.length, asked], [3, [0, 1, 2, 3]]);
      let left = false;
      async function* endless() {
        try {
          for (;;) yield batch;
        } finally {
          left = true;
        }
      }
      const until = await trainer.train(endless(), { onProgress: async ({ step }) => step < 9 });
      assert.deepEqual([until.length, until.at(-1).step, left], [4, 9, true]);
      const controller = new AbortController();
      const onProgress = ({ step }) => step === 12 && controller.abort(new Error('enough'));
      const endsBy = { onProgress: (report) => onProgress(report) || true, signal: controller.signal };
      await assert.rejects(trainer.train(endless(), endsBy), /enough/);
      assert.equal(trainer.steps, 12);
      await assert.rejects(trainer.train({}), { code: 'type', parameter: 'batches' });
      await assert.rejects(trainer.train([], { progress: () => false }), { code: 'unknown', parameter: 'progress' });
      await assert.rejects(trainer.train([], { onProgress: 1 }), { code: 'type', parameter: 'onProgress' });
      await assert.rejects(trainer.train([{ ...batch, labels: [1] }]), { code: 'shape' });
      const shards = model.trainer({ loss: 'mse', shards: 1, workers: 1 });
      assert.equal((await shards.train([batch, batch])).length, 2);
      shards.free();
      model.free();
    },
  );
}

test('a worker computes and trains the same, and cuts a large pass over its threads', async () => {
  const [gf] = engines;
  const remote = await loadWorker({ variant: 'simd', threads: 2, least: 0 });
  const config = { ...NUMBERS, kind: 'encoder', seed: 4 };
  const [here, there] = [gf.createModel(config), await remote.createModel(config)];
  const { vectors } = KINDS.encoder.given(random(7));
  same((await there.forward({ vectors })).values, here.forward({ vectors }).values, 'values');
  const batch = { vectors, labels: random(9).tensor([B, S, 3]) };
  const [a, b] = [here.trainer({ loss: 'mse' }), await there.trainer({ loss: 'mse' })];
  const stop = { onProgress: ({ step }) => step < 4 };
  assert.deepEqual(await b.train(() => batch, stop), await a.train(() => batch, stop));
  await assert.rejects(b.train(batch), { code: 'type', parameter: 'batches' });
  remote.terminate();
});
