/** @type {import('../shared/picture.js').PictureOf} */
export const picture = ({ lengths, gaps, byGap }, { gap }) => [
  {
    kind: 'curves',
    title: 'Weight of the matching key',
    x: { title: 'keys n', log: true, ticks: lengths },
    y: { title: 'weight', low: 0, high: 1, percent: true },
    series: gaps.map((/** @type {number} */ one) => ({ name: `gap ${one}${one === gap ? ', as chosen' : ''}` })),
    lines: byGap.map((/** @type {number[]} */ list, /** @type {number} */ series) => ({
      ...{ series, label: '', joined: true, dots: true },
      points: list.map((y, i) => [lengths[i], y]),
    })),
    levels: [{ name: 'half of the weight', at: 0.5 }],
  },
];
