// A model whose output has a vocabulary apart from its input's.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load as loadWorker } from 'glassformer/worker';
import { engines } from './engines.js';
import { refused } from './reference.js';

const SIZES = { d_model: 8, heads: 2, d_ff: 16, layers: 1, decoderLayers: 1, seed: 3 };
const [ids, labels] = [
  [0, 4, 2, 2],
  [10, 0, 7, 3],
];

/** Logits from the output, in double. */
function logitsOf(model, { data }) {
  const [weight, bias] = [model.tensor('generator.weight'), model.tensor('generator.bias')];
  const [rows, C] = weight.shape;
  return Array.from({ length: (data.length / C) * rows }, (_, i) => {
    const [at, v] = [Math.floor(i / rows), i % rows];
    let sum = bias.data[v];
    for (let c = 0; c < C; c++) sum += data[at * C + c] * weight.data[v * C + c];
    return sum;
  });
}

for (const gf of engines) {
  const named = (text) => `${text} (${gf.variant})`;

  test(named('logits range over the output vocabulary, in each kind of model; inputs over theirs'), () => {
    for (const [config, inputs, limit] of [
      [{ kind: 'encoder', vocabulary: 5 }, { ids }, 5],
      [{ kind: 'decoder', vocabulary: 5 }, { ids }, 5],
      [{ kind: 'encoder-decoder', vocabulary: 9, targetVocabulary: 5 }, { sourceIds: [8], targetIds: ids }, 5],
      [{ kind: 'encoder-decoder', vocabulary: 5, tiedEmbeddings: true }, { sourceIds: ids, targetIds: ids }, 5],
      [{ kind: 'encoder' }, { vectors: [new Array(8).fill(0.5), new Array(8).fill(-1)] }, 0],
    ]) {
      const model = gf.createModel({ ...SIZES, ...config, head: 'linear', outputVocabulary: 11 });
      const { output, logits } = model.forward(inputs);
      assert.equal(logits.shape.at(-1), 11);
      logitsOf(model, output).forEach((x, i) => assert(Math.abs(x - logits.data[i]) <= 2e-6 * (1 + Math.abs(x))));
      assert.deepEqual(model.tensor('generator.weight').shape, [11, 8]);
      const name = config.kind === 'encoder-decoder' ? 'targetIds' : 'ids';
      if (limit) assert.equal(refused(() => model.forward({ ...inputs, [name]: [limit] }), 'token', name).value, limit);

      const trainer = model.trainer({ learningRate: 0.05, warmup: 0 });
      const batch = { ...inputs, labels: labels.slice(0, logits.shape.at(-2)) };
      const before = trainer.loss(batch).loss;
      for (let i = 0; i < 30; i++) trainer.step(batch);
      assert(trainer.loss(batch).loss < before / 4);
      const over = { ...batch, labels: batch.labels.map(() => 11) };
      assert.equal(refused(() => trainer.loss(over), 'token', 'labels').value, 11);
      model.free();
    }
  });

  test(named('the gradient of its head is that of central differences'), () => {
    const model = gf.createModel({ ...SIZES, kind: 'encoder', vocabulary: 5, head: 'linear', outputVocabulary: 11 });
    const trainer = model.trainer();
    const batch = { ids, labels };
    trainer.gradients(batch);
    for (const name of ['generator.weight', 'generator.bias', 'tok_emb.weight']) {
      const gradient = model.tensor(`grad.${name}`).data;
      const view = model.view(name);
      for (let i = 0; i < view.length; i += 5) {
        const [kept, h] = [view[i], 2 ** -7];
        const [above, below] = [h, -h].map((by) => {
          view[i] = kept + by;
          return trainer.loss(batch).loss;
        });
        view[i] = kept;
        assert(Math.abs((above - below) / (2 * h) - gradient[i]) < 2e-3, `${name}[${i}]`);
      }
    }
    model.free();
  });

  test(named('a table padded to the output gives the same logits, to the bit'), () => {
    const config = { ...SIZES, kind: 'encoder', head: 'linear' };
    const [padded, apart] = [
      gf.createModel({ ...config, vocabulary: 11 }),
      gf.createModel({ ...config, vocabulary: 5, outputVocabulary: 11 }),
    ];
    assert.deepEqual(apart.forward({ ids }).logits, padded.forward({ ids }).logits);
    assert.equal(padded.parameterCount - apart.parameterCount, 6 * SIZES.d_model);
    const same = gf.createModel({ ...config, vocabulary: 11, outputVocabulary: 11 });
    assert.deepEqual(same.forward({ ids }).logits, padded.forward({ ids }).logits);
    for (const model of [padded, apart, same]) model.free();
  });

  test(named('a file keeps it and its words; one without says nothing of it'), async () => {
    const config = { ...SIZES, kind: 'encoder', vocabulary: 2, head: 'linear' };
    const model = gf.createModel({ ...config, outputVocabulary: 3 });
    const words = { vocabulary: ['a', 'b'], outputVocabulary: ['no', 'yes', 'both'] };
    const file = await model.save(words);
    const loaded = await gf.loadModel(file);
    assert.equal(loaded.model.config.outputVocabulary, 3);
    assert.deepEqual(loaded.outputTokenizer.words, words.outputVocabulary);
    assert.equal(loaded.targetTokenizer, undefined);
    assert.deepEqual(loaded.model.weights(), model.weights());
    assert.deepEqual(await loaded.model.save(words), file);
    const few = { code: 'range', parameter: 'outputVocabulary', value: 1 };
    await assert.rejects(model.save({ outputVocabulary: ['no'] }), few);

    const plain = gf.createModel(config);
    const said = (await gf.loadModel(plain.save())).metadata.get('glassformer.config');
    assert(!said.includes('outputVocabulary'));
    assert.equal((await gf.loadModel(plain.save())).model.config.outputVocabulary, 0);

    const trainer = model.trainer({ learningRate: 0.01 });
    trainer.step({ ids: [0, 1], labels: [2, 0] });
    assert.equal((await gf.loadModel(trainer.save())).trainer.steps, 1);
    refused(() => gf.createModel(config).loadWeights(model.weights()), 'shape', 'generator.weight');
    assert.deepEqual(model.clone().weights(), model.weights());
    for (const each of [model, plain, loaded.model]) each.free();
  });
}

