// All heads of the model in one window, layers × heads: the map of each, and below it a bar for its own contribution to
// the answer. Beside them the same in numbers, which add up to the model's own.

import { html, nothing } from 'lit-html';
import { css, signedScale } from '../../draw/color.js';
import { tableOf } from '../../draw/figure.js';
import { equation } from '../../draw/equation.js';
import { paintHeads } from '../../draw/head-maps.js';
import { withMinus } from '../../draw/numbers.js';
import { attention, attentionKinds, attentionName, clampSelection } from '../../engine/plan.js';
import { acting, figure } from '../../kit/figure.js';
import { coloursOf, selectedIn, visibleWords, wordsOf } from '../shared/words.js';
import style from './all-heads.css';

/**
 * @typedef {import('../../draw/color.js').Scheme} Scheme
 * @typedef {import('../index.js').Context} Context
 * @typedef {import('../index.js').State} State
 * @typedef {import('../index.js').Tools} Tools
 * @typedef {import('../derived/attribution.js').Attribution} Attribution
 * @typedef {import('../derived/attribution.js').Part} Part
 */

const LISTED = 8;

/** @param {import('../../engine/plan.js').Plan} plan @param {State} state */
const hasAnswer = ({ hasLogits, settings, generate }, { selection }) =>
  hasLogits && !(generate && clampSelection(selection, settings).kind === 'encoder');

/** @param {State} state */
const nameOf = ({ cursor, alone }) => `@attribution/${cursor.row}/${alone ? 1 : ''}`;

/** @param {import('../index.js').Query} query */
function needs({ plan, state, modelInfo }) {
  const all = /** @type {State} */ (state);
  return modelInfo && hasAnswer(plan, all) ? [nameOf(all)] : [];
}

/**
 * The parts' contributions; null: there is no answer, or no numbers of all layers; undefined: not here yet.
 * @param {Context} context
 */
function addedIn({ result: { plan, derived, facts }, state, modelInfo }) {
  if (!modelInfo || facts.part !== null || !hasAnswer(plan, state)) return null;
  const made = /** @type {Attribution | {absent: true} | undefined} */ (derived.get(nameOf(state)));
  return made && 'absent' in made ? null : made;
}

/** The number of layers of a stack. @param {import('../../engine/plan.js').Plan} plan @param {string} stack */
const depthOf = ({ settings, config }, stack) =>
  Number(settings.kind === 'encoder-decoder' && stack === 'decoder' ? config.decoderLayers : settings.layers);

/**
 * Opens a head, or an FFN.
 * @param {Tools} tools @param {Pick<Part, 'kind' | 'layer' | 'head'>} part
 */
function open({ get, set, selection }, { kind, layer, head }) {
  const graph = { ...get().graph, node: /** @type {'ffn' | 'attention'} */ (head === null ? 'ffn' : 'attention') };
  set({ graph, selection: head === null ? { ...selection(), kind, layer } : { kind, layer, head } });
}

