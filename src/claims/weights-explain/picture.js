import { bySeed, given, marks, seedsOf } from '../shared/picture.js';

/** @type {import('../shared/picture.js').PictureOf} */
export function picture({ weights, others, output, sameOutput, byWidth, widths, ...numbers }, params) {
  const keys = Math.sqrt(weights[0].length);
  const [seed] = seedsOf(params);
  const outputs = /** @type {import('../shared/picture.js').Maps} */ ({
    kind: 'maps',
    title: 'Their outputs',
    scale: 'signed',
    ...{ columns: output[0].length / keys, rowAxis: { title: 'query' }, columnAxis: { title: 'dimension' } },
    maps: [
      { title: 'Of the softmax', values: output[0] },
      { title: 'Of the other weights', values: sameOutput[0] },
    ],
  });
  return [
    ...given(numbers.firstTop, () => [
      /** @type {import('../shared/picture.js').Rows} */ ({
        kind: 'rows',
        title: 'How often the largest is on the key that matters most',
        x: { title: 'share of the places', low: 0, high: 1, percent: true },
        rows: [
          { label: 'Layer 1, weight', marks: marks(params, numbers.firstTop) },
          { label: 'Layer 1, ‖αv‖', marks: marks(params, numbers.firstNorm) },
          { label: 'Layer 2, weight', marks: marks(params, numbers.lastTop) },
          { label: 'Layer 2, ‖αv‖', marks: marks(params, numbers.lastNorm) },
        ],
        levels: [{ name: 'by chance', at: numbers.chance[0] }],
      }),
    ]),
    {
      kind: 'maps',
      title: `Two weight matrices, ${seed}`,
      ...{ scale: 'share', columns: keys, rowAxis: { title: 'query' }, columnAxis: { title: 'key' } },
      maps: [
        { title: 'Softmax of the scores', values: weights[0] },
        { title: 'Other weights', values: others[0] },
      ],
    },
    ...(numbers.firstTop ? [] : [outputs]),
    {
      kind: 'curves',
      title: 'How far the weights are apart',
      x: { title: 'd_v', low: 0 },
      y: { title: 'total variation', low: 0, high: 1 },
      series: [{ name: `${keys} keys` }],
      lines: bySeed(params, 0, byWidth, (i) => widths[i]),
      levels: [{ name: 'd_v + 1 = n', at: keys - 1, vertical: true }],
    },
  ];
}
