// How the vector of a token comes about: the row of its word, plus its position, is what the first layer reads.

import { html, nothing, render } from 'lit-html';
import { bars, limitsOf } from '../../draw/bars.js';
import { formatValue } from '../../draw/canvas.js';
import { math, root as squareRoot, row as mathRow, sub } from '../../draw/math.js';
import { shortValue } from '../../draw/short.js';

/**
 * Vectors of d_model numbers; `position` null: the model has none. `scaled`: the rows of the table are multiplied by
 * √d_model.
 * @typedef {{
 *   row: number, word: string, dimension: number, scaled: boolean,
 *   embedding: Float32Array, position: Float32Array | null, sum: Float32Array,
 * }} SumData
 */

/** @param {HTMLElement} root */
export function create(root) {
  return {
    /** @param {SumData | null} data */
    update(data) {
      root.hidden = !data;
      if (!data) return;
      const { row, word, dimension, scaled, embedding, position, sum } = data;
      const limits = limitsOf(embedding, position ?? sum, sum);
      const step = (/** @type {unknown} */ label, /** @type {Float32Array} */ vector, /** @type {string} */ name) =>
        html`<li><span>${label}</span>
          ${bars(vector, limits, { name, dimension })}
          <div><strong>${shortValue(vector[dimension])}</strong>
          <p>length ${shortValue(Math.hypot(...vector))}</p></div></li>`;
      render(
        html`
        <ol class="sum">
          ${step(html`row of <bdi>${word}</bdi>`, embedding, 'of-word')}
          ${position ? step(`+ position ${row}`, position, 'of-position') : nothing}
          ${step('= input of layer 1', sum, 'of-sum')}
        </ol>
        <div class="formula live">
        ${formula(scaled)}
        <p class="live-numbers" aria-label="With the pinned cell’s numbers">
          <bdi class="quoted">${word}</bdi>, dimension ${dimension}:
          <span class="number">${formatValue(embedding[dimension])}${
            position ? ` + ${bracketed(position[dimension])}` : nothing
          } = <b>${formatValue(sum[dimension])}</b></span></p></div>`,
        root,
      );
    },
    destroy() {
      root.replaceChildren();
    },
  };
}

/** @param {boolean} scaled */
const formula = (scaled) =>
  math(
    sub('x', mathRow('p', ',', 'j')),
    '=',
    squareRoot(sub('d', 'model'), scaled ? '' : 'left-out'),
    '⋅',
    sub('E', mathRow('word', ',', 'j')),
    '+',
    sub('PE', mathRow('p', ',', 'j')),
  );

/** @param {number} value */
const bracketed = (value) => (value < 0 ? `(${formatValue(value)})` : formatValue(value));
