import { given, marks, range, seedsOf } from '../shared/picture.js';

/** @type {import('../shared/picture.js').PictureOf} */
export function picture({ maps, distance, reverseDistance, left, right }, params) {
  const { task, heads = 2 } = params;
  const [seed] = seedsOf(params);
  const size = maps[0].length / Number(heads);
  const each = range(Number(heads));
  return [
    {
      kind: 'maps',
      title: `Attention of each head, ${seed}`,
      note: 'The mean over the held-out inputs.',
      ...{ scale: 'share', columns: Math.sqrt(size) },
      ...{ rowAxis: { title: 'query' }, columnAxis: { title: 'key' } },
      maps: each.map((head) => ({ title: `Head ${head + 1}`, values: maps[0].slice(head * size, (head + 1) * size) })),
    },
    ...given(left, () => [
      /** @type {import('../shared/picture.js').Curves} */ ({
        kind: 'curves',
        title: 'Each head’s weight on its two neighbours',
        note: 'A head that has taken one side lies near an axis.',
        x: { title: 'on the left one', low: 0, high: 1, percent: true },
        y: { title: 'weight on the right one', low: 0, high: 1, percent: true },
        series: each.map((head) => ({ name: `head ${head + 1}` })),
        lines: each.flatMap((series) =>
          seedsOf(params).map((label, s) => ({
            ...{ series, label, dots: true },
            points: [[left[s][series], right[s][series]]],
          })),
        ),
      }),
    ]),
    ...given(task === 'reverse' ? distance : reverseDistance, () => [
      /** @type {import('../shared/picture.js').Rows} */ ({
        kind: 'rows',
        title: 'How far the maps of two heads that reverse are apart',
        x: { title: 'total variation', low: 0, high: 1 },
        rows: [{ label: 'Mean over rows and pairs of heads', marks: marks(params, reverseDistance ?? distance) }],
        levels: [{ name: 'much the same', at: 0.25 }],
      }),
    ]),
  ];
}
