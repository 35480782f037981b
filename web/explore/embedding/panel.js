// The embeddings of the selected stack: before and after the positions are added, and how the sum comes about.

import { attention, positionsName } from '../../engine/plan.js';
import * as view from './view.js';
import { lookedAt } from '../shared/words.js';
import { section, sumSection } from './section.js';
import * as sumView from './sum-view.js';

/**
 * @param {import('../../app/schema.js').AttentionKind} kind
 * @param {import('../../app/schema.js').GraphState['embedding']} what
 */
const nameOf = (kind, what) => `${attention(kind).stack}.${what}`;

/** @param {Parameters<NonNullable<import('../index.js').Panel<any>['required']>>[0]} query */
const required = ({
  plan: { settings },
  state: {
    selection: { kind },
  },
}) => [
  nameOf(kind, 'embedding'),
  nameOf(kind, 'input'),
  ...(settings.positions === 'none' ? [] : [positionsName(kind)]),
];

/**
 * The tensors, [tokens, d_model]; null: they are not here yet. `positions` null: the model has none.
 * @param {import('../../engine/results.js').Result} result
 * @param {import('../index.js').State} state
 */
function vectorsOf(result, state) {
  const { kind } = lookedAt(result, state);
  const [embedding, sum, positions = null] = [
    nameOf(kind, 'embedding'),
    nameOf(kind, 'input'),
    positionsName(kind),
  ].map((name) => result.tensors.get(name)?.data);
  const isWhole = embedding && sum && (positions || result.plan.settings.positions === 'none');
  return isWhole ? { embedding, positions, sum } : null;
}

/** @type {import('../index.js').Panel<import('./view.js').EmbeddingData>} */
export const embedding = {
  name: 'embedding',
  slot: 'views',
  nodes: ['tokens', 'embedding'],
  section,
  required,
  present({ result, state, scheme }) {
    const { stack, rowWords, readWords: words, row } = lookedAt(result, state);
    const all = vectorsOf(result, state);
    if (!all) return undefined;
    const { d_model } = result.plan.settings;
    const column = Math.min(state.cursor.dimension, d_model - 1);
    return {
      title: [
        `${stack === 'encoder' ? 'Encoder' : 'Decoder'} embeddings`,
        ...(words === rowWords ? [] : ['of its input tokens']),
      ].join(', '),
      shown: state.graph.embedding,
      words,
      dimensions: d_model,
      data: state.graph.embedding === 'input' ? all.sum : all.embedding,
      scheme,
      cursor: { row, column },
    };
  },
  create: (root, { get, set, moveCursor }) =>
    view.create(root, {
      onCursor: ({ row, column }) => moveCursor({ row, dimension: column }),
      onShow: (shown) => set({ graph: { ...get().graph, embedding: shown } }),
    }),
};

/** @type {import('../index.js').Panel<import('./sum-view.js').SumData>} */
export const embeddingSum = {
  name: 'embedding-sum',
  slot: 'why',
  nodes: ['tokens', 'embedding'],
  section: sumSection,
  required,
  present({ result, state }) {
    const { stack, readWords, row } = lookedAt(result, state);
    const all = vectorsOf(result, state);
    if (!all) return undefined;
    const { d_model } = result.plan.settings;
    const hasTypes = stack === 'encoder' && Boolean(result.plan.config.types);
    const at = (/** @type {Float32Array} */ data) => data.subarray(row * d_model, (row + 1) * d_model);
    const [embedding, position, sum] = [at(all.embedding), all.positions && at(all.positions), at(all.sum)];
    return {
      row,
      word: readWords[row],
      dimension: Math.min(state.cursor.dimension, d_model - 1),
      scaled: result.plan.config.embeddingScale !== false,
      normed: result.plan.config.embeddingNorm === true,
      embedding,
      position,
      // What the two leave of the sum: the row of the token's type.
      type: hasTypes ? sum.map((each, i) => each - embedding[i] - (position?.[i] ?? 0)) : null,
      sum,
    };
  },
  create: (root) => sumView.create(root),
};
