import { DECODER, OF_TODAY, SIZES, cutAt, namedSettings, pair, plain, refuseForeign } from './read.js';
import { ropeWidthOf, rotaryOf, scalingFor, shareFor } from './rotary.js';

const LAYER = 'decoder.layers.N.';
const FILE = 'layers.N.';

const ROTARY = {
  theta: ['rotary_emb_base', 'rope_theta'],
  share: ['rotary_pct', 'partial_rotary_factor'],
  whole: 0.25,
};

/** Rows of the file: query, key and value of head 0, of head 1, … @type {import('./read.js').Cut} */
function byHead(rows, { heads = 1 }) {
  const width = rows / 3 / heads;
  const spans = Array.from({ length: 3 * heads }, (_, i) => {
    const to = ((i % 3) * heads + Math.floor(i / 3)) * width;
    return { from: i * width, rows: width, to };
  });
  return { total: rows, spans };
}

/** @param {number} d_model @param {number} heads */
const widthOf = (d_model, heads) => Math.floor(d_model / heads);

/**
 * Black et al. 2022, GPT-NeoX, and Pythia: a part of each head turns, attention and FFN stand side by side.
 * @type {import('./read.js').Family}
 */
export const neox = {
  prefix: 'gpt_neox.',
  tokenizers: ['BPE'],
  classes: ['GPTNeoXModel', 'GPTNeoXForCausalLM'],
  names: SIZES,
  untied: true,
  read(config) {
    const settings = namedSettings(config, SIZES, { d_ff: 24576, maxLength: 2048, epsilon: 1e-5, activation: 'gelu' });
    const { d_model, heads } = settings;
    refuseForeign(config, heads, OF_TODAY);
    const { angles, ...rotary } = rotaryOf(config, ROTARY);
    const attentionBias = config.attention_bias !== false;
    return {
      ...DECODER,
      ...settings,
      positions: 'rotary',
      ...angles,
      ropeWidth: ropeWidthOf(rotary, widthOf(d_model, heads)),
      parallel: config.use_parallel_residual !== false,
      attentionBias,
      attentionOutBias: attentionBias,
    };
  },
  write({ parallel, attentionBias, ropeTheta, ropeWidth, d_model, heads, ...settings }, given) {
    const { rotary_pct: before, rope_theta: theta, partial_rotary_factor: part } = given;
    const share = shareFor(before ?? part, ropeWidth, widthOf(d_model, heads));
    return {
      use_parallel_residual: parallel,
      attention_bias: attentionBias,
      rotary_pct: share,
      rotary_emb_base: ropeTheta,
      rope_scaling: scalingFor(/** @type {any} */ (settings)),
      rope_parameters: undefined,
      ...(theta !== undefined && { rope_theta: ropeTheta }),
      ...(part !== undefined && { partial_rotary_factor: share }),
    };
  },
  buffers: /^layers\.\d+\.attention\.(bias|masked_bias|rotary_emb\.(inv_freq|cos_cached|sin_cached))$/,
  tensors: {
    'tok_emb.weight': plain('embed_in.weight'),
    ...pair(`${LAYER}norm1`, `${FILE}input_layernorm`),
    [`${LAYER}self_attn.in_proj_weight`]: cutAt(byHead, `${FILE}attention.query_key_value.weight`),
    [`${LAYER}self_attn.in_proj_bias`]: cutAt(byHead, `${FILE}attention.query_key_value.bias`),
    ...pair(`${LAYER}self_attn.out_proj`, `${FILE}attention.dense`),
    ...pair(`${LAYER}norm2`, `${FILE}post_attention_layernorm`),
    ...pair(`${LAYER}linear1`, `${FILE}mlp.dense_h_to_4h`),
    ...pair(`${LAYER}linear2`, `${FILE}mlp.dense_4h_to_h`),
    ...pair('decoder.norm', 'final_layer_norm'),
  },
  head: { optional: false, settings: { headBias: false }, tensors: {}, table: 'embed_out.weight' },
};
