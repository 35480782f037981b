import { makeCopy, makeReverse, makeReverseDecoder } from 'glassformer/tasks';
import { kindOf, outcomeOf, settingsOf, verdictOf } from './shared/claim.js';
import { DIGIT, indexOfLargest, rowsIn } from './shared/explore.js';
import { largest, randomOf, smallest } from './shared/numbers.js';
import { bySeed, given, range, STEP } from './shared/picture.js';
import {
  dataOf,
  massOf,
  overTrainings,
  percent,
  recipeOf,
  shareRight,
  train,
  trained,
  withModel,
} from './shared/train.js';

const LENGTH = 4;
const DIGITS = 10;
const EVERY = 50;
const HELD_OUT = 2000;
/** Of longer digits rows are drawn. */
const MOST_ROWS = 50_000;
const COPY = 'as they are';
/** Steps of the decoder, whose input is read through a causal mask. */
const DECODED = 400;
/** With positions it is learnt sooner. */
const STEPS = { none: 400, sinusoidal: 300 };

/**
 * @typedef {object} Settings
 * @property {string} model
 * @property {string} task
 * @property {number} seed
 * @property {number} [length] digits
 * @property {number} [d_model]
 * @property {number} [rate] a multiple of the learning rate
 */

/** By how much the best by counting may be missed. */
const MARGIN = 0.02;

const RIGHT = {
  name: 'without',
  label: 'Digits right without positional encoding',
  tolerance: { absolute: 0.02 },
  share: true,
};
const BEST = {
  name: 'ceiling',
  label: 'Best that counting the digits can give',
  tolerance: { absolute: 0.02 },
  share: true,
};

/** @type {import('./shared/claim.js').Claim} */
export const claim = {
  number: 6,
  name: 'Reversal without positional encoding',
  sentence: 'A Transformer needs positional encoding to put tokens in order.',
  saidBy: 'Zhang et al. 2023, “Dive into Deep Learning”, section “Positional Encoding”',
  source: 'https://d2l.ai/chapter_attention-mechanisms-and-transformers/self-attention-and-positional-encoding.html',
  experiment:
    'An encoder–decoder of one layer each (d_model 32) learns to say 4 digits in reverse, with and without ' +
    'positions. A decoder of two layers without positions learns the same, its input read through a causal ' +
    'mask.',
  sketch: {
    input: ['3', '8', '1', '5'],
    stacks: [
      { name: 'encoder', layers: 1, parts: ['attention: 2', 'FFN: 64'] },
      { name: 'decoder', layers: 1, parts: ['attention: 2', 'cross-attention: 2', 'FFN: 64'] },
    ],
    output: '5 1 8 3',
    width: 32,
    steps: 400,
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
    'An encoder without positions reads a set of digits, and a decoder beside it can only count them. Where ' +
    'the input is read through a causal mask, each place sees one token more, so the model can learn where it ' +
    'is.',
  limits:
    'Four digits and small models. With eight digits the decoder has 92 and 95 % right after 1,500 steps (two ' +
    'seeds). With positions it learns sooner.',
  overturn: 'An encoder without positions that reverses more than counting allows.',
  quotes: [
    {
      text: 'self-attention by itself does not preserve the order of the sequence',
      from: 'Zhang et al. 2023, section “Positional Encoding”',
    },
  ],
  choices: [
    { label: 'Without it no model does better than by counting digits.', verdict: 'true' },
    { label: 'That depends on how the model reads its input.', verdict: 'it depends' },
    { label: 'Every model learns it without.', verdict: 'false' },
  ],
  guess: { name: 'without', from: 0, to: 1 },
  inputs: [
    { name: 'model', label: 'Model', values: ['encoder-decoder', 'encoder'], default: 'encoder-decoder' },
    { name: 'task', label: 'Say the digits', values: ['in reverse', COPY], default: 'in reverse' },
  ],
  scales: [
    { name: 'length', label: 'Digits', values: [LENGTH, 6], default: LENGTH },
    { name: 'rate', label: 'Learning rates, times', values: [0.5, 1, 2], default: 1 },
    { name: 'd_model', label: 'Width d_model', values: [32, 64], default: 32 },
  ],
  long: true,
  seeded: true,
  expected: [
    { ...RIGHT, range: [0.582, 0.598] },
    { ...BEST, range: [0.591, 0.591] },
    {
      name: 'decoder',
      label: 'Digits right without positional encoding, input behind a causal mask',
      range: [0.946, 0.973],
      tolerance: { absolute: 0.05 },
      share: true,
    },
    { ...RIGHT, at: { model: 'encoder' }, range: [0.426, 0.437] },
    { ...BEST, at: { model: 'encoder' }, range: [0.43, 0.43] },
  ],
  contrast: { model: 'encoder', task: 'as they are' },
};

/** @type {import('./shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { model: kind, task, seeds, ...sizes } = settingsOf(claim, params);
  const { length } = sizes;
  const isOwn = kindOf({ inputs: claim.inputs }, params) === 'sentence';
  return overTrainings(
    seeds,
    STEPS.none + STEPS.sinusoidal + (isOwn ? DECODED : 0),
    async (seed, step) => {
      const settings = { ...sizes, model: kind, task, seed };
      const curveOf = async (/** @type {'none' | 'sinusoidal'} */ positions) => {
        const curve = /** @type {number[]} */ ([]);
        (await learn(gf, settings, step, positions, curve)).free();
        return curve;
      };
      const curves = { withoutCurve: await curveOf('none'), withCurve: await curveOf('sinusoidal') };
      const [without, with_] = [curves.withoutCurve, curves.withCurve].map((curve) => curve[curve.length - 1]);
      /** @type {Record<string, any>} */
      const numbers = { without, with: with_, ...curves };
      return isOwn ? { ...numbers, ...(await decoded(gf, settings, step)) } : numbers;
    },
    onProgress,
    signal,
    (lists) => ({ ...lists, ceiling: ceilingOf(kind, task === COPY, length), every: EVERY }),
  );
}

