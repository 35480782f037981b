// The LayerNorms of the selected layer.

import { attention } from '../../engine/plan.js';
import * as view from './view.js';
import { lookedAt } from '../shared/words.js';

/** @param {import('../../app/schema.js').Selection} selection @param {import('../../app/schema.js').Way} [way] */
const nameOf = ({ kind, layer }, way) => `@norm/${attention(kind).stack}/${layer}/${way?.place ?? 1}`;

/** @type {import('../index.js').Panel<import('./view.js').NormsData>} */
export const norms = {
  name: 'norms',
  part: 'stream',
  wants: (_, { selection, way }) => [nameOf(selection, way)],
  present(picture, state, scheme) {
    const { selection, rowWords, row } = lookedAt(picture, state);
    const norm = /** @type {import('../residual-stream/derived.js').Norm | {absent: true} | undefined} */ (
      picture.lab.get(nameOf(selection, state.way))
    );
    if (!norm || 'absent' in norm) return norm && null;
    return { ...norm, words: rowWords, row, column: Math.min(state.cursor.dimension, norm.width - 1), scheme };
  },
  create: (root, { get, set, moveCursor }) =>
    view.create(root, {
      onDimension: (dimension) => moveCursor({ dimension }),
      onPlace: (place) => set({ way: { ...get().way, place } }),
    }),
};
