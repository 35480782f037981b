// Places of a dictionary: hooks of TransformerLens as tensors of a model, and the difference of processed models there.
import { GlassformerError } from '../errors.js';

/** @typedef {import('../engine/config.js').Config} Config */
/** @typedef {import('../engine/model.js').Model | import('../worker/remote-types.js').RemoteModel} AnyModel */

/**
 * Tensors by hook, for a layer of a stack. `stream`: models whose weights are centered write it without its mean.
 * @type {Record<string, {tensor: (stack: string, layer: number, config: Config) => string, stream?: true}>}
 */
const HOOKS = {
  hook_resid_pre: {
    tensor: (stack, layer) => (layer ? `${stack}.layers.${layer - 1}.out` : `${stack}.input`),
    stream: true,
  },
  hook_resid_mid: { tensor: (stack, layer) => `${stack}.layers.${layer}.residual1`, stream: true },
  hook_resid_post: { tensor: (stack, layer) => `${stack}.layers.${layer}.out`, stream: true },
  hook_mlp_out: { tensor: (stack, layer) => `${stack}.layers.${layer}.ffn.out`, stream: true },
  hook_attn_out: { tensor: (stack, layer) => `${stack}.layers.${layer}.self_attn.out`, stream: true },
  'mlp.hook_post': {
    tensor: (stack, layer, { ffn }) => `${stack}.layers.${layer}.ffn.${ffn === 'gated' ? 'product' : 'activation'}`,
  },
  'attn.hook_z': { tensor: (stack, layer) => `${stack}.layers.${layer}.self_attn.concat` },
};

/** @typedef {{name: string, layer: number, hook: string}} Hook `name`: all of it; `hook`: without its layer */

/** @type {import('../arrays/tensor.js').Reader<Hook>} */
export function readHook(value, parameter) {
  const name = typeof value === 'string' ? value : '';
  const [, layer, hook = ''] = /^blocks\.(0|[1-9]\d{0,3})\.([\w.]+)$/.exec(name) ?? [];
  if (Object.hasOwn(HOOKS, hook)) return { name, layer: Number(layer), hook };
  const known = Object.keys(HOOKS).map((each) => `blocks.N.${each}`);
  throw new GlassformerError('unsupported', parameter, value, `must be one of ${known.join(', ')}`);
}

/**
 * The tensor of a model at a hook.
 * @param {Hook} given
 * @param {Config} config
 * @returns {string}
 */
export function tensorAt({ name, layer, hook }, config) {
  const { kind, norm, residual, layers, parallel } = config;
  const isPlain = /^(encoder|decoder)$/.test(kind) && norm === 'pre' && residual;
  if (!isPlain) {
    const why = 'names a place of pre-norm encoders and decoders, like GPT-2 and Llama, and the model is none';
    throw new GlassformerError('unsupported', 'hook_name', name, why);
  }
  if (parallel && hook === 'hook_resid_mid') {
    const why = 'names a state between attention and FFN, and in this model they stand side by side';
    throw new GlassformerError('unsupported', 'hook_name', name, why);
  }
  if (layer < layers) return HOOKS[hook].tensor(kind, layer, config);
  throw new GlassformerError('range', 'hook_name', name, `the model has the layers 0 to ${layers - 1}`);
}

/**
 * Whether activations there differ in processed models, and depend on the model.
 * @param {Hook} given
 * @param {boolean} folds biases of values are folded away, too
 */
export const differs = ({ hook }, folds) => Boolean(HOOKS[hook].stream) || (folds && hook === 'attn.hook_z');

/**
 * The part of raw activations that those of a model which TransformerLens has processed lack: 'mean', theirs over
 * d_model; or a vector.
 * @param {Hook} given
 * @param {AnyModel} model
 * @returns {Promise<'mean' | Float32Array | undefined>}
 */
export async function processedAt(given, model) {
  const { normKind } = model.config;
  // Writing weights are not centered under RMSNorm, which does not remove a mean.
  if (HOOKS[given.hook].stream) return normKind === 'layer' ? 'mean' : undefined;
  return given.hook === 'attn.hook_z' ? valueBias(given.layer, model) : undefined;
}

/**
 * The part of the heads' outputs that biases make: b_V + ln_1.bias W_V, as each query's weights sum to 1.
 * @param {number} layer
 * @param {AnyModel} model
 * @returns {Promise<Float32Array | undefined>}
 */
async function valueBias(layer, model) {
  const { kind, d_model, heads, headWidth, keyValueHeads, attentionBias, normKind, normAffine } = model.config;
  const read = async (/** @type {string} */ name) => {
    const { data } = /** @type {any} */ (await model.tensor(`${kind}.layers.${layer}.${name}`));
    return /** @type {Float32Array} */ (data);
  };
  const norm = normKind === 'layer' && normAffine ? await read('norm1.bias') : undefined;
  const bias = attentionBias ? await read('self_attn.in_proj_bias') : undefined;
  if (!norm && !bias) return undefined;
  const weight = norm && (await read('self_attn.in_proj_weight'));
  const [depth, groups] = [headWidth || d_model / heads, keyValueHeads || heads];
  const first = (heads + groups) * depth; // the values' rows follow those of queries and keys
  return Float32Array.from({ length: heads * depth }, (_, i) => {
    const head = Math.floor(Math.floor(i / depth) / (heads / groups));
    const row = first + head * depth + (i % depth);
    let sum = bias?.[row] ?? 0;
    if (norm && weight) for (let c = 0; c < d_model; c++) sum += norm[c] * weight[row * d_model + c];
    return sum;
  });
}
