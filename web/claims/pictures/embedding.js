// Embedding and position: claims 20, 3, 4, 5, 6, 23.
import { STEP, bySeed, given, marks, range, seedsOf } from './picture.js';

/**
 * @typedef {import('./picture.js').Picture} Picture
 * @typedef {import('./picture.js').Params} Params
 */

/** @param {any} numbers @param {Params} params @returns {Picture} */
export const lookUp = ({ difference, sumError, product, lookUp }, params) => ({
  panels: [
    {
      kind: 'maps',
      title: `Product and look-up for 16 tokens, ${seedsOf(params)[0]}`,
      ...{ scale: 'signed', columns: 32, rowAxis: { title: 'token' }, columnAxis: { title: 'dimension' } },
      maps: [
        { title: 'X·W_e', values: product[0] },
        { title: 'Rows of the table', values: lookUp[0] },
      ],
    },
    {
      kind: 'rows',
      title: 'Largest differences',
      x: { title: 'difference', log: true, low: 1e-8, high: 1 },
      rows: [
        { label: 'X·W_e and the rows of the table', marks: marks(params, difference) },
        { label: 'Sum of a softmax row, and 1', marks: marks(params, sumError) },
      ],
      levels: [{ name: 'allowed', at: 1e-6 }],
    },
  ],
});

/** @param {any} numbers @param {Params} params @returns {Picture} */
export function offsets({ products, around, rotationError, fitError }, params) {
  const { table = 'sinusoidal', offset = 5 } = params;
  return {
    panels: [
      {
        kind: 'curves',
        title: `PE(pos)·PE(pos + k), ${table === 'random' ? 'random vectors' : 'sinusoids'}`,
        note: 'It depends on the offset alone, is the same to both sides, and does not fall steadily.',
        x: { title: 'offset k', low: -around, high: around },
        y: { title: 'dot product' },
        series: [{ name: String(table) }],
        lines: bySeed(params, 0, products, (i) => i - around, {
          dots: false,
          ...(table === 'random' ? {} : { label: '' }),
        }),
        levels: [{ name: `k = ${offset}`, at: Number(offset), vertical: true }],
        ...(table === 'random' ? { note: 'Each position is nearly orthogonal to every other.' } : {}),
      },
      {
        kind: 'rows',
        title: 'How far PE(pos + k) is missed',
        x: { title: 'error', log: true, low: 1e-8, high: 100 },
        rows: [
          { label: 'Sinusoids turned by k·ω: largest error', marks: marks(params, rotationError) },
          {
            label: `Map fitted to ${table === 'random' ? 'random vectors' : 'sinusoids'}: at other positions`,
            marks: marks(params, table === 'random' ? fitError : fitError[0]),
          },
        ],
      },
    ],
  };
}

const WORDS = ['The', 'cat', 'sat', 'on', 'the', 'mat'];

/** @param {any} numbers @param {Params} params @returns {Picture} */
export function wordOrder({ bidirectionalWords, causalWords }, params) {
  const masks = [bidirectionalWords, causalWords];
  return {
    panels: [
      {
        kind: 'rows',
        title: 'How much the output of a word differs between the two sentences',
        x: { title: 'largest difference', log: true, low: 1e-8, high: 10 },
        series: [{ name: 'without a mask' }, { name: 'causal mask' }],
        rows: WORDS.map((label, word) => ({
          label,
          marks: masks.flatMap((lists, mask) =>
            given(lists, () =>
              marks(
                params,
                lists.map((/** @type {number[]} */ list) => list[word]),
                mask,
              ),
            ),
          ),
        })),
        levels: [{ name: 'single precision', at: 3e-6 }],
      },
    ],
  };
}

/** @param {any} numbers @param {Params} params @returns {Picture} */
export const order = ({ own, right }, params) => ({
  panels: [
    {
      kind: 'curves',
      title: 'Probability of the right position, after training',
      x: { title: 'position', ticks: range(own[0].length) },
      y: { title: 'probability', low: 0, high: 1, percent: true },
      series: [{ name: params.mask === 'causal' ? 'causal mask' : 'without a mask' }],
      lines: bySeed(params, 0, own, (i) => i),
      levels: [{ name: '1 of 9', at: 1 / (own[0].length - 1) }],
    },
    {
      kind: 'rows',
      title: 'Positions that are identified',
      x: { title: 'share', low: 0, high: 1, percent: true },
      rows: [{ label: 'Right', marks: marks(params, right) }],
      levels: [{ name: '[BOS] and one more', at: 2 / own[0].length }],
    },
  ],
});

/** @param {any} numbers @param {Params} params @returns {Picture} */
export const reversal = ({ withoutCurve, withCurve, ceiling, every }, params) => ({
  panels: [
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
  ],
});

/** @param {any} numbers @param {Params} params @returns {Picture} */
export const length = ({ lengths, gaps, byGap }, { gap = 5 }) => ({
  panels: [
    {
      kind: 'curves',
      title: 'Weight of the matching key',
      x: { title: 'keys n', log: true, ticks: lengths },
      y: { title: 'weight', low: 0, high: 1, percent: true },
      series: gaps.map((/** @type {number} */ one) => ({ name: `gap ${one}${one === gap ? ', as chosen' : ''}` })),
      lines: byGap.map((/** @type {number[]} */ list, /** @type {number} */ series) => ({
        ...{ series, label: '', joined: true, dots: true },
        points: list.map((y, i) => [lengths[i], y]),
      })),
      levels: [{ name: 'half of the weight', at: 0.5 }],
    },
  ],
});
