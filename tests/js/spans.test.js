// Answers that are spans of a text: the loss over places and its gradients against double precision and differences,
// training, answers, folders of …ForQuestionAnswering, workers, and what is refused.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { load, readSafetensors } from 'glassformer';
import { answer as answerOf } from 'glassformer/checkpoints';

const gf = await load({ variant: 'simd' });
const there = await load({ variant: 'simd', worker: true });
after(() => there.terminate());
const folder = 'dist/checkpoints/bert/';
const { model: bert, tokenizer } = await gf.loadModel(folder);

const small = (/** @type {any} */ changes = {}) =>
  gf.createModel({ kind: 'encoder', vocabulary: 20, d_model: 8, heads: 2, d_ff: 16, layers: 1, seed: 3, ...changes });
const IDS = [
  [5, 6, 7, 8, 9],
  [3, 4, 5, 0, 0],
];
const PADDING = [
  [0, 0, 0, 0, 0],
  [0, 0, 0, 1, 1],
];
const SPANS = [
  [1, 3],
  [2, 2],
];

/** The mean cross-entropy of starts and ends over the places that are seen, in double precision. */
function reference(/** @type {ArrayLike<number>} */ values, /** @type {number[][]} */ spans, S = 5) {
  /** @type {number[]} */
  const losses = [];
  const gradient = new Float64Array(values.length);
  for (const [row, ends] of spans.entries()) {
    for (const [output, place] of ends.entries()) {
      if (place < 0) continue;
      const seen = [...Array(S).keys()].filter((at) => !PADDING[row][at]);
      const of = (/** @type {number} */ at) => values[(row * S + at) * 2 + output];
      const most = Math.max(...seen.map(of));
      const total = seen.reduce((sum, at) => sum + Math.exp(of(at) - most), 0);
      losses.push(Math.log(total) + most - of(place));
      for (const at of seen)
        gradient[(row * S + at) * 2 + output] = Math.exp(of(at) - most) / total - Number(at === place);
    }
  }
  const loss = losses.reduce((a, b) => a + b, 0) / losses.length;
  return { loss, gradient: gradient.map((each) => each / losses.length), count: losses.length };
}

test('the loss over places, and its gradient at the values, are those of double precision', async () => {
  const model = await small().clone({ head: 'spans', seed: 8 });
  assert.equal(model.config.outputWidth, 2);
  const trainer = await model.trainer({ loss: 'spans' });
  for (const spans of [
    SPANS,
    [
      [0, 4],
      [-100, -100],
    ],
    [
      [4, 4],
      [-100, -100],
    ],
  ]) {
    const batch = { ids: IDS, padding: PADDING, spans };
    const values = model.forward({ ids: IDS, padding: PADDING }).values?.data ?? [];
    const wanted = reference(values, spans);
    const { loss, count } = trainer.loss(batch);
    assert.ok(Math.abs(loss - wanted.loss) < 1e-6 * (1 + wanted.loss), `${loss} ${wanted.loss}`);
    assert.equal(count, wanted.count);
    const found = trainer.gradients(batch);
    assert.deepEqual([found.loss, found.count], [loss, count]);
    const bias = [0, 1].map((output) => wanted.gradient.filter((_, i) => i % 2 === output).reduce((a, b) => a + b, 0));
    const got = model.tensor('grad.output_proj.bias').data;
    bias.forEach((each, i) => assert.ok(Math.abs(got[i] - each) < 1e-6, `${got[i]} ${each}`));
  }
});

