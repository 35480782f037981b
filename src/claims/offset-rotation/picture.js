import { bySeed, marks } from '../shared/picture.js';

/** @type {import('../shared/picture.js').PictureOf} */
export function picture({ products, around, rotationError, fitError }, params) {
  const { table = 'sinusoidal', offset = 5 } = params;
  return [
    {
      kind: 'curves',
      title: `PE(pos)·PE(pos + k), ${table === 'random' ? 'random vectors' : 'sinusoids'}`,
      note: 'It depends on the offset alone, is the same to both sides, and does not fall steadily.',
      x: { title: 'offset k', low: -around, high: around },
      y: { title: 'dot product' },
      series: [{ name: String(table) }],
      lines: bySeed(params, 0, products, (i) => i - around, {
        dots: false,
        ...(table === 'random' ? {} : { label: '' }),
      }),
      levels: [{ name: `k = ${offset}`, at: Number(offset), vertical: true }],
      ...(table === 'random' ? { note: 'Each position is nearly orthogonal to every other.' } : {}),
    },
    {
      kind: 'rows',
      title: 'How far PE(pos + k) is missed',
      x: { title: 'error', log: true, low: 1e-8, high: 100 },
      rows: [
        { label: 'Sinusoids turned by k·ω: largest error', marks: marks(params, rotationError) },
        {
          label: `Map fitted to ${table === 'random' ? 'random vectors' : 'sinusoids'}: at other positions`,
          marks: marks(params, table === 'random' ? fitError : fitError[0]),
        },
      ],
    },
  ];
}
