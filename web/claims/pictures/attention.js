// Attention and heads: claims 1, 2, 21, 12, 15, 14, 11.
import { STEP, bySeed, given, marks, range, seedsOf } from './picture.js';

/**
 * @typedef {import('./picture.js').Picture} Picture
 * @typedef {import('./picture.js').Params} Params
 */

const WIDTHS = [8, 16, 32, 64, 128, 256, 512];

/** @param {any} numbers @param {Params} params @returns {Picture} */
export const scaleGradients = ({ widths, unscaledCurve, scaledCurve }, params) => ({
  panels: [
    {
      kind: 'curves',
      title: 'Gradient of a softmax row with respect to its scores',
      note: 'Each point is the median over 128 queries with 16 keys each.',
      x: { title: 'd_k', log: true, ticks: WIDTHS },
      y: { title: '‖∂softmax/∂scores‖', log: true, low: 1e-4, high: 1 },
      series: [{ name: 'unscaled' }, { name: 'scaled by 1/√d_k' }],
      lines: [unscaledCurve, scaledCurve].flatMap((lists, s) => bySeed(params, s, lists, (i) => widths[i])),
    },
  ],
});

/** @param {any} numbers @param {Params} params @returns {Picture} */
export const trainingWithoutScale = ({ scaledCurve, unscaledCurve, every }, params) => ({
  panels: [
    {
      kind: 'curves',
      title: 'Held-out digits that are right',
      note: 'From step 200 on a run ends where 99 % are right.',
      x: STEP,
      y: { title: 'share right', low: 0, high: 1, percent: true },
      series: [{ name: 'unscaled' }, { name: 'scaled by 1/√d_k' }],
      lines: [unscaledCurve, scaledCurve].flatMap((lists, s) => bySeed(params, s, lists, (i) => (i + 1) * every)),
    },
  ],
});

/** @param {any} numbers @param {Params} params @returns {Picture} */
export function weightsExplain({ variation, moved, weights, others, output, sameOutput }, params) {
  const keys = Math.sqrt(weights[0].length);
  const [seed] = seedsOf(params);
  return {
    panels: [
      {
        kind: 'maps',
        title: `Two weight matrices, ${seed}`,
        ...{ scale: 'share', columns: keys, rowAxis: { title: 'query' }, columnAxis: { title: 'key' } },
        maps: [
          { title: 'Softmax of the scores', values: weights[0] },
          { title: 'Other weights', values: others[0] },
        ],
      },
      {
        kind: 'maps',
        title: 'Their outputs',
        scale: 'signed',
        ...{ columns: output[0].length / keys, rowAxis: { title: 'query' }, columnAxis: { title: 'dimension' } },
        maps: [
          { title: 'Of the softmax', values: output[0] },
          { title: 'Of the other weights', values: sameOutput[0] },
        ],
      },
      {
        kind: 'rows',
        title: 'How far the weights are apart',
        x: { title: 'share', low: 0, high: 1 },
        rows: [
          { label: 'Total variation, mean over rows', marks: marks(params, variation) },
          {
            label: 'Rows whose largest weight is elsewhere',
            marks: marks(
              params,
              moved.map((/** @type {number} */ count) => count / keys),
            ),
          },
        ],
      },
    ],
  };
}

const EDITED = 5;

/** @param {any} numbers @param {Params} params @returns {Picture} */
export const positionWise = ({ changes, differences }, params) => ({
  panels: [
    {
      kind: 'curves',
      title: `Largest change of a row when token ${EDITED} is edited`,
      x: { title: 'token', ticks: range(changes[0].length) },
      y: { title: 'change', low: 0 },
      series: [{ name: String(params.sublayer ?? 'FFN') }],
      lines: bySeed(params, 0, changes, (i) => i, { joined: false }),
      levels: [{ name: 'edited', at: EDITED, vertical: true }],
    },
    {
      kind: 'maps',
      title: `Change of each output, ${seedsOf(params)[0]}`,
      ...{ scale: 'signed', columns: differences[0].length / changes[0].length },
      ...{ rowAxis: { title: 'token' }, columnAxis: { title: 'dimension' } },
      maps: [{ title: 'After − before', values: differences[0] }],
    },
  ],
});

