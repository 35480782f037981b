import { IGNORE } from 'glassformer/tasks';
import { outcomeOf, settingsOf, sharesWithin, verdictOf } from './shared/claim.js';
import { median, randomOf } from './shared/numbers.js';
import { marks, range } from './shared/picture.js';
import { overTrainings, percent, recipeOf, shareRight, train, withModel } from './shared/train.js';

const LETTERS = 10;
const [A, B, ASKED] = [LETTERS, LETTERS + 1, LETTERS + 2];
const STEPS = 400;
const RATE = 1e-2;
const [ROWS, BATCH] = [512, 64];
const LENGTH = 11;
/** Attention of one layer with several heads, and of two with one. */
const SHAPES = [
  { shape: 'Wide', label: 'one layer' },
  { shape: 'Deep', label: 'two layers of one head' },
];
const [AND, XOR, OR] = ['A and B', 'A or B, not both', 'A or B'];
/** The share of rows from which on we say that a model has learned it. */
const LEARNT = 0.95;
/** Which of the two letters a row has, drawn evenly: half of the rows are to be answered by yes. */
const CASES = /** @type {Record<string, readonly (readonly [a: number, b: number])[]>} */ ({
  [AND]: [[1, 1], [1, 1], [1, 1], [1, 0], [0, 1], [0, 0]], // prettier-ignore
  [XOR]: [[1, 0], [0, 1], [1, 1], [0, 0]], // prettier-ignore
  [OR]: [[1, 0], [0, 1], [1, 1], [0, 0], [0, 0], [0, 0]], // prettier-ignore
});
/** @type {Record<string, (a: number, b: number) => number>} */
const ANSWERS = { [AND]: (a, b) => a & b, [XOR]: (a, b) => a ^ b, [OR]: (a, b) => a | b };

const share = sharesWithin(0.05);

/** @type {import('./shared/claim.js').Claim} */
export const claim = {
  number: 45,
  name: 'Two words of the context',
  sentence: 'Attention only mixes tokens: to say whether A and B are both there, a Transformer needs the FFN.',
  saidBy: 'Often said of the feed-forward network',
  experiment:
    'Decoders say at the end of 11 letters whether A and B were both there, in one layer of four heads and in two ' +
    'layers of one. Attention alone is compared with attention and an FFN of as many parameters.',
  sketch: {
    input: ['c', 'A', 'f', '…', 'B', '?'],
    stacks: [
      { name: 'one', parts: ['attention, causal: 4'] },
      { name: 'other', parts: ['attention, causal: 4', 'FFN: 48'] },
    ],
    output: 'yes or no',
    width: 24,
    steps: STEPS,
  },
  literature: {
    for: ['Sanderson 2024, “How might LLMs store facts”'],
    against: ['Elhage et al. 2021, “A Mathematical Framework for Transformer Circuits”'],
  },
  why:
    'One head looks for A, another for B. The output adds what they bring: “both” is where the sum is large, and a ' +
    'threshold on a sum is linear. “One of both” is not: there an FFN helps.',
  limits:
    'One small task, letters at random places. In 400 steps one head in one layer misses rows, with an FFN, ' +
    'too, and often even for “A or B”. Conjunctions of many words may need more. 95 % of the rows is our cutoff.',
  overturn: 'Attention alone, of one layer with several heads or of two, that fails where an FFN of this size learns.',
  choices: [
    { label: 'Without the FFN it is not learned, in one layer or in two.', verdict: 'true' },
    { label: 'In one layer it is not, in two it is.', verdict: 'it depends' },
    { label: 'It is learned without the FFN in both.', verdict: 'false' },
  ],
  guess: { name: 'aloneWide', from: 0.5, to: 1 },
  inputs: [
    { name: 'task', label: 'Asked', values: [AND, XOR, OR], default: AND, controls: [OR] },
    { name: 'heads', label: 'Heads of the one layer', values: [1, 2, 4], default: 4 },
    { name: 'norm', label: 'LayerNorm', values: ['before', 'none'], default: 'before' },
  ],
  scales: [
    { name: 'width', label: 'Width of attention alone', values: [24, 48], default: 24 },
    { name: 'learningRate', label: 'Learning rate', values: [3e-3, RATE, 2e-2], default: RATE },
    { name: 'steps', label: 'Steps', values: [200, STEPS, 1200], default: STEPS },
  ],
  long: true,
  seeded: true,
  expected: [
    share('aloneWide', 'Attention alone, one layer: rows right', [0.996, 1]),
    share('withWide', 'With an FFN, one layer: rows right', [1, 1]),
    share('aloneDeep', 'Attention alone, two layers: rows right', [1, 1]),
    share('withDeep', 'With an FFN, two layers: rows right', [1, 1]),
    share('aloneWide', 'One of both asked: attention alone, one layer', [0.482, 1], { task: XOR }, 0.1),
    share('withWide', 'One of both asked: with an FFN, one layer', [1, 1], { task: XOR }, 0.1),
  ],
  contrast: { task: XOR },
};

