// The facts of a trained model: size, recipe, measured scores.

import { html, nothing, render } from 'lit-html';

/**
 * @typedef {{
 *   more: string, facts: {name: string, value: string}[], scores: {name: string, value: string, note: string}[],
 * }} CardFacts
 */

/** @param {HTMLElement} root */
export function create(root) {
  /** @type {CardFacts | null} */
  let last = null;
  return {
    /** @param {CardFacts | null} data */
    update(data) {
      root.hidden = !data;
      if (!data || data === last) return;
      last = data;
      render(
        html`
        <p class="hint">${data.more}</p>
        <dl class="card-facts">${data.facts.map(
          ({ name, value }) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`,
        )}</dl>
        <details class="scores" ?hidden=${!data.scores.length}><summary>Evaluation</summary>
          <p class="hint">Measured after training on held-out sentences, not in this page.</p>
          <dl class="card-facts">${data.scores.map(
            ({ name, value, note }) => html`
            <div><dt>${name}${note ? html` <i>${note}</i>` : nothing}</dt><dd>${value}</dd></div>`,
          )}</dl>
        </details>`,
        root,
      );
    },
    destroy() {
      root.replaceChildren();
    },
  };
}
