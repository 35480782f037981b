// Try: change the head, a weight, the temperature or any other selected part; the answer before and after; undo, take
// back, reset and pin.

import { html, nothing, svg } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { valueOf } from '../../kit/controls.js';
import { tableOf } from '../../draw/figure.js';
import { createNumberFields } from '../../draw/number-field.js';
import { formatShare, formatValue } from '../../draw/numbers.js';
import { interventionLabel } from '../../engine/intervention-labels.js';
import {
  changedSwitches,
  put,
  setTo,
  standingAt,
  switchesAsBuilt,
  temperatureOf,
  without,
} from '../../engine/interventions.js';
import { PROBABILITIES, attentionName, openNode, pinOf } from '../../engine/plan.js';
import { figure } from '../../kit/figure.js';
import { fold } from '../../kit/fold.js';
import { namesOfBoth, probabilitiesBefore, wordsOfBoth } from '../shared/before.js';
import { otherSentence } from '../shared/other-sentence.js';
import { weightsAt } from '../shared/weights.js';
import { selectedIn, visibleWords, wordsOf } from '../shared/words.js';
import style from './try.css';

/**
 * @typedef {import('../../engine/interventions.js').Intervention} Intervention
 * @typedef {import('../index.js').Context} Context
 * @typedef {import('../index.js').Tools} Tools
 * @typedef {import('../../engine/results.js').Result} Result
 * @typedef {import('../index.js').State} State
 * @typedef {{names: string[], name: string, rows: number, columns: number, row: number, column: number,
 *   value: number}} Weight
 *
 * One value that can be set: `of` says which one, `range` which numbers may be typed; null: none may.
 * @typedef {{to: number | 'mean'} | {from: number[] | 'mean', share: number}} Choice
 * @typedef {{
 *   label: string, hint?: string, of: Intervention, choices: Record<string, Choice>, range: [number, number] | null,
 * }} Change
 */

const MOST = 4;

let redraw = () => {};
const numberField = createNumberFields(() => redraw());

/** @type {import('../index.js').Feature} */
export const trying = {
  name: 'try',
  style,
  slot: 'why',
  typing: true, // a text takes changes of its words along
  needs: ({ plan, state: { selection, weight } }) => [
    ...namesOfBoth(plan),
    attentionName(selection.kind, selection.layer, 'weights'),
    ...(weight ? [weightName(weight)] : []),
  ],
  begin: ({ local }) => void (redraw = () => local({})),
  frame: () => panel('', { controls: NO_CONTROLS, list: nothing, changes: nothing }),
  render(context, tools) {
    const { result, state, modelInfo } = context;
    const chips = chipsOf(state, modelInfo?.config, result.plan, modelInfo?.vocabulary);
    return panel(state.layout, {
      controls: controls(context, tools),
      list: chipList(chips, tools),
      changes: html`
        ${buttons('change-head', headChanges(result, state), tools)}
        ${buttons('change-vector', vectorChanges(context), tools)}
        ${ending(chips.length, tools)}`,
    });
  },
  blank({ plan }, tools) {
    const chips = chipsOf(plan, plan.base ?? undefined, plan);
    const list = chipList(chips, tools);
    return panel(tools.get().layout, { controls: NO_CONTROLS, list, changes: ending(chips.length, tools) });
  },
};

const NO_CONTROLS = html`<div id="try" hidden ${figure(null)}></div>`;

/** @param {string} layout @param {{controls: unknown, list: unknown, changes: unknown}} parts */
const panel = (layout, { controls: first, list, changes }) => html`
  <section class="panel try-panel" aria-labelledby="try-title">
    <h2 id="try-title">Try</h2>
    <div data-slot="node-try"></div>
    ${first}
    <div id="changes">${list}</div>
    <details class="try-more" id="try-more" ${fold({ key: layout, isOpen: layout === 'page' })}>
      <summary>More</summary>
      ${changes}
    </details>
    <div data-slot="effect"></div>
  </section>`;

/**
 * The head that the reader has selected, everywhere and at the word alone, and the cell, as interventions.
 * @param {Result} result
 * @param {State} state
 * @returns {Record<'head' | 'headAt' | 'cell', Intervention> | null} null: the mean of several heads, none, or no token
 */
function selected(result, state) {
  const { selection, kind, rowWords, row, key } = selectedIn(result, state);
  const { layer, head, mean } = selection;
  if (mean || !rowWords.length || !result.plan.settings.heads) return null;
  return {
    head: { what: 'head', kind, layer, head, to: 0 },
    headAt: { what: 'headAt', kind, layer, head, row, to: 0 },
    cell: { what: 'cell', kind, layer, head, row, key, to: 0 },
  };
}

