import { DECODER, namedSettings, pair, plain, refuseForeign, refuseSwitches, transposed } from './read.js';

const LAYER = 'decoder.layers.N.';
const FILE = 'h.N.';

const NAMES = {
  vocabulary: 'vocab_size',
  d_model: 'n_embd',
  heads: 'n_head',
  d_ff: 'n_inner',
  layers: 'n_layer',
  maxLength: 'n_positions',
  epsilon: 'layer_norm_epsilon',
  activation: 'activation_function',
};

/** Radford et al. 2019; its linear maps are stored [in, out]. @type {import('./read.js').Family} */
export const gpt2 = {
  prefix: 'transformer.',
  tokenizers: ['BPE'],
  classes: ['GPT2Model', 'GPT2LMHeadModel'],
  names: NAMES,
  read(config) {
    const maxLength = /** @type {any} */ (config.n_ctx ?? 1024);
    const settings = namedSettings(config, NAMES, { maxLength, epsilon: 1e-5, activation: 'gelu_new' });
    refuseForeign(config, settings.heads);
    refuseSwitches(config, {
      scale_attn_by_inverse_layer_idx: 'scores divided by the number of the layer are not computed here',
      add_cross_attention: 'cross-attention of a GPT-2 is not computed here',
    });
    return { ...DECODER, ...settings, scoreScale: config.scale_attn_weights !== false };
  },
  write: ({ scoreScale }) => ({ scale_attn_weights: scoreScale }),
  buffers: /^h\.\d+\.attn\.(bias|masked_bias)$/,
  tensors: {
    'tok_emb.weight': plain('wte.weight'),
    'pos_emb.weight': plain('wpe.weight'),
    ...pair(`${LAYER}norm1`, `${FILE}ln_1`),
    [`${LAYER}self_attn.in_proj_weight`]: transposed(`${FILE}attn.c_attn.weight`),
    [`${LAYER}self_attn.in_proj_bias`]: plain(`${FILE}attn.c_attn.bias`),
    ...pair(`${LAYER}self_attn.out_proj`, `${FILE}attn.c_proj`, true),
    ...pair(`${LAYER}norm2`, `${FILE}ln_2`),
    ...pair(`${LAYER}linear1`, `${FILE}mlp.c_fc`, true),
    ...pair(`${LAYER}linear2`, `${FILE}mlp.c_proj`, true),
    ...pair('decoder.norm', 'ln_f'),
  },
  head: { optional: false, settings: { headBias: false }, tensors: {}, table: 'lm_head.weight' },
};
