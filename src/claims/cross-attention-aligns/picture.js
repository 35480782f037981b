import { marks, range, seedsOf } from '../shared/picture.js';

/** @type {import('../shared/picture.js').PictureOf} */
export function picture({ maps, bestTop, bestMass, weakerTop, weakerMass }, params) {
  const { heads = 2 } = params;
  const size = maps[0].length / Number(heads);
  const columns = Math.sqrt(size);
  return [
    {
      kind: 'maps',
      title: `Cross-attention of each head, ${seedsOf(params)[0]}`,
      note: 'The mean over the held-out inputs. Reversed, each output comes from the other end of the input.',
      ...{ scale: 'share', columns, rowAxis: { title: 'output' }, columnAxis: { title: 'input' } },
      maps: range(Number(heads)).map((head) => ({
        title: `Head ${head + 1}`,
        values: maps[0].slice(head * size, (head + 1) * size),
      })),
    },
    {
      kind: 'rows',
      title: 'Attention to the right token',
      x: { title: 'share', low: 0, high: 1, percent: true },
      rows: [
        { label: 'Best head: its largest weight is there', marks: marks(params, bestTop) },
        { label: 'Best head: weight there', marks: marks(params, bestMass) },
        { label: 'Weakest head: its largest weight is there', marks: marks(params, weakerTop) },
        { label: 'Weakest head: weight there', marks: marks(params, weakerMass) },
      ],
      levels: [{ name: 'by chance', at: 1 / columns }],
    },
  ];
}
