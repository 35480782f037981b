// The former names of figure.js, for explore/model-graph/panel.js.

import { announceFigure, tableOf } from './figure.js';

export const sheetOf = tableOf;

/**
 * @param {HTMLElement} root
 * @param {{name: string, element: Element, sheets: import('./figure.js').Figure['tables']} | null} drawn
 */
export const tellDrawn = (root, drawn) => announceFigure(root, drawn && { ...drawn, tables: drawn.sheets });
