// Answers before and after: the words at one place, the places whose first answer is another one.

import { html, nothing, render } from 'lit-html';
import { formatValue } from '../../draw/canvas.js';
import { sheetOf, tellDrawn } from '../../draw/picture.js';

/**
 * @typedef {{word: string, probability: number}} Said
 * `nats`: the Kullback-Leibler divergence of the answers after from those before. `written`: what
 * the model writes; `continues`: it can go on with the text, but not with everything changed.
 * @typedef {{
 *   at: {word: string, nats: number, list: {word: string, before: number, after: number}[]} | null, rows: number,
 *   turned: {row: number, word: string, nats: number, from: Said, to: Said}[],
 *   written: {before: string, after: string} | null, continues: boolean,
 * }} Words
 * A model without a head only moves its output vectors.
 * @typedef {{words: Words | null, vector: {word: string, distance: number, length: number} | null}} EffectData
 */

/**
 * @param {HTMLElement} root
 * @param {{onRow: (row: number) => void}} options a place was chosen
 */
export function create(root, { onRow }) {
  /** @param {Words} words */
  const answers = ({ at, rows, turned, written, continues }) => html`
    ${
      at
        ? html`
      <p>Answers at <bdi class="quoted">${at.word}</bdi>. They move by
        <strong class="effect-nats">${formatValue(at.nats)}</strong> nats (Kullback–Leibler divergence).</p>
      <div class="table-scroll" tabindex="0" role="region" aria-label="Answers before and after"><table class="effect-words">
        <thead><tr><th scope="col">word</th><th scope="col">before</th><th scope="col">after</th><th scope="col">difference</th></tr></thead>
        <tbody>${at.list.map(
          ({ word, before, after }) => html`<tr><th scope="row"><bdi>${word}</bdi></th>
          <td>${formatValue(before)}</td><td>${formatValue(after)}</td><td>${signed(after - before)}</td></tr>`,
        )}</tbody>
      </table></div>`
        : html`<p>Choose a word that the model writes to see its answers there.</p>`
    }
    ${
      turned.length
        ? html`<p>The first answer is another one at ${turned.length} of ${rows} tokens:</p>
      <ul class="effect-turned">${turned.map(
        ({ row, word, nats, from, to }) => html`<li>
        <button type="button" @click=${() => onRow(row)}><bdi>${word}</bdi></button>
        <span><bdi>${from.word}</bdi> ${formatValue(from.probability)} → <bdi>${to.word}</bdi> ${formatValue(to.probability)}
        (${formatValue(nats)} nats)</span></li>`,
      )}</ul>`
        : html`<p>No token’s first answer is another one (${rows} tokens).</p>`
    }
    ${
      written
        ? html`<p>Written before: <bdi class="effect-before">${written.before || '(nothing)'}</bdi></p>
      <p>Written changed: <bdi class="effect-after">${written.after || '(nothing)'}</bdi></p>
      <p class="hint">The maps and the answers are those of one pass over the words that the page shows as the translation. They are
        written with the switches and edited weights; temperature, heads, neurons and cells are set in that pass. “Written changed” is
        written with all of it, word by word.</p>`
        : nothing
    }
    ${
      continues
        ? html`<p class="hint">This is one pass over the words above. “Write” goes on with the switches and edited weights
      alone: the module’s generate() knows no temperature of attention, no head, neuron or cell set.</p>`
        : nothing
    }`;

  return {
    /** @param {EffectData | null} data */
    update(data) {
      const at = data?.words?.at;
      if (!at) tellDrawn(root, null);
      if (!data) return render(nothing, root);
      const { words, vector } = data;
      render(
        words
          ? answers(words)
          : html`<p>This model has no output words.
        ${
          vector
            ? html`Its output vector at <bdi class="quoted">${vector.word}</bdi> moved by
          <strong class="effect-moved">${formatValue(vector.distance)}</strong>; it was ${formatValue(vector.length)} long.`
            : 'Choose a target word to see how far its output vector moved.'
        }</p>`,
        root,
      );
      if (!at) return;
      const name = `Answers at ${at.word} before and after`;
      tellDrawn(root, {
        name,
        element: /** @type {Element} */ (root.querySelector('.effect-words')),
        sheets: () => [
          sheetOf(
            name,
            ['before', 'after', 'difference'],
            at.list.map(({ word, before, after }) => [word, before, after, after - before]),
          ),
        ],
      });
    },
    destroy() {
      root.replaceChildren();
    },
  };
}

/** @param {number} value */
const signed = (value) => `${value > 0 ? '+' : ''}${formatValue(value)}`;
