// A sentence built from menus: a pattern, and a menu for each word that can be chosen.

import { html, render } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { valueOf } from '../../draw/controls.js';

/**
 * @typedef {{name: string, label: string, options: string[], value: string}} Menu
 * @typedef {{patterns: Record<string, string>, pattern: string, parts: (string | Menu)[]}} MenusData
 */

/**
 * @param {HTMLElement} root
 * @param {{onPattern: (pattern: string) => void, onChoice: (name: string, value: string) => void}} options
 */
export function create(root, { onPattern, onChoice }) {
  return {
    /** @param {MenusData | null} data */
    update(data) {
      root.hidden = !data;
      if (!data) return;
      const { patterns, pattern, parts } = data;
      render(
        html`<details class="menu" name="bar"><summary>Sentence</summary><div class="sentence-menus">
        <select class="pattern" aria-label="Sentence" .value=${live(pattern)}
          @change=${(/** @type {Event} */ event) => onPattern(valueOf(event))}>
            ${Object.entries(patterns).map(
              ([value, label]) => html`<option value=${value} .selected=${value === pattern}>${label}</option>`,
            )}
        </select>
        <div class="menus" role="group" aria-label="Words of the English sentence">
          ${parts.map((part) =>
            typeof part === 'string'
              ? html`<span class="fixed">${part}</span>`
              : html`
            <select data-name=${part.name} aria-label=${part.label} .value=${live(part.value)}
              @change=${(/** @type {Event} */ event) => onChoice(part.name, valueOf(event))}>
              ${part.options.map(
                (option) => html`<option value=${option} .selected=${option === part.value}>${option}</option>`,
              )}
            </select>`,
          )}
        </div></div></details>`,
        root,
      );
    },
    destroy() {
      root.replaceChildren();
    },
  };
}