test('gradients of weights are the differences of the loss', async () => {
  const model = await small({ activation: 'gelu' }).clone({ head: 'spans', seed: 8 });
  const trainer = await model.trainer({ loss: 'spans' });
  const batch = { ids: IDS, padding: PADDING, spans: SPANS };
  trainer.gradients(batch);
  const names = ['output_proj.weight', 'encoder.layers.0.linear1.weight', 'encoder.layers.0.self_attn.in_proj_weight'];
  const gradients = new Map(names.map((name) => [name, model.tensor(`grad.${name}`).data]));
  const weights = model.weights();
  for (const [name, gradient] of gradients) {
    const largest = gradient.reduce((best, each, i) => (Math.abs(each) > Math.abs(gradient[best]) ? i : best), 0);
    const h = 2 ** -6;
    const at = (/** @type {number} */ change) => {
      const { data, shape } = /** @type {any} */ (weights.get(name));
      const changed = data.slice();
      changed[largest] += change;
      model.loadWeights({ [name]: { data: changed, shape } }, { strict: false });
      const { loss } = trainer.loss(batch);
      model.loadWeights({ [name]: { data, shape } }, { strict: false });
      return loss;
    };
    const slope = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
    const error = Math.abs(slope - gradient[largest]);
    assert.ok(error < 1e-4 + 2e-3 * Math.abs(slope), `${name}: ${slope} ${gradient[largest]}`);
  }
});

test('a row has the loss and the answer that it has without padding', async () => {
  const model = await small().clone({ head: 'spans', seed: 8 });
  const trainer = await model.trainer({ loss: 'spans' });
  const alone = trainer.loss({ ids: [3, 4, 5], spans: [2, 2] }).loss;
  const padded = trainer.loss({ ids: [3, 4, 5, 0, 0], padding: [0, 0, 0, 1, 1], spans: [2, 2] }).loss;
  assert.ok(Math.abs(alone - padded) < 1e-6, `${alone} ${padded}`);
});

test('with dropout a step drops the same numbers for the loss and for the gradients', async () => {
  const settings = { loss: /** @type {const} */ ('spans'), dropout: 0.4, seed: 5, learningRate: 0.01 };
  const run = async () => {
    const trainer = await (await small().clone({ head: 'spans', seed: 8 })).trainer(settings);
    const reports = Array.from({ length: 3 }, () => trainer.step({ ids: IDS, padding: PADDING, spans: SPANS }));
    return [reports, trainer.state()];
  };
  assert.deepEqual(await run(), await run());
  const model = await small().clone({ head: 'spans', seed: 8 });
  const trainer = await model.trainer(settings);
  const { loss } = trainer.gradients({ ids: IDS, padding: PADDING, spans: SPANS });
  const values = model.tensor('values').data; // as the pass backward had them
  assert.ok(Math.abs(loss - reference(values, SPANS).loss) < 1e-6);
});

const TEXTS = ['the creek was cold', 'the dog wanted to jump over the creek', 'the rabbit was hungry'];
const QUESTION = 'the cat';

/** Trains the head to find the last two words. @param {any} reader @param {any} trainer @param {number} steps */
async function taught(reader, trainer, steps) {
  const own = TEXTS.map((text) => tokenizer?.encode(QUESTION, { pair: text }) ?? []);
  for (let i = 0; i < steps; i++) {
    for (const ids of own) {
      const typeIds = /** @type {any} */ (ids).typeIds;
      await trainer.step({ ids: [[...ids]], typeIds: [typeIds], spans: [[ids.length - 3, ids.length - 2]] });
    }
  }
  return reader;
}

test('a head that trains finds its spans; its folder opens with the same answers and logits to the bit', async () => {
  const reader = await bert.clone({ head: 'spans', seed: 2 });
  await taught(reader, await reader.trainer({ loss: 'spans', learningRate: 0.01 }), 25);
  const found = await reader.answer(QUESTION, TEXTS[0]);
  assert.equal(found.text, 'was cold');
  assert.ok(found.probability > 0.5 && found.probability <= 1);
  assert.equal(found.end - found.start, 1);
  assert.equal((await reader.answer(QUESTION, TEXTS[0], { longest: 1 })).ids.length, 1);

  const files = await reader.save({ format: 'huggingface' });
  const config = JSON.parse(new TextDecoder().decode(files['config.json']));
  assert.deepEqual(config.architectures, ['BertForQuestionAnswering']);
  const { tensors } = readSafetensors(files['model.safetensors']);
  assert.deepEqual(tensors.get('qa_outputs.weight')?.shape, [2, 16]);
  assert.deepEqual(tensors.get('qa_outputs.bias')?.shape, [2]);
  assert.ok(tensors.has('bert.encoder.layer.0.attention.self.query.weight'));
  const again = await gf.loadModel(files);
  assert.match(again.notes.join(), /model\.answer\(question, text\)/);
  assert.deepEqual(await again.model.answer(QUESTION, TEXTS[0]), found);
  assert.deepEqual(answerOf(again.model, QUESTION, TEXTS[0]), found);
  const encoded = tokenizer?.encode(TEXTS[1]) ?? [];
  const tuned = await again.model.clone({ head: 'spans' });
  assert.deepEqual(tuned.forward(encoded).values, reader.forward(encoded).values);
  assert.deepEqual(await again.model.save({ format: 'huggingface' }), files);

  const own = await gf.loadModel(await reader.save());
  assert.deepEqual(await own.model.answer(QUESTION, TEXTS[0]), found);
});

