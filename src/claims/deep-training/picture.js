import { STEP, bySeed, marks } from '../shared/picture.js';

/** @type {import('../shared/picture.js').PictureOf} */
export function picture({ curve, losses, identity, raw, every }, params) {
  const series = [{ name: `${params.layers ?? 12} layers, ${params.design ?? 'post-LN'}` }];
  const step = (/** @type {number} */ i) => (i + 1) * every;
  return [
    {
      kind: 'curves',
      title: 'Held-out digits that are right',
      x: STEP,
      y: { title: 'share right', low: 0, high: 1, percent: true },
      series,
      lines: bySeed(params, 0, curve, step),
      levels: [{ name: '1 of 10 digits', at: 0.1 }],
    },
    {
      kind: 'curves',
      title: 'Loss of the batch',
      ...{ x: STEP, y: { title: 'nats a token', log: true }, series },
      lines: bySeed(params, 0, losses, step),
      levels: [{ name: 'ln 10', at: Math.log(10) }],
    },
    {
      kind: 'rows',
      title: 'How far a layer is from the identity when its sublayers give 0',
      x: { title: 'largest difference', log: true, low: 1e-8, high: 10 },
      rows: [
        { label: 'Inside the stack', marks: marks({}, identity) },
        { label: 'A raw x', marks: marks({}, raw) },
      ],
    },
  ];
}
