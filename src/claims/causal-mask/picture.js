import { STEP, bySeed, range } from '../shared/picture.js';

/** @type {import('../shared/picture.js').PictureOf} */
export function picture({ curve, changes, every }, params) {
  const series = [{ name: params.mask === 'none' ? 'without a mask' : 'causal mask' }];
  return [
    {
      kind: 'curves',
      title: 'Loss on random digits',
      ...{ x: STEP, y: { title: 'nats a token', low: 0 }, series },
      lines: bySeed(params, 0, curve, (i) => (i + 1) * every),
      levels: [{ name: 'ln 10: chance', at: Math.log(10) }],
    },
    {
      kind: 'curves',
      title: 'Largest change of an output when token 5 is edited',
      ...{ x: { title: 'token', ticks: range(changes[0].length) }, y: { title: 'change', low: 0 }, series },
      lines: bySeed(params, 0, changes, (i) => i, { joined: false }),
      levels: [{ name: 'edited', at: 5, vertical: true }],
    },
  ];
}
