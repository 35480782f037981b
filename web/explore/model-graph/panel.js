// The model graph from left to right, an attention as its heads; each node and head leads to its view.

import { html } from 'lit-html';
import { announceFigure, tableOf } from '../../draw/figure.js';
import { typeset, withMinus } from '../../draw/typeset.js';
import { logitsOfRow, probabilitiesOfRow } from '../shared/answer-row.js';
import { decisiveAt } from '../shared/decision.js';
import { valueLabel } from '../../engine/interventions.js';
import { unitOf } from '../../models/catalogue.js';
import { placeIn } from '../shared/place.js';
import { coloursOf, selectedIn, wordsOf } from '../shared/words.js';
import { PROBABILITIES, attention, attentionKinds, attentionName, openNode } from '../../engine/plan.js';
import { pathTo, stageAt } from './path.js';
import * as view from './view.js';

/**
 * @typedef {import('../derived/residual-stream.js').MeasuredNode} MeasuredNode
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
  values: 'logits',
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
  required: ({ plan: { hasLogits, settings } }) => [
    '@stream',
    ...(hasLogits ? ['logits', PROBABILITIES] : []),
    ...attentionKinds(settings).flatMap(({ kind }) =>
      Array.from({ length: settings.layers }, (_, layer) => attentionName(kind, layer, 'weights')),
    ),
  ],
  present({ result, state, scheme }) {
    const graph = measuredGraph(result);
    if (!graph) return undefined;
    const { selection, row, key, columnWords } = selectedIn(result, state);
    const isOpen = state.layout === 'page' || openNode(state) === 'attention';
    const path = pathTo(graph, selection);
    /** @type {import('./view.js').StackNodes[]} */
    const stacks = [];
    for (const stack of /** @type {const} */ (['encoder', 'decoder'])) {
      const own = graph[stack];
      if (!own) continue;
      const { at, words, names, ids } = placeIn(result, state, stack);
      const nodes = own.nodes.map((node, index) => ({
        index,
        kind: node.kind,
        layer: node.layer,
        label: node.label,
        ...(node.kind === 'tokens'
          ? { measure: 'id', number: `${ids[at]}`, value: ids[at] }
          : numberOf(node, result, at)),
        heads: node.kind === 'attention' ? headsOf(node, result, state) : null,
        onPath: isOpen && index < path[stack],
        decisive: decisiveAt(node, result, state),
        current: isCurrent(node, selection, { ...state.graph, node: openNode(state) }),
      }));
      if (nodes.some(({ kind, heads }) => kind === 'attention' && !heads)) return undefined;
      stacks.push({ stack, word: words === names ? words[at] : `${words[at]} → ${names[at]}`, nodes });
    }
    return {
      stacks,
      selected: selection,
      scheme,
      colours: coloursOf(state),
      unit: unitOf(result.plan.model),
      opened: { cell: `${row} ${key}`, words: columnWords },
    };
  },
  create(root, { get, set, result, selection, viewShown }) {
    const inner = view.create(root, {
      async onGo({ stack, index, head }) {
        const nodes = measuredGraph(result())?.[stack]?.nodes ?? [];
        const node = nodes[index];
        if (!node) return;
        const { kind } = node;
        const isSum = SUMS.includes(kind);
        const isHere = openNode(get()) === kind;
        set({
          graph: {
            ...get().graph,
            node: kind,
            ...(isSum && { sublayer: node.sublayer, stage: stageAt(nodes, index) }),
          },
          selection:
            head === undefined
              ? selectionOf(node, selection())
              : { kind: node.attention, layer: Number(node.layer), head },
        });
        if (head !== undefined && isHere) return;
        const panel = kind === 'tokens' ? `tokens-${stack}` : PANELS[kind];
        await viewShown(panel);
        bringIntoSight(panel, head === undefined);
      },
    });
    return {
      ...inner,
      update(data) {
        inner.update(data);
        // What saves it stands beside the result, which scrolls.
        announceFigure(
          /** @type {HTMLElement} */ (root.closest('section')),
          data && { name: 'Model graph', element: root, tables: () => data.stacks.flatMap(tablesOf) },
        );
      },
    };
  },
};

/** @param {Result | null} result */
const measuredGraph = (result) =>
  /** @type {import('../derived/residual-stream.js').MeasuredGraph | undefined} */ (result?.derived.get('@stream'));

