import { outcomeOf, settingsOf, sharesWithin, verdictOf } from './shared/claim.js';
import { inTrain } from './shared/explore.js';
import { median, normal, randomOf } from './shared/numbers.js';
import { bySeed } from './shared/picture.js';
import { learnPoints, POINTS, pointsOf } from './shared/points.js';
import { overTrainings, percent, withModel } from './shared/train.js';

const TASKS = /** @type {(keyof typeof POINTS)[]} */ (Object.keys(POINTS));
/** The weights that are not trained. @type {Record<string, string[]>} */
const RUNS = { Frozen: ['linear1'], Learned: [] };
const STEPS = 150;
const NEURONS = [4, 8, 16, 64];
/** Hardly more than the bends that the tasks need, and many. */
const [FEW, WIDE] = [4, 64];
const RATE = 3e-2;
/** The share of right answers that random neurons may lose for “as well”. */
const SAME = 0.05;

const share = sharesWithin(0.08);

/** @type {import('./shared/claim.js').Claim} */
export const claim = {
  number: 33,
  name: 'Expansion as kernel trick',
  sentence:
    'The expansion of the feed-forward network works like the kernel trick, though here the mapping is learned: in ' +
    'more dimensions a straight cut separates.',
  saidBy: 'Goodfellow, Bengio and Courville 2016, “Deep Learning”, chapter 6',
  source: 'https://www.deeplearningbook.org/contents/mlp.html',
  experiment:
    'An FFN alone, of two inputs and 4 to 64 neurons, learns which of two kinds a point is: XOR of two signs, ' +
    'and two moons. In one run its first matrix is learned, in the other it stays random, as a kernel’s features ' +
    'are fixed.',
  sketch: {
    input: ['x', 'y'],
    stacks: [{ parts: ['random or learned W_{1}: 64', 'one straight cut'] }],
    output: 'XOR of signs, or two moons',
    steps: 150,
  },
  literature: {
    for: [
      'Cover 1965, “Geometrical and Statistical Properties of Systems of Linear Inequalities with Applications in ' +
        'Pattern Recognition”',
      'Rahimi and Recht 2007, “Random Features for Large-Scale Kernel Machines”',
    ],
    against: [
      'Chizat et al. 2019, “On Lazy Training in Differentiable Programming”',
      'Ghorbani et al. 2020, “When Do Neural Networks Outperform Kernel Methods?”',
    ],
  },
  why:
    'A kernel’s features are fixed, and only the cut is learned. Random neurons do that too, if there are many: some ' +
    'bend where it is needed. Learned ones go there, so few are enough.',
  limits:
    'Two tasks in the plane, 150 steps. In many dimensions random neurons must be far more. “As well” means within 5 ' +
    'points of what is right, our cutoff.',
  overturn: 'Four random neurons that do as well as learned ones, or 64 that do not.',
  quotes: [
    {
      text:
        'we can apply the kernel trick described in section 5.7.2, to obtain a nonlinear learning algorithm based ' +
        'on implicitly applying the φ mapping',
      from: 'Goodfellow et al. 2016, chapter 6',
    },
  ],
  choices: [
    { label: 'Random neurons do as well as learned ones, 4 or 64.', verdict: 'true' },
    { label: 'That depends on how many there are.', verdict: 'it depends' },
    { label: 'Learned ones are better, with 4 and with 64.', verdict: 'false' },
  ],
  guess: { name: 'moonsFrozen4', from: 0.5, to: 1 },
  inputs: [
    { name: 'activation', label: 'Activation', values: ['relu', 'gelu', 'none'], default: 'relu', controls: ['none'] },
  ],
  scales: [
    { name: 'few', label: 'Few neurons', values: [2, FEW, 8, 16], default: FEW },
    { name: 'wide', label: 'Many neurons', values: [32, WIDE, 256], default: WIDE },
    { name: 'steps', label: 'Steps', values: [50, STEPS, 500], default: STEPS },
    { name: 'learningRate', label: 'Learning rate', values: [1e-2, RATE, 1e-1], default: RATE },
  ],
  long: true,
  seeded: true,
  expected: [
    share('xorFrozen4', 'XOR, 4 random neurons: right', [0.91, 0.992]),
    share('xorLearned4', 'XOR, 4 learned neurons: right', [0.75, 1]),
    share('moonsFrozen4', 'Moons, 4 random neurons: right', [0.676, 0.891]),
    share('moonsLearned4', 'Moons, 4 learned neurons: right', [0.859, 1]),
    share('xorFrozen64', 'XOR, 64 random neurons: right', [1, 1]),
    share('moonsFrozen64', 'Moons, 64 random neurons: right', [0.992, 1]),
    share('xorLearned64', 'XOR, 64 neurons without activation: right', [0.46, 0.524], { activation: 'none' }),
    share('moonsLearned64', 'Moons, 64 neurons without activation: right', [0.77, 0.85], { activation: 'none' }),
  ],
  contrast: { activation: 'none' },
};

