// The positions that are added to the embeddings of the selected stack.

import { positionsName } from '../../engine/plan.js';
import * as view from './view.js';
import { lookedAt } from '../shared/words.js';

/** @type {import('../index.js').Panel<import('./view.js').PositionsData>} */
export const positions = {
  name: 'positions',
  part: 'positions',
  wants: ({ settings }, { selection: { kind } }) => (settings.positions === 'none' ? [] : [positionsName(kind)]),
  present(picture, state, scheme) {
    const { positions: how, d_model } = picture.plan.settings;
    const { kind, readWords, row } = lookedAt(picture, state);
    const tensor = picture.tensors.get(positionsName(kind));
    return how === 'none'
      ? null
      : tensor && {
          title: `${how === 'learned' ? 'Learned' : 'Sinusoidal'} positions`,
          words: readWords,
          dimensions: d_model,
          data: tensor.data,
          sinusoidal: how === 'sinusoidal',
          scheme,
          cursor: { row, column: Math.min(state.cursor.dimension, d_model - 1) },
        };
  },
  create: (root, { moveCursor }) =>
    view.create(root, { onCursor: ({ row, column }) => moveCursor({ row, dimension: column }) }),
};
