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
  /** Of an encoder–decoder the keys’ words stand above. @param {number} at */
  const strip = (at) => /** @type {HTMLElement | null} */ ([...body.querySelectorAll('.tokens')].at(at) ?? null);
  body.className = 'sentence';
  return {
    /** @param {import('../part.js').Shown} shown @param {import('../part.js').PartTools} tools */
    update({ pass, choice, own }, tools) {
      const { words, columnWords, isSelf } = pass;
      const { layer, head, row, key } = choice;
      const data = pass.head(layer, head);
      render(template({ pass, row, key, weight: data[row * columnWords.length + key], flip: own.flip }, tools), band);
      const all = arcsOf({ data, row, key, rowWords: words, columnWords, isSelf });
      arcs?.update({ rows: () => strip(-1), keys: () => strip(0), arcs: all, isOff: false });
    },
    destroy: () => arcs?.destroy(),
  };
}

/**
 * @param {{pass: import('../pass.js').Pass, row: number, key: number, weight: number, flip: unknown}} shown
 * @param {import('../part.js').PartTools} tools
 */
function template({ pass, row, key, weight, flip }, { choose, read }) {
  const { words, ids, columnWords, columnIds, isSelf, text } = pass;
  const asks = { words, ids, fresh: 0, selected: row, key: isSelf ? key : null, part: /** @type {const} */ ('row') };
  const answers = {
    words: columnWords,
    ids: columnIds,
    fresh: 0,
    selected: key,
    key,
    part: /** @type {const} */ ('key'),
  };
  return html`${
    isSelf ? nothing : strip(answers, 'Words that answer', (at) => choose({ key: at }))
  }${strip(asks, 'Words', (at) => choose({ word: at, key: null }))}
    <p class="visually-hidden" role="status">${words[row]} gives ${formatShare(weight)} of its attention to ${
      columnWords[key]
    }.</p>
    ${flips(flip, text, read)}`;
}

/**
 * A line of words, of which a click and the arrow keys choose one.
 * @param {import('../../draw/words.js').TokenLine} line @param {string} name @param {(at: number) => void} choose
 */
function strip(line, name, choose) {
  const { words, selected } = line;
  /** @param {KeyboardEvent} event */
  function press(event) {
    const target = indexByKey(event, Number(selected), words.length - 1, directionOf(words) === 'rtl');
    if (target === undefined) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(words.length - 1, target));
    choose(next);
    /** @type {Element} */ (event.currentTarget).querySelectorAll('button')[next].focus();
  }
  /** @param {MouseEvent} event */
  function click({ target, currentTarget }) {
    const token = /** @type {Element} */ (target).closest('button');
    const all = /** @type {Element} */ (currentTarget).querySelectorAll('button');
    if (token) choose([...all].indexOf(token));
  }
  return html`<div class="tokens" part="words" dir=${directionOf(words)} role="radiogroup" aria-label=${name}
      @click=${click} @keydown=${press}>${together(
        line,
        words.map((_, i) => i),
      )}</div>`;
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
