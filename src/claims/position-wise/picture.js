import { bySeed, range, seedsOf } from '../shared/picture.js';
import { EDITED } from './claim.js';

/** @type {import('../shared/picture.js').PictureOf} */
export const picture = ({ changes, differences }, params) => [
  {
    kind: 'curves',
    title: `Largest change of a row when token ${EDITED} is edited`,
    x: { title: 'token', ticks: range(changes[0].length) },
    y: { title: 'change', low: 0 },
    series: [{ name: String(params.sublayer ?? 'FFN') }],
    lines: bySeed(params, 0, changes, (i) => i, { joined: false }),
    levels: [{ name: 'edited', at: EDITED, vertical: true }],
  },
  {
    kind: 'maps',
    title: `Change of each output, ${seedsOf(params)[0]}`,
    ...{ scale: 'signed', columns: differences[0].length / changes[0].length },
    ...{ rowAxis: { title: 'token' }, columnAxis: { title: 'dimension' } },
    maps: [{ title: 'After − before', values: differences[0] }],
  },
];