test('a worker gives its words as well', async () => {
  const [gf] = engines;
  const model = gf.createModel({ ...SIZES, vocabulary: 2, head: 'linear', outputVocabulary: 3 });
  const remote = await loadWorker({ variant: 'simd' });
  try {
    const { model: loaded, outputTokenizer } = await remote.loadModel(
      await model.save({ outputVocabulary: ['x', 'y', 'z'] }),
    );
    assert.equal(outputTokenizer.decode([2, 0]), 'z x');
    assert.deepEqual((await loaded.forward({ ids: [0, 1] })).logits, model.forward({ ids: [0, 1] }).logits);
  } finally {
    remote.terminate();
  }
});

test('it needs a linear head, and generating one vocabulary for both', () => {
  const [gf] = engines;
  for (const [config, parameter] of [
    [{ kind: 'encoder', vocabulary: 5, head: 'tied', outputVocabulary: 5 }, 'outputVocabulary'],
    [{ kind: 'decoder', vocabulary: 5, outputVocabulary: 9 }, 'outputVocabulary'],
    [{ kind: 'feed-forward', outputVocabulary: 9 }, 'outputVocabulary'],
    [{ kind: 'attention', outputVocabulary: 9, head: 'linear' }, 'head'],
    [{ kind: 'encoder', outputVocabulary: 9, head: 'tied' }, 'head'],
    [{ kind: 'encoder', vocabulary: 5, head: 'linear', outputVocabulary: -1 }, 'outputVocabulary'],
    [{ kind: 'encoder', vocabulary: 5, head: 'linear', outputVocabulary: 2.5 }, 'outputVocabulary'],
  ])
    assert.equal(refused(() => gf.createModel(config), 'config', parameter).value, config[parameter]);
  const { message } = refused(() => gf.createModel({ outputVocabulary: 9 }), 'config', 'outputVocabulary');
  assert.match(message, /needs head: 'linear', got 9/);

  const decoder = { ...SIZES, kind: 'decoder', head: 'linear' };
  const apart = gf.createModel({ ...decoder, vocabulary: 5, outputVocabulary: 9 });
  assert.equal(refused(() => apart.generateSync({ ids, maxTokens: 1 }), 'config', 'outputVocabulary').value, 9);
  const vectors = gf.createModel({ ...decoder, outputVocabulary: 9 });
  refused(() => vectors.generateSync({ ids, maxTokens: 1 }), 'config', 'outputVocabulary');
  const same = gf.createModel({ ...decoder, vocabulary: 5, outputVocabulary: 5 });
  assert.deepEqual(
    same.generateSync({ ids, maxTokens: 4 }),
    gf.createModel({ ...decoder, vocabulary: 5 }).generateSync({ ids, maxTokens: 4 }),
  );
});
