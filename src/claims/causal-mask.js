import { makeNextDigit } from 'glassformer/tasks';
import { outcomeOf, settingsOf } from './shared/claim.js';
import { DIGIT, rowsIn } from './shared/explore.js';
import { largest, largestDifference, say, smallest } from './shared/numbers.js';
import { bySeed, range, STEP } from './shared/picture.js';
import { dataOf, freed, overTrainings, recipeOf, train, trained } from './shared/train.js';

const LENGTH = 12;
const EDITED = 5;
const STEPS = 400;
const RATE = 1e-2;
const DIGITS = 10;
const EVERY = 20;
export const HELD_OUT = 512;
/** Nothing before it tells a random digit, in nats. */
const FLOOR = Math.log(DIGITS);

/** @type {import('./shared/claim.js').Claim} */
export const claim = {
  number: 18,
  name: 'Causal mask',
  sentence: 'The causal mask keeps the decoder from seeing the tokens that it is to predict.',
  saidBy: 'Vaswani et al. 2017, “Attention Is All You Need”, sections 3.1 and 3.2.3',
  experiment:
    'A decoder of one layer (d_model 32) learns 400 steps to predict the next of 12 random digits, which nobody ' +
    'can. Then one token is edited, and the outputs before it are compared.',
  sketch: {
    input: ['7', '0', '4', '…', '2'],
    stacks: [{ name: 'decoder', layers: 1, parts: ['attention, causal: 1', 'FFN: 64'] }],
    output: 'the next of random digits',
    width: 32,
    steps: 400,
  },
  literature: { for: ['Vaswani et al. 2017, “Attention Is All You Need”, section 3.2.3'], against: [] },
  why: 'The mask sets the scores of later keys to −∞ before the softmax, so their weights are exactly 0.',
  limits: 'That the rest is right: targets that are shifted wrongly leak the future past any mask.',
  overturn: 'A token that changes an output before it, though the mask is on.',
  choices: [
    {
      label: 'Nothing of a later token reaches an earlier position: random digits stay unpredictable.',
      verdict: 'true',
    },
    { label: 'A little leaks, but too little to predict with.', verdict: 'it depends' },
    { label: 'The decoder predicts random digits.', verdict: 'false' },
  ],
  guess: { name: 'loss', from: 0, to: 3 },
  inputs: [{ name: 'mask', label: 'Mask', values: ['causal', 'none'], default: 'causal', controls: ['none'] }],
  scales: [
    { name: 'learningRate', label: 'Learning rate', values: [3e-3, RATE, 3e-2], default: RATE },
    { name: 'layers', label: 'Layers', values: [1, 2, 4], default: 1 },
    { name: 'd_model', label: 'Width d_model', values: [16, 32, 64], default: 32 },
  ],
  long: true,
  seeded: true,
  expected: [
    { name: 'before', label: `Change before token ${EDITED} when it is edited`, range: [0, 0] },
    { name: 'loss', label: 'Loss on random digits, in nats', range: [FLOOR, FLOOR], tolerance: { absolute: 0.01 } },
    {
      name: 'loss',
      label: 'Loss on random digits, in nats',
      at: { mask: 'none' },
      range: [0.197, 0.199],
      tolerance: { absolute: 0.01 },
    },
  ],
  contrast: { mask: 'none' },
};

export const task = makeNextDigit({ length: LENGTH });

/**
 * @param {import('./shared/train.js').Engine} gf
 * @param {{mask: string, seed: number, learningRate?: number, layers?: number, d_model?: number}} settings
 * @param {() => Promise<void>} step called before each
 * @param {(at: number, loss: number) => void} [after] each
 * @returns {Promise<import('./shared/train.js').Model>} trained on random digits; to be freed
 */
const learn = (gf, { mask, seed, learningRate = RATE, ...sizes }, step, after) =>
  trained(gf, { ...task.config, ...sizes, causal: mask === 'causal', seed }, (model) =>
    train(model.trainer(recipeOf(learningRate, STEPS)), dataOf(task, seed, HELD_OUT).batches(), STEPS, step, after),
  );