/** The most used changes, the answer before and after, undo, redo. @param {Context} context @param {Tools} tools */
function controls(context, { get, set, result: latest, history }) {
  const { result, state } = context;
  const { rowWords, columnWords, row, key, selection } = selectedIn(result, state);
  const place = selected(result, state);
  const weights = place && weightsAt(result, state);
  const isOn = place && !standingAt(state.interventions, place.head);
  const here = place && standingAt(state.interventions, place.headAt);
  const isOffHere = Boolean(here && 'to' in here && here.to === 0);
  const temperature = result.plan.settings.heads ? temperatureOf(state.interventions) : null;
  const answers = answersOf(context, row);
  const name = `Predictions at ${rowWords[row]} before and after`;
  /** @param {'head' | 'headAt' | 'cell'} what @param {number | null} to null: as computed */
  function change(what, to) {
    const now = latest();
    const there = now && selected(now, get());
    if (!there) return;
    const rest = what === 'headAt' ? setTo(get().interventions, there.head, null) : get().interventions;
    set({ interventions: setTo(rest, there[what], to) });
  }
  const heat = (/** @type {number} */ value) =>
    set({ interventions: put(get().interventions, { what: 'temperature', value }) });
  const shown = {
    name,
    select: '.try-answers',
    tables: () => [
      tableOf(
        name,
        ['before', 'after', 'difference'],
        answers.map((each) => [each.word, each.before, each.probability, each.probability - each.before]),
      ),
    ],
  };
  return html`<div id="try" ${figure(answers.length ? shown : null)}>
    <div class="try-controls" ?hidden=${state.layout !== 'page' && !/^(attention|heads)$/.test(openNode(state))}>
      ${
        place
          ? html`<button type="button" class="switch" role="switch" aria-checked=${isOn}
              aria-label="Head on: layer ${selection.layer + 1}, head ${selection.head + 1}"
              @click=${() => change('head', isOn ? 0 : null)}>Head
              <span class="switch-track"></span> ${isOn ? 'on' : 'off'}</button>
              <button type="button" class="plain try-here" aria-pressed=${isOffHere}
              @click=${() => change('headAt', isOffHere ? null : 0)}>Off at
              <bdi class="is-query">${rowWords[row]}</bdi> only</button>`
          : nothing
      }
      ${weights ? weightSlider(rowWords[row], columnWords[key], weights.data[row * columnWords.length + key]) : nothing}
      ${
        temperature === null
          ? nothing
          : html`<label><span>Temperature</span>
              <input class="temperature" type="range" min="-1" max="1" step="0.02"
                .value=${live(String(Math.log10(temperature)))} aria-valuetext=${String(temperature)}
                @input=${(/** @type {Event} */ event) => heat(Number((10 ** numberOf(event)).toPrecision(3)))}>
              <output>${temperature}</output></label>`
      }
    </div>
    <ol class="try-answers" aria-label="Answer before and after" ?hidden=${!answers.length}>${answers.map(answer)}</ol>
    <div class="buttons">
      <button type="button" class="plain" ?disabled=${!history.canUndoChange()}
        @click=${history.undoChange}>Undo</button>
      <button type="button" class="plain" ?disabled=${!history.canRedoChange()}
        @click=${history.redoChange}>Redo</button>
      <button type="button" class="plain" ?hidden=${!(weights && standingAt(state.interventions, place.cell))}
        @click=${() => change('cell', null)}>Computed weight</button>
    </div>
  </div>`;

  /** @param {string} from @param {string} to @param {number} value */
  function weightSlider(from, to, value) {
    return html`<label class=${isOn ? '' : 'idle'}><span>Weight <bdi class="is-query">${from}</bdi> →
        <bdi class="is-key">${to}</bdi></span>
      <input class="try-weight" type="range" min="0" max="1" step="0.01" .value=${live(String(value))}
        @input=${(/** @type {Event} */ event) => change('cell', numberOf(event))}>
      <output>${formatShare(value)}</output></label>`;
  }
}

/** @param {Event} event */
const numberOf = (event) => /** @type {HTMLInputElement} */ (event.target).valueAsNumber;

/**
 * The likeliest words before and now at the cursor; none while nothing is changed, or the former are not here yet.
 * @param {Context} context @param {number} row
 */
function answersOf(context, row) {
  const { result, modelInfo } = context;
  const before = modelInfo && probabilitiesBefore(context);
  return before
    ? wordsOfBoth(before, result.derived.get(PROBABILITIES).data, row, modelInfo.outputVocabulary, MOST)
    : [];
}

