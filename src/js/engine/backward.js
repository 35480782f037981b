import { readAttention } from './attention.js';
import { configured, putSettings, readTrainerSettings, readersOf, settingOf } from './config.js';
import { call, compute, readLoss, readNorm, rows } from './ops.js';
import { choice, expectShape, floats, integer, maybe, readOptions } from '../arrays/tensor.js';

// Gradients of operations on arrays, and the optimiser's step; engine.js documents them.

/** @typedef {import('./start.js').Core} Core */
/** @typedef {import('../arrays/tensor.js').Tensor} FloatTensor */

/**
 * @param {Core} core
 * @param {unknown} options
 * @returns {FloatTensor}
 */
export function softmaxBackward(core, options) {
  const { output, gradient } = readOptions(options, { output: floats, gradient: floats });
  const { R, N } = rows(output, 'output');
  expectShape(gradient, output.shape, 'gradient');
  return compute(core, 'gf_softmax_backward', output.shape, gradient, output, R, N);
}

/**
 * @param {Core} core
 * @param {unknown} options
 * @returns {{x: FloatTensor, weight: FloatTensor, bias: FloatTensor}}
 */
export function layerNormBackward(core, options) {
  const { x, weight, gradient, epsilon, R, N } = readNorm(core, options, { gradient: floats });
  expectShape(gradient, x.shape, 'gradient');
  const { outputs } = call(core, 'gf_layer_norm_backward', [R * N, N, N], gradient, x, weight, epsilon, R, N);
  return {
    x: { data: outputs[0], shape: x.shape },
    weight: { data: outputs[1], shape: [N] },
    bias: { data: outputs[2], shape: [N] },
  };
}

/**
 * @param {Core} core
 * @param {unknown} options
 * @returns {FloatTensor}
 */
export function activationBackward(core, options) {
  const kinds = settingOf(core.settings, 'activation').choices;
  const { x, gradient, activation } = readOptions(options, { x: floats, gradient: floats, activation: choice(kinds) });
  expectShape(gradient, x.shape, 'gradient');
  return compute(core, 'gf_activation_backward', x.shape, gradient, x, x.data.length, kinds.indexOf(activation));
}

/**
 * @param {Core} core
 * @param {unknown} options
 * @returns {{query: FloatTensor, key: FloatTensor, value: FloatTensor}}
 */
export function attentionBackward(core, options) {
  const {
    query,
    key,
    value,
    weights,
    gradient,
    scale,
    sizes: { B, H, T, S, D, E, outer, output },
  } = readAttention(core, options, 2, { weights: floats, gradient: floats });
  expectShape(weights, [...outer, T, S], 'weights');
  expectShape(gradient, output, 'gradient');
  const given = [query, key, value];
  const { outputs } = call(
    core,
    'gf_attention_backward',
    [...given.map(({ data }) => data.length), T * S],
    gradient,
    ...given,
    weights,
    scale,
    B,
    T,
    S,
    H,
    D,
    E,
  );
  const [dquery, dkey, dvalue] = given.map(({ shape }, i) => ({ data: outputs[i], shape }));
  return { query: dquery, key: dkey, value: dvalue };
}

/**
 * @param {Core} core
 * @param {unknown} options
 * @returns {FloatTensor}
 */
export function crossEntropyBackward(core, options) {
  const { x, sizes } = readLoss(options, 'logProbabilities');
  return compute(core, 'gf_cross_entropy_backward', x.shape, x, ...sizes);
}

/**
 * @param {Core} core
 * @param {unknown} options
 * @returns {{parameters: FloatTensor, moment1: FloatTensor, moment2: FloatTensor}}
 */
export function optimizerStep(core, options) {
  const table = readTrainerSettings(core);
  // The rows before clip are those of the optimiser.
  const end = table.findIndex(({ name }) => name === 'clip');
  const { parameters, gradients, moment1, moment2, step, ...settings } = readOptions(options, {
    parameters: floats,
    gradients: floats,
    moment1: maybe(floats),
    moment2: maybe(floats),
    step: integer(1, 2 ** 31 - 1),
    ...readersOf(table.slice(0, end)),
  });
  const { data, shape } = parameters;
  for (const [name, given] of Object.entries({ gradients, moment1, moment2 })) expectShape(given, shape, name);
  return core.memory.withScratch((scratch) => {
    const state = [parameters, moment1, moment2].map((given) => scratch.put(given?.data ?? data.map(() => 0)));
    const words = putSettings(core, scratch, table, settings);
    const answer = core.functions.gf_optimize(...state, scratch.put(gradients.data), data.length, words, step);
    configured(answer, table, settings, core.memory);
    const [p, m, v] = state.map((pointer) => ({
      data: core.memory.copy('float32', pointer, data.length),
      shape: [...shape],
    }));
    return { parameters: p, moment1: m, moment2: v };
  });
}
