import { makeFacts, makeReverseDecoder } from 'glassformer/tasks';
import { outcomeOf, settingsOf, sharesWithin, verdictOf } from './shared/claim.js';
import { median } from './shared/numbers.js';
import { marks, range } from './shared/picture.js';
import {
  dataOf,
  freed,
  overTrainings,
  percent,
  recipeOf,
  shareRight,
  train,
  trained,
  withModel,
} from './shared/train.js';

const HEADS = 4;
const GROUPS = [HEADS, 2, 1];
const HELD_OUT = 128;
const MORE = 20;
/** The share of right answers that may be lost for “little”. */
const LITTLE = 0.05;
const EQUAL = 'as many';
const FEW = 'fewer with fewer heads';
const TRAINED = 'trained so';
const AVERAGED = 'averaged after training';
const CONTINUED = `averaged, then ${MORE} more steps`;
const SAME = '4 query heads';
const FEWER = 'as few as key heads';

const reverse = makeReverseDecoder({ length: 4 });
const SIDE = 16;
const factsOf = (/** @type {number} */ side) => makeFacts({ side });
const facts = factsOf(SIDE);
/**
 * @type {Record<string, {
 *   config: any, steps: number, learningRate: number, warmup: number,
 *   data: (seed: number, side: number) => {batch: any, next: () => any},
 * }>}
 */
const TASKS = {
  reverse: {
    config: { ...reverse.config, d_model: 32 },
    steps: 120,
    learningRate: 7e-3,
    warmup: 50,
    data: (seed) => {
      const { heldOut, batches } = dataOf(reverse, seed, HELD_OUT);
      return { batch: heldOut.batch, next: batches() };
    },
  },
  facts: {
    config: { ...facts.config, d_model: 16, d_ff: 0 },
    steps: 200,
    learningRate: 5e-3,
    warmup: 20,
    data: (seed, side) => {
      const batch = factsOf(side).batch(0, seed);
      return { batch, next: () => batch };
    },
  },
};

const share = sharesWithin(0.05);

