import { marks, seedsOf } from '../shared/picture.js';

/** @type {import('../shared/picture.js').PictureOf} */
export const picture = ({ difference, parts }, params) => [
  {
    kind: 'maps',
    title: `What each head adds to an output row, ${seedsOf(params)[0]}`,
    ...{ scale: 'signed', columns: 32, rowAxis: { title: 'head' }, columnAxis: { title: 'dimension of the output' } },
    maps: [{ title: 'headᵢ·W^Oᵢ of the first token', values: parts[0] }],
  },
  {
    kind: 'rows',
    title: 'Concatenation and sum',
    x: { title: 'largest difference', log: true, low: 1e-8, high: 1 },
    rows: [{ label: 'Concat·W^O and Σ headᵢ·W^Oᵢ', marks: marks(params, difference) }],
    levels: [{ name: 'allowed', at: 1e-6 }],
  },
];
