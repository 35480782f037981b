import { makePositions } from 'glassformer/tasks';
import { outcomeOf, settingsOf, verdictOf } from './shared/claim.js';
import { rowsIn } from './shared/explore.js';
import { largest, say } from './shared/numbers.js';
import { bySeed, given, marks, range } from './shared/picture.js';
import { freed, overTrainings, percent, shareRight, train, trained } from './shared/train.js';

const LENGTH = 10;
const STEPS = 500;
export const task = makePositions({ length: LENGTH });
const RATE = 5e-3;
/** Guessing is right in 1 of 10 places. Without a mask [BOS] is known, and one of the others, which get one answer. */
const CHANCE = 1 / LENGTH;
const ceilingOf = (/** @type {number} */ length) => 2 / length;

/** @type {import('./shared/claim.js').Claim} */
export const claim = {
  number: 5,
  name: 'Order without positional encoding',
  sentence: 'Attention knows no order of its own: information about position must be injected.',
  saidBy: 'Vaswani et al. 2017, “Attention Is All You Need”, section 3.5',
  experiment:
    'One layer with d_model 32 and two heads reads [BOS] and nine equal tokens without positions, and learns in ' +
    '500 steps to name the place of each. One model has a causal mask, one has none.',
  sketch: {
    input: ['[BOS]', 'a', 'a', 'a', '…', 'a'],
    stacks: [{ layers: 1, parts: ['attention: 2', 'FFN: 64'] }],
    output: 'the place of each: 0, 1, 2 …',
    width: 32,
    steps: 500,
  },
  literature: {
    for: ['Vaswani et al. 2017, “Attention Is All You Need”, section 3.5'],
    against: [
      'Haviv et al. 2022, “Transformer Language Models without Positional Encodings Still Learn Positional ' +
        'Information”',
      'Kazemnejad et al. 2023, “The Impact of Positional Encoding on Length Generalization in Transformers”',
    ],
  },
  why:
    'Behind a causal mask position i averages over i tokens, so [BOS] gets a weight of about 1/i, which tells i. ' +
    'Without a mask, or without a token that differs, equal tokens have equal outputs.',
  limits:
    'Nine equal tokens after [BOS] in one small model. A position that can be read off need not be used as well ' +
    'as an encoded one.',
  overturn: 'A causal decoder with a start token that cannot learn its place, or an encoder that can.',
  quotes: [
    {
      text:
        'Since our model contains no recurrence and no convolution, in order for the model to make use of the ' +
        'order of the sequence, we must inject some information about the relative or absolute position of the ' +
        'tokens in the sequence.',
      from: 'Vaswani et al. 2017, section 3.5',
    },
  ],
  choices: [
    { label: 'Without positional encoding positions cannot be distinguished.', verdict: 'true' },
    { label: 'That depends on the mask.', verdict: 'it depends' },
    { label: 'Every position can.', verdict: 'false' },
  ],
  guess: { name: 'causalRight', from: 0, to: 1 },
  inputs: [{ name: 'mask', label: 'Mask', values: ['none', 'causal', 'both'], default: 'both' }],
  scales: [
    { name: 'length', label: 'Tokens', values: [5, LENGTH, 20, 40], default: LENGTH },
    { name: 'd_model', label: 'Width d_model', values: [16, 32, 64], default: 32 },
    { name: 'learningRate', label: 'Learning rate', values: [2e-3, RATE, 1e-2, 2e-2], default: RATE },
  ],
  seeded: true,
  expected: [
    {
      name: 'right',
      label: 'Positions identified without a mask',
      range: [ceilingOf(LENGTH), ceilingOf(LENGTH)],
      share: true,
    },
    { name: 'causalRight', label: 'Positions identified behind a causal mask', range: [1, 1], share: true },
    {
      name: 'withoutStart',
      label: 'Causal mask, no [BOS]: largest difference between outputs of two places',
      range: [0, 2e-6],
      tolerance: { absolute: 3e-6 },
    },
  ],
  contrast: { mask: 'causal' },
};

