import { outcomeOf, settingsOf, verdictOf } from './shared/claim.js';
import { lengthOf, median, randomOf, say, sineOf } from './shared/numbers.js';
import { bySeed, marks, range } from './shared/picture.js';
import { overTrainings, percent, train, withModel } from './shared/train.js';

const POINTS = 48;
const STEPS = 4000;
/** Measurements of a run after the one before it, and the rounds of power iteration of each. */
const [MEASURED, ROUNDS] = [20, 15];
/** The length of a move along a direction, over which gradients are compared. */
const MOVE = 1e-2;
/** The share of 2/λ from which on we say that a step is not small. */
const EDGE = 0.9;
const [SMALL, LARGE] = [0.05, 0.5];
const BOTH = '0.05 and 0.5';
const ENDINGS = ['Small', 'Large'];
const [WHOLE, SECOND] = ['both layers', 'the second alone'];

/**
 * @param {string} name
 * @param {string} label
 * @param {readonly [low: number, high: number]} range
 * @param {number} absolute tolerance
 * @param {import('./shared/claim.js').Params} [at]
 * @returns {import('./shared/claim.js').Expected}
 */
const ratio = (name, label, range, absolute, at) => ({
  ...{ name, label, range },
  ...(at && { at }),
  tolerance: { absolute },
});

/** @type {import('./shared/claim.js').Claim} */
export const claim = {
  number: 39,
  name: 'Edge of stability',
  sentence: 'The loss goes down because every step is small against the curvature: the learning rate is below 2/λ.',
  saidBy: 'LeCun et al. 1998, “Efficient BackProp”, section 5.1',
  experiment:
    'An FFN alone learns two functions of 48 points by plain gradient descent on all of them, at a learning rate η ' +
    'of 0.05 and of 0.5. On the way its largest curvature λ is measured, to see whether η stays below 2/λ.',
  sketch: {
    input: ['a', 'b'],
    stacks: [{ parts: ['FFN: 32'] }],
    output: 'λη/2, and the loss of 2ab, sin 3a',
    width: 2,
    steps: STEPS,
  },
  literature: {
    for: ['Nesterov 2018, “Lectures on Convex Optimization”'],
    against: [
      'Cohen et al. 2021, “Gradient Descent on Neural Networks Typically Occurs at the Edge of Stability”',
      'Damian et al. 2023, “Self-Stabilization: The Implicit Bias of Gradient Descent at the Edge of Stability”',
    ],
  },
  why:
    'While η < 2/λ, training makes the curvature grow. Above 2/λ steps overshoot along the steepest direction, and ' +
    'the swing drives the weights to where it is less steep. So λ hovers at 2/η: the rate sets the curvature.',
  limits:
    'Full batches without momentum, one small network. Other optimizers have other limits. At a small rate the edge ' +
    'may come after many more steps. 0.9 of the limit is our cutoff, in the second half of the run.',
  overturn: 'A large rate whose λη/2 stays well below 1 to the end, or a loss that cannot fall once it is there.',
  choices: [
    { label: 'λη/2 stays below 1, at both rates.', verdict: 'true' },
    { label: 'At the small rate it stays below 1; at the large one it climbs to 1.', verdict: 'it depends' },
    { label: 'It climbs to 1 at both.', verdict: 'false' },
  ],
  guess: { name: 'edgeLarge', from: 0, to: 2 },
  inputs: [
    { name: 'trained', label: 'Trained', values: [WHOLE, SECOND], default: WHOLE, controls: [SECOND] },
    { name: 'learningRate', label: 'Learning rate η', values: [BOTH, 0.05, 0.1, 0.2, 0.3, 0.5, 0.8], default: BOTH },
    { name: 'width', label: 'Neurons', values: [8, 32, 128], default: 32 },
  ],
  scales: [
    { name: 'small', label: 'Small learning rate', values: [0.01, SMALL, 0.1], default: SMALL },
    { name: 'large', label: 'Large learning rate', values: [0.2, 0.3, LARGE, 0.8, 1.2], default: LARGE },
    { name: 'width', label: 'Neurons', values: [8, 32, 128] },
    { name: 'steps', label: 'Steps', values: [1000, STEPS, 16_000], default: STEPS },
    { name: 'points', label: 'Points', values: [16, POINTS, 128], default: POINTS },
  ],
  long: true,
  seeded: true,
  expected: [
    ratio('edgeSmall', 'λη/2 at the small rate, second half', [0.069, 0.106], 0.03),
    ratio('edgeLarge', 'λη/2 at the large rate, second half', [0.96, 1.02], 0.05),
    { name: 'risesSmall', label: 'Steps that raise the loss, small rate', range: [0, 0], share: true },
    {
      name: 'risesLarge',
      label: 'Steps that raise the loss, large rate',
      range: [0.09, 0.44],
      tolerance: { absolute: 0.08 },
      share: true,
    },
    {
      name: 'fallLarge',
      label: 'Loss at the end, of the first, large rate',
      range: [5e-4, 0.0203],
      tolerance: { factor: 3 },
      share: true,
    },
    ratio('edgeLarge', 'The second layer alone: λη/2 at the large rate', [0.251, 0.259], 0.01, { trained: SECOND }),
    ratio('edge', 'λη/2 in the second half', [0.99, 1.02], 0.05, { learningRate: 0.8 }),
  ],
  contrast: { trained: SECOND },
  boundary: {
    x: { name: 'learningRate', label: 'Learning rate η', values: [0.05, 0.1, 0.2, 0.3, 0.5, 0.8] },
    y: { name: 'width', label: 'Neurons', values: [8, 32, 128] },
    measure: { name: 'atEdge', label: 'Share of the second half in which λη/2 is 0.9 or more' },
    seeds: 3,
  },
};

