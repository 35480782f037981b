// The residual stream of the selected stack, from the worker's lab.

import * as view from './view.js';
import { lookedAt } from '../shared/words.js';
import { section } from './section.js';

/** @type {import('../index.js').Panel<import('./view.js').StreamData>} */
export const stream = {
  name: 'stream',
  section,
  required: () => ['@stream'],
  present({ result, state, scheme }) {
    const ways = /** @type {import('./derived.js').Ways | undefined} */ (result.derived.get('@stream'));
    const { stack, rowWords, row } = lookedAt(result, state);
    const way = ways?.[stack];
    if (!ways || !way) return ways && null;
    return { ...way.stream, shown: state.graph.stream, words: rowWords, row, stage: state.graph.stage, scheme };
  },
  create: (root, { get, set }) =>
    view.create(root, {
      onCursor: ({ row, column }) =>
        set({ cursor: { ...get().cursor, row }, graph: { ...get().graph, stage: column } }),
      onShow: (shown) => set({ graph: { ...get().graph, stream: shown } }),
    }),
};
