import {
  activationOf,
  byNetwork,
  configOf,
  namedSettings,
  plain,
  refuse,
  refuseForeign,
  refuseSwitches,
  sizeOf,
} from './read.js';

/** @typedef {import('./read.js').ModelConfig} ModelConfig */
/** @typedef {import('./read.js').Family} Family */

const NAMES = {
  vocabulary: 'vocab_size',
  d_model: 'd_model',
  heads: 'num_heads',
  d_ff: 'd_ff',
  layers: 'num_layers',
  decoderLayers: 'num_decoder_layers',
  epsilon: 'layer_norm_epsilon',
  activation: 'dense_act_fn',
};

/** Relative positions never end. */
const ENDLESS = 2 ** 20;
/** The activation that `gated-gelu` means, by its own name. */
const GELU = 'gelu_new';

/** @param {string} to in the module @param {string} from in the file */
const attentionOf = (to, from) => ({
  [`${to}.in_proj_weight`]: plain(...['q', 'k', 'v'].map((name) => `${from}.${name}.weight`)),
  [`${to}.out_proj.weight`]: plain(`${from}.o.weight`),
});

/** @param {'encoder' | 'decoder'} stack @returns {Family['tensors']} */
function stackOf(stack) {
  const at = `${stack}.layers.N.`;
  const file = (/** @type {number} */ part) => `${stack}.block.N.layer.${part}.`;
  const isCrossed = stack === 'decoder';
  const last = isCrossed ? 2 : 1;
  const network = `${file(last)}DenseReluDense.`;
  return {
    [`${stack}.relative_bias.weight`]: plain(`${stack}.block.0.layer.0.SelfAttention.relative_attention_bias.weight`),
    ...attentionOf(`${at}self_attn`, `${file(0)}SelfAttention`),
    [`${at}norm1.weight`]: plain(`${file(0)}layer_norm.weight`),
    ...(isCrossed && {
      ...attentionOf(`${at}multihead_attn`, `${file(1)}EncDecAttention`),
      [`${at}norm2.weight`]: plain(`${file(1)}layer_norm.weight`),
    }),
    [`${at}linear1.weight`]: byNetwork({ plain: `${network}wi.weight`, gated: `${network}wi_0.weight` }),
    [`${at}linear3.weight`]: plain(`${network}wi_1.weight`),
    [`${at}linear2.weight`]: plain(`${network}wo.weight`),
    [`${at}norm${last + 1}.weight`]: plain(`${file(last)}layer_norm.weight`),
    [`${stack}.norm.weight`]: plain(`${stack}.final_layer_norm.weight`),
  };
}

/**
 * The network, as `feed_forward_proj` says it: relu, gated-gelu, gated-silu; newer files say both parts as well.
 * @param {ModelConfig} config
 * @param {string} fallback
 */
function networkOf(config, fallback) {
  const { is_gated_act: isGated, dense_act_fn: named } = config;
  const said = config.feed_forward_proj ?? fallback;
  const [, gate, name] = /^(gated-)?([a-z_]+)$/.exec(String(said)) ?? [];
  if (!name) refuse('feed_forward_proj', said, 'must be the name of an activation, or gated- and such a name');
  const own = said === 'gated-gelu' ? GELU : name;
  const key = named === undefined || named === null ? 'feed_forward_proj' : 'dense_act_fn';
  return /** @type {const} */ ({
    ffn: (isGated ?? gate !== undefined) ? 'gated' : 'plain',
    activation: activationOf({ [key]: named ?? own }, key, 'relu'),
  });
}

/**
 * @param {[string, string]} classes
 * @param {{d_ff: number, network: string, isTied: boolean}} fallbacks those of Hugging Face's classes
 * @returns {Family}
 */
const family = (classes, { d_ff, network, isTied }) => ({
  prefix: '',
  hasSpiece: true,
  startsWithPad: true,
  tokenizers: ['Unigram'],
  classes,
  names: NAMES,
  untied: !isTied,
  read(config) {
    const { num_layers: layers, num_decoder_layers, scale_decoder_outputs: scales, tie_word_embeddings: ties } = config;
    const { activation, ffn } = networkOf(config, network);
    const settings = namedSettings(
      { ...config, num_decoder_layers: num_decoder_layers ?? layers, dense_act_fn: undefined },
      NAMES,
      { maxLength: ENDLESS, epsilon: 1e-6, activation: 'relu', d_ff },
    );
    const { heads, d_model } = settings;
    const width = sizeOf(config, 'd_kv', { fallback: 64, high: 65536 });
    if ((config.is_encoder_decoder ?? true) !== true)
      refuse('is_encoder_decoder', config.is_encoder_decoder, 'a part of such a model alone is not computed here');
    refuseSwitches(config, { tie_encoder_decoder: 'one stack in the place of two is not computed here' });
    refuseForeign(config, heads, ['relative_attention_num_buckets']);
    return {
      .../** @type {const} */ ({ kind: 'encoder-decoder', positions: 'none', norm: 'pre', normKind: 'rms' }),
      ...{ embeddingScale: false, finalNorm: true, tiedEmbeddings: true, scoreScale: false },
      ...{ attentionBias: false, ffnBias: false },
      ...settings,
      ...{ activation, ffn },
      headWidth: width * heads === d_model ? 0 : width,
      relativeBuckets: sizeOf(config, 'relative_attention_num_buckets', { fallback: 32, low: 4, high: 65536 }),
      relativeDistance: sizeOf(config, 'relative_attention_max_distance', { fallback: 128 }),
      headScale: (scales ?? ties ?? isTied) === true,
    };
  },
  write({ layers, heads, headWidth, d_model, ffn, activation, head, headScale, ...others }) {
    const isOwn = headScale !== (head !== 'linear');
    const { dense_act_fn: named } = configOf({ activation }, NAMES);
    const name = named === GELU && ffn === 'gated' ? 'gelu' : named === 'gelu' ? 'gelu_python' : named;
    return {
      ...{ d_kv: headWidth || d_model / heads, num_hidden_layers: layers, is_encoder_decoder: true },
      feed_forward_proj: `${ffn === 'gated' ? 'gated-' : ''}${name}`,
      ...{ dense_act_fn: undefined, is_gated_act: undefined },
      relative_attention_num_buckets: others.relativeBuckets,
      relative_attention_max_distance: others.relativeDistance,
      scale_decoder_outputs: isOwn ? headScale : undefined,
    };
  },
  buffers: /^decoder\.block\.0\.layer\.1\.EncDecAttention\.relative_attention_bias\.weight$/,
  copies: ['encoder.embed_tokens.weight', 'decoder.embed_tokens.weight'],
  tensors: { 'src_emb.weight': plain('shared.weight'), ...stackOf('encoder'), ...stackOf('decoder') },
  head: { optional: false, settings: { headBias: false }, tensors: {}, table: 'lm_head.weight' },
});

/** Raffel et al. 2020; version 1.1 and Flan-T5 have gated networks and a head of their own. */
export const t5 = family(['T5Model', 'T5ForConditionalGeneration'], { d_ff: 2048, network: 'relu', isTied: true });

/** Xue et al. 2021. */
export const mt5 = family(['MT5Model', 'MT5ForConditionalGeneration'], {
  d_ff: 1024,
  network: 'gated-gelu',
  isTied: false,
});
