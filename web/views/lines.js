// Attention as lines: queries at the left, keys at the right, a line for each of the strongest weights.

import { html, nothing, render, svg } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { formatValue } from '../draw/canvas.js';
import { css, probabilityScale } from '../draw/color.js';

/**
 * @typedef {{row: number, key: number, weight: number}} Edge
 * @typedef {{side: 'query' | 'key', index: number}} Token
 *
 * `data` are weights, [queries, keys]; `brush` the queries that are summed; `several`: a plain click
 * adds to them.
 * @typedef {{
 *   title: string, rowWords: string[], columnWords: string[], data: Float32Array, scheme: import('../draw/color.js').Scheme,
 *   cursor: {row: number, column: number}, brush: number[], several: boolean,
 * }} LinesData
 */

const MOST_EDGES = 400; // of all queries together, so that lines can still be told apart
const MOST_OF_ONE = 5;
const FAINT = 0.0005; // no line can be seen
const INK = 200; // of the 256 colours of probabilities

/**
 * @param {HTMLElement} root
 * @param {{
 *   onQuery: (row: number, how: 'one' | 'range' | 'toggle' | 'step') => void, onKey: (key: number) => void,
 *   onCell: (cell: {row: number, column: number}) => void, onSeveral: (several: boolean) => void,
 * }} options
 */
