// The positional encoding that is added to the embeddings: positions × dimensions.

import { html, nothing, render } from 'lit-html';
import { formatValue } from '../../draw/canvas.js';
import { roundLimit, signedScale } from '../../draw/color.js';
import { createMap } from '../../draw/lit-map.js';
import { math, num, row, sub, sup } from '../../draw/math.js';

/**
 * @typedef {{
 *   title: string, words: string[], dimensions: number, data: Float32Array, sinusoidal: boolean,
 *   scheme: import('../../draw/color.js').Scheme, cursor: {row: number, column: number},
 * }} PositionsData
 */

/**
 * @param {HTMLElement} root
 * @param {{onCursor: (cell: {row: number, column: number}) => void}} options
 */
export function create(root, { onCursor }) {
  const body = document.createElement('div');
  const foot = document.createElement('div');
  root.append(body, foot);
  const map = createMap(body, {
    min: 2,
    max: 28,
    height: 330,
    onCursor,
    empty: 'No positional encoding to show: no tokens, or it is switched off.',
  });
  return {
    /** @param {PositionsData | null} data */
    update(data) {
      foot.hidden = !data;
      if (!data) return map.update(null);
      const { title, words, dimensions, sinusoidal, scheme, cursor } = data;
      map.update({
        name: title,
        matrix: {
          rows: words.length,
          columns: dimensions,
          data: data.data,
          scheme,
          scale: signedScale(scheme, sinusoidal ? 1 : roundLimit(data.data)),
        },
        scaleTitle: title,
        rowAxis: { title: 'position', noun: 'position', part: 'row', label: (i) => `${i} ${words[i]}` },
        columnAxis: { title: 'dimension', noun: 'dimension', part: 'dimension', label: String },
        cursor,
      });
      render(
        sinusoidal ? formula(cursor, dimensions, data.data[cursor.row * dimensions + cursor.column]) : nothing,
        foot,
      );
    },
    destroy() {
      map.destroy();
      root.replaceChildren();
    },
  };
}

/**
 * The formula with the cursor's numbers.
 * @param {{row: number, column: number}} cursor
 * @param {number} dimensions
 * @param {number} value
 */
function formula({ row: position, column }, dimensions, value) {
  const wavelength = sup(10000, row(column - (column % 2), '/', dimensions));
  return html`<div class="formula live">${math(
    sub('PE', row(position, ',', column)),
    '=',
    ...[column % 2 ? 'cos' : 'sin', '(', position, '/', wavelength, ')'],
    '=',
    num(formatValue(value), 'value'),
  )}</div>`;
}
