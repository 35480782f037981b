// The residual stream of the selected stack, from the worker's lab.

import * as view from './view.js';
import { lookedAt } from '../shared/words.js';

/** @type {import('../index.js').Panel<import('./view.js').StreamData>} */
export const stream = {
  name: 'stream',
  part: 'stream',
  wants: () => ['@stream'],
  present(picture, state, scheme) {
    const ways = /** @type {import('./derived.js').Ways | undefined} */ (picture.lab.get('@stream'));
    const { stack, rowWords, row } = lookedAt(picture, state);
    const way = ways?.[stack];
    if (!ways || !way) return ways && null;
    return { ...way.stream, shown: state.way.stream, words: rowWords, row, stage: state.way.stage, scheme };
  },
  create: (root, { get, set }) =>
    view.create(root, {
      onCursor: ({ row, column }) => set({ cursor: { ...get().cursor, row }, way: { ...get().way, stage: column } }),
      onShow: (shown) => set({ way: { ...get().way, stream: shown } }),
    }),
};
