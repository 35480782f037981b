import { configured, putSettings, readTrainerSettings, readersOf } from './config.js';
import {
  activationCall,
  activeOption,
  call,
  compute,
  lossInputs,
  lossOptions,
  none,
  normOptions,
  operation,
  rows,
} from './ops.js';
import { any, expectShape, floats, integer, ints, maybe } from '../arrays/tensor.js';

// Gradients of operations on arrays, and the optimiser's step; engine.js documents them.

export const softmaxBackward = operation({ output: floats, gradient: floats }, none, (core, { output, gradient }) => {
  const { R, N } = rows(output, 'output');
  expectShape(gradient, output.shape, 'gradient');
  return compute(core, 'gf_softmax_backward', output.shape, gradient, output, R, N);
});

/** @param {string} name of the export @param {string[]} weights whose gradients are sums over all rows */
const normBackward = (name, weights) =>
  operation({ x: floats, gradient: floats }, normOptions, (core, { x, gradient, weight, epsilon }) => {
    const { R, N } = rows(x, 'x');
    expectShape(weight, [N], 'weight');
    expectShape(gradient, x.shape, 'gradient');
    const sizes = [R * N, ...weights.map(() => N)];
    const { outputs } = call(core, name, sizes, gradient, x, weight, epsilon, R, N);
    const sums = weights.map((each, i) => [each, { data: outputs[i + 1], shape: [N] }]);
    return { x: { data: outputs[0], shape: x.shape }, ...Object.fromEntries(sums) };
  });

export const layerNormBackward = normBackward('gf_layer_norm_backward', ['weight', 'bias']);
export const rmsNormBackward = normBackward('gf_rms_norm_backward', ['weight']);

export const activationBackward = operation(
  { x: floats, gradient: floats, activation: any },
  activeOption,
  (core, { x, gradient, activation, active }) => {
    const { name, sizes } = activationCall(core, '_backward', x, activation, active);
    expectShape(gradient, x.shape, 'gradient');
    return compute(core, name, x.shape, gradient, x, ...sizes);
  },
);

export const crossEntropyBackward = operation(
  { logProbabilities: floats, labels: ints },
  lossOptions,
  (core, { logProbabilities: x, ...given }) =>
    compute(core, 'gf_cross_entropy_backward', x.shape, x, ...lossInputs(x, 'logProbabilities', given).inputs),
);

/** @param {import('./start.js').Core} core */
const optimizerOptions = (core) => {
  const table = readTrainerSettings(core);
  // The rows before clip are those of the optimiser.
  const end = table.findIndex(({ name }) => name === 'clip');
  const own = { step: integer(1, 2 ** 31 - 1), moment1: maybe(floats), moment2: maybe(floats) };
  return { ...own, ...readersOf(table.slice(0, end)) };
};

export const optimizerStep = operation(
  { parameters: floats, gradients: floats },
  optimizerOptions,
  (core, { parameters, gradients, moment1, moment2, step, ...settings }) => {
    const { data, shape } = parameters;
    for (const [name, given] of Object.entries({ gradients, moment1, moment2 })) expectShape(given, shape, name);
    return core.memory.withScratch((scratch) => {
      const table = readTrainerSettings(core);
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
  },
);
