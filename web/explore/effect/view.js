// Answers before and after the interventions: the words at one place, the places whose first answer changes.

import { html, nothing, render } from 'lit-html';
import { formatValue } from '../../draw/canvas.js';
import { announceFigure, tableOf } from '../../draw/figure.js';
import { cells, headRow, scrolled } from '../../draw/table.js';

/**
 * @typedef {{word: string, probability: number}} Said
 * `nats`: the Kullback-Leibler divergence of the answers after from those before. `written`: what
 * the model writes; `continues`: it can generate a continuation, but not under every intervention.
 * @typedef {{
 *   at: {word: string, nats: number, list: {word: string, before: number, after: number}[]} | null, rows: number,
 *   turned: {row: number, word: string, nats: number, from: Said, to: Said}[],
 *   written: {before: string, after: string} | null, continues: boolean,
 * }} Words
 * Of a model without output words, only the change of its output vectors can be measured.
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
      <p>Predictions at <bdi class="quoted">${at.word}</bdi>. The distribution changes by
        <strong class="effect-nats number">${formatValue(at.nats)}</strong> nats (Kullback–Leibler divergence).</p>
      ${scrolled(
        'Predictions before and after',
        html`<table class="effect-words">${headRow('token', 'before', 'after', 'difference')}
        <tbody>${at.list.map(
          ({ word, before, after }) => html`<tr><th scope="row"><bdi>${word}</bdi></th>
          ${cells(formatValue(before), formatValue(after), signed(after - before))}</tr>`,
        )}</tbody></table>`,
      )}`
        : html`<p>Choose a token of the output to see the predictions there.</p>`
    }
    ${
      turned.length
        ? html`<p>The most probable token changes at ${turned.length} of ${rows} tokens:</p>
      <ul class="effect-turned">${turned.map(
        ({ row, word, nats, from, to }) => html`<li>
        <button type="button" @click=${() => onRow(row)}><bdi>${word}</bdi></button>
        <span><bdi>${from.word}</bdi> ${formatValue(from.probability)} →
        <bdi>${to.word}</bdi> ${formatValue(to.probability)} (${formatValue(nats)} nats)</span></li>`,
      )}</ul>`
        : html`<p>The most probable token changes at none of the ${rows} tokens.</p>`
    }
    ${
      written
        ? html`<p>Output before: <bdi class="effect-before">${written.before || '(nothing)'}</bdi></p>
      <p>Output after: <bdi class="effect-after">${written.after || '(nothing)'}</bdi></p>
      <p class="hint">Maps and predictions are those of one forward pass over the output shown above, which was
        generated with changed switches and weights only; changes of temperature, heads, neurons and cells apply to
        that pass. “Output after” is generated token by token with all changes.</p>`
        : nothing
    }
    ${
      continues
        ? html`<p class="hint">This is one forward pass over this text. “Generate” applies changed switches and
      weights only: generate() of the module has no softmax temperature and sets no head, neuron or cell.</p>`
        : nothing
    }`;

  return {
    /** @param {EffectData | null} data */
    update(data) {
      const at = data?.words?.at;
      if (!at) announceFigure(root, null);
      if (!data) return render(nothing, root);
      const { words, vector } = data;
      render(
        words
          ? answers(words)
          : html`<p>This model predicts no tokens.
        ${
          vector
            ? html`Its output vector at <bdi class="quoted">${vector.word}</bdi> changed by
          <strong class="effect-moved number">${formatValue(vector.distance)}</strong>;
          its length was ${formatValue(vector.length)}.`
            : 'Choose a target token to see how much its output vector changes.'
        }</p>`,
        root,
      );
      if (!at) return;
      const name = `Predictions at ${at.word} before and after`;
      announceFigure(root, {
        name,
        element: /** @type {Element} */ (root.querySelector('.effect-words')),
        tables: () => [
          tableOf(
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
