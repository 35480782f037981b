import { CAPTURE } from './flags.js';
import { Handle } from './handle.js';
import { planOf, readBatch } from './inputs.js';
import { any, expectRank, floats, readArguments, refuseType } from '../arrays/tensor.js';
import { entriesOf } from '../arrays/entries.js';
import { loadWeights } from './weights.js';

/** @typedef {import('../arrays/tensor.js').Tensor} FloatTensor */

/**
 * Describes a part of a Transformer that runs as its own model: no arithmetic happens here.
 * @typedef {object} Part
 * @property {Record<string, string>} inputs the model's name of an input -> the argument's
 * @property {string[]} settings arguments that are settings of the model
 * @property {Record<string, string | number | boolean>} config the other settings
 * @property {string} prefix of the weights' and intermediates' names
 */

const LAYER = ['heads', 'activation', 'active', 'norm', 'epsilon', 'causal'];
const BARE = { vocabulary: 0, positions: 'none', finalNorm: false };

/** @satisfies {Record<string, Part>} */
export const PARTS = {
  attention: {
    inputs: { vectors: 'x', memory: 'memory', padding: 'keyPadding', mask: 'mask' },
    settings: ['heads', 'causal'],
    config: { kind: 'attention' },
    prefix: '',
  },
  feedForward: {
    inputs: { vectors: 'x' },
    settings: ['activation', 'active'],
    config: { kind: 'feed-forward' },
    prefix: '',
  },
  encoderLayer: {
    inputs: { vectors: 'x', padding: 'keyPadding', mask: 'mask' },
    settings: LAYER,
    config: { ...BARE, kind: 'encoder', layers: 1 },
    prefix: 'encoder.layers.0.',
  },
  // An encoder without layers hands its input on as the memory.
  decoderLayer: {
    inputs: {
      sourceVectors: 'memory',
      targetVectors: 'x',
      targetPadding: 'keyPadding',
      memoryPadding: 'memoryKeyPadding',
      mask: 'mask',
    },
    settings: LAYER,
    config: { ...BARE, kind: 'encoder-decoder', layers: 0, decoderLayers: 1 },
    prefix: 'decoder.layers.0.',
  },
};

/**
 * Runs a part on a temporary model and captures everything.
 * @param {import('./start.js').Core} core
 * @param {Part} part
 * @param {unknown[]} args x and the options
 * @returns {{output: FloatTensor, tensors: Map<string, FloatTensor>}} without the batch axis if x
 *   has none
 */
export function runPart(core, part, ...args) {
  const { inputs, settings, prefix } = part;
  const others = Object.values(inputs).filter((name) => name !== 'x');
  const readers = Object.fromEntries(['weights', ...settings, ...others, 'maxOperations'].map((name) => [name, any]));
  /** @type {Record<string, any> & {x: FloatTensor}} */
  const given = readArguments(args, { x: floats }, readers);
  const { x } = given;
  expectRank(x, 2, 3, 'x');
  const weights = new Map(entriesOf(given.weights, 'weights').map(([name, value]) => [name, floats(value, name)]));
  const handle = new Handle(core, configOf(part, given, x, weights));
  try {
    const arrays = [...Object.values(inputs), 'maxOperations'].map((name) => [name, given[name]]);
    const { batch } = readBatch(planOf(handle.config, {}, { names: inputs }), Object.fromEntries(arrays));
    handle.pass.afford(batch);
    loadWeights(handle, weights, {}, prefix);
    handle.pass.run({ ...batch, flags: batch.flags | CAPTURE });
    return resultOf(handle, prefix, x.shape.length === 2);
  } finally {
    handle.destroy();
  }
}

/**
 * See Engine.multiHeadAttention.
 * @param {import('./start.js').Core} core
 * @param {unknown[]} args
 * @returns {import('./operations.js').MultiHeadAttentionResult}
 */
export function multiHeadAttention(core, ...args) {
  const { output, tensors } = runPart(core, PARTS.attention, ...args);
  const { head_outputs: headOutputs, ...others } = Object.fromEntries(tensors);
  return /** @type {any} */ ({ output, ...others, headOutputs });
}

/**
 * See Engine.feedForward.
 * @param {import('./start.js').Core} core
 * @param {unknown[]} args
 * @returns {import('./operations.js').FeedForwardResult}
 */
export function feedForward(core, ...args) {
  const { output, tensors } = runPart(core, PARTS.feedForward, ...args);
  const named = (/** @type {string} */ name) => /** @type {FloatTensor} */ (tensors.get(`ffn.${name}`));
  return { output, preActivation: named('pre_activation'), activation: named('activation') };
}

/**
 * @param {Part} part
 * @param {Record<string, unknown>} given
 * @param {FloatTensor} x
 * @param {Map<string, FloatTensor>} weights
 * @returns {Record<string, unknown>}
 */
function configOf({ settings, config }, given, x, weights) {
  const chosen = Object.fromEntries(settings.map((name) => [name, given[name]]));
  /** @type {Record<string, unknown>} */
  const complete = { ...config, ...chosen, d_model: x.shape.at(-1) };
  if (config.kind !== 'feed-forward') {
    if (given.heads === undefined) refuseType('heads', undefined, 'the number of heads');
    complete.attentionBias = weights.has(config.kind === 'attention' ? 'in_proj_bias' : 'self_attn.in_proj_bias');
  } else {
    complete.heads = 1;
  }
  if (config.kind !== 'attention') {
    complete.normAffine = weights.has('norm1.weight');
    complete.d_ff = floats(weights.get('linear1.weight'), 'linear1.weight').shape[0];
  }
  return complete;
}

/**
 * @param {Handle} handle
 * @param {string} prefix
 * @param {boolean} single drop the batch axis
 */
function resultOf(handle, prefix, single) {
  const read = (/** @type {import('./handle.js').Info} */ info) => {
    const { data, shape } = handle.read(info);
    return /** @type {FloatTensor} */ ({ data, shape: single ? shape.slice(1) : shape });
  };
  const kept = handle
    .list()
    .filter(({ name, region }) => region === 'intermediate' && name.startsWith(prefix))
    .map((info) => /** @type {const} */ ([info.name.slice(prefix.length), read(info)]));
  return { output: read(handle.get('output')), tensors: new Map(kept) };
}
