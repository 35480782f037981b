// The weights of several queries, summed for each key.

import { html, nothing, render } from 'lit-html';
import { bar } from '../../draw/bar.js';
import { formatValue } from '../../draw/canvas.js';
import { announceFigure, tableOf } from '../../draw/figure.js';

/**
 * `queries`: the words that are summed; `words`: of the keys; `key`: where the cursor stands.
 * @typedef {{
 *   queries: string[], words: string[], sums: {key: number, sum: number, mean: number}[], key: number,
 * }} BrushData
 */

/** Keys up to which all are shown, in the text's order; of more, so many of the strongest. */
const MOST = 24;

/**
 * @param {HTMLElement} root
 * @param {{onClear: () => void}} options
 */
export function create(root, { onClear }) {
  return {
    /** @param {BrushData | null} data */
    update(data) {
      root.hidden = !data;
      if (!data) return render(nothing, root);
      const { queries, words, sums, key } = data;
      const strongest = sums.toSorted((a, b) => b.sum - a.sum).slice(0, MOST);
      const shown = sums.length > MOST ? strongest : sums;
      const rest = sums.reduce((sum, each) => sum + each.sum, 0) - shown.reduce((sum, each) => sum + each.sum, 0);
      const [top] = strongest;
      const names = queries.map((word, i) => html`${i ? ', ' : ''}<bdi>${word}</bdi>`);
      const others = `the other ${sums.length - MOST} have ${formatValue(rest)} together`;
      const several = queries.length > 1 ? `${queries.length} queries` : 'one query';
      render(
        html`
        <div class="view-head">
          <p class="view-title">Sum over ${several} (${names}):
            <bdi class="brush-top">${words[top.key]}</bdi> <span class="number">${top.sum.toFixed(2)}</span></p>
          <button type="button" @click=${onClear}>Clear the selection</button>
        </div>
        <ul class="sums" aria-label="Sum of the weights for each key">${shown.map(
          ({ key: at, sum, mean }) => html`
          <li data-key=${at} class="sum ${at === key ? 'here' : ''}"><bdi>${words[at]}</bdi> ${bar(mean)}
            <span class="number">${formatValue(sum)}</span>
            <span class="number mean">mean ${formatValue(mean)}</span></li>`,
        )}</ul>
        <p class="hint">${sums.length > MOST ? `The ${MOST} strongest keys; ${others}. ` : ''}A bar shows the
          mean, from 0 to 1. The weights of each query sum to 1, so the sums of all keys add up to
          ${queries.length}.</p>`,
        root,
      );
      const name = `Sum of the weights of ${queries.join(', ')}`;
      announceFigure(root, {
        name,
        element: /** @type {Element} */ (root.querySelector('.sums')),
        tables: () => [
          tableOf(
            name,
            ['sum', 'mean'],
            sums.map(({ key: at, sum, mean }) => [words[at], sum, mean]),
          ),
        ],
      });
    },
    destroy() {
      render(nothing, root);
    },
  };
}
