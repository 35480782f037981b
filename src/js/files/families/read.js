import { GlassformerError } from '../../errors.js';

/** @typedef {Record<string, unknown>} ModelConfig a config.json of Hugging Face, parsed */

/**
 * A recipe for opening models of a family: one object for each, in its own file. Names are those of the file without
 * the prefix; N stands for the number of a layer.
 * @typedef {object} Family
 * @property {string} prefix what the names of all but the heads may begin with
 * @property {string[]} tokenizers which kinds of tokenizer.json go with it
 * @property {boolean} [startsWithPad] its targets begin with the padding where no file says with which token
 * @property {boolean} [hasSpiece] spiece.model cuts its texts where there is no tokenizer.json
 * @property {boolean} [hasPieces] its texts are cut by source.spm and target.spm, its ids are those of vocab.json
 * @property {[string, string]} classes what Hugging Face calls the model without and with its head
 * @property {Names} names what config.json calls settings of ours
 * @property {(config: ModelConfig) => import('../../engine/config.js').Settings} read the settings, or the refusal of a
 *   config that cannot be computed here; no head
 * @property {(settings: import('../../engine/config.js').Config, config: ModelConfig) => ModelConfig} [write] what
 *   config.json says beside `names`; config: what it said before
 * @property {(config: ModelConfig) => number} [unusedPositions] rows of the position table before that of the first
 *   token
 * @property {string[]} [copies] other names of the embedding, which a file may have beside it, or in its place
 * @property {Record<string, (settings: import('../../engine/config.js').Settings) => Float32Array>} [computed] weights
 *   that a file may leave out, by the names of the module
 * @property {boolean} [untied] a config.json that does not say whether the tables are tied means that they are not
 * @property {RegExp} buffers names of what are no weights: masks, positions
 * @property {Record<string, Source[]>} tensors for each weight of the module what it is made of, one below the other;
 *   none: zeros
 * @property {Head} head
 * @property {{dense: string, activation: 'tanh' | 'relu', out: string}} [classifier] names of the head for classes of
 *   texts: two linear maps with an activation between
 */

/**
 * @typedef {Record<'vocabulary' | 'd_model' | 'heads' | 'd_ff' | 'layers' | 'activation', string> &
 *   {types?: string, epsilon?: string, decoderLayers?: string, maxLength?: string}} Names
 */

/** The names that config.json has in most families. */
export const SIZES = {
  vocabulary: 'vocab_size',
  d_model: 'hidden_size',
  heads: 'num_attention_heads',
  d_ff: 'intermediate_size',
  layers: 'num_hidden_layers',
  maxLength: 'max_position_embeddings',
  epsilon: 'layer_norm_eps',
  activation: 'hidden_act',
};

/**
 * @typedef {object} Head
 * @property {boolean} optional a file may be without: the model then ends with its vectors
 * @property {import('../../engine/config.js').Settings} settings
 * @property {Record<string, Source[]>} tensors
 * @property {string} table name of the output table where it is in the file, tied or not
 * @property {Record<string, string>} [aliases] other names of its tensors, under which a file may keep them instead
 */

/**
 * A tensor of the file. layout: 'plain', as the module has it; 'transposed', [in, out]; 'row', a vector as [1, n];
 * 'gain', which the file keeps less 1; 'cut', whose rows go to several places. ffn: of models with such a network
 *   alone.
 * @typedef {{name: string, ffn?: 'plain' | 'gated'} & ({layout: 'plain' | 'transposed' | 'row' | 'gain'} |
 *   {layout: 'cut', cut: Cut})} Source
 *
 * The rows that a weight takes of a tensor of the file, and how many that has: from, rows, and to, their first in the
 * weight.
 * @typedef {{from: number, rows: number, to: number}} Span
 * @typedef {(rows: number, settings: import('../../engine/config.js').Settings) => {total: number, spans: Span[]}} Cut
 *   rows: of the weight
 */

/** @param {Exclude<Source['layout'], 'cut'>} layout @returns {(...names: string[]) => Source[]} */
const sources =
  (layout) =>
  (...names) =>
    names.map((name) => ({ name, layout }));
export const plain = sources('plain');
export const transposed = sources('transposed');
export const row = sources('row');
export const gain = sources('gain');
/** @param {Cut} cut @param {string} name @returns {Source[]} */
export const cutAt = (cut, name) => [{ name, layout: 'cut', cut }];

/**
 * A tensor whose name depends on the network.
 * @param {Record<'plain' | 'gated', string>} names
 * @returns {Source[]}
 */
export const byNetwork = (names) => [
  { name: names.plain, layout: 'plain', ffn: 'plain' },
  { name: names.gated, layout: 'plain', ffn: 'gated' },
];

