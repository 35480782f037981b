import { makeCopy, makeReverse, makeReverseDecoder } from 'glassformer/tasks';
import { settingsOf } from '../shared/claim.js';
import { largest, smallest } from '../shared/numbers.js';
import { dataOf, overTrainings, percent, recipeOf, shareRight, train, trained } from '../shared/train.js';

const [LENGTH, DIGITS, EVERY, HELD_OUT] = [8, 10, 50, 512];
const COPY = 'as they are';
/** With positions it is learnt sooner. */
export const STEPS = { none: 400, sinusoidal: 300 };

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

/** @type {import('../shared/claim.js').Claim} */
export const claim = {
  number: 6,
  name: 'Reversal without positional encoding',
  sentence: 'A Transformer needs positional encoding to put tokens in order.',
  source: 'Vaswani et al. 2017, “Attention Is All You Need”, section 3.5',
  choices: [
    { label: 'Without it the model cannot do better than by counting digits.', verdict: 'holds' },
    { label: 'It does somewhat better than that.', verdict: 'holds only if' },
    { label: 'It gets everything right.', verdict: 'fails' },
  ],
  inputs: [
    { name: 'model', label: 'Model', values: ['encoder-decoder', 'encoder'], default: 'encoder-decoder' },
    { name: 'task', label: 'Say the digits', values: ['in reverse', COPY], default: 'in reverse' },
  ],
  long: true,
  seeded: true,
  expected: [
    { ...RIGHT, range: [0.437, 0.46] },
    { ...BEST, range: [0.461, 0.461] },
    { ...RIGHT, at: { model: 'encoder' }, range: [0.29, 0.32] },
    { ...BEST, at: { model: 'encoder' }, range: [0.317, 0.317] },
  ],
  flip: { params: { model: 'encoder', task: 'as they are' }, verdict: 'fails' },
};

/** @type {import('../shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { model: kind, task, seeds } = settingsOf(claim, params);
  const result = await overTrainings(
    seeds,
    STEPS.none + STEPS.sinusoidal,
    async (seed, step) => {
      const settings = { model: kind, task, seed };
      const curveOf = async (/** @type {'none' | 'sinusoidal'} */ positions) => {
        const curve = /** @type {number[]} */ ([]);
        (await learn(gf, settings, step, positions, curve)).free();
        return curve;
      };
      const curves = { withoutCurve: await curveOf('none'), withCurve: await curveOf('sinusoidal') };
      const [without, with_] = [curves.withoutCurve, curves.withCurve].map((curve) => curve[curve.length - 1]);
      return { without, with: with_, ...curves };
    },
    onProgress,
    signal,
  );
  return { ...result, ceiling: ceilingOf(kind, task === COPY), every: EVERY };
}

/**
 * What a model of these switches learns, and the held-out rows that it is asked.
 * @param {{model: string, task: string, seed: number}} settings
 */
export function dataAt({ model, task, seed }) {
  const copy = task === COPY;
  const decoded = makeReverseDecoder({ length: LENGTH, copy });
  const { targetIds, ...rows } = /** @type {any} */ (dataOf(decoded, seed, HELD_OUT).heldOut.batch);
  return model === 'encoder'
    ? { learnt: (copy ? makeCopy : makeReverse)({ length: LENGTH }), heldOut: rows }
    : { learnt: decoded, heldOut: { ...rows, targetIds } };
}

/**
 * The model of a seed, as `run` trains it.
 * @param {import('../shared/train.js').Engine} gf
 * @param {{model: string, task: string, seed: number}} settings
 * @param {() => Promise<void>} step
 * @param {'none' | 'sinusoidal'} [positions]
 * @param {number[]} [curve] takes the share of digits that are right, at the beginning and every 50 steps
 */
export function learn(gf, settings, step, positions = 'none', curve = []) {
  const { learnt, heldOut } = dataAt(settings);
  const { seed } = settings;
  const config = /** @type {any} */ ({ ...learnt.config, positions, seed });
  return trained(gf, config, (model) => {
    const steps = STEPS[positions];
    curve.push(shareRight(model, heldOut));
    return train(model.trainer(recipeOf(5e-3, steps)), dataOf(learnt, seed, 1).batches(), steps, step, (at) => {
      if (at % EVERY === 0) curve.push(shareRight(model, heldOut));
      return curve[curve.length - 1] >= 0.99;
    });
  });
}

/** @type {import('../shared/claim.js').ClaimModule['verdict']} */
export function verdict({ without, with: control, ceiling }) {
  const shares = `${percent(without)} of the digits are right without positional encoding`;
  if (smallest(without) >= 0.99) return { verdict: 'fails', why: `${shares}: here the order does not matter.` };
  const counting = `counting the digits gives ${percent(ceiling)}`;
  if (largest(without) > ceiling + 0.02) return { verdict: 'holds only if', why: `${shares}, but ${counting}.` };
  return { verdict: 'holds', why: `${shares}; ${counting}. With it ${percent(control)} are right.` };
}

/**
 * What can be right if nothing but the numbers of digits is known: the commonest of those that may stand there. An
 * encoder knows all digits and the one at the place; a decoder those that it has said already.
 * @param {string} kind
 * @param {boolean} copy
 */
function ceilingOf(kind, copy) {
  if (kind === 'encoder') return copy ? 1 : commonest(LENGTH - 1);
  return Array.from({ length: LENGTH }, (_, i) => commonest(i + 1)).reduce((a, b) => a + b) / LENGTH;
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