export function create(root, { onQuery, onKey, onCell, onSeveral }) {
  /** @type {LinesData | null} */
  let last = null;
  /** @type {Token | null} under the pointer, or else with the keyboard's focus */
  let pointed = null;
  /** @type {Token | null} */
  let focused = null;
  let open = false;

  /** @param {LinesData} data */
  function draw(data) {
    const { rowWords, columnWords, scheme, cursor, brush, several } = data;
    const token = [pointed, focused].find(each => each && each.index < (each.side === 'query' ? rowWords : columnWords).length) ?? null;
    const { edges, note } = chosenEdges(data, token);
    const height = Math.max(rowWords.length, columnWords.length);
    const ink = css(probabilityScale(scheme).table[INK]);
    render(html`
      <div class="view-head">
        <p class="view-title">As lines</p>
        <label class="mean"><input type="checkbox" class="several" .checked=${live(several)}
          @change=${(/** @type {Event} */ event) => onSeveral(/** @type {HTMLInputElement} */ (event.target).checked)}> Select several</label>
      </div>
      <div class="lines-scroll">
        <p class="lines-side" aria-hidden="true">query</p><p class="lines-side keys" aria-hidden="true">key</p>
        ${tokens('query', data)}
        <svg class="lines-edges" viewBox="0 0 100 ${height}" preserveAspectRatio="none" aria-hidden="true" color=${ink}>${edges.map(({ row, key, weight }) => svg`
          <path class=${row === cursor.row && key === cursor.column ? 'edge pinned' : 'edge'} d="M0 ${row + 0.5}C45 ${row + 0.5} 55 ${key + 0.5} 100 ${key + 0.5}"
            stroke-width=${(0.75 + 5.25 * weight).toFixed(2)} stroke-opacity=${(0.12 + 0.88 * weight).toFixed(3)} vector-effect="non-scaling-stroke"
            @click=${() => onCell({ row, column: key })}><title>${rowWords[row]} → ${columnWords[key]}: ${formatValue(weight)}</title></path>`)}</svg>
        ${tokens('key', data)}
      </div>
      <p class="lines-note hint">${note}</p>
      ${brush.length ? nothing : html`<p class="hint">Shift or Ctrl with a click, or Shift with arrows, sums several queries.</p>`}
      <details @toggle=${toggle}><summary>Lines as a table</summary>${open ? table(data, edges) : nothing}</details>`, root);
  }

  /** @param {Token['side']} side @param {LinesData} data */
  function tokens(side, data) {
    const { rowWords, columnWords, cursor, brush } = data;
    const isQuery = side === 'query';
    const words = isQuery ? rowWords : columnWords;
    const at = isQuery ? cursor.row : cursor.column;
    return html`<div class="lines-tokens ${isQuery ? 'queries' : 'keys'}" role="listbox" aria-label=${isQuery ? 'Queries' : 'Keys'}
      aria-multiselectable=${isQuery} @keydown=${(/** @type {KeyboardEvent} */ event) => step(event, side, at, words.length)}>${words.map((word, index) => {
        const isBrushed = isQuery && brush.includes(index);
        return html`<button type="button" role="option" class="line-token ${isBrushed ? 'brushed' : ''}" tabindex=${index === at ? 0 : -1}
          aria-selected=${index === at || isBrushed} aria-label=${spoken(data, { side, index })}
          @click=${(/** @type {MouseEvent} */ event) => (isQuery ? onQuery(index, event.shiftKey ? 'range' : event.ctrlKey || event.metaKey ? 'toggle' : 'one') : onKey(index))}
          @pointerenter=${(/** @type {PointerEvent} */ { pointerType }) => pointerType !== 'touch' && point({ side, index })} @pointerleave=${() => point(null)}
          @focus=${(/** @type {FocusEvent} */ event) => focus(/** @type {Element} */ (event.target).matches(':focus-visible') ? { side, index } : null)}
          @blur=${() => focus(null)}><bdi>${word}</bdi></button>`;
      })}</div>`;
  }

  /** @param {Token | null} token */
  function point(token) {
    pointed = token;
    if (last) draw(last);
  }

  /** @param {Token | null} token */
  function focus(token) {
    focused = token;
    if (last) draw(last);
  }

  /** @param {KeyboardEvent} event @param {Token['side']} side @param {number} at @param {number} count */
  function step(event, side, at, count) {
    /** @type {Record<string, number>} */
    const targets = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: count - 1, PageUp: at - 10, PageDown: at + 10 };
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const list = /** @type {HTMLElement} */ (event.currentTarget);
    const other = list.parentElement?.querySelector(`.lines-tokens.${side === 'query' ? 'keys' : 'queries'} [tabindex="0"]`);
    const across = event.key === (side === 'query' ? 'ArrowRight' : 'ArrowLeft');
    if (targets[event.key] === undefined && !across) return;
    event.preventDefault();
    if (across) return /** @type {HTMLElement | null} */ (other)?.focus();
    const next = Math.max(0, Math.min(count - 1, targets[event.key]));
    pointed = null; // the keyboard speaks now
    if (side === 'key') onKey(next);
    else onQuery(next, event.shiftKey ? (event.key.startsWith('Arrow') ? 'step' : 'range') : 'one');
    /** @type {HTMLElement} */ (list.children[next]).focus();
  }

  /** @param {Event} event */
  function toggle(event) {
    const now = /** @type {HTMLDetailsElement} */ (event.currentTarget).open;
    if (now === open) return;
    open = now;
    if (last) draw(last);
  }

  /** Scrolls the lines, not the page, until the query of the cursor is in sight. */
  function reveal() {
    const scroll = root.querySelector('.lines-scroll');
    const token = /** @type {HTMLElement | null} */ (root.querySelector('.queries [tabindex="0"]'));
    if (!scroll || !token) return;
    const top = token.offsetTop;
    scroll.scrollTo({ top: Math.min(top, Math.max(scroll.scrollTop, top + token.offsetHeight - scroll.clientHeight)) });
  }

  return {
    /** @param {LinesData | null} data */
    update(data) {
      const moved = data?.cursor.row !== last?.cursor.row;
      last = data;
      root.hidden = !data;
      if (!data) return;
      draw(data);
      if (moved) requestAnimationFrame(reveal); // where the page is laid out anyway
    },
    destroy() {
      render(nothing, root);
    },
  };
}

/**
 * The strongest edges of some queries.
 * @param {Float32Array} data [queries, keys]
 * @param {number} keys
 * @param {readonly number[]} rows
 * @param {number} most of each query
 * @returns {Edge[]}
 */
