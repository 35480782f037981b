// Attention as lines: queries at the left, keys at the right, a line for each of the strongest weights;
// of several heads at once, each in its hue.

import { html, nothing, render, svg } from 'lit-html';
import { formatValue } from '../../draw/canvas.js';
import { css, hueOf, probabilityScale } from '../../draw/color.js';
import { announceFigure } from '../../draw/figure.js';
import { hueMark } from '../../draw/hue.js';
import { spoken } from '../../draw/spoken.js';
import { headRow } from '../../draw/table.js';

/**
 * @typedef {{head: number, row: number, key: number, weight: number}} Edge
 * @typedef {{head: number, data: Float32Array}} Shown
 * @typedef {{side: 'query' | 'key', index: number}} Token
 *
 * `shown`: the heads that are drawn with their weights, [queries, keys], in hues if `hued`; a mean has
 * the head -1. `heads`: how many the layer has; `brush`: the queries that are selected
 * together; `off`: the heads that are set to 0, which have no lines; `place`: kind and layer;
 * `differs`: the map shows another quantity.
 * @typedef {{
 *   title: string, rowWords: string[], columnWords: string[], shown: Shown[], hued: boolean, heads: number,
 *   scheme: import('../../draw/color.js').Scheme, cursor: {row: number, column: number},
 *   brush: number[], off: number[], place: string, differs: boolean,
 * }} LinesData
 */

const OF_WEIGHTS = 'Lines show the attention weights.';
const MOST_EDGES = 400; // of all queries together, so that lines stay distinguishable
const MOST_OF_ONE = 5;
const LONG = 64; // tokens: the map needs the whole width then
const FAINT = 0.0005; // a line of less weight would be invisible
const INK = 200; // of the 256 colours of probabilities
const THIN = 0.75; // px of a line of weight 0
const WIDE = 6; // px of one of weight 1
const ROW = 24; // px of a token

/**
 * @typedef {{
 *   onQuery: (row: number, how: 'one' | 'range' | 'toggle' | 'step') => void, onKey: (key: number) => void,
 *   onCell: (cell: {row: number, column: number}) => void,
 *   onHead: (head: number) => void,
 * }} LinesActions
 * @typedef {Pick<LinesActions, 'onQuery' | 'onKey'> & {
 *   onPoint: (token: Token | null) => void, onFocus: (token: Token | null) => void,
 * }} TokenActions
 *
 * @param {HTMLElement} root
 * @param {LinesActions} options
 */
