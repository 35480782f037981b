// An encoder of a folder gets a head for classes, is trained, classifies, and is saved as a folder of its family. The
// references in double precision are the head's own arithmetic, and differences of the loss for its gradients.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { load, readSafetensors } from 'glassformer';
import { loadCheckpoint, saveCheckpoint } from 'glassformer/checkpoints';
import { load as loadWorker } from 'glassformer/worker';

const gf = await load({ variant: 'simd' });
const folder = new URL('../checkpoints/', import.meta.url);
const jsonOf = (path) => JSON.parse(String(readFileSync(new URL(path, folder))));
const TEXTS = ['the creek was cold', 'the dog wanted to jump over it', 'a tired cat', 'it was cold'];
const LABELS = [1, 0, 0, 1];
const open = (name) => gf.loadModel(new URL(`${name}/`, folder));
const opened = (files) =>
  loadCheckpoint(gf, {
    config: files['config.json'],
    weights: files['model.safetensors'],
    ...(files['tokenizer.json'] && { tokenizer: files['tokenizer.json'] }),
  });
const configOf = (files) => JSON.parse(String(Buffer.from(files['config.json'])));

/** Logits of the first tokens, in double precision from a model's output and weights. */
function logitsOf(model, rows) {
  const { data, shape } = model.forward(rows).output;
  const [B, S, C] = shape;
  const weights = model.weights();
  const linear = (x, name) => {
    const { data: w } = weights.get(`${name}.weight`);
    return Array.from(weights.get(`${name}.bias`).data, (bias, row) =>
      x.reduce((sum, each, i) => sum + each * w[row * x.length + i], bias),
    );
  };
  const active = model.config.headPooler === 'relu' ? (x) => Math.max(x, 0) : Math.tanh;
  return Array.from({ length: B }, (_, row) => {
    const first = Array.from(data.subarray(row * S * C, row * S * C + C));
    return linear(linear(first, 'transform.dense').map(active), 'generator');
  });
}

const losses = (logits, labels) =>
  logits.map((z, row) => Math.log(z.reduce((sum, each) => sum + Math.exp(each - z[labels[row]]), 0)));
const mean = (numbers) => numbers.reduce((a, b) => a + b) / numbers.length;

