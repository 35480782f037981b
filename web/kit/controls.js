// Controls that several views have in their heads.

import { html, nothing } from 'lit-html';

/** The chosen or typed value. @param {Event} event */
export const valueOf = (event) => /** @type {HTMLInputElement | HTMLSelectElement} */ (event.target).value;

/** Whether the box is checked now. @param {Event} event */
export const isChecked = (event) => /** @type {HTMLInputElement} */ (event.target).checked;

/**
 * A menu with its label. `className` is by what a test finds it.
 * @template {string} Choice
 * @param {string} label
 * @param {Record<Choice, string>} choices
 * @param {Choice} chosen
 * @param {(choice: Choice) => void} onChoose
 * @param {{className?: string, hidden?: boolean}} [options]
 */
export const menu = (label, choices, chosen, onChoose, { className, hidden = false } = {}) => html`<label
  ?hidden=${hidden}>${label}
  <select class=${className ?? nothing}
    @change=${(/** @type {Event} */ event) => onChoose(/** @type {Choice} */ (valueOf(event)))}>
    ${Object.entries(choices).map(
      ([value, text]) => html`<option value=${value} .selected=${value === chosen}>${text}</option>`,
    )}
  </select></label>`;
