import { makeSquare } from 'glassformer/tasks';
import { bends, brokenLine, curve, learn, outputOf, STEPS } from './shared/broken-line.js';
import { outcomeOf, settingsOf } from './shared/claim.js';
import { inTrain, SAME_RUN } from './shared/explore.js';
import { largest, say } from './shared/numbers.js';
import { bySeed, range } from './shared/picture.js';
import { freed, overTrainings } from './shared/train.js';

const NEURONS = 8;
/** Points of a piece, and the bend between two that counts as a kink. */
const POINTS = 8;
const KINK = 1e-5;

/** The smallest error that there can be. @param {number} neurons */
const bestOf = (neurons) => 1 / (2 * (neurons + 1) ** 2);

/**
 * @param {number} neurons
 * @param {number} best error
 * @returns {import('./shared/claim.js').Expected[]}
 */
const approximation = (neurons, best) => [
  {
    name: 'bestError',
    label: 'Largest error of the best broken line, h²/8',
    at: { neurons },
    range: [best, best],
    tolerance: { absolute: 1e-6 },
  },
  {
    name: 'interpolationError',
    label: 'Largest error of the line through x² at its kinks, h²/4',
    at: { neurons },
    range: [2 * best, 2 * best],
    tolerance: { absolute: 1e-6 },
  },
  { name: 'kinks', label: 'Kinks', at: { neurons }, range: [neurons, neurons] },
  { name: 'ratio', label: 'Largest error after Adam, over the best', at: { neurons }, range: [1.4, 37] },
];

/** @type {import('./shared/claim.js').Claim} */
export const claim = {
  number: 7,
  name: 'Kinks of ReLU neurons',
  sentence: 'N ReLU neurons make at most N kinks and N + 1 straight pieces, and approximate x² as well as wanted.',
  saidBy: 'Prince 2023, “Understanding Deep Learning”, section 3.2',
  source: 'https://udlbook.github.io/udlbook/',
  experiment:
    'A ReLU network with one input and 8 neurons draws a line along x² on [−1, 1]. The best such line is built ' +
    'by hand and compared with one trained for 1,500 steps of Adam.',
  sketch: { input: ['x'], stacks: [{ parts: ['ReLU neurons: 8'] }], output: 'a line along x²', steps: 1500 },
  literature: {
    for: [
      'Cybenko 1989, “Approximation by Superpositions of a Sigmoidal Function”',
      'Hornik 1991, “Approximation Capabilities of Multilayer Feedforward Networks”',
      'Yarotsky 2017, “Error bounds for approximations with deep ReLU networks”',
      'Montúfar et al. 2014, “On the Number of Linear Regions of Deep Neural Networks”',
    ],
    against: [],
  },
  why:
    'Each neuron max(0, w·x + b) bends the line at x = −b/w. On pieces of width h = 2/(N + 1) the best line misses ' +
    'x² by h²/8.',
  limits:
    'One input and one layer: with more there can be far more pieces. The best line is built by hand; training ' +
    'does not find it.',
  overturn: 'A ReLU network of one layer with more kinks than neurons, or an error that more neurons do not lower.',
  quotes: [
    {
      text:
        'the output of a network with D hidden units has at most D joints and so is a piecewise linear function ' +
        'with at most D + 1 linear regions',
      from: 'Prince 2023, section 3.2',
    },
  ],
  choices: [
    { label: 'There are up to N kinks, and the smallest possible error falls as 1/(N + 1)².', verdict: 'true' },
    { label: 'There are up to N kinks, but the error does not fall like that.', verdict: 'it depends' },
    { label: 'There are more kinks than neurons.', verdict: 'false' },
  ],
  inputs: [
    { name: 'neurons', label: 'Neurons N', values: [2, 4, 8, 16, 32], default: NEURONS },
    { name: 'activation', label: 'Activation', values: ['relu', 'gelu', 'silu'], default: 'relu' },
  ],
  scales: [{ name: 'neurons', label: 'Neurons N', values: [2, 4, NEURONS, 16, 32, 64] }],
  seeded: true,
  expected: [8, 4, 16].flatMap((neurons) => approximation(neurons, bestOf(neurons))),
  contrast: { activation: 'gelu' },
};

