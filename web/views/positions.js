// What is added to the embeddings to say where a token stands: positions × dimensions.

import { roundLimit, signedScale } from '../draw/color.js';
import { createMap } from '../draw/map.js';

/**
 * @typedef {{
 *   title: string, words: string[], dimensions: number, data: Float32Array, sinusoidal: boolean,
 *   scheme: import('../draw/color.js').Scheme, cursor: {row: number, column: number},
 * }} PositionsData
 */

/**
 * @param {HTMLElement} root
 * @param {{onCursor: (cell: {row: number, column: number}) => void}} options
 */
export function create(root, { onCursor }) {
  const map = createMap(root, {
    min: 2, max: 28, height: 330, onCursor,
    empty: 'No positions to show: no tokens, or positions are switched off, so the model cannot tell the order of words.',
  });
  return {
    /** @param {PositionsData | null} data */
    update(data) {
      if (!data) return map.update(null);
      const { title, words, dimensions, sinusoidal, scheme, cursor } = data;
      map.update({
        name: title,
        matrix: {
          rows: words.length, columns: dimensions, data: data.data, scheme,
          scale: signedScale(scheme, sinusoidal ? 1 : roundLimit(data.data)),
        },
        scaleTitle: title,
        rowAxis: { title: 'position', noun: 'position', label: i => `${i} ${words[i]}` },
        columnAxis: { title: 'dimension', noun: 'dimension', label: String },
        cursor,
      });
    },
    destroy: map.destroy,
  };
}
