// Try, its changes: the list of them, each to be taken back; one weight to edit; reset and pin; and what can be changed
// what the reader has selected.

import { html, nothing, render } from 'lit-html';
import { formatValue } from '../../draw/canvas.js';
import { createNumberFields } from '../../draw/number-field.js';
import {
  changedSwitches,
  interventionLabel,
  put,
  setTo,
  standingAt,
  switchesAsBuilt,
  without,
} from '../../engine/interventions.js';
import { pinOf } from '../../engine/plan.js';
import { neuronAt } from '../shared/neuron-at.js';
import { otherSentence } from '../shared/other-sentence.js';
import { selectedIn, visibleWords, wordsOf } from '../shared/words.js';

/**
 * @typedef {import('../../engine/interventions.js').Intervention} Intervention
 * @typedef {import('../index.js').Tools} Tools
 * @typedef {Omit<Change, 'of' | 'now'> & {of: Intervention}} Group
 */

/** @param {Pick<import('../index.js').State, 'weight'>} state */
const weightName = ({ weight: { name, row, column } }) => `@weight/${name}/${row}/${column}`;

/**
 * @param {Pick<import('../index.js').State, 'settings' | 'interventions'>} state
 * @param {Record<string, any> | undefined} trained
 * @param {import('../../engine/plan.js').Plan} plan
 */
const listed = ({ settings, interventions: list }, trained, plan) => ({
  chips: [
    ...changedSwitches(settings, trained).map(({ label }) => label),
    ...list.map((change) => interventionLabel(change, (kind) => wordsOf({ plan }, kind))),
  ],
});

/** @type {import('../index.js').Panel<ChangesData>} */
export const interventions = {
  name: 'interventions',
  isAside: true,
  showsTyping: true, // a text takes changes of its words along
  slot: 'interventions',
  required: ({ state }) => (state.weight ? [weightName({ weight: state.weight })] : []),
  present: ({ result, state, modelInfo }) => ({
    ...listed(state, modelInfo?.config, result.plan),
    weight: result.derived.get(weightName(state)) ?? null,
  }),
  blank: ({ plan }) => ({ ...listed(plan, plan.base ?? undefined, plan), weight: null }),
  create(root, { get, set, modelInfo }) {
    /** @param {Intervention} change */
    const make = (change) => set({ interventions: put(get().interventions, change) });
    const list = /** @type {HTMLElement} */ (document.getElementById('changes'));
    const inner = createList(root, list, {
      onTakeBack(index) {
        const { settings, interventions: list } = get();
        const switches = changedSwitches(settings, modelInfo()?.config);
        if (index < switches.length) set({ settings: { ...settings, [switches[index].name]: switches[index].value } });
        else set({ interventions: without(list, index - switches.length) });
      },
      onWeight: (weight) => set({ weight: { ...get().weight, ...weight } }),
      onEdit: (place, value) => make({ what: 'weight', ...place, value }),
      onReset: () =>
        set({
          interventions: [],
          settings: { ...get().settings, ...switchesAsBuilt(get().settings, modelInfo()?.config) },
        }),
      onPin: () => set({ pinned: get().pinned ? null : pinOf(get()) }),
    });
    return { ...inner, update: (data) => inner.update(data && { ...data, pinned: Boolean(get().pinned) }) };
  },
};

/**
 * Buttons beside a map: each makes an intervention or, pressed again, takes it back.
 * @param {string} name
 * @param {import('../index.js').Placed['nodes']} nodes where it is shown
 * @param {(context: import('../index.js').Context) => Group[]} groups
 * @returns {import('../index.js').Panel<Change[]>}
 */
const beside = (name, nodes, groups) => ({
  name,
  slot: 'change',
  isAside: true,
  nodes,
  section: html`<div id=${name} hidden></div>`,
  present: (context) =>
    groups(context).map((group) => ({ ...group, now: standingAt(context.state.interventions, group.of) ?? null })),
  create: (root, { get, set }) =>
    createButtons(root, {
      onSet: (of, fields) =>
        set({
          interventions: fields
            ? put(get().interventions, /** @type {Intervention} */ ({ .../** @type {object} */ (of), ...fields }))
            : setTo(get().interventions, /** @type {Intervention} */ (of), null),
        }),
    }),
});

