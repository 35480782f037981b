import { makeReverse } from 'glassformer/tasks';
import { outcomeOf, settingsOf, verdictOf } from './shared/claim.js';
import { inTrain } from './shared/explore.js';
import { median, normal, randomOf, say, smallest } from './shared/numbers.js';
import { bySeed, STEP } from './shared/picture.js';
import { dataOf, overTrainings, percent, shareRight, train, withModel } from './shared/train.js';

const BOTH = 'LayerNorm and RMSNorm';
const WIDTH = 64;
const ROWS = 64;
/** Means of the rows, in standard deviations. */
const MEANS = [0, 0.125, 0.25, 0.5, 1, 2, 4];
const EVERY = 10;
const STEPS = 200;
const HELD_OUT = 256;
const task = makeReverse({ length: 6 });
/** The share of right answers that may be lost for “the same”, and how many more steps training may take. */
const LOST = 0.05;
const LATER = 1.25;
const SHARE = { tolerance: { absolute: 0.1 }, share: true };
const LATE = { tolerance: { absolute: 30 } };

/** @type {import('./shared/claim.js').Claim} */
export const claim = {
  number: 26,
  name: 'RMSNorm in place of LayerNorm',
  sentence: 'RMSNorm does what LayerNorm does: the mean, which it does not take away, does not matter.',
  saidBy: 'Zhang and Sennrich 2019, “Root Mean Square Layer Normalization”, abstract',
  experiment:
    'An encoder of six pre-norm layers of width 16 learns to reverse 6 digits, with LayerNorm and with RMSNorm. Then ' +
    'each network gets the other norm, with its weights as they are, and random rows of width 64 go through both.',
  sketch: {
    input: ['3', '8', '1', '…', '5'],
    stacks: [{ name: 'encoder', layers: 6, parts: ['LayerNorm or RMSNorm', 'attention: 2', 'FFN: 32'] }],
    output: '6 digits in reverse',
    width: 16,
    steps: 200,
  },
  literature: {
    for: [
      'Zhang and Sennrich 2019, “Root Mean Square Layer Normalization”',
      'Jiang et al. 2023, “Pre-RMSNorm and Pre-CRMSNorm Transformers: Equivalent and Efficient Pre-LN Transformers”',
    ],
    against: ['Ba et al. 2016, “Layer Normalization”'],
  },
  why:
    'LayerNorm is RMSNorm of the row without its mean, so they agree where the mean is 0. What training needs is the ' +
    'size of rows in bounds, and both give it; but weights that grew with one norm count on it.',
  limits:
    'One task, width 16, six layers. What a swap leaves right differs by seed, from 62 to 99 %. That from LayerNorm ' +
    'leaves out its bias; that from RMSNorm has none. Our cutoffs: 5 points of what is right, a quarter more steps.',
  overturn:
    'RMSNorm networks that learn far later than those with LayerNorm, or networks that a swap leaves as they are.',
  quotes: [
    {
      text: 'we hypothesize that re-centering invariance in LayerNorm is dispensable',
      from: 'Zhang and Sennrich 2019, abstract',
    },
  ],
  choices: [
    { label: 'It trains as well, and can replace LayerNorm in a trained network.', verdict: 'true' },
    { label: 'It trains as well, but a network is used to the norm that it was trained with.', verdict: 'it depends' },
    { label: 'Without the mean taken away training is worse.', verdict: 'false' },
  ],
  guess: { name: 'swapped', from: 0, to: 1 },
  inputs: [
    { name: 'norms', label: 'Norms', values: [BOTH, 'none'], default: BOTH, controls: ['none'] },
    { name: 'learningRate', label: 'Learning rate', values: [5e-3, 1e-2], default: 1e-2 },
  ],
  scales: [
    { name: 'learningRate', label: 'Learning rate', values: [5e-3, 1e-2, 2e-2] },
    { name: 'layers', label: 'Layers', values: [2, 6, 12], default: 6 },
    { name: 'd_model', label: 'Width d_model', values: [16, 32], default: 16 },
  ],
  long: true,
  seeded: true,
  expected: [
    { name: 'layerSteps', label: 'LayerNorm: steps to 99 % (∞: not reached)', range: [110, 150], ...LATE },
    { name: 'rmsSteps', label: 'RMSNorm: steps to 99 % (∞: not reached)', range: [100, 170], ...LATE },
    { name: 'swapped', label: 'RMSNorm in place of a trained LayerNorm: right', range: [0.84, 0.996], ...SHARE },
    { name: 'swappedBack', label: 'LayerNorm in place of a trained RMSNorm: right', range: [0.62, 0.98], ...SHARE },
    {
      name: 'atMean1',
      label: 'Cosine of the two outputs, mean of one standard deviation',
      range: [0.707, 0.708],
      tolerance: { absolute: 1e-3 },
    },
    { name: 'noneRight', label: 'Without a norm: right', at: { norms: 'none' }, range: [0.878, 0.993], ...SHARE },
  ],
  contrast: { norms: 'none' },
};