/**
 * Trains a causal decoder without positions to go on from digits with the same in reverse.
 * @param {import('./shared/train.js').Engine} gf
 * @param {{seed: number, length: number, d_model: number, rate: number}} settings
 * @param {() => Promise<void>} step
 */
async function decoded(gf, { seed, length, d_model, rate }, step) {
  const random = randomOf(seed, claim.name);
  const count = Math.min(DIGITS ** length, MOST_ROWS);
  const rowOf = (/** @type {number} */ i) => String(count < MOST_ROWS ? i : random.integer(DIGITS ** length));
  const rows = random.shuffle(Array.from({ length: count }, (_, i) => rowOf(i).padStart(length, '0')));
  const batchOf = (/** @type {string[]} */ chosen) => {
    const ids = chosen.flatMap((row) => [...row, DIGITS, ...[...row].reverse()].map(Number));
    const whole = 2 * length;
    const at = (/** @type {number} */ from) => ids.filter((_, i) => i % (whole + 1) !== (from ? 0 : whole));
    const labels = at(1).map((id, i) => (i % whole < length ? -100 : id));
    return /** @type {any} */ ({
      ids: { data: Int32Array.from(at(0)), shape: [chosen.length, whole] },
      labels: { data: Int32Array.from(labels), shape: [chosen.length, whole] },
    });
  };
  const heldOut = batchOf(rows.slice(0, HELD_OUT));
  const next = () => batchOf(Array.from({ length: 64 }, () => rows[HELD_OUT + random.integer(rows.length - HELD_OUT)]));
  const sizes = { d_model, heads: 4, d_ff: 2 * d_model, layers: 2, maxLength: 2 * length };
  const config = { vocabulary: DIGITS + 1, ...sizes, seed };
  const curve = /** @type {number[]} */ ([]);
  await withModel(gf, { kind: 'decoder', ...config, positions: 'none', head: 'linear' }, (model) => {
    curve.push(shareRight(model, heldOut));
    return train(model.trainer(recipeOf(rate * 1e-2, DECODED)), next, DECODED, step, (at) => {
      if (at % EVERY === 0) curve.push(shareRight(model, heldOut));
    });
  });
  return { decoder: curve[curve.length - 1], decoderCurve: curve };
}

/**
 * The task that a model at these switches learns, and its held-out rows.
 * @param {Settings} settings
 */
export function dataAt({ model, task, seed, length = LENGTH }) {
  const copy = task === COPY;
  const decoded = makeReverseDecoder({ length, copy });
  const { batch } = /** @type {any} */ (dataOf(decoded, seed, HELD_OUT).heldOut);
  return model === 'encoder'
    ? { learnt: (copy ? makeCopy : makeReverse)({ length }), heldOut: { ids: batch.sourceIds, labels: batch.labels } }
    : { learnt: decoded, heldOut: batch };
}

/**
 * The model of a seed, as `run` trains it.
 * @param {import('./shared/train.js').Engine} gf
 * @param {Settings} settings
 * @param {() => Promise<void>} step
 * @param {'none' | 'sinusoidal'} [positions]
 * @param {number[]} [curve] takes the share of digits that are right, at the beginning and every 50 steps
 */
function learn(gf, settings, step, positions = 'none', curve = []) {
  const { learnt, heldOut } = dataAt(settings);
  const { seed, d_model = learnt.config.d_model, rate = 1 } = settings;
  const config = /** @type {any} */ ({ ...learnt.config, d_model, positions, seed });
  return trained(gf, config, (model) => {
    const steps = STEPS[positions];
    curve.push(shareRight(model, heldOut));
    return train(model.trainer(recipeOf(rate * 5e-3, steps)), dataOf(learnt, seed, 1).batches(), steps, step, (at) => {
      if (at % EVERY === 0) curve.push(shareRight(model, heldOut));
      return curve[curve.length - 1] >= 0.99;
    });
  });
}

