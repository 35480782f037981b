// The residual stream: tokens × stages, the norm of each vector and how much each sublayer changes it.

import { html, nothing, render } from 'lit-html';
import { formatValue } from '../../draw/canvas.js';
import { positiveScale, roundLimit, signedScale } from '../../draw/color.js';
import { menu } from '../../draw/controls.js';
import { createMap } from '../../draw/lit-map.js';
import { frac, math, root, row, space, subsup, sum } from '../../draw/math.js';
import { cells, headRow, scrolled } from '../../draw/table.js';

/**
 * @typedef {'norms' | 'changes' | 'cosines'} Shown
 * `norms` is tokens × titles; `changes` and `cosines` are tokens × all titles but the first.
 * @typedef {{
 *   titles: string[], norms: Float32Array, changes: Float32Array, cosines: Float32Array, shown: Shown, words: string[],
 *   row: number, stage: number, scheme: import('../../draw/color.js').Scheme,
 * }} StreamData
 */

/** @type {Record<Shown, string>} */
const SHOWN = { norms: 'Length ‖x‖', changes: 'Relative change ‖Δx‖ / ‖x‖', cosines: 'Cosine with the vector before' };

const WIDEST = 34; // px, of a cell

/**
 * @param {HTMLElement} root
 * @param {{onCursor: (cell: {row: number, column: number}) => void, onShow: (shown: Shown) => void}} options
 */
export function create(root, { onCursor, onShow }) {
  const head = document.createElement('div');
  const body = document.createElement('div');
  const side = document.createElement('div');
  const beside = document.createElement('div');
  const foot = document.createElement('div');
  head.className = 'view-head';
  beside.className = 'beside';
  beside.append(body, side);
  root.append(head, beside, foot);
  const map = createMap(body, {
    uprightColumns: true,
    min: 12,
    max: WIDEST,
    height: 420,
    empty: 'No tokens, so no residual stream to show.',
    onCursor,
  });
  return {
    /** @param {StreamData | null} data */
    update(data) {
      head.hidden = side.hidden = foot.hidden = !data;
      if (!data) return map.update(null);
      const { titles, shown, words, row, scheme } = data;
      const columns = shown === 'norms' ? titles : titles.slice(1);
      const column = Math.min(data.stage, columns.length - 1);
      render(menu('Show', SHOWN, shown, onShow), head);
      body.style.maxWidth = `${Math.max(320, 120 + WIDEST * columns.length)}px`; // the table stands beside the map
      map.update({
        name: `Residual stream, ${SHOWN[shown]}`,
        matrix: {
          rows: words.length,
          columns: columns.length,
          data: data[shown],
          scheme,
          scale: shown === 'cosines' ? signedScale(scheme, 1) : positiveScale(scheme, roundLimit(data[shown])),
        },
        scaleTitle: SHOWN[shown],
        rowAxis: { title: 'token', noun: 'row', part: 'row', label: (i) => words[i] },
        columnAxis: {
          title: 'after',
          noun: 'after',
          part: 'stage',
          value: (i) => columns[i],
          label: (i) => columns[i],
        },
        cursor: { row, column },
      });
      render(table(data), side);
      render(formula(data), foot);
    },
    destroy() {
      map.destroy();
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
function formula({ titles, norms, row: token }) {
  const count = titles.length;
  const norm = (/** @type {string} */ vector) => ['‖', vector, '‖'];
  return html`<div class="formula live">
      ${math(
        ...[...norm('x'), '=', root(row(sum('j'), subsup('x', 'j', 2))), ',', space('1em')],
        ...['cosine', '=', frac(row('x', '⋅', 'x′'), row(...norm('x'), ...norm('x′')))],
      )}
      ${
        count > 1
          ? html`<p class="live-numbers">${titles[1]}: ‖x‖ from
        <span class="number">${formatValue(norms[token * count])}</span> to
        <b class="number">${formatValue(norms[token * count + 1])}</b></p>`
          : nothing
      }</div>`;
}
