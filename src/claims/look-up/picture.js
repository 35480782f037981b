import { marks, seedsOf } from '../shared/picture.js';

/** @type {import('../shared/picture.js').PictureOf} */
export const picture = ({ difference, sumError, product, lookUp }, params) => [
  {
    kind: 'maps',
    title: `Product and look-up for 16 tokens, ${seedsOf(params)[0]}`,
    ...{ scale: 'signed', columns: 32, rowAxis: { title: 'token' }, columnAxis: { title: 'dimension' } },
    maps: [
      { title: 'X·W_e', values: product[0] },
      { title: 'Rows of the table', values: lookUp[0] },
    ],
  },
  {
    kind: 'rows',
    title: 'Largest differences',
    x: { title: 'difference', log: true, low: 1e-8, high: 1 },
    rows: [
      { label: 'X·W_e and the rows of the table', marks: marks(params, difference) },
      { label: 'Sum of a softmax row, and 1', marks: marks(params, sumError) },
    ],
    levels: [{ name: 'allowed', at: 1e-6 }],
  },
];
