import { STEP, bySeed } from '../shared/picture.js';

/** @type {import('../shared/picture.js').PictureOf} */
export const picture = ({ scaledCurves, unscaledCurves, all, every }, params) =>
  all.map((/** @type {[number, number]} */ [width, rate], /** @type {number} */ at) => ({
    kind: 'curves',
    title: `Held-out digits that are right, d_k ${width}, learning rate ${rate}`,
    note: 'From step 200 on a run ends where 99 % are right.',
    x: STEP,
    y: { title: 'share right', low: 0, high: 1, percent: true },
    series: [{ name: 'unscaled' }, { name: 'scaled by 1/√d_k' }],
    lines: [unscaledCurves, scaledCurves].flatMap((curves, s) =>
      bySeed(
        params,
        s,
        curves.map((/** @type {number[][]} */ each) => each[at]),
        (i) => (i + 1) * every,
      ),
    ),
  }));
