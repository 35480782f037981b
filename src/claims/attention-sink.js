import { outcomeOf, settingsOf, sharesWithin, verdictOf } from './shared/claim.js';
import { inTrain, indexOfLargest } from './shared/explore.js';
import { largest, median, randomOf, say } from './shared/numbers.js';
import { marks, range } from './shared/picture.js';
import { LETTERS, batchOf, periodOf, readerOf, repeats } from './shared/rows.js';
import { overTrainings, percent, recipeOf, train, withModel } from './shared/train.js';

const LENGTH = 24;
const [SHORTEST, LONGEST] = [5, 12];
/** Places at which letters are new in some rows and repeat in others. */
const PLACES = range(LONGEST - SHORTEST).map((i) => SHORTEST + i);
const [ROWS, BATCH] = [128, 32];
const STEPS = 600;
const RATE = 5e-3;
/** The share of the output’s probability that must move, from which on we say that a token matters. */
const MATTERS = 0.25;
const [START, NONE] = ['[BOS]', 'none'];
const [ALL, REPEATS] = ['every letter', 'repeats alone'];
const KINDS = /** @type {const} */ (['New', 'Again']);
const LAYER = 'decoder.layers.1.self_attn';

const share = sharesWithin(0.12);

/**
 * @param {string} name
 * @param {string} label
 * @param {readonly [low: number, high: number]} range
 * @param {number} absolute tolerance
 * @returns {import('./shared/claim.js').Expected}
 */
const nats = (name, label, range, absolute) => ({ name, label, range, tolerance: { absolute } });

/** @type {import('./shared/claim.js').Claim} */
export const claim = {
  number: 41,
  name: 'Attention sink',
  sentence: 'The token with the most attention is the one that matters.',
  saidBy: 'Often said of maps of attention',
  experiment:
    'A decoder of two attention layers learns to continue 5 to 12 letters that repeat. Where a letter is new, and ' +
    'where it repeats, the token with the most attention in layer 2 gets its value from another row.',
  sketch: {
    input: ['[BOS]', 'c', 'f', 'a', 'c', '…'],
    stacks: [{ name: 'decoder', layers: 2, parts: ['attention, causal: 2'] }],
    output: 'the next letter',
    width: 32,
    steps: STEPS,
  },
  literature: {
    for: ['Wiegreffe and Pinter 2019, “Attention is not not Explanation”'],
    against: [
      'Xiao et al. 2024, “Efficient Streaming Language Models with Attention Sinks”',
      'Gu et al. 2025, “When Attention Sink Emerges in Language Models: An Empirical View”',
    ],
  },
  why:
    'The weights of a row sum to 1, also where a head finds nothing. It then gives them to a token that is always ' +
    'there, the first, which tells nothing of this row.',
  limits:
    'One small model. In large ones the first token’s value is short; here it is long, and hiding it costs 0.6 to ' +
    '1.3 nats where letters are new: it says “any letter”. Our cutoff is a quarter of the probability.',
  overturn:
    'A swapped value of the most attended token that changes the output where letters are new as where they repeat.',
  choices: [
    { label: 'Swapping it changes the output, where letters are new and where they repeat.', verdict: 'true' },
    { label: 'It does where they repeat; where they are new it hardly does.', verdict: 'it depends' },
    { label: 'It hardly changes the output anywhere.', verdict: 'false' },
  ],
  guess: { name: 'firstNew', from: 0, to: 1 },
  inputs: [
    { name: 'start', label: 'First token', values: [START, NONE], default: START },
    { name: 'asked', label: 'Training asks', values: [ALL, REPEATS], default: ALL, controls: [REPEATS] },
    { name: 'heads', label: 'Heads', values: [1, 2, 4], default: 2 },
  ],
  scales: [
    { name: 'heads', label: 'Heads', values: [1, 2, 4] },
    { name: 'width', label: 'Width d_model', values: [16, 32, 64], default: 32 },
    { name: 'learningRate', label: 'Learning rate', values: [2e-3, RATE, 1e-2], default: RATE },
    { name: 'steps', label: 'Steps', values: [300, STEPS, 1500], default: STEPS },
  ],
  long: true,
  seeded: true,
  expected: [
    share('firstNew', 'Attention to the first token, letter new', [0.37, 0.771]),
    share('isTopNew', 'Places where it gets the most, letter new', [0.638, 0.927]),
    share('firstAgain', 'Attention to the first token, letter repeats', [0.015, 0.058]),
    share('swappedNew', 'Most attended token’s value swapped: probability moved, letter new', [0.032, 0.129]),
    share('swappedAgain', 'The same, letter repeats', [0.893, 0.956]),
    nats('hiddenNew', 'First token hidden: loss that it costs, letter new', [0.64, 1.32], 0.3),
    nats('hiddenAgain', 'The same, letter repeats', [-0.032, -0.003], 0.05),
    share('firstNew', 'Repeats alone asked: attention to the first token, letter new', [0.06, 0.128], {
      asked: REPEATS,
    }),
    share('swappedNew', 'No start token: value swapped, letter new', [0.14, 0.26], { start: NONE }),
    share('swappedAgain', 'No start token: value swapped, letter repeats', [0.886, 0.926], { start: NONE }),
  ],
  contrast: { asked: REPEATS },
};