/** @type {import('./shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { norms, learningRate, layers, d_model, seeds } = settingsOf(claim, params);
  const isOwn = norms === BOTH;
  return overTrainings(
    seeds,
    STEPS * (isOwn ? 2 : 1),
    async (seed, step) => {
      const given = { learningRate, layers, d_model, seed };
      if (!isOwn) {
        const { steps, right, curve } = await learn(gf, { norm: 'none' }, given, step);
        return { noneSteps: steps, noneRight: right, noneCurve: curve, ...rows(gf, seed) };
      }
      const layer = await learn(gf, { normKind: 'layer' }, given, step, 'rms');
      const rms = await learn(gf, { normKind: 'rms' }, given, step, 'layer');
      return {
        layerSteps: layer.steps,
        rmsSteps: rms.steps,
        layerRight: layer.right,
        rmsRight: rms.right,
        layerCurve: layer.curve,
        rmsCurve: rms.curve,
        swapped: layer.swapped,
        swappedBack: rms.swapped,
        ...rows(gf, seed),
      };
    },
    onProgress,
    signal,
    (lists) => ({ ...lists, means: MEANS }),
  );
}

/**
 * Cosines of what the two norms make of random rows, by their mean.
 * @param {import('./shared/train.js').Engine} gf
 * @param {number} seed
 */
function rows(gf, seed) {
  const x = normal(randomOf(seed, claim.name), [ROWS, WIDTH]);
  const centred = gf.layerNorm(x).output;
  const byMean = MEANS.map((mean) => {
    const moved = { data: centred.data.map((one) => one + mean), shape: centred.shape };
    return smallest(gf.cosine(gf.rmsNorm(moved).output, gf.layerNorm(moved).output).data);
  });
  return { byMean, atMean0: byMean[0], atMean1: byMean[MEANS.indexOf(1)] };
}

/**
 * Trains a network until 99 % are right.
 * @param {import('./shared/train.js').Engine} gf
 * @param {Record<string, unknown>} norm
 * @param {{learningRate: number, layers: number, d_model: number, seed: number}} settings
 * @param {() => Promise<void>} step
 * @param {'layer' | 'rms'} [other] norm that its weights are tried with
 */
