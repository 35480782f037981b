import { activationOf, epsilonOf, pair, refuseForeign, refuseSwitches, sizeOf } from './read.js';

const LAYER = 'decoder.layers.N.';
const FILE = 'h.N.';

/** Radford et al. 2019; its linear maps are stored [in, out]. @type {import('./read.js').Family} */
export const gpt2 = {
  prefix: 'transformer.',
  tokenizers: ['BPE'],
  layers: 'n_layer',
  read(config) {
    const heads = sizeOf(config, 'n_head', { high: 65536 });
    const d_model = sizeOf(config, 'n_embd', { high: 65536 });
    refuseForeign(config, heads);
    refuseSwitches(config, {
      scale_attn_by_inverse_layer_idx: 'scores divided by the number of the layer are not computed here',
      add_cross_attention: 'cross-attention of a GPT-2 is not computed here',
    });
    return {
      kind: 'decoder',
      vocabulary: sizeOf(config, 'vocab_size'),
      d_model,
      heads,
      d_ff: sizeOf(config, 'n_inner', { fallback: 4 * d_model }),
      layers: sizeOf(config, 'n_layer', { high: 64 }),
      maxLength: sizeOf(config, 'n_positions', { fallback: /** @type {any} */ (config.n_ctx ?? 1024) }),
      positions: 'learned',
      embeddingScale: false,
      norm: 'pre',
      finalNorm: true,
      epsilon: epsilonOf(config, 'layer_norm_epsilon', 1e-5),
      scoreScale: config.scale_attn_weights !== false,
      activation: activationOf(config, 'activation_function', 'gelu_new'),
    };
  },
  buffers: /^h\.\d+\.attn\.(bias|masked_bias)$/,
  tensors: {
    'tok_emb.weight': ['wte.weight'],
    'pos_emb.weight': ['wpe.weight'],
    ...pair(`${LAYER}norm1`, `${FILE}ln_1`),
    [`${LAYER}self_attn.in_proj_weight`]: [{ transposed: `${FILE}attn.c_attn.weight` }],
    [`${LAYER}self_attn.in_proj_bias`]: [`${FILE}attn.c_attn.bias`],
    ...pair(`${LAYER}self_attn.out_proj`, `${FILE}attn.c_proj`, true),
    ...pair(`${LAYER}norm2`, `${FILE}ln_2`),
    ...pair(`${LAYER}linear1`, `${FILE}mlp.c_fc`, true),
    ...pair(`${LAYER}linear2`, `${FILE}mlp.c_proj`, true),
    ...pair('decoder.norm', 'ln_f'),
  },
  head: { optional: false, settings: { headBias: false }, tensors: {}, table: 'lm_head.weight' },
};
