import { bySeed, seedsOf } from '../shared/picture.js';

/** @type {import('../shared/picture.js').PictureOf} */
export function picture({ weights, others, output, sameOutput, byWidth, widths }, params) {
  const keys = Math.sqrt(weights[0].length);
  const [seed] = seedsOf(params);
  return [
    {
      kind: 'maps',
      title: `Two weight matrices, ${seed}`,
      ...{ scale: 'share', columns: keys, rowAxis: { title: 'query' }, columnAxis: { title: 'key' } },
      maps: [
        { title: 'Softmax of the scores', values: weights[0] },
        { title: 'Other weights', values: others[0] },
      ],
    },
    {
      kind: 'maps',
      title: 'Their outputs',
      scale: 'signed',
      ...{ columns: output[0].length / keys, rowAxis: { title: 'query' }, columnAxis: { title: 'dimension' } },
      maps: [
        { title: 'Of the softmax', values: output[0] },
        { title: 'Of the other weights', values: sameOutput[0] },
      ],
    },
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
