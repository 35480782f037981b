// All parts of the model in one window, a row for each layer: the map of each head, the activations of its FFN, and
// below each a bar for what it adds to the answer, or what the answer loses without it. Beside them the numbers.

import { html, nothing } from 'lit-html';
import { tableOf } from '../../draw/figure.js';
import { equation } from '../../draw/equation.js';
import { formatShare, withMinus } from '../../draw/numbers.js';
import { headBar, paintParts, partsGrid, signed, withSign } from '../../draw/parts-grid.js';
import { nameOf as nameOfKind } from '../../engine/interventions.js';
import { attention, attentionKinds, attentionName, ffnName, neuronRole } from '../../engine/plan.js';
import { acting, figure } from '../../kit/figure.js';
import { hasAnswer } from '../shared/neurons.js';
import { coloursOf, selectedIn, visibleWords, wordsOf } from '../shared/words.js';
import gridStyle from '../../draw/parts-grid.css';
import own from './all-heads.css';

/**
 * @typedef {import('../../draw/color.js').Scheme} Scheme
 * @typedef {import('../index.js').Context} Context
 * @typedef {import('../index.js').State} State
 * @typedef {import('../index.js').Tools} Tools
 * @typedef {import('../derived/attribution.js').Attribution} Attribution
 * @typedef {import('../derived/attribution.js').Part} Part
 * @typedef {import('../derived/parts-off.js').PartsOff} PartsOff
 */

const LISTED = 8;

/** @param {State} state */
const nameOf = ({ cursor, alone }) => `@attribution/${cursor.row}/${alone ? 1 : ''}`;

/** @param {State} state */
const offName = ({ cursor, parts, partsHere }) =>
  `@parts-off/${cursor.row}/${partsHere ? 'at' : ''}/${parts === 'mean' ? 'mean' : ''}`;