test('a DistilBERT and a RoBERTa of the same numbers are saved and opened likewise', async () => {
  for (const [name, body] of [
    ['distilbert-2l', 'DistilBert'],
    ['xlm-roberta-2l', 'XLMRoberta'],
  ]) {
    const { model } = await gf.loadModel(`tests/checkpoints/${name}/`);
    const reader = await model.clone({ head: 'spans', seed: 4 });
    const files = await reader.save({ format: 'huggingface' });
    const { architectures } = JSON.parse(new TextDecoder().decode(files['config.json']));
    assert.deepEqual(architectures, [`${body}ForQuestionAnswering`]);
    const again = await gf.loadModel(files);
    const question = { ids: [1, 5, 6, 7, 8, 9], from: 2, to: 6 };
    assert.deepEqual({ ...(await again.model.answer(question)) }, await reader.answer(question), name);
  }
});

test('in a worker the same steps, answers and folders', async () => {
  const far = await (await there.loadModel(folder)).model.clone({ head: 'spans', seed: 2 });
  const near = await bert.clone({ head: 'spans', seed: 2 });
  const settings = { loss: /** @type {const} */ ('spans'), learningRate: 0.01 };
  await taught(far, await far.trainer(settings), 2);
  await taught(near, await near.trainer(settings), 2);
  assert.deepEqual(await far.answer(QUESTION, TEXTS[1]), await near.answer(QUESTION, TEXTS[1]));
  assert.deepEqual(await far.save({ format: 'huggingface' }), await near.save({ format: 'huggingface' }));
  const texts = await (await far.trainer(settings)).loss({ ids: [TEXTS[0]], spans: [[1, 2]] });
  assert.deepEqual(texts, (await near.trainer(settings)).loss({ ids: [TEXTS[0]], spans: [[1, 2]] }));
});

test('a run goes on by its state to the bit; train takes its batches', async () => {
  const settings = { loss: /** @type {const} */ ('spans'), learningRate: 0.01 };
  const batch = { ids: IDS, padding: PADDING, spans: SPANS };
  const straight = await (await small().clone({ head: 'spans' })).trainer(settings);
  await straight.train(/** @type {any} */ (Array(4).fill(batch)));
  const first = await (await small().clone({ head: 'spans' })).trainer(settings);
  for (let i = 0; i < 2; i++) first.step(batch);
  const second = await (await small().clone({ head: 'spans' })).trainer(/** @type {any} */ (first.settings));
  second.resume(first.state());
  for (let i = 0; i < 2; i++) second.step(batch);
  assert.deepEqual(second.state(), straight.state());
  const before = straight.loss(batch).loss;
  for (let i = 0; i < 60; i++) straight.step(batch);
  assert.ok(straight.loss(batch).loss < before / 4);
});

