import { activationOf, pair, refuseForeign, sizeOf } from './read.js';

const LAYER = 'encoder.layers.N.';
const FILE = 'transformer.layer.N.';
const PROJECTIONS = ['q', 'k', 'v'].map((name) => `${FILE}attention.${name}_lin`);

/** Sanh et al. 2019, "DistilBERT": BERT without token types. @type {import('./read.js').Family} */
export const distilbert = {
  prefix: 'distilbert.',
  tokenizers: ['WordPiece'],
  layers: 'n_layers',
  read(config) {
    const heads = sizeOf(config, 'n_heads', { high: 65536 });
    refuseForeign(config, heads);
    return {
      kind: 'encoder',
      vocabulary: sizeOf(config, 'vocab_size'),
      d_model: sizeOf(config, 'dim', { high: 65536 }),
      heads,
      d_ff: sizeOf(config, 'hidden_dim', { fallback: 3072 }),
      layers: sizeOf(config, 'n_layers', { high: 64 }),
      maxLength: sizeOf(config, 'max_position_embeddings', { fallback: 512 }),
      // Also where they began as sinusoids (sinusoidal_pos_embds): the file has their table.
      positions: 'learned',
      embeddingScale: false,
      embeddingNorm: true,
      norm: 'post',
      epsilon: 1e-12,
      activation: activationOf(config, 'activation', 'gelu'),
    };
  },
  buffers: /^embeddings\.position_ids$/,
  tensors: {
    'tok_emb.weight': ['embeddings.word_embeddings.weight'],
    'pos_emb.weight': ['embeddings.position_embeddings.weight'],
    ...pair('emb_ln', 'embeddings.LayerNorm'),
    [`${LAYER}self_attn.in_proj_weight`]: PROJECTIONS.map((name) => `${name}.weight`),
    [`${LAYER}self_attn.in_proj_bias`]: PROJECTIONS.map((name) => `${name}.bias`),
    ...pair(`${LAYER}self_attn.out_proj`, `${FILE}attention.out_lin`),
    ...pair(`${LAYER}norm1`, `${FILE}sa_layer_norm`),
    ...pair(`${LAYER}linear1`, `${FILE}ffn.lin1`),
    ...pair(`${LAYER}linear2`, `${FILE}ffn.lin2`),
    ...pair(`${LAYER}norm2`, `${FILE}output_layer_norm`),
  },
  head: {
    optional: true,
    settings: { headTransform: true, headBias: true },
    tensors: {
      ...pair('transform.dense', 'vocab_transform'),
      ...pair('transform.norm', 'vocab_layer_norm'),
      'generator.bias': ['vocab_projector.bias'],
    },
    table: 'vocab_projector.weight',
  },
  classifier: { dense: 'pre_classifier', activation: 'relu', out: 'classifier' },
};
