// Classes of texts: heads of BERT, DistilBERT and RoBERTa, compared with the same arithmetic in double precision from
// the file's tensors. The weights of tests/checkpoints/bert-classes are random but those of its last map, which was
// fitted to 16 sentences of animals and water.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { load, readSafetensors, writeSafetensors } from 'glassformer';
import { classify, loadCheckpoint } from 'glassformer/checkpoints';
import { load as loadWorker } from 'glassformer/worker';

const gf = await load({ variant: 'simd' });
const folder = new URL('../checkpoints/', import.meta.url);
const jsonOf = (path) => JSON.parse(String(readFileSync(new URL(path, folder))));
const tensorsOf = (name) => readSafetensors(readFileSync(new URL(`${name}/model.safetensors`, folder))).tensors;
const TEXTS = ['the creek was cold', 'the dog wanted to jump over it', 'a tired cat'];
const TOLERANCE = 2e-6;

const bert = { config: jsonOf('bert-classes/config.json'), tensors: tensorsOf('bert-classes') };
const tokenizer = jsonOf('bert-classes/tokenizer.json');

/** A tensor of seemingly random numbers. */
const random = (...shape) => ({
  data: Float32Array.from({ length: shape.reduce((a, b) => a * b) }, (_, i) => Math.sin(1000 * (i + 1)) / 3),
  shape,
});

const distilbert = {
  config: { ...jsonOf('distilbert-2l/config.json'), architectures: ['DistilBertForSequenceClassification'] },
  tensors: new Map([
    ...[...tensorsOf('distilbert-2l')].filter(([name]) => !/^vocab/.test(name)),
    ...Object.entries({
      'pre_classifier.weight': random(32, 32),
      'pre_classifier.bias': random(32),
      'classifier.weight': random(3, 32),
      'classifier.bias': random(3),
    }),
  ]),
};

/** @param {{config: any, tensors: Map<string, any>}} checkpoint */
const open = ({ config, tensors }, changes = {}) =>
  gf.loadModel({ config: { ...config, ...changes }, weights: writeSafetensors(tensors), tokenizer });

const linear = (x, { data }, bias) =>
  Array.from(bias.data, (b, row) => x.reduce((sum, each, i) => sum + each * data[row * x.length + i], b));
const SCORES = {
  softmax: (z) => z.map((each) => Math.exp(each) / z.reduce((sum, other) => sum + Math.exp(other), 0)),
  sigmoid: (z) => z.map((each) => 1 / (1 + Math.exp(-each))),
  none: (z) => z,
};

/** The head's output, computed from the vectors of the first tokens. */
function expected(model, rows, tensors, [dense, out], activation, scores) {
  const { ids, typeIds, padding } = rows;
  const { data, shape } = model.forward({ ids, padding, ...(model.config.types && { typeIds }) }).output;
  const part = (name) => [tensors.get(`${name}.weight`), tensors.get(`${name}.bias`)];
  return ids.map((_, row) => {
    const first = Array.from(data.slice(row * shape[1] * shape[2]).slice(0, shape[2]));
    return SCORES[scores](linear(linear(first, ...part(dense)).map(activation), ...part(out)));
  });
}

/** @param {any[]} found @param {number[][]} wanted @param {string[]} labels */
function agrees(found, wanted, labels) {
  assert.equal(found.length, wanted.length);
  for (const [row, { label, score, scores }] of found.entries()) {
    assert.deepEqual(Object.keys(scores), labels);
    labels.forEach((each, i) => {
      const apart = Math.abs(scores[each] - wanted[row][i]);
      assert.ok(apart < TOLERANCE, `${each}: ${scores[each]} for ${wanted[row][i]}`);
    });
    assert.deepEqual([label, score], [labels[wanted[row].indexOf(Math.max(...wanted[row]))], scores[label]]);
  }
}

test('each head gives the scores of its arithmetic in double precision', async () => {
  const problems = { single_label: 'softmax', multi_label: 'sigmoid', regression: 'none' };
  const relu = (x) => Math.max(x, 0);
  for (const [{ config, tensors }, names, activation] of [
    [bert, ['bert.pooler.dense', 'classifier'], Math.tanh],
    [distilbert, ['pre_classifier', 'classifier'], relu],
  ]) {
    for (const [problem, scores] of Object.entries(problems)) {
      const type = problem === 'regression' ? problem : `${problem}_classification`;
      const { model, tokenizer: words, notes } = await open({ config, tensors }, { problem_type: type });
      const rows = words.encode(TEXTS);
      const wanted = expected(model, rows, tensors, names, activation, scores);
      const labels = config.id2label ? Object.values(config.id2label) : ['LABEL_0', 'LABEL_1', 'LABEL_2'];
      agrees(await model.classify(rows), wanted, labels);
      assert.match(notes.join(), new RegExp(`its head has ${labels.length} classes`));
      assert.doesNotMatch(notes.join(), /left over/);
      model.free();
    }
  }
});

