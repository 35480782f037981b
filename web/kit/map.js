// A heatmap in a template: map(data, options), with the data and options of draw/map.js.

import { createMap } from '../draw/lit-map.js';
import { component } from './component.js';

/** @type {(data: import('../draw/map.js').MapData | null, options: import('../draw/map.js').MapOptions) => unknown} */
export const map = component(createMap);
