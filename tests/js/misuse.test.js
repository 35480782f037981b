// What a newcomer tries: each misuse is refused by the one class, with a code, the argument and the sentence that
// helps, and changes no weight.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';

import { GlassformerError, load, readSafetensors, writeSafetensors } from 'glassformer';
import { GlassformerError as ErrorOfTasks, Random, Vocabulary, makeReverse, tasks } from 'glassformer/tasks';

const gf = await load({ variant: 'simd' });
const x = gf.tensor([
  [1, 2, 3, 4],
  [5, 6, 7, 8],
]);
const table = gf.tensor([
  [1, 2],
  [3, 4],
  [5, 6],
]);

const SMALL = { d_model: 8, heads: 2, layers: 2, d_ff: 8, seed: 1 };
const encoder = gf.createModel({ ...SMALL, kind: 'encoder', vocabulary: 20 });
const bare = gf.createModel(SMALL);
const decoder = gf.createModel({ ...SMALL, kind: 'decoder', vocabulary: 20, causal: true, head: 'tied' });
const both = gf.createModel({ ...SMALL, kind: 'encoder-decoder', vocabulary: 20, decoderLayers: 1 });
const speaker = gf.createModel({ ...both.config, head: 'tied' });
const learned = gf.createModel({ ...SMALL, kind: 'encoder', vocabulary: 20, positions: 'learned', maxLength: 4 });
const models = { encoder, bare, decoder, both, learned };
const trainer = decoder.trainer({ learningRate: 0.01 });
trainer.step({ ids: [1, 2, 3], labels: [2, 3, 4] });
const freed = gf.createModel({ ...SMALL, kind: 'encoder', vocabulary: 20 });
freed.free();
const ids = [3, 5, 7];
const broken = encoder.weights();
for (const { data } of broken.values()) data.fill(NaN);

const weightsOf = () => {
  const hash = createHash('sha256');
  for (const model of Object.values(models)) for (const { data } of model.weights().values()) hash.update(data);
  for (const part of Object.values(trainer.state())) hash.update(typeof part === 'number' ? String(part) : part);
  return hash.digest('hex');
};