/** @type {import('./shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { mask, length, seeds, ...given } = settingsOf(claim, params);
  const own = { ...given, task: makePositions({ length }) };
  const batch = own.task.batch();
  const masks = mask === 'both' ? ['none', 'causal'] : [mask];
  return overTrainings(
    seeds,
    masks.length * STEPS,
    async (seed, step) => {
      /** @type {Record<string, any>} */
      const numbers = {};
      for (const one of masks)
        await freed(await learn(gf, { ...own, mask: one, seed }, step), (model) => {
          const right = shareRight(model, batch);
          const { logits } = model.forward({ ids: batch.ids });
          const shares = gf.softmax(/** @type {any} */ (logits)).data;
          const byPlace = Array.from({ length }, (_, at) => shares[at * length + at]);
          Object.assign(
            numbers,
            one === 'causal'
              ? { causalRight: right, causalOwn: byPlace, withoutStart: apartWithoutStart(model, batch) }
              : { right, own: byPlace },
          );
        });
      return numbers;
    },
    onProgress,
    signal,
    (lists) => ({ ...lists, length }),
  );
}

/**
 * The distance of the outputs of equal tokens from the first one's.
 * @param {import('./shared/train.js').Model} model @param {any} batch
 */
function apartWithoutStart(model, { ids }) {
  const { data } = model.forward({ ids: Array.from(ids.data, () => ids.data[1]) }).output;
  const width = data.length / ids.data.length;
  return largest(data.map((value, i) => Math.abs(value - data[i % width])));
}

/**
 * The model of a seed, as `run` trains it.
 * @param {import('./shared/train.js').Engine} gf
 * @param {{mask: string, seed: number}} settings
 * @param {() => Promise<void>} step
 */
const learn = (gf, { mask, seed }, step) =>
  trained(gf, { ...task.config, causal: mask !== 'none', seed }, async (model) => {
    // At a constant rate some seeds stay at 70 to 90 %.
    const trainer = model.trainer({ learningRate: 5e-3, schedule: 'linear', steps: STEPS, clip: 1 });
    const batch = task.batch();
    await train(trainer, () => batch, STEPS, step);
  });

/** @type {import('./shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  ({ right, causalRight, withoutStart, length = LENGTH }) => {
    const [free, masked] = [right, causalRight].map((shares) => largest(shares) <= ceilingOf(length) + 1e-6);
    return {
      verdict: verdictOf([free, masked]),
      on: 'the mask',
      found:
        `Without a mask ${percent(right)} of the positions are identified: [BOS] and one more, the most that equal ` +
        `outputs allow (guessing: ${percent(CHANCE)}). Behind a causal mask ${percent(causalRight)} are, but not ` +
        `without [BOS]: then all outputs are the same within ${say(largest(withoutStart))}.`,
    };
  },
  ({ right, causalRight }, { mask }) =>
    mask === 'causal'
      ? `${percent(causalRight)} of the positions are identified: each sees one token more than the one before.`
      : `${percent(right)} of the positions are identified: equal tokens get equal outputs everywhere.`,
);

/** @type {import('./shared/explore.js').OwnModel} */
export const ownModel = {
  isTrained: true,
  where: 'at the last token’s weight on [BOS]',
  text: () => ({
    token: /\[BOS\]|a/g,
    joint: ' ',
    does: 'the number of the place',
    node: 'attention',
    goal: 'say at each of equal tokens the number of its place, without positional encoding.',
    hint:
      'It opens at the weight of the last token on [BOS], the only one that differs. Without a mask every row behind ' +
      'it is the same; behind a causal mask the weight on [BOS] falls from row to row.',
  }),
  steps: STEPS,
  learn,
  show: () => {
    const rows = rowsIn(task.batch().ids, 1);
    return { task, rows, cell: { kind: 'encoder', head: 0, row: rows[0].length - 1, key: 0, neuron: null } };
  },
};

/** @type {import('./shared/picture.js').PictureOf} */
export function picture({ own, right, causalOwn, causalRight }, params) {
  const all = [
    ...given(own, () => [{ name: 'without a mask', own, right }]),
    ...given(causalOwn, () => [{ name: 'causal mask', own: causalOwn, right: causalRight }]),
  ];
  const places = all[0].own[0].length;
  return [
    {
      kind: 'curves',
      title: 'Probability of the right position, after training',
      x: { title: 'position', ticks: range(places) },
      y: { title: 'probability', low: 0, high: 1, percent: true },
      series: all.map(({ name }) => ({ name })),
      lines: all.flatMap(({ own: lists }, series) => bySeed(params, series, lists, (i) => i)),
      levels: [{ name: '1 of 9', at: 1 / (places - 1) }],
    },
    {
      kind: 'rows',
      title: 'Positions that are identified',
      x: { title: 'share', low: 0, high: 1, percent: true },
      rows: all.map(({ name, right: shares }) => ({ label: name, marks: marks(params, shares) })),
      levels: [{ name: '[BOS] and one more', at: 2 / places }],
    },
  ];
}
