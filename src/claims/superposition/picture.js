import { bySeed, given, marks } from '../shared/picture.js';

/** @type {import('../shared/picture.js').PictureOf} */
export const picture = ({ byScale, scales, oneHead, twoHeads }, params) => [
  {
    kind: 'curves',
    title: 'How far f(x + y) is from f(x) + f(y)',
    x: { title: 'size of the inputs', log: true, ticks: scales },
    y: { title: '‖f(x + y) − f(x) − f(y)‖ / ‖f(x + y)‖', log: true, low: 1e-8, high: 10 },
    series: [{ name: params.weights === 'frozen' ? 'weights kept' : 'weights computed anew' }],
    lines: bySeed(params, 0, byScale, (i) => scales[i]),
    levels: [{ name: 'as chosen', at: Number(params.scale ?? 1), vertical: true }],
  },
  ...given(oneHead, () => [
    /** @type {import('../shared/picture.js').Rows} */ ({
      kind: 'rows',
      title: 'Attention alone, trained on XOR',
      x: { title: 'mean squared error', low: 0 },
      rows: [
        { label: '1 head', marks: marks(params, oneHead) },
        { label: '2 heads', marks: marks(params, twoHeads) },
      ],
    }),
  ]),
];
