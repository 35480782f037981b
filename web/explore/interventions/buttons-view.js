// Buttons that replace a computed value with another one, and a field for any number.

import { html, nothing, render } from 'lit-html';
import { live } from 'lit-html/directives/live.js';

/**
 * One value that can be set. `of` says which one, and is handed back to `onSet`; `now`: what it is set to,
 * null: it is as computed; `range`: of the number that may be typed, null: none may.
 * @typedef {{
 *   label: string, hint: string, of: unknown, choices: Record<string, number | 'mean'>,
 *   range: [number, number] | null, now: number | 'mean' | null,
 * }} Intervention
 */

/**
 * @param {HTMLElement} root
 * @param {{onSet: (of: unknown, to: number | 'mean' | null) => void}} options `to` null: as computed
 */
export function create(root, { onSet }) {
  /** @param {Intervention} intervention */
  const group = ({ label, hint, of, choices, range, now }) => html`<div class="intervention" role="group"
    aria-label=${label}>
    <bdi>${label}</bdi>
    ${Object.entries(choices).map(
      ([name, to]) => html`<button type="button" aria-pressed=${now === to}
      @click=${() => onSet(of, now === to ? null : to)}>${name}</button>`,
    )}
    ${
      range
        ? html`<label>Set to <input type="number" step="any" min=${range[0]} max=${range[1]}
      .value=${live(typeof now === 'number' ? String(Number(now.toFixed(4))) : '')}
      @change=${(/** @type {Event} */ event) => typed(event, (to) => onSet(of, to))}></label>`
        : nothing
    }
    ${
      range && now !== null
        ? html`<button type="button" @click=${() => onSet(of, null)}>Computed value</button>`
        : nothing
    }
    ${hint ? html`<span class="hint">${hint}</span>` : nothing}</div>`;

  return {
    /** @param {Intervention[] | null} data */
    update(data) {
      root.hidden = !data?.length;
      render(data ? data.map(group) : nothing, root);
    },
    destroy() {
      root.replaceChildren();
    },
  };
}

/** @param {Event} event @param {(to: number | null) => void} use null where the field is emptied: as computed */
function typed(event, use) {
  const field = /** @type {HTMLInputElement} */ (event.target);
  if (field.reportValidity()) use(Number.isNaN(field.valueAsNumber) ? null : field.valueAsNumber);
}
