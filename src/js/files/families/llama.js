import { isObject } from '../../arrays/tensor.js';
import {
  DECODER,
  OF_TODAY,
  namedSettings,
  plain,
  refuse,
  refuseForeign,
  refuseSwitches,
  sizeOf,
  windowsOf,
} from './read.js';

/** @typedef {import('./read.js').ModelConfig} ModelConfig */
/** @typedef {import('./read.js').Family} Family */

const LAYER = 'decoder.layers.N.';
const FILE = 'layers.N.';
const PROJECTIONS = ['q', 'k', 'v'].map((name) => `${FILE}self_attn.${name}_proj`);

const NAMES = {
  vocabulary: 'vocab_size',
  d_model: 'hidden_size',
  heads: 'num_attention_heads',
  d_ff: 'intermediate_size',
  layers: 'num_hidden_layers',
  maxLength: 'max_position_embeddings',
  epsilon: 'rms_norm_eps',
  activation: 'hidden_act',
};

/** Common to today's decoders: Touvron et al. 2023, section 2.2, with the weights' names of Llama. */
const BLOCK = /** @type {const} */ ({
  ...DECODER,
  positions: 'rotary',
  normKind: 'rms',
  ffn: 'gated',
  attentionOutBias: false,
});

/** @param {string} name @param {string} from */
const linear = (name, from) => ({
  [`${name}.weight`]: plain(`${from}.weight`),
  [`${name}.bias`]: plain(`${from}.bias`),
});

/** @type {Family['tensors']} */
const TENSORS = {
  'tok_emb.weight': plain('embed_tokens.weight'),
  [`${LAYER}norm1.weight`]: plain(`${FILE}input_layernorm.weight`),
  [`${LAYER}self_attn.in_proj_weight`]: plain(...PROJECTIONS.map((name) => `${name}.weight`)),
  [`${LAYER}self_attn.in_proj_bias`]: plain(...PROJECTIONS.map((name) => `${name}.bias`)),
  [`${LAYER}self_attn.q_norm.weight`]: plain(`${FILE}self_attn.q_norm.weight`),
  [`${LAYER}self_attn.k_norm.weight`]: plain(`${FILE}self_attn.k_norm.weight`),
  ...linear(`${LAYER}self_attn.out_proj`, `${FILE}self_attn.o_proj`),
  [`${LAYER}norm2.weight`]: plain(`${FILE}post_attention_layernorm.weight`),
  ...linear(`${LAYER}linear1`, `${FILE}mlp.gate_proj`),
  ...linear(`${LAYER}linear3`, `${FILE}mlp.up_proj`),
  ...linear(`${LAYER}linear2`, `${FILE}mlp.down_proj`),
  'decoder.norm.weight': plain('norm.weight'),
};

/**
 * @param {[string, string]} classes
 * @param {{keyValueHeads?: number, maxLength: number, d_ff: number}} fallbacks those of Hugging Face's classes
 * @param {(config: ModelConfig, layers: number) => object} own settings of one family
 * @param {NonNullable<Family['write']>} say of config.json, which only that family has
 * @returns {Family}
 */
