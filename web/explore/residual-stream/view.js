// The residual stream: tokens × stages, the norm of each vector and how much each sublayer changes it.

import { render } from 'lit-html';
import { positiveScale, roundLimit, signedScale } from '../../draw/color.js';
import { menu } from '../../draw/controls.js';
import { createMap } from '../../draw/lit-map.js';

/**
 * @typedef {'norms' | 'changes' | 'cosines'} Shown
 * `norms` is tokens × titles; `changes` and `cosines` are tokens × all titles but the first.
 * @typedef {{
 *   titles: string[], norms: Float32Array, changes: Float32Array, cosines: Float32Array, shown: Shown, words: string[],
 *   row: number, stage: number, scheme: import('../../draw/color.js').Scheme,
 * }} StreamData
 */

/** @type {Record<Shown, string>} */
const SHOWN = { norms: 'Length ‖x‖', changes: 'Relative change ‖Δx‖ / ‖x‖', cosines: 'Cosine with the vector before' };

const WIDEST = 34; // px, of a cell

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
    uprightColumns: true,
    min: 12,
    max: WIDEST,
    height: 420,
    empty: 'No residual stream: it needs a text of which all layers are computed.',
    onCursor: ({ row, column }) => onCursor({ row, column: column + first }),
  });
  let first = 0; // the stage of the first column
  return {
    /** @param {StreamData | null} data */
    update(data) {
      head.hidden = !data;
      if (!data) return map.update(null);
      const { titles, shown, words, row, scheme } = data;
      first = shown === 'norms' ? 0 : 1;
      const columns = titles.slice(first);
      const column = Math.max(0, Math.min(data.stage - first, columns.length - 1));
      render(menu('Show', SHOWN, shown, onShow), head);
      map.update({
        name: `Residual stream, ${SHOWN[shown]}`,
        matrix: {
          rows: words.length,
          columns: columns.length,
          data: data[shown],
          scheme,
          scale: shown === 'cosines' ? signedScale(scheme, 1) : positiveScale(scheme, roundLimit(data[shown])),
        },
        scaleTitle: SHOWN[shown],
        rowAxis: { title: 'token', noun: 'row', part: 'row', label: (i) => words[i] },
        columnAxis: {
          title: 'after',
          noun: 'after',
          part: 'stage',
          value: (i) => columns[i],
          label: (i) => columns[i],
        },
        cursor: { row, column },
      });
    },
    destroy() {
      map.destroy();
      root.replaceChildren();
    },
  };
}
