// The positions that are added to the embeddings of the selected stack.

import { positionsName } from '../../engine/plan.js';
import * as view from './view.js';
import { lookedAt } from '../shared/words.js';
import { section } from './section.js';

/** @type {import('../index.js').Panel<import('./view.js').PositionsData>} */
export const positions = {
  name: 'positions',
  slot: 'views',
  nodes: ['positions'],
  section,
  required: ({
    plan: { settings },
    state: {
      selection: { kind },
    },
  }) => (settings.positions === 'none' ? [] : [positionsName(kind)]),
  present({ result, state, scheme }) {
    const { positions: how, d_model } = result.plan.settings;
    const { kind, readWords, row } = lookedAt(result, state);
    const tensor = result.tensors.get(positionsName(kind));
    return how === 'none'
      ? null
      : tensor && {
          title: `${how === 'learned' ? 'Learned' : 'Sinusoidal'} positional encoding`,
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