const family = (classes, { keyValueHeads, ...fallbacks }, own, say) => ({
  prefix: 'model.',
  tokenizers: ['BPE'],
  classes,
  names: NAMES,
  untied: true,
  read(config) {
    const settings = namedSettings(config, NAMES, { ...fallbacks, epsilon: 1e-6, activation: 'silu' });
    const { heads, layers, d_model } = settings;
    const rotary = rotaryOf(config);
    refuseForeign(config, heads, OF_TODAY);
    refuseSwitches(config, { rope_interleaved: 'pairs of neighbours are not turned in models here' });
    // Left out, it is the class's default; null is one for each head.
    const absent = config.num_key_value_heads === undefined && keyValueHeads;
    const groups = sizeOf(config, 'num_key_value_heads', { fallback: absent || heads, high: heads });
    const width = sizeOf(config, 'head_dim', { fallback: headWidthOf(d_model, heads), high: 65536 });
    return {
      ...BLOCK,
      ...settings,
      ...rotary,
      keyValueHeads: groups === heads ? 0 : groups,
      headWidth: width * heads === d_model ? 0 : width,
      attentionBias: false,
      ffnBias: false,
      ...own(config, layers),
    };
  },
  write: (settings, config) => ({
    num_key_value_heads: settings.keyValueHeads || settings.heads,
    head_dim: settings.headWidth || settings.d_model / settings.heads,
    rope_theta: settings.ropeTheta,
    rope_scaling: scalingFor(settings),
    rope_parameters: undefined,
    ...say(settings, config),
  }),
  buffers: /rotary_emb\.inv_freq$/,
  tensors: TENSORS,
  head: { optional: false, settings: { headBias: false }, tensors: {}, table: 'lm_head.weight' },
});

/** Llama 1 to 3, SmolLM, TinyLlama. */
export const llama = family(
  ['LlamaModel', 'LlamaForCausalLM'],
  { maxLength: 2048, d_ff: 11008 },
  (config) => {
    refuseSwitches(config, { sliding_window: 'windows of a Llama are not computed here' });
    const attentionBias = config.attention_bias === true;
    return { attentionBias, attentionOutBias: attentionBias, ffnBias: config.mlp_bias === true };
  },
  ({ attentionBias, ffnBias }) => ({ attention_bias: attentionBias, mlp_bias: ffnBias }),
);

/** Jiang et al. 2023: a window in every layer. */
export const mistral = family(
  ['MistralModel', 'MistralForCausalLM'],
  { keyValueHeads: 8, maxLength: 131072, d_ff: 14336 },
  (config, layers) => windowsOf(config, layers, config.sliding_window === undefined ? 4096 : config.sliding_window, 0),
  ({ window }) => ({ sliding_window: window || null }),
);

/** Qwen 2 and 2.5: biases on queries, keys and values; a window where it is switched on. */
export const qwen2 = family(
  ['Qwen2Model', 'Qwen2ForCausalLM'],
  { keyValueHeads: 32, maxLength: 32768, d_ff: 22016 },
  (config, layers) => {
    refuseSwitches(config, { use_mrope: 'positions of images are not computed here' });
    return { attentionBias: true, ...switchedWindows(config, layers) };
  },
  windowsFor,
);

/** Qwen 3: an RMSNorm over each query and key. */
export const qwen3 = family(
  ['Qwen3Model', 'Qwen3ForCausalLM'],
  { keyValueHeads: 32, maxLength: 32768, d_ff: 22016 },
  (config, layers) => {
    const attentionBias = config.attention_bias === true;
    const width = config.head_dim === undefined ? { headWidth: 128 } : {};
    return {
      qkNorm: true,
      attentionBias,
      attentionOutBias: attentionBias,
      ...width,
      ...switchedWindows(config, layers),
    };
  },
  (settings, config) => ({ attention_bias: settings.attentionBias, ...windowsFor(settings, config) }),
);

/** @param {number} d_model @param {number} heads */
const headWidthOf = (d_model, heads) => Math.floor(d_model / heads);

/** @param {ModelConfig} config @param {number} layers */
function switchedWindows(config, layers) {
  const window = config.use_sliding_window === true ? (config.sliding_window ?? 4096) : null;
  return windowsOf(config, layers, window, sizeOf(config, 'max_window_layers', { fallback: 28, low: 0 }));
}

/**
 * The reverse: windows from a layer on, or where `layer_types` says.
 * @type {NonNullable<Family['write']>}
 */
