// The common part of Marian and BART: an encoder–decoder of LayerNorms behind the sublayers, with one table.
import { namedSettings, pair, plain, refuse, refuseForeign, refuseSwitches, row } from './read.js';

/** @typedef {import('./read.js').ModelConfig} ModelConfig */

const NAMES = {
  vocabulary: 'vocab_size',
  d_model: 'd_model',
  heads: 'encoder_attention_heads',
  d_ff: 'encoder_ffn_dim',
  layers: 'encoder_layers',
  decoderLayers: 'decoder_layers',
  maxLength: 'max_position_embeddings',
  activation: 'activation_function',
};

/** Sizes of the decoder that must be those of the encoder, by their names there. @type {[string, string][]} */
const ALIKE = [
  ['decoder_attention_heads', 'encoder_attention_heads'],
  ['decoder_ffn_dim', 'encoder_ffn_dim'],
];

/** @param {string} to in the module @param {string} from in the file */
function attentionOf(to, from) {
  const projections = ['q', 'k', 'v'].map((name) => `${from}.${name}_proj`);
  return {
    [`${to}.in_proj_weight`]: plain(...projections.map((name) => `${name}.weight`)),
    [`${to}.in_proj_bias`]: plain(...projections.map((name) => `${name}.bias`)),
    ...pair(`${to}.out_proj`, `${from}.out_proj`),
  };
}

/** @param {'encoder' | 'decoder'} stack */
function layersOf(stack) {
  const at = `${stack}.layers.N.`;
  const isCrossed = stack === 'decoder';
  return {
    ...attentionOf(`${at}self_attn`, `${at}self_attn`),
    ...pair(`${at}norm1`, `${at}self_attn_layer_norm`),
    ...(isCrossed && {
      ...attentionOf(`${at}multihead_attn`, `${at}encoder_attn`),
      ...pair(`${at}norm2`, `${at}encoder_attn_layer_norm`),
    }),
    ...pair(`${at}linear1`, `${at}fc1`),
    ...pair(`${at}linear2`, `${at}fc2`),
    ...pair(`${at}norm${isCrossed ? 3 : 2}`, `${at}final_layer_norm`),
  };
}

/**
 * @param {ModelConfig} config
 * @param {{maxLength: number, activation: 'gelu', d_ff: number}} fallbacks
 */
function settingsOf(config, fallbacks) {
  const settings = namedSettings(config, NAMES, { ...fallbacks, epsilon: 1e-5 });
  for (const [own, other] of ALIKE) {
    const wanted = config[other];
    if ((config[own] ?? wanted) !== wanted)
      refuse(own, config[own], `must be ${other}, ${wanted}, to be computed here`);
  }
  if ((config.is_encoder_decoder ?? true) !== true)
    refuse('is_encoder_decoder', config.is_encoder_decoder, 'a part of such a model alone is not computed here');
  refuseSwitches(config, { tie_encoder_decoder: 'one stack in the place of two is not computed here' });
  refuseForeign(config, settings.heads);
  return {
    .../** @type {const} */ ({ kind: 'encoder-decoder', positions: 'learned', norm: 'post' }),
    ...{ finalNorm: false, tiedEmbeddings: true, embeddingScale: (config.scale_embedding ?? false) === true },
    ...settings,
  };
}

/**
 * @param {{classes: [string, string], tokenizers: string[], embeddingNorm: boolean}} own
 * @param {Parameters<typeof settingsOf>[1]} fallbacks
 * @returns {import('./read.js').Family}
 */
export const encoderDecoder = ({ classes, tokenizers, embeddingNorm }, fallbacks) => ({
  prefix: 'model.',
  tokenizers,
  classes,
  names: NAMES,
  read: (config) => ({ ...settingsOf(config, fallbacks), embeddingNorm }),
  write: ({ heads, d_ff, layers, embeddingScale }) => ({
    ...{ decoder_attention_heads: heads, decoder_ffn_dim: d_ff, num_hidden_layers: layers },
    ...{ scale_embedding: embeddingScale, is_encoder_decoder: true },
  }),
  buffers: /^(encoder|decoder)\.version$/,
  copies: ['encoder.embed_tokens.weight', 'decoder.embed_tokens.weight'],
  computed: { 'generator.bias': ({ vocabulary = 0 }) => new Float32Array(vocabulary) },
  tensors: {
    'src_emb.weight': plain('shared.weight'),
    'src_pos_emb.weight': plain('encoder.embed_positions.weight'),
    ...(embeddingNorm && pair('src_emb_ln', 'encoder.layernorm_embedding')),
    ...layersOf('encoder'),
    'tgt_pos_emb.weight': plain('decoder.embed_positions.weight'),
    ...(embeddingNorm && pair('tgt_emb_ln', 'decoder.layernorm_embedding')),
    ...layersOf('decoder'),
  },
  head: {
    optional: false,
    settings: { headBias: true },
    tensors: { 'generator.bias': row('final_logits_bias') },
    table: 'lm_head.weight',
  },
});
