import { outcomeOf, settingsOf, verdictOf } from './shared/claim.js';
import { inTrain } from './shared/explore.js';
import { leastSquares } from './shared/linear.js';
import { largest, say } from './shared/numbers.js';
import { given, marks, range } from './shared/picture.js';
import { stepper } from './shared/steps.js';
import { percent } from './shared/train.js';

const SIDE = 64;
const CORNERS = [0, 1].flatMap((a) => [0, 1].map((b) => [a, b]));
/** The middles of cells: with the ends of the interval the figures would be those of a coarser square. */
const square = (/** @type {number} */ low, side = SIDE) => {
  const axis = Array.from({ length: side }, (_, i) => low + ((1 - low) * (i + 0.5)) / side);
  return axis.flatMap((a) => axis.map((b) => [a, b]));
};
const and = (/** @type {number[]} */ [a, b]) => a * b;
const xor = (/** @type {number[]} */ [a, b]) => Number(a !== b);
const product = and;

/** @type {import('./shared/claim.js').Claim} */
export const claim = {
  number: 10,
  name: 'What a linear function cannot do',
  sentence: 'A strictly linear function can do neither a×b nor a AND b: the FFN needs its nonlinearity.',
  saidBy: 'Goodfellow, Bengio and Courville 2016, “Deep Learning”, section 6.1',
  source: 'https://www.deeplearningbook.org/contents/mlp.html',
  experiment:
    'The best linear function, by least squares, for XOR and AND of two bits and for a×b on a square of 64 × 64 ' +
    'points. ReLU networks built by hand do the same with one or two neurons.',
  sketch: { input: ['a', 'b'], stacks: [{ parts: ['w_{1}·a + w_{2}·b + c'] }], output: 'a XOR b, a AND b, a×b' },
  literature: {
    for: [
      'Minsky and Papert 1969, “Perceptrons”',
      'Goodfellow, Bengio and Courville 2016, “Deep Learning”, section 6.1',
    ],
    against: [],
  },
  why:
    'On [−1, 1]² a·b has no covariance with a or b, so its best affine fit is 0. That of a AND b is a/2 + b/2 − ' +
    '1/4, off by 1/4 at every corner.',
  limits:
    'Classification: through a threshold, a nonlinearity itself, a linear function separates a AND b, but not XOR.',
  overturn: 'A linear function whose error at the corners of a AND b is below 1/4.',
  quotes: [
    {
      text: 'Clearly, we must use a nonlinear function to describe the features.',
      from: 'Goodfellow et al. 2016, section 6.1',
    },
  ],
  choices: [
    { label: 'It can do neither.', verdict: 'true' },
    { label: 'It can do one of them.', verdict: 'it depends' },
    { label: 'It can do both.', verdict: 'false' },
  ],
  guess: { name: 'positiveR2', from: 0, to: 1 },
  inputs: [
    {
      name: 'target',
      label: 'Target',
      values: ['all', 'XOR', 'AND', 'a×b on [−1, 1]²', 'a×b on [0, 1]²'],
      default: 'all',
    },
  ],
  scales: [{ name: 'side', label: 'Points along a side of the square', values: [8, 16, 32, SIDE], default: SIDE }],
  seeded: false,
  expected: [
    { name: 'xorError', label: 'XOR: mean squared error', range: [0.25, 0.25], tolerance: { absolute: 0.002 } },
    { name: 'andError', label: 'AND: largest error', range: [0.25, 0.25], tolerance: { absolute: 0.002 } },
    { name: 'andRight', label: 'AND through a threshold: right', range: [1, 1], share: true },
    { name: 'productR2', label: 'a×b on [−1, 1]²: R²', range: [0, 0], tolerance: { absolute: 0.002 } },
    { name: 'positiveR2', label: 'a×b on [0, 1]²: R²', range: [0.857, 0.857], tolerance: { absolute: 0.002 } },
    {
      name: 'positiveError',
      label: 'a×b on [0, 1]²: largest error',
      range: [0.242, 0.242],
      tolerance: { absolute: 0.002 },
    },
    { name: 'reluAnd', label: 'AND by 1 ReLU neuron: largest error', range: [0, 0] },
    { name: 'reluXor', label: 'XOR by 2 ReLU neurons: largest error', range: [0, 0] },
  ],
  contrast: { target: 'AND' },
};

/** @type {import('./shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { target, side } = settingsOf(claim, params);
  const coarse = (/** @type {readonly number[]} */ y) => thinned(y, side);
  const asked = (/** @type {string} */ name) => target === 'all' || target === name;
  const step = stepper(4, onProgress, signal);
  /** @type {Record<string, number | number[]>} */
  const numbers = {};
  await step();
  if (asked('XOR')) {
    const { error, r2 } = affine(gf, CORNERS, xor);
    Object.assign(numbers, { xorError: error, xorR2: r2 });
    numbers.reluXor = byHand(gf, [[1, 1], [1, 1]], [0, -1], [1, -2], xor); // prettier-ignore
  }
  await step();
  if (asked('AND')) {
    const { y, r2 } = affine(gf, CORNERS, and);
    numbers.andR2 = r2;
    numbers.andError = largest(CORNERS.map((x, i) => Math.abs(y[i] - and(x))));
    numbers.andRight = CORNERS.filter((x, i) => y[i] > 0.5 === and(x) > 0.5).length / CORNERS.length;
    numbers.reluAnd = byHand(gf, [[1, 1]], [-1], [1], and);
  }
  await step();
  if (asked('a×b on [−1, 1]²')) {
    const { y, r2 } = affine(gf, square(-1, side), product);
    Object.assign(numbers, { productR2: r2, productFit: coarse(y), product: coarse(square(-1, side).map(product)) });
  }
  await step();
  if (asked('a×b on [0, 1]²')) {
    const { y, r2 } = affine(gf, square(0, side), product);
    const wrong = largest(square(0, side).map((x, i) => Math.abs(y[i] - product(x))));
    Object.assign(numbers, {
      positiveR2: r2,
      positiveError: wrong,
      positiveFit: coarse(y),
      positive: coarse(square(0, side).map(product)),
    });
  }
  onProgress?.(1);
  return numbers;
}

