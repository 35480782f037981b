// Which model the page shows: one of a few, as radio buttons.

import { html, render } from 'lit-html';
import { live } from 'lit-html/directives/live.js';

/**
 * @typedef {{labels: Record<string, {label: string, does: string}>, selected: string}} ModelsData
 */

/**
 * @param {HTMLElement} root
 * @param {{onSelect: (name: string) => void}} options
 */
export function create(root, { onSelect }) {
  return {
    /** @param {ModelsData} data */
    update({ labels, selected }) {
      render(
        html`<fieldset class="models">
        <legend class="visually-hidden">Which model</legend>
        ${Object.entries(labels).map(
          ([name, { label, does }]) => html`<label class="model">
          <input type="radio" name="model" value=${name} .checked=${live(name === selected)}
            @change=${() => onSelect(name)}>
          <span><b>${label}</b><span class="does">: ${does}</span></span></label>`,
        )}
      </fieldset>`,
        root,
      );
    },
    destroy() {
      root.replaceChildren();
    },
  };
}
