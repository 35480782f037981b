// The residual stream of the selected stack: tokens × stages, the norm of each vector and how much each sublayer
// changes it; and the changes of the selected token's vector on its way through the model.

import { formatValue } from '../../draw/numbers.js';
import { html, nothing } from 'lit-html';
import { positiveScale, roundLimit, signedScale } from '../../draw/color.js';
import { menu } from '../../kit/controls.js';
import { frac, math, norm, root, row as mathRow, space, subsup, sum } from '../../draw/math.js';
import { cells, headRow, scrolled } from '../../draw/table.js';
import { map } from '../../kit/map.js';
import { chooseRow } from '../shared/cursor.js';
import { faceTabs } from '../shared/dictionary.js';
import { tall } from '../shared/map-height.js';
import { selectedIn } from '../shared/words.js';
import style from './residual-stream.css';

/**
 * `stages`: the nodes of the columns.
 * @typedef {import('../derived/residual-stream.js').Stream & {
 *   words: string[], row: number, stages: import('../derived/residual-stream.js').MeasuredNode[],
 * }} StreamData
 * @typedef {import('../../app/schema.js').GraphState['stream']} Shown
 */

/** @type {Record<Shown, string>} */
const SHOWN = { norms: 'Length ‖x‖', changes: 'Relative change ‖Δx‖ / ‖x‖', cosines: 'Cosine with the vector before' };

const needs = () => ['@stream'];

/**
 * @param {import('../index.js').Context} context
 * @returns {StreamData | null | undefined} null: only one layer at a time is computed; undefined: it is not here yet
 */
function dataOf({ result, state }) {
  /** @type {import('../derived/residual-stream.js').MeasuredGraph | undefined} */
  const graph = result.derived.get('@stream');
  const { stack, rowWords: words, row } = selectedIn(result, state);
  const own = graph?.[stack];
  const stages = own?.nodes.filter((node) => node.stream) ?? [];
  return own?.stream ? { ...own.stream, words, row, stages } : graph && null;
}

/** @type {import('../index.js').Feature} */
export const stream = {
  name: 'residual-stream',
  needs,
  render(context, { get, set, result: latest }) {
    const data = dataOf(context);
    if (data === undefined) return undefined;
    if (data === null) return panel(nothing, map(null, tall(MAP)));
    const { state, scheme } = context;
    const { titles, words, row } = data;
    const shown = state.graph.stream;
    const first = shown === 'norms' ? 0 : 1; // the stage of the first column
    const columns = titles.slice(first);
    const values = data[shown];
    const head = html`<div class="view-head">
      ${faceTabs(state, context.result.plan, 'Lengths', set)}
      ${menu('Show', SHOWN, shown, (next) => set({ graph: { ...get().graph, stream: next } }))}</div>`;
    return panel(
      head,
      map(
        {
          name: `Residual stream, ${SHOWN[shown]}`,
          matrix: {
            rows: words.length,
            columns: columns.length,
            data: values,
            scheme,
            scale: shown === 'cosines' ? signedScale(scheme, 1) : positiveScale(scheme, roundLimit(values)),
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
          cursor: { row, column: Math.max(0, Math.min(state.graph.stage - first, columns.length - 1)) },
        },
        tall({
          ...MAP,
          onCursor(cell) {
            const stage = cell.column + first;
            const { layer, sublayer } = data.stages[stage];
            const { graph, selection } = get();
            set({
              ...chooseRow(get(), cell.row, latest()),
              graph: { ...graph, stage, ...(layer !== null && { sublayer }) },
              ...(layer !== null && { selection: { ...selection, layer } }),
            });
          },
        }),
      ),
    );
  },
  blank: () => panel(nothing, map(null, tall(MAP))),
};

const MAP = {
  uprightColumns: true,
  min: 12,
  max: 44, // px, of a cell

  empty: 'No residual stream: it needs a text of which all layers are computed.',
  onCursor() {},
};

/** @param {unknown} head @param {unknown} shown */
const panel = (head, shown) => html`
  <section class="panel picture" aria-labelledby="residual-stream-title">
    <h2 id="residual-stream-title">Residual stream</h2>
    <div id="residual-stream">${head}${shown}</div>
  </section>`;

/** @type {import('../index.js').Feature} */
export const streamAtToken = {
  name: 'residual-token',
  style,
  needs,
  render(context) {
    const data = dataOf(context);
    if (data === undefined) return undefined;
    const { settings } = context.result.plan;
    return tokenPanel(settings, data ? html`${table(data)}${formula(data, context.state.graph.stage)}` : nothing);
  },
  blank: ({ plan }) => tokenPanel(plan.settings, nothing),
};

/** @param {import('../../app/schema.js').Settings} settings @param {unknown} body */
const tokenPanel = ({ residual }, body) => html`
  <section class="panel" aria-labelledby="residual-token-title">
    <h2 id="residual-token-title">Why does it change?</h2>
    <div id="residual-token" ?hidden=${body === nothing}>${body}</div>
    <p class="hint">
      ${
        residual
          ? 'One vector per token passes through the whole model; each sublayer reads it and adds its output to it.'
          : 'Residual connections are switched off: each sublayer’s output replaces the vector.'
      }
      A small change means that the sublayer hardly changed this token’s vector; a cosine near 1, that it hardly turned
      it.
    </p>
  </section>`;

/** Shows how the stream changes the pinned token. @param {StreamData} data */
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

/** @param {StreamData} data @param {number} stage */
function formula({ titles, norms, row: token }, stage) {
  const count = titles.length;
  const at = Math.max(1, Math.min(stage, count - 1));
  return html`<div class="formula live">
      ${math(
        ...[norm('x'), '=', root(mathRow(sum('j'), subsup('x', 'j', 2))), ',', space('1em')],
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
