import { bySeed } from '../shared/picture.js';

const WIDTHS = [8, 16, 32, 64, 128, 256, 512];

/** @type {import('../shared/picture.js').PictureOf} */
export function picture({ widths, ...numbers }, params) {
  /** @returns {import('../shared/picture.js').Curves} */
  const panel = (
    /** @type {string} */ title,
    /** @type {string} */ y,
    /** @type {string} */ ending,
    /** @type {string} */ of = 'median',
  ) => ({
    kind: 'curves',
    title,
    note: `Each point is the ${of} over 128 queries with 16 keys each.`,
    x: { title: 'd_k', log: true, ticks: WIDTHS },
    y: { title: y, log: true, low: 1e-4, high: 3 },
    series: [{ name: 'unscaled' }, { name: 'scaled by 1/√d_k' }],
    lines: ['unscaled', 'scaled'].flatMap((name, s) =>
      bySeed(params, s, numbers[`${name}${ending}Curve`], (i) => widths[i]),
    ),
  });
  return [
    panel('Gradient of a softmax row with respect to its scores', '‖∂softmax/∂scores‖', ''),
    panel('The same with respect to the query', '‖∂softmax/∂q‖', 'Query'),
    panel('The same, the mean over the queries', 'mean ‖∂softmax/∂q‖', 'Mean', 'mean'),
  ];
}
