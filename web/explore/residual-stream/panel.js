// The residual stream of the selected stack, a derived value.

import * as view from './view.js';
import { chooseRow } from '../shared/cursor.js';
import { lookedAt } from '../shared/words.js';
import { section, tokenSection } from './section.js';
import * as tokenView from './token-view.js';

/** @param {import('../index.js').Context} context */
function present({ result, state, scheme }) {
  const graph = /** @type {import('./derived.js').MeasuredGraph | undefined} */ (result.derived.get('@stream'));
  const { stack, rowWords, row } = lookedAt(result, state);
  const own = graph?.[stack];
  if (!graph || !own?.stream) return graph && null;
  return { ...own.stream, shown: state.graph.stream, words: rowWords, row, stage: state.graph.stage, scheme };
}

/** @type {import('../index.js').Panel<import('./view.js').StreamData>} */
export const stream = {
  name: 'residual-stream',
  slot: 'views',
  nodes: ['add', 'norm'], // an addition and the norm behind it are one node
  section,
  required: () => ['@stream'],
  present,
  create: (root, { get, set, result }) =>
    view.create(root, {
      onCursor: ({ row, column }) =>
        set({ ...chooseRow(get(), row, result()), graph: { ...get().graph, stage: column } }),
      onShow: (shown) => set({ graph: { ...get().graph, stream: shown } }),
    }),
};

/** @type {import('../index.js').Panel<import('./view.js').StreamData>} */
export const streamAtToken = {
  name: 'residual-token',
  slot: 'why',
  nodes: ['add', 'norm'],
  section: tokenSection,
  required: () => ['@stream'],
  present,
  create: (root) => tokenView.create(root),
};