/** @type {import('./shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { seeds, ...settings } = settingsOf(claim, params);
  /** @type {Record<string, number>} */
  const sizes = {};
  return overTrainings(
    seeds,
    2 * SHAPES.length * settings.steps,
    async (seed, step) => {
      /** @type {Record<string, number>} */
      const numbers = {};
      for (const { shape } of SHAPES)
        for (const hasFfn of [false, true]) {
          const name = `${hasFfn ? 'with' : 'alone'}${shape}`;
          const layers = shape === 'Wide' ? 1 : 2;
          const heads = layers === 1 ? settings.heads : 1;
          const found = await learn(gf, { ...settings, layers, heads, hasFfn, seed }, step);
          numbers[name] = found.right;
          sizes[`${name}Size`] = found.parameters;
        }
      return numbers;
    },
    onProgress,
    signal,
    (lists) => ({ ...lists, ...sizes }),
  );
}

/**
 * Two thirds of the width leave room for an FFN of three times as many neurons.
 * @param {number} width @param {boolean} hasFfn
 */
const sizeOf = (width, hasFfn) =>
  hasFfn ? { d_model: (2 * width) / 3, d_ff: 2 * width } : { d_model: width, d_ff: 0 };

/**
 * @param {import('./shared/train.js').Engine} gf
 * @param {{task: string, layers: number, norm: string, width: number, learningRate: number, steps: number,
 *   heads: number, hasFfn: boolean, seed: number}} of
 * @param {() => Promise<void>} step
 */
const learn = (gf, { task, layers, norm, width, learningRate, steps, heads, hasFfn, seed }, step) =>
  withModel(
    gf,
    /** @type {any} */ ({
      ...{ kind: 'decoder', vocabulary: LETTERS + 3, head: 'linear', positions: 'none', maxLength: LENGTH + 1 },
      ...(norm === 'none' ? { norm } : { norm: 'pre', finalNorm: true }),
      ...{ ...sizeOf(width, hasFfn), layers, heads, seed },
    }),
    async (model) => {
      const random = randomOf(seed, claim.name);
      const heldOut = batchOf(random, task, ROWS);
      await train(model.trainer(recipeOf(learningRate)), () => batchOf(random, task, BATCH), steps, step);
      const parameters = [...model.weights().values()].reduce((sum, { data }) => sum + data.length, 0);
      return { right: shareRight(model, heldOut), parameters };
    },
  );

/**
 * Rows of random letters, in some of which A and B stand at random places; only at the end something is asked.
 * @param {import('glassformer/tasks').Random} random
 * @param {string} task
 * @param {number} count
 * @returns {any}
 */
function batchOf(random, task, count) {
  const shape = [count, LENGTH + 1];
  const rows = range(count).map(() => {
    const [a, b] = random.choose(CASES[task]);
    const ids = range(LENGTH).map(() => random.integer(LETTERS));
    const [first, second] = random.shuffle(range(LENGTH));
    if (a) ids[first] = A;
    if (b) ids[second] = B;
    return { ids: [...ids, ASKED], labels: [...ids.map(() => IGNORE), ANSWERS[task](a, b)] };
  });
  return {
    ids: { data: Int32Array.from(rows.flatMap(({ ids }) => ids)), shape },
    labels: { data: Int32Array.from(rows.flatMap(({ labels }) => labels)), shape },
  };
}

/** Whether the FFN is needed. @param {any} numbers @param {string} shape */
const isNeeded = (numbers, shape) =>
  median(numbers[`with${shape}`]) >= LEARNT && median(numbers[`alone${shape}`]) < LEARNT;

/** @type {import('./shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  (numbers) => ({
    verdict: verdictOf(SHAPES.map(({ shape }) => isNeeded(numbers, shape))),
    on: 'the number of layers',
    found: found(numbers),
  }),
  (numbers, { task, heads, norm }) =>
    `Asked is “${task}”${norm === 'none' ? ', without LayerNorm' : ''}; the one layer has ` +
    `${heads === 1 ? 'one head' : `${heads} heads`}. ${found(numbers)}`,
);

/** @param {any} numbers */
const found = (numbers) =>
  SHAPES.map(
    ({ shape, label }) =>
      `In ${label} attention alone (${numbers[`alone${shape}Size`]} parameters) has ` +
      `${percent(numbers[`alone${shape}`])} of the rows right; with an FFN (${numbers[`with${shape}Size`]}) ` +
      `${percent(numbers[`with${shape}`])} are.`,
  ).join(' ');

/** @type {import('./shared/picture.js').PictureOf} */
export const picture = (numbers, params) => [
  {
    kind: 'rows',
    title: 'Rows right at the end',
    note: 'Half of the rows are to be answered by yes.',
    x: { title: 'share of the rows', low: 0.4, high: 1, percent: true },
    rows: SHAPES.flatMap(({ shape, label }) => [
      { label: `${label}, attention alone`, marks: marks(params, numbers[`alone${shape}`]) },
      { label: `${label}, with an FFN`, marks: marks(params, numbers[`with${shape}`]) },
    ]),
    levels: [{ name: 'our cutoff', at: LEARNT }],
  },
];