for (const [name, pooler] of [
  ['bert-2l', 'tanh'],
  ['distilbert-2l', 'relu'],
]) {
  test(`${name}: logits, loss and gradients are those of the head's arithmetic in double precision`, async () => {
    const { model, tokenizer } = await open(name);
    const tuned = await model.clone({ head: 'classes', labels: ['no', 'yes', 'maybe'], seed: 4 });
    assert.deepEqual([tuned.config.headPooler, tuned.config.outputVocabulary], [pooler, 3]);
    const { ids, padding, typeIds } = tokenizer.encode(TEXTS);
    const rows = { ids, padding, ...(tuned.config.types && { typeIds }) };
    const labels = [2, 0, 1, 2];
    const { data, shape } = tuned.forward(rows).logits;
    const wanted = logitsOf(tuned, rows);
    wanted.forEach((row, i) =>
      row.forEach((each, j) => {
        const found = data[i * shape[1] * 3 + j];
        assert.ok(Math.abs(found - each) < 2e-6 * Math.max(1, Math.abs(each)), `${found} for ${each}`);
      }),
    );
    const trainer = tuned.trainer({ learningRate: 0 });
    const { loss, count } = trainer.loss({ ...rows, labels });
    assert.ok(Math.abs(loss - mean(losses(wanted, labels))) < 2e-6);
    assert.equal(count, 4);
    trainer.gradients({ ...rows, labels });
    const names = ['generator.weight', 'transform.dense.weight', 'transform.dense.bias', 'tok_emb.weight'];
    const gradients = names.map((weight) => tuned.tensor(`grad.${weight}`).data);
    for (const [i, weight] of names.entries()) {
      const gradient = gradients[i];
      const own = tuned.view(weight);
      const at = gradient.reduce((best, each, i) => (Math.abs(each) > Math.abs(gradient[best]) ? i : best), 0);
      const before = own[at];
      const [up, down] = [1, -1].map((sign) => {
        tuned.view(weight)[at] = before + sign * 2 ** -9;
        return mean(losses(logitsOf(tuned, rows), labels));
      });
      tuned.view(weight)[at] = before;
      const slope = (up - down) / 2 ** -8;
      assert.ok(Math.abs(gradient[at] - slope) < 2e-3 * Math.abs(slope) + 5e-4, `${weight}: ${gradient[at]}, ${slope}`);
    }
    const of = [{ node: 'embedding' }];
    const found = await tuned.gradients({ ...rows, labels, of });
    assert.ok(Math.abs(found.loss - loss) < 2e-6 && found.count === 4);
    assert.deepEqual(found.gradients.get(of[0]).shape, [4, shape[1], tuned.config.d_model]);
    for (const each of [model, tuned]) each.free();
  });

  test(`${name}: trained, saved as a folder and opened again it has the same scores to the bit`, async () => {
    const { model } = await open(name);
    const tuned = await model.clone({ head: 'classes', labels: ['animal', 'water'] });
    const trainer = tuned.trainer({ learningRate: 0.01, seed: 1 });
    const first = trainer.step({ ids: TEXTS, labels: LABELS }).loss;
    for (let i = 0; i < 40; i++) trainer.step({ ids: TEXTS, labels: LABELS });
    assert.ok(trainer.loss({ ids: TEXTS, labels: LABELS }).loss < first / 10);
    const found = await tuned.classify(TEXTS);
    assert.deepEqual(
      found.map(({ index, label }) => [index, label]),
      LABELS.map((label) => [label, ['animal', 'water'][label]]),
    );
    const files = await tuned.save({ format: 'huggingface' });
    const config = configOf(files);
    const [body] = { 'bert-2l': ['Bert'], 'distilbert-2l': ['DistilBert'] }[name];
    assert.deepEqual(config.architectures, [`${body}ForSequenceClassification`]);
    assert.deepEqual(
      [config.id2label, config.label2id],
      [
        { 0: 'animal', 1: 'water' },
        { animal: 0, water: 1 },
      ],
    );
    assert.equal(config.problem_type, 'single_label_classification');
    const names = [...readSafetensors(files['model.safetensors']).tensors.keys()];
    const dense = name === 'bert-2l' ? 'bert.pooler.dense' : 'pre_classifier';
    for (const each of [dense, 'classifier']) {
      assert.ok(names.includes(`${each}.weight`) && names.includes(`${each}.bias`), each);
    }
    assert.ok(!names.some((each) => /^(transform\.|generator|vocab)|predictions/.test(each)), 'no head for words');
    const again = await opened(files);
    assert.deepEqual(await again.model.classify(TEXTS), found);
    assert.doesNotMatch(again.notes.join(), /left over/);
    // It goes on: the head of the folder trains.
    const more = await again.model.clone({ head: 'classes' });
    assert.deepEqual(more.weights(), tuned.weights());
    assert.deepEqual(await more.classify(TEXTS), found);
    assert.deepEqual(await saveCheckpoint(more), files);
    const file = await tuned.save();
    const own = await gf.loadModel(file);
    assert.deepEqual(own.labels, ['animal', 'water']);
    assert.deepEqual(await own.model.classify(TEXTS), found);
    assert.deepEqual(await own.model.save({ format: 'huggingface' }), files);
    const run = await gf.loadModel(await trainer.save());
    assert.equal(run.trainer.steps, 41);
    const next = { ids: TEXTS, labels: LABELS };
    assert.deepEqual(run.trainer.step(next), trainer.step(next));
    assert.deepEqual(run.model.weights(), tuned.weights());
  });
}

const TAGS = ['other', 'noun', 'verb'];
/** The class of each token of TEXTS with the tokenizer's own; −100: of none. @param {number[][]} ids */
const tagsOf = (ids) => ids.map((row) => row.map((id, at) => (at === 0 ? -100 : id % 3)));

