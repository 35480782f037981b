// Curves in a template: chart(data, options), with the data and options of draw/curves.js.

import { createCurves } from '../draw/curves.js';
import { component } from './component.js';

/** @type {(data: import('../draw/curves.js').CurvesData, options: Parameters<typeof createCurves>[1]) => unknown} */
export const chart = component(createCurves);