/** @type {import('./shared/claim.js').Claim} */
export const claim = {
  number: 27,
  name: 'Grouped heads',
  sentence: 'Query heads can share heads of keys and values: that loses little and keeps the cache small.',
  saidBy:
    'Ainslie et al. 2023, “GQA: Training Generalized Multi-Query Transformer Models from Multi-Head Checkpoints”, ' +
    'abstract',
  experiment:
    'Models of as many parameters have four query heads and four, two or one heads of keys and values, the fewer the ' +
    'wider. In equal steps an encoder–decoder learns to reverse 4 digits, and an attention layer learns 256 facts.',
  sketch: {
    input: ['3', '8', '1', '5'],
    stacks: [{ parts: ['attention: 4', 'keys of 4, 2 or 1 heads'] }],
    output: '4 digits in reverse, 256 facts',
  },
  literature: {
    for: [
      'Shazeer 2019, “Fast Transformer Decoding: One Write-Head is All You Need”',
      'Ainslie et al. 2023, “GQA: Training Generalized Multi-Query Transformer Models from Multi-Head Checkpoints”',
    ],
    against: [
      'DeepSeek-AI 2024, “DeepSeek-V2: A Strong, Economical, and Efficient Mixture-of-Experts Language Model”, ' +
        'appendix D.1',
    ],
  },
  why:
    'Each query head still chooses where to look, and a look-up needs no more. Facts are limited by parameters: ' +
    'sharing saves some, and spent on wider heads they hold as much.',
  limits:
    'Two tasks, four heads, short rows. With heads as narrow as before one head of keys and values has 2,344 ' +
    'parameters against 2,752, and loses facts. “Little” is up to 5 points in the median seed, a cutoff of ours.',
  overturn: 'A task that one head of keys and values learns worse than four, at as many parameters.',
  quotes: [
    {
      text: 'uptrained GQA achieves quality close to multi-head attention with comparable speed to MQA',
      from: 'Ainslie et al. 2023, abstract',
    },
    {
      text: 'incur only minor quality degradation from the baseline',
      from: 'Shazeer 2019, abstract, of one head of keys and values',
    },
  ],
  choices: [
    { label: 'Two heads of keys and values, and even one, cost less than 5 points in both tasks.', verdict: 'true' },
    { label: 'That depends on the task and on how many heads share.', verdict: 'it depends' },
    { label: 'Sharing costs more than 5 points in both.', verdict: 'false' },
  ],
  guess: { name: 'facts1', from: 0, to: 1 },
  inputs: [
    { name: 'parameters', label: 'Parameters', values: [EQUAL, FEW], default: EQUAL },
    { name: 'made', label: 'Heads are shared', values: [TRAINED, AVERAGED, CONTINUED], default: TRAINED },
    { name: 'queries', label: 'Query heads', values: [SAME, FEWER], default: SAME, controls: [FEWER] },
  ],
  scales: [
    { name: 'rate', label: 'Learning rates, times', values: [0.5, 1, 2], default: 1 },
    { name: 'side', label: 'Facts, the square of', values: [12, SIDE, 20], default: SIDE },
  ],
  long: true,
  seeded: true,
  expected: [
    share('reverse4', 'Digits in reverse: right with 4 heads of keys and values', [0.966, 0.993]),
    share('reverse2', 'Digits in reverse: right with 2', [0.978, 0.997]),
    share('reverse1', 'Digits in reverse: right with 1', [0.931, 0.997]),
    share('facts4', '256 facts: right with 4 heads of keys and values', [0.91, 0.961]),
    share('facts2', '256 facts: right with 2', [0.914, 0.95]),
    share('facts1', '256 facts: right with 1', [0.898, 0.961]),
    share('facts1', '256 facts, fewer parameters: right with 1', [0.761, 0.868], { parameters: FEW }),
    share('facts2', '256 facts, fewer query heads: right with 2', [0.65, 0.76], { queries: FEWER }),
    share('facts1', '256 facts, fewer query heads: right with 1', [0.42, 0.46], { queries: FEWER }),
    share('facts2', '256 facts: right with 2, averaged', [0.093, 0.153], { made: AVERAGED }),
  ],
  contrast: { queries: FEWER },
};

/** @type {import('./shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { parameters, made, queries, rate, side, seeds } = settingsOf(claim, params);
  const isEqual = parameters === EQUAL && made === TRAINED && queries === SAME;
  const total = Object.values(TASKS).reduce((sum, { steps }) => sum + steps, 0);
  return overTrainings(
    seeds,
    made === TRAINED ? total * GROUPS.length : total,
    async (seed, step) => {
      /** @type {Record<string, number>} */
      const numbers = {};
      for (const [name, task] of Object.entries(TASKS)) {
        const { batch, next } = task.data(seed, side);
        const { d_model } = task.config;
        const config = (/** @type {number} */ groups) => ({
          ...task.config,
          ...(name === 'facts' && { vocabulary: factsOf(side).config.vocabulary }),
          heads: queries === FEWER ? groups : HEADS,
          headWidth: isEqual ? widthOf(d_model, groups) : d_model / HEADS,
          keyValueHeads: groups,
          seed,
        });
        const learnt = (/** @type {number} */ groups) =>
          trained(gf, config(groups), (model) =>
            train(model.trainer(recipeOf(rate * task.learningRate, task.steps, task.warmup)), next, task.steps, step),
          );
        if (made === TRAINED)
          for (const groups of GROUPS)
            numbers[`${name}${groups}`] = await freed(await learnt(groups), (model) => shareRight(model, batch));
        else
          await freed(await learnt(HEADS), async (model) => {
            for (const groups of GROUPS)
              numbers[`${name}${groups}`] = await withModel(gf, config(groups), async (grouped) => {
                const weights = [...model.weights()].map(([key, weight]) => [
                  key,
                  averaged(key, weight, config(groups)),
                ]);
                grouped.loadWeights(Object.fromEntries(weights));
                if (made === CONTINUED)
                  await train(grouped.trainer(recipeOf(task.learningRate / 5, MORE, 1)), next, MORE, async () => {});
                return shareRight(grouped, batch);
              });
          });
      }
      return numbers;
    },
    onProgress,
    signal,
  );
}

