// A node's tensor, small: attention weights, logits and probabilities as a map, vectors by their lengths, a cell for
// each token. Drawn from what the page has anyway.

import { PROBABILITIES, attention, attentionName } from '../../engine/plan.js';
import { probabilityScale, roundLimit, signedScale } from '../../draw/color.js';

/**
 * @typedef {import('../residual-stream/derived.js').MeasuredNode} MeasuredNode
 * @typedef {import('../../app/schema.js').Selection} Selection
 */

/** Where a tensor has more, a cell is the value of the largest magnitude among several. */
export const MOST = { rows: 9, columns: 28 };

/**
 * @param {MeasuredNode} node
 * @param {Pick<import('../../engine/results.js').Result, 'tensors' | 'derived'>} result
 * @param {Selection} selection its head is shown in its layer, elsewhere the first
 * @param {{ids: ArrayLike<number>, longest: number, scheme: import('../../draw/color.js').Scheme}} options
 *   `longest`: the length of full colour, one for all nodes of a stack, so that these compare
 * @returns {import('../../draw/canvas.js').Matrix | null} null: the page does not have it
 */
export function thumbnailOf(
  { kind, attention: own, layer, norms },
  { tensors, derived },
  selection,
  { ids, longest, scheme },
) {
  if (kind === 'attention') {
    const tensor = tensors.get(attentionName(own, Number(layer), 'weights'));
    if (tensor) {
      const [, , rows, columns] = tensor.shape;
      const head = own === selection.kind && layer === selection.layer ? selection.head : 0;
      const data = tensor.data.subarray(head * rows * columns, (head + 1) * rows * columns);
      return { ...pooled(data, rows, columns), scale: probabilityScale(scheme, true), scheme };
    }
  }
  if (kind === 'logits' || kind === 'probabilities') {
    const tensor = kind === 'logits' ? tensors.get('logits') : derived.get(PROBABILITIES);
    if (!tensor) return null;
    const columns = tensor.shape[tensor.shape.length - 1];
    const map = pooled(tensor.data, tensor.data.length / columns, columns);
    const isSigned = kind === 'logits';
    return {
      ...map,
      scale: isSigned ? signedScale(scheme, roundLimit(map.data)) : probabilityScale(scheme, true),
      scheme,
    };
  }
  const strip = norms ?? Float32Array.from(ids);
  if (!strip.length) return null;
  const map = pooled(strip, 1, strip.length);
  const high = norms ? longest : largest(map.data);
  return { ...map, scale: { ...probabilityScale(scheme), high }, scheme };
}

/** The length of full colour in a stack. @param {MeasuredNode[]} nodes */
export const longestOf = (nodes) => Math.max(...nodes.map(({ norms }) => (norms ? largest(norms) : 0)), 0) || 1;

/** @param {Float32Array} data */
const largest = (data) => data.reduce((a, b) => Math.max(a, b), 0) || 1;

/**
 * A matrix of at most so many cells.
 * @param {Float32Array} data
 * @param {number} rows
 * @param {number} columns
 */
export function pooled(data, rows, columns) {
  const [high, wide] = [Math.min(rows, MOST.rows), Math.min(columns, MOST.columns)];
  if (high === rows && wide === columns) return { rows, columns, data };
  const cells = new Float32Array(high * wide);
  for (let i = 0; i < data.length; i++) {
    const row = Math.floor((Math.floor(i / columns) * high) / rows);
    const at = row * wide + Math.floor(((i % columns) * wide) / columns);
    if (Math.abs(data[i]) > Math.abs(cells[at])) cells[at] = data[i];
  }
  return { rows: high, columns: wide, data: cells };
}

/**
 * How many nodes of each stack lie on the way from the tokens to the selected attention, whose cell is open.
 * @param {{encoder: {nodes: MeasuredNode[]} | null, decoder: {nodes: MeasuredNode[]} | null}} graph
 * @param {Selection} selection
 */
export function pathTo(graph, { kind, layer }) {
  const { stack, columns } = attention(kind);
  const way = { encoder: 0, decoder: 0 };
  way[columns] = graph[columns]?.nodes.length ?? 0;
  way[stack] =
    1 +
    (graph[stack]?.nodes.findIndex(
      (node) => node.kind === 'attention' && node.attention === kind && node.layer === layer,
    ) ?? -1);
  return way;
}