/** @type {Change['choices']} */
const OFF_OR_MEAN = { 'Switch off': { to: 0 }, 'Replace with average': { to: 'mean' } };

export const changeHead = beside('change-head', undefined, ({ result, state }) => {
  const {
    selection: { layer, head, mean },
    kind,
    rowWords,
    columnWords,
    row,
    key,
  } = selectedIn(result, state);
  if (mean || !rowWords.length || !result.plan.settings.heads) return [];
  const place = { kind, layer, head };
  const columns = columnWords.length;
  const seen =
    columns -
    (result.hidden[kind]?.subarray(row * columns, (row + 1) * columns).reduce((sum, flag) => sum + flag, 0) ?? 0);
  const cells = { 'Set to 0': { to: 0 }, [`Uniform (1/${seen})`]: { to: 1 / Math.max(1, seen) } };
  return [
    {
      label: `This head (layer ${layer + 1}, head ${head + 1})`,
      hint: '',
      range: null,
      of: { what: 'head', ...place, to: 0 },
      choices: OFF_OR_MEAN,
    },
    {
      label: `Selected cell, ${rowWords[row]} → ${columnWords[key]}`,
      hint: 'The rest of the row is unchanged.',
      range: [0, 1],
      of: { what: 'cell', ...place, row, key, to: 0 },
      choices: cells,
    },
  ];
});

export const changeNeuron = beside('change-neuron', ['ffn'], ({ result, state }) => {
  const {
    selection: { layer },
    kind,
    rowWords,
  } = selectedIn(result, state);
  const { d_ff } = result.plan.settings;
  if (!d_ff || !rowWords.length) return [];
  const neuron = neuronAt(result, state);
  return [
    {
      label: `Neuron ${neuron} of layer ${layer + 1}, at every token`,
      hint: '',
      range: [-1e6, 1e6],
      of: { what: 'neuron', kind: kind === 'cross' ? 'decoder' : kind, layer, neuron, to: 0 },
      choices: OFF_OR_MEAN,
    },
  ];
});

export const changeVector = beside('change-vector', undefined, ({ result, state, modelInfo }) => {
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
      hint: '',
      range: null,
      of: { what: 'patch', kind: kind === 'encoder' ? kind : 'decoder', after: layer, row, from: 'mean', share: 1 },
      choices: {
        'Average of the tokens': { from: 'mean', share: 1 },
        ...(other && { [`From the sentence with ${different?.join(', ')}`]: { from: other, share: 1 } }),
      },
    },
  ];
});

/**
 * @typedef {{name: string, row: number, column: number}} Place
 * @typedef {Place & {names: string[], rows: number, columns: number, value: number}} Weight
 * @typedef {{
 *   chips: string[], weight: Weight | null, pinned?: boolean,
 * }} ChangesData
 * @typedef {{
 *   onTakeBack: (index: number) => void,
 *   onWeight: (place: Partial<Place>) => void, onEdit: (place: Place, value: number) => void,
 *   onReset: () => void, onPin: () => void,
 * }} ChangesOptions
 */

const ROW = { name: 'weight-row', className: 'weight-row', label: 'Row', min: 0, step: 1 };
const COLUMN = { name: 'weight-column', className: 'weight-column', label: 'Column', min: 0, step: 1 };
const NEW = { className: 'weight-new', label: 'Set to', min: -1e6, max: 1e6, value: '' };

/**
 * @param {HTMLElement} root
 * @param {HTMLElement} list where the interventions are listed
 * @param {ChangesOptions} options
 */
