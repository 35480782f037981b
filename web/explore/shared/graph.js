// The nodes of the model graph as the page shows them: read from the module (model.graph()), a residual sum and
// the norm behind it as one node.

import { attention } from '../../engine/plan.js';

/**
 * @typedef {import('../../engine/worker.js').Model} Model
 * @typedef {'encoder' | 'decoder'} Stack
 * @typedef {ReturnType<Model['graph']>[number]['kind']} NodeKind
 *
 * `attention`: the kind that is shown for the node's place; `sublayer`: counted in its layer from 1, as PyTorch
 * numbers its norms, 0 outside the layers, of a second norm there SECOND; `name` of the sublayer.
 * `tensor`: what comes out, [B, T, C], null where
 * that is no vector; `before`: what a norm reads; `stream`: what comes out is a state of the residual stream;
 * `residual`: a residual connection leads around its sublayer; `beside`: a norm that reads what attention reads, as the
 * FFN stands beside it.
 * @typedef {{
 *   kind: NodeKind, attention: Stack | 'cross', layer: number | null, sublayer: number, label: string, name: string,
 *   tensor: string | null, before: string | null, stream: boolean, residual: boolean, beside: boolean,
 * }} Node
 */

/**
 * No text changes them.
 * @typedef {{encoder: Node[] | null, decoder: Node[] | null}} Nodes
 * @type {WeakMap<Model, Nodes>}
 */
const known = new WeakMap();

/**
 * @param {Model} model that has run with capture
 * @param {boolean} isPart of one layer: then there are not the tensors of all
 */
export function nodesOf(model, isPart) {
  if (isPart) return readNodes(model);
  const nodes = known.get(model) ?? readNodes(model);
  known.set(model, nodes);
  return nodes;
}

/** @param {Model} model @returns {Nodes} */
function readNodes(model) {
  const graph = model.graph();
  const { normKind, ffn, parallel } = model.config;
  const norm = normKind === 'rms' ? 'RMSNorm' : 'Norm';
  const labels = { ...LABELS, norm, ...(ffn === 'gated' && { ffn: 'Gated FFN' }) };
  const isVector = new Set(['embedding', 'positions', 'attention', 'add', 'norm', 'ffn', 'transform', 'logits']);
  /** @type {Node[]} */
  const nodes = [];
  graph.forEach(({ kind, stack, layer, sublayer, attention, tensor, inputs, stream, residual }) => {
    const input = graph[inputs[0]];
    const last = nodes.at(-1);
    const isAddAndNorm =
      kind === 'norm' &&
      input.kind === 'add' &&
      last?.kind === 'add' &&
      sublayer !== null &&
      input.sublayer === sublayer &&
      input.layer === layer;
    if (isAddAndNorm) nodes.pop();
    nodes.push({
      kind,
      attention: attention === 'cross' ? 'cross' : /** @type {Stack} */ (stack),
      layer,
      sublayer: sublayer ?? (kind === 'norm' && nodes.some((each) => isOutside(each, stack)) ? SECOND : 0),
      label: isAddAndNorm
        ? norm === 'Norm'
          ? 'Add & norm'
          : `Add & ${norm}`
        : input?.kind === 'transform'
          ? labels[kind]
          : labelOf(labels, {
              kind,
              layer,
              attention,
              isAfter: nodes.some((each) => asStack(each.attention) === stack && each.layer !== null),
            }),
      name: kind === 'ffn' || (layer !== null && attention === null) ? 'FFN' : nameOf(attention),
      tensor: isVector.has(kind) ? tensor : null,
      before: kind === 'norm' ? input.tensor : null,
      stream,
      residual,
      beside: Boolean(parallel) && kind === 'norm' && layer !== null && sublayer !== 1,
    });
  });
  /** @param {Stack} stack */
  const ofStack = (stack) => {
    const own = nodes.filter(({ attention }) => asStack(attention) === stack);
    return own.length ? own : null;
  };
  return { encoder: ofStack('encoder'), decoder: ofStack('decoder') };
}

/** Behind the sublayers of a layer, of which there are three at most. */
const SECOND = 4;

