import { makeFacts, makeReverse, makeSort } from 'glassformer/tasks';
import { outcomeOf, settingsOf, verdictOf } from './shared/claim.js';
import { median, say } from './shared/numbers.js';
import { bySeed } from './shared/picture.js';
import { dataOf, overTrainings, recipeOf, train, withModel } from './shared/train.js';

/** Neurons of the FFN for each number of the vectors. */
const RATIOS = [1, 2, 4, 8];
const FOUR = RATIOS.indexOf(4);
const [EQUAL, GROWING] = ['parameters', 'd_model'];
/** By so much the losses with all other ratios are higher where we say that 4 is needed. */
const NEEDED = 1.25;
const HEADS = 2;

const facts = makeFacts({ side: 16 });
const [reverse, sort] = [makeReverse({ length: 6 }), makeSort({ length: 6 })];

/** @param {typeof reverse | typeof sort} task */
const sequences = (task) => (/** @type {number} */ seed) => {
  const { heldOut, batches } = dataOf(task, seed, 256);
  return { heldOut: heldOut.batch, next: batches() };
};

/**
 * `width`: of the vectors where the FFN has four times as many neurons.
 * @type {Record<string, {
 *   name: string, config: any, width: number, learningRate: number,
 *   data: (seed: number) => {heldOut: any, next: () => any},
 * }>}
 */
const TASKS = {
  '256 facts by heart': {
    name: 'facts',
    config: facts.config,
    width: 20,
    learningRate: 3e-3,
    data(seed) {
      const batch = facts.batch(0, seed);
      return { heldOut: batch, next: () => batch };
    },
  },
  '6 digits in reverse': {
    ...{ name: 'reverse', config: reverse.config, width: 16, learningRate: 5e-3, data: sequences(reverse) },
  },
  '6 digits in order': { name: 'sort', config: sort.config, width: 16, learningRate: 5e-3, data: sequences(sort) },
};

/** @param {string} name @param {string} label @param {[number, number]} range @param {any} [at] */
const ratio = (name, label, range, at) => ({
  ...{ name, label: `${label}, as a multiple of that with 4`, range, tolerance: { factor: 1.5 } },
  ...(at && { at }),
});

/** @type {import('./shared/claim.js').Claim} */
export const claim = {
  number: 47,
  name: 'Four times as wide',
  sentence: 'The feed-forward network has to be four times as wide as the vectors: d_ff = 4·d_model.',
  saidBy: 'Often said, after the sizes of 2017: vectors of 512 numbers, 2,048 neurons',
  experiment:
    'Models whose FFN has 1, 2, 4 and 8 neurons for each number of the vectors learn 256 facts, to turn 6 digits ' +
    'round and to sort 6 digits. All have as many parameters: where the FFN is wide the vectors are narrow.',
  sketch: {
    input: ['3', '1', '4'],
    stacks: [{ parts: ['attention', 'FFN: 1, 2, 4, 8 times as wide'] }],
    output: '4 1 3',
    steps: 300,
  },
  literature: {
    for: ['Vaswani et al. 2017, “Attention Is All You Need”, section 3.3: d_model = 512, d_ff = 2,048'],
    against: [
      'Kaplan et al. 2020, “Scaling Laws for Neural Language Models”, section 3.1: the ratio matters little',
      'Raffel et al. 2020, “Exploring the Limits of Transfer Learning”: T5-11B has 65,536 neurons for 1,024 numbers',
    ],
  },
  why:
    'Neurons and numbers of the vectors cost alike. Neurons store and select; wider vectors give attention more ' +
    'room to carry things apart. Between 1 and 4 one is worth the other; beyond, the vectors become the narrow place.',
  limits:
    'Models of 2,500 to 8,000 parameters, one task each, 300 steps. Large language models have ratios from 2.7 ' +
    '(with a gate) to 4, a few far more. We call a ratio needed where all others end a quarter higher in the ' +
    'median seed: smaller differences come and go with the size.',
  overturn: 'Tasks on which 1, 2 and 8 all end a quarter above 4, with as many parameters.',
  choices: [
    { label: 'In all three tasks the others end a quarter higher, or more.', verdict: 'true' },
    { label: 'In some of them they do.', verdict: 'it depends' },
    { label: 'In each task another one does about as well, or better.', verdict: 'false' },
  ],
  guess: { name: 'factsTwo', from: 0.4, to: 2 },
  inputs: [
    { name: 'kept', label: 'Kept alike', values: [EQUAL, GROWING], default: EQUAL, controls: [GROWING] },
    { name: 'rate', label: 'Learning rate, times', values: [0.3, 1, 3], default: 1 },
  ],
  scales: [
    { name: 'rate', label: 'Learning rates, times', values: [0.3, 1, 3] },
    { name: 'size', label: 'Width of the vectors, times', values: [1, 1.5, 2], default: 1 },
    { name: 'steps', label: 'Steps', values: [150, 300, 600], default: 300 },
  ],
  long: true,
  seeded: true,
  expected: [
    ratio('factsOne', 'Facts: loss with a ratio of 1', [0.692, 1.74]),
    ratio('factsTwo', 'Facts: loss with a ratio of 2', [0.666, 1.27]),
    ratio('factsEight', 'Facts: loss with a ratio of 8', [0.995, 2.1]),
    ratio('reverseTwo', 'Reversal: loss with a ratio of 2', [0.228, 1.89]),
    ratio('reverseEight', 'Reversal: loss with a ratio of 8', [0.973, 5.28]),
    ratio('sortTwo', 'Sorting: loss with a ratio of 2', [0.681, 1.41]),
    ratio('sortEight', 'Sorting: loss with a ratio of 8', [0.885, 2.89]),
    ratio('factsTwo', 'Vectors of one width, facts: loss with a ratio of 2', [2.05, 2.99], { kept: GROWING }),
    ratio('factsEight', 'Vectors of one width, facts: loss with a ratio of 8', [0.374, 0.563], { kept: GROWING }),
  ],
  contrast: { kept: GROWING },
};

