// The model from left to right; each part leads to its view.

import { html } from 'lit-html';
import { sheetOf, tellDrawn } from '../../draw/picture.js';
import { placeIn } from '../shared/place.js';
import { PROBABILITIES, attention } from '../../engine/plan.js';
import { clampSelection } from '../../engine/plan.js';
import * as view from './view.js';

/**
 * @typedef {import('../residual-stream/derived.js').Station} Station
 * @typedef {import('../../engine/results.js').Result} Result
 */

/** The panel that shows a part. @type {Record<import('./graph.js').Station, string>} */
const PANELS = {
  tokens: 'tokens-',
  embedding: 'embedding',
  positions: 'positions',
  attention: 'heatmap',
  add: 'stream',
  norm: 'norms',
  ffn: 'ffn',
  logits: 'logits',
  probabilities: 'logits',
};

/** @type {import('../index.js').Panel<import('./view.js').RouteData>} */
export const route = {
  name: 'route',
  section: html`
    <section class="panel route-panel" aria-labelledby="route-title" data-optional>
      <h2 id="route-title" class="visually-hidden">The way through the model</h2>
      <div class="map-scroll"><div id="route" class="route"></div></div>
    </section>`,
  required: ({ plan: { model } }) => ['@stream', ...(model ? ['logits', PROBABILITIES] : [])],
  present({ result, state }) {
    const ways = /** @type {import('../residual-stream/derived.js').Ways | undefined} */ (
      result.derived.get('@stream')
    );
    if (!ways) return undefined;
    const selection = clampSelection(state.selection, result.plan.settings);
    const stacks = /** @type {const} */ (['encoder', 'decoder']).flatMap((stack) => {
      const way = ways[stack];
      if (!way) return [];
      const { at, words, names, ids } = placeIn(result, state, stack);
      return [
        {
          stack,
          word: words === names ? words[at] : `${words[at]} → ${names[at]}`,
          feeds: stack === 'encoder' && ways.decoder !== null,
          steps: way.stations.map((station, index) => ({
            index,
            layer: station.layer,
            place: station.place,
            label: station.label,
            around: station.around,
            cross: station.part === 'attention' && station.kind === 'cross',
            ...(station.part === 'tokens'
              ? { number: `id ${ids[at]}`, value: ids[at] }
              : numberOf(station, result, at)),
            current: isCurrent(station, selection, state.graph),
          })),
        },
      ];
    });
    return { stacks };
  },
  create(root, { get, set, result, selection }) {
    const inner = view.create(root, {
      onGo({ stack, index }) {
        const ways = /** @type {import('../residual-stream/derived.js').Ways | undefined} */ (
          result()?.derived.get('@stream')
        );
        const station = ways?.[stack]?.stations[index];
        if (!station) return;
        const { part, place } = station;
        set({
          graph: { ...get().graph, node: part, ...(part === 'norm' ? { sublayer: place } : {}) },
          selection: selectionOf(station, selection()),
        });
        bringIntoSight(part === 'tokens' ? `tokens-${stack}` : PANELS[part]);
      },
    });
    return {
      ...inner,
      update(data) {
        inner.update(data);
        // What saves it stands beside the result, which scrolls.
        tellDrawn(
          /** @type {HTMLElement} */ (root.closest('section')),
          data && { name: 'The way through the model', element: root, sheets: () => data.stacks.map(sheetOfStack) },
        );
      },
    };
  },
};

/** @param {import('./view.js').StackRoute} stack */
const sheetOfStack = ({ stack, word, steps }) =>
  sheetOf(
    `${stack === 'encoder' ? 'Encoder' : 'Decoder'} at ${word}: ‖x‖, and the largest logit and probability`,
    ['number'],
    steps.map(({ layer, label, value }) => [layer === null ? label : `Layer ${layer + 1}: ${label}`, value]),
  );

/**
 * The selection that shows a station: its layer, and a kind of attention of its stack.
 * @param {Station} station
 * @param {import('../../app/schema.js').Selection} now
 */
function selectionOf({ part, kind, layer }, now) {
  const stack = kind === 'encoder' ? 'encoder' : 'decoder';
  const stays = part !== 'attention' && attention(now.kind).stack === stack;
  return { ...now, kind: stays ? now.kind : kind, layer: layer ?? now.layer };
}

/**
 * @param {Station} station
 * @param {import('../../app/schema.js').Selection} selection
 * @param {import('../../app/schema.js').GraphState} graph
 */
function isCurrent({ part, kind, layer, place }, selection, graph) {
  if (part !== graph.node || (layer !== null && layer !== selection.layer)) return false;
  if (part === 'attention') return kind === selection.kind;
  return attention(kind).stack === attention(selection.kind).stack && (part !== 'norm' || place === graph.sublayer);
}

/** @param {Station} station @param {Result} result @param {number} at the token */
function numberOf({ part, norms }, { tensors, derived }, at) {
  if (norms) return { number: short(norms[at]), value: norms[at] };
  const tensor = /** @type {import('../../engine/protocol.js').Tensor | undefined} */ (
    part === 'logits' ? tensors.get('logits') : derived.get(PROBABILITIES)
  );
  if (!tensor) return { number: '', value: NaN };
  const width = tensor.shape[tensor.shape.length - 1];
  const most = tensor.data.subarray(at * width, (at + 1) * width).reduce((a, b) => Math.max(a, b));
  return { number: `max ${short(most)}`, value: most };
}

/** @param {number} value */
const short = (value) => (Math.abs(value) < 1000 ? value.toFixed(2) : value.toPrecision(3)).replace('-', '−');

/** Scrolls to a panel and moves the focus to its heading. @param {string} name */
function bringIntoSight(name) {
  const panel = document.getElementById(name);
  const section = panel?.closest('section');
  const heading = section?.querySelector('h2') ?? panel;
  if (!panel || !section || !heading) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  section.scrollIntoView({ behavior: calm ? 'auto' : 'smooth', block: 'start' });
}
