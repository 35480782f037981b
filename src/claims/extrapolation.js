import { bends, brokenLine, curve, learn, outputOf, STEPS } from './shared/broken-line.js';
import { outcomeOf, settingsOf } from './shared/claim.js';
import { inTrain, SAME_RUN } from './shared/explore.js';
import { largestNeuron } from './shared/layer.js';
import { largest, say } from './shared/numbers.js';
import { bySeed, range } from './shared/picture.js';
import { freed, overTrainings } from './shared/train.js';

const X = [1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5];
/** Where its bend is measured, from 2 or the last kink on. */
const STEPS_ON = [0, 0.5, 1, 1.5, 2, 2.5, 3];
/** The plot also covers the range that the network was made for. */
const WHOLE = Array.from({ length: 97 }, (_, i) => -1 + i / 16);

const GELU = { activation: 'gelu' };

/** @param {number} value */
const near = (value) => ({ range: /** @type {const} */ ([value, value]), tolerance: { absolute: 1e-3 } });

/** @type {import('./shared/claim.js').Claim} */
export const claim = {
  number: 8,
  name: 'Beyond the last kink',
  sentence: 'Beyond its last kink a ReLU network is one straight line: it does not go on with what it has learned.',
  saidBy: 'Xu et al. 2021, “How Neural Networks Extrapolate”, section 3',
  experiment:
    'ReLU networks with one input and 16 neurons that approximate x² on [−1, 1], one built by hand and one ' +
    'trained for 1,500 steps. Both are asked at x from 1 to 5.',
  sketch: {
    input: ['x'],
    stacks: [{ parts: ['ReLU neurons: 16'] }],
    output: 'x² beyond what was learned',
    steps: 1500,
  },
  literature: {
    for: ['Xu et al. 2021, “How Neural Networks Extrapolate: From Feedforward to Graph Neural Networks”'],
    against: [],
  },
  why:
    'Beyond the last kink no neuron changes its side, and the sum of those that are active is a straight line. GELU ' +
    'and SiLU come near to ReLU far from 0, so they end in nearly the same line.',
  limits:
    'One input, one layer, x² on [−1, 1]. The last kink of a trained network may lie beyond 1, at a large rate ' +
    'beyond 2: its bend is measured from there on.',
  overturn: 'A ReLU network that bends again beyond its last kink.',
  choices: [
    { label: 'At x = 3 the network of x² is on a straight line.', verdict: 'true' },
    { label: 'The one built by hand is, a trained one is not.', verdict: 'it depends' },
    { label: 'It goes on as x².', verdict: 'false' },
  ],
  guess: { name: 'at3', from: 0, to: 12 },
  inputs: [
    { name: 'neurons', label: 'Neurons N', values: [2, 4, 8, 16, 32], default: 16 },
    { name: 'activation', label: 'Activation', values: ['relu', 'gelu', 'silu'], default: 'relu' },
  ],
  scales: [
    { name: 'neurons', label: 'Neurons N', values: [2, 4, 8, 16, 32, 64] },
    { name: 'rate', label: 'Learning rate, times', values: [0.3, 1, 3], default: 1 },
  ],
  long: true,
  seeded: true,
  expected: [
    { name: 'at3', label: 'Built by hand: output at x = 3, where x² is 9', ...near(4.763) },
    { name: 'bend', label: 'Built by hand: largest bend beyond x = 1', range: [0, 5e-6] },
    { name: 'learntAt3', label: 'Trained: output at x = 3', range: [2.8, 4.55], tolerance: { absolute: 0.5 } },
    { name: 'learntBend', label: 'Trained: largest bend from x = 2 or the last kink on', range: [0, 5e-6] },
    { name: 'at3', label: 'Built by hand: output at x = 3', at: GELU, ...near(4.728) },
    {
      name: 'learntAt3',
      label: 'Trained: output at x = 3',
      at: GELU,
      range: [4.2, 5.41],
      tolerance: { absolute: 0.5 },
    },
  ],
  contrast: GELU,
};

/** @param {number} neurons */
const network = (neurons) => brokenLine(neurons, 1 / (2 * (neurons + 1) ** 2));