/** @param {import('../index.js').Query} query */
function needs({ plan, state, modelInfo }) {
  const all = /** @type {State} */ (state);
  if (!modelInfo || !hasAnswer(plan, all)) return [];
  return [nameOf(all), ...(all.parts === 'adds' ? [] : [offName(all)])];
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

/**
 * The answer without each part, of those that were tried so far; null: what parts add is shown.
 * @param {Context} context @returns {PartsOff | null}
 */
const offIn = ({ result: { derived }, state }) =>
  state.parts === 'adds' ? null : (/** @type {PartsOff | undefined} */ (derived.get(offName(state))) ?? null);

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

const style = gridStyle + own;

/** @type {import('../index.js').Feature} */
export const allHeads = {
  name: 'all-heads',
  style,
  local: { kind: 'all' }, // of attention, that is shown alone
  needs: (query) => [
    ...needs(query),
    ...attentionKinds(query.plan.settings).flatMap(({ kind, stack }) =>
      Array.from({ length: depthOf(query.plan, stack) }, (_, layer) => [
        attentionName(kind, layer, 'weights'),
        ...(query.plan.settings.d_ff ? [activationName(stack, layer, query.plan)] : []),
      ]).flat(),
    ),
  ],
  render(context, tools) {
    const { result, state, scheme, local } = context;
    const added = addedIn(context);
    if (added === undefined) return undefined;
    const every = attentionKinds(result.plan.settings);
    const one = every.filter(({ kind }) => kind === local.kind);
    const kinds = one.length ? one : every;
    const { selection } = selectedIn(result, state);
    const off = offIn(context);
    const shown = off ? off.parts.map((part) => ({ ...part, value: off.share - part.left })) : (added?.parts ?? []);
    const most = Math.max(0, ...shown.map(({ value }) => Math.abs(value)));
    const said = (/** @type {Part} */ part) => (off ? `off loses ${points(part.value)}` : signed(part.value));
    const grids = kinds.map(({ kind, title, stack }) => {
      const { heads } = result.plan.settings;
      const { d_ff: neurons } = result.plan.settings;
      const hasFfn = neurons > 0 && (kind !== 'decoder' || !every.some((each) => each.kind === 'cross'));
      const words = wordsOf(result, kind);
      const size = { rows: words.rowWords.length, columns: words.columnWords.length };
      const layers = Array.from({ length: depthOf(result.plan, stack) }, (_, layer) => {
        const data = result.tensors.get(attentionName(kind, layer, 'weights'))?.data ?? null;
        const own = shown.filter((part) => part.layer === layer && stackOf(part) === stack);
        const activations = hasFfn ? result.tensors.get(activationName(stack, layer, result.plan))?.data : null;
        const parts = [...Array(heads).keys()].map((head) =>
          own.find((part) => part.kind === kind && part.head === head),
        );
        return { layer, data, parts, activations, ffn: hasFfn ? own.find(({ head }) => head === null) : undefined };
      });
      const grid = {
        ...{ title, heads, neurons, size, layers, scheme, most, said },
        kinds: { count: kinds.length, rows: layers.length * kinds.length },
        selected: kind === selection.kind ? selection : null,
        hidden: result.hidden[kind],
        isRoot: coloursOf(state) === 'root',
        hasFfn,
        open: (/** @type {number} */ layer, /** @type {number | null} */ head) =>
          open(tools, { kind: head === null ? stack : kind, layer, head }),
      };
      return html`<div class="all-heads-kind">
        ${every.length > 1 ? html`<p class="view-title">${title}</p>` : nothing}
        ${partsGrid(
          grid,
          painted((element) => paintParts(element, grid)),
        )}</div>`;
    });
    const names = shown.map((part) => /** @type {[string, number]} */ ([partName(part), part.value]));
    const title = off ? 'What the answer loses without each part' : 'What adds to the logit';
    const tables = () => [tableOf(title, [off ? 'lost' : 'added'], names)];
    return html`<section class="panel picture" aria-labelledby="all-heads-title">
      <h2 id="all-heads-title" class="visually-hidden" tabindex="-1">All parts</h2>
      ${every.length > 1 ? kindTabs(every, one[0]?.kind ?? 'all', tools) : nothing}
      <div id="all-heads" ${figure({ name: 'All parts', tables })}>${grids}</div>
      <p class="hint">A row is a layer: a map for each head, and of its FFN the neurons (columns) at each token (rows).
        Select one to open it.${
          added
            ? html` Its bar: ${off ? 'what is lost without it of' : 'what it adds for'}
                <bdi class="quoted">${wordOf(context, off ? off.id : added.id)}</bdi> (to the right) or ${
                  off ? 'won' : 'against it'
                }.`
            : nothing
        }</p>
    </section>`;
  },
};

/**
 * Tabs that show the heads of one kind as large as fit.
 * @param {import('../../engine/plan.js').Attention[]} kinds @param {string} shown
 * @param {import('../../kit/feature.js').LocalTools} tools
 */
const kindTabs = (kinds, shown, { local }) =>
  html`<div class="tabs all-heads-tabs" role="group" aria-label="Heads of">${[
    { kind: 'all', name: 'All' },
    ...kinds.map(({ kind }) => ({ kind, name: nameOfKind(kind) })),
  ].map(
    ({ kind, name }) =>
      html`<button type="button" class="plain" aria-pressed=${kind === shown} @click=${() => local({ kind })}
        >${name}</button>`,
  )}</div>`;

/** @param {string} stack @param {number} layer @param {import('../../engine/plan.js').Plan} plan */
const activationName = (stack, layer, { settings }) =>
  ffnName(/** @type {'encoder' | 'decoder'} */ (stack), layer, neuronRole(settings));

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

/** @param {Context} context @param {number} id */
const wordOf = ({ modelInfo }, id) => visibleWords(/** @type {string[]} */ (modelInfo?.outputVocabulary ?? []))[id];

const DECIMALS = 2;

/** A difference of probabilities. @param {number} value */
const points = (value) => `${withMinus((100 * value).toFixed(1))} points`;

/** @param {Pick<Part, 'kind' | 'layer' | 'head'>} part */
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
    if (state.parts !== 'adds') return withoutEach(context, added, tools);
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
    return html`<section class="panel" aria-labelledby="says-title"><div id="says">
      <h2 id="says-title">What says <bdi class="quoted">${word}</bdi>?</h2>
      ${waysTabs(state, rival, tools)}
      <ul class="says-list">${lines.map(([name, value, part], i) => {
        const shown = withSign(value, printed.operands[i]);
        const row = html`<span>${name}</span>${headBar(value, most, scheme)}<span class="number">${shown}</span>`;
        return html`<li>${
          part ? html`<button type="button" class="head" @click=${() => open(tools, part)}>${row}</button>` : row
        }</li>`;
      })}<li class="says-sum"><span>${
        rival ? html`lead over <bdi class="quoted">${rival}</bdi>` : 'logit'
      }</span><span></span><b class="number">${withSign(logit, printed.results[0])}</b></li></ul>
      <p class="hint">All heads, FFNs, the embedding and the biases add up to the ${
        rival ? 'lead in logits' : 'logit'
      }, to rounding.${
        hasNorm(result.plan) ? ' Each norm keeps the scale that it has here (“frozen”).' : ''
      } This is what each adds by itself; what later layers make of it counts as theirs.</p>
    </div></section>`; // prettier-ignore
  },
};

