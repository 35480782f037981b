// Public names are camelCase; only the paper's symbols and the dotted names of tensors keep their form. And what an
// unknown name may have meant.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as glassformer from 'glassformer';
import * as tasks from 'glassformer/tasks';
import { nearest } from '../../src/js/arrays/names.js';
import { ALL, METHODS } from '../methods.js';

const CAMEL = /^[a-z][a-z0-9]*(?:[A-Z][a-z0-9]*)*$/;
const PAPER = ['d_model', 'd_ff'];
const CONSTANT = /^[A-Z]+$/;
const CLASS = /^[A-Z][A-Za-z]+$/;

/** Names in a value and below it. @returns {string[]} */
const namesIn = (value, depth = 4) =>
  value === null || typeof value !== 'object' || ArrayBuffer.isView(value) || depth === 0
    ? []
    : Array.isArray(value)
      ? namesIn(value[0], depth - 1)
      : Object.entries(value).flatMap(([name, below]) => [name, ...namesIn(below, depth - 1)]);

test('public names are camelCase, but for those of the paper', async () => {
  const gf = await glassformer.load({ variant: 'simd' });
  const model = gf.createModel({ kind: 'decoder', vocabulary: 5, d_model: 4, heads: 1, d_ff: 4, head: 'tied' });
  const trainer = model.trainer();
  const batch = { ids: [1, 2], labels: [2, 3] };
  const names = [
    ...ALL.flatMap(([, name, { given = {} }]) => [name, ...Object.keys(given)]),
    ...namesIn(model.config),
    ...namesIn(trainer.settings),
    ...namesIn(trainer.step(batch)),
    ...namesIn(trainer.state()),
    ...namesIn(model.forward({ ids: [1, 2], capture: true })),
    ...namesIn(model.tensors()),
    ...namesIn(model.graph()),
    ...namesIn(model.generateSync({ ids: [1], maxTokens: 1 })),
    ...namesIn(gf.attention([[1]], [[1]], [[1]])),
    ...namesIn(gf.layerNorm([1, 2])),
    ...namesIn(gf.crossEntropy([1, 2], { data: [0], shape: [] })),
    ...namesIn(Object.values(tasks.tasks)),
    ...namesIn(tasks.tasks.reverse.heldOut(1)),
  ];
  assert.ok(names.length > 150, `${names.length}`);
  assert.deepEqual(
    [...new Set(names)].filter((name) => !CAMEL.test(name) && !PAPER.includes(name)),
    [],
  );
  const exported = [...Object.keys(glassformer), ...Object.keys(tasks)];
  assert.deepEqual(
    exported.filter((name) => !CAMEL.test(name) && !CLASS.test(name) && !CONSTANT.test(name)),
    [],
  );
  model.free();
});

test('the nearest name: case and marks aside, other words, parts, few letters apart, or none', () => {
  const known = ['kind', 'd_model', 'heads', 'head', 'headBias', 'layers', 'decoderLayers', 'learningRate', 'x'];
  for (const [name, meant] of [
    ['dModel', 'd_model'],
    ['D_MODEL', 'd_model'],
    ['n_heads', 'heads'],
    ['numHeads', 'heads'],
    ['nhead', 'heads'],
    ['layer', 'layers'],
    ['num_decoder_layers', 'decoderLayers'],
    ['lr', 'learningRate'],
    ['leraningRate', 'learningRate'],
    ['hidden_size', 'd_model'],
    ['y', undefined],
    ['', undefined],
    ['__proto__', undefined],
    ['.*', undefined],
    ['something else entirely', undefined],
  ])
    assert.equal(nearest(name, known), meant, name);
  assert.equal(nearest('lr', ['x']), undefined, 'what is not known here is not offered');
});

/** Names of a method's options. @param {import('../methods.js').Row} row */
const argumentsOf = ({ given = {}, order = [] }) => Object.keys(given).filter((name) => !order.includes(name));
const { createModel, forward, generate, trainer, step } = { ...METHODS.engine, ...METHODS.model, ...METHODS.trainer };
/** Of an encoder with types, and of an encoder-decoder: the table's are a decoder's. */
const ONE = [...argumentsOf(forward), 'typeIds'];
const TWO = 'sourceIds sourcePadding mask targetIds targetPadding memoryPadding capture logits patches ablate'.split(
  ' ',
);