export function create(root, { onQuery, onKey, onCell, onHead }) {
  /** @type {LinesData | null} */
  let last = null;
  /** @type {Token | null} under the pointer, or else with the keyboard's focus */
  let pointed = null;
  /** @type {Token | null} */
  let focused = null;
  let open = false;

  /** @type {TokenActions} */
  const actions = {
    onQuery,
    onKey,
    onPoint(token) {
      pointed = token;
      if (last) draw(last);
    },
    onFocus(token) {
      focused = token;
      if (last) draw(last);
    },
  };

  /** @param {LinesData} given */
  function draw(given) {
    const data = { ...given, shown: given.shown.filter(({ head }) => !given.off.includes(head)) };
    const { rowWords, columnWords } = data;
    const token =
      [pointed, focused].find((each) => each && each.index < (each.side === 'query' ? rowWords : columnWords).length) ??
      null;
    const { edges, note } = chosenEdges(data, token);
    const height = Math.max(rowWords.length, columnWords.length);
    root.style.setProperty('--line-rows', String(height)); // a row is as high as the window allows
    root.classList.toggle('long', height > LONG);
    render(
      html`
      <p class="view-title">As lines</p>
      ${data.heads > 1 ? headButtons(given, onHead) : nothing}
      <div class="lines-scroll" data-lights @highlight=${light}>
        <p class="lines-side" aria-hidden="true">query</p><p class="lines-side keys" aria-hidden="true">key</p>
        ${tokens('query', data, actions)}
        ${lines(data, edges, onCell)}
        <svg class="lines-edges lit" viewBox="0 0 100 ${height}" preserveAspectRatio="none" aria-hidden="true"
          ><path class="line-lit"></path></svg>
        ${tokens('key', data, actions)}
      </div>
      <p class="lines-note hint">${given.differs ? OF_WEIGHTS : ''} ${note} ${offNote(given)}</p>
      <p class="hint">To select several queries, drag across the sentence<span class="with-mouse">, click them with
        Shift or Ctrl, or press Shift with an arrow key</span>.</p>
      <details @toggle=${toggle}><summary>Lines as a table</summary>${open ? table(data, edges) : nothing}</details>`,
      root,
    );
    announceLines(root, given);
  }

  /** Draws the line that is pointed at elsewhere, which may be too weak to be drawn. @param {Event} event */
  function light(event) {
    const { row, key } = /** @type {CustomEvent<{row?: string, key?: string}>} */ (event).detail;
    const path = /** @type {SVGPathElement} */ (root.querySelector('.line-lit'));
    const one = last && !last.hued && !last.off.includes(last.shown[0].head) ? last : null;
    const at = Number(row) * Number(one?.columnWords.length) + Number(key);
    const weight = one?.shown[0].data[at];
    path.toggleAttribute('data-lit', weight !== undefined);
    if (weight === undefined) return path.removeAttribute('d');
    path.setAttribute('d', pathOf(Number(row) + 0.5, Number(key) + 0.5));
    path.setAttribute('stroke-width', String(widthOf(weight, WIDE)));
  }

  /** @param {Event} event */
  function toggle(event) {
    const now = /** @type {HTMLDetailsElement} */ (event.currentTarget).open;
    if (now === open) return;
    open = now;
    if (last) draw(last);
  }

  return {
    /** @param {LinesData | null} data */
    update(data) {
      const moved = data?.cursor.row !== last?.cursor.row;
      last = data;
      root.hidden = !data;
      if (!data) return;
      draw(data);
      if (moved) requestAnimationFrame(() => reveal(root)); // where the page is laid out anyway
    },
    destroy() {
      render(nothing, root);
    },
  };
}

/** Scrolls the lines, not the page, until the query of the cursor is in sight. @param {HTMLElement} root */
function reveal(root) {
  const scroll = root.querySelector('.lines-scroll');
  const token = /** @type {HTMLElement | null} */ (root.querySelector('.queries [tabindex="0"]'));
  if (!scroll || !token) return;
  const top = token.offsetTop;
  scroll.scrollTo({ top: Math.min(top, Math.max(scroll.scrollTop, top + token.offsetHeight - scroll.clientHeight)) });
}

/** @param {HTMLElement} root @param {LinesData} data */
function announceLines(root, { title, rowWords, columnWords, hued, shown }) {
  const name = `${title}, as lines`;
  announceFigure(root, {
    name,
    element: /** @type {Element} */ (root.querySelector('.lines-scroll')),
    tables: () =>
      shown.map(({ head, data }) => ({
        name: head < 0 || !hued ? name : `${name}, head ${head + 1}`,
        shape: [rowWords.length, columnWords.length],
        data,
        rows: rowWords,
        columns: columnWords,
      })),
  });
}