/** A norm outside the layers. @param {Node} node @param {Stack | null} stack */
const isOutside = ({ kind, layer, attention: own }, stack) =>
  kind === 'norm' && layer === null && asStack(own) === stack;

/** The stack that an argument of a derived value names. @param {string} name */
export const asStack = (name) => (name === 'encoder' ? 'encoder' : 'decoder');

/** @param {'self' | 'cross' | null} attention */
const nameOf = (attention) => (attention === 'cross' ? 'cross-attention' : 'attention');

/** @type {Record<NodeKind, string>} */
const LABELS = {
  tokens: 'Tokens',
  embedding: 'Embedding',
  positions: '+ Positions',
  attention: 'Attention',
  add: 'Add',
  norm: 'Norm',
  ffn: 'FFN',
  transform: 'Transform',
  logits: 'Logits',
  probabilities: 'Probabilities',
  values: 'Values',
};

/**
 * @param {Record<NodeKind, string>} labels
 * @param {{kind: NodeKind, layer: number | null, attention: 'self' | 'cross' | null, isAfter: boolean}} node
 *   `isAfter`: behind the layers
 */
function labelOf(labels, { kind, layer, attention, isAfter }) {
  if (kind === 'attention' && attention === 'cross') return 'Cross-attention';
  const isFinal = kind === 'norm' && layer === null && isAfter;
  return isFinal ? (labels.norm === 'Norm' ? 'Final norm' : `Final ${labels.norm}`) : labels[kind];
}

/**
 * The parts that compute the logits: the stack whose states meet the output table, the table's weight, and the norm
 * before them or before the transform, if there is one. null: the model has no head.
 * @param {Model} model
 */
export function outputOf(model) {
  const graph = model.graph();
  const logits = graph.find(({ kind }) => kind === 'logits');
  if (!logits?.weight) return null;
  let norm = graph[logits.inputs[0]];
  const transform = graph[norm.inputs[0]];
  if (transform?.kind === 'transform') norm = graph[transform.inputs[0]];
  return { stack: /** @type {Stack} */ (logits.stack), table: logits.weight, norm: norm.kind === 'norm' ? norm : null };
}

/**
 * The name of the tensor with these facts (model.tensors()); null: the model has none. The last: a norm of embeddings
 * has the facts of a final norm, and stands before it.
 * @param {Model} model
 * @param {Partial<ReturnType<Model['tensors']>[number]>} facts
 * @returns {string | null}
 */
export function tensorWith(model, facts) {
  const wanted = Object.entries(facts);
  const found = model.tensors().findLast((each) => wanted.every(([key, value]) => Reflect.get(each, key) === value));
  return found?.name ?? null;
}

/**
 * The derived value of the selected norm.
 * @param {Pick<State, 'selection'> & Partial<Pick<State, 'graph'>>} state
 */
export const normName = ({ selection: { kind, layer }, graph }) =>
  `@norm/${attention(kind).stack}/${layer}/${graph?.sublayer ?? 1}`;

/**
 * @typedef {import('../../engine/results.js').Result} Result
 * @typedef {import('../index.js').State} State
 */

/**
 * The causes of the answer that the reader asked about; null: they are not found yet, or nothing is asked.
 * @param {Result} result @param {State} state
 * @returns {import('../derived/decision.js').Decision | null}
 */
export function causesIn({ derived }, { decision, cursor }) {
  const found = decision && [...derived].findLast(([name]) => name.startsWith(`@decision/${cursor.row}/`))?.[1];
  return found && !found.unfinished ? found : null;
}

/**
 * The links and FFNs that decide, in the order of the model, with what is left of the answer without each.
 * @param {Pick<import('../derived/decision.js').Decision, 'links' | 'ffns'>} found
 */
export const decidingSteps = ({ links, ffns }) =>
  [
    ...links.filter(({ carries }) => carries).map((link) => ({ at: link.layer, left: link.probability, link })),
    ...ffns.map((ffn) => ({ at: ffn.layer + 0.5, left: ffn.off, ffn })), // after the heads of its layer
  ].sort((a, b) => a.at - b.at);
