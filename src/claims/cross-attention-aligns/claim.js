import { headScores, makeReverseDecoder } from 'glassformer/tasks';
import { outcomeOf, settingsOf } from '../shared/claim.js';
import { smallest } from '../shared/numbers.js';
import {
  dataOf,
  freed,
  meanMaps,
  overTrainings,
  percent,
  recipeOf,
  shareRight,
  train,
  trained,
} from '../shared/train.js';

const [LENGTH, STEPS, HELD_OUT] = [6, 200, 128];
/** The share of right tokens from which we say that a head aligns. */
const ALIGNED = 0.9;
/** Alignment errors of the shipped translation model (mean of its heads), over five samples of 500 pairs. */
export const TRANSLATION = { first: [0.399, 0.423], last: [0.149, 0.162] };

/** @type {import('../shared/claim.js').Claim} */
export const claim = {
  number: 19,
  name: 'Alignment by cross-attention',
  sentence: 'Cross-attention aligns the output with the input: each word attends to the one that it comes from.',
  saidBy: 'Bahdanau et al. 2015, section 5.2.1',
  literature: {
    for: ['Bahdanau et al. 2015, “Neural Machine Translation by Jointly Learning to Align and Translate”'],
    against: [
      'Koehn and Knowles 2017, “Six Challenges for Neural Machine Translation”',
      'Garg et al. 2019, “Jointly Learning to Align and Translate with Transformer Models”',
    ],
  },
  why:
    'To say digit i of the reversed row the decoder needs digit n + 1 − i of the input, and only cross-attention ' +
    'reaches it.',
  limits:
    'Here each output comes from exactly one input; in translation, articles and word order do not. An aligned ' +
    'weight need not be what decides. The cutoff (90 %) is ours.',
  quotes: ['This allows every position in the decoder to attend over all positions in the input sequence.'],
  choices: [
    { label: 'The largest weight is on the right word, whatever the task.', verdict: 'true' },
    { label: 'Where the task demands it.', verdict: 'it depends' },
    { label: 'Hardly more often than by chance.', verdict: 'false' },
  ],
  guess: { name: 'bestTop', from: 0, to: 1 },
  inputs: [
    {
      name: 'positions',
      label: 'Positional encoding',
      values: ['sinusoidal', 'none'],
      default: 'sinusoidal',
      controls: ['none'],
    },
    { name: 'heads', label: 'Heads', values: [1, 2, 4], default: 2 },
  ],
  long: true,
  seeded: true,
  expected: [
    {
      name: 'bestTop',
      label: 'Best head: its largest weight is on the right token',
      range: [0.98, 1],
      tolerance: { absolute: 0.02 },
      share: true,
    },
    {
      name: 'bestMass',
      label: 'Best head: weight on the right token',
      range: [0.79, 0.9],
      tolerance: { absolute: 0.05 },
      share: true,
    },
    {
      name: 'weakerTop',
      label: 'Weaker head: its largest weight is on the right token',
      range: [0.89, 1],
      tolerance: { absolute: 0.05 },
      share: true,
    },
    {
      name: 'weakerMass',
      label: 'Weaker head: weight on the right token',
      range: [0.67, 0.9],
      tolerance: { absolute: 0.05 },
      share: true,
    },
  ],
  contrast: { positions: 'none' },
};

export const task = makeReverseDecoder({ length: LENGTH });

/** Steps that `learn` takes, how many held-out rows measure. */
export { HELD_OUT, STEPS };

/**
 * @param {import('../shared/train.js').Engine} gf
 * @param {{positions: any, heads: number, seed: number}} settings
 * @param {() => Promise<void>} step called before each
 * @returns {Promise<import('../shared/train.js').Model>} that has learned to reverse; to be freed
 */
export const learn = (gf, { positions, heads, seed }, step) =>
  trained(gf, { ...task.config, positions, heads, seed }, (model) =>
    train(model.trainer(recipeOf(7e-3, STEPS)), dataOf(task, seed, HELD_OUT).batches(), STEPS, step),
  );

/** @type {import('../shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { positions, heads, seeds } = settingsOf(claim, params);
  return overTrainings(
    seeds,
    STEPS,
    async (seed, step) =>
      freed(await learn(gf, { positions, heads, seed }, step), async (model) => {
        const { heldOut } = dataOf(task, seed, HELD_OUT);
        const right = shareRight(model, heldOut.batch, { capture: true });
        const maps = [/** @type {any} */ (model.tensor('decoder.layers.0.multihead_attn.weights'))];
        const { heads: scores } = await headScores(() => ({ maps }), [heldOut]);
        const sorted = [...scores].sort((a, b) => b.top1 - a.top1);
        const [best, weaker] = [sorted[0], sorted[sorted.length - 1]];
        const mean = meanMaps(maps[0]);
        return {
          right,
          maps: mean,
          bestTop: best.top1,
          bestMass: best.mass,
          weakerTop: weaker.top1,
          weakerMass: weaker.mass,
        };
      }),
    onProgress,
    signal,
  );
}

/** @type {import('../shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  (numbers) => ({
    verdict: smallest(numbers.bestTop) >= ALIGNED ? 'it depends' : 'false',
    on: 'the task and the layer',
    found:
      `Reversal demands it: ${alignment(numbers)} In the translation model of this page, measured earlier, the first ` +
      `layer points to a wrong word for ${percent(TRANSLATION.first)} of the words, the last for ` +
      `${percent(TRANSLATION.last)}.`,
  }),
  (numbers, { heads, positions }) => `${heads} heads, positions ${positions}: ${alignment(numbers)}`,
);

/** @param {any} numbers */
function alignment({ right, bestTop, bestMass }) {
  return (
    `the best head has its largest weight on the right token in ${percent(bestTop)} of the cases (1 in ${LENGTH} by ` +
    `chance), ${percent(bestMass)} of its weight there; ${percent(right)} of the digits are right.`
  );
}