/** A word with the way from its probability before to that now. @param {ReturnType<typeof answersOf>[number]} answer */
const answer = ({ word, before, probability }) => html`<li><bdi>${word}</bdi>
  <svg class="try-line" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">${svg`
    <rect class="try-scale" y="4.5" width="100" height="1"></rect>
    <rect class="try-way" y="3.5" height="3" x=${100 * Math.min(before, probability)}
      width=${100 * Math.abs(probability - before)}></rect>
    <rect class="try-before" x=${Math.max(0, 100 * before - 0.4)} y="0" width=".8" height="10"></rect>
    <rect class="try-now" x=${Math.max(0, 100 * probability - 0.6)} y="0" width="1.2" height="10"></rect>`}</svg>
  <span class="number">${formatShare(before)} → <b>${formatShare(probability)}</b></span></li>`;

/**
 * All changes in words, the switches first.
 * @param {Pick<State, 'settings' | 'interventions'>} state
 * @param {Record<string, any> | undefined} trained
 * @param {import('../../engine/plan.js').Plan} plan
 * @param {readonly string[]} [vocabulary]
 */
const chipsOf = ({ settings, interventions }, trained, plan, vocabulary) => [
  ...changedSwitches(settings, trained).map(({ label }) => label),
  ...interventions.map((change) => interventionLabel(change, (kind) => wordsOf({ plan }, kind), vocabulary)),
];

/** @param {string[]} chips @param {Tools} tools */
function chipList(chips, { get, set, modelInfo }) {
  /** @param {Event} event @param {number} index */
  function takeBack({ currentTarget }, index) {
    const list = /** @type {HTMLElement} */ (/** @type {HTMLElement} */ (currentTarget).closest('#changes'));
    const { settings, interventions } = get();
    const switches = changedSwitches(settings, modelInfo()?.config);
    if (index < switches.length) set({ settings: { ...settings, [switches[index].name]: switches[index].value } });
    else set({ interventions: without(interventions, index - switches.length) });
    const left = list.querySelectorAll('button'); // otherwise the focus would be lost with the chip
    /** @type {HTMLElement | null} */ (
      left[Math.min(index, left.length - 1)] ?? document.querySelector('#try-more > summary')
    )?.focus();
  }
  if (!chips.length) return nothing;
  return html`<ul class="chips" aria-label="Changes">${chips.map(
    (label, index) => html`<li><bdi>${label}</bdi><button type="button" aria-label="Remove: ${label}"
      @click=${(/** @type {Event} */ event) => takeBack(event, index)}>×</button></li>`,
  )}</ul>`;
}

/** Reset, pin and one weight. @param {number} count of changes @param {Tools} tools */
function ending(count, tools) {
  const { get, set, modelInfo } = tools;
  const { pinned } = get();
  function reset() {
    const { settings } = get();
    set({ interventions: [], settings: { ...settings, ...switchesAsBuilt(settings, modelInfo()?.config) } });
  }
  return html`<div id="interventions"><div class="buttons">
      <button type="button" ?disabled=${!count} @click=${reset}>Reset${
        count ? ` ${count} change${count > 1 ? 's' : ''}` : ''
      }</button>
      <button type="button" @click=${() => set({ pinned: get().pinned ? null : pinOf(get()) })}>${
        pinned ? 'Unpin' : 'Pin this state'
      }</button>
    </div>
    ${weightEditor(tools)}</div>`;
}

/** @param {State['weight']} weight */
const weightName = ({ name, row, column }) => `@weight/${name}/${row}/${column}`;

const ROW = { name: 'weight-row', className: 'weight-row', label: 'Row', min: 0, step: 1 };
const COLUMN = { name: 'weight-column', className: 'weight-column', label: 'Column', min: 0, step: 1 };
const NEW = { className: 'weight-new', label: 'Set to', min: -1e6, max: 1e6, value: '' };

/** One number of the model, shown until another one has arrived. @param {Tools} tools */
function weightEditor({ get, set, result }) {
  const derived = result()?.derived ?? new Map();
  /** @type {Weight | undefined} */
  const shown =
    derived.get(weightName(get().weight)) ?? [...derived].findLast(([each]) => each.startsWith('@weight/'))?.[1];
  if (!shown) return nothing;
  const { names, name, rows, columns, row, column, value } = shown;
  const choose = (/** @type {Partial<State['weight']>} */ place) => set({ weight: { ...get().weight, ...place } });
  const edit = (/** @type {number} */ each) =>
    set({ interventions: put(get().interventions, { what: 'weight', name, row, column, value: each }) });
  return html`<details><summary>Edit a weight</summary><div class="weight">
    <label>Weight <select class="weight-name"
      @change=${(/** @type {Event} */ event) => choose({ name: valueOf(event) })}>
      ${names.map((each) => html`<option value=${each} .selected=${each === name}>${each}</option>`)}</select></label>
    ${numberField({ ...ROW, max: rows - 1, value: String(row) }, (each) => choose({ name, row: each }))}
    ${numberField({ ...COLUMN, max: columns - 1, value: String(column) }, (each) => choose({ name, column: each }))}
    <p>of ${rows} × ${columns}; value: <strong class="weight-value">${formatValue(value)}</strong></p>
    ${numberField({ ...NEW, name: `weight-new ${name} ${row} ${column}` }, edit)}
  </div></details>`;
}