function strongest(data, keys, rows, most) {
  return rows.flatMap(row => {
    /** @type {Edge[]} */
    const best = [];
    for (let key = 0; key < keys; key++) {
      const weight = data[row * keys + key];
      if (!(weight >= FAINT) || (best.length === most && weight <= best[most - 1].weight)) continue;
      if (best.length === most) best.pop();
      const place = best.findIndex(each => each.weight < weight);
      best.splice(place < 0 ? best.length : place, 0, { row, key, weight });
    }
    return best;
  });
}

/**
 * What is drawn: of one token all, else the strongest of each query that is brushed, or of all; and
 * what that leaves out.
 * @param {LinesData} data
 * @param {Token | null} token
 */
function chosenEdges({ rowWords, columnWords, data, brush }, token) {
  const keys = columnWords.length;
  const all = rowWords.map((_, row) => row);
  if (token?.side === 'key') {
    const edges = all.map(row => ({ row, key: token.index, weight: data[row * keys + token.index] })).filter(({ weight }) => weight >= FAINT);
    return { edges, note: html`<bdi>${columnWords[token.index]}</bdi> gets <b class="number">${formatValue(total(edges))}</b> in all${top(edges, ({ row }) => rowWords[row], ', from')}` };
  }
  if (token) {
    const edges = strongest(data, keys, [token.index], keys);
    return { edges, note: html`<bdi>${rowWords[token.index]}</bdi> looks${top(edges, ({ key }) => columnWords[key], ' at')}` };
  }
  const rows = brush.length ? brush : all;
  const most = Math.max(1, Math.min(MOST_OF_ONE, Math.floor(MOST_EDGES / rows.length)));
  const edges = strongest(data, keys, rows, most);
  const left = 100 * (1 - total(edges) / rows.length);
  const whose = brush.length ? 'selected query' : 'query';
  return { edges, note: keys <= most ? `All lines of each ${whose}.`
    : `The ${most === 1 ? 'strongest line' : `${most} strongest lines`} of each ${whose}; the others have ${Math.max(0, left).toFixed(1)} % of the weight. Point at a token to see all of its lines alone.` };
}

/** @param {Edge[]} edges */
const total = edges => edges.reduce((sum, { weight }) => sum + weight, 0);

/** @param {Edge[]} edges @param {(edge: Edge) => string} wordOf @param {string} before */
const top = (edges, wordOf, before) => (edges.length ? html`${before} ${edges.toSorted((a, b) => b.weight - a.weight).slice(0, 3).map((edge, i) => html`${i ? ', ' : ''}<bdi>${wordOf(edge)}</bdi> <b class="number">${formatValue(edge.weight)}</b>`)}` : nothing);

/** What a screen reader says of a token. @param {LinesData} data @param {Token} token */
function spoken({ rowWords, columnWords, data }, { side, index }) {
  const keys = columnWords.length;
  if (side === 'query') {
    const [best] = strongest(data, keys, [index], 1);
    return `${rowWords[index]}, index ${index}${best ? `, looks most at ${columnWords[best.key]}, ${formatValue(best.weight)}` : ''}`;
  }
  let sum = 0;
  for (let row = 0; row < rowWords.length; row++) sum += data[row * keys + index];
  return `${columnWords[index]}, index ${index}, gets ${formatValue(sum)} in all`;
}

/** @param {LinesData} data @param {Edge[]} edges */
const table = ({ title, rowWords, columnWords }, edges) => html`<div class="table-scroll" tabindex="0" role="region" aria-label="Table of the lines">
  <table>
    <caption>${title}: the lines that are drawn.</caption>
    <thead><tr><th scope="col">query</th><th scope="col">key</th><th scope="col">weight</th></tr></thead>
    <tbody>${edges.map(({ row, key, weight }) => html`<tr><th scope="row"><bdi>${rowWords[row]}</bdi></th><td><bdi>${columnWords[key]}</bdi></td><td>${formatValue(weight)}</td></tr>`)}</tbody>
  </table>
</div>`;
