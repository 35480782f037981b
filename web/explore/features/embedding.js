// The embeddings of the selected stack, before and after the positions are added.

import { html, nothing } from 'lit-html';
import { roundLimit, signedScale } from '../../draw/color.js';
import { menu } from '../../kit/controls.js';
import { attention } from '../../engine/plan.js';
import { map } from '../../kit/map.js';
import { tall } from '../shared/map-height.js';
import { selectedIn } from '../shared/words.js';

/** @typedef {import('../../app/schema.js').GraphState['embedding']} Shown */

/** @param {import('../../app/schema.js').Settings} settings @returns {Record<Shown, string>} */
const shownOf = (settings) => ({
  input: settings.positions === 'rotary' ? 'Input of the first layer' : 'Embedding + position',
  embedding: 'Embedding only',
});

/** @param {import('../../app/schema.js').AttentionKind} kind @param {Shown} what */
const nameOf = (kind, what) => `${attention(kind).stack}.${what}`;

/** @type {import('../index.js').Feature} */
export const embedding = {
  name: 'embedding',
  needs: ({ state: { selection } }) => [nameOf(selection.kind, 'embedding'), nameOf(selection.kind, 'input')],
  render({ result, state, scheme }, { get, set, moveCursor }) {
    const { kind, stack, rowWords, readWords: words, row } = selectedIn(result, state);
    const { settings } = result.plan;
    const { d_model } = settings;
    const names = shownOf(settings);
    const shown = state.graph.embedding;
    const data = result.tensors.get(nameOf(kind, shown))?.data;
    if (!data) return undefined;
    const title = [
      `${stack === 'encoder' ? 'Encoder' : 'Decoder'} embeddings`,
      ...(words === rowWords ? [] : ['of its input tokens']),
    ].join(', ');
    const head = html`<div class="view-head"><p class="view-title">${title}</p>
      ${menu('Show', names, shown, (next) => set({ graph: { ...get().graph, embedding: next } }))}</div>`;
    return panel(
      head,
      map(
        {
          name: `${title}, ${names[shown].toLowerCase()}`,
          matrix: { rows: words.length, columns: d_model, data, scheme, scale: signedScale(scheme, roundLimit(data)) },
          scaleTitle: names[shown],
          rowAxis: { title: 'token', noun: 'row', part: 'row', label: (i) => words[i] },
          columnAxis: { title: 'dimension', noun: 'dimension', part: 'dimension', label: String },
          cursor: { row, column: Math.min(state.cursor.dimension, d_model - 1) },
        },
        tall({ ...MAP, onCursor: (cell) => moveCursor({ row: cell.row, dimension: cell.column }) }),
      ),
    );
  },
  blank: () => panel(nothing, map(null, tall(MAP))),
};

const MAP = { min: 2, max: 44, empty: 'No tokens, so no embeddings to show.', onCursor() {} };

/** @param {unknown} head @param {unknown} shown */
const panel = (head, shown) => html`
  <section class="panel picture" aria-labelledby="embedding-title">
    <h2 id="embedding-title">Embedding</h2>
    <div id="embedding">${head}${shown}</div>
  </section>`;
