import { bySeed, seedsOf } from '../shared/picture.js';

/** @type {import('../shared/picture.js').PictureOf} */
export const picture = ({ byScale, scales, norms }, params) => [
  {
    kind: 'curves',
    title: 'Length of the longest row after LayerNorm',
    x: { title: 'size of the input', log: true, ticks: scales },
    y: { title: '‖LN(x)‖', low: 0 },
    series: [{ name: `ε = ${params.epsilon === 0 ? '0' : '10⁻⁵'}, γ = ${params.gain ?? 1}` }],
    lines: bySeed(params, 0, byScale, (i) => scales[i]),
    levels: [
      { name: 'γ√d', at: 8 * Number(params.gain ?? 1) },
      { name: 'as chosen', at: Number(params.scale ?? 1), vertical: true },
    ],
  },
  {
    kind: 'rows',
    title: 'Length of each of 64 rows',
    x: { title: '‖LN(x)‖', low: 0 },
    rows: seedsOf(params).map((label, s) => ({
      label,
      marks: norms[s].map((/** @type {number} */ value, /** @type {number} */ row) => ({
        ...{ series: 0, label: `row ${row}`, value },
      })),
    })),
    levels: [{ name: 'γ√d', at: 8 * Number(params.gain ?? 1) }],
  },
];
