// The embeddings of the selected stack: before and after the positions are added.

import { attention, positionsName } from '../../engine/plan.js';
import * as view from './view.js';
import { lookedAt } from '../shared/words.js';
import { section } from './section.js';

/**
 * @param {import('../../app/schema.js').AttentionKind} kind
 * @param {import('../../app/schema.js').GraphState['embedding']} what
 */
const nameOf = (kind, what) => `${attention(kind).stack}.${what}`;

/** @type {import('../index.js').Panel<import('./view.js').EmbeddingData>} */
export const embedding = {
  name: 'embedding',
  slot: 'views',
  nodes: ['tokens', 'embedding'],
  section,
  required: ({
    plan: { settings },
    state: {
      selection: { kind },
    },
  }) => [
    nameOf(kind, 'embedding'),
    nameOf(kind, 'input'),
    ...(settings.positions === 'none' ? [] : [positionsName(kind)]),
  ],
  present({ result, state, scheme }) {
    const { tensors, plan } = result;
    const { d_model, positions: how } = plan.settings;
    const { kind, stack, rowWords, readWords: words, row } = lookedAt(result, state);
    const [rows, sum, positions] = [nameOf(kind, 'embedding'), nameOf(kind, 'input'), positionsName(kind)].map(
      (name) => tensors.get(name)?.data,
    );
    if (!rows || !sum || (how !== 'none' && !positions)) return undefined;
    const column = Math.min(state.cursor.dimension, d_model - 1);
    const at = row * d_model + column;
    return {
      title: [
        `${stack === 'encoder' ? 'Encoder' : 'Decoder'} embeddings`,
        ...(words === rowWords ? [] : ['of its input words']),
      ].join(', '),
      shown: state.graph.embedding,
      words,
      dimensions: d_model,
      data: state.graph.embedding === 'input' ? sum : rows,
      scheme,
      cursor: { row, column },
      scaled: plan.config.embeddingScale !== false,
      live: { word: words[row], embedding: rows[at], position: positions ? positions[at] : null, sum: sum[at] },
    };
  },
  create: (root, { get, set, moveCursor }) =>
    view.create(root, {
      onCursor: ({ row, column }) => moveCursor({ row, dimension: column }),
      onShow: (shown) => set({ graph: { ...get().graph, embedding: shown } }),
    }),
};