/** @type {import('../index.js').Feature} */
export const allHeads = {
  name: 'all-heads',
  style,
  needs: (query) => [
    ...needs(query),
    ...attentionKinds(query.plan.settings).flatMap(({ kind, stack }) =>
      Array.from({ length: depthOf(query.plan, stack) }, (_, layer) => attentionName(kind, layer, 'weights')),
    ),
  ],
  render(context, tools) {
    const { result, state, scheme } = context;
    const added = addedIn(context);
    if (added === undefined) return undefined;
    const kinds = attentionKinds(result.plan.settings);
    const { selection } = selectedIn(result, state);
    const most = Math.max(0, ...(added?.parts ?? []).map(({ value }) => Math.abs(value)));
    const grids = kinds.map(({ kind, title, stack }) => {
      const { heads } = result.plan.settings;
      const hasFfn = kind !== 'decoder' || !kinds.some((each) => each.kind === 'cross');
      const words = wordsOf(result, kind);
      const columns = heads + (hasFfn ? 1 : 0);
      const size = { rows: words.rowWords.length, columns: words.columnWords.length };
      const layers = Array.from({ length: depthOf(result.plan, stack) }, (_, layer) => {
        const data = result.tensors.get(attentionName(kind, layer, 'weights'))?.data ?? null;
        const own = added?.parts.filter((part) => part.layer === layer && stackOf(part) === stack) ?? [];
        const parts = [...Array(heads).keys()].map((head) =>
          own.find((part) => part.kind === kind && part.head === head),
        );
        return { layer, data, parts, ffn: hasFfn ? own.find(({ head }) => head === null) : undefined };
      });
      /** @param {HTMLElement} element */
      const paint = (element) =>
        element.querySelectorAll('.all-heads-row').forEach((row, i) => {
          const marks = Array(heads).fill(null);
          const { data } = layers[i];
          paintHeads(row, { ...size, data, hidden: result.hidden[kind], marks }, scheme, coloursOf(state) === 'root');
        });
      const heading = Array.from({ length: columns }, (_, i) => html`<span>${i < heads ? i + 1 : 'FFN'}</span>`);
      return html`<div class="all-heads-kind">
        ${kinds.length > 1 ? html`<p class="view-title">${title}</p>` : nothing}
        <div class="all-heads" role="group" aria-label=${title} @keydown=${onKey}
          .style=${`--heads: ${columns}; --rows: ${layers.length * kinds.length}; --kinds: ${kinds.length}`}
          ${painted(paint)}><div class="all-heads-columns" aria-hidden="true">${heading}</div>${layers.map(
            ({ layer, parts, ffn }) => html`<div class="all-heads-row"><canvas></canvas>
              <span class="all-heads-layer">${layer + 1}</span>${parts.map((part, head) => {
                const isHere = kind === selection.kind && layer === selection.layer && head === selection.head;
                return html`<button type="button" class="head" data-at="${layer} ${head}" aria-pressed=${isHere}
                  .tabIndex=${isHere || (kind !== selection.kind && !layer && !head) ? 0 : -1}
                  aria-label="${title}, layer ${layer + 1}, head ${head + 1}${part ? `: ${signed(part.value)}` : ''}"
                  @click=${() => open(tools, { kind, layer, head })}
                  ><span class="head-map"></span>${bar(part?.value, most, scheme)}</button>`;
              })}${
                hasFfn
                  ? html`<button type="button" class="head all-heads-ffn" data-at="${layer} ${heads}" .tabIndex=${-1}
                      aria-label="FFN, layer ${layer + 1}${ffn ? `: ${signed(ffn.value)}` : ''}"
                      @click=${() => open(tools, { kind: stack, layer, head: null })}
                      ><span class="all-heads-neurons"></span>${bar(ffn?.value, most, scheme)}</button>`
                  : nothing
              }</div>`,
          )}</div></div>`; // prettier-ignore
    });
    const names = (added?.parts ?? []).map((part) => /** @type {[string, number]} */ ([partName(part), part.value]));
    const tables = () => [tableOf('What adds to the logit', ['added'], names)];
    return html`<section class="panel picture" aria-labelledby="all-heads-title">
      <h2 id="all-heads-title" class="visually-hidden" tabindex="-1">All heads</h2>
      <div id="all-heads" ${figure({ name: 'All heads', tables })}>${grids}</div>
      <p class="hint">A row is a layer. Select a head to open its map.${
        added
          ? html` Its bar: what it adds for <bdi class="quoted">${wordOf(context, added.id)}</bdi> (to the right) or
              against it.`
          : nothing
      }</p>
    </section>`;
  },
};

/** @param {Part} part */
const stackOf = ({ kind }) => attention(kind).stack;

/** Paints the maps of the rows, again when their size changes. */
const painted = acting(
  (element, /** @type {(element: HTMLElement) => void} */ paint) => {
    const known = observed.get(element);
    if (known) known.paint = paint;
    else {
      const own = { paint, end: () => {} };
      const observer = new ResizeObserver(() => requestAnimationFrame(() => own.paint(element)));
      observer.observe(element);
      own.end = () => observer.disconnect();
      observed.set(element, own);
    }
    paint(element);
  },
  (element) => {
    observed.get(element)?.end();
    observed.delete(element);
  },
);

/** @type {WeakMap<HTMLElement, {paint: (element: HTMLElement) => void, end: () => void}>} */
const observed = new WeakMap();

/** Arrow keys move among the heads. @param {KeyboardEvent} event */
function onKey(event) {
  const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
  const from = /** @type {HTMLElement} */ (event.target);
  if (!step || !from.dataset.at || event.altKey || event.ctrlKey || event.metaKey) return;
  const [layer, head] = from.dataset.at.split(' ').map(Number);
  const grid = /** @type {HTMLElement} */ (event.currentTarget);
  event.preventDefault();
  const next = grid.querySelector(`[data-at="${layer + step[0]} ${head + step[1]}"]`);
  /** @type {HTMLElement | null} */ (next)?.focus();
}

/**
 * From the middle to the right or to the left; undefined: there is no number.
 * @param {number | undefined} value @param {number} most @param {Scheme} scheme
 */