/** @param {any} numbers @param {Params} params @returns {Picture} */
export const concatenation = ({ difference, parts }, params) => ({
  panels: [
    {
      kind: 'maps',
      title: `What each head adds to an output row, ${seedsOf(params)[0]}`,
      ...{ scale: 'signed', columns: 32, rowAxis: { title: 'head' }, columnAxis: { title: 'dimension of the output' } },
      maps: [{ title: 'headᵢ·W^Oᵢ of the first token', values: parts[0] }],
    },
    {
      kind: 'rows',
      title: 'Concatenation and sum',
      x: { title: 'largest difference', log: true, low: 1e-8, high: 1 },
      rows: [{ label: 'Concat·W^O and Σ headᵢ·W^Oᵢ', marks: marks(params, difference) }],
      levels: [{ name: 'allowed', at: 1e-6 }],
    },
  ],
});

/** @param {any} numbers @param {Params} params @returns {Picture} */
export function headSpecialisation({ maps, distance, left, right, steps, stepsOfOne }, params) {
  const { task, heads = 2 } = params;
  const [seed] = seedsOf(params);
  const size = maps[0].length / Number(heads);
  const each = range(Number(heads));
  return {
    panels: [
      {
        kind: 'maps',
        title: `Attention of each head, ${seed}`,
        note: 'The mean over the held-out inputs.',
        ...{ scale: 'share', columns: Math.sqrt(size) },
        ...{ rowAxis: { title: 'query' }, columnAxis: { title: 'key' } },
        maps: each.map((head) => ({
          title: `Head ${head + 1}`,
          values: maps[0].slice(head * size, (head + 1) * size),
        })),
      },
      ...given(left, () => [
        /** @type {import('./picture.js').Curves} */ ({
          kind: 'curves',
          title: 'Each head’s weight on its two neighbours',
          note: 'A head that has taken one side lies near an axis.',
          x: { title: 'on the left one', low: 0, high: 1, percent: true },
          y: { title: 'weight on the right one', low: 0, high: 1, percent: true },
          series: each.map((head) => ({ name: `head ${head + 1}` })),
          lines: each.flatMap((series) =>
            seedsOf(params).map((label, s) => ({
              ...{ series, label, dots: true },
              points: [[left[s][series], right[s][series]]],
            })),
          ),
        }),
        /** @type {import('./picture.js').Rows} */ ({
          kind: 'rows',
          title: 'Steps to 99 %',
          x: { title: 'step', low: 0, beyond: 'not reached' },
          rows: [
            { label: `${heads} heads`, marks: marks(params, steps) },
            { label: '1 head', marks: marks(params, stepsOfOne) },
          ],
        }),
      ]),
      ...given(task === 'reverse' ? distance : undefined, () => [
        /** @type {import('./picture.js').Rows} */ ({
          kind: 'rows',
          title: 'How far the maps of two heads are apart',
          x: { title: 'total variation', low: 0, high: 1 },
          rows: [{ label: 'Mean over rows and pairs of heads', marks: marks(params, distance) }],
          levels: [{ name: 'much the same', at: 0.25 }],
        }),
      ]),
    ],
  };
}

/** @param {any} numbers @param {Params} params @returns {Picture} */
export const superposition = ({ byScale, scales, oneHead, twoHeads }, params) => ({
  panels: [
    {
      kind: 'curves',
      title: 'How far f(x + y) is from f(x) + f(y)',
      x: { title: 'size of the inputs', log: true, ticks: scales },
      y: { title: '‖f(x + y) − f(x) − f(y)‖ / ‖f(x + y)‖', log: true, low: 1e-8, high: 10 },
      series: [{ name: params.weights === 'frozen' ? 'weights kept' : 'weights computed anew' }],
      lines: bySeed(params, 0, byScale, (i) => scales[i]),
      levels: [{ name: 'as chosen', at: Number(params.scale ?? 1), vertical: true }],
    },
    ...given(oneHead, () => [
      /** @type {import('./picture.js').Rows} */ ({
        kind: 'rows',
        title: 'Attention alone, trained on XOR',
        x: { title: 'mean squared error', low: 0 },
        rows: [
          { label: '1 head', marks: marks(params, oneHead) },
          { label: '2 heads', marks: marks(params, twoHeads) },
        ],
      }),
    ]),
  ],
});
