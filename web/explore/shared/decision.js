// What decided an answer, as it was found (derived/decision.js): for the views that show something of it.

/**
 * @typedef {import('../../engine/results.js').Result} Result
 * @typedef {import('../index.js').State} State
 */

/**
 * Whether a node of the model graph is the one of its layer without which the answer that the reader asked about loses
 * most: of an attention its head, else true.
 * @param {import('./graph.js').Node} node
 * @param {Result} result
 * @param {State} state
 * @returns {number | boolean}
 */
export function decisiveAt(node, { derived }, { decision, cursor }) {
  if (!decision) return false;
  const found = [...derived].findLast(([name]) => name.startsWith(`@decision/${cursor.row}/`))?.[1]?.decisive;
  const own = found?.find(
    (/** @type {Pick<typeof node, 'kind' | 'attention' | 'layer'>} */ { kind, attention, layer }) =>
      kind === node.kind && attention === node.attention && layer === node.layer,
  );
  return own?.head ?? Boolean(own);
}
