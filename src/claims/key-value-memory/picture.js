import { bySeed, marks } from '../shared/picture.js';

/** @type {import('../shared/picture.js').PictureOf} */
export const picture = ({ loads, ...numbers }, params) => [
  {
    kind: 'rows',
    title: 'Facts that the model knows',
    x: { title: 'share of the facts', low: 0, high: 1, percent: true },
    rows: loads.flatMap((/** @type {number} */ load) =>
      [
        ['whole model', 'right'],
        ['FFN off', 'ffnOff'],
        ['attention off', 'attentionOff'],
        ['trained without an FFN', 'attentionOnly'],
      ].map(([label, name]) => ({ label: `${load} facts, ${label}`, marks: marks(params, numbers[`${name}${load}`]) })),
    ),
  },
  {
    kind: 'curves',
    title: 'Facts left when one neuron is off',
    x: { title: 'neurons, the costliest first', low: 0 },
    y: { title: 'share of the facts', low: 0.9, high: 1, percent: true },
    series: loads.map((/** @type {number} */ load) => ({ name: `${load} facts` })),
    lines: loads.flatMap((/** @type {number} */ load, /** @type {number} */ series) =>
      bySeed(
        params,
        series,
        numbers[`kills${load}`].map((/** @type {number[]} */ list) => [...list].sort((a, b) => a - b)),
        (i) => i + 1,
        { dots: false },
      ),
    ),
  },
];