/**
 * Weight and bias under one name each.
 * @param {string} name in the module
 * @param {string} from in the file
 * @param {boolean} [isTransposed] the file has the weight [in, out]
 * @returns {Record<string, Source[]>}
 */
export const pair = (name, from, isTransposed = false) => ({
  [`${name}.weight`]: (isTransposed ? transposed : plain)(`${from}.weight`),
  [`${name}.bias`]: plain(`${from}.bias`),
});

/**
 * @param {string} name of the setting
 * @param {unknown} value
 * @param {string} why
 * @returns {never}
 */
export function refuse(name, value, why) {
  throw new GlassformerError('unsupported', `config.${name}`, value, why);
}

/**
 * A size.
 * @param {ModelConfig} config
 * @param {string} name
 * @param {{fallback?: number, low?: number, high?: number}} [range]
 * @returns {number}
 */
export function sizeOf(config, name, { fallback, low = 1, high = 2 ** 20 } = {}) {
  const value = config[name] ?? fallback;
  if (value === undefined) throw new GlassformerError('missing', `config.${name}`, undefined, 'is not in the file');
  if (Number.isInteger(value) && Number(value) >= low && Number(value) <= high) return Number(value);
  throw new GlassformerError('config', `config.${name}`, value, `must be an integer from ${low} to ${high}`);
}

/**
 * The epsilon of LayerNorm.
 * @param {ModelConfig} config
 * @param {string} name
 * @param {number} fallback
 */
function epsilonOf(config, name, fallback) {
  const value = config[name] ?? fallback;
  if (typeof value === 'number' && value >= 0 && value <= 1) return value;
  throw new GlassformerError('config', `config.${name}`, value, 'must be a number from 0 to 1');
}

/** Common to all decoders here. */
export const DECODER = /** @type {const} */ ({
  kind: 'decoder',
  positions: 'learned',
  positionsFrom: 'first',
  embeddingScale: false,
  norm: 'pre',
  finalNorm: true,
});

/** Common to all encoders here. */
export const ENCODER = /** @type {const} */ ({
  kind: 'encoder',
  positions: 'learned',
  positionsFrom: 'first',
  embeddingScale: false,
  embeddingNorm: true,
  norm: 'post',
});

/**
 * The settings that config.json has under names of its own.
 * @param {ModelConfig} config
 * @param {Names} names
 * @param {{maxLength: number, activation: keyof typeof ACTIVATIONS, d_ff?: number, types?: number, epsilon: number}}
 *   fallbacks what holds where the file says nothing; d_ff by default 4 d_model, epsilon always where it has no name
 */
export function namedSettings(config, names, fallbacks) {
  const size = (/** @type {keyof Names} */ ours, /** @type {Parameters<typeof sizeOf>[2]} */ range = {}) =>
    sizeOf(config, String(names[ours]), range);
  const d_model = size('d_model', { high: 65536 });
  const { maxLength, activation, d_ff = 4 * d_model, types, epsilon } = fallbacks;
  return {
    vocabulary: size('vocabulary'),
    ...(names.types && { types: size('types', { fallback: types }) }),
    d_model,
    heads: size('heads', { high: 65536 }),
    d_ff: size('d_ff', { fallback: d_ff }),
    layers: size('layers', { high: 64 }),
    ...(names.decoderLayers && { decoderLayers: size('decoderLayers', { high: 64 }) }),
    maxLength: names.maxLength ? size('maxLength', { fallback: maxLength }) : maxLength,
    epsilon: names.epsilon ? epsilonOf(config, names.epsilon, epsilon) : epsilon,
    activation: activationOf(config, names.activation, activation),
  };
}

/** Their names there, ours here; the approximations by tanh are one formula. */
const ACTIVATIONS = /** @type {const} */ ({
  relu: 'relu',
  gelu: 'gelu',
  gelu_python: 'gelu',
  gelu_new: 'gelu-tanh',
  gelu_fast: 'gelu-tanh',
  gelu_pytorch_tanh: 'gelu-tanh',
  silu: 'silu',
  swish: 'silu',
  linear: 'none',
});

/**
 * The reverse of namedSettings.
 * @param {Record<string, unknown>} settings of a model
 * @param {Names} names
 * @returns {ModelConfig}
 */
export function configOf(settings, names) {
  const entries = Object.entries(names).map(([ours, theirs]) => [theirs, settings[ours]]);
  const [activation] = Object.entries(ACTIVATIONS).find(([, ours]) => ours === settings.activation) ?? [];
  return { ...Object.fromEntries(entries), [names.activation]: activation };
}

/**
 * @param {ModelConfig} config
 * @param {string} name
 * @param {keyof typeof ACTIVATIONS} fallback
 */
