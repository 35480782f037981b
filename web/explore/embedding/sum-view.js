// How the vector of a token comes about: the row of its word, plus its position, is what the first layer reads.

import { html, nothing, render } from 'lit-html';
import { bars, limitsOf } from '../../draw/bars.js';
import { formatValue } from '../../draw/canvas.js';
import { math, root as squareRoot, row as mathRow, sub } from '../../draw/math.js';
import { shortValue } from '../../draw/short.js';

/**
 * Vectors of d_model numbers; `position`, `type` null: the model has none. `scaled`: the rows of the table are
 * multiplied by √d_model; `normed`: a LayerNorm reads the sum, not the first layer.
 * @typedef {{
 *   row: number, word: string, dimension: number, scaled: boolean, normed: boolean, sum: Float32Array,
 *   embedding: Float32Array, position: Float32Array | null, type: Float32Array | null,
 * }} SumData
 */

/** @param {HTMLElement} root */
export function create(root) {
  return {
    /** @param {SumData | null} data */
    update(data) {
      root.hidden = !data;
      if (!data) return;
      const { row, word, dimension, normed, embedding, position, type, sum } = data;
      const limits = limitsOf(embedding, position ?? sum, type ?? sum, sum);
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
          ${type ? step('+ token type', type, 'of-type') : nothing}
          ${step(normed ? '= input of LayerNorm' : '= input of layer 1', sum, 'of-sum')}
        </ol>
        <div class="formula live">
        ${formula(data)}
        <p class="live-numbers" aria-label="With the pinned cell’s numbers">
          <bdi class="quoted">${word}</bdi>, dimension ${dimension}:
          <span class="number">${formatValue(embedding[dimension])}${[position, type].map(
            (each) => each && ` + ${bracketed(each[dimension])}`,
          )} = <b>${formatValue(sum[dimension])}</b></span></p></div>`,
        root,
      );
    },
    destroy() {
      root.replaceChildren();
    },
  };
}

/** @param {SumData} data */
const formula = ({ scaled, position, type }) =>
  math(
    ...[sub('x', mathRow('p', ',', 'j')), '='],
    ...(scaled ? [squareRoot(sub('d', 'model')), '·'] : []),
    sub('E', mathRow('word', ',', 'j')),
    ...(position ? ['+', sub('PE', mathRow('p', ',', 'j'))] : []),
    ...(type ? ['+', sub('T', mathRow('type', ',', 'j'))] : []),
  );

/** @param {number} value */
const bracketed = (value) => (value < 0 ? `(${formatValue(value)})` : formatValue(value));
