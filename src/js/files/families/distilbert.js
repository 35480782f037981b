import { ENCODER, namedSettings, pair, plain, refuseForeign } from './read.js';

const LAYER = 'encoder.layers.N.';
const FILE = 'transformer.layer.N.';
const PROJECTIONS = ['q', 'k', 'v'].map((name) => `${FILE}attention.${name}_lin`);

const NAMES = {
  vocabulary: 'vocab_size',
  d_model: 'dim',
  heads: 'n_heads',
  d_ff: 'hidden_dim',
  layers: 'n_layers',
  maxLength: 'max_position_embeddings',
  activation: 'activation',
};

/** Sanh et al. 2019, "DistilBERT": BERT without token types. @type {import('./read.js').Family} */
export const distilbert = {
  prefix: 'distilbert.',
  tokenizers: ['WordPiece'],
  classes: ['DistilBertModel', 'DistilBertForMaskedLM'],
  names: NAMES,
  // Positions are learned also where they began as sinusoids (sinusoidal_pos_embds): the file has their table.
  read(config) {
    const fallbacks = /** @type {const} */ ({ d_ff: 3072, maxLength: 512, epsilon: 1e-12, activation: 'gelu' });
    const settings = namedSettings(config, NAMES, fallbacks);
    refuseForeign(config, settings.heads);
    return { ...ENCODER, ...settings };
  },
  buffers: /^embeddings\.position_ids$/,
  tensors: {
    'tok_emb.weight': plain('embeddings.word_embeddings.weight'),
    'pos_emb.weight': plain('embeddings.position_embeddings.weight'),
    ...pair('emb_ln', 'embeddings.LayerNorm'),
    [`${LAYER}self_attn.in_proj_weight`]: plain(...PROJECTIONS.map((name) => `${name}.weight`)),
    [`${LAYER}self_attn.in_proj_bias`]: plain(...PROJECTIONS.map((name) => `${name}.bias`)),
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
      'generator.bias': plain('vocab_projector.bias'),
    },
    table: 'vocab_projector.weight',
  },
  classifier: { dense: 'pre_classifier', activation: 'relu', out: 'classifier' },
};
