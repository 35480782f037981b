import { makePositions } from 'glassformer/tasks';
import { settingsOf } from '../shared/claim.js';
import { largest, smallest } from '../shared/numbers.js';
import { freed, overTrainings, percent, shareRight, train, trained } from '../shared/train.js';

const LENGTH = 10;
export const STEPS = 500;
export const task = makePositions({ length: LENGTH });
/** [BOS] is answers from the rest, which all get one answer: one of them is right. */
const CHANCE = 2 / LENGTH;

/** @type {import('../shared/claim.js').Claim} */
export const claim = {
  number: 5,
  name: 'Order without positional encoding',
  sentence: 'Attention knows no order of its own: information about position must be injected.',
  source:
    'Vaswani et al. 2017, “Attention Is All You Need”, section 3.5; Haviv et al. 2022 (section 3) for the other side',
  quotes: [
    'Since our model contains no recurrence and no convolution, in order for the model to make use of the ' +
      'order of the sequence, we must inject some information about the relative or absolute ' +
      'position of the tokens in the sequence.',
  ],
  choices: [
    { label: 'Without positional encoding no position can be told from the others.', verdict: 'holds' },
    { label: 'Some positions can.', verdict: 'holds only if' },
    { label: 'Every position can.', verdict: 'fails' },
  ],
  inputs: [{ name: 'mask', label: 'Mask', values: ['none', 'causal'], default: 'none' }],
  seeded: true,
  expected: [
    { name: 'right', label: 'Positions that are identified', range: [CHANCE, CHANCE], share: true },
    { name: 'right', label: 'Positions that are identified', at: { mask: 'causal' }, range: [1, 1], share: true },
  ],
  flip: { params: { mask: 'causal' }, verdict: 'fails' },
};

/** @type {import('../shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { mask, seeds } = settingsOf(claim, params);
  const batch = task.batch();
  return overTrainings(
    seeds,
    STEPS,
    async (seed, step) =>
      freed(await learn(gf, { mask, seed }, step), (model) => {
        const right = shareRight(model, batch);
        const { logits } = model.forward({ ids: batch.ids });
        const shares = gf.softmax({ x: /** @type {any} */ (logits) }).data;
        const own = Array.from({ length: LENGTH }, (_, at) => shares[at * LENGTH + at]);
        return { right, own };
      }),
    onProgress,
    signal,
  );
}

/**
 * The model of a seed, as `run` trains it.
 * @param {import('../shared/train.js').Engine} gf
 * @param {{mask: string, seed: number}} settings
 * @param {() => Promise<void>} step
 */
export const learn = (gf, { mask, seed }, step) =>
  trained(gf, { ...task.config, causal: mask === 'causal', seed }, async (model) => {
    // At a constant rate some seeds stay at 70 to 90 %.
    const trainer = model.trainer({ learningRate: 5e-3, schedule: 'linear', steps: STEPS, clip: 1 });
    const batch = task.batch();
    await train(trainer, () => batch, STEPS, step);
  });

/** @type {import('../shared/claim.js').ClaimModule['verdict']} */
export function verdict({ right }, params) {
  const { mask } = settingsOf(claim, params);
  const answers = `${percent(right)} of the positions are identified`;
  if (largest(right) <= CHANCE + 1e-6)
    return { verdict: 'holds', why: `${answers}: to attention without a mask equal tokens are the same everywhere.` };
  if (smallest(right) < 1) return { verdict: 'holds only if', why: `${answers}.` };
  const cause = mask === 'causal' ? ': behind a causal mask each position sees one token more than the one before' : '';
  return { verdict: 'fails', why: `${answers}${cause}.` };
}
