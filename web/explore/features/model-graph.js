// The model graph from left to right, on a line, the residual stream: a button for each node, a map for each head. Each
// leads to its view.

import { html, nothing } from 'lit-html';
import { indexByKey } from '../../draw/keys.js';
import { hueOf } from '../../draw/color.js';
import { tableOf } from '../../draw/figure.js';
import { paintHeads } from '../../draw/head-maps.js';
import { paintNeurons } from '../../draw/neuron-tile.js';
import { typeset, withMinus } from '../../draw/numbers.js';
import { setTo, valueLabel } from '../../engine/interventions.js';
import {
  PROBABILITIES,
  attention,
  attentionKinds,
  attentionName,
  depthOf,
  openNode,
  sharing,
  stagesOfQuery,
} from '../../engine/plan.js';
import { acting, figure } from '../../kit/figure.js';
import { frameShown } from '../../kit/turn.js';
import { unitOf } from '../../models/catalogue.js';
import { logitsOfRow, probabilitiesOfRow } from '../shared/answer-row.js';
import { causesIn } from '../shared/graph.js';
import { headsBehind } from '../shared/opening.js';
import { coloursOf, placeIn, selectedIn, wordsOf } from '../shared/words.js';

/**
 * @typedef {import('../derived/residual-stream.js').MeasuredNode} MeasuredNode
 * @typedef {import('../derived/residual-stream.js').MeasuredGraph} MeasuredGraph
 * @typedef {import('../../engine/results.js').Result} Result
 * @typedef {import('../../app/schema.js').Selection} Selection
 * @typedef {import('../../engine/plan.js').Stack} Stack
 * @typedef {import('../shared/graph.js').NodeKind} NodeKind
 *
 * The weights of all heads of one attention, [heads, rows, columns] flat; null: they are not computed now. `marks`: one
 * word about each head that is set by hand; `behind`: those that the opening points out; `shared`: so many heads side
 * by side have the same keys and values; `rotary`: queries and keys are turned by their positions.
 * @typedef {{
 *   kind: string, title: string, shared: number, rotary: boolean, marks: (string | null)[],
 *   behind: number[], rows: number, columns: number, data: Float32Array | null,
 *   hidden: Uint8Array, rowWords: string[], columnWords: string[],
 * }} Heads
 *
 * `measure`: what `number` is of the token; `onPath`: it lies on the way from the tokens to the open weight; `neurons`:
 * of an FFN, if they are computed now; `beside`: a norm that reads what the layer's first one reads.
 * @typedef {{
 *   index: number, kind: NodeKind, layer: number | null, label: string, measure: string, number: string,
 *   value: number, heads: Heads | null, neurons: import('../derived/residual-stream.js').Neurons | null,
 *   current: boolean, onPath: boolean, beside: boolean,
 * }} GraphNode
 * @typedef {{stack: Stack, word: string, nodes: GraphNode[]}} StackNodes
 *
 * `decisive`: the answer hangs on them; `stop`: the button for the tab key; `unit`: what a token is called.
 * @typedef {{
 *   stacks: StackNodes[], selected: Selection, scheme: import('../../draw/color.js').Scheme, root: boolean,
 *   unit: 'word' | 'token', stop: string, dense: boolean,
 *   decisive: {kind: string, layer: number, head: number | null}[],
 *   go: (place: {stack: Stack, index: number, head?: number}) => void,
 * }} Drawing
 */

const MARGIN = 8; // px around what a click shows

/** The panel that shows a node. @type {Record<NodeKind | 'heads', string>} */
const PANELS = {
  tokens: 'words',
  embedding: 'embedding',
  positions: 'positions',
  attention: 'heatmap',
  heads: 'all-heads',
  add: 'residual-stream',
  norm: 'layer-norm',
  ffn: 'ffn',
  transform: 'logit-lens',
  logits: 'logit-lens',
  probabilities: 'logits',
  values: 'logits',
};

