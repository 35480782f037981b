// One LayerNorm: its input and output at the pinned token, with its gain and bias, and the mean and
// variance of every token.

import { html, render } from 'lit-html';
import { exactValue, formatValue } from '../../draw/canvas.js';
import { roundLimit, signedScale } from '../../draw/color.js';
import { valueOf } from '../../draw/controls.js';
import { createMap } from '../../draw/lit-map.js';
import { frac, inlineDisplayMath, inlineMath, math, num, root, row, sup } from '../../draw/math.js';
import { revealHere } from '../../draw/reveal.js';
import { cells, headRow, scrolled } from '../../draw/table.js';
import { typeset } from '../../draw/typeset.js';

/**
 * `before`, `after`: tokens × `width`; `mean`, `variance`: by token; `weight`, `bias`: by dimension,
 * where the norm has them.
 * @typedef {{
 *   title: string, place: number, choices: {place: number, title: string}[],
 *   before: Float32Array, after: Float32Array, mean: Float32Array, variance: Float32Array,
 *   weight: Float32Array | null, bias: Float32Array | null, epsilon: number, width: number, words: string[],
 *   row: number, column: number, scheme: import('../../draw/color.js').Scheme,
 * }} NormsData
 */

const MOST_ROWS = 64;

/**
 * @param {HTMLElement} root
 * @param {{onDimension: (dimension: number) => void, onPlace: (place: number) => void}} options
 */
export function create(root, { onDimension, onPlace }) {
  const head = document.createElement('div');
  const body = document.createElement('div');
  const foot = document.createElement('div');
  head.className = 'view-head';
  foot.className = 'beside';
  root.append(head, body, foot);
  const map = createMap(body, {
    min: 3,
    max: 28,
    height: 150,
    empty: 'No LayerNorm to show: no tokens, or LayerNorm is switched off.',
    onCursor(cell) {
      line = cell.row;
      onDimension(cell.column);
    },
  });
  let shownRow = -1;
  let line = 0; // of the map, where the cursor stands
  /** @type {{of: NormsData, lines: {name: string, values: Float32Array}[], data: Float32Array} | null} */
  let made = null;

  /** The map's lines, kept while they are the same. @param {NormsData} data */
  function linesOf(data) {
    if (made && made.of.before === data.before && made.of.row === data.row) return made;
    const { before, after, weight, bias, row, width } = data;
    const part = (/** @type {Float32Array} */ values) => values.subarray(row * width, (row + 1) * width);
    const lines = [
      { name: 'x, input', values: part(before) },
      ...(weight ? [{ name: 'γ, gain', values: weight }] : []),
      ...(bias ? [{ name: 'β, bias', values: bias }] : []),
      { name: 'y, output', values: part(after) },
    ];
    made = { of: data, lines, data: Float32Array.from(lines.flatMap(({ values }) => [...values])) };
    return made;
  }

  return {
    /** @param {NormsData | null} data */
    update(data) {
      head.hidden = foot.hidden = !data;
      if (!data) return map.update(null);
      const { title, place, choices, words, row, column, width, scheme } = data;
      const { lines, data: values } = linesOf(data);
      render(
        html`<label>Show <select @change=${(/** @type {Event} */ event) => onPlace(Number(valueOf(event)))}>
        ${choices.map(
          (each) => html`<option value=${each.place} .selected=${each.place === place}>${each.title}</option>`,
        )}</select></label>
        <p class="view-title">at <bdi class="quoted">${words[row]}</bdi></p>`,
        head,
      );
      map.update({
        name: `${title}, at ${words[row]}`,
        matrix: {
          rows: lines.length,
          columns: width,
          data: values,
          scheme,
          scale: signedScale(scheme, roundLimit(values)),
        },
        scaleTitle: 'Value',
        rowAxis: { title: 'line', noun: 'line', label: (i) => lines[i].name },
        columnAxis: { title: 'dimension', noun: 'dimension', part: 'dimension', label: String },
        cursor: { row: Math.min(line, lines.length - 1), column },
      });
      render(html`${formula(data)}${table(data)}`, foot);
      if (row !== shownRow) revealHere(foot);
      shownRow = row;
    },
    destroy() {
      map.destroy();
      root.replaceChildren();
    },
  };
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
