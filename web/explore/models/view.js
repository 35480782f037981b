// Which model the page shows: a menu of a few, or one of the reader's own.

import { html, render } from 'lit-html';
import { live } from 'lit-html/directives/live.js';

/**
 * @typedef {{labels: Record<string, {label: string, does: string}>, selected: string}} ModelsData
 */

/**
 * @param {HTMLElement} root
 * @param {{onSelect: (name: string) => void, onOpen: () => void}} options
 */
export function create(root, { onSelect, onOpen }) {
  return {
    /** @param {ModelsData} data */
    update({ labels, selected }) {
      render(
        html`<details class="menu" name="bar"><summary title="Which model">${labels[selected]?.label}</summary>
      <fieldset class="models">
        <legend class="visually-hidden">Which model</legend>
        ${Object.entries(labels).map(
          ([name, { label, does }]) => html`<label class="model">
          <input type="radio" name="model" value=${name} .checked=${live(name === selected)}
            @change=${() => onSelect(name)}>
          <span><b>${label}</b><span class="does">: ${does}</span></span></label>`,
        )}
        <button type="button" @click=${onOpen}>Open your own model…</button>
      </fieldset></details>`,
        root,
      );
    },
    destroy() {
      root.replaceChildren();
    },
  };
}
