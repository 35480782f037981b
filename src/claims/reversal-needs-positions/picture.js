import { STEP, bySeed, given } from '../shared/picture.js';

/** @type {import('../shared/picture.js').PictureOf} */
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
    /** @type {import('../shared/picture.js').Curves} */ ({
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
