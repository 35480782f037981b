// The weights of the selected head, or of several of its layer in their hues, as lines: queries at the left, keys at
// the right, a line for each of the strongest weights.

import { formatValue } from '../../draw/numbers.js';
import { html, nothing, svg } from 'lit-html';
import { moveCursor } from '../../app/schema.js';
import { css, hueOf, probabilityScale } from '../../draw/color.js';
import { spoken } from '../../draw/sentence.js';
import { headRow } from '../../draw/table.js';
import { headsOff } from '../../engine/interventions.js';
import { attentionName } from '../../engine/plan.js';
import { acting, figure } from '../../kit/figure.js';
import { brushed } from '../shared/brush.js';
import { chooseRow } from '../shared/cursor.js';
import { isOfAll, namesShown, weightsAt } from '../shared/weights.js';
import style from './lines.css';

/**
 * @typedef {{head: number, row: number, key: number, weight: number}} Edge
 * @typedef {{head: number, data: Float32Array}} Shown
 * @typedef {{side: 'query' | 'key', index: number}} Token
 *
 * `heads`: all that are drawn with their weights, [queries, keys], in hues if `hued`; a mean has the head -1. `shown`:
 * those of them that are not set to 0, as those in `off` are, which have no lines. `count`: how many the layer has;
 * `brush`: the queries that are selected together; `at`: kind and layer.
 * @typedef {{
 *   title: string, rowWords: string[], columnWords: string[], heads: Shown[], shown: Shown[], hued: boolean,
 *   count: number, scheme: import('../../draw/color.js').Scheme, cursor: {row: number, column: number},
 *   brush: number[], off: number[], at: string,
 * }} LinesData
 *
 * @typedef {import('../index.js').Tools & import('../../kit/feature.js').LocalTools} Tools
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

/** @type {import('../index.js').Feature} */
export const lines = {
  name: 'lines',
  style,
  // The token under the pointer, or else with the keyboard's focus; whether the table is open.
  local: { pointed: null, focused: null, open: false },
  needs: (query) => namesShown(query),
  render({ result, state, scheme, local }, tools) {
    const data = linesOf(result, state, scheme);
    if (!data) return undefined;
    const { rowWords, columnWords, cursor } = data;
    const token = [local.pointed, local.focused].find(
      (each) => each && each.index < (each.side === 'query' ? rowWords : columnWords).length,
    );
    const { edges, note } = chosenEdges(data, token ?? null);
    const height = Math.max(rowWords.length, columnWords.length);
    // A row is as high as the window allows.
    return html`<div id="lines" class=${height > LONG ? 'long' : ''} .style=${`--line-rows: ${height}`}>
      <p class="view-title">As lines</p>
      ${data.count > 1 ? headButtons(data, tools) : nothing}
      <div class="lines-scroll" data-lights @highlight=${(/** @type {Event} */ event) => light(event, data)}
        ${figure({ name: `${data.title}, as lines`, tables: () => tablesOf(data) })} ${follow(cursor.row)}>
        <p class="lines-side" aria-hidden="true">query</p><p class="lines-side keys" aria-hidden="true">key</p>
        ${tokens('query', data, tools)}
        ${drawn(data, edges, tools)}
        <svg class="lines-edges lit" viewBox="0 0 100 ${height}" preserveAspectRatio="none" aria-hidden="true"
          ><path class="line-lit"></path></svg>
        ${tokens('key', data, tools)}
      </div>
      <p class="lines-note hint">${state.quantity === 'weights' ? '' : OF_WEIGHTS} ${note} ${offNote(data)}</p>
      <p class="hint">To select several queries, drag across the sentence<span class="with-mouse">, click them with
        Shift or Ctrl, or press Shift with an arrow key</span>.</p>
      <details @toggle=${(/** @type {Event} */ { currentTarget }) =>
        tools.local({ open: /** @type {HTMLDetailsElement} */ (currentTarget).open })}
        ><summary>Lines as a table</summary>${local.open ? table(data, edges) : nothing}</details></div>`;
  },
};

/**
 * @param {import('../../engine/results.js').Result} result
 * @param {import('../index.js').State} state
 * @param {import('../../draw/color.js').Scheme} scheme
 * @returns {LinesData | undefined} undefined: not here yet
 */