/** @param {LinesData} data @param {Edge[]} edges @param {LinesActions['onCell']} onCell */
function lines({ rowWords, columnWords, scheme, cursor, hued, shown, place }, edges, onCell) {
  const height = Math.max(rowWords.length, columnWords.length);
  // Heads lie beside each other, so that none covers another's line.
  const widest = Math.min(WIDE, (ROW * 0.85) / shown.length);
  const lane = (/** @type {number} */ head) =>
    0.5 +
    (shown.findIndex((each) => each.head === head) - (shown.length - 1) / 2) *
      Math.min(0.85 / shown.length, (1.1 * WIDE) / ROW);
  /** @param {Edge} edge */
  const line = ({ head, row, key, weight }) => {
    const hue = hued ? hueOf(scheme, head) : { color: nothing, dash: nothing };
    const isPinned = row === cursor.row && key === cursor.column;
    const title = `${rowWords[row]} → ${columnWords[key]}: ${formatValue(weight)}${hued ? `, head ${head + 1}` : ''}`;
    return svg`
        <path data-row=${row} data-key=${key} data-head=${head < 0 ? nothing : `${place} ${head}`}
          color=${hue.color} stroke-dasharray=${hue.dash} class=${isPinned ? 'edge pinned' : 'edge'}
          d=${pathOf(row + lane(head), key + lane(head))}
          stroke-width=${widthOf(weight, widest)}
          stroke-opacity=${(0.12 + 0.88 * weight).toFixed(3)} vector-effect="non-scaling-stroke"
          @click=${() => onCell({ row, column: key })}><title>${title}</title></path>`;
  };
  return html`<svg class=${hued ? 'lines-edges hued' : 'lines-edges'} viewBox="0 0 100 ${height}"
    preserveAspectRatio="none" aria-hidden="true"
    color=${css(probabilityScale(scheme).table[INK])}>${edges.map(line)}</svg>`;
}

/**
 * The legend of the hues, and the choice of the heads.
 * @param {LinesData} data @param {LinesActions['onHead']} onHead
 */
function headButtons({ heads, shown, scheme, off, place }, onHead) {
  const first = shown[0].head;
  const buttons = Array.from({ length: heads }, (_, head) => {
    const isShown = shown.some((each) => each.head === head);
    const isOff = off.includes(head);
    return html`<button type="button" class=${isOff ? 'lines-head off' : 'lines-head'} aria-pressed=${isShown}
      data-head=${`${place} ${head}`}
      aria-label=${`Head ${head + 1}${isOff ? ', off' : ''}`} .tabIndex=${head === Math.max(0, first) ? 0 : -1}
      @click=${() => onHead(head)}>${hueMark(scheme, head)}${head + 1}</button>`;
  });
  return html`<div class="lines-heads" role="group" aria-label="Heads shown as lines"
    @keydown=${stepHead}>Heads ${buttons}</div>`;
}

/** @param {KeyboardEvent} event */
function stepHead(event) {
  const all = /** @type {HTMLElement[]} */ ([.../** @type {HTMLElement} */ (event.currentTarget).children]);
  const at = all.indexOf(/** @type {HTMLElement} */ (event.target));
  /** @type {Record<string, number>} */
  const targets = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: all.length - 1 };
  const next = all[targets[event.key]];
  if (!next || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  for (const each of all) each.tabIndex = each === next ? 0 : -1;
  next.focus();
}

/** @param {Token['side']} side @param {LinesData} data @param {TokenActions} actions */
function tokens(side, data, actions) {
  const { rowWords, columnWords, cursor, brush } = data;
  const { onQuery, onKey, onPoint, onFocus } = actions;
  const isQuery = side === 'query';
  const words = isQuery ? rowWords : columnWords;
  const at = isQuery ? cursor.row : cursor.column;
  const options = words.map((word, index) => {
    const isBrushed = isQuery && brush.includes(index);
    const token = { side, index };
    const click = (/** @type {MouseEvent} */ { shiftKey, ctrlKey, metaKey }) =>
      isQuery ? onQuery(index, shiftKey ? 'range' : ctrlKey || metaKey ? 'toggle' : 'one') : onKey(index);
    const enter = (/** @type {PointerEvent} */ { pointerType }) => pointerType !== 'touch' && onPoint(token);
    const focus = (/** @type {FocusEvent} */ { target }) =>
      onFocus(/** @type {Element} */ (target).matches(':focus-visible') ? token : null);
    return html`<button type="button" role="option" class="line-token ${isBrushed ? 'brushed' : ''}"
        data-row=${isQuery ? index : nothing} data-key=${isQuery ? nothing : index}
        tabindex=${index === at ? 0 : -1} aria-selected=${index === at || isBrushed}
        aria-label=${sentence(data, token)} @click=${click}
        @pointerenter=${enter} @pointerleave=${() => onPoint(null)}
        @focus=${focus} @blur=${() => onFocus(null)}><bdi>${word}</bdi></button>`;
  });
  return html`<div class="lines-tokens ${isQuery ? 'queries' : 'keys'}" role="listbox"
    aria-label=${isQuery ? 'Queries' : 'Keys'} aria-multiselectable=${isQuery}
    @keydown=${(/** @type {KeyboardEvent} */ event) => step(event, side, at, words.length, actions)}>${options}</div>`;
}

