// What the brushed queries attend to together.

import { sumOver } from '../shared/brush.js';
import * as view from './view.js';
import { weightsAt } from '../shared/weights.js';

/** @type {import('../index.js').Panel<import('./view.js').BrushData>} */
export const brush = {
  name: 'brush',
  present({ result, state }) {
    const now = weightsAt(result, state);
    if (!now) return undefined;
    const rows = state.brush.filter((row) => row < now.rowWords.length);
    return rows.length === 0
      ? null
      : {
          queries: rows.map((row) => now.rowWords[row]),
          words: now.columnWords,
          sums: sumOver(now.data, now.columnWords.length, rows),
          key: now.key,
        };
  },
  create: (root, { set }) => view.create(root, { onClear: () => set({ brush: [], several: false }) }),
};