function createList(root, list, { onTakeBack, onWeight, onEdit, onReset, onPin }) {
  /** @type {Weight | null} shown until another one has arrived */
  let weight = null;

  /** @param {number} index */
  function takeBack(index) {
    onTakeBack(index);
    const left = list.querySelectorAll('button'); // otherwise the focus would be lost with the chip
    /** @type {HTMLElement | null} */ (
      left[Math.min(index, left.length - 1)] ?? root.closest('details')?.querySelector('summary')
    )?.focus();
  }

  /** @param {string[]} chips */
  const chipList = (chips) =>
    html`<ul class="chips" aria-label="Changes">${chips.map(
      (label, index) => html`<li><bdi>${label}</bdi><button type="button" aria-label="Remove: ${label}"
      @click=${() => takeBack(index)}>×</button></li>`,
    )}</ul>`;

  /** @param {Weight} shown */
  const editor = ({ names, name, rows, columns, row, column, value }) => html`
    <label>Weight <select class="weight-name"
      @change=${(/** @type {Event} */ event) => onWeight({ name: field(event).value })}>
      ${names.map((each) => html`<option value=${each} .selected=${each === name}>${each}</option>`)}</select></label>
    ${number({ ...ROW, max: rows - 1, value: String(row) }, (each) => onWeight({ name, row: each }))}
    ${number({ ...COLUMN, max: columns - 1, value: String(column) }, (each) => onWeight({ name, column: each }))}
    <p>of ${rows} × ${columns}; value: <strong class="weight-value">${formatValue(value)}</strong></p>
    ${number({ ...NEW, name: `weight-new ${name} ${row} ${column}` }, (each) => onEdit({ name, row, column }, each))}`;

  /** @type {ChangesData} */
  let shown;
  const number = createNumberFields(draw);

  function draw() {
    const { chips, pinned } = shown;
    weight = shown.weight ?? weight;
    render(
      html`
        <div class="buttons">
          <button type="button" ?disabled=${!chips.length} @click=${onReset}>${resetLabel(chips.length)}</button>
          <button type="button" @click=${onPin}>${pinned ? 'Unpin' : 'Pin this state'}</button>
        </div>
        ${
          weight
            ? html`<details><summary>Edit a weight</summary><div class="weight">${editor(weight)}</div></details>`
            : nothing
        }`,
      root,
    );
    render(chips.length ? chipList(chips) : nothing, list);
  }

  return {
    /** @param {ChangesData | null} data */
    update(data) {
      if (!data) return this.destroy();
      shown = data;
      draw();
    },
    destroy() {
      for (const each of [root, list]) render(nothing, each);
    },
  };
}

/** @param {number} count */
const resetLabel = (count) => `Reset${count ? ` ${count} change${count > 1 ? 's' : ''}` : ''}`;

/** @param {Event} event */
const field = (event) => /** @type {HTMLInputElement} */ (event.target);

/**
 * One value that can be set. `of` says which one, and is handed back to `onSet` with the fields of a choice; `now`:
 * what stands in its place, null: it is as computed; `range`: of the number that may be typed, null: none may.
 * @typedef {{to: number | 'mean'} | {from: number[] | 'mean', share: number}} Choice
 * @typedef {{
 *   label: string, hint: string, of: unknown, choices: Record<string, Choice>,
 *   range: [number, number] | null, now: Record<string, any> | null,
 * }} Change
 */

/**
 * @param {HTMLElement} root
 * @param {{onSet: (of: unknown, choice: Choice | null) => void}} options `choice` null: as computed
 */
function createButtons(root, { onSet }) {
  /** @type {Change[] | null} */
  let shown = null;
  const draw = () => render(shown?.map(group) ?? nothing, root);
  const field = createNumberFields(draw);

  /** @param {Change} intervention */
  const group = ({ label, hint, of, choices, range, now }) => html`<div class="intervention" role="group"
    aria-label=${label}>
    <bdi>${label}</bdi>
    ${Object.entries(choices).map(
      ([name, choice]) => html`<button type="button" aria-pressed=${isMade(now, choice)}
      @click=${() => onSet(of, isMade(now, choice) ? null : choice)}>${name}</button>`,
    )}
    ${
      range
        ? field(
            {
              name: label,
              label: 'Set to',
              min: range[0],
              max: range[1],
              value: typeof now?.to === 'number' ? String(Number(now.to.toFixed(4))) : '',
            },
            (to) => onSet(of, { to }),
            () => onSet(of, null),
          )
        : nothing
    }
    ${
      range && now !== null
        ? html`<button type="button" @click=${() => onSet(of, null)}>Computed value</button>`
        : nothing
    }
    ${hint ? html`<span class="hint">${hint}</span>` : nothing}</div>`;

  return {
    /** @param {Change[] | null} data */
    update(data) {
      root.hidden = !data?.length;
      shown = data;
      draw();
    },
    destroy() {
      root.replaceChildren();
    },
  };
}

/** @param {Change['now']} now @param {Choice} choice */
const isMade = (now, choice) =>
  Boolean(now) && Object.entries(choice).every(([name, value]) => String(now?.[name]) === String(value));