/** @type {import('./shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  (numbers) => {
    const isNeeded = largest(numbers.without) < numbers.ceiling + MARGIN;
    const isLearnt = smallest(numbers.decoder) > numbers.ceiling + 0.1;
    return {
      verdict: verdictOf([isNeeded, !isLearnt]),
      on: 'how the input is read',
      found:
        `Input read by a bidirectional encoder: ${shares(numbers)} Read through a causal mask, ` +
        `${percent(numbers.decoder)} are right without positions.`,
    };
  },
  (numbers, { model, task }) => `${model}, digits ${task}: ${shares(numbers)}`.replace(/^e/, 'E'),
);

/** @param {any} numbers */
function shares({ without, with: control, ceiling }) {
  return (
    `${percent(without)} of the digits are right without positional encoding; counting the digits gives ` +
    `${percent(ceiling)}. With positions ${percent(control)} are right.`
  );
}

/**
 * The best accuracy from counts of digits alone: guess the commonest digit that may stand there. An encoder knows all
 * digits and the one at the place; a decoder knows the digits that it has produced already.
 * @param {string} kind
 * @param {boolean} copy
 * @param {number} length
 */
function ceilingOf(kind, copy, length) {
  if (kind === 'encoder') return copy ? 1 : commonest(length - 1);
  return mean(length);
}

/** Of a row whose digits are said one after the other. @param {number} length */
function mean(length) {
  return Array.from({ length }, (_, i) => commonest(i + 1)).reduce((a, b) => a + b) / length;
}

/**
 * @param {number} n
 * @returns {number} expected share of the commonest of n random digits
 */
function commonest(n) {
  let sum = 0;
  for (let most = 0; most < n; most++) {
    // ways[i] · i! rows of i digits have none more than `most` times, of the digits up to `digit`
    let ways = [1, ...new Array(n).fill(0)];
    for (let digit = 0; digit < DIGITS; digit++)
      ways = ways.map((_, i) => {
        let all = 0;
        for (let times = 0; times <= Math.min(most, i); times++) all += ways[i - times] / factorial(times);
        return all;
      });
    sum += 1 - (ways[n] * factorial(n)) / DIGITS ** n;
  }
  return sum / n;
}

/** @param {number} n @returns {number} */
const factorial = (n) => (n < 2 ? 1 : n * factorial(n - 1));

/** @type {import('./shared/explore.js').OwnModel} */
export const ownModel = {
  isTrained: true,
  where: 'at the digit that the first place should say',
  text: () => ({
    token: DIGIT,
    joint: '',
    does: 'digits without positions',
    node: 'attention',
    goal: 'say four digits in reverse, or as they are, without positional encoding.',
    hint:
      'It opens at the digit that the first place should say. Equal digits get equal weights, wherever they stand. ' +
      'Change the text, and see what follows.',
  }),
  steps: () => STEPS.none,
  learn,
  show: (model, settings) => {
    const { learnt, heldOut } = dataAt(settings);
    const isPair = settings.model === 'encoder-decoder';
    const { ids, sourceIds, targetIds } = /** @type {any} */ (heldOut);
    model.forward({ ...(isPair ? { sourceIds, targetIds } : { ids }), capture: true });
    const weights = /** @type {any} */ (
      model.tensor(isPair ? 'decoder.layers.0.multihead_attn.weights' : 'encoder.layers.0.self_attn.weights')
    );
    const last = weights.shape[3] - 1;
    const from = (/** @type {number} */ at) => (settings.task === 'in reverse' ? last - at : at);
    const head = indexOfLargest(massOf(weights, from, range(last + 1)));
    const kind = isPair ? 'cross' : 'encoder';
    return {
      task: learnt,
      rows: rowsIn(isPair ? sourceIds : ids),
      cell: { kind, head, row: 0, key: from(0), neuron: null },
    };
  },
};

/** @type {import('./shared/picture.js').PictureOf} */
export const picture = ({ withoutCurve, withCurve, decoderCurve, ceiling, every }, params) => [
  {
    kind: 'curves',
    title: 'Held-out digits that are right',
    note: 'Training ends where 99 % are right.',
    x: STEP,
    y: { title: 'share right', low: 0, high: 1, percent: true },
    series: [{ name: 'without positional encoding' }, { name: 'with it' }],
    lines: [withoutCurve, withCurve].flatMap((lists, s) => bySeed(params, s, lists, (i) => i * every)),
    levels: [{ name: 'best by counting', at: ceiling }],
  },
  ...given(decoderCurve, () => [
    /** @type {import('./shared/picture.js').Curves} */ ({
      kind: 'curves',
      title: 'The same, the input read through a causal mask',
      x: STEP,
      y: { title: 'share right', low: 0, high: 1, percent: true },
      series: [{ name: 'without positional encoding' }],
      lines: bySeed(params, 0, decoderCurve, (i) => i * every),
      levels: [{ name: 'best by counting', at: ceiling }],
    }),
  ]),
];