function linesOf(result, state, scheme) {
  const now = weightsAt(result, state);
  if (!now) return undefined;
  const { kind, title, rowWords, columnWords, row, key, selection } = now;
  const { layer, head, mean } = selection;
  const count = result.plan.settings.heads;
  const several = chosen(state, count);
  const size = rowWords.length * columnWords.length;
  const { data } = /** @type {import('../../engine/protocol.js').Tensor} */ (
    result.tensors.get(attentionName(kind, layer, 'weights'))
  );
  const which = several.length
    ? `head${several.length > 1 ? 's' : ''} ${several.map((each) => each + 1).join(', ')}`
    : mean
      ? 'mean of its heads'
      : `head ${head + 1}`;
  const heads = several.length
    ? several.map((each) => ({ head: each, data: data.subarray(each * size, (each + 1) * size) }))
    : [{ head: mean ? -1 : head, data: now.data }];
  const off = headsOff(state.interventions, kind, layer);
  return {
    title:
      !several.length && isOfAll(result, selection)
        ? `${title}, mean of all heads`
        : `${title}, layer ${layer + 1}, ${which}`,
    rowWords,
    columnWords,
    heads,
    shown: heads.filter((each) => !off.includes(each.head)),
    hued: several.length > 0,
    count,
    scheme,
    cursor: { row, column: key },
    brush: state.brush.filter((each) => each < rowWords.length),
    off,
    at: `${kind} ${layer}`,
  };
}

/**
 * The heads that are drawn in hues; none: the one of the map.
 * @param {import('../index.js').State} state
 * @param {number} count
 */
const chosen = ({ lineHeads }, count) =>
  lineHeads.filter((head) => Number.isInteger(head) && head >= 0 && head < count);

/** Scrolls the lines, not the page, until the query of the cursor is in sight. @type {(row: number) => unknown} */
const follow = acting((scroll, row, before) => {
  if (row === before) return;
  requestAnimationFrame(() => {
    const token = /** @type {HTMLElement | null} */ (scroll.querySelector('.queries [tabindex="0"]'));
    if (!token) return;
    const top = token.offsetTop;
    const least = top + token.offsetHeight - scroll.clientHeight;
    scroll.scrollTo({ top: Math.min(top, Math.max(scroll.scrollTop, least)) });
  }); // where the page is laid out anyway
});

/**
 * Draws the line that is pointed at elsewhere, which may be too weak to be drawn.
 * @param {Event} event @param {LinesData} data
 */
function light(event, { hued, shown, columnWords }) {
  const { currentTarget, detail } = /** @type {CustomEvent<{row?: string, key?: string}>} */ (event);
  const [row, key] = [Number(detail.row), Number(detail.key)];
  const path = /** @type {SVGPathElement} */ (/** @type {Element} */ (currentTarget).querySelector('.line-lit'));
  const weight = hued ? undefined : shown[0]?.data[row * columnWords.length + key];
  path.toggleAttribute('data-lit', weight !== undefined);
  if (weight === undefined) return path.removeAttribute('d');
  path.setAttribute('d', pathOf(row + 0.5, key + 0.5));
  path.setAttribute('stroke-width', String(widthOf(weight, WIDE)));
}

/** @param {LinesData} data */
const tablesOf = ({ title, rowWords, columnWords, hued, heads }) =>
  heads.map(({ head, data }) => ({
    name: head < 0 || !hued ? `${title}, as lines` : `${title}, as lines, head ${head + 1}`,
    shape: [rowWords.length, columnWords.length],
    data,
    rows: rowWords,
    columns: columnWords,
  }));

