import { bySeed, range } from '../shared/picture.js';

/** @type {import('../shared/picture.js').PictureOf} */
export function picture({ x, best, learnt }, params) {
  const { neurons = 8, activation = 'relu' } = params;
  // where the slope changes by more than single precision does
  const bent = range(x.length).filter((i) => Math.abs(best[i - 1] - 2 * best[i] + best[i + 1]) > 1e-5);
  const isBroken = bent.length < x.length / 2;
  /** @param {(y: number, x: number) => number} of @returns {import('../shared/picture.js').Line[]} */
  const lines = (of) => [
    ...bySeed(
      params,
      1,
      learnt.map((/** @type {number[]} */ y) => y.map((one, i) => of(one, x[i]))),
      (i) => x[i],
      { dots: false },
    ),
    {
      ...{ series: 0, label: '', joined: true, dots: isBroken && bent },
      points: x.map((/** @type {number} */ one, /** @type {number} */ i) => [one, of(best[i], one)]),
    },
  ];
  const target = { ...{ series: 2, label: '', joined: true, dots: false } };
  const series = [
    { name: isBroken ? `best for ${neurons} neurons, its kinks marked` : `the same weights with ${activation}` },
    { name: 'after Adam' },
    { name: 'x²', target: true },
  ];
  return [
    {
      kind: 'curves',
      title: `${neurons} neurons along x²`,
      ...{ x: { title: 'x' }, y: { title: 'output' }, series },
      lines: [{ ...target, points: x.map((/** @type {number} */ one) => [one, one * one]) }, ...lines((y) => y)],
    },
    {
      kind: 'curves',
      title: 'Distance from x²',
      x: { title: 'x' },
      y: { title: 'output − x²' },
      series,
      lines: [
        {
          ...target,
          points: [
            [-1, 0],
            [1, 0],
          ],
        },
        ...lines((y, one) => y - one * one),
      ],
    },
  ];
}