/** @param {Tools['set']} set */
const tabOf =
  (set) => (/** @type {boolean} */ isChosen, /** @type {Partial<State>} */ patch, /** @type {unknown} */ name) =>
    html`<button type="button" class="plain" aria-pressed=${isChosen} @click=${() => set(patch)}>${name}</button>`;

/**
 * The ways to ask what a part does.
 * @param {State} state @param {string} rival the runner-up, '' where the answer is taken alone @param {Tools} tools
 */
function waysTabs({ alone, parts }, rival, { set }) {
  const adds = parts === 'adds';
  const tab = tabOf(set);
  const runnerUp = html`rather than <bdi>${rival || 'the runner-up'}</bdi>`;
  return html`<p class="tabs" role="group" aria-label="Asked how">${[
    tab(adds && !alone, { parts: 'adds', alone: false }, runnerUp),
    tab(adds && alone, { parts: 'adds', alone: true }, 'by itself'),
    tab(!adds, { parts: 'off' }, 'switched off'),
  ]}</p>`;
}

/**
 * Each part switched off by itself, the one first without which least is left of the answer.
 * @param {Context} context @param {Attribution} added @param {Tools} tools
 */
function withoutEach(context, added, tools) {
  const { result, state, scheme } = context;
  const off = offIn(context);
  const { rowWords, row } = selectedIn(result, state);
  const tab = tabOf(tools.set);
  const here = html`at <bdi class="quoted">${rowWords[row]}</bdi> alone`;
  const whole = off?.share ?? 0;
  const sorted = (off?.parts ?? []).toSorted((a, b) => a.left - b.left);
  const [first, rest] = [sorted.slice(0, LISTED), sorted.slice(LISTED)];
  const most = Math.max(0, ...first.map(({ left }) => whole - left));
  const isDone = off && !off.unfinished;
  /** @param {unknown} name @param {unknown} lost @param {unknown} left */
  const line = (name, lost, left) =>
    html`<span>${name}</span>${lost || html`<span></span>`}<span class="number">${left}</span>`;
  const lines = first.map((part) => {
    const turned = html`, then <bdi class="quoted">${wordOf(context, part.to)}</bdi> ${formatShare(part.share)}`;
    const left = html`${formatShare(part.left)}${part.to === off?.id ? nothing : turned}`;
    return html`<li><button type="button" class="head" @click=${() => open(tools, part)}>${line(
      partName(part),
      headBar(whole - part.left, most, scheme),
      left,
    )}</button></li>`;
  });
  const others = `${rest.length} other ${rest.length === 1 ? 'part' : 'parts'}`;
  const atLeast = rest.length ? `${rest.length === 1 ? '' : 'at least '}${formatShare(rest[0].left)}` : '';
  return html`<section class="panel" aria-labelledby="says-title"><div id="says">
    <h2 id="says-title">Without it, what is left of
      <bdi class="quoted">${wordOf(context, off ? off.id : added.id)}</bdi>?</h2>
    ${waysTabs(state, added.against === null ? '' : wordOf(context, added.against), tools)}
    <div class="says-how"><p class="tabs" role="group" aria-label="Where">
      ${tab(!state.partsHere, { partsHere: false }, 'at every token')}${tab(state.partsHere, { partsHere: true }, here)}
    </p>
    <p class="tabs" role="group" aria-label="Its output">
      ${tab(state.parts === 'off', { parts: 'off' }, 'to 0')}
      ${tab(state.parts === 'mean', { parts: 'mean' }, 'to its mean')}
    </p></div>
    <ul class="says-list">${lines}${isDone && rest.length ? html`<li>${line(others, '', atLeast)}</li>` : nothing}<li
      class="says-sum">${line('all parts', '', html`<b>${off ? formatShare(whole) : ''}</b>`)}</li></ul>
    <p class="hint" role="status">${
      isDone
        ? html`Each part is switched off by itself: its output is ${
            state.parts === 'mean' ? 'its mean over the text' : '0'
          } ${state.partsHere ? here : 'at every token'}, and all that comes after it is computed again. So these do not
            add up.`
        : `${off?.parts.length ?? 0} of ${off?.of ?? 'all'} parts are tried.`
    }</p>
  </div></section>`; // prettier-ignore
}

/** @param {Part[]} rest @returns {[string, number]} */
const others = (rest) => [
  `${rest.length} other ${rest.length === 1 ? 'part' : 'parts'}`,
  rest.reduce((sum, { value }) => sum + value, 0),
];

/** Whether a norm stands before the logits. @param {import('../../engine/plan.js').Plan} plan */
const hasNorm = ({ settings, config }) =>
  settings.norm === 'post' || Boolean(config.finalNorm) || Boolean(config.headTransform);
