// The LayerNorms of the selected layer.

import { attention } from '../../engine/plan.js';
import * as view from './view.js';
import { lookedAt } from '../shared/words.js';
import { section } from './section.js';

/**
 * @param {import('../../app/schema.js').Selection} selection
 * @param {import('../../app/schema.js').GraphState} [graph]
 */
const nameOf = ({ kind, layer }, graph) => `@norm/${attention(kind).stack}/${layer}/${graph?.sublayer ?? 1}`;

/** @type {import('../index.js').Panel<import('./view.js').NormsData>} */
export const norms = {
  name: 'layer-norm',
  slot: 'why',
  nodes: ['norm'],
  section,
  required: ({ state: { selection, graph } }) => [nameOf(selection, graph)],
  present({ result, state, scheme }) {
    const { selection, rowWords, row } = lookedAt(result, state);
    const norm = /** @type {import('./derived.js').Norm | {absent: true} | undefined} */ (
      result.derived.get(nameOf(selection, state.graph))
    );
    if (!norm || 'absent' in norm) return norm && null;
    return { ...norm, words: rowWords, row, column: Math.min(state.cursor.dimension, norm.width - 1), scheme };
  },
  create: (root, { get, set, moveCursor }) =>
    view.create(root, {
      onDimension: (dimension) => moveCursor({ dimension }),
      onPlace: (sublayer) => set({ graph: { ...get().graph, sublayer } }),
    }),
};