test('texts go as they are, also to embed; a clone and a function give the same', async () => {
  const { model, tokenizer: words } = await gf.loadModel(new URL('bert-classes/', folder));
  const found = await model.classify(TEXTS);
  assert.deepEqual(
    found.map(({ label }) => label),
    ['water', 'animal', 'animal'],
  );
  const [{ scores }] = found;
  assert.ok(Math.abs(scores.animal + scores.water - 1) < 1e-6);
  const rows = words.encode(TEXTS);
  for (const same of [await model.classify(rows), classify(model, TEXTS), await model.clone().classify(TEXTS)]) {
    assert.deepEqual(same, found);
  }
  const alone = await model.classify(TEXTS[2]);
  assert.ok(Math.abs(alone[0].score - found[2].score) < TOLERANCE);
  assert.deepEqual(await model.classify(words.encode(TEXTS[2]).ids), alone);
  assert.deepEqual(await model.embed(TEXTS), await model.embed(rows));
  const { model: bare } = await gf.loadModel({ config: bert.config, weights: writeSafetensors(bert.tensors) });
  assert.deepEqual(await bare.classify(rows), found);
  await assert.rejects(bare.classify(TEXTS), { code: 'type', parameter: 'ids' });
});

test('a worker opens folders, and gives the same weights, classes, refusals and files', async () => {
  const far = await loadWorker({ variant: 'simd' });
  try {
    for (const name of ['bert-classes', 'distilbert-2l', 'gpt2-2l', 'gpt2-bare-bf16', 'gpt-neo-4l']) {
      const here = await gf.loadModel(new URL(`${name}/`, folder));
      const there = await far.loadModel(new URL(`${name}/`, folder));
      assert.deepEqual([there.family, there.notes, there.model.config], [here.family, here.notes, here.model.config]);
      assert.deepEqual(await there.model.weights(), here.model.weights());
      const rows = there.tokenizer.encode(TEXTS);
      assert.deepEqual(await there.model.embed(rows), await here.model.embed(rows));
      const names = /** @type {const} */ ({ format: 'huggingface' });
      assert.deepEqual(await there.model.save(names), await here.model.save(names));
      if (name === 'bert-classes') assert.deepEqual(await there.model.classify(rows), await here.model.classify(rows));
      else await assert.rejects(there.model.classify(rows), { code: 'config', parameter: 'model' });
    }
    const tensors = new Map(bert.tensors);
    tensors.set('cls.predictions.bias', random(84));
    const lacks = { config: bert.config, weights: writeSafetensors(tensors) };
    await assert.rejects(far.loadModel(lacks), {
      code: 'missing',
      parameter: 'cls.predictions.transform.dense.weight',
    });
    const bad = new Map(bert.tensors).set('classifier.bias', { data: [1, NaN], shape: [2] });
    const damaged = { config: bert.config, weights: writeSafetensors(bad) };
    await assert.rejects(far.loadModel(damaged), { code: 'number', parameter: 'classifier.bias' });
    await assert.rejects(far.loadModel('hub:a'), { name: 'GlassformerError' });
  } finally {
    far.terminate();
  }
});

test('a RoBERTa with the numbers of a BERT gives the same bits', async () => {
  const tensors = new Map(
    [...bert.tensors].map(([name, tensor]) => [
      name.replace(/^bert\.pooler\./, 'classifier.').replace(/^classifier\.(?!dense)/, 'classifier.out_proj.'),
      tensor,
    ]),
  );
  const named = new Map([...tensors].map(([name, tensor]) => [name.replace(/^bert\./, 'roberta.'), tensor]));
  const at = 'roberta.embeddings.position_embeddings.weight';
  const { data, shape } = named.get(at);
  named.set(at, { data: Float32Array.of(...new Float32Array(2 * shape[1]), ...data), shape: [shape[0] + 2, shape[1]] });
  const changes = { model_type: 'roberta', max_position_embeddings: 34, pad_token_id: 1 };
  const config = { ...bert.config, ...changes, architectures: ['RobertaForSequenceClassification'] };
  const { model } = await gf.loadModel({ config, weights: writeSafetensors(named) });
  const { model: other, tokenizer: words } = await open(bert);
  const rows = words.encode(TEXTS);
  assert.deepEqual(await model.classify(rows), await other.classify(rows));
});

test('a single class is a sigmoid', async () => {
  const tensors = new Map(bert.tensors);
  tensors.set('classifier.weight', random(1, 16)).set('classifier.bias', random(1));
  const { model } = await open({ config: bert.config, tensors }, { id2label: { 0: 'alike' } });
  const [{ score, scores }] = await model.classify(TEXTS);
  assert.ok(score > 0 && score < 1);
  assert.deepEqual(scores, { alike: score });
});