/**
 * Sizes with a ratio: of the same width, or of so many parameters, the vectors as wide as they may be and the FFN with
 * what is left.
 * @param {import('./shared/train.js').Engine} gf
 * @param {any} config @param {number} width at a ratio of 4 @param {number} times @param {string} kept
 */
function sizesOf(gf, config, width, times, kept) {
  if (kept === GROWING) return { d_model: width, d_ff: times * width };
  const count = (/** @type {number} */ d_model, /** @type {number} */ d_ff) => {
    const model = gf.createModel({ ...config, heads: HEADS, d_model, d_ff });
    const { parameterCount } = model;
    model.free();
    return parameterCount;
  };
  const wanted = count(width, 4 * width);
  let d_model = 4;
  while (count(d_model + HEADS, times * (d_model + HEADS)) <= wanted) d_model += HEADS;
  let d_ff = times * d_model;
  while (count(d_model, d_ff + 1) <= wanted) d_ff++;
  return { d_model, d_ff };
}

const NAMES = ['One', 'Two', 'Four', 'Eight'];

/** @type {import('./shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { kept, rate, size, steps, seeds } = settingsOf(claim, params);
  const shapes = Object.values(TASKS).map(({ config, width }) =>
    RATIOS.map((times) => sizesOf(gf, config, HEADS * Math.round((size * width) / HEADS), times, kept)),
  );
  /** @type {Record<string, number[]>} */
  const sizes = {};
  return overTrainings(
    seeds,
    Object.keys(TASKS).length * RATIOS.length * steps,
    async (seed, step) => {
      /** @type {Record<string, any>} */
      const numbers = {};
      for (const [i, { name, config, learningRate, data }] of Object.values(TASKS).entries()) {
        /** @type {number[]} */
        const losses = [];
        sizes[`${name}Sizes`] = [];
        for (const shape of shapes[i]) {
          losses.push(
            await withModel(gf, { ...config, heads: HEADS, ...shape, seed }, async (model) => {
              const { heldOut, next } = data(seed);
              sizes[`${name}Sizes`].push(model.parameterCount);
              const trainer = model.trainer(recipeOf(rate * learningRate, steps, 20));
              await train(trainer, next, steps, step);
              return trainer.loss(heldOut).loss;
            }),
          );
        }
        numbers[name] = losses;
        losses.forEach((loss, ratio) => {
          if (ratio !== FOUR) numbers[`${name}${NAMES[ratio]}`] = loss / losses[FOUR];
        });
      }
      return numbers;
    },
    onProgress,
    signal,
    (lists) => ({ ...lists, ...sizes }),
  );
}

/** Whether a ratio of 4 is needed for a task. @param {any} numbers @param {string} name */
const isNeeded = (numbers, name) =>
  RATIOS.every((_, i) => i === FOUR || median(numbers[`${name}${NAMES[i]}`]) > NEEDED);

/** @type {import('./shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  (numbers) => ({
    verdict: verdictOf(Object.values(TASKS).map(({ name }) => isNeeded(numbers, name))),
    on: 'what is to be learned',
    found: found(numbers),
  }),
  (numbers, { kept, rate }) =>
    `${kept === GROWING ? 'All vectors are as wide, so that a wider FFN has more parameters. ' : ''}${found(numbers)}${
      rate === 1 ? '' : ` The learning rate is ${rate} times the usual one.`
    }`,
);

/** @param {any} numbers */
const found = (numbers) =>
  `The loss with ratios of 1, 2 and 8, as a multiple of that with 4: ${Object.entries(TASKS)
    .map(
      ([task, { name }]) =>
        `${NAMES.filter((_, i) => i !== FOUR)
          .map((each) => say(numbers[`${name}${each}`]))
          .join(', ')} for ${task}`,
    )
    .join('; ')}.`;

/** @type {import('./shared/picture.js').PictureOf} */
export const picture = (numbers, params) => [
  {
    kind: 'curves',
    title: `Loss by the width of the FFN, ${params.kept === GROWING ? 'vectors' : 'parameters'} alike`,
    x: { title: 'd_ff, times d_model', log: true, ticks: RATIOS },
    y: { title: 'loss', log: true },
    series: Object.keys(TASKS).map((name) => ({ name })),
    lines: Object.values(TASKS).flatMap(({ name }, series) => bySeed(params, series, numbers[name], (i) => RATIOS[i])),
  },
];
