// The embeddings: tokens × dimensions, before and after the positions are added.

import { html, nothing, render } from 'lit-html';
import { formatValue } from '../../draw/canvas.js';
import { roundLimit, signedScale } from '../../draw/color.js';
import { menu } from '../../draw/controls.js';
import { createMap } from '../../draw/lit-map.js';
import { math, root, row, sub } from '../../draw/math.js';

/**
 * @typedef {'embedding' | 'input'} Shown
 * `scaled`: the rows of the table are multiplied by √d_model; `live`: the numbers at the cursor.
 * @typedef {{
 *   title: string, shown: Shown, words: string[], dimensions: number, data: Float32Array, scaled: boolean,
 *   scheme: import('../../draw/color.js').Scheme, cursor: {row: number, column: number},
 *   live: {word: string, embedding: number, position: number | null, sum: number},
 * }} EmbeddingData
 */

/** @type {Record<Shown, string>} */
const SHOWN = { input: 'Embedding + position', embedding: 'Embedding only' };

/**
 * @param {HTMLElement} root
 * @param {{onCursor: (cell: {row: number, column: number}) => void, onShow: (shown: Shown) => void}} options
 */
export function create(root, { onCursor, onShow }) {
  const head = document.createElement('div');
  const body = document.createElement('div');
  const foot = document.createElement('div');
  head.className = 'view-head';
  root.append(head, body, foot);
  const map = createMap(body, {
    min: 2,
    max: 28,
    height: 330,
    empty: 'No tokens, so no embeddings to show.',
    onCursor,
  });
  return {
    /** @param {EmbeddingData | null} data */
    update(data) {
      head.hidden = foot.hidden = !data;
      if (!data) return map.update(null);
      const { title, shown, words, dimensions, scheme, cursor, live, scaled } = data;
      render(
        html`<p class="view-title">${title}</p>
        ${menu('Show', SHOWN, shown, onShow)}`,
        head,
      );
      map.update({
        name: `${title}, ${SHOWN[shown].toLowerCase()}`,
        matrix: {
          rows: words.length,
          columns: dimensions,
          data: data.data,
          scheme,
          scale: signedScale(scheme, roundLimit(data.data)),
        },
        scaleTitle: SHOWN[shown],
        rowAxis: { title: 'token', noun: 'row', part: 'row', label: (i) => words[i] },
        columnAxis: { title: 'dimension', noun: 'dimension', part: 'dimension', label: String },
        cursor,
      });
      render(
        html`<div class="formula live">
        ${formula(scaled)}
        <p class="live-numbers" aria-label="With the pinned cell’s numbers">
          <bdi class="quoted">${live.word}</bdi>, dimension ${cursor.column}:
          <span class="number">${formatValue(live.embedding)}${
            live.position === null ? nothing : ` + ${bracketed(live.position)}`
          } = <b>${formatValue(live.sum)}</b></span></p></div>`,
        foot,
      );
    },
    destroy() {
      map.destroy();
      root.replaceChildren();
    },
  };
}

/** @param {boolean} scaled */
const formula = (scaled) =>
  math(
    sub('x', row('p', ',', 'j')),
    '=',
    root(sub('d', 'model'), scaled ? '' : 'left-out'),
    '⋅',
    sub('E', row('word', ',', 'j')),
    '+',
    sub('PE', row('p', ',', 'j')),
  );

/** @param {number} value */
const bracketed = (value) => (value < 0 ? `(${formatValue(value)})` : formatValue(value));