/** @param {LinesData} data @param {Edge[]} edges @param {Tools} tools */
function drawn({ rowWords, columnWords, scheme, cursor, hued, shown, at }, edges, { get, set }) {
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
        <path data-row=${row} data-key=${key} data-head=${head < 0 ? nothing : `${at} ${head}`}
          color=${hue.color} stroke-dasharray=${hue.dash} class=${isPinned ? 'edge pinned' : 'edge'}
          d=${pathOf(row + lane(head), key + lane(head))}
          stroke-width=${widthOf(weight, widest)}
          stroke-opacity=${(0.12 + 0.88 * weight).toFixed(3)} vector-effect="non-scaling-stroke"
          @click=${() => set(moveCursor(get(), { row, key }))}><title>${title}</title></path>`;
  };
  return html`<svg class=${hued ? 'lines-edges hued' : 'lines-edges'} viewBox="0 0 100 ${height}"
    preserveAspectRatio="none" aria-hidden="true"
    color=${css(probabilityScale(scheme).table[INK])}>${edges.map(line)}</svg>`;
}

/** The legend of the hues, and the choice of the heads. @param {LinesData} data @param {Tools} tools */
function headButtons({ count, heads, scheme, off, at }, { get, set, plan, selection }) {
  const first = heads[0].head;
  /** @param {number} head */
  function choose(head) {
    const { head: selected, mean } = selection();
    const now = chosen(get(), plan().settings.heads);
    const before = now.length || mean ? now : [selected];
    const next = before.includes(head)
      ? before.filter((each) => each !== head)
      : [...before, head].sort((a, b) => a - b);
    set({ lineHeads: !mean && next.length === 1 && next[0] === selected ? [] : next });
  }
  const buttons = Array.from({ length: count }, (_, head) => {
    const isOff = off.includes(head);
    return html`<button type="button" class=${isOff ? 'lines-head off' : 'lines-head'} data-head=${`${at} ${head}`}
      aria-pressed=${heads.some((each) => each.head === head)}
      aria-label=${`Head ${head + 1}${isOff ? ', off' : ''}`} .tabIndex=${head === Math.max(0, first) ? 0 : -1}
      @click=${() => choose(head)}>${hueMark(scheme, head)}${head + 1}</button>`;
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

/** @param {Token['side']} side @param {LinesData} data @param {Tools} tools */
function tokens(side, data, { get, set, result, local }) {
  const { rowWords, columnWords, cursor, brush } = data;
  const isQuery = side === 'query';
  const words = isQuery ? rowWords : columnWords;
  const at = isQuery ? cursor.row : cursor.column;
  /** @param {number} index @param {'one' | 'range' | 'toggle' | 'step'} how */
  const select = (index, how) =>
    set(
      isQuery
        ? { ...chooseRow(get(), index, result()), brush: brushed(get(), index, how) }
        : moveCursor(get(), { key: index }),
    );
  const options = words.map((word, index) => {
    const isBrushed = isQuery && brush.includes(index);
    const token = { side, index };
    const click = (/** @type {MouseEvent} */ { shiftKey, ctrlKey, metaKey }) =>
      select(index, shiftKey ? 'range' : ctrlKey || metaKey ? 'toggle' : 'one');
    const enter = (/** @type {PointerEvent} */ { pointerType }) => pointerType !== 'touch' && local({ pointed: token });
    const focus = (/** @type {FocusEvent} */ { target }) =>
      local({ focused: /** @type {Element} */ (target).matches(':focus-visible') ? token : null });
    return html`<button type="button" role="option" class="line-token ${isBrushed ? 'brushed' : ''}"
        data-row=${isQuery ? index : nothing} data-key=${isQuery ? nothing : index}
        tabindex=${index === at ? 0 : -1} aria-selected=${index === at || isBrushed}
        aria-label=${sentence(data, token)} @click=${click}
        @pointerenter=${enter} @pointerleave=${() => local({ pointed: null })}
        @focus=${focus} @blur=${() => local({ focused: null })}><bdi>${word}</bdi></button>`;
  });

  /** @param {KeyboardEvent} event */
  function step(event) {
    const [last, { key }] = [words.length - 1, event];
    /** @type {Record<string, number>} */
    const targets = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: last, PageUp: at - 10, PageDown: at + 10 };
    const across = key === (isQuery ? 'ArrowRight' : 'ArrowLeft');
    if (event.ctrlKey || event.altKey || event.metaKey || (targets[key] === undefined && !across)) return;
    event.preventDefault();
    const list = /** @type {HTMLElement} */ (event.currentTarget);
    if (across) {
      const other = list.parentElement?.querySelector(`.${isQuery ? 'keys' : 'queries'} [tabindex="0"]`);
      return /** @type {HTMLElement | null} */ (other)?.focus();
    }
    const next = Math.max(0, Math.min(last, targets[key]));
    local({ pointed: null }); // from now on the focus decides
    select(next, event.shiftKey ? (key.startsWith('Arrow') ? 'step' : 'range') : 'one');
    /** @type {HTMLElement} */ (list.children[next]).focus();
  }
  return html`<div class="lines-tokens ${isQuery ? 'queries' : 'keys'}" role="listbox"
    aria-label=${isQuery ? 'Queries' : 'Keys'} aria-multiselectable=${isQuery} @keydown=${step}>${options}</div>`;
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
 * note on the omitted ones.
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
function offNote({ heads, off }) {
  const names = heads.filter(({ head }) => off.includes(head)).map(({ head }) => head + 1);
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

/** @param {import('../../draw/color.js').Scheme} scheme @param {number} head */
function hueMark(scheme, head) {
  const { color, dash } = hueOf(scheme, head);
  return svg`<svg class="hue" viewBox="0 0 16 6" aria-hidden="true"><path d="M0 3H16"
    stroke=${color} stroke-dasharray=${dash} stroke-width="5"></path></svg>`;
}
