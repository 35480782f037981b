// FFN activations as a map: a row for each token, a column for each neuron.

import { paintMatrix } from './canvas.js';
import { positiveScale, roundLimit, signedScale } from './color.js';

/** The last two are of a gated network. */
const NAMES = { activation: 'Activation', pre_activation: 'Pre-activation', up: 'Up', product: 'Product' };

/**
 * `called`: the quantity, where a view has other words for it; `numberAt`: the neuron of a column; `label`: the
 * text of its label; `root`: colours by the square root.
 * @param {{
 *   title: string, quantity: keyof typeof NAMES, called?: string, words: string[], neurons: number,
 *   data: Float32Array,
 *   scheme: import('./color.js').Scheme, cursor: import('./map.js').Cell, root?: boolean,
 *   numberAt?: (column: number) => number, label?: (column: number) => string,
 * }} shown
 * @returns {import('./map.js').MapData}
 */
export function neuronMap({ title, quantity, words, neurons, data, scheme, cursor, root = false, ...names }) {
  const { numberAt = (column) => column, label = String, called } = names;
  const isSigned = quantity !== 'activation' || data.some((value) => value < 0);
  const quantityName = called ?? NAMES[quantity];
  return {
    name: `${title}, ${called ?? `${quantityName.toLowerCase()}s`}`,
    matrix: {
      rows: words.length,
      columns: neurons,
      data,
      scheme,
      scale: (isSigned ? signedScale : positiveScale)(scheme, roundLimit(data), root),
    },
    scaleTitle: quantityName,
    rowAxis: { title: 'token', noun: 'row', part: 'row', label: (i) => words[i] },
    columnAxis: { title: 'neuron', noun: 'neuron', part: 'neuron', index: numberAt, label },
    cursor,
  };
}

/**
 * Paints the activations of an FFN small: where there are more neurons than pixels, of neighbouring ones the value of
 * largest magnitude; by the root, so that one large value does not bleach the others.
 * @param {HTMLCanvasElement} canvas as wide as it is shown
 * @param {{rows: number, neurons: number, data: Float32Array, scheme: import('./color.js').Scheme}} shown
 */
export function paintNeurons(canvas, { rows, neurons, data, scheme }) {
  const width = Math.floor(canvas.getBoundingClientRect().width * devicePixelRatio);
  if (!width) return; // not in sight
  let small = pooled.get(data);
  if (small?.width !== width) pooled.set(data, (small = { width, ...pooledTo(width, data, neurons) }));
  const scaleOf = small.data.some((value) => value < 0) ? signedScale : positiveScale;
  paintMatrix(canvas, { ...small, rows, scheme, scale: scaleOf(scheme, roundLimit(small.data), true) });
}

/** By activations, as a view is drawn more often than they change. @type {WeakMap<Float32Array, Small>} */
const pooled = new WeakMap();
/** @typedef {{width: number, columns: number, data: Float32Array}} Small */

/**
 * Neighbouring columns as one where there are more than `most`: of each row the value of largest magnitude.
 * @param {number} most @param {Float32Array} data [rows, columns] @param {number} columns
 */
export function pooledTo(most, data, columns) {
  if (columns <= most) return { columns, data };
  const largest = new Float32Array((data.length / columns) * most);
  for (let i = 0; i < data.length; i++) {
    const at = Math.floor(i / columns) * most + Math.floor(((i % columns) * most) / columns);
    if (Math.abs(data[i]) > Math.abs(largest[at])) largest[at] = data[i];
  }
  return { columns: most, data: largest };
}

/**
 * Counts the exact zeros of the map, and the neurons that are zero for every token.
 * @param {Float32Array} data
 * @param {number} neurons
 */
export function zerosOf(data, neurons) {
  const alive = new Uint8Array(neurons);
  let count = 0;
  for (let i = 0; i < data.length; i++) {
    if (data[i] === 0) count++;
    else alive[i % neurons] = 1;
  }
  return {
    share: `${((100 * count) / data.length).toFixed(1)} %`,
    dead: alive.reduce((sum, flag) => sum - flag, neurons),
  };
}