async function learn(gf, norm, { learningRate, layers, d_model, seed }, step, other) {
  const small = { d_model, d_ff: 2 * d_model, heads: 2, layers };
  const config = /** @type {any} */ ({ ...task.config, ...small, norm: 'pre', finalNorm: norm.norm !== 'none', seed });
  return withModel(gf, { ...config, ...norm }, async (model) => {
    const { heldOut, batches } = dataOf(task, seed, HELD_OUT);
    const recipe = /** @type {any} */ ({ ...task.trainer, learningRate, steps: STEPS });
    const curve = [shareRight(model, heldOut.batch)];
    let steps = Infinity;
    await train(model.trainer(recipe), batches(), STEPS, step, (at) => {
      if (at % EVERY > 0) return false;
      curve.push(shareRight(model, heldOut.batch));
      if (curve[curve.length - 1] >= 0.99 && steps === Infinity) steps = at;
      return false;
    });
    const swapped = other
      ? await withModel(gf, { ...config, normKind: other }, (twin) => {
          twin.loadWeights(Object.fromEntries(model.weights()), { strict: false });
          return shareRight(twin, heldOut.batch);
        })
      : NaN;
    return { right: curve[curve.length - 1], steps, curve, swapped };
  });
}

/** @type {import('./shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  (numbers) => {
    const { layerSteps, rmsSteps, layerRight, rmsRight, swapped, swappedBack } = numbers;
    const trains = median(rmsSteps) <= LATER * median(layerSteps);
    const replaces = (/** @type {number[]} */ own, /** @type {number[]} */ other) =>
      median(other) >= median(own) - LOST;
    return {
      verdict: verdictOf([trains, replaces(layerRight, swapped) && replaces(rmsRight, swappedBack)]),
      on: 'whether the network was trained with it',
      found: found(numbers),
    };
  },
  (numbers, { learningRate }) => `Learning rate ${learningRate}: ${found(numbers)}`,
);

/** @param {any} numbers */
function found({ layerSteps, rmsSteps, swapped, swappedBack, noneSteps, noneRight, atMean1 }) {
  const rows = `Rows whose mean is one standard deviation come out with a cosine of ${say(atMean1)}.`;
  const step = (/** @type {number[]} */ steps) => say(steps.map((one) => Math.min(one, STEPS)));
  return noneSteps
    ? `without a norm ${percent(noneRight)} of the digits are right at step ${STEPS}.`
    : `99 % of the digits are right after ${step(layerSteps)} steps with LayerNorm, ${step(rmsSteps)} with RMSNorm. ` +
        `RMSNorm in the place of a trained LayerNorm leaves ${percent(swapped)} right, by seed, the other way ` +
        `${percent(swappedBack)}. ${rows}`;
}

/** @type {import('./shared/explore.js').MatchingOf} */
export const matching = ({ norms, learningRate, seed }) =>
  inTrain(
    {
      task: 'reverse',
      layers: 6,
      d_model: 16,
      d_ff: 32,
      norm: norms === BOTH ? 'pre' : 'none',
      ...(norms === BOTH && { normKind: 'rms' }),
      learningRate,
      seed,
      step: STEPS,
    },
    `the same on Train’s 8 digits${norms === BOTH ? ', with RMSNorm; LayerNorm is a switch there' : ''}`,
  );

/** @type {import('./shared/picture.js').PictureOf} */
export const picture = (numbers, params) => {
  const { byMean, layerCurve, rmsCurve, noneCurve } = numbers;
  const curves = noneCurve
    ? [['without a norm', noneCurve]]
    : [
        ['LayerNorm', layerCurve],
        ['RMSNorm', rmsCurve],
      ];
  return [
    {
      kind: 'curves',
      title: 'Held-out digits that are right',
      x: STEP,
      y: { title: 'share right', low: 0, high: 1, percent: true },
      series: curves.map(([name]) => ({ name })),
      lines: curves.flatMap(([, lists], s) => bySeed(params, s, lists, (i) => i * EVERY, { dots: false })),
    },
    {
      kind: 'curves',
      title: 'The two outputs of one row',
      x: { title: 'mean of the row, in standard deviations', low: 0, high: MEANS[MEANS.length - 1] },
      y: { title: 'smallest cosine', low: 0, high: 1 },
      series: [{ name: 'RMSNorm and LayerNorm' }],
      lines: bySeed(params, 0, byMean.slice(0, 1), (i) => MEANS[i]),
    },
  ];
};