/** Foreign names by what they are called here, '-' none, for each call. @type {[string[], Record<string, string>][]} */
const FOREIGN = [
  [
    argumentsOf(createModel),
    {
      d_model: 'hidden_size n_embd embed_dim dim hiddenSize embedding_dim',
      heads: 'num_attention_heads nhead n_head num_heads n_heads',
      layers: 'num_layers num_hidden_layers n_layer numLayers num_encoder_layers',
      decoderLayers: 'num_decoder_layers',
      d_ff: 'dim_feedforward intermediate_size ffn_dim n_inner',
      vocabulary: 'vocab_size vocabSize n_vocab tokenizer',
      maxLength: 'max_position_embeddings n_positions max_length max_len n_ctx block_size max_seq_len',
      epsilon: 'layer_norm_eps layer_norm_epsilon eps',
      types: 'type_vocab_size',
      activation: 'hidden_act activation_function',
      norm: 'norm_first',
      head: 'tie_word_embeddings',
      weights: 'torch_dtype dtype',
      kind: 'type',
      inputWidth: 'inputSize',
      '-': 'dropout batch_first device pad_token_id bos_token_id',
    },
  ],
  [
    ONE,
    {
      ids: 'input_ids src inputIds tokens',
      typeIds: 'token_type_ids segment_ids',
      padding: 'attention_mask src_key_padding_mask',
      mask: 'attn_mask src_mask',
      capture: 'output_attentions output_hidden_states',
      '-': 'position_ids return_dict head_mask',
    },
  ],
  [
    TWO,
    {
      sourceIds: 'src input_ids',
      targetIds: 'tgt decoder_input_ids',
      mask: 'tgt_mask',
      targetPadding: 'tgt_key_padding_mask decoder_attention_mask',
      memoryPadding: 'memory_key_padding_mask',
    },
  ],
  [
    argumentsOf(generate),
    {
      maxTokens: 'max_new_tokens max_length maxNewTokens',
      topK: 'top_k',
      topP: 'top_p',
      repetitionPenalty: 'repetition_penalty',
      temperature: 'do_sample temp',
      endId: 'eos_token_id eos',
      stop: 'stop_sequences stop_strings',
      cache: 'use_cache',
      onToken: 'streamer',
      beams: 'num_beams',
      lengthPenalty: 'length_penalty',
      earlyStopping: 'early_stopping',
      '-': 'num_return_sequences no_repeat_ngram_size',
    },
  ],
  [
    argumentsOf(trainer),
    {
      learningRate: 'lr learning_rate',
      weightDecay: 'weight_decay',
      beta1: 'betas',
      epsilon: 'eps',
      clip: 'max_grad_norm clipNorm',
      warmup: 'warmup_steps num_warmup_steps',
      schedule: 'lr_scheduler_type scheduler',
      steps: 'max_steps',
      loss: 'criterion',
      dropout: 'dropout_rate hidden_dropout_prob',
      labelSmoothing: 'label_smoothing label_smoothing_factor',
      '-': 'epochs batchSize batch_size num_train_epochs shuffle',
    },
  ],
  ['name layer head row index at from value'.split(' '), { value: 'data values' }],

  [argumentsOf(step), { ids: 'input_ids inputs', labels: 'targets', padding: 'attention_mask', '-': 'position_ids' }],
  [
    argumentsOf(METHODS.engine.attention),
    {
      heads: 'num_heads',
      causal: 'is_causal',
      mask: 'attn_mask',
      keyPadding: 'key_padding_mask attention_mask',
      '-': 'dim axis keepdim dropout_p',
    },
  ],
  [argumentsOf(METHODS.engine.matmul), { transposeB: 'transpose_b', transposeA: 'transpose_a', '-': 'dim axis' }],
];

test('a name of another library leads to ours, or to none, never to a wrong one', () => {
  let count = 0;
  for (const [known, ours] of FOREIGN) {
    for (const [name, theirs] of Object.entries(ours)) {
      for (const each of theirs.split(' ')) {
        assert.equal(nearest(each, known), name === '-' ? undefined : name, `${each} among ${known}`);
        count++;
      }
    }
  }
  assert.ok(count >= 75, `${count}`);
});
