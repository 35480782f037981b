import { bySeed, given, marks, range } from '../shared/picture.js';

/** @type {import('../shared/picture.js').PictureOf} */
export function picture({ own, right, causalOwn, causalRight }, params) {
  const all = [
    ...given(own, () => [{ name: 'without a mask', own, right }]),
    ...given(causalOwn, () => [{ name: 'causal mask', own: causalOwn, right: causalRight }]),
  ];
  const places = all[0].own[0].length;
  return [
    {
      kind: 'curves',
      title: 'Probability of the right position, after training',
      x: { title: 'position', ticks: range(places) },
      y: { title: 'probability', low: 0, high: 1, percent: true },
      series: all.map(({ name }) => ({ name })),
      lines: all.flatMap(({ own: lists }, series) => bySeed(params, series, lists, (i) => i)),
      levels: [{ name: '1 of 9', at: 1 / (places - 1) }],
    },
    {
      kind: 'rows',
      title: 'Positions that are identified',
      x: { title: 'share', low: 0, high: 1, percent: true },
      rows: all.map(({ name, right: shares }) => ({ label: name, marks: marks(params, shares) })),
      levels: [{ name: '[BOS] and one more', at: 2 / places }],
    },
  ];
}