export function activationOf(config, name, fallback) {
  const value = config[name] ?? fallback;
  if (typeof value === 'string' && Object.hasOwn(ACTIVATIONS, value))
    return ACTIVATIONS[/** @type {keyof typeof ACTIVATIONS} */ (value)];
  return refuse(name, config[name], `must be one of ${Object.keys(ACTIVATIONS).join(', ')}`);
}

/** Settings of the families that say yes or no, and change what is computed. */
const FLAGS = [
  ...['tie_word_embeddings', 'attention_bias', 'mlp_bias', 'use_sliding_window', 'use_mrope', 'rope_interleaved'],
  'use_parallel_residual',
  ...['scale_attn_weights', 'scale_attn_by_inverse_layer_idx', 'add_cross_attention', 'is_decoder'],
  ...['scale_decoder_outputs', 'is_gated_act'],
  ...['do_layer_norm_before', 'enable_bias', 'layer_norm_elementwise_affine', '_remove_final_layer_norm'],
];

/**
 * Refuses 1 or "yes", which would be taken for one or the other.
 * @param {ModelConfig} config
 */
export function expectFlags(config) {
  for (const name of FLAGS) {
    if (typeof (config[name] ?? true) !== 'boolean')
      throw new GlassformerError('config', `config.${name}`, config[name], 'must be true or false');
  }
}

/**
 * Refuses what is switched on and cannot be computed here.
 * @param {ModelConfig} config
 * @param {Record<string, string>} switches why, by their names
 */
export function refuseSwitches(config, switches) {
  for (const [name, why] of Object.entries(switches)) if (config[name]) refuse(name, config[name], why);
}

/**
 * Heads of which several share keys and values, and what else no family here has.
 * @param {ModelConfig} config
 * @param {number} heads
 * @param {readonly string[]} [own] names that the family has; with them it also has grouped heads
 */
export function refuseForeign(config, heads, own = []) {
  const { num_key_value_heads: groups } = config;
  if (own.length === 0 && (groups ?? heads) !== heads) {
    refuse(
      'num_key_value_heads',
      groups,
      `grouped heads are not those of this family: needs ${heads}, one for each head`,
    );
  }
  for (const [name, what] of Object.entries(FOREIGN)) {
    if (config[name] && !own.includes(name)) refuse(name, config[name], `not computed here: ${what}`);
  }
}

/** Settings of other kinds of Transformer, with the part that is not computed here. @type {Record<string, string>} */
export const FOREIGN = {
  rope_theta: 'rotary positions',
  rope_scaling: 'rotary positions',
  rope_parameters: 'rotary positions',
  rotary_dim: 'rotary positions',
  rotary_pct: 'rotary positions',
  relative_attention: 'relative positions',
  relative_attention_num_buckets: 'relative positions',
  alibi: 'positions by slopes (ALiBi)',
  multi_query: 'grouped heads',
  num_local_experts: 'mixtures of experts',
  num_experts: 'mixtures of experts',
  rms_norm_eps: 'RMSNorm',
  quantization_config: 'quantized weights',
};

/** Which of these families of today have here. @type {readonly string[]} */
export const OF_TODAY = [
  'rope_theta',
  'rope_scaling',
  'rope_parameters',
  'rotary_dim',
  'rotary_pct',
  'multi_query',
  'rms_norm_eps',
];

/**
 * The setting `window` and the layers without it, of which there is a bit each.
 * @param {number} window
 * @param {boolean[]} sees of each layer, whether it sees all
 */
export function windowSettings(window, sees) {
  const bits = (/** @type {number} */ first) =>
    sees.slice(first, first + 32).reduce((sum, all, i) => (all ? sum | (1 << i) : sum), 0);
  return sees.every(Boolean) ? {} : { window, globalLayers: bits(0), globalLayersAbove: bits(32) };
}

/**
 * Windows of a config.json: of `layer_types` where it says, else from a layer on.
 * @param {ModelConfig} config
 * @param {number} layers
 * @param {unknown} window null: none
 * @param {number} from the first layer that has it
 */
export function windowsOf(config, layers, window, from) {
  const { layer_types: types } = config;
  const all = Array.from({ length: layers }, (_, i) => i);
  if (types !== undefined) {
    const known = ['full_attention', 'sliding_attention'];
    if (!Array.isArray(types) || types.length !== layers || !types.every((type) => known.includes(type)))
      refuse('layer_types', types, `must say ${known.join(' or ')} for each of ${layers} layers`);
  }
  const listed = /** @type {string[] | undefined} */ (types);
  const sees = all.map((i) => (listed ? listed[i] === 'full_attention' : window === null || i < from));
  if (sees.every(Boolean)) return {};
  return windowSettings(sizeOf({ sliding_window: window ?? undefined }, 'sliding_window', {}), sees);
}
