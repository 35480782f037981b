// Explains the colours of cells, in a template: legend(title, { scale, scheme, data }).

import { createLegend } from '../draw/legend.js';
import { component } from './component.js';

const shown = component((root) => {
  const { element, update } = createLegend();
  root.append(element);
  return { update: (/** @type {[any, string]} */ [matrix, title]) => update(matrix, title) };
});

/**
 * @param {string} title
 * @param {Pick<import('../draw/canvas.js').Matrix, 'scale' | 'scheme' | 'data'>} matrix
 */
export const legend = (title, matrix) => shown([{ rows: 0, columns: 0, ...matrix }, title]);