/** @type {import('./shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { neurons, activation, rate, seeds } = settingsOf(claim, params);
  const y = [...curve(gf, X, network(neurons), activation)];
  const exact = {
    x: X,
    y,
    at3: y[X.indexOf(3)],
    bend: largestBend(y),
    wholeX: WHOLE,
    wholeY: [...curve(gf, WHOLE, network(neurons), activation)],
  };
  return overTrainings(
    seeds,
    STEPS,
    async (seed, step) =>
      freed(await learn(gf, { neurons, activation, rate, seed }, step), (model) => {
        const from = activation === 'relu' ? Math.max(2, lastKink(model)) : 2;
        const beyond = STEPS_ON.map((by) => from + by);
        return {
          learntAt3: outputOf(gf, model, X)[X.indexOf(3)],
          learntBend: largestBend(outputOf(gf, model, beyond)),
          learntY: outputOf(gf, model, WHOLE),
        };
      }),
    onProgress,
    signal,
    (lists) => ({ ...exact, ...lists }),
  );
}

/** Where its last neuron changes sides. @param {import('glassformer').Model} model */
function lastKink(model) {
  const [weight, bias] = ['linear1.weight', 'linear1.bias'].map((name) => [...model.tensor(name).data]);
  return largest(bias.map((each, i) => -each / weight[i]).filter(Number.isFinite));
}

/** @param {number[]} y */
const largestBend = (y) => largest(bends(y).map(Math.abs));

/** @type {import('./shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  (numbers) => {
    const bend = largest([numbers.bend, ...numbers.learntBend]);
    const isStraight = (/** @type {number} */ each) => each < 1e-4;
    return {
      verdict: isStraight(bend) ? 'true' : isStraight(numbers.bend) ? 'it depends' : 'false',
      on: 'how it was made',
      found: `${atThree(numbers)} The largest bend of both, from x = 2 or the last kink on, is ${say(bend)}.`,
    };
  },
  (numbers, { neurons, activation }) =>
    activation === 'relu'
      ? `${neurons} neurons: ${atThree(numbers)}`
      : `With ${activation} there is no last kink: beyond x = 2 it still bends by ${say(numbers.learntBend)}, ` +
        `but it does not go on either. ${atThree(numbers)}`,
);

/** @param {any} numbers */
const atThree = ({ at3, learntAt3 }) =>
  `At x = 3 the network built by hand says ${say(at3)}, those trained on [−1, 1] say ${say(learntAt3)}, not 9.`;

/** @type {import('./shared/explore.js').OwnModel} */
export const ownModel = {
  isTrained: false,
  where: 'the network built by hand at x = 3',
  text: () => ({
    token: /-?\d+(?:\.\d+)?/g,
    joint: ' ',
    does: 'x² by kinks, and beyond',
    node: 'ffn',
    goal: 'numbers x through the network that is the best broken line along x² from −1 to 1, without attention.',
    hint:
      'It opens at x = 3, at its largest neuron. From 1 to 5 the same neurons are active: what they add grows in a ' +
      'straight line.',
  }),
  layer: (_gf, { neurons, activation }) => {
    const x = [-1, -0.5, 0, 0.5, 1, 2, 3, 4, 5];
    const weights = Object.entries(network(neurons)).map(([name, rows]) => [
      name,
      Float32Array.from(/** @type {number[]} */ (rows.flat())),
    ]);
    const row = x.indexOf(3);
    return {
      words: x.map(String),
      table: { data: Float32Array.from(x), shape: [x.length, 1] },
      rows: [range(x.length)],
      config: { heads: 0, d_ff: neurons, activation },
      weights: Object.fromEntries(weights),
      where: (_maps, model) => ({ row, key: row, neuron: largestNeuron(model, row) }),
    };
  },
};

/** @type {import('./shared/explore.js').MatchingOf} */
export const matching = ({ neurons, activation, seed }) =>
  inTrain(
    { task: 'square', d_ff: neurons, activation, seed, step: 1500 },
    `the trained one: ${SAME_RUN}. See the curve beyond 1`,
  );

/** @type {import('./shared/picture.js').PictureOf} */
export function picture({ wholeX, wholeY, learntY }, params) {
  const { neurons = 16, activation = 'relu' } = params;
  const points = (/** @type {(i: number) => number} */ y) =>
    wholeX.map((/** @type {number} */ x, /** @type {number} */ i) => [x, y(i)]);
  const line = { label: '', joined: true, dots: false };
  return [
    {
      kind: 'curves',
      title: `${neurons} neurons made for x² on [−1, 1], and their output beyond`,
      x: { title: 'x', low: -1, high: 5 },
      y: { title: 'output', low: -1, high: 25 },
      series: [{ name: `built by hand, ${activation}` }, { name: 'trained' }, { name: 'x²', target: true }],
      lines: [
        { ...line, series: 2, points: points((i) => wholeX[i] ** 2) },
        ...bySeed(params, 1, learntY, (i) => wholeX[i], { dots: false }),
        { ...line, series: 0, points: points((i) => wholeY[i]) },
      ],
      levels: [
        activation === 'relu'
          ? { name: 'last kink', at: 1 - 2 / (Number(neurons) + 1), vertical: true }
          : { name: 'end of [−1, 1]', at: 1, vertical: true },
      ],
    },
  ];
}
