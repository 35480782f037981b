// What happens to one token's vector on its way through the model: its length and change after each stage.

import { html, nothing, render } from 'lit-html';
import { formatValue } from '../../draw/canvas.js';
import { frac, math, norm, root as squareRoot, row as mathRow, space, subsup, sum } from '../../draw/math.js';
import { cells, headRow, scrolled } from '../../draw/table.js';

/** @typedef {import('./view.js').StreamData} StreamData */

/** @param {HTMLElement} root */
export function create(root) {
  return {
    /** @param {StreamData | null} data */
    update(data) {
      root.hidden = !data;
      if (data) render([table(data), formula(data)], root);
    },
    destroy() {
      root.replaceChildren();
    },
  };
}

/** What happens to the pinned token. @param {StreamData} data */
function table({ titles, norms, changes, cosines, words, row }) {
  const count = titles.length;
  /** The values that the first stage does not have. @param {number} i */
  const changeAt = (i) => [changes, cosines].map((each) => (i ? formatValue(each[row * (count - 1) + i - 1]) : ''));
  return scrolled(
    'The selected token after each stage',
    html`<table class="stages">
    <caption>Residual stream at <bdi class="quoted">${words[row]}</bdi></caption>
    ${headRow('after', '‖x‖', '‖Δx‖ / ‖x‖', 'cosine')}
    <tbody>${titles.map(
      (title, i) => html`<tr data-stage=${title}><th scope="row">${title}</th>
      ${cells(formatValue(norms[row * count + i]), ...changeAt(i))}</tr>`,
    )}</tbody></table>`,
  );
}

/** @param {StreamData} data */
function formula({ titles, norms, row: token, stage }) {
  const count = titles.length;
  const at = Math.max(1, Math.min(stage, count - 1));
  return html`<div class="formula live">
      ${math(
        ...[norm('x'), '=', squareRoot(mathRow(sum('j'), subsup('x', 'j', 2))), ',', space('1em')],
        ...['cosine', '=', frac(mathRow('x', '·', 'x′'), mathRow(norm('x'), norm('x′')))],
      )}
      ${
        count > 1
          ? html`<p class="live-numbers">${titles[at]}: ‖x‖ from
        <span class="number">${formatValue(norms[token * count + at - 1])}</span> to
        <b class="number">${formatValue(norms[token * count + at])}</b></p>`
          : nothing
      }</div>`;
}
