import { activationOf, pair, refuse, refuseForeign, refuseSwitches, sizeOf } from './read.js';

const LAYER = 'decoder.layers.N.';
const PROJECTIONS = ['q', 'k', 'v'].map((name) => `${LAYER}self_attn.${name}_proj`);

/** Zhang et al. 2022: GPT-2 with ReLU, its linear maps [out, in]. @type {import('./read.js').Family} */
export const opt = {
  prefix: 'model.',
  tokenizers: ['BPE'],
  layers: 'num_hidden_layers',
  read(config) {
    const heads = sizeOf(config, 'num_attention_heads', { high: 65536 });
    const d_model = sizeOf(config, 'hidden_size', { high: 65536 });
    const { word_embed_proj_dim: width } = config;
    if ((width ?? d_model) !== d_model) {
      refuse(
        'word_embed_proj_dim',
        width,
        `embeddings of another width than hidden_size ${d_model} are not computed here`,
      );
    }
    const needed = { do_layer_norm_before: true, enable_bias: true, layer_norm_elementwise_affine: true };
    for (const name of Object.keys(needed)) {
      if ((config[name] ?? true) !== true) refuse(name, config[name], 'only true is computed here');
    }
    refuseSwitches(config, { _remove_final_layer_norm: 'an OPT without its last LayerNorm is not computed here' });
    refuseForeign(config, heads);
    return {
      kind: 'decoder',
      vocabulary: sizeOf(config, 'vocab_size'),
      d_model,
      heads,
      d_ff: sizeOf(config, 'ffn_dim', { fallback: 3072 }),
      layers: sizeOf(config, 'num_hidden_layers', { high: 64 }),
      maxLength: sizeOf(config, 'max_position_embeddings', { fallback: 2048 }),
      positions: 'learned',
      embeddingScale: false,
      norm: 'pre',
      finalNorm: true,
      epsilon: 1e-5,
      activation: activationOf(config, 'activation_function', 'relu'),
    };
  },
  unusedPositions: () => 2,
  buffers: /^decoder\.version$/,
  tensors: {
    'tok_emb.weight': ['decoder.embed_tokens.weight'],
    'pos_emb.weight': ['decoder.embed_positions.weight'],
    ...pair(`${LAYER}norm1`, `${LAYER}self_attn_layer_norm`),
    [`${LAYER}self_attn.in_proj_weight`]: PROJECTIONS.map((name) => `${name}.weight`),
    [`${LAYER}self_attn.in_proj_bias`]: PROJECTIONS.map((name) => `${name}.bias`),
    ...pair(`${LAYER}self_attn.out_proj`, `${LAYER}self_attn.out_proj`),
    ...pair(`${LAYER}norm2`, `${LAYER}final_layer_norm`),
    ...pair(`${LAYER}linear1`, `${LAYER}fc1`),
    ...pair(`${LAYER}linear2`, `${LAYER}fc2`),
    ...pair('decoder.norm', 'decoder.final_layer_norm'),
  },
  head: { optional: false, settings: { headBias: false }, tensors: {}, table: 'lm_head.weight' },
};