for (const [name, architecture] of [
  ['bert-2l', 'Bert'],
  ['distilbert-2l', 'DistilBert'],
  ['xlm-roberta-2l', 'XLMRoberta'],
]) {
  test(`${name}: classes of tokens are trained, saved, opened and classified again to the bit`, async () => {
    const { model } = await open(name);
    const tuned = await model.clone({ head: 'classes', of: 'tokens', labels: TAGS, seed: 2 });
    assert.deepEqual([tuned.config.headPooler, tuned.config.head], ['none', 'linear']);
    const ids = [
      [2, 5, 6, 7, 3],
      [2, 8, 9, 3, 0],
    ];
    const padding = [
      [0, 0, 0, 0, 0],
      [0, 0, 0, 0, 1],
    ];
    const labels = tagsOf(ids);
    const trainer = tuned.trainer({ learningRate: 0.01, seed: 1 });
    const batch = { ids, padding, labels };
    // The loss of the linear map over the output, in double precision.
    const { data, shape } = tuned.forward({ ids, padding }).output;
    const [w, b] = ['weight', 'bias'].map((part) => tuned.tensor(`generator.${part}`).data);
    const C = shape[2];
    const rows = Array.from({ length: 10 }, (_, at) =>
      Array.from(b, (bias, i) => data.subarray(at * C, at * C + C).reduce((z, x, c) => z + x * w[i * C + c], bias)),
    );
    const counted = labels.flat().flatMap((label, at) => (label < 0 ? [] : [[rows[at], label]]));
    const wanted = mean(
      losses(
        counted.map(([z]) => z),
        counted.map(([, label]) => label),
      ),
    );
    const before = trainer.loss(batch);
    assert.ok(Math.abs(before.loss - wanted) < 2e-6 && before.count === counted.length);
    for (let i = 0; i < 60; i++) trainer.step(batch);
    const found = await tuned.classifyTokens({ ids, padding });
    assert.deepEqual(
      found.map((row) => row.map(({ at }) => at)),
      [
        [0, 1, 2, 3, 4],
        [0, 1, 2, 3],
      ],
    );
    for (const [row, tokens] of found.entries()) {
      for (const { at, id, index, label, score, scores } of tokens) {
        assert.deepEqual([id, label, score], [ids[row][at], TAGS[index], scores[label]]);
        assert.ok(Math.abs(Object.values(scores).reduce((a, c) => a + c) - 1) < 1e-5);
        if (at > 0) assert.equal(index, labels[row][at]);
      }
    }
    const files = await tuned.save({ format: 'huggingface' });
    const config = configOf(files);
    assert.deepEqual(config.architectures, [`${architecture}ForTokenClassification`]);
    assert.deepEqual(config.id2label, { 0: 'other', 1: 'noun', 2: 'verb' });
    const names = [...readSafetensors(files['model.safetensors']).tensors.keys()];
    assert.deepEqual(
      names.filter((each) => /classif|pooler|transform\.|generator|^vocab|lm_head|predictions/.test(each)),
      ['classifier.bias', 'classifier.weight'],
    );
    const again = await opened(files);
    assert.deepEqual(await again.model.classifyTokens({ ids, padding }), found);
    assert.match(again.notes.join(), /its head has 3 classes: model.classifyTokens\(texts\)/);
    assert.doesNotMatch(again.notes.join(), /left over/);
    const more = await again.model.clone({ head: 'classes', of: 'tokens' });
    assert.deepEqual(more.weights(), tuned.weights());
    assert.deepEqual(await saveCheckpoint(more), files);
    const own = await gf.loadModel(await tuned.save());
    assert.deepEqual(await own.model.classifyTokens({ ids, padding }), found);
    await assert.rejects(again.model.classify(ids), { code: 'config', value: config.architectures[0] });
    await assert.rejects(tuned.classify(ids), { code: 'config', parameter: 'model' });
    await assert.rejects(model.classifyTokens(ids), { code: 'config', parameter: 'model' });
    await assert.rejects(again.model.clone({ head: 'classes' }), { code: 'missing', parameter: 'labels' });
    await assert.rejects(model.clone({ head: 'classes', of: 'words', labels: TAGS }), {
      code: 'range',
      value: 'words',
    });
  });
}

