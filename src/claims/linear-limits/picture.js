import { given, marks, range } from '../shared/picture.js';

/** @type {import('../shared/picture.js').PictureOf} */
export function picture({ xorR2, andR2, andRight, productR2, positiveR2, ...maps }) {
  const results = [
    ['XOR: R²', xorR2],
    ['AND: R²', andR2],
    ['AND through a threshold at ½: share right', andRight],
    ['a×b on [−1, 1]²: R²', productR2],
    ['a×b on [0, 1]²: R²', positiveR2],
  ];
  const surface = (
    /** @type {string} */ title,
    /** @type {number} */ low,
    /** @type {any} */ wanted,
    /** @type {any} */ fit,
  ) =>
    given(wanted, () => {
      const labels = range(16).map((i) => String(Number((low + ((1 - low) * (4 * i + 2.5)) / 64).toFixed(2))));
      return [
        /** @type {import('../shared/picture.js').Maps} */ ({
          ...{ kind: 'maps', title, scale: 'signed', columns: 16 },
          ...{ rowAxis: { title: 'a', labels }, columnAxis: { title: 'b', labels } },
          maps: [
            { title: 'a×b', values: wanted },
            { title: 'Best linear function', values: fit },
          ],
        }),
      ];
    });
  return [
    {
      kind: 'rows',
      title: 'What the best linear function gets',
      x: { title: 'share', low: 0, high: 1 },
      bars: true,
      rows: results.flatMap(([label, value]) =>
        given(value, () => [{ label: String(label), marks: marks({}, Number(value)) }]),
      ),
    },
    ...surface('a×b on [−1, 1]²', -1, maps.product, maps.productFit),
    ...surface('a×b on [0, 1]²', 0, maps.positive, maps.positiveFit),
  ];
}
