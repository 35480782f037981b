// Curves in a template: chart(data, options), with the data and options of draw/curves.js.

import { createCurves } from '../draw/curves.js';
import { component } from './component.js';
import { createLegend } from '../draw/legend.js';

/** @type {(data: import('../draw/curves.js').CurvesData, options: Parameters<typeof createCurves>[1]) => unknown} */
export const chart = component(createCurves);

// Explains the colours of cells, in a template: legend(title, { scale, scheme, data }).

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
