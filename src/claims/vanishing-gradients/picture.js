import { bySeed } from '../shared/picture.js';

/** @type {import('../shared/picture.js').PictureOf} */
export function picture({ depths, ...numbers }, params) {
  const of = (/** @type {string} */ name, /** @type {number} */ series) => {
    const lists = numbers[`${name}${depths[0]}`].map((/** @type {number} */ _, /** @type {number} */ s) =>
      depths.map((/** @type {number} */ depth) => numbers[`${name}${depth}`][s]),
    );
    return bySeed(params, series, lists, (i) => depths[i]);
  };
  const name = String(params.design ?? 'residual alone');
  const x = { title: 'layers', log: true, ticks: depths };
  return [
    {
      kind: 'curves',
      title: 'Gain of a gradient on its way back through all layers',
      ...{ x, y: { title: '‖uᵀJ‖ / ‖u‖', log: true, beyond: 'beyond single precision' } },
      series: [{ name }, { name: 'neither residual nor LayerNorm' }],
      lines: [...of('gain', 0), ...of('plain', 1)],
      levels: [{ name: 'kept as it is', at: 1 }],
    },
    {
      kind: 'curves',
      title: 'How alike the tokens have become',
      ...{ x, y: { title: 'mean cosine of two tokens', high: 1 } },
      series: [{ name }],
      lines: of('cosine', 0),
    },
  ];
}
