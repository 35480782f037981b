import { activationOf, epsilonOf, pair, refuse, refuseForeign, sizeOf } from './read.js';

const LAYER = 'decoder.layers.N.';
const FILE = 'h.N.';

/** Black et al. 2021: scores without scale, every other layer local. @type {import('./read.js').Family} */
export const gptNeo = {
  prefix: 'transformer.',
  tokenizers: ['BPE'],
  layers: 'num_layers',
  read(config) {
    const heads = sizeOf(config, 'num_heads', { high: 65536 });
    const d_model = sizeOf(config, 'hidden_size', { high: 65536 });
    const layers = sizeOf(config, 'num_layers', { high: 64 });
    refuseForeign(config, heads);
    return {
      kind: 'decoder',
      vocabulary: sizeOf(config, 'vocab_size'),
      d_model,
      heads,
      d_ff: sizeOf(config, 'intermediate_size', { fallback: 4 * d_model }),
      layers,
      maxLength: sizeOf(config, 'max_position_embeddings', { fallback: 2048 }),
      positions: 'learned',
      embeddingScale: false,
      norm: 'pre',
      finalNorm: true,
      epsilon: epsilonOf(config, 'layer_norm_epsilon', 1e-5),
      scoreScale: false,
      activation: activationOf(config, 'activation_function', 'gelu_new'),
      ...windowOf(config, kindsOf(config, layers)),
    };
  },
  buffers: /^h\.\d+\.attn\.attention\.(bias|masked_bias)$/,
  tensors: {
    'tok_emb.weight': ['wte.weight'],
    'pos_emb.weight': ['wpe.weight'],
    ...pair(`${LAYER}norm1`, `${FILE}ln_1`),
    [`${LAYER}self_attn.in_proj_weight`]: ['q', 'k', 'v'].map((name) => `${FILE}attn.attention.${name}_proj.weight`),
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
    for (let i = 0; i < times; i++) all.push(...kinds);
  }
  return all;
}

/**
 * @param {import('./read.js').ModelConfig} config
 * @param {unknown[]} kinds
 */
function windowOf(config, kinds) {
  if (!kinds.includes('local')) return {};
  const bits = (/** @type {number} */ first) =>
    kinds
      .slice(first, first + 32)
      .reduce((/** @type {number} */ sum, kind, i) => (kind === 'global' ? sum | (1 << i) : sum), 0);
  return {
    window: sizeOf(config, 'window_size', { fallback: 256 }),
    globalLayers: bits(0),
    globalLayersAbove: bits(32),
  };
}