/** @type {import('./shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { seeds, ...settings } = settingsOf(claim, params);
  return overTrainings(
    seeds,
    settings.steps,
    (seed, step) => learn(gf, { ...settings, seed }, step),
    onProgress,
    signal,
  );
}

/**
 * @param {import('./shared/train.js').Engine} gf
 * @param {{start: string, asked: string, heads: number, width: number, learningRate: number, steps: number,
 *   seed: number}} of
 * @param {() => Promise<void>} step
 */
function learn(gf, { start, asked, heads, width, learningRate, steps, seed }, step) {
  const shift = Number(start === START);
  const config = readerOf({
    vocabulary: LETTERS + 1,
    layers: 2,
    d_model: width,
    heads,
    positions: 'learned',
    maxLength: LENGTH + 1,
    seed,
  });
  return withModel(gf, config, async (model) => {
    const random = randomOf(seed, claim.name);
    const heldOut = batchOf(random, repeats(SHORTEST, LONGEST, true), LENGTH, ROWS);
    const row = repeats(SHORTEST, LONGEST, asked === ALL);
    const next = () => begun(batchOf(random, row, LENGTH, BATCH), shift);
    await train(model.trainer(recipeOf(learningRate)), next, steps, step);
    return measure(gf, model, heldOut, shift);
  });
}

/** The same rows behind a start token, of which nothing is asked. @param {any} batch @param {number} shift 0 or 1 */
function begun({ ids, labels }, shift) {
  if (shift === 0) return { ids, labels };
  const [rows, length] = ids.shape;
  const behind = (/** @type {any} */ { data }, /** @type {number} */ first) => ({
    data: Int32Array.from({ length: rows * (length + 1) }, (_, i) => {
      const at = i % (length + 1);
      return at === 0 ? first : data[Math.floor(i / (length + 1)) * length + at - 1];
    }),
    shape: [rows, length + 1],
  });
  return { ids: behind(ids, LETTERS), labels: behind(labels, -100) };
}

/**
 * Measures the most attended token of layer 2, what changes with its value of another row, and without the first
 * token, at places where letters are new, and where they repeat.
 * @param {import('./shared/train.js').Engine} gf
 * @param {import('./shared/train.js').Model} model
 * @param {any} heldOut
 * @param {number} shift of the letters behind a start token
 */