/**
 * The widest heads with which a layer has no more parameters than with four heads of keys and values.
 * @param {number} width of the model
 * @param {number} groups heads of keys and values
 */
const widthOf = (width, groups) =>
  Math.floor((4 * width * (width + 1) - width) / ((HEADS + 2 * groups) * (width + 1) + HEADS * width));

/**
 * The weights of a layer whose heads of keys and values are the means of groups, as Ainslie et al. begin.
 * @param {string} name
 * @param {{data: Float32Array, shape: readonly number[]}} weight
 * @param {{keyValueHeads: number, headWidth: number}} config
 */
function averaged(name, weight, { keyValueHeads, headWidth }) {
  if (!/in_proj_(weight|bias)$/.test(name)) return weight;
  const { data, shape } = weight;
  const columns = shape[1] ?? 1;
  const block = HEADS * headWidth * columns; // of queries, keys or values
  const head = headWidth * columns;
  const size = HEADS / keyValueHeads;
  const means = [1, 2].flatMap((part) =>
    range(keyValueHeads * head).map((i) => {
      const first = part * block + Math.floor(i / head) * size * head + (i % head);
      return range(size).reduce((sum, h) => sum + data[first + h * head] / size, 0);
    }),
  );
  const all = Float32Array.from([...data.subarray(0, block), ...means]);
  return { data: all, shape: [all.length / columns, ...shape.slice(1)] };
}

/** @type {import('./shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  (numbers) => ({
    verdict: verdictOf(
      Object.keys(TASKS).flatMap((name) =>
        GROUPS.slice(1).map(
          (groups) => median(numbers[`${name}${groups}`]) >= median(numbers[`${name}${HEADS}`]) - LITTLE,
        ),
      ),
    ),
    on: 'the task and how many heads share',
    found: found(numbers),
  }),
  (numbers, { parameters, made, queries }) =>
    [
      parameters === FEW && 'With heads as narrow as before, so with fewer parameters.',
      queries === FEWER && 'With as few query heads as heads of keys and values.',
      made !== TRAINED && `Heads ${made}.`,
      found(numbers),
    ]
      .filter(Boolean)
      .join(' '),
);

/** @param {any} numbers */
function found(numbers) {
  const [reversed, known] = Object.keys(TASKS).map((name) =>
    GROUPS.map((groups) => percent(numbers[`${name}${groups}`])),
  );
  const [all, ...fewer] = GROUPS.map((groups, i) => `${reversed[i]} ${i ? 'with' : 'are right with'} ${groups}`);
  return (
    `Digits in reverse: ${all} heads of keys and values, ${fewer.join(', ')}. ` +
    `Facts: ${known.map((shares, i) => `${shares} with ${GROUPS[i]}`).join(', ')}.`
  );
}

/** @type {import('./shared/picture.js').PictureOf} */
export const picture = (numbers, params) => [
  {
    kind: 'rows',
    title: 'What is right',
    x: { title: 'share right', low: 0, high: 1, percent: true },
    rows: [
      ['reverse', 'Digits in reverse'],
      ['facts', '256 facts'],
    ].flatMap(([name, label]) =>
      // prettier-ignore
      GROUPS.map((groups) => ({
        label: `${label}: ${groups} of ${HEADS} key–value heads`,
        marks: marks(params, numbers[`${name}${groups}`]),
      })),
    ),
  },
];
