import { bySeed } from '../shared/picture.js';

const WIDTHS = [8, 16, 32, 64, 128, 256, 512];

/** @type {import('../shared/picture.js').PictureOf} */
export const picture = ({ widths, unscaledCurve, scaledCurve }, params) => [
  {
    kind: 'curves',
    title: 'Gradient of a softmax row with respect to its scores',
    note: 'Each point is the median over 128 queries with 16 keys each.',
    x: { title: 'd_k', log: true, ticks: WIDTHS },
    y: { title: '‖∂softmax/∂scores‖', log: true, low: 1e-4, high: 1 },
    series: [{ name: 'unscaled' }, { name: 'scaled by 1/√d_k' }],
    lines: [unscaledCurve, scaledCurve].flatMap((lists, s) => bySeed(params, s, lists, (i) => widths[i])),
  },
];