/**
 * @param {KeyboardEvent} event @param {Token['side']} side @param {number} at @param {number} count
 * @param {TokenActions} actions
 */
function step(event, side, at, count, { onQuery, onKey, onPoint }) {
  /** @type {Record<string, number>} */
  const targets = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: count - 1, PageUp: at - 10, PageDown: at + 10 };
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const list = /** @type {HTMLElement} */ (event.currentTarget);
  const other = list.parentElement?.querySelector(
    `.lines-tokens.${side === 'query' ? 'keys' : 'queries'} [tabindex="0"]`,
  );
  const across = event.key === (side === 'query' ? 'ArrowRight' : 'ArrowLeft');
  if (targets[event.key] === undefined && !across) return;
  event.preventDefault();
  if (across) return /** @type {HTMLElement | null} */ (other)?.focus();
  const next = Math.max(0, Math.min(count - 1, targets[event.key]));
  onPoint(null); // from now on the focus decides
  if (side === 'key') onKey(next);
  else onQuery(next, event.shiftKey ? (event.key.startsWith('Arrow') ? 'step' : 'range') : 'one');
  /** @type {HTMLElement} */ (list.children[next]).focus();
}

/**
 * The strongest edges of some queries of one head.
 * @param {Shown} shown
 * @param {number} keys
 * @param {readonly number[]} rows
 * @param {number} most of each query
 * @returns {Edge[]}
 */
function strongest({ head, data }, keys, rows, most) {
  return rows.flatMap((row) => {
    /** @type {Edge[]} */
    const best = [];
    for (let key = 0; key < keys; key++) {
      const weight = data[row * keys + key];
      if (!(weight >= FAINT) || (best.length === most && weight <= best[most - 1].weight)) continue;
      if (best.length === most) best.pop();
      const place = best.findIndex((each) => each.weight < weight);
      best.splice(place < 0 ? best.length : place, 0, { head, row, key, weight });
    }
    return best;
  });
}

/**
 * The edges to draw: all of one token, else the strongest of each brushed query, or of every query; and a
 * note on what is left out.
 * @param {LinesData} data
 * @param {Token | null} token
 */
function chosenEdges({ rowWords, columnWords, shown, hued, brush }, token) {
  const keys = columnWords.length;
  const all = rowWords.map((_, row) => row);
  if (!shown.length) return { edges: [], note: '' };
  if (token?.side === 'key') {
    const edges = shown.flatMap(({ head, data }) =>
      all
        .map((row) => ({ head, row, key: token.index, weight: data[row * keys + token.index] }))
        .filter(({ weight }) => weight >= FAINT),
    );
    const sums = shown.map(({ head, data }, i) => {
      const total = formatValue(columnSum(data, all, keys, token.index));
      return html`${i ? ', ' : ''}<b class="number">${total}</b>${hued ? ` from head ${head + 1}` : ''}`;
    });
    const from = top(edges, hued, ({ row }) => rowWords[row], ', from');
    return { edges, note: html`<bdi>${columnWords[token.index]}</bdi> receives ${sums} in total${from}` };
  }
  if (token) {
    const edges = shown.flatMap((each) => strongest(each, keys, [token.index], keys));
    const to = top(edges, hued, ({ key }) => columnWords[key], ' to');
    return { edges, note: html`<bdi>${rowWords[token.index]}</bdi> attends${to}` };
  }
  const rows = brush.length ? brush : all;
  const most = Math.max(1, Math.min(MOST_OF_ONE, Math.floor(MOST_EDGES / rows.length / shown.length)));
  const edges = shown.flatMap((each) => strongest(each, keys, rows, most));
  const left = 100 * (1 - edges.reduce((sum, { weight }) => sum + weight, 0) / rows.length / shown.length);
  const lines = most === 1 ? 'strongest line' : `${most} strongest lines`;
  const whose = `${brush.length ? 'selected query' : 'query'}${hued ? ' and head' : ''}`;
  return {
    edges,
    note:
      keys <= most
        ? `All lines of each ${whose}.`
        : html`The ${lines} of each ${whose}; the rest sum to ${Math.max(0, left).toFixed(1)} % of the weight.
            <span class="with-mouse">Point at a token to see all its lines.</span>`,
  };
}

