// The model graph from left to right; each node leads to its view.

import { html } from 'lit-html';
import { announceFigure, tableOf } from '../../draw/figure.js';
import { placeIn } from '../shared/place.js';
import { lookedAt } from '../shared/words.js';
import { PROBABILITIES, attention, clampSelection } from '../../engine/plan.js';
import { longestOf, pathTo, thumbnailOf } from './thumbnail.js';
import * as view from './view.js';

/**
 * @typedef {import('../residual-stream/derived.js').MeasuredNode} MeasuredNode
 * @typedef {import('../../engine/results.js').Result} Result
 */

/** The panel that shows a node. @type {Record<import('../shared/graph.js').NodeKind, string>} */
const PANELS = {
  tokens: 'tokens-',
  embedding: 'embedding',
  positions: 'positions',
  attention: 'heatmap',
  add: 'residual-stream',
  norm: 'layer-norm',
  ffn: 'ffn',
  transform: 'logits',
  logits: 'logits',
  probabilities: 'logits',
};

/** @type {import('../index.js').Panel<import('./view.js').ModelGraphData>} */
export const modelGraph = {
  name: 'model-graph',
  slot: 'in-sight',
  section: html`
    <section class="panel model-graph-panel" aria-labelledby="model-graph-title" data-optional>
      <h2 id="model-graph-title" class="visually-hidden">Model graph</h2>
      <div class="map-scroll"><div id="model-graph" class="model-graph"></div></div>
    </section>`,
  required: ({ plan: { hasLogits } }) => ['@stream', ...(hasLogits ? ['logits', PROBABILITIES] : [])],
  present({ result, state, scheme }) {
    const graph = measuredGraph(result);
    if (!graph) return undefined;
    const selection = clampSelection(state.selection, result.plan.settings);
    const isOpen = state.layout === 'page' || state.graph.node === 'attention';
    const path = pathTo(graph, selection);
    const { row, key, columnWords } = lookedAt(result, state);
    const stacks = /** @type {const} */ (['encoder', 'decoder']).flatMap((stack) => {
      const own = graph[stack];
      if (!own) return [];
      const { at, words, names, ids } = placeIn(result, state, stack);
      const longest = longestOf(own.nodes);
      return [
        {
          stack,
          word: words === names ? words[at] : `${words[at]} → ${names[at]}`,
          feeds: stack === 'encoder' && graph.decoder !== null,
          nodes: own.nodes.map((node, index) => ({
            index,
            layer: node.layer,
            place: node.sublayer,
            label: node.label,
            around: node.residual,
            cross: node.kind === 'attention' && node.attention === 'cross',
            ...(node.kind === 'tokens' ? { number: `id ${ids[at]}`, value: ids[at] } : numberOf(node, result, at)),
            thumbnail: thumbnailOf(node, result, selection, { ids, longest, scheme }),
            onPath: isOpen && index < path[stack],
            current: isCurrent(node, selection, state.graph),
          })),
        },
      ];
    });
    return { stacks, opened: { cell: `${row} ${key}`, words: columnWords } };
  },
  create(root, { get, set, result, selection, viewsShown }) {
    const inner = view.create(root, {
      async onGo({ stack, index }) {
        const node = measuredGraph(result())?.[stack]?.nodes[index];
        if (!node) return;
        const { kind, sublayer } = node;
        set({
          graph: { ...get().graph, node: kind, ...(kind === 'norm' ? { sublayer } : {}) },
          selection: selectionOf(node, selection()),
        });
        await viewsShown();
        bringIntoSight(kind === 'tokens' ? `tokens-${stack}` : PANELS[kind]);
      },
    });
    return {
      ...inner,
      update(data) {
        inner.update(data);
        // What saves it stands beside the result, which scrolls.
        announceFigure(
          /** @type {HTMLElement} */ (root.closest('section')),
          data && { name: 'Model graph', element: root, tables: () => data.stacks.map(tableOfStack) },
        );
      },
    };
  },
};

/** @param {Result | null} result */
const measuredGraph = (result) =>
  /** @type {import('../residual-stream/derived.js').MeasuredGraph | undefined} */ (result?.derived.get('@stream'));

/** @param {import('./view.js').StackNodes} stack */
const tableOfStack = ({ stack, word, nodes }) =>
  tableOf(
    `${stack === 'encoder' ? 'Encoder' : 'Decoder'} at ${word}: vector lengths, largest logit and probability`,
    ['number'],
    nodes.map(({ layer, label, value }) => [layer === null ? label : `Layer ${layer + 1}: ${label}`, value]),
  );

/**
 * The selection that shows a node: its layer, and a kind of attention of its stack.
 * @param {MeasuredNode} node
 * @param {import('../../app/schema.js').Selection} now
 */
function selectionOf({ kind, attention: own, layer }, now) {
  const stack = own === 'encoder' ? 'encoder' : 'decoder';
  const stays = kind !== 'attention' && attention(now.kind).stack === stack;
  return { ...now, kind: stays ? now.kind : own, layer: layer ?? now.layer };
}

/**
 * @param {MeasuredNode} node
 * @param {import('../../app/schema.js').Selection} selection
 * @param {import('../../app/schema.js').GraphState} graph
 */
function isCurrent({ kind, attention: own, layer, sublayer }, selection, graph) {
  if (kind !== graph.node || (layer !== null && layer !== selection.layer)) return false;
  if (kind === 'attention') return own === selection.kind;
  const isHere = attention(own).stack === attention(selection.kind).stack;
  return isHere && (kind !== 'norm' || sublayer === graph.sublayer);
}

/** @param {MeasuredNode} node @param {Result} result @param {number} at the token */
function numberOf({ kind, norms }, { tensors, derived }, at) {
  if (norms) return { number: short(norms[at]), value: norms[at] };
  const tensor = /** @type {import('../../engine/protocol.js').Tensor | undefined} */ (
    kind === 'logits' ? tensors.get('logits') : derived.get(PROBABILITIES)
  );
  if (!tensor) return { number: '', value: NaN };
  const width = tensor.shape[tensor.shape.length - 1];
  const most = tensor.data.subarray(at * width, (at + 1) * width).reduce((a, b) => Math.max(a, b));
  return { number: `max ${short(most)}`, value: most };
}

/** @param {number} value */
const short = (value) => (Math.abs(value) < 1000 ? value.toFixed(2) : value.toPrecision(3)).replace('-', '−');

/**
 * Scrolls to a panel and moves the focus to its heading; in the workspace to the first one of the node's.
 * @param {string} name
 */
function bringIntoSight(name) {
  const panel = document.getElementById(name);
  const own = panel?.closest('section');
  const others = own?.closest('[data-layout="workspace"] .main-pane')?.querySelectorAll('section') ?? [];
  const section = [...others].find((each) => each.checkVisibility()) ?? own;
  const heading = section?.querySelector('h2') ?? panel;
  if (!panel || !section || !heading) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  section.scrollIntoView({ behavior: calm ? 'auto' : 'smooth', block: 'start' });
}