/** The nodes at which the residual stream is shown. @type {NodeKind[]} */
const SUMS = ['add', 'norm'];

/** @type {import('../index.js').Feature} */
export const modelGraph = {
  name: 'model-graph',
  slot: 'in-sight',
  local: { stop: '', of: '' }, // the stop that arrow keys chose, while node `of` was the current one
  needs: ({ plan: { hasLogits, settings } }) => [
    '@stream',
    ...(hasLogits ? ['logits', PROBABILITIES] : []),
    ...attentionKinds(settings).flatMap(({ kind }) =>
      Array.from({ length: depthOf(kind, settings) }, (_, layer) => attentionName(kind, layer, 'weights')),
    ),
  ],
  render({ result, state, scheme, local }, tools) {
    const stacks = stacksOf(result, state);
    if (!stacks) return undefined;
    const { selection: selected, row, key, columnWords } = selectedIn(result, state);
    const all = stacks.flatMap(({ stack, nodes }) =>
      nodes.flatMap(({ index, layer, current, heads }) => {
        const step = `${stack} ${index}`;
        return heads
          ? heads.marks.map((_, head) => ({
              step: `${step} ${head}`,
              current: current && head === selected.head,
              selected: heads.kind === selected.kind && layer === selected.layer && head === selected.head,
            }))
          : { step, current, selected: false };
      }),
    );
    const causes = causesIn(result, state);
    const current = (all.find((each) => each.current) ?? all.find((each) => each.selected))?.step ?? '';
    const isChosen = local.of === current && all.some(({ step }) => step === local.stop);
    /** @type {Drawing} */
    const drawing = {
      stacks,
      selected,
      scheme,
      root: coloursOf(state) === 'root',
      unit: unitOf(result.plan.model),
      stop: isChosen ? local.stop : current || all[0]?.step,
      dense: isDense(stacks),
      decisive: [
        ...(causes?.links ?? []),
        ...(causes?.ffns ?? []).map((each) => ({ ...each, kind: each.stack, head: null })),
      ],
      go: (place) => (state.opening === 'head' && place.head !== undefined ? switchOff : goTo)(place, tools),
    };
    const onKey = (/** @type {KeyboardEvent} */ event) =>
      moveByKey(event, (stop) => tools.local({ stop, of: current }));
    const saved = { name: 'Model graph', select: '#model-graph', tables: () => stacks.flatMap(tablesOf) };
    const shown = { drawing, current, cell: `${row} ${key}`, words: columnWords };
    return html`<section class="panel model-graph-panel" aria-labelledby="model-graph-title" ${figure(saved)}>
      <h2 id="model-graph-title" class="visually-hidden">Model graph</h2>
      <div class="map-scroll"><div id="model-graph" class=${`model-graph${drawing.dense ? ' dense' : ''}`}
        role="toolbar" aria-label="Model graph" @keydown=${onKey} ${drawn(shown)}>${stacks.map((of) =>
          stackTemplate(of, drawing),
        )}</div></div>
      ${openHeads(result, state, tools)}
    </section>`;
  },
};

/** @param {Result | null} result */
const measuredGraph = (result) => /** @type {MeasuredGraph | undefined} */ (result?.derived.get('@stream'));

/**
 * @param {Result} result @param {import('../index.js').State} state
 * @returns {StackNodes[] | undefined} undefined: not all is here yet
 */