/** @type {import('./shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { learningRate, small, large, seeds, ...settings } = settingsOf(claim, params);
  /** @type {[ending: string, rate: number][]} */
  const rates =
    learningRate === BOTH
      ? [
          [ENDINGS[0], small],
          [ENDINGS[1], large],
        ]
      : [['', learningRate]];
  return overTrainings(
    seeds,
    rates.length * settings.steps,
    async (seed, step) => {
      /** @type {Record<string, any>} */
      const numbers = {};
      for (const [ending, rate] of rates)
        for (const [name, value] of Object.entries(await descend(gf, { ...settings, rate, seed }, step)))
          numbers[`${name}${ending}`] = value;
      return numbers;
    },
    onProgress,
    signal,
    (lists) => ({
      ...lists,
      rates: rates.map(([, rate]) => rate),
      measuredAt: range(MEASURED + 1).map((i) => (i * settings.steps) / MEASURED),
    }),
  );
}

/**
 * Random points of the square, with two functions of each.
 * @param {import('glassformer/tasks').Random} random
 * @param {number} count
 * @returns {any}
 */
function batchOf(random, count) {
  const points = range(count).map(() => [0, 1].map(() => 2 * random.uniform() - 1));
  const tensor = (/** @type {number[][]} */ rows) => ({ data: Float32Array.from(rows.flat()), shape: [1, count, 2] });
  return { vectors: tensor(points), labels: tensor(points.map(([a, b]) => [2 * a * b, sineOf(3 * a)])) };
}

/**
 * @param {import('./shared/train.js').Engine} gf
 * @param {{trained: string, rate: number, width: number, points: number, steps: number, seed: number}} of
 * @param {() => Promise<void>} step
 */
const descend = (gf, { trained, rate, width, points, steps, seed }, step) =>
  withModel(gf, { kind: 'feed-forward', d_model: 2, d_ff: width, activation: 'gelu', seed }, async (model) => {
    const random = randomOf(seed, claim.name);
    const batch = batchOf(random, points);
    const frozen = trained === SECOND ? ['linear1'] : [];
    const trainer = model.trainer({ optimizer: 'sgd', learningRate: rate, loss: 'mse', clip: 0, frozen });
    const curvature = curvatureOf(model, () => void trainer.gradients(batch), random, frozen);
    const ratio = () => (curvature() * rate) / 2;
    const [ratios, losses] = [[ratio()], [trainer.loss(batch).loss]];
    let [rises, before] = [0, losses[0]];
    await train(
      trainer,
      () => batch,
      steps,
      step,
      (at, loss) => {
        rises += Number(loss > before);
        before = loss;
        if (at % (steps / MEASURED) !== 0) return;
        ratios.push(ratio());
        losses.push(trainer.loss(batch).loss);
      },
    );
    const late = ratios.slice(-MEASURED / 2);
    return {
      ratios,
      losses,
      first: ratios[0],
      edge: median(late),
      atEdge: late.filter((one) => one >= EDGE).length / late.length,
      rises: rises / steps,
      fall: losses[losses.length - 1] / losses[0],
    };
  });

