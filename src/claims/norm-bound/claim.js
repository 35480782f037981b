import { settingsOf } from '../shared/claim.js';
import { largest, median, normal, randomOf, say } from '../shared/numbers.js';
import { overSeeds } from '../shared/steps.js';

const [ROWS, WIDTH] = [64, 64];
/** Inputs of all sizes, to show the bound. */
const SCALES = [1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100, 1e3, 1e4]; // no powers: their last bits differ between engines
const [NORM, ENTRY, SLACK] = [Math.sqrt(WIDTH), Math.sqrt(WIDTH - 1), 1e-5];

/**
 * @param {number} epsilon
 * @param {readonly [low: number, high: number]} range
 * @param {number} absolute tolerance
 * @returns {import('../shared/claim.js').Expected}
 */
const typical = (epsilon, range, absolute) => ({
  name: 'typical',
  label: 'Median ‖LN(x)‖',
  at: { scale: 1e-3, epsilon },
  range,
  tolerance: { absolute },
});

/** @type {import('../shared/claim.js').Claim} */
export const claim = {
  number: 9,
  name: 'LayerNorm bounds what the FFN sees',
  sentence: 'LayerNorm bounds the inputs of the feed-forward network, however large the residual stream grows.',
  source: 'Ba et al. 2016, “Layer Normalization”, arXiv:1607.06450, section 3',
  choices: [
    { label: 'No row is longer than √d, however large the input.', verdict: 'holds' },
    { label: 'Only for inputs of moderate size.', verdict: 'holds only if' },
    { label: 'The rows are longer.', verdict: 'fails' },
  ],
  inputs: [
    { name: 'scale', label: 'Size of the input', values: [1e-3, 1, 1000], default: 1 },
    { name: 'epsilon', label: 'ε', values: [0, 1e-6, 1e-5], default: 1e-5 },
    { name: 'gain', label: 'Gain γ', values: [1, 4], default: 1 },
  ],
  seeded: true,
  expected: [
    { name: 'norm', label: 'Largest ‖LN(x)‖, √d = 8', range: [7.99, NORM], tolerance: { absolute: SLACK } },
    { name: 'entry', label: 'Largest entry, √(d − 1) = 7.937', range: [7.93, ENTRY], tolerance: { absolute: SLACK } },
    {
      name: 'norm',
      label: 'Largest ‖LN(x)‖ at ε = 0',
      at: { epsilon: 0 },
      range: [NORM, NORM],
      tolerance: { absolute: SLACK },
    },
    {
      name: 'entry',
      label: 'Largest entry at ε = 0',
      at: { epsilon: 0 },
      range: [ENTRY, ENTRY],
      tolerance: { absolute: SLACK },
    },
    // 8·s/√(s² + ε) of inputs of scale s = 0.001: 8, 5.66 and 2.41.
    ...[typical(0, [NORM, NORM], SLACK), typical(1e-6, [5.58, 5.7], 0.05), typical(1e-5, [2.35, 2.45], 0.05)],
  ],
  flip: { params: { gain: 4 }, verdict: 'fails' },
};

/** @type {import('../shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { scale, epsilon, gain, seeds } = settingsOf(claim, params);
  const numbers = await overSeeds(
    seeds,
    (seed) => {
      const x = normal(randomOf(seed, claim.name), [ROWS, WIDTH], scale);
      // the row with the largest entry that there can be
      x.data.fill(0, 0, WIDTH);
      x.data[0] = scale * NORM;
      const weight = new Float32Array(WIDTH).fill(gain);
      const { output } = gf.layerNorm({ x, weight, epsilon });
      const normsOf = (/** @type {import('../shared/numbers.js').Tensor} */ rows) => [
        ...gf.vectorNorm({ x: rows }).data,
      ];
      const norms = normsOf(output);
      const byScale = SCALES.map((size) => {
        const resized = { ...x, data: x.data.map((one) => (one / scale) * size) };
        return largest(normsOf(gf.layerNorm({ x: resized, weight, epsilon }).output));
      });
      return {
        ...{ norm: largest(norms), typical: median(norms), entry: largest(output.data.map(Math.abs)) },
        ...{ norms, byScale },
      };
    },
    onProgress,
    signal,
  );
  return { ...numbers, scales: SCALES };
}

/** @type {import('../shared/claim.js').ClaimModule['verdict']} */
export function verdict({ norm, entry }) {
  return largest(norm) <= NORM + SLACK && largest(entry) <= ENTRY + SLACK
    ? { verdict: 'holds', why: `No row is longer than ${say(largest(norm))}, no entry beyond ${say(largest(entry))}.` }
    : { verdict: 'fails', why: `Rows are as long as ${say(largest(norm))}: the gain γ multiplies the bound.` };
}
