import { DECODER, namedSettings, pair, plain, refuse, refuseForeign, sizeOf, windowSettings } from './read.js';

const LAYER = 'decoder.layers.N.';
const FILE = 'h.N.';

const NAMES = {
  vocabulary: 'vocab_size',
  d_model: 'hidden_size',
  heads: 'num_heads',
  d_ff: 'intermediate_size',
  layers: 'num_layers',
  maxLength: 'max_position_embeddings',
  epsilon: 'layer_norm_epsilon',
  activation: 'activation_function',
};

/** Black et al. 2021: scores without scale, every other layer local. @type {import('./read.js').Family} */
export const gptNeo = {
  prefix: 'transformer.',
  tokenizers: ['BPE'],
  classes: ['GPTNeoModel', 'GPTNeoForCausalLM'],
  names: NAMES,
  read(config) {
    const settings = namedSettings(config, NAMES, { maxLength: 2048, epsilon: 1e-5, activation: 'gelu_new' });
    refuseForeign(config, settings.heads);
    return { ...DECODER, ...settings, scoreScale: false, ...windowOf(config, kindsOf(config, settings.layers)) };
  },
  write({ layers, window, globalLayers, globalLayersAbove }) {
    const isGlobal = (/** @type {number} */ at) => ((at < 32 ? globalLayers : globalLayersAbove) >>> (at % 32)) & 1;
    const kinds = Array.from({ length: layers }, (_, at) => (window && !isGlobal(at) ? 'local' : 'global'));
    return { attention_types: [[kinds, 1]], attention_layers: kinds, window_size: window || 256 };
  },
  buffers: /^h\.\d+\.attn\.attention\.(bias|masked_bias)$/,
  tensors: {
    'tok_emb.weight': plain('wte.weight'),
    'pos_emb.weight': plain('wpe.weight'),
    ...pair(`${LAYER}norm1`, `${FILE}ln_1`),
    [`${LAYER}self_attn.in_proj_weight`]: plain(
      ...['q', 'k', 'v'].map((name) => `${FILE}attn.attention.${name}_proj.weight`),
    ),
    // Only the output projection has a bias.
    [`${LAYER}self_attn.in_proj_bias`]: [],
    ...pair(`${LAYER}self_attn.out_proj`, `${FILE}attn.attention.out_proj`),
    ...pair(`${LAYER}norm2`, `${FILE}ln_2`),
    ...pair(`${LAYER}linear1`, `${FILE}mlp.c_fc`),
    ...pair(`${LAYER}linear2`, `${FILE}mlp.c_proj`),
    ...pair('decoder.norm', 'ln_f'),
  },
  head: { optional: false, settings: { headBias: false }, tensors: {}, table: 'lm_head.weight' },
};

/**
 * 'global' or 'local' for each layer: [[['global', 'local'], 6]] is both, six times.
 * @param {import('./read.js').ModelConfig} config
 * @param {number} layers
 * @returns {unknown[]}
 */
function kindsOf(config, layers) {
  const { attention_types: types = [[['global', 'local'], layers / 2]], attention_layers: listed } = config;
  const kinds = listed ?? expand(types);
  if (Array.isArray(kinds) && kinds.length === layers && kinds.every((kind) => kind === 'global' || kind === 'local')) {
    return kinds;
  }
  const name = listed ? 'attention_layers' : 'attention_types';
  return refuse(name, listed ?? types, `must say 'global' or 'local' for each of ${layers} layers`);
}

/** @param {unknown} types @returns {unknown} undefined for what is no such list */
function expand(types) {
  if (!Array.isArray(types)) return undefined;
  /** @type {unknown[]} */
  const all = [];
  for (const each of types) {
    const [kinds, times] = Array.isArray(each) ? each : [];
    if (!Array.isArray(kinds) || !Number.isInteger(times) || times < 0 || times * kinds.length > 64) return undefined;
    for (let i = 0; i < times; i++) for (const kind of kinds) all.push(kind);
  }
  return all;
}

/**
 * @param {import('./read.js').ModelConfig} config
 * @param {unknown[]} kinds
 */
function windowOf(config, kinds) {
  if (!kinds.includes('local')) return {};
  return windowSettings(
    sizeOf(config, 'window_size', { fallback: 256 }),
    kinds.map((kind) => kind === 'global'),
  );
}