test('a worker and shards train the same bits', async () => {
  const far = await loadWorker({ variant: 'simd' });
  try {
    const [here, there] = [await open('bert-2l'), await far.loadModel(new URL('bert-2l/', folder))];
    const change = /** @type {const} */ ({ head: 'classes', labels: ['animal', 'water'], seed: 3 });
    const [near, other] = [await here.model.clone(change), await there.model.clone(change)];
    const [own, remote] = [near.trainer({ learningRate: 0.01 }), await other.trainer({ learningRate: 0.01 })];
    const batch = { ids: TEXTS, labels: LABELS };
    for (let i = 0; i < 3; i++) assert.deepEqual(await remote.step(batch), own.step(batch));
    assert.deepEqual(await other.weights(), near.weights());
    assert.deepEqual(await other.classify(TEXTS), await near.classify(TEXTS));
    assert.deepEqual(await other.save({ format: 'huggingface' }), await near.save({ format: 'huggingface' }));
    assert.deepEqual(await other.save(), await near.save());
    const tags = /** @type {const} */ ({ head: 'classes', of: 'tokens', labels: TAGS });
    const [tagger, tagging] = [await here.model.clone(tags), await there.model.clone(tags)];
    assert.deepEqual(await tagging.classifyTokens(TEXTS), await tagger.classifyTokens(TEXTS));
    const parts = near.trainer({ learningRate: 0.01, shards: 2, workers: 0 });
    const { loss } = await parts.step(batch);
    assert.ok(Math.abs(loss - (await remote.loss(batch)).loss) < 1e-5);
  } finally {
    far.terminate();
  }
});

test('frozen layers stay; a seed decides what is drawn, whatever else there is', async () => {
  const { model } = await open('bert-2l');
  const [one, same, other] = await Promise.all(
    [1, 1, 2].map((seed) => model.clone({ head: 'classes', labels: ['a', 'b'], seed })),
  );
  const drawn = (each) => each.tensor('generator.weight').data;
  assert.deepEqual(drawn(one), drawn(same));
  assert.notDeepEqual(drawn(one), drawn(other));
  const whole = gf.createModel({ ...one.config, seed: 1 });
  for (const name of ['generator.weight', 'transform.dense.weight']) {
    assert.deepEqual(whole.tensor(name), one.tensor(name), name);
  }
  const frozen = ['tok_emb', 'pos_emb', 'type_emb', 'emb_ln', 'encoder'];
  one.trainer({ learningRate: 0.1, frozen }).step({ ids: TEXTS, labels: LABELS });
  for (const [name, { data }] of one.weights()) {
    const isSame = data.every((each, i) => each === same.tensor(name).data[i]);
    assert.equal(isSame, frozen.some((part) => name.startsWith(part)), name); // prettier-ignore
  }
});

test('a hidden start, an ignored row and a single row count as they stand', async () => {
  const { model } = await open('bert-2l');
  const tuned = await model.clone({ head: 'classes', labels: ['a', 'b'] });
  const trainer = tuned.trainer();
  const ids = [
    [2, 5, 6],
    [2, 7, 8],
  ];
  const alone = trainer.loss({ ids: [ids[1]], labels: [1] });
  assert.deepEqual(trainer.loss({ ids: ids[1], labels: [1] }), alone);
  const both = trainer.loss({ ids, labels: [-100, 1] });
  assert.equal(both.count, 1);
  assert.ok(Math.abs(both.loss - alone.loss) < 1e-6);
  const padding = [[1, 0, 0]];
  const { logits } = tuned.forward({ ids: [ids[0]], padding });
  const [x, y] = logits.data.subarray(2, 4);
  const { loss } = trainer.loss({ ids: [ids[0]], padding, labels: [0] });
  assert.ok(Math.abs(loss - Math.log(1 + Math.exp(y - x))) < 1e-6);
});

