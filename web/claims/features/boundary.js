// Where a claim begins to hold: a map over two quantities, which the reader fills cell by cell. Earlier measurements
// come with the page, and are marked as such.

import { html, nothing } from 'lit-html';
import { aboutText } from '../../draw/duration.js';
import { createTask } from '../../kit/task.js';
import { partOf } from '../../kit/address.js';
import { onAddress } from '../../kit/link.js';
import { writeAddress } from '../schema.js';
import { known } from '../known.js';
import { span } from '../numbers.js';
import { progressBar, words } from '../wording.js';
import style from './boundary.css';

/**
 * @typedef {import('../worker.js').ClaimData} ClaimData
 * @typedef {import('../../../src/claims/index.js').Boundary} Boundary
 * @typedef {ClaimData & {boundary: Boundary, cells: import('../worker.js').Cell[]}} Mapped
 * @typedef {{when: string, seconds: number, values: number[], twins?: number[]}} Known `twins`: of the control
 * @typedef {import('../index.js').Tools & import('../../kit/feature.js').LocalTools} Tools
 * @typedef {{
 *   live: ReadonlyMap<number, ReadonlyMap<number, number[]>>, number: number | null, at: number, share: number,
 *   problem: string,
 * }} Filling `live`: measured since the page was opened, by claim and cell; `number`: the claim that the rest
 *   is of; `at`: the cell that the Tab key reaches; `share`: of the cell under way
 */

/** The measurement under way. */
const task = createTask();

/** Formats a share as the page does: two digits in per cent. @param {number} value */
const say = (value) => span([Number(value.toPrecision(2))], true);

/** @type {ReadonlyMap<number, number[]>} */
const NONE = new Map();

/** @type {import('../index.js').Feature} */
export const boundary = {
  name: 'boundary',
  slot: 'card-end',
  style,
  local: /** @type {Filling} */ ({ live: new Map(), number: null, at: 0, share: 0, problem: '' }),
  begin({ get, local: remember }) {
    onAddress(() => {
      if (partOf(location.hash, 'card') === String(get().address.number) || !task.isRunning()) return;
      task.stop();
      remember({});
    });
  },
  render({ state, claim, local }, tools) {
    if (!claim?.boundary) return null;
    const { cards } = state.address;
    const { number } = claim;
    /** @param {import('../schema.js').Params} params */
    const hrefOf = (params) => writeAddress({ number, params, cards }, claim);
    const mine = local.number === number ? local : { ...local, number, at: 0, share: 0, problem: '' };
    return section(/** @type {Mapped} */ (claim), mine, hrefOf, tools);
  },
};

/** Fills what is left. @param {Mapped} claim @param {Filling} filling @param {Tools} tools */
function fill({ number, cells }, filling, { client, local: remember }) {
  const before = filling.live.get(number) ?? NONE;
  const live = new Map(before.size === cells.length ? [] : before);
  const put = () => remember({ number, live: new Map([...filling.live, [number, new Map(live)]]) });
  task.run(
    async (signal, onProgress) => {
      for (const [i, cell] of cells.entries()) {
        if (live.has(i)) continue;
        onProgress(0);
        const value = await client.cell({ number, params: cell.params, cell, signal, onProgress });
        if (signal.aborted) return;
        live.set(i, value);
        put();
      }
    },
    {
      progress: (/** @type {number} */ share) => remember({ share }),
      done: () => remember({}),
      failed: (problem) => remember({ problem }),
    },
  );
  remember({ ...filling, problem: '' });
  put();
}

/**
 * @param {Mapped} claim @param {Filling} filling @param {(params: import('../schema.js').Params) => string} hrefOf
 * @param {Tools} tools
 */
