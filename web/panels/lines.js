// The weights of the selected head as lines from queries to keys.

import { brushed } from '../brush.js';
import { attentionName } from '../plan.js';
import * as view from '../views/lines.js';
import { weightsAt } from './weights.js';

/** @type {import('./index.js').Panel<import('../views/lines.js').LinesData>} */
export const lines = {
  name: 'lines',
  part: 'attention',
  wants: (_, { selection: { kind, layer } }) => [attentionName(kind, layer, 'weights')],
  present(picture, state, scheme) {
    const now = weightsAt(picture, state);
    if (!now) return undefined;
    const { selection: { layer, head, mean }, title, rowWords, columnWords, data, row, key } = now;
    return {
      title: `${title}, layer ${layer + 1}, ${mean ? 'mean of its heads' : `head ${head + 1}`}`, rowWords, columnWords, data, scheme,
      cursor: { row, column: key }, brush: state.brush.filter(each => each < rowWords.length), several: state.several,
    };
  },
  create: (root, { get, set }) => view.create(root, {
    onQuery: (row, how) => set({ cursor: { ...get().cursor, row }, brush: brushed(get(), row, how) }),
    onKey: key => set({ cursor: { ...get().cursor, key } }),
    onCell: ({ row, column }) => set({ cursor: { ...get().cursor, row, key: column } }),
    onSeveral: several => set({ several }),
  }),
};
