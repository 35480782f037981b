// The most likely words at one place, with their probabilities, and where something is changed, those before it.

import { html, nothing, render, svg } from 'lit-html';
import { keyed } from 'lit-html/directives/keyed.js';
import { formatValue } from '../../draw/canvas.js';
import { noAnswer } from './no-answer.js';
import { formatShare } from '../../draw/share.js';

/**
 * `attention`: a head that attends most from this place to the first word, if the text contains that; `isStrongest`:
 * no other head gives it more.
 * `before`: the probability in the model as built; `moved`: of a model without output words, how far its output
 * vector has moved, and its length before. `canHide`: the token can be masked;
 * `canGoOn`: a word can be put behind the text. `all`: the likeliest word of each place.
 * @typedef {{
 *   title: string, word: string, rest: string, note: string,
 *   list: {id: number, word: string, probability: number, before?: number}[],
 *   moved?: {distance: number, length: number}, all?: string, canHide?: boolean, canGoOn?: boolean,
 *   attention: {
 *     from: string, to: string, weight: number, selection: {layer: number, head: number}, shown: boolean,
 *     isStrongest: boolean,
 *   } | null,
 * }} AnswersData
 */

/** Before a change and after it; the first loses its sign. @param {number} share */
const bare = (share) => formatShare(share).replace('\u00a0%', '');

/**
 * A bar from 0 to 1, with a mark where it ended before; it moves to another value (style.css).
 * @param {number} share
 * @param {number | undefined} before
 */
const bar = (share, before) => svg`<svg class="answers-bar" viewBox="0 0 100 8" preserveAspectRatio="none"
  aria-hidden="true"><rect class="answers-now" width="100" height="8" transform="scale(${share} 1)"></rect>${
    before === undefined ? nothing : svg`<rect x=${Math.max(0, 100 * before - 1)} width="2" height="8"></rect>`
  }</svg>`;

/**
 * @param {HTMLElement} root
 * @param {{
 *   onShowHead: () => void, onHide: () => void, onTry: (text: string) => void, onGoOn: (id: number) => void,
 *   onAusten: () => void,
 * }} options `onShowHead`: show that head; `onHide`: mask the token; `onTry`: read another text; `onGoOn`: go on with a
 *   word; `onAusten`: read the text with that model
 */
export function create(root, { onShowHead, onHide, onTry, onGoOn, onAusten }) {
  return {
    /** @param {AnswersData | {none: import('./no-answer.js').NoAnswer} | null} data */
    update(data) {
      root.hidden = !data;
      if (!data) return;
      if ('none' in data) return void render(noAnswer(data.none, { onTry, onAusten }), root);
      const { title, word, rest, note, list, attention, moved, all, canHide, canGoOn } = data;
      const isChanged = list.some(({ before }) => before !== undefined);
      render(
        html`
        <p class="answers-title">${title} <bdi class="quoted">${word}</bdi>${rest}
        ${canHide ? html`<button type="button" @click=${onHide}>Mask it</button>` : nothing}</p>
        ${
          moved
            ? html`<p class="answers-moved">moved by <span class="number">${formatValue(moved.distance)}</span>; its
          length was <span class="number">${formatValue(moved.length)}</span>
          ${bar(Math.min(1, moved.distance / moved.length), 0)}</p>`
            : html`<ol class=${isChanged ? 'answers-list changed' : 'answers-list'}>${list.map(
                ({ id, word: each, probability, before }) => html`<li>
          ${
            canGoOn
              ? html`<button type="button" title="Continue with this" @click=${() => onGoOn(id)}><bdi>${
                  each
                }</bdi></button>`
              : html`<bdi>${each}</bdi>`
          } <span class="number">${
            before === undefined ? nothing : html`<span class="answers-before">${bare(before)} → </span>`
          }${formatShare(probability)}</span>
          ${keyed(`${title} ${word} ${each}`, bar(probability, before))}</li>`,
              )}</ol>`
        }
        ${
          attention
            ? html`<p class="answers-attention">${attention.isStrongest ? 'Strongest link' : 'A link'} from
          <bdi class="quoted">${attention.from}</bdi> to
          <bdi class="quoted">${attention.to}</bdi>: layer ${attention.selection.layer + 1},
          head ${attention.selection.head + 1} (<span class="number">${formatShare(attention.weight)}</span>)${
            attention.shown ? nothing : html` <button type="button" @click=${onShowHead}>Show</button>`
          }</p>`
            : nothing
        }
        ${all ? html`<p class="answers-all">Answers of the row: <bdi class="number">${all}</bdi></p>` : nothing}
        ${note ? html`<p class="hint">${note}</p>` : nothing}`,
        root,
      );
    },
    destroy() {
      root.replaceChildren();
    },
  };
}
