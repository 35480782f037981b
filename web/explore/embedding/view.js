// The embeddings: tokens × dimensions, before and after the positions are added.

import { html, render } from 'lit-html';
import { roundLimit, signedScale } from '../../draw/color.js';
import { menu } from '../../draw/controls.js';
import { createMap } from '../../draw/lit-map.js';

/**
 * @typedef {'embedding' | 'input'} Shown
 * @typedef {{
 *   title: string, shown: Shown, words: string[], dimensions: number, data: Float32Array,
 *   scheme: import('../../draw/color.js').Scheme, cursor: {row: number, column: number},
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
  head.className = 'view-head';
  root.append(head, body);
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
      head.hidden = !data;
      if (!data) return map.update(null);
      const { title, shown, words, dimensions, scheme, cursor } = data;
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
    },
    destroy() {
      map.destroy();
      root.replaceChildren();
    },
  };
}
