// The norms of the selected layer: input and output at the selected token, with gain and bias, and of every token mean
// and variance, or the mean square where it is an RMSNorm.

import { html } from 'lit-html';
import { roundLimit, signedScale } from '../../draw/color.js';
import { valueOf } from '../../kit/controls.js';
import { bracketed, equation } from '../../draw/equation.js';
import { frac, inlineDisplayMath, inlineMath, math, num, root, row, sub, sum, sup } from '../../draw/math.js';
import { MOST_ROWS, cells, firstOf, headRow, scrolled } from '../../draw/table.js';
import { formatValue, typeset } from '../../draw/numbers.js';
import { choiceLabel } from '../../engine/model-settings.js';
import { reveal } from '../../kit/figure.js';
import { map } from '../../kit/map.js';
import { normName } from '../shared/graph.js';
import { selectedIn } from '../shared/words.js';
import style from './layer-norm.css';

/** @typedef {import('../derived/layer-norm.js').Norm & {words: string[], row: number, column: number}} NormsData */

/** @type {import('../index.js').Feature} */
export const norms = {
  name: 'layer-norm',
  style,
  local: { line: 0 }, // of the map, where the cursor stands
  needs: ({ state }) => [normName(state)],
  render({ result, state, scheme, local }, { get, set, moveCursor, local: remember }) {
    const { rowWords: words, row: token } = selectedIn(result, state);
    const norm = /** @type {import('../derived/layer-norm.js').Norm | {absent: true} | undefined} */ (
      result.derived.get(normName(state))
    );
    if (!norm) return undefined;
    const { normKind } = result.plan.settings;
    if ('absent' in norm) return panel(normKind, map(null, NONE[normKind]));
    const data = { ...norm, words, row: token, column: Math.min(state.cursor.dimension, norm.width - 1) };
    const lines = linesOf(data);
    const values = Float32Array.from(lines.flatMap((line) => [...line.values]));
    const choose = (/** @type {Event} */ event) => set({ graph: { ...get().graph, sublayer: Number(valueOf(event)) } });
    return panel(
      normKind,
      html`<div class="view-head"><label>Show <select @change=${choose}>
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
      <div class="beside" ${reveal(token)}>${formula(data)}${table(data)}</div>`,
    );
  },
  blank(/** @type {import('../index.js').Query} */ { plan: { settings } }) {
    return panel(settings.normKind, map(null, NONE[settings.normKind]));
  },
};

const MAP = {
  min: 3,
  max: 28,
  height: 150,
  empty: 'No LayerNorm to show: no tokens, or LayerNorm is switched off.',
  onCursor() {},
};
const NONE = { layer: MAP, rms: { ...MAP, empty: MAP.empty.replaceAll('LayerNorm', 'RMSNorm') } };

const ABOUT = {
  layer: html`LayerNorm shifts each token’s vector to mean 0 and scales it to variance 1; each dimension is then
    multiplied by its learned gain γ, and its learned bias β is added. So the lengths of the vectors that a sublayer
    reads stay comparable.`,
  rms: html`RMSNorm divides each token’s vector by its root mean square, so that its mean square is 1; each dimension is
    then multiplied by its learned gain γ. It subtracts no mean and adds no bias, unlike LayerNorm.`,
};

/** @param {import('../../app/schema.js').Settings['normKind']} kind @param {unknown} body */
const panel = (kind, body) => html`
  <section class="panel picture" aria-labelledby="layer-norm-title">
    <h2 id="layer-norm-title">${choiceLabel('normKind', kind)}</h2>
    <div id="layer-norm">${body}</div>
    <p class="hint">${ABOUT[kind]}</p>
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

/** At least, as in the map above it. */
const DECIMALS = 4;

/** @param {NormsData} data */
function formula(data) {
  const { before, after, mean, variance, meanSquare, weight, bias, epsilon, width, row: token, column } = data;
  const at = token * width + column;
  const square = /** @type {Float32Array} */ (variance ?? meanSquare)[token];
  const { operands, results } = equation(
    [before[at], square, weight ? weight[column] : 1, mean ? mean[token] : 0, bias ? bias[column] : 0],
    [{ value: after[at], from: ([x, s, gain, mu, beta]) => (gain * (x - mu)) / Math.sqrt(s + epsilon) + beta }],
    DECIMALS,
  );
  const y = num(results[0]);
  const [x, gain] = [operands[0], weight ? operands[2] : '1'].map((text) => num(text));
  const divisor = root(row(num(operands[1]), '+', num(exactEpsilon(epsilon))));
  if (!mean) {
    return html`<div class="formula live">
      ${math('y', '=', 'γ', frac('x', root(row(MEAN_SQUARE, '+', 'ε'))))}
      <span class="numbers">
        ${inlineDisplayMath(y, '=', gain, '·', frac(x, divisor))}
      </span></div>`;
  }
  const centred = row(x, '−', num(bracketed(operands[3])));
  // The numbers are three formulas, so that the later ones may go to the next line.
  return html`<div class="formula live">
    ${math('y', '=', 'γ', frac(row('x', '−', 'μ'), root(row(sup('σ', 2), '+', 'ε'))), '+', 'β')}
    <span class="numbers">
      ${inlineDisplayMath(y, '=', gain, '·')}
      <span class="quotient">${inlineDisplayMath(frac(centred, divisor))}</span>
      ${inlineMath('+', num(bias ? bracketed(operands[4]) : '0'))}
    </span></div>`;
}

/** The mean of the squares of all dimensions. */
const MEAN_SQUARE = row(frac(1, 'd'), sum('j'), sup(sub('x', 'j'), 2));

/** The tokens around the pinned one. @param {NormsData} data */
function table({ mean, variance, meanSquare, words, row }) {
  const from = firstOf(row, words.length);
  const title = meanSquare ? 'Mean square of each token' : 'Mean and variance of each token';
  const columns = /** @type {Float32Array[]} */ (meanSquare ? [meanSquare] : [mean, variance]);
  const names = meanSquare ? ['mean square'] : ['mean μ', 'variance σ²'];
  return scrolled(
    title,
    html`<table class="moments sticky-head">
    <caption>${title}${words.length > MOST_ROWS ? `: ${MOST_ROWS} of ${words.length}` : ''}</caption>
    ${headRow('token', ...names)}
    <tbody>${words.slice(from, from + MOST_ROWS).map(
      (word, i) => html`<tr data-row=${from + i} class=${from + i === row ? 'here' : ''}>
      <th scope="row"><bdi>${word}</bdi></th>
      ${cells(...columns.map((each) => formatValue(each[from + i])))}</tr>`,
    )}</tbody>
  </table>`,
  );
}

/** As read: a power of ten without its factor 1. @param {number} epsilon */
const exactEpsilon = (epsilon) => typeset(String(epsilon)).replace(/^1·/, '');
