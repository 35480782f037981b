// A few rows of signed numbers as a band of colours, with a text about the column under the pointer.

import { paintMatrix } from './canvas.js';
import { roundLimit, signedScale } from './color.js';
import { createLegend } from './legend.js';

/**
 * @typedef {{
 *   labels: string[], data: Float32Array, columns: number, scheme: import('./color.js').Scheme, title: string,
 *   describe: (column: number | null) => string, limit?: number,
 * }} StripData
 * `data`: [labels, columns]; `limit`: of the colours, if it is not that of the data;
 * `describe`: the text below, about a column, or about none in particular.
 */

export function createStrip() {
  const element = document.createElement('div');
  const labels = document.createElement('div');
  const canvas = document.createElement('canvas');
  const line = document.createElement('p');
  const legend = createLegend();
  element.className = 'strip';
  labels.className = 'strip-labels';
  line.className = 'strip-line';
  for (const part of [labels, canvas]) part.ariaHidden = 'true';
  element.append(labels, canvas, line, legend.element);
  /** @type {StripData | null} */
  let data = null;

  /** @param {number | null} column */
  const describe = (column) => void (line.textContent = data?.describe(column) ?? '');
  canvas.addEventListener('pointermove', ({ offsetX }) => {
    if (!data) return;
    const column = Math.floor((offsetX / canvas.clientWidth) * data.columns);
    describe(Math.max(0, Math.min(data.columns - 1, column)));
  });
  canvas.addEventListener('pointerleave', () => describe(null));

  return {
    element,
    /** @param {StripData} next */
    update(next) {
      data = next;
      const matrix = {
        rows: next.labels.length,
        columns: next.columns,
        data: next.data,
        scheme: next.scheme,
        scale: signedScale(next.scheme, next.limit ?? roundLimit(next.data)),
      };
      labels.replaceChildren(
        ...next.labels.map((text) => Object.assign(document.createElement('span'), { textContent: text })),
      );
      paintMatrix(canvas, matrix);
      legend.update(matrix, next.title);
      describe(null);
    },
  };
}