function windowsFor({ layers, window, globalLayers, globalLayersAbove }, { layer_types: given }) {
  if (!window) return { use_sliding_window: false, ...(given !== undefined && { layer_types: typesOf([], layers) }) };
  const isWide = (/** @type {number} */ i) => ((i < 32 ? globalLayers : globalLayersAbove) >>> (i % 32)) & 1;
  const slides = Array.from({ length: layers }, (_, i) => !isWide(i));
  const first = slides.indexOf(true);
  const isUsual = given === undefined && slides.slice(first).every(Boolean);
  return {
    use_sliding_window: true,
    sliding_window: window,
    max_window_layers: first,
    ...(!isUsual && { layer_types: typesOf(slides, layers) }),
  };
}

/** @param {boolean[]} slides @param {number} layers */
const typesOf = (slides, layers) =>
  Array.from({ length: layers }, (_, i) => `${slides[i] ? 'sliding' : 'full'}_attention`);

/**
 * The angles, as old files say them (`rope_theta`, `rope_scaling`) and new ones (`rope_parameters`).
 * @param {ModelConfig} config
 */
function rotaryOf(config) {
  const [first = 'rope_scaling', second] = ['rope_parameters', 'rope_scaling'].filter(
    (name) => (config[name] ?? null) !== null,
  );
  const angles = anglesOf(config, first);
  if (second && JSON.stringify(anglesOf(config, second)) !== JSON.stringify(angles))
    refuse(second, config[second], `contradicts ${first}`);
  return angles;
}

/**
 * @param {ModelConfig} config
 * @param {string} name
 * @returns {import('../../engine/config.js').Settings}
 */
function anglesOf({ rope_theta: theta, partial_rotary_factor: part, ...config }, name) {
  const given = config[name] ?? {};
  if (!isObject(given)) return refuse(name, given, 'must be an object');
  const number = (/** @type {string} */ key, /** @type {unknown} */ value, low = 0) =>
    typeof value === 'number' && Number.isFinite(value) && value >= low
      ? value
      : refuse(`${name}.${key}`, value, `must be a number from ${low}`);
  const ofPart = given.partial_rotary_factor === undefined ? '' : `${name}.`;
  const share = given.partial_rotary_factor ?? part ?? 1;
  if (share !== 1)
    refuse(
      `${ofPart}partial_rotary_factor`,
      share,
      'must be 1: rotary positions of a part of each head are not computed here',
    );
  const ofKind = Object.keys(given).find((key) => isObject(given[key]));
  if (ofKind)
    refuse(`${name}.${ofKind}`, given[ofKind], 'angles of their own for each kind of layer are not computed here');
  const ropeTheta = number('rope_theta', given.rope_theta ?? theta ?? 10000, 1);
  const type = given.rope_type ?? given.type ?? 'default';
  if (type === 'default') return { ropeTheta };
  if (type === 'linear') return { ropeTheta, ropeScaling: 'linear', ropeFactor: number('factor', given.factor, 1) };
  const key = (given.rope_type ?? null) === null ? 'type' : 'rope_type';
  if (type !== 'llama3') refuse(`${name}.${key}`, type, 'must be one of default, linear, llama3');
  return {
    ropeTheta,
    ropeScaling: 'llama3',
    ropeFactor: number('factor', given.factor, 1),
    ropeLowFrequency: number('low_freq_factor', given.low_freq_factor),
    ropeHighFrequency: number('high_freq_factor', given.high_freq_factor),
    ropeOriginalLength: number('original_max_position_embeddings', given.original_max_position_embeddings, 1),
  };
}

/** @param {import('../../engine/config.js').Config} settings */
function scalingFor({ ropeScaling, ropeFactor, ropeLowFrequency, ropeHighFrequency, ropeOriginalLength }) {
  if (ropeScaling === 'none') return null;
  if (ropeScaling === 'linear') return { rope_type: 'linear', factor: ropeFactor };
  return {
    rope_type: 'llama3',
    factor: ropeFactor,
    low_freq_factor: ropeLowFrequency,
    high_freq_factor: ropeHighFrequency,
    original_max_position_embeddings: ropeOriginalLength,
  };
}