function bar(value, most, scheme) {
  if (value === undefined || !most) return nothing;
  const { table } = signedScale(scheme, 1);
  const width = (50 * Math.abs(value)) / most;
  const side = value < 0 ? `right: 50%` : `left: 50%`;
  const colour = css(table[value < 0 ? 20 : table.length - 21]);
  return html`<span class="added"><span .style=${`${side}; width: ${width}%; background: ${colour}`}></span></span>`;
}

/** @param {Context} context @param {number} id */
const wordOf = ({ modelInfo }, id) => visibleWords(/** @type {string[]} */ (modelInfo?.outputVocabulary ?? []))[id];

const DECIMALS = 2;

/** With its sign. @param {number} value @param {string} text */
const plus = (value, text) => `${value > 0 ? '+' : ''}${text}`;

/** @param {number} value */
const signed = (value) => plus(value, withMinus(value.toFixed(DECIMALS)));

/** @param {Part} part */
function partName({ kind, layer, head }) {
  const cross = kind === 'cross' ? 'cross-attention, ' : '';
  return `${cross}layer ${layer + 1}, ${head === null ? 'FFN' : `head ${head + 1}`}`;
}

/** @type {import('../index.js').Feature} */
export const says = {
  name: 'says',
  style,
  needs,
  render(context, tools) {
    const { result, state, scheme } = context;
    const added = addedIn(context);
    if (!added) return /** @type {null | undefined} */ (added);
    const { id, against, logit, embedding, biases, patches, parts } = added;
    const word = wordOf(context, id);
    const rival = against === null ? '' : wordOf(context, against);
    const sorted = parts.toSorted((a, b) => Math.abs(b.value) - Math.abs(a.value));
    const rest = sorted.slice(LISTED);
    /** @type {[name: string, value: number, part?: Part][]} */
    const lines = [
      ...sorted
        .slice(0, LISTED)
        .map((part) => /** @type {[string, number, Part]} */ ([partName(part), part.value, part])),
      ...(rest.length ? [others(rest)] : []),
      ['embedding', embedding],
      ['biases', biases],
      ...(patches ? [/** @type {[string, number]} */ (['your changes', patches])] : []),
    ];
    const most = Math.max(...lines.map(([, value]) => Math.abs(value)));
    const values = lines.map(([, value]) => value);
    const sum = { value: logit, from: (/** @type {number[]} */ known) => known.reduce((so, each) => so + each, 0) };
    const printed = equation(values, [sum], DECIMALS);
    const choice = (/** @type {boolean} */ alone, /** @type {unknown} */ name) => html`<button type="button"
      class="plain" aria-pressed=${state.alone === alone} @click=${() => tools.set({ alone })}>${name}</button>`;
    const runnerUp = rival || 'the runner-up';
    return html`<section class="panel" aria-labelledby="says-title"><div id="says">
      <h2 id="says-title">What says <bdi class="quoted">${word}</bdi>?</h2>
      <p class="tabs" role="group" aria-label="Compared with">
        ${choice(false, html`rather than <bdi>${runnerUp}</bdi>`)}${choice(true, 'by itself')}</p>
      <ul class="says-list">${lines.map(([name, value, part], i) => {
        const shown = plus(value, printed.operands[i]);
        const row = html`<span>${name}</span>${bar(value, most, scheme)}<span class="number">${shown}</span>`;
        return html`<li>${
          part ? html`<button type="button" class="head" @click=${() => open(tools, part)}>${row}</button>` : row
        }</li>`;
      })}<li class="says-sum"><span>${
        rival ? html`lead over <bdi class="quoted">${rival}</bdi>` : 'logit'
      }</span><span></span><b class="number">${plus(logit, printed.results[0])}</b></li></ul>
      <p class="hint">All heads, FFNs, the embedding and the biases add up to the ${
        rival ? 'lead in logits' : 'logit'
      }, to rounding.${
        hasNorm(result.plan) ? ' Each norm keeps the scale that it has here (“frozen”).' : ''
      } This is what each adds by itself; what later layers make of it counts as theirs.</p>
    </div></section>`; // prettier-ignore
  },
};

/** @param {Part[]} rest @returns {[string, number]} */
const others = (rest) => [
  `${rest.length} other ${rest.length === 1 ? 'part' : 'parts'}`,
  rest.reduce((sum, { value }) => sum + value, 0),
];

/** Whether a norm stands before the logits. @param {import('../../engine/plan.js').Plan} plan */
const hasNorm = ({ settings, config }) =>
  settings.norm === 'post' || Boolean(config.finalNorm) || Boolean(config.headTransform);