/** @type {import('./shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { neurons, activation, seeds } = settingsOf(claim, params);
  const h = 2 / (neurons + 1);
  const x = Array.from({ length: POINTS * (neurons + 1) + 1 }, (_, i) => -1 + (i * h) / POINTS);
  const errorOf = (/** @type {ArrayLike<number>} */ y) => largest(x.map((one, i) => Math.abs(y[i] - one * one)));
  const [through, best] = [0, h ** 2 / 8].map((lower) => curve(gf, x, brokenLine(neurons, lower), activation));
  const batch = makeSquare({ hidden: neurons }).heldOut();
  const exact = {
    neurons,
    kinks: bends(best).filter((bend) => Math.abs(bend) > KINK).length,
    interpolationError: errorOf(through),
    bestError: errorOf(best),
    x,
    best: [...best],
  };
  return overTrainings(
    seeds,
    STEPS,
    async (seed, step) =>
      freed(await learn(gf, { neurons, activation, seed }, step), (model) => {
        const { data } = model.forward({ vectors: batch.vectors }).output;
        const error = largest(data.map((y, i) => Math.abs(y - batch.labels.data[i])));
        return { ratio: error / (h ** 2 / 8), learnt: outputOf(gf, model, x) };
      }),
    onProgress,
    signal,
    (lists) => ({ ...exact, ...lists }),
  );
}

/** @type {import('./shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  ({ neurons, kinks, bestError, ratio }) => {
    const isSharp = Math.abs(bestError - bestOf(neurons)) < 1e-5;
    const verdict = kinks > neurons ? 'false' : isSharp ? 'true' : 'it depends';
    return { verdict, on: 'which half is meant', found: lineOf(kinks, bestError, ratio) };
  },
  ({ kinks, bestError, ratio }, { activation }) =>
    activation === 'relu'
      ? lineOf(kinks, bestError, ratio)
      : `With ${activation} there is no kink: the curve bends everywhere. What Adam learns misses x² by ` +
        `${say(ratio)} times the best broken line.`,
);

/** @param {number} kinks @param {number} error @param {number[]} ratio */
const lineOf = (kinks, error, ratio) =>
  `${kinks} kinks; the best such line, built by hand, misses x² by at most ${say(error)}, ` +
  `what Adam learns by ${say(ratio)} times that.`;

/** @type {import('./shared/explore.js').MatchingOf} */
export const matching = ({ neurons, activation, seed }) =>
  inTrain({ task: 'square', d_ff: neurons, activation, seed, step: 1500 }, `${SAME_RUN}, at its last step`);

/** @type {import('./shared/picture.js').PictureOf} */
export function picture({ x, best, learnt }, params) {
  const { neurons = 8, activation = 'relu' } = params;
  // where the slope changes by more than single precision does
  const bent = range(x.length).filter((i) => Math.abs(best[i - 1] - 2 * best[i] + best[i + 1]) > 1e-5);
  const isBroken = bent.length < x.length / 2;
  /** @param {(y: number, x: number) => number} of @returns {import('./shared/picture.js').Line[]} */
  const lines = (of) => [
    ...bySeed(
      params,
      1,
      learnt.map((/** @type {number[]} */ y) => y.map((one, i) => of(one, x[i]))),
      (i) => x[i],
      { dots: false },
    ),
    {
      series: 0,
      label: '',
      joined: true,
      dots: isBroken && bent,
      points: x.map((/** @type {number} */ one, /** @type {number} */ i) => [one, of(best[i], one)]),
    },
  ];
  const target = { series: 2, label: '', joined: true, dots: false };
  const series = [
    { name: isBroken ? `best for ${neurons} neurons, its kinks marked` : `the same weights with ${activation}` },
    { name: 'after Adam' },
    { name: 'x²', target: true },
  ];
  return [
    {
      kind: 'curves',
      title: `${neurons} neurons along x²`,
      x: { title: 'x' },
      y: { title: 'output' },
      series,
      lines: [{ ...target, points: x.map((/** @type {number} */ one) => [one, one * one]) }, ...lines((y) => y)],
    },
    {
      kind: 'curves',
      title: 'Distance from x²',
      x: { title: 'x' },
      y: { title: 'output − x²' },
      series,
      lines: [
        {
          ...target,
          points: [
            [-1, 0],
            [1, 0],
          ],
        },
        ...lines((y, one) => y - one * one),
      ],
    },
  ];
}
