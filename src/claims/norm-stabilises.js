import { makeReverse } from 'glassformer/tasks';
import { outcomeOf, settingsOf, verdictOf } from './shared/claim.js';
import { inTrain } from './shared/explore.js';
import { median } from './shared/numbers.js';
import { bySeed } from './shared/picture.js';
import { overTrainings, shareRight, train, withModel } from './shared/train.js';

const LENGTH = 6;
const RATES = [1e-3, 3e-3, 1e-2, 3e-2];
const DEPTHS = [2, 8];
const STEPS = 250;
const HELD_OUT = 128;
/** The share of digits from which we say that a model has learned. */
const LEARNT = 0.95;
const task = makeReverse({ length: LENGTH });
const DESIGNS = /** @type {Record<string, any>} */ ({
  none: { norm: 'none' },
  post: { norm: 'post' },
  pre: { norm: 'pre', finalNorm: true },
});
const ALL = 'as usual';
const NAMES = /** @type {Record<string, string>} */ ({ none: 'no LayerNorm', post: 'post-LN', pre: 'pre-LN' });

/** @param {string} name @param {string} label @param {readonly [low: number, high: number]} range */
const count = (name, label, range) => ({ name, label, range, tolerance: { absolute: 1 } });

/** @type {import('./shared/claim.js').Claim} */
export const claim = {
  number: 48,
  name: 'LayerNorm and the learning rate',
  sentence: 'LayerNorm stabilises training: with it a model learns at learning rates at which it fails without.',
  saidBy: 'Ba et al. 2016, “Layer Normalization”, abstract, of recurrent networks; often said of the Transformer',
  experiment:
    'Encoders of two and of eight layers learn to reverse 6 digits in 250 steps, at four learning rates from 0.001 ' +
    'to 0.03. They do so without LayerNorm, with it after each sublayer (post-LN) and before it (pre-LN).',
  sketch: {
    input: ['3', '8', '1', '…', '5'],
    stacks: [{ name: 'with and without LayerNorm', layers: 8, parts: ['attention: 2', 'FFN: 32'] }],
    output: '6 digits in reverse',
    width: 16,
    steps: STEPS,
  },
  literature: {
    for: [
      'Ba et al. 2016, “Layer Normalization”',
      'Xiong et al. 2020, “On Layer Normalization in the Transformer Architecture”',
    ],
    against: [
      'Zhang et al. 2019, “Fixup Initialization: Residual Learning Without Normalization”',
      'Zhu et al. 2025, “Transformers without Normalization”',
    ],
  },
  why:
    'LayerNorm keeps what a sublayer reads at one size, whatever the residual stream has become. Two layers hardly ' +
    'change its size, so that there is little to keep. In eight, pre-LN leaves the way along the residual free, ' +
    'while post-LN rescales it, and the gradient with it, behind every sublayer.',
  limits:
    'One task at width 16, Adam, a warm-up, and gradients that are clipped, which itself stabilises. A rate counts ' +
    'where 95 % of the held-out digits are right after 250 steps. BERT trains 12 and 24 post-LN layers, with a long ' +
    'warm-up.',
  overturn: 'Eight layers without LayerNorm that learn this at as many rates as eight with it, wherever it stands.',
  choices: [
    { label: 'At more of the rates than without it, in both depths and both places.', verdict: 'true' },
    { label: 'At more of them in some of these cases.', verdict: 'it depends' },
    { label: 'At no more of them in any.', verdict: 'false' },
  ],
  guess: { name: 'none8Rates', from: 0, to: 4 },
  inputs: [
    { name: 'residual', label: 'Residual connections', values: [ALL, 'none'], default: ALL, controls: ['none'] },
  ],
  scales: [
    { name: 'width', label: 'Width d_model', values: [16, 32], default: 16 },
    { name: 'steps', label: 'Steps', values: [150, STEPS, 500], default: STEPS },
  ],
  long: true,
  seeded: true,
  expected: [
    count('none2Rates', 'Two layers, no LayerNorm: rates of four at which it learns', [2, 3]),
    count('post2Rates', 'Two layers, post-LN: rates of four at which it learns', [2, 3]),
    count('pre2Rates', 'Two layers, pre-LN: rates of four at which it learns', [3, 3]),
    count('none8Rates', 'Eight layers, no LayerNorm: rates of four at which it learns', [0, 1]),
    count('post8Rates', 'Eight layers, post-LN: rates of four at which it learns', [0, 0]),
    count('pre8Rates', 'Eight layers, pre-LN: rates of four at which it learns', [2, 3]),
  ],
  contrast: { residual: 'none' },
};

