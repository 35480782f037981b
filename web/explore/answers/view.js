// The most likely words at one place, with their probabilities.

import { html, nothing, render } from 'lit-html';

/**
 * `attention`: the head with the largest weight from this place on the first word, if the text contains that.
 * @typedef {{
 *   title: string, word: string, rest: string, note: string, list: {word: string, probability: number}[],
 *   attention: {from: string, to: string, weight: number, selection: {layer: number, head: number}, shown: boolean}
 *     | null,
 * }} AnswersData
 */

/**
 * @param {HTMLElement} root
 * @param {{onShowHead: () => void}} options `onShowHead`: show that head
 */
export function create(root, { onShowHead }) {
  return {
    /** @param {AnswersData | null} data */
    update(data) {
      root.hidden = !data;
      if (!data) return;
      const { title, word, rest, note, list, attention } = data;
      render(
        html`
        <p class="answers-title">${title} <bdi class="quoted">${word}</bdi>${rest}</p>
        <ol class="answers-list">${list.map(
          ({ word: each, probability }) => html`<li>
          <bdi>${each}</bdi> <span class="number">${probability < 0.0005 ? '<0.001' : probability.toFixed(3)}</span>
          <meter min="0" max="1" .value=${probability} aria-hidden="true"></meter></li>`,
        )}</ol>
        ${
          attention
            ? html`<p class="answers-attention">Head linking <bdi class="quoted">${attention.from}</bdi> most to
          its answer <bdi class="quoted">${attention.to}</bdi>: layer ${attention.selection.layer + 1},
          head ${attention.selection.head + 1}, weight <span class="number">${attention.weight.toFixed(4)}</span>${
            attention.shown
              ? ', shown below'
              : html`
          <button type="button" @click=${onShowHead}>Show</button>`
          }</p>`
            : nothing
        }
        ${note ? html`<p class="hint">${note}</p>` : nothing}`,
        root,
      );
    },
    destroy() {
      root.replaceChildren();
    },
  };
}
