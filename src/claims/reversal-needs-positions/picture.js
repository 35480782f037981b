import { STEP, bySeed } from '../shared/picture.js';

/** @type {import('../shared/picture.js').PictureOf} */
export const picture = ({ withoutCurve, withCurve, ceiling, every }, params) => [
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
];