/** @type {import('./shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { residual, width, steps, seeds } = settingsOf(claim, params);
  const sizes = { d_model: width, heads: 2, d_ff: 2 * width, residual: residual === ALL };
  return overTrainings(
    seeds,
    DEPTHS.length * Object.keys(DESIGNS).length * RATES.length * steps,
    async (seed, step) => {
      const [heldOut] = task.heldOut(seed, { count: HELD_OUT }).map(({ batch }) => batch);
      /** @type {Record<string, any>} */
      const numbers = {};
      for (const layers of DEPTHS)
        for (const [name, design] of Object.entries(DESIGNS)) {
          /** @type {number[]} */
          const shares = [];
          for (const learningRate of RATES)
            shares.push(
              await withModel(gf, { ...task.config, ...sizes, ...design, layers, seed }, async (model) => {
                const all = task.batches(seed);
                const settings = /** @type {any} */ ({ ...task.trainer, learningRate });
                await train(model.trainer(settings), () => all.next().value, steps, step);
                return shareRight(model, heldOut);
              }),
            );
          numbers[`${name}${layers}`] = shares;
          numbers[`${name}${layers}Rates`] = shares.filter((share) => share >= LEARNT).length;
        }
      return numbers;
    },
    onProgress,
    signal,
  );
}

/** @type {import('./shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  (numbers) => ({
    verdict: verdictOf(
      DEPTHS.flatMap((layers) =>
        ['post', 'pre'].map((name) => ratesOf(numbers, name, layers) > ratesOf(numbers, 'none', layers)),
      ),
    ),
    on: 'the depth, and on where the LayerNorm stands',
    found: found(numbers),
  }),
  (numbers, { residual }) => `${residual === ALL ? '' : 'Without residual connections: '}${found(numbers)}`,
);

/** The rates at which the median seed learns. @param {any} numbers @param {string} name @param {number} layers */
const ratesOf = (numbers, name, layers) => median(numbers[`${name}${layers}Rates`]);

/** @param {any} numbers */
const found = (numbers) =>
  DEPTHS.map(
    (layers) =>
      `${layers} layers learn at this many of the four rates: ${Object.keys(DESIGNS)
        .map((name) => `${NAMES[name]} ${ratesOf(numbers, name, layers)}`)
        .join(', ')}.`,
  ).join(' ');

/** @type {import('./shared/explore.js').MatchingOf} */
export const matching = ({ seed, residual }) =>
  inTrain(
    { task: 'reverse', layers: 6, d_model: 16, d_ff: 32, norm: 'none', residual: residual === ALL, seed },
    'the same on Train’s 8 digits, without LayerNorm',
  );

/** @type {import('./shared/picture.js').PictureOf} */
export function picture(numbers, params) {
  const names = Object.keys(DESIGNS);
  return DEPTHS.map((layers) => ({
    kind: 'curves',
    title: `${layers} layers: held-out digits that are right in the end`,
    x: { title: 'learning rate', log: true },
    y: { title: 'share right', low: 0, high: 1, percent: true },
    series: names.map((name) => ({ name: NAMES[name] })),
    lines: names.flatMap((name, i) => bySeed(params, i, numbers[`${name}${layers}`], (at) => RATES[at])),
    levels: [{ name: '1 of 10 digits', at: 0.1 }],
  }));
}
