import { headScores, makeReverseDecoder } from 'glassformer/tasks';
import { settingsOf } from '../shared/claim.js';
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

/** @type {import('../shared/claim.js').Claim} */
export const claim = {
  number: 19,
  name: 'Alignment by cross-attention',
  sentence: 'Cross-attention aligns the output with the input: each word attends to the one that it comes from.',
  source: 'Bahdanau et al. 2015, section 5.2.1; Vaswani et al. 2017, “Attention Is All You Need”, section 3.2.3',
  quotes: ['This allows every position in the decoder to attend over all positions in the input sequence.'],
  choices: [
    { label: 'The largest weight of some head is nearly always on the right token.', verdict: 'holds' },
    { label: 'More often than not.', verdict: 'holds only if' },
    { label: 'Hardly more often than by chance.', verdict: 'fails' },
  ],
  inputs: [
    { name: 'positions', label: 'Positional encoding', values: ['sinusoidal', 'none'], default: 'sinusoidal' },
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
  flip: { params: { positions: 'none' }, verdict: 'fails' },
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

/** @type {import('../shared/claim.js').ClaimModule['verdict']} */
export function verdict({ right, bestTop, bestMass }) {
  const top = smallest(bestTop);
  return {
    verdict: top >= 0.9 ? 'holds' : top >= 0.5 ? 'holds only if' : 'fails',
    why:
      `The best head has its largest weight on the right token in ${percent(bestTop)} of the cases (1 in ` +
      `${LENGTH} by chance), ${percent(bestMass)} of its weight there; ${percent(right)} of the digits are right.`,
  };
}