/**
 * The largest eigenvalue of the Hessian by power iteration, of differences of gradients; each call begins with the
 * direction of the one before.
 * @param {import('./shared/train.js').Model} model
 * @param {() => void} computeGradients
 * @param {import('glassformer/tasks').Random} random
 * @param {readonly string[]} frozen beginnings of names
 */
function curvatureOf(model, computeGradients, random, frozen) {
  const names = [...model.weights().keys()].filter((name) => !frozen.some((each) => name.startsWith(each)));
  /** @type {number[]} */
  let direction = [];
  return () => {
    const all = model.weights();
    const own = names.map((name) => ({ name, .../** @type {import('./shared/numbers.js').Tensor} */ (all.get(name)) }));
    if (direction.length === 0) direction = own.flatMap(({ data }) => Array.from(data, () => random.normal()));
    /** @param {readonly number[]} unit @param {number} by */
    const gradientAt = (unit, by) => {
      let i = 0;
      const moved = own.map(({ name, data, shape }) => [name, { shape, data: data.map((x) => x + by * unit[i++]) }]);
      model.loadWeights(Object.fromEntries(moved), { strict: false });
      computeGradients();
      return names.flatMap((name) => Array.from(/** @type {any} */ (model.tensor(`grad.${name}`)).data, Number));
    };
    let value = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const length = lengthOf(direction);
      const unit = direction.map((x) => x / length);
      const [ahead, behind] = [MOVE, -MOVE].map((by) => gradientAt(unit, by));
      direction = ahead.map((x, i) => (x - behind[i]) / (2 * MOVE));
      value = direction.reduce((sum, x, i) => sum + x * unit[i], 0);
    }
    model.loadWeights(all);
    return value;
  };
}

/** @type {import('./shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  (numbers) => ({
    verdict: verdictOf(ENDINGS.map((ending) => median(numbers[`edge${ending}`]) < EDGE)),
    on: 'the learning rate',
    found: found(numbers),
  }),
  (numbers, { trained, width }) =>
    (trained === SECOND ? 'With the first layer fixed the curvature is the same everywhere. ' : '') +
    `${width} neurons. ${found(numbers)}`,
);

/** @param {any} numbers */
const found = (numbers) =>
  numbers.rates
    .map((/** @type {number} */ rate, /** @type {number} */ i) => {
      const of = (/** @type {string} */ name) => numbers[`${name}${numbers.rates.length > 1 ? ENDINGS[i] : ''}`];
      return (
        `At η = ${rate} λη/2 begins at ${say(of('first'))} and is ${say(of('edge'))} in the second half; ` +
        `${percent(of('rises'))} of the steps raise the loss, which ends at ${percent(of('fall'))} of its first value.`
      );
    })
    .join(' ');

/** @type {import('./shared/picture.js').PictureOf} */
export const picture = (numbers, params) => {
  const { rates, measuredAt } = numbers;
  const endings = rates.length > 1 ? ENDINGS : [''];
  const series = rates.map((/** @type {number} */ rate) => ({ name: `η = ${rate}` }));
  /** @param {string} name */
  const lines = (name) =>
    endings.flatMap((ending, s) =>
      bySeed(params, s, numbers[`${name}${ending}`], (i) => measuredAt[i], { dots: false }),
    );
  return [
    {
      kind: 'curves',
      title: 'Step against curvature',
      note: 'From 1 on a step along the steepest direction overshoots by more than it gains.',
      x: { title: 'step', low: 0 },
      y: { title: 'λη/2', low: 0 },
      series,
      lines: lines('ratios'),
      levels: [{ name: 'η = 2/λ', at: 1 }],
    },
    {
      kind: 'curves',
      title: 'Loss',
      x: { title: 'step', low: 0 },
      y: { title: 'mean squared error', log: true },
      series,
      lines: lines('losses'),
    },
    {
      kind: 'rows',
      title: 'Steps that raise the loss',
      x: { title: 'share of the steps', low: 0, high: 1, percent: true },
      rows: endings.map((ending, s) => ({ label: `η = ${rates[s]}`, marks: marks(params, numbers[`rises${ending}`]) })),
    },
  ];
};
