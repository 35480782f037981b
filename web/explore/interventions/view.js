// The list of interventions, each of which can be removed; one weight to edit; reset and pin.

import { html, nothing, render } from 'lit-html';
import { formatValue } from '../../draw/canvas.js';
import { createNumberFields } from '../../draw/number-field.js';

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
export function create(root, list, { onTakeBack, onWeight, onEdit, onReset, onPin }) {
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