test('what does not fit is refused by name and value, and changes nothing', async () => {
  const model = await small().clone({ head: 'spans' });
  const trainer = await model.trainer({ loss: 'spans' });
  const before = trainer.state();
  /** @type {[any, object][]} */
  const REFUSED = [
    [{ ids: IDS }, { code: 'missing', parameter: 'spans' }],
    [
      { ids: IDS, spans: [[1, 2]] },
      { code: 'shape', parameter: 'spans' },
    ],
    [
      {
        ids: IDS,
        spans: [
          [1, 5],
          [0, 0],
        ],
      },
      { code: 'range', parameter: 'spans[0][1]', value: 5 },
    ],
    [
      {
        ids: IDS,
        spans: [
          [1, 0],
          [0, 0],
        ],
      },
      { code: 'range', parameter: 'spans[0][1]', value: 0 },
    ],
    [
      {
        ids: IDS,
        spans: [
          [1, -100],
          [0, 0],
        ],
      },
      { code: 'range', parameter: 'spans[0][1]', value: -100 },
    ],
    [
      {
        ids: IDS,
        padding: PADDING,
        spans: [
          [1, 2],
          [2, 3],
        ],
      },
      { code: 'range', parameter: 'spans[1][1]', value: 3 },
    ],
    [
      {
        ids: IDS,
        spans: [
          [-100, -100],
          [-100, -100],
        ],
      },
      { code: 'number', parameter: 'spans' },
    ],
    [
      {
        ids: IDS,
        labels: [
          [1, 2],
          [2, 3],
        ],
      },
      { code: 'unknown', parameter: 'labels' },
    ],
    [
      { ids: [[99]], spans: [[0, 0]] },
      { code: 'token', parameter: 'ids' },
    ],
  ];
  for (const [batch, expected] of REFUSED) assert.throws(() => trainer.step(batch), expected);
  const foreign = /** @type {any} */ (small().trainer({ loss: 'mse' }));
  for (const self of [undefined, {}, foreign])
    for (const call of /** @type {const} */ (['step', 'loss', 'gradients']))
      assert.throws(() => trainer[call].call(self, { ids: IDS, spans: SPANS }), { code: 'foreign' }, call);
  assert.deepEqual(trainer.state(), before);
  await assert.rejects(async () => trainer.save(), { code: 'unsupported', parameter: 'loss' });
  const other = (/** @type {any} */ options) => model.trainer({ loss: 'spans', ...options });
  await assert.rejects(other({ adapters: { rank: 1 } }), { code: 'config', parameter: 'adapters' });
  await assert.rejects(other({ shards: 2 }), { code: 'config', parameter: 'shards' });
  await assert.rejects(other({ labelSmoothing: 0.1 }), { code: 'config', parameter: 'labelSmoothing', value: 0.1 });
  await assert.rejects(small().trainer({ loss: 'spans' }), { code: 'config', parameter: 'loss', value: 'spans' });
  const clone = (/** @type {any} */ from, /** @type {any} */ changes = {}) => from.clone({ head: 'spans', ...changes });
  await assert.rejects(clone(small({ kind: 'decoder' })), { code: 'config', parameter: 'kind', value: 'decoder' });
  await assert.rejects(clone(small(), { labels: ['a', 'b'] }), { code: 'unknown', parameter: 'labels' });
  await assert.rejects(bert.answer('who', 'the creek'), { code: 'config', parameter: 'model' });
  await assert.rejects(model.answer('who', 'the creek'), { code: 'config', parameter: 'question' });
  const reader = await clone(bert);
  await assert.rejects(reader.answer('', 'the creek'), { code: 'type', parameter: 'question' });
  await assert.rejects(reader.answer('who', /** @type {any} */ (7)), { code: 'type', parameter: 'text', value: 7 });
  await assert.rejects(reader.answer('who', 'the creek '.repeat(99)), { code: 'range', parameter: 'text' });
  await assert.rejects(reader.answer('who', 'the creek', { longest: 0 }), { code: 'range', parameter: 'longest' });
  await assert.rejects(model.answer({ ids: [1, 2, 3], from: 2, to: 2 }), { code: 'range', parameter: 'to', value: 2 });
  await assert.rejects(model.answer({ ids: [1, 2, 3], from: 2, to: 4 }), { code: 'range', parameter: 'to', value: 4 });
});