function stacksOf(result, state) {
  const graph = measuredGraph(result);
  if (!graph) return undefined;
  const { selection } = selectedIn(result, state);
  const node = openNode(state);
  const path = pathTo(graph, selection);
  /** @type {StackNodes[]} */
  const stacks = [];
  for (const stack of /** @type {const} */ (['encoder', 'decoder'])) {
    const own = graph[stack];
    if (!own) continue;
    const { at, words, names, ids } = placeIn(result, state, stack);
    const nodes = own.nodes.map((each, index) => ({
      index,
      kind: each.kind,
      layer: each.layer,
      label: each.label,
      ...(each.kind === 'tokens'
        ? { measure: 'id', number: `${ids[at]}`, value: ids[at] }
        : numberOf(each, result, at)),
      heads: each.kind === 'attention' ? headsAt(each, result, state) : null,
      neurons: each.neurons,
      beside: each.beside,
      onPath: (state.layout === 'page' || node === 'attention') && index < path[stack],
      current: isCurrent(each, selection, { ...state.graph, node }),
    }));
    if (nodes.some(({ kind, heads }) => kind === 'attention' && !heads)) return undefined;
    stacks.push({ stack, word: words === names ? words[at] : `${words[at]} → ${names[at]}`, nodes });
  }
  return stacks;
}

/**
 * Counts the nodes of each stack on the way from the tokens to the selected attention, whose cell is open.
 * @param {Record<Stack, Pick<NonNullable<MeasuredGraph['encoder']>, 'nodes'> | null>} graph
 * @param {Pick<Selection, 'kind' | 'layer'>} selection
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
 * The heads of an attention, with one word about each that is set by hand; null: they are not here yet.
 * @param {MeasuredNode} node @param {Result} result @param {import('../index.js').State} state
 * @returns {Heads | null}
 */
function headsAt({ attention: kind, layer }, result, state) {
  const tensor = result.tensors.get(attentionName(kind, Number(layer), 'weights'));
  if (!tensor && result.facts.part === null) return null;
  const { settings } = result.plan;
  const marks = Array.from({ length: settings.heads }, (_, head) => {
    const change = state.interventions.find(
      (each) =>
        (each.what === 'head' || each.what === 'headAt') &&
        each.kind === kind &&
        each.layer === layer &&
        each.head === head,
    );
    return change && 'to' in change ? valueLabel(change.to) : null;
  });
  const title = `${attention(kind).title}, layer ${Number(layer) + 1}`;
  const words = wordsOf(result, kind);
  const [rows, columns] = [words.rowWords.length, words.columnWords.length];
  const data = tensor?.data ?? null; // null: another layer of a long text is computed
  const rotary = stagesOfQuery(kind, settings).includes('_rotated');
  const found = state.opening === 'head' ? (headsBehind(result, state)?.most ?? []) : [];
  const behind = found.filter((each) => each.kind === kind && each.layer === layer).map(({ head }) => head);
  const of = { kind, title, marks, behind, shared: sharing(settings), rotary };
  return { ...of, rows, columns, data, hidden: result.hidden[kind], ...words };
}

/**
 * @param {MeasuredNode} node
 * @param {Selection} selection
 * @param {Pick<import('../../app/schema.js').GraphState, 'sublayer'> & {node: string}} graph
 */
function isCurrent({ kind, attention: own, layer, sublayer }, selection, graph) {
  if (kind !== graph.node || (layer !== null && layer !== selection.layer)) return false;
  if (kind === 'attention') return own === selection.kind;
  const isHere = attention(own).stack === attention(selection.kind).stack;
  return isHere && (!SUMS.includes(kind) || sublayer === graph.sublayer);
}