test('what does not fit is refused by its name and value', async () => {
  const { model } = await open('bert-2l');
  const refused = (changes, wanted) => assert.rejects(model.clone({ head: 'classes', ...changes }), wanted);
  await refused({}, { code: 'missing', parameter: 'labels' });
  await refused({ labels: ['one'] }, { code: 'range', parameter: 'labels', value: 1 });
  await refused({ labels: 'ab' }, { code: 'type', parameter: 'labels' });
  await refused({ labels: ['a', 3] }, { code: 'type', parameter: 'labels[1]', value: 3 });
  await refused({ labels: ['a', 'b'], mystery: 1 }, { code: 'unknown', parameter: 'mystery' });
  await refused({ labels: ['a', 'b'], layers: 3 }, { code: 'unknown' });
  const gpt2 = await open('gpt2-2l');
  await assert.rejects(gpt2.model.clone({ head: 'classes', labels: ['a', 'b'] }), {
    code: 'config',
    parameter: 'kind',
  });
  const config = { ...jsonOf('bert-classes/config.json'), problem_type: 'multi_label_classification' };
  const weights = readFileSync(new URL('bert-classes/model.safetensors', folder));
  const several = await gf.loadModel({ config, weights });
  await assert.rejects(several.model.clone({ head: 'classes' }), { code: 'unsupported', value: config.problem_type });
  const tuned = await model.clone({ head: 'classes', labels: ['a', 'b'] });
  const trainer = tuned.trainer();
  const ids = [
    [2, 5],
    [2, 6],
  ];
  assert.throws(() => trainer.step({ ids, labels: [1] }), { code: 'shape', parameter: 'labels' });
  assert.throws(() => trainer.step({ ids, labels: ids }), { code: 'shape', parameter: 'labels' });
  assert.throws(() => trainer.step({ ids, labels: [0, 2] }), { code: 'token', parameter: 'labels' });
  assert.throws(() => trainer.step({ ids, labels: [0, 1], lossMask: [1, 1] }), {
    code: 'unknown',
    parameter: 'lossMask',
  });
  await assert.rejects(tuned.save({ format: 'huggingface', family: 'roberta' }), { code: 'unsupported' });
  await assert.rejects(tuned.save({ format: 'huggingface', family: 'distilbert' }), { code: 'unsupported' });
  await assert.rejects(tuned.save({ labels: ['a'] }), { code: 'range', parameter: 'labels', value: 1 });
  for (const [settings, value] of [
    [{ kind: 'decoder', head: 'tied' }, 'tanh'],
    [{ kind: 'encoder' }, 'tanh'],
    [{ kind: 'encoder', head: 'tied', headTransform: true }, 'relu'],
  ]) {
    const wanted = { vocabulary: 9, d_model: 8, heads: 2, ...settings, headPooler: value };
    assert.throws(() => gf.createModel(wanted), { code: 'config', parameter: 'headPooler', value });
  }
  const made = gf.createModel({
    kind: 'encoder',
    vocabulary: 9,
    d_model: 8,
    heads: 2,
    head: 'linear',
    headPooler: 'tanh',
  });
  assert.equal((await made.classify([[1, 2]]))[0].label.slice(0, 6), 'LABEL_');
  await assert.rejects(made.save({ format: 'onnx' }), { code: 'unsupported', parameter: 'headPooler' });
});

test('an opened classifier of 16 sentences goes on training, with its own labels', async () => {
  const { model } = await open('bert-classes');
  const tuned = await model.clone({ head: 'classes' });
  const before = await model.classify(TEXTS);
  const after = await tuned.classify(TEXTS);
  assert.deepEqual(after, before);
  const trainer = tuned.trainer({ learningRate: 0.01 });
  for (let i = 0; i < 30; i++) trainer.step({ ids: TEXTS, labels: [0, 1, 1, 0] });
  const { id2label } = jsonOf('bert-classes/config.json');
  const found = await tuned.classify(TEXTS);
  assert.deepEqual(found.map(({ label }) => label), [0, 1, 1, 0].map((i) => id2label[i])); // prettier-ignore
});

test('a pooler before a tied or a scaled head makes no classes', async () => {
  for (const changes of [{ head: 'tied' }, { head: 'linear', outputVocabulary: 3, headScale: true }]) {
    const settings = /** @type {any} */ ({ kind: 'encoder', vocabulary: 6, d_model: 4, heads: 1, layers: 1 });
    const model = gf.createModel({ ...settings, headPooler: 'tanh', ...changes });
    await assert.rejects(model.classify([1, 2, 3]), { code: 'config', parameter: 'model' });
    await assert.rejects(model.classifyTokens([1, 2, 3]), { code: 'config', parameter: 'model' });
    model.free();
  }
});
