// The text with arcs from the chosen word to those that it attends to, and words that a click swaps.

import { html, nothing, render } from 'lit-html';
import { arcsOf, createArcs } from '../../draw/arcs.js';
import { indexByKey } from '../../draw/keys.js';
import { directionOf } from '../../draw/sentence.js';
import { formatShare } from '../../draw/numbers.js';
import { together } from '../../draw/words.js';
import base from 'elements-parts.css'; // ../parts.css and sentence.css, made small by src/tools/build.mjs
import own from 'elements-sentence.css';

export const style = base + own;

/** @param {HTMLElement} body */
export function create(body) {
  const band = body.appendChild(document.createElement('div'));
  const arcs = globalThis.ResizeObserver ? createArcs(body.appendChild(document.createElement('div'))) : null;
  const strip = () => /** @type {HTMLElement | null} */ (body.querySelector('.tokens'));
  body.className = 'sentence';
  return {
    /** @param {import('../part.js').Shown} shown @param {import('../part.js').PartTools} tools */
    update({ pass, choice, own }, tools) {
      const { words } = pass;
      const { layer, head, row, key } = choice;
      const data = pass.head(layer, head);
      render(template({ pass, row, key, weight: data[row * words.length + key], flip: own.flip }, tools), band);
      const all = arcsOf({ data, row, key, rowWords: words, columnWords: words, isSelf: true });
      arcs?.update({ rows: strip, keys: strip, arcs: all, isOff: false });
    },
    destroy: () => arcs?.destroy(),
  };
}

/**
 * @param {{pass: import('../pass.js').Pass, row: number, key: number, weight: number, flip: unknown}} shown
 * @param {import('../part.js').PartTools} tools
 */
function template({ pass: { words, ids, text }, row, key, weight, flip }, { choose, read }) {
  const line = { words, ids, fresh: 0, selected: row, key, part: /** @type {'row'} */ ('row') };
  /** @param {KeyboardEvent} event */
  function press(event) {
    const target = indexByKey(event, row, words.length - 1, directionOf(words) === 'rtl');
    if (target === undefined) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(words.length - 1, target));
    choose({ word: next, key: null });
    /** @type {Element} */ (event.currentTarget).querySelectorAll('button')[next].focus();
  }
  /** @param {MouseEvent} event */
  function click({ target, currentTarget }) {
    const token = /** @type {Element} */ (target).closest('button');
    const all = /** @type {Element} */ (currentTarget).querySelectorAll('button');
    if (token) choose({ word: [...all].indexOf(token), key: null });
  }
  return html`<div class="tokens" part="words" dir=${directionOf(words)} role="radiogroup" aria-label="Words"
      @click=${click} @keydown=${press}>${together(
        line,
        words.map((_, i) => i),
      )}</div>
    <p class="visually-hidden" role="status">${words[row]} gives ${formatShare(weight)} of its attention to ${
      words[key]
    }.</p>
    ${flips(flip, text, read)}`;
}

/**
 * Words of which one stands in the text: a click puts another there.
 * @param {unknown} flip 'tired|deep' @param {string} text @param {(text: string) => void} read
 */
function flips(flip, text, read) {
  const words = String(flip ?? '').split('|');
  const pieces = text.split(/(\P{L}+)/u);
  const at = pieces.findIndex((piece) => piece && words.includes(piece));
  if (at < 0 || words.length < 2) return nothing;
  return html`<p class="flips" part="flips" role="group" aria-label="Change a word">${words.map(
    (word) => html`<button type="button" aria-pressed=${word === pieces[at]}
      @click=${() => read(pieces.with(at, word).join(''))}>${word}</button>`,
  )}</p>`;
}
