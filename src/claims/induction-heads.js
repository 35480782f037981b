import { outcomeOf, settingsOf, sharesWithin, verdictOf } from './shared/claim.js';
import { inTrain } from './shared/explore.js';
import { largest, median, randomOf } from './shared/numbers.js';
import { bySeed, marks, range } from './shared/picture.js';
import { batchOf, lookBack, periodOf, readerOf, repeats } from './shared/rows.js';
import { massOf, overTrainings, percent, recipeOf, shareRight, train, withModel } from './shared/train.js';

const LENGTH = 24;
const BACK = 3;
const [ROWS, BATCH] = [128, 32];
const [STEPS, EVERY] = [600, 10];
const RATE = 5e-3;
/** The wide layer has more parameters than both of the others together. */
const WIDER = 1.5;
/** The lead below which we say that one layer does as well, and the share of the steps in which a rise is sudden. */
const [SAME, SUDDEN] = [0.1, 0.15];
const [SEVERAL, FIXED] = ['5 to 12', 'always 8'];
const MODELS = /** @type {const} */ (['one', 'wide', 'two']);
const NAMES = { one: 'one layer', wide: 'one wide layer', two: 'two layers' };

const share = sharesWithin(0.08);

/** @type {import('./shared/claim.js').Claim} */
export const claim = {
  number: 40,
  name: 'Induction heads',
  sentence: 'Two layers of self-attention are just more of one.',
  saidBy: 'Hewitt 2023, “Self-Attention & Transformers”, notes of Stanford’s CS224n, section 2.3',
  source: 'https://web.stanford.edu/class/cs224n/readings/cs224n-self-attention-transformers-2023_draft.pdf',
  experiment:
    'Decoders of attention alone learn to continue letters that repeat, 5 to 12 different ones, and to say the token ' +
    '3 places back. One has two layers, one has one, and one has a single layer with more parameters than the two.',
  sketch: {
    input: ['c', 'f', 'a', 'c', 'f', '…'],
    stacks: [{ name: 'decoder', layers: 2, parts: ['attention, causal: 2'] }],
    output: 'the next letter, from round two on',
    width: 32,
    steps: STEPS,
  },
  literature: {
    for: [
      'Dong et al. 2021, “Attention is Not All You Need: Pure Attention Loses Rank Doubly Exponentially with Depth”',
    ],
    against: [
      'Elhage et al. 2021, “A Mathematical Framework for Transformer Circuits”',
      'Olsson et al. 2022, “In-context Learning and Induction Heads”',
    ],
  },
  why:
    'To continue a repeat, a head must find the place after the last copy of this letter. Keys tell what stood ' +
    'before them only if a layer below wrote it there. So heads of two layers compose, and learn it together, at once.',
  limits:
    'Two tasks, one small model. That the rise is sudden is no sign of composing heads: with repeats of a fixed ' +
    'length one layer is enough, and its rise is as sudden. “As well” means within 10 points, our cutoff.',
  overturn: 'A single layer, of whatever width, that continues repeats of any length, or two that cannot.',
  quotes: [
    {
      text:
        'if we stack two self-attention layers, we get something that looks a lot like a single self-attention ' +
        'layer',
      from: 'Hewitt 2023, section 2.3',
    },
  ],
  choices: [
    { label: 'On both tasks one layer does as well as two.', verdict: 'true' },
    { label: 'On one it does; on the other it stays far behind.', verdict: 'it depends' },
    { label: 'One layer stays behind on both.', verdict: 'false' },
  ],
  guess: { name: 'one', from: 0, to: 1 },
  inputs: [
    {
      name: 'period',
      label: 'Letters until the repeat',
      values: [SEVERAL, FIXED],
      default: SEVERAL,
      controls: [FIXED],
    },
    { name: 'heads', label: 'Heads', values: [1, 2, 4], default: 2 },
    { name: 'width', label: 'Width d_model', values: [16, 32, 64], default: 32 },
  ],
  scales: [
    { name: 'width', label: 'Width d_model', values: [16, 32, 64] },
    { name: 'heads', label: 'Heads', values: [1, 2, 4] },
    { name: 'learningRate', label: 'Learning rate', values: [1e-3, 2e-3, RATE, 1e-2], default: RATE },
    { name: 'steps', label: 'Steps', values: [200, STEPS, 1500], default: STEPS },
  ],
  long: true,
  seeded: true,
  expected: [
    share('one', 'Repeats continued, one layer', [0.261, 0.305]),
    share('wide', 'Repeats continued, one wide layer', [0.287, 0.33]),
    share('two', 'Repeats continued, two layers', [0.995, 1]),
    share('oneBack', '3 places back, one layer', [1, 1]),
    share('twoBack', '3 places back, two layers', [1, 1]),
    share('twoSudden', 'Two layers: of the rise, the most in 15 % of the steps', [0.76, 0.82]),
    share('oneSudden', 'One layer: of the rise, the most in 15 % of the steps', [0.32, 0.5]),
    share('previous', 'Layer 1: weight on the place before', [0.327, 0.377]),
    share('induction', 'Layer 2: weight on the place after the last copy', [0.575, 0.638]),
    share('one', 'Repeats after 8 places: continued by one layer', [0.99, 1], { period: FIXED }),
    share('oneSudden', 'Repeats after 8 places, one layer: of the rise, the most in 15 %', [0.9, 0.97], {
      period: FIXED,
    }),
  ],
  contrast: { period: FIXED },
};