test('what has no such head, or one that is not read, is refused by name', async () => {
  const rows = [[2, 10, 3]];
  const refused = async (checkpoint, changes, message) => {
    const { model } = await open(checkpoint, changes);
    const why = { code: 'config', parameter: 'model', message };
    await assert.rejects(model.classify(rows), why);
    assert.throws(() => classify(model, rows), why);
  };
  await refused(bert, { architectures: ['BertForTokenClassification'] }, /got "BertForTokenClassification"$/);
  await refused(bert, { architectures: undefined }, /has no head for classes of texts/);
  await refused(bert, { architectures: { 0: 'BertForSequenceClassification' } }, /has no head/);
  const fewer = new Map([...bert.tensors].filter(([name]) => name !== 'classifier.bias'));
  await refused({ ...bert, tensors: fewer }, {}, /has no head/);
  const { model } = await open(bert);
  await assert.rejects(model.classify(rows, { topK: 1 }), { code: 'unknown', parameter: 'topK' });
  await assert.rejects(model.classify(), { code: 'missing', parameter: 'options' });

  const damaged = (changes, code, parameter, tensors = bert.tensors) =>
    assert.rejects(open({ ...bert, tensors }, changes), { code, parameter });
  const wide = new Map(bert.tensors).set('bert.pooler.dense.weight', random(16, 8));
  await damaged({}, 'shape', 'bert.pooler.dense.weight', wide);
  const bad = new Map(bert.tensors).set('classifier.bias', { data: [1, NaN], shape: [2] });
  await damaged({}, 'number', 'classifier.bias', bad);
  await assert.rejects(loadCheckpoint(gf, { config: bert.config, weights: writeSafetensors(wide) }));
});

test('odd labels open and are noted; classes that share a name differ by their numbers', async () => {
  const [{ scores: wanted }] = await (await open(bert)).model.classify(TEXTS[0]);
  const values = Object.values(wanted);
  for (const [id2label, keys, label, note] of [
    [{ 0: 0, 1: 1 }, ['0', '1'], '1', ''],
    [{ 0: false, 1: true }, ['false', 'true'], 'true', ''],
    [['a', 'b'], ['a', 'b'], 'b', ''],
    [{ 0: 'x', 1: 'x' }, ['0', '1'], 'x', 'some classes have the same name: index tells them apart'],
    [{ 0: 'a', 1: 'b', 2: 'c' }, ['a', 'b'], 'b', 'id2label lists 3 classes: those from 2 on are not used'],
    ...[{ 0: 'one' }, { 0: 'one', 1: {} }, { 0: 'one', 1: null }].map((odd) => [
      ...[odd, ['one', 'LABEL_1'], 'LABEL_1'],
      'id2label names 1 of them; the others are called LABEL_ and number',
    ]),
    ...[1, 'ab', true].map((odd) => [
      ...[odd, ['LABEL_0', 'LABEL_1'], 'LABEL_1'],
      'id2label names 0 of them; the others are called LABEL_ and number',
    ]),
  ]) {
    const { model, notes } = await open(bert, { id2label });
    const [head, ...others] = notes.slice(notes.indexOf('its head has 2 classes: model.classify(texts)'));
    assert.deepEqual([head, others], ['its head has 2 classes: model.classify(texts)', note ? [note] : []]);
    const [found] = await model.classify(TEXTS[0]);
    const scores = { [keys[0]]: values[0], [keys[1]]: values[1] };
    assert.deepEqual(found, { label, index: 1, score: values[1], scores }, JSON.stringify(id2label));
    model.free();
  }
});

test('a problem that is not known costs classify alone', async () => {
  for (const problem of ['toString', 5, {}]) {
    const { model } = await open(bert, { problem_type: problem });
    assert.equal((await model.embed(TEXTS)).shape[0], 3);
    await assert.rejects(model.classify(TEXTS), { code: 'unsupported', parameter: 'config.problem_type' });
    model.free();
  }
});

test('200,000 classes', async () => {
  const N = 200_000;
  const tensors = new Map(bert.tensors)
    .set('classifier.weight', { data: new Float32Array(16 * N).fill(0.01), shape: [N, 16] })
    .set('classifier.bias', { data: Float32Array.from({ length: N }, (_, i) => Number(i === 123_456)), shape: [N] });
  const { model } = await open({ ...bert, tensors }, { id2label: undefined });
  const [{ label, index, score, scores }] = await model.classify(TEXTS[0]);
  assert.deepEqual([label, index, score], ['LABEL_123456', 123_456, scores.LABEL_123456]);
  const others = (1 - score) / (N - 1);
  assert.ok(Math.abs(scores.LABEL_0 / others - 1) < 1e-3 && Math.abs(score / others / Math.E - 1) < 1e-3);
});
