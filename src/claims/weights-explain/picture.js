import { marks, seedsOf } from '../shared/picture.js';

/** @type {import('../shared/picture.js').PictureOf} */
export function picture({ variation, moved, weights, others, output, sameOutput }, params) {
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
      kind: 'rows',
      title: 'How far the weights are apart',
      x: { title: 'share', low: 0, high: 1 },
      rows: [
        { label: 'Total variation, mean over rows', marks: marks(params, variation) },
        {
          label: 'Rows whose largest weight is elsewhere',
          marks: marks(
            params,
            moved.map((/** @type {number} */ count) => count / keys),
          ),
        },
      ],
    },
  ];
}
