import {
  DECODER,
  OF_TODAY,
  SIZES,
  cutAt,
  gain,
  namedSettings,
  plain,
  refuse,
  refuseForeign,
  refuseSwitches,
  sizeOf,
  windowsOf,
} from './read.js';
import { ropeWidthOf, rotaryOf, scalingFor, shareFor } from './rotary.js';

/** @typedef {import('./read.js').ModelConfig} ModelConfig */
/** @typedef {import('./read.js').Family} Family */

const LAYER = 'decoder.layers.N.';
const FILE = 'layers.N.';
const PROJECTIONS = ['q', 'k', 'v'].map((name) => `${FILE}self_attn.${name}_proj`);

const NAMES = { ...SIZES, epsilon: 'rms_norm_eps' };

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
 * Defaults of Hugging Face's classes.
 * @typedef {object} Fallbacks
 * @property {number} maxLength
 * @property {number} d_ff
 * @property {number} [keyValueHeads] default one for each head
 * @property {number} [headWidth] default d_model / heads
 * @property {number} [epsilon] 1e-6
 * @property {'silu' | 'gelu_pytorch_tanh'} [activation]
 */

/**
 * @param {[string, string]} classes
 * @param {Fallbacks} fallbacks
 * @param {(config: ModelConfig, layers: number) => object} own settings of one family
 * @param {NonNullable<Family['write']>} say of config.json, which only that family has
 * @param {Pick<Family, 'names' | 'untied' | 'tensors'> & {turnsPart?: boolean}} [other] turnsPart: its heads may turn
 *   in part
 * @returns {Family}
 */
const family = (classes, { keyValueHeads, headWidth, ...fallbacks }, own, say, other = LLAMA) => ({
  prefix: 'model.',
  tokenizers: ['BPE'],
  classes,
  names: other.names,
  untied: other.untied,
  read(config) {
    const settings = namedSettings(config, other.names, { epsilon: 1e-6, activation: 'silu', ...fallbacks });
    const { heads, layers, d_model } = settings;
    const { angles, ...rotary } = rotaryOf(config);
    if (rotary.share !== 1 && !other.turnsPart)
      refuse(rotary.at, rotary.share, "must be 1: Hugging Face's classes of this family turn whole heads");
    refuseForeign(config, heads, OF_TODAY);
    refuseSwitches(config, { rope_interleaved: 'pairs of neighbours are not turned in models here' });
    // Left out, it is the class's default; null is one for each head.
    const absent = config.num_key_value_heads === undefined && keyValueHeads;
    const groups = sizeOf(config, 'num_key_value_heads', { fallback: absent || heads, high: heads });
    const width = sizeOf(config, 'head_dim', { fallback: headWidth ?? Math.floor(d_model / heads), high: 65536 });
    return {
      ...BLOCK,
      ...settings,
      ...angles,
      ropeWidth: ropeWidthOf(rotary, width),
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
  tensors: other.tensors,
  head: { optional: false, settings: { headBias: false }, tensors: {}, table: 'lm_head.weight' },
});

/** Common to Llama, Mistral and Qwen. */
const LLAMA = { names: NAMES, untied: true, tensors: TENSORS };

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

/** Gemma 1: embeddings times √d_model, and gains that the file keeps less 1 (Gemma Team 2024). */
export const gemma = family(
  ['GemmaModel', 'GemmaForCausalLM'],
  { keyValueHeads: 16, headWidth: 256, maxLength: 8192, d_ff: 24576, activation: 'gelu_pytorch_tanh' },
  (config) => {
    const { hidden_activation: own, hidden_act: old } = config;
    // The first files say "gelu" and mean its approximation by tanh, which classes of then take whatever they say.
    if ((own ?? null) === null && !/^(gelu|gelu_\w+|undefined|null)$/.test(String(old)))
      refuse('hidden_act', old, "is read by some of Hugging Face's classes and not by others: say hidden_activation");
    const attentionBias = config.attention_bias === true;
    return { embeddingScale: true, attentionBias, attentionOutBias: attentionBias };
  },
  ({ attentionBias, activation }, { hidden_act: old }) => {
    const name = activation === 'gelu-tanh' ? 'gelu_pytorch_tanh' : undefined;
    return {
      attention_bias: attentionBias,
      ...(name && { hidden_activation: name }),
      ...(old !== undefined && name && { hidden_act: name }),
    };
  },
  {
    names: { ...NAMES, activation: 'hidden_activation' },
    tensors: {
      ...TENSORS,
      [`${LAYER}norm1.weight`]: gain(`${FILE}input_layernorm.weight`),
      [`${LAYER}norm2.weight`]: gain(`${FILE}post_attention_layernorm.weight`),
      'decoder.norm.weight': gain('norm.weight'),
    },
  },
);

/** Half of the rows of a matrix that holds two weights. @param {number} which */
const half = (which) =>
  cutAt(
    (rows) => ({ total: 2 * rows, spans: [{ from: which * rows, rows, to: 0 }] }),
    `${FILE}mlp.gate_up_proj.weight`,
  );

/** Phi-3 and Phi-4-mini: queries, keys and values in one matrix, gate and up in another; a window in every layer. */
export const phi3 = family(
  ['Phi3Model', 'Phi3ForCausalLM'],
  { maxLength: 4096, d_ff: 8192, epsilon: 1e-5 },
  (config, layers) => windowsOf(config, layers, config.sliding_window ?? null, 0),
  ({ window, ropeWidth, headWidth, d_model, heads }, { partial_rotary_factor: given }) => ({
    sliding_window: window || null,
    ...((ropeWidth || given !== undefined) && {
      partial_rotary_factor: shareFor(given, ropeWidth, headWidth || d_model / heads),
    }),
  }),
  {
    names: NAMES,
    untied: true,
    turnsPart: true,
    tensors: {
      'tok_emb.weight': plain('embed_tokens.weight'),
      [`${LAYER}norm1.weight`]: plain(`${FILE}input_layernorm.weight`),
      [`${LAYER}self_attn.in_proj_weight`]: plain(`${FILE}self_attn.qkv_proj.weight`),
      [`${LAYER}self_attn.out_proj.weight`]: plain(`${FILE}self_attn.o_proj.weight`),
      [`${LAYER}norm2.weight`]: plain(`${FILE}post_attention_layernorm.weight`),
      [`${LAYER}linear1.weight`]: half(0),
      [`${LAYER}linear3.weight`]: half(1),
      [`${LAYER}linear2.weight`]: plain(`${FILE}mlp.down_proj.weight`),
      'decoder.norm.weight': plain('norm.weight'),
    },
  },
);

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