/**
 * The heads of an attention, with one word about each that is set by hand; null: they are not here yet.
 * @param {MeasuredNode} node @param {Result} result @param {import('../../app/schema.js').State} state
 * @returns {import('./view.js').Heads | null}
 */
function headsOf({ attention: kind, layer }, result, { interventions }) {
  const tensor = result.tensors.get(attentionName(kind, Number(layer), 'weights'));
  if (!tensor && result.facts.part === null) return null;
  const marks = Array.from({ length: result.plan.settings.heads }, (_, head) => {
    const change = interventions.find(
      (each) => each.what === 'head' && each.kind === kind && each.layer === layer && each.head === head,
    );
    return change && 'to' in change ? valueLabel(change.to) : null;
  });
  const title = `${attention(kind).title}, layer ${Number(layer) + 1}`;
  const words = wordsOf(result, kind);
  const [rows, columns] = [words.rowWords.length, words.columnWords.length];
  const data = tensor?.data ?? null; // null: another layer of a long text is computed
  return { kind, title, marks, rows, columns, data, hidden: result.hidden[kind], ...words };
}

/** @param {import('./view.js').StackNodes} stack */
const tablesOf = ({ stack, word, nodes }) => [
  tableOf(
    `${stack === 'encoder' ? 'Encoder' : 'Decoder'} at ${word}: vector lengths, largest logit and probability`,
    ['number'],
    nodes.map(({ layer, label, value }) => [layer === null ? label : `Layer ${layer + 1}: ${label}`, value]),
  ),
  ...nodes.flatMap(({ heads }) => (heads?.data ? [tableOfHeads(heads, heads.data)] : [])),
];

/**
 * @param {import('./view.js').Heads} heads @param {Float32Array} data
 * @returns {import('../../draw/figure.js').Table}
 */
const tableOfHeads = ({ title, marks, rows, columns, rowWords, columnWords }, data) => ({
  name: title,
  shape: [marks.length, rows, columns],
  data,
  columns: columnWords,
  rows: marks.flatMap((_, head) => rowWords.map((word) => `head ${head + 1} ${word}`)),
});

/**
 * The selection that shows a node: its layer, and an attention of its stack.
 * @param {MeasuredNode} node
 * @param {import('../../app/schema.js').Selection} now
 */
function selectionOf({ attention: own, layer }, now) {
  const stays = attention(now.kind).stack === own;
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
  return isHere && (!SUMS.includes(kind) || sublayer === graph.sublayer);
}

/** The nodes at which the residual stream is shown. @type {import('../shared/graph.js').NodeKind[]} */
const SUMS = ['add', 'norm'];

/** @type {import('../shared/graph.js').NodeKind[]} */
const ANSWERING = ['logits', 'probabilities'];

/** @param {MeasuredNode} node @param {Result} result @param {number} at the token */
function numberOf({ kind, norms }, result, at) {
  if (norms) return { measure: 'vector length', number: short(norms[at]), value: norms[at] };
  if (!ANSWERING.includes(kind)) return { measure: 'vector length', number: '', value: NaN };
  const row = kind === 'logits' ? logitsOfRow(result, at) : probabilitiesOfRow(result, at);
  const measure = 'largest';
  if (!row) return { measure, number: '', value: NaN };
  const most = row.reduce((a, b) => Math.max(a, b));
  return { measure, number: short(most), value: most };
}

/** @param {number} value */
function short(value) {
  if (Math.abs(value) >= 1e6) return typeset(value.toExponential(2));
  return withMinus(Math.abs(value) < 1000 ? value.toFixed(2) : Math.round(value).toLocaleString('en'));
}

/**
 * Scrolls to a panel and may move the focus to its heading; in the workspace to the first one of the node's.
 * @param {string} name @param {boolean} focuses
 */
function bringIntoSight(name, focuses) {
  const panel = document.getElementById(name);
  const own = panel?.closest('section');
  const others = own?.closest('[data-layout="workspace"] .workspace')?.querySelectorAll('.main-pane section') ?? [];
  const section = [...others].find((each) => each.checkVisibility()) ?? own;
  const heading = section?.querySelector('h2') ?? panel;
  if (!panel || !section || !heading) return;
  if (focuses) {
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  }
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  section.scrollIntoView({ behavior: calm ? 'auto' : 'smooth', block: 'start' });
}
