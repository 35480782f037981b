// The list of interventions, each of which can be removed; temperature; one weight to edit; undo and redo.

import { html, nothing, render } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { formatValue } from '../../draw/canvas.js';

/**
 * @typedef {{name: string, row: number, column: number}} Place
 * @typedef {Place & {names: string[], rows: number, columns: number, value: number}} Weight
 * @typedef {{
 *   chips: string[], temperature: number, weight: Weight | null,
 *   pinned?: boolean, canUndo?: boolean, canRedo?: boolean,
 * }} ChangesData
 * @typedef {{
 *   onTakeBack: (index: number) => void, onTemperature: (value: number) => void,
 *   onWeight: (place: Partial<Place>) => void, onEdit: (place: Place, value: number) => void,
 *   onUndo: () => void, onRedo: () => void, onReset: () => void, onPin: () => void,
 * }} ChangesOptions
 */

/**
 * @param {HTMLElement} root
 * @param {ChangesOptions} options
 */
export function create(root, { onTakeBack, onTemperature, onWeight, onEdit, onUndo, onRedo, onReset, onPin }) {
  /** @type {Weight | null} shown until another one has arrived */
  let weight = null;

  /** @param {number} index */
  function takeBack(index) {
    onTakeBack(index);
    const left = root.querySelectorAll('.chips button'); // otherwise the focus would be lost with the chip
    /** @type {HTMLElement | null} */ (
      left[Math.min(index, left.length - 1)] ?? root.querySelector('.temperature')
    )?.focus();
  }

  /** @param {Weight} shown */
  const editor = ({ names, name, rows, columns, row, column, value }) => html`
    <label>Weight <select class="weight-name"
      @change=${(/** @type {Event} */ event) => onWeight({ name: field(event).value })}>
      ${names.map((each) => html`<option value=${each} .selected=${each === name}>${each}</option>`)}</select></label>
    <label>Row <input class="weight-row" type="number" required min="0" max=${rows - 1} step="1"
      .value=${live(String(row))}
      @change=${(/** @type {Event} */ event) => number(event, (each) => onWeight({ name, row: each }))}></label>
    <label>Column <input class="weight-column" type="number" required min="0" max=${columns - 1} step="1"
      .value=${live(String(column))}
      @change=${(/** @type {Event} */ event) => number(event, (each) => onWeight({ name, column: each }))}></label>
    <p>of ${rows} × ${columns}; value: <strong class="weight-value">${formatValue(value)}</strong></p>
    <label>Set to <input class="weight-new" type="number" required step="any" min="-1e6" max="1e6" .value=${live('')}
      @change=${(/** @type {Event} */ event) => number(event, (each) => onEdit({ name, row, column }, each))}></label>`;

  return {
    /** @param {ChangesData | null} data */
    update(data) {
      if (!data) return render(nothing, root);
      const { chips, temperature, pinned, canUndo, canRedo } = data;
      weight = data.weight ?? weight;
      render(
        html`
        <div class="buttons">
          <button type="button" ?disabled=${!canUndo} aria-keyshortcuts="Control+Z" @click=${onUndo}>Undo</button>
          <button type="button" ?disabled=${!canRedo} aria-keyshortcuts="Control+Shift+Z" @click=${onRedo}>Redo</button>
          <button type="button" ?disabled=${!chips.length} @click=${onReset}>${resetLabel(chips.length)}</button>
        </div>
        <div class="buttons">
          <button type="button" @click=${onPin}>${pinned ? 'Unpin' : 'Pin this state'}</button>
        </div>
        <label>Softmax temperature
          <input class="temperature" type="range" min="-1" max="1" step="0.02"
            .value=${live(String(Math.log10(temperature)))} aria-valuetext=${String(temperature)}
            @input=${(/** @type {Event} */ event) => onTemperature(rounded(10 ** field(event).valueAsNumber))}>
          <output>${temperature}</output></label>
        ${
          weight
            ? html`<details><summary>Edit a weight</summary><div class="weight">${editor(weight)}</div></details>`
            : nothing
        }
        ${
          chips.length
            ? html`<ul class="chips" aria-label="Changes">${chips.map(
                (label, index) => html`<li>
          <bdi>${label}</bdi><button type="button" aria-label="Remove: ${label}"
            @click=${() => takeBack(index)}>×</button></li>`,
              )}</ul>`
            : html`<p class="hint">No changes yet. Use a switch of the model or the temperature, or set the selected
              head, cell or neuron above.</p>`
        }`,
        root,
      );
    },
    destroy() {
      root.replaceChildren();
    },
  };
}

/** @param {number} count */
const resetLabel = (count) => `Reset${count ? ` ${count} change${count > 1 ? 's' : ''}` : ''}`;

/** @param {Event} event */
const field = (event) => /** @type {HTMLInputElement} */ (event.target);

/** @param {number} value */
const rounded = (value) => Number(value.toPrecision(3));

/** @param {Event} event @param {(value: number) => void} use only a number in its range */
function number(event, use) {
  if (field(event).reportValidity()) use(field(event).valueAsNumber);
}
