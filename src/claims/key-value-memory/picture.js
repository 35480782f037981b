import { bySeed, marks } from '../shared/picture.js';

/** @type {import('../shared/picture.js').PictureOf} */
export const picture = ({ right, ffnOff, attentionOff, attentionOnly, kills }, params) => [
  {
    kind: 'rows',
    title: 'Facts that the model knows',
    x: { title: 'share of the facts', low: 0, high: 1, percent: true },
    rows: [
      { label: 'Whole model', marks: marks(params, right) },
      { label: 'FFN off', marks: marks(params, ffnOff) },
      { label: 'Attention off', marks: marks(params, attentionOff) },
      { label: 'Model trained without an FFN', marks: marks(params, attentionOnly) },
    ],
  },
  {
    kind: 'curves',
    title: 'Facts left when one neuron is off',
    x: { title: 'neurons, the costliest first', low: 0 },
    y: { title: 'share of the facts', low: 0.9, high: 1, percent: true },
    series: [{ name: 'each neuron alone' }],
    lines: bySeed(
      params,
      0,
      kills.map((/** @type {number[]} */ list) => [...list].sort((a, b) => a - b)),
      (i) => i + 1,
      { dots: false },
    ),
  },
];
