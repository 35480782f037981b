// The way through the model to what is open.

import { attention } from '../../engine/plan.js';

/** @typedef {{nodes: import('../derived/residual-stream.js').MeasuredNode[]}} Nodes */

/**
 * How many nodes of each stack lie on the way from the tokens to the selected attention, whose cell is open.
 * @param {{encoder: Nodes | null, decoder: Nodes | null}} graph
 * @param {import('../../app/schema.js').Selection} selection
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

/**
 * The state of the residual stream at a node, counted from the embedding: its output, or its input.
 * @param {readonly Pick<import('../shared/graph.js').Node, 'stream'>[]} nodes of a stack @param {number} index
 */
export const stageAt = (nodes, index) =>
  Math.max(0, nodes.slice(0, index + 1).filter(({ stream }) => stream).length - 1);
