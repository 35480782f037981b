import { STEP, bySeed } from '../shared/picture.js';

/** @type {import('../shared/picture.js').PictureOf} */
export const picture = ({ scaledCurve, unscaledCurve, every }, params) => [
  {
    kind: 'curves',
    title: 'Held-out digits that are right',
    note: 'From step 200 on a run ends where 99 % are right.',
    x: STEP,
    y: { title: 'share right', low: 0, high: 1, percent: true },
    series: [{ name: 'unscaled' }, { name: 'scaled by 1/√d_k' }],
    lines: [unscaledCurve, scaledCurve].flatMap((lists, s) => bySeed(params, s, lists, (i) => (i + 1) * every)),
  },
];