/** @param {MeasuredNode} node @param {Result} result @param {number} at the token */
function numberOf({ kind, norms }, result, at) {
  if (norms) return { measure: 'vector length', number: short(norms[at]), value: norms[at] };
  if (kind !== 'logits' && kind !== 'probabilities') return { measure: 'vector length', number: '', value: NaN };
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

/** @param {StackNodes} stack @returns {import('../../draw/figure.js').Table[]} */
const tablesOf = ({ stack, word, nodes }) => [
  tableOf(
    `${stack === 'encoder' ? 'Encoder' : 'Decoder'} at ${word}: vector lengths, largest logit and probability`,
    ['number'],
    nodes.map(({ layer, label, value }) => [layer === null ? label : `Layer ${layer + 1}: ${label}`, value]),
  ),
  ...nodes.flatMap(({ heads }) => {
    if (!heads?.data) return [];
    const { title, marks, rows, columns, rowWords, columnWords, data } = heads;
    const names = marks.flatMap((_, head) => rowWords.map((each) => `head ${head + 1} ${each}`));
    return [{ name: title, shape: [marks.length, rows, columns], data, columns: columnWords, rows: names }];
  }),
];

/**
 * Switches a head off, which ends the opening.
 * @param {{stack: Stack, index: number, head?: number}} place @param {import('../index.js').Tools} tools
 */
function switchOff({ stack, index, head }, { get, set, result }) {
  const node = measuredGraph(result())?.[stack]?.nodes[index];
  if (!node?.attention) return;
  const selection = { kind: node.attention, layer: Number(node.layer), head: Number(head) };
  const off = /** @type {const} */ ({ what: 'head', ...selection, to: 0 });
  set({ opening: 'off', interventions: setTo(get().interventions, off, 0), selection });
}

/**
 * Opens a node or a head, and scrolls to its view.
 * @param {{stack: Stack, index: number, head?: number}} place @param {import('../index.js').Tools} tools
 */
async function goTo({ stack, index, head }, { get, set, result, selection, viewShown }) {
  const nodes = measuredGraph(result())?.[stack]?.nodes ?? [];
  const node = nodes[index];
  if (!node) return;
  const { kind, attention: own, layer, sublayer } = node;
  const now = selection();
  const isHere = openNode(get()) === kind;
  // The state of the residual stream there, counted from the embedding.
  const stage = Math.max(0, nodes.slice(0, index + 1).filter(({ stream }) => stream).length - 1);
  const stays = attention(now.kind).stack === own;
  set({
    decision: null,
    graph: { ...get().graph, node: kind, ...(SUMS.includes(kind) && { sublayer, stage }) },
    selection:
      head === undefined
        ? { ...now, kind: stays ? now.kind : own, layer: layer ?? now.layer }
        : { kind: own, layer: Number(layer), head },
  });
  if (head !== undefined && isHere) return;
  const panel = PANELS[kind];
  await viewShown(panel);
  bringIntoSight(panel, head === undefined);
}

/**
 * The button that opens all heads, and leads back to the one that is selected.
 * @param {Result} result @param {import('../index.js').State} state @param {import('../index.js').Tools} tools
 */
function openHeads({ plan: { settings } }, state, { set, viewShown }) {
  const isOpen = openNode(state) === 'heads';
  async function toggle() {
    set({ decision: null, graph: { ...state.graph, node: isOpen ? 'attention' : 'heads' } });
    const panel = PANELS[isOpen ? 'attention' : 'heads'];
    await viewShown(panel);
    bringIntoSight(panel, false);
  }
  return settings.heads
    ? html`<button type="button" class="plain" id="open-heads" aria-pressed=${isOpen} @click=${toggle}
        >All parts</button>`
    : nothing;
}

/**
 * Scrolls no further than until a panel's picture and its Try are in the window, and may move the focus to the panel's
 * heading; in the workspace to the first one of the node's.
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
  const seen = [section.querySelector('[role=application], table') ?? section, document.getElementById('try')];
  const end = Math.max(...seen.map((each) => (each?.checkVisibility() ? each.getBoundingClientRect().bottom : 0)));
  const { top } = section.getBoundingClientRect();
  if (top >= 0 && end <= innerHeight) return; // sentence and rail stay there, too
  const by = Math.min(top - MARGIN, Math.max(0, end + MARGIN - innerHeight));
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  scrollBy({ top: by, behavior: calm ? 'auto' : 'smooth' });
}

/**
 * Left and right only move the focus; up and down choose a head.
 * @param {KeyboardEvent} event @param {(stop: string) => void} choose
 */
function moveByKey(event, choose) {
  const root = /** @type {HTMLElement} */ (event.currentTarget);
  const from = /** @type {HTMLButtonElement} */ (event.target);
  const all = [...root.querySelectorAll('button')];
  const at = all.indexOf(from);
  const target = indexByKey(event, at, all.length - 1);
  if (at < 0 || target === undefined) return;
  event.preventDefault();
  const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  const [kind, layer, head] = from.dataset.head?.split(' ') ?? [];
  const beside = `[data-head="${kind} ${Number(layer) + Number(step)} ${head}"]`; // the layer before or after
  const next = step ? /** @type {HTMLButtonElement | null} */ (root.querySelector(beside)) : all[target];
  if (!next) return;
  choose(String(next.dataset.step));
  next.focus();
  if (step) next.click();
}

const GATED = 'gate × up';
const ROTARY = html`<span class="model-graph-caption" aria-hidden="true">rotary
  <span class="is-query">q</span> <span class="is-key">k</span></span>`;

/** Before the FFN's norm where that reads the layer's input, not what attention adds. */
const BESIDE = html`<span class="model-graph-caption model-graph-beside" aria-hidden="true"
  title="The FFN stands beside attention: both read the layer’s input.">beside</span>`;

/** The name of a node in the graph. @param {string} label @param {Drawing['unit']} unit */
const shownLabel = (label, unit) => (label === 'Tokens' && unit === 'word' ? 'Words' : (SHORT[label] ?? label));

/** Short forms of labels that the line has no space for. @type {Record<string, string>} */
const SHORT = { Probabilities: 'Answer', 'Add & RMSNorm': 'RMSNorm', 'Final RMSNorm': 'RMSNorm', 'Gated FFN': GATED };

/** The marks for screen readers. @type {Record<string, string>} */
const SPOKEN = { off: 'off', mean: 'replaced by its average' };

/** Norms other than the usual one say which they are. @param {string} label */
const isNamed = (label) => label.endsWith('RMSNorm');

/** The shape of a drawn node. @param {GraphNode} node @param {boolean} dense */
function shapeOf({ kind, label }, dense) {
  if (kind === 'ffn') return 'ffn';
  if (isNamed(label)) return 'text';
  const isDot = kind === 'add' || kind === 'norm' || (dense && (kind === 'embedding' || kind === 'positions'));
  return isDot ? 'dot' : 'text';
}

/** Whether tiles must be small and in two rows to fit a laptop. @param {StackNodes[]} stacks */
function isDense(stacks) {
  const attentions = stacks.flatMap(headsOf);
  const named = stacks.flatMap(({ nodes }) => nodes.filter(({ label, heads }) => heads?.rotary || isNamed(label)));
  const tiles = attentions.length * (2.75 * (attentions[0]?.marks.length ?? 0) + 9.5);
  return stacks.length > 1 || tiles + 4.5 * named.length > 57; // rem
}

/** @param {StackNodes} stack */
const headsOf = ({ nodes }) => nodes.flatMap(({ heads }) => heads ?? []);

/** @param {StackNodes} of @param {GraphNode} node @param {Drawing} drawing */
function button({ stack, word }, node, { stop, dense, unit, decisive, go }) {
  const { index, layer, label, measure, number, neurons, current, onPath, beside } = node;
  const step = `${stack} ${index}`;
  const shape = shapeOf(node, dense);
  const decides =
    shape === 'ffn' && decisive.some((each) => each.head === null && each.kind === stack && each.layer === layer);
  return html`${beside ? BESIDE : nothing}<button type="button" data-step=${step} data-term=${label}
    data-measure=${`${measure} at “${word}”`}
    class=${`model-graph-node ${shape}${onPath ? ' on-path' : ''}${decides ? ' decisive' : ''}`}
    .tabIndex=${stop === step ? 0 : -1} aria-current=${current ? 'step' : nothing}
    @click=${() => go({ stack, index })}><span class="visually-hidden">${
      layer === null ? '' : `Layer ${layer + 1}: `
    }</span><span class=${shape === 'dot' ? 'visually-hidden' : ''}>${shownLabel(label, unit)}</span><span
      class="visually-hidden">${beside ? ' of the layer’s input' : ''}, ${measure} <span
      class="model-graph-number">${number}</span></span>${neurons ? html`<canvas></canvas>` : nothing}</button>`;
}

/** @param {StackNodes} of @param {GraphNode} node @param {Heads} heads @param {Drawing} drawing */
function tiles({ stack }, { index, layer, label, current, onPath }, heads, drawing) {
  const { selected, scheme, stop, go, decisive } = drawing;
  const isHere = heads.kind === selected.kind && layer === selected.layer;
  const cross = heads.kind === 'cross' ? ' cross' : '';
  const columns = `--columns: ${Math.ceil(heads.marks.length / 2)}`;
  const { shared, rotary } = heads;
  const facts = [...(rotary ? ['rotary'] : []), ...(shared > 1 ? [`keys and values shared by ${shared} heads`] : [])];
  const className = `model-graph-heads${cross}${onPath ? ' on-path' : ''}`;
  return html`${rotary ? ROTARY : nothing}<div class=${className} role="radiogroup"
    aria-label=${[heads.title, ...facts].join(', ')} .style=${columns}><canvas></canvas>${heads.marks.map(
      (mark, head) => {
        const step = `${stack} ${index} ${head}`;
        const isSelected = isHere && head === selected.head && !selected.mean;
        const name = `${heads.title}, head ${head + 1}${mark ? `, ${SPOKEN[mark] ?? mark}` : ''}`;
        const { color, style } = hueOf(scheme, head);
        const inMean = selected.mean && (isHere || (selected.mean === 'all' && heads.kind === selected.kind));
        const ends = shared > 1 && head % shared === shared - 1;
        const classes = {
          empty: !heads.data,
          off: mark === 'off',
          'in-mean': inMean,
          decisive: decisive.some((each) => each.kind === heads.kind && each.layer === layer && each.head === head),
          behind: heads.behind.includes(head),
          ends,
        };
        const given = Object.entries(classes).flatMap(([each, is]) => (is ? [each] : []));
        return html`<button type="button" class=${['head', ...given].join(' ')} data-step=${step} data-term=${label}
          data-head="${heads.kind} ${layer} ${head}" role="radio" aria-checked=${String(isSelected)} aria-label=${name}
          aria-current=${current && isSelected ? 'step' : nothing} .tabIndex=${stop === step ? 0 : -1}
          .style=${`border-bottom: 4px ${style} ${color}`} @click=${() => go({ stack, index, head })}
          ><span class="head-map"></span><span class="head-mark" aria-hidden="true">${mark ?? nothing}</span></button>`;
      },
    )}</div>`;
}

/** @param {StackNodes} of @param {Drawing} drawing */
function stackTemplate(of, drawing) {
  const { stacks, dense } = drawing;
  const isFed = of.stack === 'decoder' && stacks.length > 1;
  const caption = (/** @type {number} */ layer) =>
    html`<span class="model-graph-caption" aria-hidden="true">${`${dense ? 'L' : 'Layer '}${layer + 1}`}</span>`;
  return html`<div class=${`model-graph-nodes${isFed ? ' fed' : ''}`} role="group"
    aria-label=${of.stack === 'encoder' ? 'Encoder' : 'Decoder'}>${byLayer(of.nodes).map(
      ({ layer, nodes }) =>
        html`<div class=${layer === null ? 'model-graph-group' : 'model-graph-layer'}>${
          layer === null ? nothing : caption(layer)
        }${nodes.map((node) => (node.heads ? tiles(of, node, node.heads, drawing) : button(of, node, drawing)))}</div>`,
    )}${isFed ? html`<span class="visually-hidden">fed by the encoder’s output</span>` : nothing}</div>`;
}

/** Neighbours of one layer together. @param {GraphNode[]} nodes */
function byLayer(nodes) {
  /** @type {{layer: number | null, nodes: GraphNode[]}[]} */
  const layers = [];
  for (const node of nodes) {
    const last = layers.at(-1);
    if (last && last.layer === node.layer && node.layer !== null) last.nodes.push(node);
    else layers.push({ layer: node.layer, nodes: [node] });
  }
  return layers;
}

/**
 * The drawing, with the cell and the text that light the way.
 * @typedef {{drawing: Drawing, current: string, cell: string, words: string[]}} Shown
 */

/** Of each graph on the page. @type {WeakMap<HTMLElement, {shown: Shown, end: () => void}>} */
const observed = new WeakMap();

/** Paints the heads, again when the window changes; lights the way; keeps the current node in sight. */
const drawn = acting(
  (element, /** @type {Shown} */ shown, before) => {
    const own = observed.get(element) ?? { shown, end: observe(element) };
    observed.set(element, own);
    own.shown = shown;
    requestAnimationFrame(() => own.shown === shown && paint(element, shown)); // as the map was laid out
    frameShown().then(() => own.shown === shown && paintFfns(element, shown)); // the map comes first
    const isOther = before && before.words === shown.words && before.cell !== shown.cell;
    if (isOther && !matchMedia('(prefers-reduced-motion: reduce)').matches) light(element);
    if (before?.current !== shown.current) revealStop(element);
  },
  (element) => {
    observed.get(element)?.end();
    observed.delete(element);
  },
);

/** @param {HTMLElement} root @param {Shown} shown */
function paint(root, { drawing: { stacks, scheme, root: isRoot } }) {
  paintHeads(root.querySelectorAll('.model-graph-heads'), stacks.flatMap(headsOf), scheme, isRoot);
}

/** @param {HTMLElement} root @param {Shown} shown */
function paintFfns(root, { drawing: { stacks, scheme } }) {
  const tiles = /** @type {NodeListOf<HTMLCanvasElement>} */ (root.querySelectorAll('.model-graph-node canvas'));
  stacks
    .flatMap(({ nodes }) => nodes.flatMap(({ neurons }) => neurons ?? []))
    .forEach((neurons, i) => paintNeurons(tiles[i], neurons, scheme));
}

/**
 * Paints again in another size, and shows at which sides the graph goes on.
 * @param {HTMLElement} root
 * @returns {() => void} ends that
 */
function observe(root) {
  const scroller = /** @type {HTMLElement} */ (root.parentElement);
  function hint() {
    const rest = scroller.scrollWidth - scroller.clientWidth - scroller.scrollLeft;
    scroller.classList.toggle('more-before', scroller.scrollLeft > 2);
    scroller.classList.toggle('more-after', rest > 2);
  }
  const observer = new ResizeObserver(() =>
    requestAnimationFrame(() => {
      const own = observed.get(root);
      if (own) paint(root, own.shown);
      hint();
    }),
  );
  for (const each of [scroller, root]) observer.observe(each);
  scroller.addEventListener('scroll', hint, { passive: true });
  return () => observer.disconnect();
}

/** Lights the nodes of the way, one after the other. @param {HTMLElement} root */
function light(root) {
  root.querySelectorAll('.on-path').forEach((node, i) => {
    const lit = { backgroundColor: 'var(--accent-soft)', boxShadow: '0 0 0 2px var(--accent)', offset: 0.5 };
    node.animate([lit], { duration: 400, delay: 60 * i });
  });
}

/** Scrolls the graph, not the page, to the tab stop. @param {HTMLElement} root */
function revealStop(root) {
  requestAnimationFrame(() => {
    const part = /** @type {HTMLElement | null} */ (root.querySelector('[tabindex="0"]'));
    const scroller = root.parentElement;
    if (!part || !scroller) return;
    const [inner, outer] = [part, scroller].map((each) => each.getBoundingClientRect());
    if (inner.left < outer.left || inner.right > outer.right)
      scroller.scrollLeft += inner.left - outer.left - (outer.width - inner.width) / 2;
  });
}