function measure(gf, model, heldOut, shift) {
  const { ids, labels } = begun(heldOut, shift);
  const [rows, length] = ids.shape;
  const logsOf = (/** @type {object[]} */ patches) => {
    const { logits } = model.forward({ ids, capture: true, patches });
    return gf.logSoftmax(/** @type {any} */ (logits)).data;
  };
  const base = logsOf([]);
  const [weights, value, outputs] = ['weights', 'value', 'head_outputs'].map((name) =>
    model.tensor(`${LAYER}.${name}`),
  );
  const heads = weights.shape[1];
  const size = value.shape[3];
  const weightOf = (/** @type {number[]} */ [row, head, at, key]) =>
    weights.data[((row * heads + head) * length + at) * length + key];
  const valueAt = (/** @type {number} */ row, /** @type {number} */ head, /** @type {number} */ key) =>
    ((row * heads + head) * length + key) * size;
  const meanOf = (/** @type {number} */ row, /** @type {number} */ at, /** @type {number} */ key) =>
    range(heads).reduce((sum, head) => sum + weightOf([row, head, at, key]) / heads, 0);
  const swapped = Float32Array.from(outputs.data);
  const hidden = Float32Array.from(weights.data);
  const tops = new Map();
  for (let row = 0; row < rows; row++)
    for (const place of PLACES) {
      const at = place + shift;
      const means = range(at + 1).map((key) => meanOf(row, at, key));
      const top = indexOfLargest(means);
      tops.set(row * length + at, top);
      for (let head = 0; head < heads; head++) {
        const [own, other] = [valueAt(row, head, top), valueAt((row + 1) % rows, head, top)];
        const by = weightOf([row, head, at, top]);
        for (let c = 0; c < size; c++)
          swapped[valueAt(row, head, at) + c] += by * (value.data[other + c] - value.data[own + c]);
        const from = ((row * heads + head) * length + at) * length;
        const rest = 1 - hidden[from];
        for (let key = 0; key <= at; key++) hidden[from + key] = key === 0 ? 0 : hidden[from + key] / rest;
      }
    }
  const logsSwapped = logsOf([{ name: `${LAYER}.head_outputs`, value: swapped }]);
  const logsHidden = logsOf([{ name: `${LAYER}.weights`, value: hidden }]);
  const words = base.length / (rows * length);
  const probability = (/** @type {Float32Array} */ logs, /** @type {number} */ cell) =>
    gf.softmax({ data: logs.slice(cell * words, (cell + 1) * words), shape: [words] }).data;
  /** @type {Record<string, number>} */
  const numbers = {};
  for (const kind of KINDS) {
    const cells = range(rows).flatMap((row) => {
      const period = periodOf(heldOut.ids.data.subarray(row * LENGTH, (row + 1) * LENGTH));
      return PLACES.filter((place) => place >= period === (kind === 'Again')).map((place) => [row, place + shift]);
    });
    const mean = (/** @type {(row: number, at: number, cell: number) => number} */ of) =>
      cells.reduce((sum, [row, at]) => sum + of(row, at, row * length + at), 0) / cells.length;
    const costOf = (/** @type {Float32Array} */ logs) =>
      mean((_row, _at, cell) => -logs[cell * words + labels.data[cell]]);
    Object.assign(numbers, {
      [`first${kind}`]: mean((row, at) => meanOf(row, at, 0)),
      [`isTop${kind}`]: mean((_row, _at, cell) => Number(tops.get(cell) === 0)),
      [`swapped${kind}`]: mean((_row, _at, cell) => {
        const [before, after] = [base, logsSwapped].map((logs) => probability(logs, cell));
        return before.reduce((sum, p, i) => sum + Math.abs(p - after[i]) / 2, 0);
      }),
      [`hidden${kind}`]: costOf(logsHidden) - costOf(base),
    });
  }
  return numbers;
}

/** @type {import('./shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  (numbers) => ({
    verdict: verdictOf(KINDS.map((kind) => median(numbers[`swapped${kind}`]) >= MATTERS)),
    on: 'whether there is something to find',
    found: found(numbers),
  }),
  (numbers, { start, asked, heads }) =>
    `${start === START ? '' : 'Without a start token the first letter takes its place. '}` +
    `${asked === ALL ? '' : 'Where letters are new nothing is asked in training. '}` +
    `${heads} ${heads === 1 ? 'head' : 'heads'}. ${found(numbers)}`,
);

/** @param {any} numbers */
const found = (numbers) =>
  `Where a letter is new, the first token gets ${percent(numbers.firstNew)} of the attention and the most at ` +
  `${percent(numbers.isTopNew)} of the places; where it repeats, ${percent(numbers.firstAgain)}. With its value of ` +
  `another row, the most attended token moves ${percent(numbers.swappedNew)} of the probability where letters are ` +
  `new and ${percent(numbers.swappedAgain)} where they repeat. Hiding the first token costs ` +
  `${say(numbers.hiddenNew)} nats where they are new; where they repeat the loss ` +
  `moves by ${say(largest(numbers.hiddenAgain.map(Math.abs)))} at most.`;

/** @type {import('./shared/explore.js').MatchingOf} */
export const matching = ({ seed }) =>
  inTrain(
    { task: 'induction', seed, step: 425 },
    'the same task, asked at the repeats alone and without a start token, so that hardly a sink comes',
  );

/** @type {import('./shared/picture.js').PictureOf} */
export const picture = (numbers, params) => {
  const rowsOf = (/** @type {string} */ name) => [
    { label: 'letter new', marks: marks(params, numbers[`${name}New`]) },
    { label: 'letter repeats', marks: marks(params, numbers[`${name}Again`]) },
  ];
  return [
    {
      kind: 'rows',
      title: 'Attention to the first token',
      note: 'The same places of rows that repeat sooner or later.',
      x: { title: 'mean weight in layer 2', low: 0, high: 1, percent: true },
      rows: rowsOf('first'),
    },
    {
      kind: 'rows',
      title: 'The most attended token, with its value of another row',
      x: { title: 'share of the probability that moves', low: 0, high: 1, percent: true },
      rows: rowsOf('swapped'),
      levels: [{ name: 'our cutoff', at: MATTERS }],
    },
    {
      kind: 'rows',
      title: 'The first token hidden',
      x: { title: 'loss that it costs, in nats' },
      rows: rowsOf('hidden'),
    },
  ];
};
