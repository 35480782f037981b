import { bySeed, marks, range } from '../shared/picture.js';

/** @type {import('../shared/picture.js').PictureOf} */
export const picture = ({ own, right }, params) => [
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
];
