import { outcomeOf, settingsOf, verdictOf } from './shared/claim.js';
import { inExplore, indexOfLargest } from './shared/explore.js';
import { largest, largestDifference, randomOf, say } from './shared/numbers.js';
import { bySeed, given, marks, range } from './shared/picture.js';
import { overSeeds } from './shared/steps.js';
import { withModel } from './shared/train.js';

const VOCABULARY = 32;
const LENGTH = 32;
const PROMPT = 4;
const WRITTEN = LENGTH - PROMPT;
const NEAR = { tolerance: { absolute: 8 } };

/** @type {import('./shared/claim.js').Claim} */
export const claim = {
  number: 30,
  name: 'All positions at once',
  sentence: 'A Transformer computes all positions at once instead of one after the other.',
  saidBy:
    'The TensorFlow Authors 2022, “Neural machine translation with a Transformer and Keras”, section “Why ' +
    'Transformers are significant”',
  source: 'https://www.tensorflow.org/text/tutorials/transformer',
  experiment:
    'An untrained decoder of two layers and width 32 reads 32 tokens in one pass, and token by token. Then it writes ' +
    '28 tokens, one after the other, and in passes over all of them at once that are repeated until nothing changes.',
  sketch: {
    input: ['32 tokens'],
    stacks: [{ name: 'decoder', layers: 2, parts: ['attention, causal: 4', 'FFN: 64'] }],
    output: 'one pass, or token by token',
    width: 32,
    steps: 0,
  },
  literature: {
    for: ['Vaswani et al. 2017, “Attention Is All You Need”, sections 1 and 4'],
    against: [
      'Gu et al. 2018, “Non-Autoregressive Neural Machine Translation”',
      'Santilli et al. 2023, “Accelerating Transformer Inference for Translation via Parallel Decoding”',
    ],
  },
  why:
    'In a layer no position waits for the output of another, so a text that is there is one pass. What is written ' +
    'next is part of the input of the token after it, so n written tokens are n passes.',
  limits:
    'An untrained model and the likeliest token. Trained models write easy passages in fewer passes, and a text that ' +
    'is trained on is there, so training is one pass. Time is not measured.',
  overturn: 'A text read in one pass whose numbers differ from those token by token, or one that one pass writes.',
  quotes: [
    {
      text: 'Layer outputs can be computed in parallel, instead of a series like an RNN.',
      from: 'The TensorFlow Authors 2022, section “Why Transformers are significant”',
    },
    {
      text: 'This inherently sequential nature precludes parallelization within training examples',
      from: 'Vaswani et al. 2017, section 1, of recurrent models',
    },
  ],
  choices: [
    { label: 'One pass is enough, to read a text and to write one.', verdict: 'true' },
    { label: 'To read, one pass is enough; to write, it takes many.', verdict: 'it depends' },
    { label: 'One pass does not give what token by token gives.', verdict: 'false' },
  ],
  guess: { name: 'passes', from: 1, to: WRITTEN },
  inputs: [{ name: 'mask', label: 'Mask', values: ['causal', 'none'], default: 'causal' }],
  scales: [
    { name: 'width', label: 'Width d_model', values: [16, 32, 64, 128], default: 32 },
    { name: 'layers', label: 'Layers', values: [1, 2, 4, 8], default: 2 },
  ],
  seeded: true,
  expected: [
    { name: 'difference', label: 'Reading: largest difference of one pass and token by token', range: [0, 0] },
    {
      name: 'passes',
      label: 'Writing 28 tokens: passes over all at once until they are right',
      range: [13, 24],
      ...NEAR,
    },
    {
      name: 'difference',
      label: 'Reading without a mask: largest difference of one pass and token by token',
      at: { mask: 'none' },
      range: [1.53, 2.73],
      tolerance: { factor: 1.5 },
    },
  ],
  contrast: { mask: 'none' },
};

