import { given, marks, range, seedsOf } from '../shared/picture.js';

const TASKS = /** @type {const} */ (['neighbours', 'reverse']);

/** @type {import('../shared/picture.js').PictureOf} */
export function picture({ maps, counts, left2, right2, ...numbers }, params) {
  const [seed] = seedsOf(params);
  const [heads] = counts;
  const size = maps[0].length / heads;
  const apart = TASKS.flatMap((task) =>
    counts.flatMap((/** @type {number} */ count) =>
      given(numbers[`${task}${count}`], () => [
        {
          label: `${count} heads, ${task === 'reverse' ? 'reversal' : 'both neighbours'}`,
          marks: marks(params, numbers[`${task}${count}`]),
        },
      ]),
    ),
  );
  return [
    {
      kind: 'maps',
      title: `Attention of each head, ${seed}`,
      note: 'The mean over the held-out inputs.',
      ...{ scale: 'share', columns: Math.sqrt(size) },
      ...{ rowAxis: { title: 'query' }, columnAxis: { title: 'key' } },
      maps: range(heads).map((head) => ({
        title: `Head ${head + 1}`,
        values: maps[0].slice(head * size, (head + 1) * size),
      })),
    },
    ...given(left2, () => [
      /** @type {import('../shared/picture.js').Curves} */ ({
        kind: 'curves',
        title: 'Two heads: the weight of each on its two neighbours',
        note: 'A head that has taken one side lies near an axis.',
        x: { title: 'on the left one', low: 0, high: 1, percent: true },
        y: { title: 'weight on the right one', low: 0, high: 1, percent: true },
        series: range(2).map((head) => ({ name: `head ${head + 1}` })),
        lines: range(2).flatMap((series) =>
          seedsOf(params).map((label, s) => ({
            ...{ series, label, dots: true },
            points: [[left2[s][series], right2[s][series]]],
          })),
        ),
      }),
    ]),
    {
      kind: 'rows',
      title: 'How far the maps of the heads are apart',
      x: { title: 'total variation, mean over rows and pairs of heads', low: 0, high: 1 },
      rows: apart,
      levels: [{ name: 'the same up to here', at: 0.25 }],
    },
  ];
}
