// The LayerNorms of the selected layer: input and output at the selected token, with gain and bias, and the mean and
// variance of every token.

import { html } from 'lit-html';
import { exactValue, formatValue } from '../../draw/canvas.js';
import { roundLimit, signedScale } from '../../draw/color.js';
import { valueOf } from '../../draw/controls.js';
import { frac, inlineDisplayMath, inlineMath, math, num, root, row, sup } from '../../draw/math.js';
import { cells, headRow, scrolled } from '../../draw/table.js';
import { typeset } from '../../draw/typeset.js';
import { attention } from '../../engine/plan.js';
import { reveal } from '../../kit/figure.js';
import { map } from '../../kit/map.js';
import { selectedIn } from '../shared/words.js';
import style from './layer-norm.css';

/** @typedef {import('../derived/layer-norm.js').Norm & {words: string[], row: number, column: number}} NormsData */

const MOST_ROWS = 64;

/**
 * @param {import('../../app/schema.js').Selection} selection
 * @param {import('../../app/schema.js').GraphState} [graph]
 */
const nameOf = ({ kind, layer }, graph) => `@norm/${attention(kind).stack}/${layer}/${graph?.sublayer ?? 1}`;

/** @type {import('../index.js').Feature} */
export const norms = {
  name: 'layer-norm',
  style,
  local: { line: 0 }, // of the map, where the cursor stands
  needs: ({ state: { selection, graph } }) => [nameOf(selection, graph)],
  render({ result, state, scheme, local }, { get, set, moveCursor, local: remember }) {
    const { selection, rowWords: words, row: token } = selectedIn(result, state);
    const norm = /** @type {import('../derived/layer-norm.js').Norm | {absent: true} | undefined} */ (
      result.derived.get(nameOf(selection, state.graph))
    );
    if (!norm) return undefined;
    if ('absent' in norm) return panel(map(null, MAP));
    const data = { ...norm, words, row: token, column: Math.min(state.cursor.dimension, norm.width - 1) };
    const lines = linesOf(data);
    const values = Float32Array.from(lines.flatMap((line) => [...line.values]));
    const choose = (/** @type {Event} */ event) => set({ graph: { ...get().graph, sublayer: Number(valueOf(event)) } });
    return panel(html`
      <div class="view-head"><label>Show <select @change=${choose}>
        ${norm.choices.map(
          ({ place, title }) => html`<option value=${place} .selected=${place === norm.place}>${title}</option>`,
        )}</select></label>
        <p class="view-title">at <bdi class="quoted">${words[token]}</bdi></p></div>
      ${map(
        {
          name: `${norm.title}, at ${words[token]}`,
          matrix: {
            rows: lines.length,
            columns: norm.width,
            data: values,
            scheme,
            scale: signedScale(scheme, roundLimit(values)),
          },
          scaleTitle: 'Value',
          rowAxis: { title: 'line', noun: 'line', label: (i) => lines[i].name },
          columnAxis: { title: 'dimension', noun: 'dimension', part: 'dimension', label: String },
          cursor: { row: Math.min(local.line, lines.length - 1), column: data.column },
        },
        {
          ...MAP,
          onCursor(cell) {
            remember({ line: cell.row });
            moveCursor({ dimension: cell.column });
          },
        },
      )}
      <div class="beside" ${reveal(token)}>${formula(data)}${table(data)}</div>`);
  },
  blank: () => panel(map(null, MAP)),
};

const MAP = {
  min: 3,
  max: 28,
  height: 150,
  empty: 'No LayerNorm to show: no tokens, or LayerNorm is switched off.',
  onCursor() {},
};

/** @param {unknown} body */
const panel = (body) => html`
  <section class="panel" aria-labelledby="layer-norm-title">
    <h2 id="layer-norm-title">LayerNorm</h2>
    <div id="layer-norm">${body}</div>
    <p class="hint">
      LayerNorm shifts each token’s vector to mean 0 and scales it to variance 1; each dimension is then multiplied by
      its learned gain γ, and its learned bias β is added. So the lengths of the vectors that a sublayer reads stay
      comparable.
    </p>
  </section>`;

/** @param {NormsData} data */
function linesOf({ before, after, weight, bias, row, width }) {
  const part = (/** @type {Float32Array} */ values) => values.subarray(row * width, (row + 1) * width);
  return [
    { name: 'x, input', values: part(before) },
    ...(weight ? [{ name: 'γ, gain', values: weight }] : []),
    ...(bias ? [{ name: 'β, bias', values: bias }] : []),
    { name: 'y, output', values: part(after) },
  ];
}

/** @param {NormsData} data */
function formula({ before, after, mean, variance, weight, bias, epsilon, width, row: token, column }) {
  const at = token * width + column;
  const centred = row(num(exactValue(before[at])), '−', num(bracketed(mean[token])));
  const deviation = root(row(num(exactValue(variance[token])), '+', num(exactEpsilon(epsilon))));
  const gain = num(weight ? exactValue(weight[column]) : '1');
  // The numbers are two formulas, so that the second may go to the next line.
  return html`<div class="formula live">
    ${math('y', '=', 'γ', frac(row('x', '−', 'μ'), root(row(sup('σ', 2), '+', 'ε'))), '+', 'β')}
    <span class="numbers">
      ${inlineDisplayMath(num(formatValue(after[at])), '=', gain, '·', frac(centred, deviation))}
      ${inlineMath('+', num(bias ? bracketed(bias[column]) : '0'))}
    </span></div>`;
}

/** The tokens around the pinned one. @param {NormsData} data */
function table({ mean, variance, words, row }) {
  const from = Math.max(0, Math.min(row - MOST_ROWS / 2, words.length - MOST_ROWS));
  const title = 'Mean and variance of each token';
  return scrolled(
    title,
    html`<table class="moments sticky-head">
    <caption>${title}${words.length > MOST_ROWS ? `: ${MOST_ROWS} of ${words.length}` : ''}</caption>
    ${headRow('token', 'mean μ', 'variance σ²')}
    <tbody>${words.slice(from, from + MOST_ROWS).map(
      (word, i) => html`<tr data-row=${from + i} class=${from + i === row ? 'here' : ''}>
      <th scope="row"><bdi>${word}</bdi></th>
      ${cells(formatValue(mean[from + i]), formatValue(variance[from + i]))}</tr>`,
    )}</tbody>
  </table>`,
  );
}

/** As read: a power of ten without its factor 1. @param {number} epsilon */
const exactEpsilon = (epsilon) => (epsilon < 1e-6 ? typeset(String(epsilon)).replace(/^1·/, '') : String(epsilon));

/** @param {number} value */
const bracketed = (value) => (value < 0 ? `(${exactValue(value)})` : exactValue(value));