/** @param {Result} result @param {State} state @returns {Change[]} */
function headChanges(result, state) {
  const { selection, kind, rowWords, columnWords, row, key } = selectedIn(result, state);
  const place = selected(result, state);
  if (!place) return [];
  const columns = columnWords.length;
  const hidden = result.hidden[kind]?.subarray(row * columns, (row + 1) * columns).reduce((sum, flag) => sum + flag, 0);
  const seen = columns - (hidden ?? 0);
  return [
    {
      label: `This head (layer ${selection.layer + 1}, head ${selection.head + 1})`,
      hint: 'Off gives 0 at every word, the average what it gives in the mean. Neither is like cutting one link.',
      range: null,
      of: place.head,
      choices: { 'Switch off': { to: 0 }, 'Replace with average': { to: 'mean' } },
    },
    {
      label: `This head at ${rowWords[row]} alone`,
      range: null,
      of: place.headAt,
      choices: { 'Switch off': { to: 0 }, 'Replace with average': { to: 'mean' } },
    },
    {
      label: `Selected cell, ${rowWords[row]} → ${columnWords[key]}`,
      hint: 'The rest of the row is unchanged.',
      range: [0, 1],
      of: place.cell,
      choices: { 'Set to 0': { to: 0 }, [`Uniform (1/${seen})`]: { to: 1 / Math.max(1, seen) } },
    },
  ];
}

/** @param {Context} context @returns {Change[]} */
function vectorChanges({ result, state, modelInfo }) {
  const { plan } = result;
  const { selection, kind, rowWords, row } = selectedIn(result, state);
  const tokens = kind === 'encoder' ? plan.tokens.encoder : (plan.tokens.decoder ?? plan.tokens.encoder);
  const word = visibleWords(tokens?.words ?? [])[row];
  if (!rowWords.length || word === undefined) return [];
  const { layer } = selection;
  const other = modelInfo && otherSentence(plan, state, modelInfo);
  const words = other && visibleWords(/** @type {string[]} */ (modelInfo.vocabulary));
  const different = other?.filter((id, i) => id !== plan.ids[i]).map((id) => words?.[id]);
  return [
    {
      label: `Vector of ${word} on its way into layer ${layer + 1}`,
      range: null,
      of: { what: 'patch', kind: kind === 'encoder' ? kind : 'decoder', after: layer, row, from: 'mean', share: 1 },
      choices: {
        'Average of the tokens': { from: 'mean', share: 1 },
        ...(other && { [`From the sentence with ${different?.join(', ')}`]: { from: other, share: 1 } }),
      },
    },
  ];
}

/**
 * Buttons that each make a change or, pressed again, take it back.
 * @param {string} id @param {Change[]} changes @param {Tools} tools
 */
function buttons(id, changes, { get, set }) {
  const { interventions } = get();
  /** @param {Change} change */
  function group({ label, hint, of, choices, range }) {
    const now = /** @type {Record<string, any> | undefined} */ (standingAt(interventions, of));
    const make = (/** @type {Choice} */ choice) =>
      set({ interventions: put(get().interventions, /** @type {Intervention} */ ({ ...of, ...choice })) });
    const takeBack = () => set({ interventions: setTo(get().interventions, of, null) });
    const isMade = (/** @type {Choice} */ choice) =>
      now !== undefined && Object.entries(choice).every(([name, value]) => String(now[name]) === String(value));
    const value = typeof now?.to === 'number' ? String(Number(now.to.toFixed(4))) : '';
    return html`<div class="intervention" role="group" aria-label=${label}>
      <bdi>${label}</bdi>
      ${Object.entries(choices).map(
        ([name, choice]) => html`<button type="button" aria-pressed=${isMade(choice)}
          @click=${() => (isMade(choice) ? takeBack() : make(choice))}>${name}</button>`,
      )}
      ${
        range
          ? numberField(
              { name: JSON.stringify(of), label: 'Set to', min: range[0], max: range[1], value },
              (to) => make({ to }),
              takeBack,
            )
          : nothing
      }
      ${range && now ? html`<button type="button" @click=${takeBack}>Computed value</button>` : nothing}
      ${hint ? html`<span class="hint">${hint}</span>` : nothing}</div>`;
  }
  return html`<div id=${id} ?hidden=${!changes.length}>${changes.map(group)}</div>`;
}