/** Which of the chosen heads have no lines. @param {LinesData} data */
function offNote({ shown, off }) {
  const names = shown.filter(({ head }) => off.includes(head)).map(({ head }) => head + 1);
  if (!names.length) return '';
  return names.length > 1
    ? `Heads ${names.join(', ')} are off: they pass nothing on, so their lines are left out.`
    : `Head ${names[0]} is off: it passes nothing on, so its lines are left out.`;
}

/** @param {number} weight @param {number} widest */
const widthOf = (weight, widest) => (THIN + (widest - THIN) * weight).toFixed(2);

/** @param {number} from @param {number} to */
const pathOf = (from, to) => `M0 ${from}C45 ${from} 55 ${to} 100 ${to}`;

/**
 * The sum of the weights on a key.
 * @param {Float32Array} data
 * @param {number[]} rows
 * @param {number} keys
 * @param {number} key
 */
const columnSum = (data, rows, keys, key) => rows.reduce((sum, row) => sum + data[row * keys + key], 0);

/** @param {Edge[]} edges @param {boolean} hued @param {(edge: Edge) => string} wordOf @param {string} before */
const top = (edges, hued, wordOf, before) =>
  edges.length
    ? html`${before} ${edges
        .toSorted((a, b) => b.weight - a.weight)
        .slice(0, 3)
        .map(
          (edge, i) =>
            html`${i ? ', ' : ''}<bdi>${wordOf(edge)}</bdi> <b class="number">${formatValue(edge.weight)}</b>${
              hued ? ` (head ${edge.head + 1})` : ''
            }`,
        )}`
    : nothing;

/** The label of a token for screen readers. @param {LinesData} data @param {Token} token */
function sentence({ rowWords, columnWords, shown, hued }, { side, index }) {
  const keys = columnWords.length;
  const rows = rowWords.map((_, row) => row);
  const words = shown.flatMap((each) => {
    const by = hued ? ` with head ${each.head + 1}` : '';
    if (side === 'key') return `receives ${formatValue(columnSum(each.data, rows, keys, index))} in total${by}`;
    const [best] = strongest(each, keys, [index], 1);
    return best ? `attends most to ${spoken(columnWords[best.key])}, ${formatValue(best.weight)}${by}` : [];
  });
  return [spoken((side === 'query' ? rowWords : columnWords)[index]), `index ${index}`, ...words].join(', ');
}

/** @param {LinesData} data @param {Edge[]} edges */
const table = (
  { title, rowWords, columnWords, hued },
  edges,
) => html`<div class="table-scroll" tabindex="0" role="region" aria-label="Table of the lines">
  <table>
    <caption>${title}: the lines that are drawn.</caption>
    ${headRow('query', 'key', ...(hued ? ['head'] : []), 'weight')}
    <tbody>${edges.map(
      ({ head, row, key, weight }) =>
        html`<tr data-row=${row} data-key=${key}>
          <th scope="row"><bdi>${rowWords[row]}</bdi></th><td><bdi>${columnWords[key]}</bdi></td>${
            hued ? html`<td>${head + 1}</td>` : nothing
          }<td>${formatValue(weight)}</td></tr>`,
    )}</tbody>
  </table>
</div>`;
