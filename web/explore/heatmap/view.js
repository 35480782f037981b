// One head, large: query rows, key columns.

import { html, render } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { probabilityScale, roundLimit, signedScale } from '../../draw/color.js';
import { isChecked, menu } from '../../draw/controls.js';
import { createMap } from '../../draw/lit-map.js';
import { createFrames, createMarks } from '../../draw/marks.js';

/**
 * @typedef {'weights' | 'scores' | 'scaled' | 'masked'} Quantity
 * @typedef {'linear' | 'root'} Colours
 * `layerData` holds the quantity of all heads of the layer, so that they share one scale.
 * @typedef {{
 *   title: string, quantity: Quantity, rowWords: string[], columnWords: string[],
 *   data: Float32Array, layerData: Float32Array, hidden: Uint8Array, colours: Colours,
 *   scheme: import('../../draw/color.js').Scheme, cursor: {row: number, column: number}, mean: boolean,
 *   marks: import('../../draw/marks.js').Mark[], brush: number[], caption: import('./caption.js').Piece[] | null,
 * }} HeatmapData
 * `mean`: the data are the mean of the layer's heads.
 */

/** @type {Record<Quantity, string>} */
const LABELS = {
  weights: 'Weights (softmax)',
  scores: 'Scores, QKᵀ',
  scaled: 'Scaled scores, QKᵀ/√dₖ',
  masked: 'Masked scores',
};

/** @type {Record<Quantity, string>} */
const SCALE_TITLES = { weights: 'Attention weight', scores: 'Score', scaled: 'Scaled score', masked: 'Masked score' };

/** @type {Record<Colours, string>} */
const COLOURS = { linear: 'Linear', root: 'Square root' };

/**
 * @param {HTMLElement} root
 * @param {{
 *   onCursor: (cell: {row: number, column: number}) => void,
 *   onQuantity: (quantity: Quantity) => void, onColours: (colours: Colours) => void, onMean: (mean: boolean) => void,
 *   onOpen: (cells: HTMLElement) => void, height: () => number,
 * }} options `height`: of the map, in pixels
 */
export function create(root, { onCursor, onQuantity, onColours, onMean, onOpen, height }) {
  const head = document.createElement('div');
  const body = document.createElement('div');
  head.className = 'view-head';
  root.append(head, body);
  const map = createMap(body, {
    flattest: 3,
    uprightColumns: true,
    min: 3,
    max: 240,
    onCursor,
    get height() {
      return height();
    },
    empty: 'No tokens, so no attention to show.',
  });
  const marks = createMarks(body);
  const frames = createFrames(body);
  const cells = /** @type {HTMLElement} */ (body.querySelector('.map-cells'));
  cells.setAttribute('aria-keyshortcuts', 'Enter');
  cells.addEventListener('keydown', ({ key }) => key === 'Enter' && onOpen(cells));

  return {
    /** @param {HeatmapData | null} data */
    update(data) {
      head.hidden = !data;
      if (!data) return map.update(null);
      const { title, quantity, rowWords, columnWords, layerData, hidden, colours, scheme, cursor, mean } = data;
      const isWeights = quantity === 'weights';
      render(
        html`
        <p class="view-title">${title}</p>
        ${menu('Show', LABELS, quantity, onQuantity, { className: 'quantity' })}
        ${menu('Colours', COLOURS, colours, onColours, { className: 'colours', hidden: !isWeights })}
        <label class="mean"><input type="checkbox" .checked=${live(mean)}
          @change=${(/** @type {Event} */ event) => onMean(isChecked(event))}>
          Mean of this layer’s heads</label>
        ${
          data.caption &&
          html`<p class="caption">${data.caption.map((piece) =>
            typeof piece === 'string' ? piece : html`<bdi class="quoted">${piece.word}</bdi>`,
          )} <span class="caption-hint">Click any cell to see why.</span></p>`
        }`,
        head,
      );
      map.update({
        name: `${title}, ${quantity}`,
        matrix: {
          rows: rowWords.length,
          columns: columnWords.length,
          data: data.data,
          scheme,
          hidden: isWeights || quantity === 'masked' ? hidden : null,
          scale: isWeights ? probabilityScale(scheme, colours === 'root') : signedScale(scheme, roundLimit(layerData)),
        },
        scaleTitle: `${SCALE_TITLES[quantity]}${isWeights ? '' : ', same scale for all heads of the layer'}`,
        rowAxis: { title: 'query', noun: 'row', part: 'row', label: (i) => rowWords[i] },
        columnAxis: { title: 'key', noun: 'column', part: 'key', label: (i) => columnWords[i] },
        cursor,
      });
      marks.update(data.marks, rowWords.length, columnWords.length);
      frames.update(data.brush, rowWords.length);
    },
    destroy() {
      map.destroy();
      root.replaceChildren();
    },
  };
}