/** @type {import('./shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { mask, width, layers, seeds } = settingsOf(claim, params);
  const config = /** @type {const} */ ({
    kind: 'decoder',
    vocabulary: VOCABULARY,
    d_model: width,
    heads: 4,
    d_ff: 2 * width,
    layers,
    head: 'linear',
  });
  return overSeeds(
    seeds,
    (seed) => {
      const own = { ...config, causal: mask === 'causal', seed };
      return withModel(gf, own, async (model) => {
        const random = randomOf(seed, claim.name);
        const ids = range(LENGTH).map(() => random.integer(VOCABULARY));
        const together = logitsOf(model, ids);
        // Another model with the same weights, which has read none of it.
        const apart = await withModel(gf, own, (twin) => ids.map((_, at) => logitsOf(twin, ids.slice(0, at + 1))[at]));
        const difference = largest(together.map((row, at) => largestDifference(row, apart[at])));
        return mask === 'causal' ? { difference, ...write(model, ids.slice(0, PROMPT)) } : { difference };
      });
    },
    onProgress,
    signal,
  );
}

/** The logits of each token. @param {import('./shared/train.js').Model} model @param {number[]} ids */
function logitsOf(model, ids) {
  const { data } = /** @type {import('./shared/numbers.js').Tensor} */ (model.forward({ ids }).logits);
  return ids.map((_, at) => data.slice(at * VOCABULARY, (at + 1) * VOCABULARY));
}

/**
 * The text that the likeliest tokens make, and how many of its tokens are right after each pass over all at once, of
 * which the first begins with the last given token everywhere.
 * @param {import('./shared/train.js').Model} model
 * @param {number[]} prompt
 */
function write(model, prompt) {
  const text = [...prompt];
  for (let i = 0; i < WRITTEN; i++) text.push(indexOfLargest(logitsOf(model, text)[text.length - 1]));
  const right = /** @type {number[]} */ ([]);
  let guess = [...prompt, ...range(WRITTEN).map(() => prompt[PROMPT - 1])];
  for (let pass = 0; pass < WRITTEN; pass++) {
    const next = logitsOf(model, guess).map(indexOfLargest);
    guess = [...prompt, ...next.slice(PROMPT - 1, -1)];
    right.push(guess.filter((id, at) => at >= PROMPT && id === text[at]).length);
  }
  return { passes: right.indexOf(WRITTEN) + 1, firstRight: right[0], right };
}

/** @type {import('./shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  ({ difference, passes, firstRight }) => ({
    verdict: verdictOf([largest(difference) === 0, largest(passes) === 1]),
    on: 'whether the text is there already',
    found:
      `Reading ${LENGTH} tokens in one pass and token by token differs by ${say(largest(difference))}. Writing ` +
      `${WRITTEN} tokens at once takes ${say(passes)} passes; after the first ${say(firstRight)} are right.`,
  }),
  ({ difference }) =>
    `Where every token sees every other, token by token gives something else: outputs differ by ${say(difference)}.`,
);

/** @type {import('./shared/explore.js').MatchingOf} */
export const matching = ({ mask, seed }) =>
  inExplore(
    { d_model: 32, d_ff: 64, layers: 2, heads: 4, causal: mask === 'causal', seed },
    'a model of these sizes: with a causal mask no row of its maps waits for a later token',
  );

/** @type {import('./shared/picture.js').PictureOf} */
export const picture = ({ right, difference }, params) => [
  ...given(right, () => [
    /** @type {import('./shared/picture.js').Panel} */ ({
      kind: 'curves',
      title: `Of ${WRITTEN} written tokens, those that are right after each pass over all at once`,
      x: { title: 'pass', low: 0 },
      y: { title: 'right tokens', low: 0, high: WRITTEN },
      series: [{ name: 'all at once, again and again' }],
      lines: bySeed(params, 0, right, (i) => i + 1),
      levels: [{ name: 'all', at: WRITTEN }],
    }),
  ]),
  {
    kind: 'rows',
    title: 'Reading: largest difference of one pass and token by token',
    x: { title: 'difference', low: 0, high: 1 },
    rows: [{ label: String(params.mask ?? 'causal'), marks: marks(params, difference) }],
  },
];
