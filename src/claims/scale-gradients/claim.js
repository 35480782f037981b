import { settingsOf } from '../shared/claim.js';
import { median, normal, randomOf, say } from '../shared/numbers.js';
import { overSeeds } from '../shared/steps.js';

const [KEYS, QUERIES] = [16, 128];
const WIDTHS = [8, 16, 32, 64, 128, 256, 512];
/** The unscaled gradient as a share of the scaled below which it counts as vanishing. */
const VANISHING = 0.75;

/** Known widths: the range of the unscaled gradient, and how far it may be missed. */
const UNSCALED = /** @type {[number, readonly [number, number], import('../shared/claim.js').Tolerance][]} */ ([
  [8, [0.34, 0.35], { relative: 0.1 }],
  [64, [0.08, 0.13], { factor: 2 }],
  [128, [0.026, 0.044], { factor: 2 }],
  [512, [2e-4, 9e-4], { factor: 3 }],
]);
const SCALED = /** @type {const} */ ({ range: [0.3, 0.3], tolerance: { relative: 0.1 } });
const GRADIENT = 'Median ‖∂softmax/∂scores‖';

/** Of a run over all widths. @type {import('../shared/claim.js').Expected[]} */
const everyWidth = UNSCALED.flatMap(([d_k, range, tolerance]) => [
  { name: `unscaled${d_k}`, label: `${GRADIENT}, d_k ${d_k}, unscaled`, range, tolerance },
  { name: `scaled${d_k}`, label: `${GRADIENT}, d_k ${d_k}, scaled`, ...SCALED },
]);

/** Of a run at one of them. @type {import('../shared/claim.js').Expected[]} */
const oneWidth = UNSCALED.flatMap(([d_k, range, tolerance]) => [
  { name: 'unscaled', label: `${GRADIENT}, unscaled`, at: { d_k }, range, tolerance },
  { name: 'scaled', label: `${GRADIENT}, scaled`, at: { d_k }, ...SCALED },
]);

/** @type {import('../shared/claim.js').Claim} */
export const claim = {
  number: 1,
  name: 'Scaling by √d_k and the gradients of softmax',
  sentence: 'Large d_k pushes the softmax into regions of extremely small gradients; dividing by √d_k counteracts it.',
  source: 'Vaswani et al. 2017, “Attention Is All You Need”, section 3.2.1',
  quotes: [
    'We suspect that for large values of d_k, the dot products grow large in magnitude, ' +
      'pushing the softmax function into regions where it has extremely small gradients.',
  ],
  choices: [
    { label: 'At every d_k.', verdict: 'holds' },
    { label: 'Only from some d_k on.', verdict: 'holds only if' },
    { label: 'The gradients are the same.', verdict: 'fails' },
  ],
  inputs: [{ name: 'd_k', label: 'd_k', values: ['8 to 512', ...WIDTHS], default: '8 to 512' }],
  long: true,
  seeded: true,
  expected: [
    ...everyWidth,
    { name: 'variance', label: 'Var(q·k) / d_k', range: [1, 1], tolerance: { relative: 0.1 } },
    ...oneWidth,
  ],
  flip: { params: { d_k: 8 }, verdict: 'fails' },
};

/** @type {import('../shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { d_k, seeds } = settingsOf(claim, params);
  const widths = typeof d_k === 'number' ? [d_k] : WIDTHS;
  const lists = await overSeeds(
    seeds,
    (seed) => {
      const each = widths.map((width) => measure(gf, seed, width));
      const names = /** @type {const} */ (['unscaled', 'scaled', 'variance']);
      return Object.fromEntries(names.map((name) => [name, each.map((one) => one[name])]));
    },
    onProgress,
    signal,
  );
  const { unscaled, scaled, variance } = lists;
  const at = (/** @type {number} */ w, ending = String(widths[w])) => ({
    [`unscaled${ending}`]: unscaled.map((list) => list[w]),
    [`scaled${ending}`]: scaled.map((list) => list[w]),
  });
  const single = widths.length === 1 ? at(0, '') : Object.assign({}, ...widths.map((_, w) => at(w)));
  return { widths, variance, unscaledCurve: unscaled, scaledCurve: scaled, ...single };
}

/** Queries, each with keys of its own. @param {number} seed @param {number} width */
export function drawn(seed, width) {
  const random = randomOf(seed, `${claim.name} ${width}`);
  return { query: normal(random, [QUERIES, 1, width]), key: normal(random, [QUERIES, KEYS, width]) };
}

/**
 * @param {import('glassformer').Engine} gf
 * @param {number} seed
 * @param {number} width
 */
export function measure(gf, seed, width) {
  const { query, key } = drawn(seed, width);
  const at = (/** @type {number} */ scale) => {
    const { weights, scores } = gf.attention({ query, key, value: key, scale });
    // the Jacobian of a row: the gradient of each of its weights
    const output = { data: new Float32Array(QUERIES * KEYS * KEYS), shape: [QUERIES, KEYS, KEYS] };
    const gradient = { ...output, data: output.data.map((_, i) => Number(i % KEYS === Math.floor(i / KEYS) % KEYS)) };
    for (let q = 0; q < QUERIES; q++)
      for (let i = 0; i < KEYS; i++)
        output.data.set(weights.data.subarray(q * KEYS, (q + 1) * KEYS), (q * KEYS + i) * KEYS);
    const { data } = gf.softmaxBackward({ output, gradient });
    const norms = gf.vectorNorm({ x: { data, shape: [QUERIES, KEYS * KEYS] } });
    return { norms: [...norms.data], scores: scores.data };
  };
  const plain = at(1);
  const squares = plain.scores.reduce((sum, score) => sum + score * score, 0);
  return {
    unscaled: median(plain.norms),
    scaled: median(at(1 / Math.sqrt(width)).norms),
    norms: plain.norms,
    variance: squares / plain.scores.length / width,
  };
}

/** @type {import('../shared/claim.js').ClaimModule['verdict']} */
export function verdict({ widths, unscaledCurve: unscaled, scaledCurve: scaled }) {
  const at = (/** @type {number[][]} */ lists, /** @type {number} */ w) => lists.map((list) => list[w]);
  const vanish = widths.map(
    (/** @type {number} */ _, /** @type {number} */ w) => median(at(unscaled, w)) < VANISHING * median(at(scaled, w)),
  );
  const last = widths.length - 1;
  const beside = (/** @type {number} */ w) =>
    `at d_k ${widths[w]} the gradient is ${say(at(unscaled, w))} unscaled, ${say(at(scaled, w))} scaled`;
  if (!vanish[last]) return { verdict: 'fails', why: `Nothing vanishes: ${beside(last)}.` };
  if (vanish[0]) return { verdict: 'holds', why: `Unscaled it vanishes: ${beside(last)}.` };
  return {
    verdict: 'holds only if',
    why: `Only if d_k is at least ${widths[vanish.indexOf(true)]}: ${beside(0)}, ${beside(last)}.`,
  };
}