/** Every fourth point of each axis, for a map. @param {readonly number[]} y @param {number} side */
const thinned = (y, side) => y.filter((_, i) => i % 4 === 2 && Math.floor(i / side) % 4 === 2);

/**
 * The first output of an FFN of two inputs.
 * @param {import('glassformer').Engine} gf
 * @param {readonly number[][]} x
 * @param {number[][]} hidden
 * @param {number[]} bias
 * @param {number[]} out
 * @param {number} outBias
 * @param {'relu' | 'none'} activation
 */
function network(gf, x, hidden, bias, out, outBias, activation) {
  const weights = {
    'linear1.weight': hidden,
    'linear1.bias': bias,
    'linear2.weight': [out, out.map(() => 0)],
    'linear2.bias': [outBias, 0],
  };
  return [...gf.feedForward(x, { weights, activation }).output.data].filter((_, i) => i % 2 === 0);
}

/**
 * The FFN without activation that has the least squared error.
 * @param {import('glassformer').Engine} gf
 * @param {readonly number[][]} x
 * @param {(x: number[]) => number} target
 */
function affine(gf, x, target) {
  const wanted = x.map(target);
  const [[a], [b], [c]] = leastSquares(
    x.map((one) => [...one, 1]),
    wanted.map((one) => [one]),
  );
  const y = network(gf, x, [[a, b]], [0], [1], c, 'none');
  const mean = wanted.reduce((sum, one) => sum + one, 0) / x.length;
  const error = wanted.reduce((sum, one, i) => sum + (y[i] - one) ** 2, 0) / x.length;
  const variance = wanted.reduce((sum, one) => sum + (one - mean) ** 2, 0) / x.length;
  return { y, error, r2: 1 - error / variance };
}

/**
 * The largest error at the corners of neurons whose weights are chosen by hand.
 * @param {import('glassformer').Engine} gf
 * @param {number[][]} hidden
 * @param {number[]} bias
 * @param {number[]} out
 * @param {(x: number[]) => number} target
 */
function byHand(gf, hidden, bias, out, target) {
  const y = network(gf, CORNERS, hidden, bias, out, 0, 'relu');
  return largest(CORNERS.map((x, i) => Math.abs(y[i] - target(x))));
}

/** @type {import('./shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  ({ andError, productR2 }) => ({
    verdict: verdictOf([andError > 0.01, productR2 < 0.999]),
    on: 'which of the two is asked',
    found:
      `The best linear function misses a AND b by ${say(andError)}, and explains ` +
      `${percent(Math.abs(productR2) < 1e-9 ? 0 : productR2)} of a×b on [−1, 1]². One ReLU neuron gives a AND b.`,
  }),
  ({ xorError, andRight, productR2, positiveR2, positiveError }, { target }) =>
    target === 'XOR'
      ? `The best linear function answers ½ everywhere: its mean squared error is ${say(xorError)}.`
      : target === 'AND'
        ? `Through a threshold at ½, a nonlinearity itself, ${percent(andRight)} of a AND b is right.`
        : positiveR2
          ? `The best linear function explains ${percent(positiveR2)} of ${target}, and is still off by up to ` +
            `${say(positiveError)}.`
          : `The best linear function explains ${percent(productR2)} of ${target}.`,
);

/** @type {import('./shared/explore.js').MatchingOf} */
export const matching = ({ target }) =>
  /×/.test(target)
    ? null
    : inTrain(
        { task: target === 'AND' ? 'and' : 'xor', activation: 'none', step: 400 },
        `${target === 'AND' ? 'AND' : 'XOR'} by a linear network; the activation is a switch there`,
      );

/** @type {import('./shared/picture.js').PictureOf} */
export function picture({ xorR2, andR2, andRight, productR2, positiveR2, ...maps }) {
  const results = [
    ['XOR: R²', xorR2],
    ['AND: R²', andR2],
    ['AND through a threshold at ½: share right', andRight],
    ['a×b on [−1, 1]²: R²', productR2],
    ['a×b on [0, 1]²: R²', positiveR2],
  ];
  const surface = (
    /** @type {string} */ title,
    /** @type {number} */ low,
    /** @type {any} */ wanted,
    /** @type {any} */ fit,
  ) =>
    given(wanted, () => {
      const labels = range(16).map((i) => String(Number((low + ((1 - low) * (4 * i + 2.5)) / 64).toFixed(2))));
      return [
        /** @type {import('./shared/picture.js').Maps} */ ({
          kind: 'maps',
          title,
          scale: 'signed',
          columns: 16,
          rowAxis: { title: 'a', labels },
          columnAxis: { title: 'b', labels },
          maps: [
            { title: 'a×b', values: wanted },
            { title: 'Best linear function', values: fit },
          ],
        }),
      ];
    });
  return [
    {
      kind: 'rows',
      title: 'What the best linear function gets',
      x: { title: 'share', low: 0, high: 1 },
      bars: true,
      rows: results.flatMap(([label, value]) =>
        given(value, () => [{ label: String(label), marks: marks({}, Number(value)) }]),
      ),
    },
    ...surface('a×b on [−1, 1]²', -1, maps.product, maps.productFit),
    ...surface('a×b on [0, 1]²', 0, maps.positive, maps.positiveFit),
  ];
}