/** @type {import('./shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { mask, learningRate, layers, d_model, seeds } = settingsOf(claim, params);
  return overTrainings(
    seeds,
    STEPS,
    async (seed, step) => {
      const curve = /** @type {number[]} */ ([]);
      const model = await learn(gf, { mask, learningRate, layers, d_model, seed }, step, (at, loss) => {
        if (at % EVERY === 0) curve.push(loss);
      });
      return freed(model, () => {
        const heldOut = dataOf(task, seed, HELD_OUT).heldOut.batch;
        const { loss } = model.trainer().loss(heldOut);
        const ids = heldOut.ids.data.slice(0, LENGTH);
        const plain = model.forward({ ids }).output.data;
        ids[EDITED] = (ids[EDITED] + 1) % DIGITS;
        const edited = model.forward({ ids }).output.data;
        const width = plain.length / LENGTH;
        const cut = EDITED * width;
        const row = (/** @type {Float32Array} */ data, /** @type {number} */ t) =>
          data.subarray(t * width, (t + 1) * width);
        return {
          loss,
          before: largestDifference(plain.subarray(0, cut), edited.subarray(0, cut)),
          after: largestDifference(plain.subarray(cut), edited.subarray(cut)),
          changes: Array.from({ length: LENGTH }, (_, t) => largestDifference(row(plain, t), row(edited, t))),
          curve,
        };
      });
    },
    onProgress,
    signal,
    (lists) => ({ ...lists, every: EVERY }),
  );
}

/** @type {import('./shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  ({ loss, before }) => ({
    verdict: smallest(loss) <= FLOOR - 0.01 ? 'false' : largest(before) === 0 ? 'true' : 'it depends',
    on: 'how strictly it is meant',
    found:
      `An edit of token ${EDITED} changes the outputs before it by ${say(before)}; the loss on random digits is ` +
      `${say(loss)}, the honest floor ln 10 = 2.3.`,
  }),
  ({ loss, before }) =>
    `Without the mask an edit of token ${EDITED} changes the outputs before it by ${say(before)}, and the loss on ` +
    `random digits falls to ${say(loss)}, below the honest floor ln 10 = 2.3: the mask is what keeps the future out.`,
);

/** @type {import('./shared/explore.js').OwnModel} */
export const ownModel = {
  isTrained: true,
  where: 'at a cell that the causal mask hides',
  text: () => ({
    token: DIGIT,
    joint: '',
    does: 'the next random digit',
    node: 'attention',
    goal: 'say the next of random digits.',
    hint:
      'It opens at the cell from a digit to the next one, which the causal mask hides. Change that digit in the ' +
      'text, and see whether anything before it changes.',
  }),
  steps: STEPS,
  learn,
  show: (_model, { seed }) => {
    const rows = rowsIn(dataOf(task, seed, HELD_OUT).heldOut.batch.ids);
    // From the token before the one that is edited to that one: what the mask hides.
    return { task, rows, cell: { kind: 'decoder', head: 0, row: EDITED - 1, key: EDITED, neuron: null } };
  },
};

/** @type {import('./shared/picture.js').PictureOf} */
export function picture({ curve, changes, every }, params) {
  const series = [{ name: params.mask === 'none' ? 'without a mask' : 'causal mask' }];
  return [
    {
      kind: 'curves',
      title: 'Loss on random digits',
      x: STEP,
      y: { title: 'nats a token', low: 0 },
      series,
      lines: bySeed(params, 0, curve, (i) => (i + 1) * every),
      levels: [{ name: 'ln 10: chance', at: Math.log(10) }],
    },
    {
      kind: 'curves',
      title: 'Largest change of an output when token 5 is edited',
      x: { title: 'token', ticks: range(changes[0].length) },
      y: { title: 'change', low: 0 },
      series,
      lines: bySeed(params, 0, changes, (i) => i, { joined: false }),
      levels: [{ name: 'edited', at: 5, vertical: true }],
    },
  ];
}
