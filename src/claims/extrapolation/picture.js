import { bySeed } from '../shared/picture.js';

/** @type {import('../shared/picture.js').PictureOf} */
export function picture({ wholeX, wholeY, learntY }, params) {
  const { neurons = 16, activation = 'relu' } = params;
  const points = (/** @type {(i: number) => number} */ y) =>
    wholeX.map((/** @type {number} */ x, /** @type {number} */ i) => [x, y(i)]);
  const line = { label: '', joined: true, dots: false };
  return [
    {
      kind: 'curves',
      title: `${neurons} neurons made for x² on [−1, 1], and their output beyond`,
      x: { title: 'x', low: -1, high: 5 },
      y: { title: 'output', low: -1, high: 25 },
      series: [{ name: `built by hand, ${activation}` }, { name: 'trained' }, { name: 'x²', target: true }],
      lines: [
        { ...line, series: 2, points: points((i) => wholeX[i] ** 2) },
        ...bySeed(params, 1, learntY, (i) => wholeX[i], { dots: false }),
        { ...line, series: 0, points: points((i) => wholeY[i]) },
      ],
      levels: [
        activation === 'relu'
          ? { name: 'last kink', at: 1 - 2 / (Number(neurons) + 1), vertical: true }
          : { name: 'end of [−1, 1]', at: 1, vertical: true },
      ],
    },
  ];
}
