// The embeddings of the selected stack: before and after the positions are added, and how the vector of a token comes
// about: the row of its word, plus its position, is what the first layer reads.

import { html, nothing } from 'lit-html';
import { bars, limitsOf } from '../../draw/bars.js';
import { formatValue } from '../../draw/canvas.js';
import { roundLimit, signedScale } from '../../draw/color.js';
import { menu } from '../../kit/controls.js';
import { math, root, row as mathRow, sub } from '../../draw/math.js';
import { shortValue } from '../../draw/short.js';
import { choiceLabel } from '../../engine/model-settings.js';
import { addsPositions, attention, positionsName } from '../../engine/plan.js';
import { map } from '../../kit/map.js';
import { tall } from '../shared/map-height.js';
import { selectedIn } from '../shared/words.js';
import style from './embedding.css';

/**
 * Vectors of d_model numbers; `position`, `type` null: the model has none. `scaled`: the rows of the table are
 * multiplied by √d_model; `normed`: the norm that reads the sum, '' where the first layer does.
 * @typedef {{
 *   row: number, word: string, dimension: number, scaled: boolean, normed: string, sum: Float32Array,
 *   embedding: Float32Array, position: Float32Array | null, type: Float32Array | null,
 * }} SumData
 *
 * @typedef {import('../../app/schema.js').GraphState['embedding']} Shown
 */

/** @param {import('../../app/schema.js').Settings} settings @returns {Record<Shown, string>} */
const shownOf = (settings) => ({
  input: settings.positions === 'rotary' ? 'Input of the first layer' : 'Embedding + position',
  embedding: 'Embedding only',
});

/** @param {import('../../app/schema.js').AttentionKind} kind @param {Shown} what */
const nameOf = (kind, what) => `${attention(kind).stack}.${what}`;

/** @param {import('../index.js').Query} query */
const needs = ({ plan: { settings }, state: { selection } }) => [
  nameOf(selection.kind, 'embedding'),
  nameOf(selection.kind, 'input'),
  ...(addsPositions(settings) ? [positionsName(selection.kind)] : []),
];

/**
 * The tensors, [tokens, d_model]; null: they are not here yet. `positions` null: the model has none.
 * @param {import('../../engine/results.js').Result} result
 * @param {import('../index.js').State} state
 */
function vectorsOf(result, state) {
  const { kind } = selectedIn(result, state);
  const [embedding, sum, positions = null] = [
    nameOf(kind, 'embedding'),
    nameOf(kind, 'input'),
    positionsName(kind),
  ].map((name) => result.tensors.get(name)?.data);
  const isWhole = embedding && sum && (positions || !addsPositions(result.plan.settings));
  return isWhole ? { embedding, positions, sum } : null;
}

/** @type {import('../index.js').Feature} */
export const embedding = {
  name: 'embedding',
  needs,
  render({ result, state, scheme }, { get, set, moveCursor }) {
    const { stack, rowWords, readWords: words, row } = selectedIn(result, state);
    const all = vectorsOf(result, state);
    if (!all) return undefined;
    const { settings } = result.plan;
    const { d_model } = settings;
    const names = shownOf(settings);
    const shown = state.graph.embedding;
    const data = shown === 'input' ? all.sum : all.embedding;
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

/** @type {import('../index.js').Feature} */
export const embeddingSum = {
  name: 'embedding-sum',
  style,
  needs,
  render({ result, state }) {
    const { stack, readWords, row } = selectedIn(result, state);
    const all = vectorsOf(result, state);
    if (!all) return undefined;
    const { config, settings } = result.plan;
    const { d_model } = settings;
    const at = (/** @type {Float32Array} */ data) => data.subarray(row * d_model, (row + 1) * d_model);
    const [own, position, whole] = [at(all.embedding), all.positions && at(all.positions), at(all.sum)];
    const hasTypes = stack === 'encoder' && Boolean(config.types);
    const data = {
      row,
      word: readWords[row],
      dimension: Math.min(state.cursor.dimension, d_model - 1),
      scaled: config.embeddingScale !== false,
      normed: config.embeddingNorm === true ? choiceLabel('normKind', settings.normKind) : '',
      embedding: own,
      position,
      // What the two leave of the sum: the row of the token's type.
      type: hasTypes ? whole.map((each, i) => each - own[i] - (position?.[i] ?? 0)) : null,
      sum: whole,
    };
    return sumPanel(settings, html`${steps(data)}${formula(data)}`);
  },
  blank: ({ plan }) => sumPanel(plan.settings, nothing),
};

/** @param {import('../../app/schema.js').Settings} settings @param {unknown} body */
const sumPanel = ({ positions }, body) => html`
  <section class="panel" aria-labelledby="embedding-sum-title">
    <h2 id="embedding-sum-title">Why this vector?</h2>
    <div id="embedding-sum" ?hidden=${body === nothing}>${body}</div>
    <p class="hint">
      Each token selects a row of the embedding table, so the same token starts as the same vector at every position.
      ${
        positions === 'none'
          ? 'No positional encoding is added, so this vector does not depend on the order.'
          : positions === 'rotary'
            ? 'No position is added: each layer turns its queries and keys by their positions instead.'
            : 'The positional encoding is added to it; the sum goes on to the first layer.'
      }
    </p>
  </section>`;

/** @param {SumData} data */
function steps({ row, word, dimension, normed, embedding: own, position, type, sum }) {
  const limits = limitsOf(own, position ?? sum, type ?? sum, sum);
  const step = (/** @type {unknown} */ label, /** @type {Float32Array} */ vector, /** @type {string} */ name) =>
    html`<li><span>${label}</span>
      ${bars(vector, limits, { name, dimension })}
      <div><strong>${shortValue(vector[dimension])}</strong>
      <p>length ${shortValue(Math.hypot(...vector))}</p></div></li>`;
  return html`<ol class="sum">
    ${step(html`row of <bdi>${word}</bdi>`, own, 'of-word')}
    ${position ? step(`+ position ${row}`, position, 'of-position') : nothing}
    ${type ? step('+ token type', type, 'of-type') : nothing}
    ${step(normed ? `= input of ${normed}` : '= input of layer 1', sum, 'of-sum')}
  </ol>`;
}

/** @param {SumData} data */
const formula = ({ word, dimension, scaled, embedding: own, position, type, sum }) => html`
  <div class="formula live">
    ${math(
      ...[sub('x', mathRow('p', ',', 'j')), '='],
      ...(scaled ? [root(sub('d', 'model')), '·'] : []),
      sub('E', mathRow('word', ',', 'j')),
      ...(position ? ['+', sub('PE', mathRow('p', ',', 'j'))] : []),
      ...(type ? ['+', sub('T', mathRow('type', ',', 'j'))] : []),
    )}
    <p class="live-numbers" aria-label="With the pinned cell’s numbers">
      <bdi class="quoted">${word}</bdi>, dimension ${dimension}:
      <span class="number">${formatValue(own[dimension])}${[position, type].map(
        (each) => each && ` + ${bracketed(each[dimension])}`,
      )} = <b>${formatValue(sum[dimension])}</b></span></p></div>`;

/** @param {number} value */
const bracketed = (value) => (value < 0 ? `(${formatValue(value)})` : formatValue(value));