/** @type {[string, () => unknown, string, string, RegExp][]} */
const MISUSES = [
  // a tensor or a number in place of the named arguments
  ['softmax({ x })', () => gf.softmax({ x }), 'type', 'x', /^x: call softmax\(x\), got/],
  ['softmax()', () => gf.softmax(), 'missing', 'x', /^x: call softmax\(x\)$/],
  ['softmax(x, axis)', () => gf.softmax(x, -1), 'unknown', 'arguments', /softmax takes 1, got 2/],
  ['relu(number)', () => gf.relu(3), 'type', 'x', /must be nested arrays or a tensor.*got 3/],
  ['matmul({ a, b })', () => gf.matmul({ a: x, b: x }), 'type', 'a', /call matmul\(a, b, { transposeA, transposeB/],
  [
    'matmul({ a, b, transposeB })',
    () => gf.matmul({ a: x, b: x, transposeB: true }),
    'type',
    'a',
    /call matmul\(a, b, { transposeB }\)/,
  ],
  ['matmul(a, { b })', () => gf.matmul(x, { b: x }), 'type', 'a', /call matmul\(a, b, { transpose/],
  ['matmul(a, b, true)', () => gf.matmul(x, x, true), 'type', 'options', /call matmul\(a, b, {.*got true/],
  ['dot({ a, b })', () => gf.dot({ a: [1, 2], b: [3, 4] }), 'type', 'a', /call dot\(a, b\)/],
  [
    'linear(x, weight, options)',
    () => gf.linear(x, x, { maxOperations: 9 }),
    'type',
    'x',
    /call linear\(x, weight, bias, { maxOperations }\)/,
  ],
  [
    'activation({ x, activation })',
    () => gf.activation({ x, activation: 'relu' }),
    'type',
    'x',
    /call activation\(x, activation\)/,
  ],
  ['gelu(x, { x })', () => gf.gelu(x, { x }), 'type', 'x', /call gelu\(x, { approximate }\)/],
  [
    'attention({ query, key, value, heads })',
    () => gf.attention({ query: x, key: x, value: x, heads: 2 }),
    'type',
    'query',
    /call attention\(query, key, value, { heads }\)/,
  ],
  [
    'positionalEncoding(8, 4)',
    () => gf.positionalEncoding(8, 4),
    'type',
    'options',
    /positionalEncoding\({ d_model, length/,
  ],
  [
    'embedding({ ids, table })',
    () => gf.embedding({ ids: [1], table }),
    'type',
    'ids',
    /call embedding\(ids, table, { scale }\)/,
  ],
  ['layerNorm({ x, epsilon })', () => gf.layerNorm({ x, epsilon: 0 }), 'type', 'x', /call layerNorm\(x, { epsilon }\)/],
  [
    'forward(ids, ids)',
    () => encoder.forward(ids, ids),
    'type',
    'options',
    /must be options by name, as { maxOperations: 1e9 }, got \[3/,
  ],
  ['forward()', () => encoder.forward(), 'missing', 'options', /call forward\({ ids/],
  ['forward(string)', () => encoder.forward('the creek'), 'type', 'ids', /model knows no tokenizer, got "the creek"/],
  ['generate()', () => decoder.generate(), 'missing', 'options', /call generate\({ ids,/],
  ['generate(text)', () => decoder.generate('the creek'), 'type', 'ids', /model knows no tokenizer/],
  [
    'createModel(string)',
    () => gf.createModel('encoder'),
    'type',
    'options',
    /call createModel\({ kind, vocabulary,.*"encoder"/,
  ],
  ['createModel(model)', () => gf.createModel(encoder), 'type', 'options', /got \[object GlassformerModel\]/],
  ['createModel(promise)', () => gf.createModel(Promise.resolve({})), 'type', 'options', /got \[object Promise\]/],
  ['createModel(Map)', () => gf.createModel(new Map()), 'type', 'options', /got \[object Map\]/],
  ['trainer(number)', () => decoder.trainer(0.001), 'type', 'options', /call trainer\({ optimizer, learningRate/],
  ['step(ids, labels)', () => trainer.step(ids, ids), 'type', 'options', /must be options by name/],
  [
    'forward(batch, options)',
    () => encoder.forward({ ids }, { capture: true }, {}),
    'unknown',
    'arguments',
    /forward takes 2, with all names in it, got 3/,
  ],
  [
    'attention(query, key, value, options, more)',
    () => gf.attention(x, x, x, { heads: 2 }, true),
    'unknown',
    'arguments',
    /attention takes 4, got 5/,
  ],
  [
    'step(batch, options)',
    () => trainer.step({ ids, labels: ids }, { learningRate: 1 }),
    'unknown',
    'learningRate',
    /unknown; known are ids/,
  ],
  [
    'a method without its object',
    () => (0, encoder.forward)({ ids }),
    'foreign',
    'this',
    /call x\.method\(\), not method\(\)/,
  ],

  // names
  ['softmax(x, { axis })', () => gf.softmax(x, { axis: -1 }), 'unknown', 'arguments', /softmax takes 1, got 2/],
  ['softmax({ input })', () => gf.softmax({ input: x }), 'type', 'x', /must be nested arrays or a tensor/],
  [
    'attention({ num_heads })',
    () => gf.attention(x, x, x, { num_heads: 2 }),
    'unknown',
    'num_heads',
    /did you mean heads\?/,
  ],
  [
    'attention({ keyPad })',
    () => gf.attention(x, x, x, { keyPad: x }),
    'unknown',
    'keyPad',
    /did you mean keyPadding\?/,
  ],
  [
    'attention({ is_causal })',
    () => gf.attention(x, x, x, { is_causal: true }),
    'unknown',
    'is_causal',
    /mean causal\?/,
  ],
  [
    'matmul({ transpose_b })',
    () => gf.matmul(x, x, { transpose_b: true }),
    'unknown',
    'transpose_b',
    /mean transposeB\?/,
  ],
  ['gelu({ approx })', () => gf.gelu(x, { approx: 'tanh' }), 'unknown', 'approx', /mean approximate\?/],
  ['createModel({ dModel })', () => gf.createModel({ dModel: 64 }), 'unknown', 'dModel', /mean d_model\?/],
  ['createModel({ dmodel })', () => gf.createModel({ dmodel: 64 }), 'unknown', 'dmodel', /mean d_model\?/],
  [
    'createModel({ hidden_size })',
    () => gf.createModel({ hidden_size: 64 }),
    'unknown',
    'hidden_size',
    /mean d_model\?/,
  ],
  ['createModel({ n_embd })', () => gf.createModel({ n_embd: 64 }), 'unknown', 'n_embd', /mean d_model\?/],
  ['createModel({ n_heads })', () => gf.createModel({ n_heads: 4 }), 'unknown', 'n_heads', /mean heads\?/],
  ['createModel({ nhead })', () => gf.createModel({ nhead: 4 }), 'unknown', 'nhead', /mean heads\?/],
  ['createModel({ num_heads })', () => gf.createModel({ num_heads: 4 }), 'unknown', 'num_heads', /mean heads\?/],
  ['createModel({ numLayers })', () => gf.createModel({ numLayers: 2 }), 'unknown', 'numLayers', /mean layers\?/],
  [
    'createModel({ num_decoder_layers })',
    () => gf.createModel({ num_decoder_layers: 2 }),
    'unknown',
    'num_decoder_layers',
    /mean decoderLayers\?/,
  ],
  [
    'createModel({ vocab_size })',
    () => gf.createModel({ vocab_size: 99 }),
    'unknown',
    'vocab_size',
    /mean vocabulary\?/,
  ],
  ['createModel({ vocabSize })', () => gf.createModel({ vocabSize: 99 }), 'unknown', 'vocabSize', /mean vocabulary\?/],
  [
    'createModel({ dim_feedforward })',
    () => gf.createModel({ dim_feedforward: 9 }),
    'unknown',
    'dim_feedforward',
    /mean d_ff\?/,
  ],
  ['createModel({ dff })', () => gf.createModel({ dff: 9 }), 'unknown', 'dff', /mean d_ff\?/],
  ['createModel({ max_len })', () => gf.createModel({ max_len: 9 }), 'unknown', 'max_len', /mean maxLength\?/],
  ['createModel({ Seed })', () => gf.createModel({ Seed: 9 }), 'unknown', 'Seed', /mean seed\?/],
  [
    'createModel({ activaton })',
    () => gf.createModel({ activaton: 'gelu' }),
    'unknown',
    'activaton',
    /mean activation\?/,
  ],
  ['trainer({ lr })', () => decoder.trainer({ lr: 1 }), 'unknown', 'lr', /mean learningRate\?/],
  [
    'trainer({ learning_rate })',
    () => decoder.trainer({ learning_rate: 1 }),
    'unknown',
    'learning_rate',
    /mean learningRate\?/,
  ],
  [
    'trainer({ weight_decay })',
    () => decoder.trainer({ weight_decay: 1 }),
    'unknown',
    'weight_decay',
    /mean weightDecay\?/,
  ],
  ['trainer({ optimiser })', () => decoder.trainer({ optimiser: 'sgd' }), 'unknown', 'optimiser', /mean optimizer\?/],
  ['trainer({ warmup_steps })', () => decoder.trainer({ warmup_steps: 5 }), 'unknown', 'warmup_steps', /mean warmup\?/],
  [
    'generate({ max_tokens })',
    () => decoder.generateSync({ ids, max_tokens: 3 }),
    'unknown',
    'max_tokens',
    /mean maxTokens\?/,
  ],
  [
    'generate({ max_new_tokens })',
    () => decoder.generateSync({ ids, max_new_tokens: 3 }),
    'unknown',
    'max_new_tokens',
    /mean maxTokens\?/,
  ],
  [
    'generate({ top_k })',
    () => decoder.generateSync({ ids, maxTokens: 1, top_k: 3 }),
    'unknown',
    'top_k',
    /mean topK\?/,
  ],
  [
    'generate({ temp })',
    () => decoder.generateSync({ ids, maxTokens: 1, temp: 1 }),
    'unknown',
    'temp',
    /mean temperature\?/,
  ],
  ['step({ targets })', () => trainer.step({ ids, targets: ids }), 'unknown', 'targets', /^targets: is labels, got/],
  [
    'ids of an encoder-decoder',
    () => both.forward({ ids }),
    'unknown',
    'ids',
    /^ids: is sourceIds in an encoder-decoder/,
  ],
  [
    'ids beside sourceIds',
    () => speaker.generateSync({ sourceIds: ids, ids: [1] }),
    'unknown',
    'ids',
    /^ids: is targetIds in an encoder-decoder/,
  ],
  ['forward({ input_ids })', () => encoder.forward({ input_ids: ids }), 'unknown', 'input_ids', /mean ids\?/],
  ['load({ varient })', () => load({ varient: 'simd' }), 'unknown', 'varient', /mean variant\?/],
  ['load(string)', () => load('simd'), 'type', 'options', /call load\({ variant, wasm/],

  // choices: former and other libraries' words
  [
    'schedule paper',
    () => decoder.trainer({ schedule: 'paper' }),
    'config',
    'schedule',
    /'paper' is called 'noam' now/,
  ],
  ['loss squared', () => bare.trainer({ loss: 'squared' }), 'config', 'loss', /'squared' is called 'mse' now/],
  ['kind gpt', () => gf.createModel({ kind: 'gpt' }), 'config', 'kind', /must be one of encoder, decoder,.*got "gpt"/],
  ['activation swish', () => gf.activation(x, 'swish'), 'range', 'activation', /one of relu,.*silu/],
  ['norm before', () => gf.createModel({ norm: 'before' }), 'config', 'norm', /one of none, pre, post/],
  [
    'optimizer adagrad',
    () => decoder.trainer({ optimizer: 'adagrad' }),
    'config',
    'optimizer',
    /one of adamw, adam, sgd/,
  ],

  // settings
  [
    'd_model 10 with 4 heads',
    () => gf.createModel({ d_model: 10, heads: 4 }),
    'config',
    'heads',
    /must divide d_model = 10, got 4/,
  ],
  ['d_model of text', () => gf.createModel({ d_model: '64' }), 'type', 'd_model', /must be an integer, got "64"/],
  ['half a layer', () => gf.createModel({ layers: 1.5 }), 'config', 'layers', /an integer from 0 to 64, got 1.5/],
  ['head without vocabulary', () => gf.createModel({ head: 'linear' }), 'config', 'head', /./],
  [
    'learning rate below 0',
    () => decoder.trainer({ learningRate: -1 }),
    'config',
    'learningRate',
    /must be 0 or a positive number, got -1/,
  ],
  [
    'learning rate NaN',
    () => decoder.trainer({ learningRate: NaN }),
    'config',
    'learningRate',
    /0 or a positive number, got NaN/,
  ],
  ['dropout 1', () => decoder.trainer({ dropout: 1 }), 'config', 'dropout', /from 0 to 0.999, got 1/],
  ['cross-entropy without head', () => bare.trainer(), 'config', 'loss', /needs a model with a head/],

  // ids
  [
    'ids of a model without vocabulary',
    () => gf.createModel().forward({ ids }),
    'unknown',
    'ids',
    /vocabulary is 0 here, did you mean vectors\?/,
  ],
  ['vectors of one with ids', () => encoder.forward({ vectors: x }), 'unknown', 'vectors', /did you mean ids\?/],
  [
    'id 99 of 20',
    () => encoder.forward({ ids: [3, 99] }),
    'token',
    'ids',
    /^ids\[1\] is 99, the vocabulary has 20 \(0 to 19\)$/,
  ],
  [
    'id -1 in a batch',
    () =>
      encoder.forward({
        ids: [
          [1, 2],
          [3, -1],
        ],
      }),
    'token',
    'ids',
    /^ids\[1\]\[1\] is -1, the vocabulary has 20/,
  ],
  ['half an id', () => encoder.forward({ ids: [1, 1.5] }), 'range', 'ids', /^ids\[1\] must be an integer.*got 1.5/],
  ['ids of text', () => encoder.forward({ ids: ['the'] }), 'type', 'ids', /model knows no tokenizer/],
  ['ids as a text', () => encoder.forward({ ids: 'the' }), 'type', 'ids', /model knows no tokenizer/],
  [
    'ids as floats',
    () => encoder.forward({ ids: Float32Array.of(1) }),
    'dtype',
    'ids',
    /must hold Int32Array or BigInt64Array/,
  ],
  ['one id', () => encoder.forward({ ids: 5 }), 'type', 'ids', /nested arrays or a tensor {data, shape}, got 5/],
  ['no ids', () => encoder.forward({ ids: [] }), 'shape', 'ids', /must not be empty/],
  ['ragged ids', () => encoder.forward({ ids: [[1, 2], [3]] }), 'shape', 'ids', /^ids\[1\] must be an array of 2 like/],
  ['ids of three axes', () => encoder.forward({ ids: [[[1]]] }), 'shape', 'ids', /must have shape \[batch, length\]/],
  ['beyond learned positions', () => learned.forward({ ids: [1, 2, 3, 4, 5] }), 'range', 'ids', /maxLength = 4/],
  [
    'a target of 20',
    () => trainer.step({ ids, labels: [1, 2, 20] }),
    'token',
    'labels',
    /^labels\[2\] is 20, the vocabulary has 20/,
  ],
  ['too few labels', () => trainer.step({ ids, labels: [1, 2] }), 'shape', 'labels', /must have shape \[1, 3\]/],
  ['no labels', () => trainer.step({ ids }), 'missing', 'labels', /needed/],
  ['no target ids', () => both.forward({ sourceIds: ids }), 'missing', 'targetIds', /needed/],
  ['target ids of an encoder', () => encoder.forward({ ids, targetIds: ids }), 'unknown', 'targetIds', /unknown/],

  // tensors
  [
    'flat data',
    () => gf.attention(new Float32Array(8), x, x),
    'shape',
    'query',
    /2 to 4 axes; flat data needs its shape, gf.tensor\(data, shape\), got \[8\]/,
  ],
  [
    'flat vectors',
    () => bare.forward({ vectors: new Float32Array(16) }),
    'shape',
    'vectors',
    /\[batch, length, 8\]; flat data needs its shape/,
  ],
  [
    'vectors of another width',
    () => bare.forward({ vectors: [[1, 2]] }),
    'shape',
    'vectors',
    /\[batch, length, 8\].*, got \[1, 2\]/,
  ],
  ['data without shape', () => gf.softmax({ data: [1, 2] }), 'missing', 'x.shape', /array of positive integers/],
  [
    'a shape that does not fit',
    () => gf.softmax({ data: [1, 2, 3], shape: [2, 2] }),
    'shape',
    'x',
    /product is data.length = 3/,
  ],
  ['a hole in the data', () => gf.softmax([1, undefined, 3]), 'type', 'x', /^x\[1\] must be a number/],
  ['inner axes of a product', () => gf.matmul(x, x), 'shape', 'b', /must have shape \[4, 4\], got \[2, 4\]/],
  [
    'heads that do not divide',
    () => gf.attention(x, x, x, { heads: 3 }),
    'range',
    'heads',
    /must divide the last axis of query, 4/,
  ],
  [
    'a padding of another length',
    () => encoder.forward({ ids, padding: [0, 1] }),
    'shape',
    'padding',
    /must have shape \[1, 3\]/,
  ],
  [
    'a padding of 2',
    () => encoder.forward({ ids, padding: [0, 1, 2] }),
    'range',
    'padding',
    /^padding\[2\] must be an integer from 0 to 1/,
  ],

  // reading
  [
    'a misspelt weight',
    () => encoder.tensor('encoder.layers.1.linear1.wieght'),
    'unknown',
    'name',
    /mean encoder.layers.1.linear1.weight\?/,
  ],
  [
    'a misspelt intermediate',
    () => encoder.tensor('encoder.layers.1.self_attn.weigths'),
    'unknown',
    'name',
    /mean encoder.layers.1.self_attn.weights\?/,
  ],
  [
    'an intermediate without capture',
    () => encoder.tensor('encoder.layers.1.self_attn.weights'),
    'unknown',
    'name',
    /^name: needs capture: true in forward/,
  ],
  [
    'the same of a decoder',
    () => decoder.view('decoder.layers.0.self_attn.scores'),
    'unknown',
    'name',
    /needs capture: true/,
  ],
  [
    'the same of both',
    () => both.tensor('decoder.layers.0.multihead_attn.weights'),
    'unknown',
    'name',
    /needs capture: true/,
  ],
  [
    'a gradient before it is computed',
    () => encoder.tensor('grad.encoder.layers.0.linear1.weight'),
    'unknown',
    'name',
    /needs trainer.gradients\(\)/,
  ],
  [
    'a tensor by number',
    () => encoder.tensor(3),
    'type',
    'selector',
    /must be the name of a tensor, or a selector like { layer: 0, head: 1 }, got 3/,
  ],
  ['nonsense', () => encoder.tensor('§'), 'unknown', 'name', /one of tensors\(\)/],

  // changes to a pass
  [
    'a tensor with a second argument',
    () => encoder.tensor('encoder.layers.0.ffn.activation', { row: 1 }),
    'unknown',
    'arguments',
    /call tensor\({ name, head }\)/,
  ],
  [
    'patches of an object',
    () => encoder.forward({ ids, capture: true, patches: { name: 'x', value: 0 } }),
    'type',
    'patches',
    /array/,
  ],
  [
    'a patch of NaN',
    () => encoder.forward({ ids, capture: true, patches: [{ name: 'encoder.layers.0.ffn.activation', value: NaN }] }),
    'range',
    'patches[0].value',
    /must be a finite number, got NaN/,
  ],
  [
    'a patch of a weight',
    () => encoder.forward({ ids, capture: true, patches: [{ name: 'encoder.layers.0.linear1.weight', value: 0 }] }),
    'range',
    'patches[0].name',
    /intermediate/,
  ],
  [
    'a patch of a misspelt tensor',
    () => encoder.forward({ ids, capture: true, patches: [{ name: 'encoder.layers.0.ffn.activations', value: 0 }] }),
    'unknown',
    'name',
    /mean encoder.layers.0.ffn.activation\?/,
  ],
  [
    'temperature 0',
    () => encoder.forward({ ids, temperature: 0 }),
    'range',
    'temperature',
    /must be a positive number, 1 changes nothing, got 0/,
  ],
  [
    'temperature NaN',
    () => encoder.forward({ ids, temperature: NaN }),
    'range',
    'temperature',
    /a positive number, 1 changes nothing, got NaN/,
  ],
  [
    'temperature of text',
    () => encoder.forward({ ids, temperature: '1' }),
    'type',
    'temperature',
    /must be a number, got "1"/,
  ],

  // generation
  ['generate by an encoder', () => encoder.generateSync({ ids, maxTokens: 2 }), 'config', 'kind', /needs a decoder/],
  [
    'generate without a head',
    () => both.generateSync({ sourceIds: ids, targetIds: [1], maxTokens: 2 }),
    'config',
    'head',
    /needs logits/,
  ],
  [
    'generate below 0 degrees',
    () => decoder.generateSync({ ids, maxTokens: 2, temperature: -1 }),
    'range',
    'temperature',
    /must be 0 or a positive number, got -1/,
  ],
  [
    'generate at NaN',
    () => decoder.generateSync({ ids, maxTokens: 2, temperature: NaN }),
    'range',
    'temperature',
    /0 or a positive number, got NaN/,
  ],
  [
    'generate two at once',
    () => decoder.generateSync({ ids: { data: [1, 2], shape: [2, 1] }, maxTokens: 2 }),
    'shape',
    'ids',
    /must be one sequence/,
  ],
  [
    'topK beyond the vocabulary',
    () => decoder.generateSync({ ids, maxTokens: 1, topK: 21 }),
    'range',
    'topK',
    /from 0 to 20/,
  ],
  [
    'endId beyond the vocabulary',
    () => decoder.generateSync({ ids, maxTokens: 1, endId: 20 }),
    'token',
    'endId',
    /from 0 to 19/,
  ],

  // weights
  ['no weights', () => encoder.loadWeights(), 'missing', 'weights', /Map or an object of tensors by name/],
  [
    'weights of another model',
    () => encoder.loadWeights(decoder.weights()),
    'unknown',
    'decoder.layers.0.self_attn.in_proj_weight',
    /no such weight/,
  ],
  ['one weight', () => encoder.loadWeights({}), 'missing', 'tok_emb.weight', /not given/],
  ['a weight of NaN', () => encoder.loadWeights(broken), 'range', 'tok_emb.weight', /\[0\]\[0\] must be finite/],
  ['no safetensors', () => readSafetensors(new Uint8Array(4)), 'format', undefined, /./],
  ['a seed of 0.5', () => encoder.initialize(0.5), 'range', 'seed', /an integer from 0 to 4294967295/],
  [
    'a snapshot of another model',
    () => trainer.restore({ weights: new Float32Array(3) }),
    'shape',
    'weights',
    /must have shape/,
  ],

  // tasks
  ['a seed of -1', () => new Random(-1), 'range', 'seed', /an integer from 0 to 4294967295, got -1/],
  ['a seed of text', () => tasks.reverse.heldOut('one'), 'type', 'seed', /must be an integer, got "one"/],
  ['an unknown word', () => new Vocabulary(['a', 'b']).id('c'), 'unknown', 'word', /is not in the vocabulary, got "c"/],
  ['an unknown field of a task', () => makeReverse({ lenght: 8 }), 'unknown', 'lenght', /unknown; known are/],

  // as others guess them
  [
    'linear({ weight, bias })',
    () => gf.linear(x, { weight: x, bias: [1] }),
    'type',
    'x',
    /call linear\(x, weight, bias.*got { weight, bias }/,
  ],
  [
    'words as a vocabulary',
    () => gf.createModel({ vocabulary: ['a'] }),
    'type',
    'vocabulary',
    /new Vocabulary\(words\)/,
  ],
  ['a file as text', () => decoder.save('onnx'), 'type', 'options', /call save\({ format: 'onnx' }\)/],
  ['gradients of nothing', () => decoder.gradients(ids), 'missing', 'labels', /labels of a loss, or logit: { at, id }/],
  ['encode()', () => new Vocabulary(['a']).encode(), 'type', 'text', /^text: must be a string$/],
  [
    'classes of one number',
    () => gf.createModel({ ...SMALL, inputWidth: 2, outputWidth: 1 }).trainer(),
    'config',
    'loss',
    /must be 'mse' where outputWidth is 1/,
  ],
  ['a model without head', () => bare.trainer(), 'config', 'loss', /as head: 'tied'/],
  ['patches as an object', () => encoder.forward({ ids, patches: {} }), 'type', 'patches', /array of {name, value}/],
  [
    'a model of the package by its name',
    () => gf.loadModel('glassformer/models/creek'),
    'notFound',
    'file',
    /did you mean import\.meta\.resolve\('glassformer\/models\/creek'\)\?$/,
  ],

  // afterwards
  ['forward after free', () => freed.forward({ ids }), 'freed', 'model', /the encoder of \d+ parameters was freed/],
  ['trainer after free', () => freed.trainer(), 'freed', 'model', /was freed/],
  ['tensors after free', () => freed.tensors(), 'freed', 'model', /was freed/],
];

test('there are enough of them', () => assert.ok(MISUSES.length >= 93, `${MISUSES.length}`));

test('all entries have one error', () => assert.equal(ErrorOfTasks, GlassformerError));

const before = weightsOf();
for (const [name, call, code, parameter, message] of MISUSES) {
  test(name, async () => {
    const thrown = await Promise.resolve()
      .then(call)
      .then(
        () => assert.fail('was taken'),
        (error) => error,
      );
    assert.ok(thrown instanceof GlassformerError, String(thrown.stack));
    assert.match(thrown.message, message);
    assert.equal(thrown.code, code, thrown.message);
    if (parameter !== undefined) assert.equal(thrown.parameter, parameter);
    assert.ok(thrown.message.length < 400, thrown.message);
    assert.equal(weightsOf(), before);
  });
}

test('after all of them everything works', () => {
  assert.equal(writeSafetensors(encoder.weights()).length > 0, true);
  for (const call of [
    () => encoder.forward({ ids }),
    () => decoder.generateSync({ ids, maxTokens: 2 }),
    () => trainer.step({ ids, labels: ids }),
    () => both.forward({ sourceIds: ids, targetIds: ids }),
  ])
    call();
});
