import { given, marks } from '../shared/picture.js';

const WORDS = ['The', 'cat', 'sat', 'on', 'the', 'mat'];

/** @type {import('../shared/picture.js').PictureOf} */
export function picture({ bidirectionalWords, causalWords }, params) {
  const masks = [bidirectionalWords, causalWords];
  return [
    {
      kind: 'rows',
      title: 'How much the output of a word differs between the two sentences',
      x: { title: 'largest difference', log: true, low: 1e-8, high: 10 },
      series: [{ name: 'without a mask' }, { name: 'causal mask' }],
      rows: WORDS.map((label, word) => ({
        label,
        marks: masks.flatMap((lists, mask) =>
          given(lists, () =>
            marks(
              params,
              lists.map((/** @type {number[]} */ list) => list[word]),
              mask,
            ),
          ),
        ),
      })),
      levels: [{ name: 'single precision', at: 3e-6 }],
    },
  ];
}