/** @type {import('./shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { activation, few, wide, steps, learningRate, seeds } = settingsOf(claim, params);
  const counts = [...new Set([...NEURONS, few, wide])];
  return overTrainings(
    seeds,
    2 * TASKS.length * counts.length * steps,
    async (seed, step) => {
      /** @type {Record<string, any>} */
      const numbers = {};
      for (const task of TASKS) {
        const points = pointsOf(task, seed);
        for (const [how, frozen] of Object.entries(RUNS)) {
          const name = `${POINTS[task].name}${how}`;
          numbers[name] = [];
          for (const neurons of counts)
            numbers[name].push(
              await withModel(gf, { kind: 'feed-forward', d_model: 2, d_ff: neurons, activation, seed }, (model) => {
                model.loadWeights(drawn(neurons, seed), { strict: false });
                return learnPoints(model, points, { steps, learningRate, frozen }, step).then(({ right }) => right);
              }),
            );
          counts.forEach((neurons, i) => (numbers[`${name}${neurons}`] = numbers[name][i]));
        }
      }
      return numbers;
    },
    onProgress,
    signal,
    (lists) => ({ ...lists, few, wide }),
  );
}

/**
 * The random first layer that both runs begin with; biases spread where the neurons bend.
 * @param {number} neurons
 * @param {number} seed
 */
function drawn(neurons, seed) {
  const random = randomOf(seed, `${claim.name}, ${neurons} neurons`);
  return {
    'linear1.weight': normal(random, [neurons, 2]),
    'linear1.bias': { data: Float32Array.from({ length: neurons }, () => 2 * random.uniform() - 1), shape: [neurons] },
  };
}

/** @type {import('./shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  (numbers) => ({
    verdict: verdictOf(
      [numbers.few, numbers.wide].map((neurons) =>
        TASKS.map((task) => POINTS[task]).every(
          ({ name }) =>
            median(numbers[`${name}Frozen${neurons}`]) >= median(numbers[`${name}Learned${neurons}`]) - SAME,
        ),
      ),
    ),
    on: 'how many neurons there are',
    found: found(numbers),
  }),
  (numbers, { activation }) =>
    `${activation === 'none' ? 'Without an activation' : `With ${activation}`}. ${found(numbers)}`,
);

/** @param {any} numbers */
const found = ({ few, wide, ...numbers }) =>
  TASKS.map((task) => {
    const right = (/** @type {string} */ how, /** @type {number} */ neurons) =>
      percent(numbers[`${POINTS[task].name}${how}${neurons}`]);
    const capital = task.replace(/^./, (first) => first.toUpperCase());
    return (
      `${capital}: ${right('Frozen', few)} are right with ${few} random neurons, ${right('Learned', few)} with ` +
      `learned ones; ${right('Frozen', wide)} and ${right('Learned', wide)} with ${wide}.`
    );
  }).join(' ');

/** @type {import('./shared/explore.js').MatchingOf} */
export const matching = ({ activation, seed }) =>
  inTrain(
    { task: 'xor', activation, seed, step: 400 },
    'XOR of four points by 12 neurons, whose first matrix can be frozen there',
  );

/** @type {import('./shared/picture.js').PictureOf} */
export const picture = (numbers, params) =>
  TASKS.map((task) => ({
    kind: 'curves',
    title: `Held-out points that are right: ${task}`,
    x: { title: 'neurons', log: true, ticks: NEURONS },
    y: { title: 'share right', low: 0, high: 1, percent: true },
    series: [{ name: 'random first matrix' }, { name: 'learned' }],
    lines: ['Frozen', 'Learned'].flatMap((how, s) =>
      bySeed(params, s, numbers[`${POINTS[task].name}${how}`], (i) => NEURONS[i]),
    ),
    levels: [{ name: 'by chance', at: 0.5 }],
  }));