function section(claim, filling, hrefOf, tools) {
  const { boundary: of, cells, number } = claim;
  const live = filling.live.get(number) ?? NONE;
  const isRunning = task.isRunning();
  /** @type {Known | null} */
  const earlier = /** @type {Record<string, Known>} */ (known.maps)[number] ?? null;
  const isBegun = live.size > 0 && live.size < cells.length;
  const mean = of.seeds === 1 ? 'from one seed' : `the mean of ${of.seeds} seeds`;
  const stop = () => (task.stop(), tools.local({}));
  /** @param {number} twin 0: the measure, 1: its twin */
  const grid = (twin) => table(claim, filling, earlier, hrefOf, tools.local, twin);
  return html`<details class="claims-fold claims-boundary">
    <summary>Where it begins</summary>
    <p class="hint">
      ${words(of.measure.label)}, over ${words(of.x.label)} and ${words(of.y.label)}; the other
      switches are the sentence’s.
      ${claim.seeded ? `Each cell is ${mean}.` : nothing} A cell opens the card with its switches.
    </p>
    <p class="claims-boundary-run">
      <button type="button" @click=${isRunning ? stop : () => fill(claim, filling, tools)}>
        ${isRunning ? 'Stop' : isBegun ? 'Go on' : live.size ? 'Measure again' : 'Measure it here'}
      </button>
      ${
        isRunning
          ? progressBar((live.size + filling.share) / cells.length, 'Progress of the map')
          : html`<span class="hint"
              >${isBegun ? `${live.size} of ${cells.length} cells are measured.` : cost(earlier)}</span
            >`
      }
    </p>
    <p class="error" role="alert" ?hidden=${!filling.problem}>The map could not be measured: ${filling.problem}</p>
    ${grid(0)} ${of.twin ? grid(1) : nothing}
    ${
      earlier
        ? html`<p class="hint claims-boundary-legend">
            <span class="claims-cell" data-from="earlier" aria-hidden="true"></span> Hatched: measured earlier, on
            ${earlier.when}, in the variant ${known.variant}.
            <span class="claims-cell" data-from="live" aria-hidden="true"></span> Full: measured here and now.
          </p>`
        : nothing
    }
  </details>`;
}

/** @param {Known | null} earlier */
const cost = (earlier) => (earlier ? `It takes ${aboutText(earlier.seconds)} (as measured in Node).` : '');

/**
 * @param {Mapped} claim @param {Filling} filling @param {Known | null} earlier
 * @param {(params: import('../schema.js').Params) => string} hrefOf @param {Tools['local']} remember
 * @param {number} of 0: the measure, 1: its twin
 */
function table({ boundary: { x, y, measure, twin }, cells, number }, filling, earlier, hrefOf, remember, of) {
  const { label } = (of === 1 ? twin : null) ?? measure;
  const width = x.values.length;
  const { at } = filling;
  /** @param {number} to */
  const move = (to) => to !== at && remember({ number, at: to });
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    const to = cellByKey(event.key, at, width, cells.length);
    if (to === null || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    move(to);
    /** @type {HTMLElement} */ (event.currentTarget).querySelectorAll('a')[to]?.focus();
  };
  /** @param {import('../worker.js').Cell} cell @param {number} i */
  const link = (cell, i) => {
    const now = filling.live.get(number)?.get(i)?.[of];
    const value = now ?? (of === 1 ? earlier?.twins : earlier?.values)?.[i];
    const from = now !== undefined ? 'live' : value !== undefined ? 'earlier' : 'none';
    const said =
      value === undefined
        ? 'not measured'
        : `${say(value)}, measured ${from === 'live' ? 'here' : `on ${earlier?.when}`}`;
    return html`<td role="gridcell">
      <a
        class="claims-cell"
        href=${hrefOf(cell.params)}
        data-from=${from}
        .style=${`--share: ${value ?? 0}`}
        tabindex=${at === i ? 0 : -1}
        aria-label="${x.label} ${x.values[cell.x]}, ${y.label} ${y.values[cell.y]}: ${said}"
        @focus=${() => move(i)}
        >${value === undefined ? '–' : say(value)}</a
      >
    </td>`;
  };
  return html`${twin ? html`<p class="hint">${words(label)}</p>` : nothing}
    <div class="claims-boundary-scroll">
      <table role="grid" aria-label="${label}" @keydown=${onKey}>
        <thead>
          <tr role="row">
            <th scope="col">${words(y.label)} ↓ ${words(x.label)} →</th>
            ${x.values.map((value) => html`<th scope="col">${value.toLocaleString('en')}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${y.values.map(
            (value, row) => html`<tr role="row">
              <th scope="row">${value.toLocaleString('en')}</th>
              ${cells.slice(row * width, (row + 1) * width).map((cell, column) => link(cell, row * width + column))}
            </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
}

/**
 * The cell that an arrow key, Home or End leads to; null for a key that leads nowhere.
 * @param {string} key
 * @param {number} at
 * @param {number} width of a row
 * @param {number} count of cells
 * @returns {number | null}
 */
function cellByKey(key, at, width, count) {
  const [column, row] = [at % width, Math.floor(at / width)];
  const rows = count / width;
  const clamp = (/** @type {number} */ value, /** @type {number} */ most) => Math.min(Math.max(value, 0), most);
  const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
  if (by) return clamp(row + by[1], rows - 1) * width + clamp(column + by[0], width - 1);
  if (key === 'Home') return row * width;
  return key === 'End' ? row * width + width - 1 : null;
}
