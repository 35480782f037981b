import { DECODER, namedSettings, pair, plain, refuse, refuseForeign, refuseSwitches } from './read.js';

const LAYER = 'decoder.layers.N.';
const PROJECTIONS = ['q', 'k', 'v'].map((name) => `${LAYER}self_attn.${name}_proj`);

const NAMES = {
  vocabulary: 'vocab_size',
  d_model: 'hidden_size',
  heads: 'num_attention_heads',
  d_ff: 'ffn_dim',
  layers: 'num_hidden_layers',
  maxLength: 'max_position_embeddings',
  activation: 'activation_function',
};

/** Zhang et al. 2022: GPT-2 with ReLU, its linear maps [out, in]. @type {import('./read.js').Family} */
export const opt = {
  prefix: 'model.',
  tokenizers: ['BPE'],
  classes: ['OPTModel', 'OPTForCausalLM'],
  names: NAMES,
  read(config) {
    const fallbacks = /** @type {const} */ ({ d_ff: 3072, maxLength: 2048, epsilon: 1e-5, activation: 'relu' });
    const settings = namedSettings(config, NAMES, fallbacks);
    const { d_model, heads } = settings;
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
    return { ...DECODER, ...settings, positionsFrom: 'visible' };
  },
  unusedPositions: () => 2,
  buffers: /^decoder\.version$/,
  tensors: {
    'tok_emb.weight': plain('decoder.embed_tokens.weight'),
    'pos_emb.weight': plain('decoder.embed_positions.weight'),
    ...pair(`${LAYER}norm1`, `${LAYER}self_attn_layer_norm`),
    [`${LAYER}self_attn.in_proj_weight`]: plain(...PROJECTIONS.map((name) => `${name}.weight`)),
    [`${LAYER}self_attn.in_proj_bias`]: plain(...PROJECTIONS.map((name) => `${name}.bias`)),
    ...pair(`${LAYER}self_attn.out_proj`, `${LAYER}self_attn.out_proj`),
    ...pair(`${LAYER}norm2`, `${LAYER}final_layer_norm`),
    ...pair(`${LAYER}linear1`, `${LAYER}fc1`),
    ...pair(`${LAYER}linear2`, `${LAYER}fc2`),
    ...pair('decoder.norm', 'decoder.final_layer_norm'),
  },
  head: { optional: false, settings: { headBias: false }, tensors: {}, table: 'lm_head.weight' },
};
