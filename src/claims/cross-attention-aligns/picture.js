import { given, marks, range, seedsOf } from '../shared/picture.js';

/** @type {import('../shared/picture.js').PictureOf} */
export function picture({ maps, mapsOfTwo, ...numbers }, params) {
  const { bestTop, bestMass, weakerTop, weakerMass, firstTop, lastTop } = numbers;
  const { heads = 2 } = params;
  const shown = maps ?? mapsOfTwo;
  const size = shown[0].length / Number(heads);
  const columns = Math.sqrt(size);
  return [
    {
      kind: 'maps',
      title: `Cross-attention of each head, ${seedsOf(params)[0]}`,
      note:
        'The mean over the held-out inputs; of two layers the last. Reversed, each output comes from the other ' +
        'end of the input.',
      ...{ scale: 'share', columns, rowAxis: { title: 'output' }, columnAxis: { title: 'input' } },
      maps: range(Number(heads)).map((head) => ({
        title: `Head ${head + 1}`,
        values: shown[0].slice(head * size, (head + 1) * size),
      })),
    },
    {
      kind: 'rows',
      title: 'Attention to the right token',
      x: { title: 'share', low: 0, high: 1, percent: true },
      rows: [
        ...given(bestTop, () => [
          { label: 'One layer, best head: its largest weight is there', marks: marks(params, bestTop) },
          { label: 'One layer, best head: weight there', marks: marks(params, bestMass) },
          { label: 'One layer, weakest head: its largest weight is there', marks: marks(params, weakerTop) },
          { label: 'One layer, weakest head: weight there', marks: marks(params, weakerMass) },
        ]),
        ...given(firstTop, () => [
          { label: 'First of two layers, best head: its largest weight', marks: marks(params, firstTop) },
          { label: 'Last of two layers, best head: its largest weight', marks: marks(params, lastTop) },
        ]),
      ],
      levels: [{ name: 'by chance', at: 1 / columns }],
    },
  ];
}