/** @type {import('./shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { seeds, period, ...settings } = settingsOf(claim, params);
  const { width, steps } = settings;
  const row = period === FIXED ? repeats(8, 8) : repeats(5, 12);
  const sizes = { one: { layers: 1 }, wide: { layers: 1, d_model: WIDER * width }, two: { layers: 2 } };
  return overTrainings(
    seeds,
    1.5 * MODELS.length * steps,
    async (seed, step) => {
      /** @type {Record<string, any>} */
      const numbers = {};
      for (const name of MODELS) {
        const size = { d_model: width, ...sizes[name], heads: settings.heads, seed };
        const learned = await learn(gf, { ...settings, size, row }, step);
        const back = await learn(gf, { ...settings, steps: steps / 2, size, row: lookBack(BACK) }, step);
        Object.assign(numbers, { [name]: learned.right, [`${name}Curve`]: learned.curve, [`${name}Back`]: back.right });
        numbers[`${name}Sudden`] = learned.sudden;
        if (name === 'two') Object.assign(numbers, learned.heads);
      }
      return numbers;
    },
    onProgress,
    signal,
  );
}

/**
 * @param {import('./shared/train.js').Engine} gf
 * @param {{size: any, row: import('./shared/rows.js').MakeRow, learningRate: number, steps: number}} of
 * @param {() => Promise<void>} step
 */
const learn = (gf, { size, row, learningRate, steps }, step) =>
  withModel(gf, readerOf({ positions: 'learned', maxLength: LENGTH, ...size }), async (model) => {
    const random = randomOf(size.seed, claim.name);
    const heldOut = batchOf(random, row, LENGTH, ROWS);
    const curve = [shareRight(model, heldOut)];
    const next = () => batchOf(random, row, LENGTH, BATCH);
    await train(model.trainer(recipeOf(learningRate)), next, steps, step, (at) => {
      if (at % EVERY === 0) curve.push(shareRight(model, heldOut));
    });
    const right = median(curve.slice(-3));
    const window = Math.round((SUDDEN * steps) / EVERY);
    const rises = curve.slice(window).map((share, i) => share - curve[i]);
    const heads = size.layers > 1 ? masses(model, heldOut) : {};
    return { right, curve, sudden: largest(rises) / (largest(curve) - curve[0]), heads };
  });

/**
 * The mean weight of the best head of layer 1 on the place before, and of layer 2 on the one after the last copy.
 * @param {import('./shared/train.js').Model} model
 * @param {any} heldOut rows that repeat
 */
function masses(model, { ids }) {
  model.forward({ ids, capture: true });
  const [first, second] = [0, 1].map((layer) => model.tensor(`decoder.layers.${layer}.self_attn.weights`));
  const [rows, heads, length] = second.shape;
  const sums = range(heads).map(() => 0);
  let count = 0;
  for (let row = 0; row < rows; row++) {
    const own = ids.data.subarray(row * length, (row + 1) * length);
    const period = periodOf(own);
    for (let at = period; at < length; at++, count++)
      for (let head = 0; head < heads; head++)
        sums[head] += second.data[((row * heads + head) * length + at) * length + at - period + 1];
  }
  return { previous: largest(massOf(first, (at) => at - 1, range(length).slice(1))), induction: largest(sums) / count };
}

/** By how much two layers lead. @param {any} numbers @param {'' | 'Back'} task */
const leadOf = (numbers, task) =>
  median(numbers.two.map((/** @type {number} */ _, /** @type {number} */ s) => {
    const [one, wide, two] = MODELS.map((name) => numbers[`${name}${task}`][s]);
    return two - Math.max(one, wide);
  })); // prettier-ignore

/** @type {import('./shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  (numbers) => ({
    verdict: verdictOf([leadOf(numbers, '') < SAME, leadOf(numbers, 'Back') < SAME]),
    on: 'whether a head needs what another one found',
    found: found(numbers),
  }),
  (numbers, { period, heads, width }) =>
    (period === FIXED
      ? `With repeats after 8 places the place alone says which is next; ${percent(numbers.oneSudden)} of the rise ` +
        'with one layer is as sudden. '
      : '') + `${heads} ${heads === 1 ? 'head' : 'heads'}, width ${width}. ${found(numbers)}`,
);

/** @param {any} numbers */
const found = (numbers) =>
  `Repeats are continued by one layer in ${percent(numbers.one)}, by a wide one in ${percent(numbers.wide)}, by two ` +
  `in ${percent(numbers.two)} of the places; ${percent(numbers.twoSudden)} of their rise falls into 15 % of the ` +
  'steps. ' +
  `The token 3 places back: ${percent(numbers.oneBack)} with one layer, ${percent(numbers.twoBack)} with two.`;

/** @type {import('./shared/explore.js').MatchingOf} */
export const matching = ({ seed }) =>
  inTrain({ task: 'induction', seed, step: 425 }, 'the same task with shorter repeats, and an FFN in each layer');

/** @type {import('./shared/picture.js').PictureOf} */
export const picture = (numbers, params) => [
  {
    kind: 'curves',
    title: 'Repeats that are continued right',
    x: { title: 'step', low: 0 },
    y: { title: 'share right', low: 0, high: 1, percent: true },
    series: MODELS.map((name) => ({ name: NAMES[name] })),
    lines: MODELS.flatMap((name, s) => bySeed(params, s, numbers[`${name}Curve`], (i) => i * EVERY, { dots: false })),
  },
  {
    kind: 'rows',
    title: `The token ${BACK} places back`,
    x: { title: 'share right', low: 0, high: 1, percent: true },
    rows: MODELS.map((name) => ({ label: NAMES[name], marks: marks(params, numbers[`${name}Back`]) })),
  },
  {
    kind: 'rows',
    title: 'The two heads that compose',
    x: { title: 'mean attention weight', low: 0, high: 1 },
    rows: [
      { label: 'layer 1: place before', marks: marks(params, numbers.previous) },
      { label: 'layer 2: after the copy', marks: marks(params, numbers.induction) },
    ],
  },
];
