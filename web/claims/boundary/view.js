// Where a claim begins to hold: a map over two quantities, which the reader fills cell by cell. Earlier measurements
// come with the page, and are marked as such.

import { html, nothing } from 'lit-html';
import { aboutText } from '../../draw/duration.js';
import { addStyle } from '../../draw/style.js';
import css from './boundary.css';
import { known } from './known.js';
import { writeAddress } from '../schema.js';
import { span } from '../numbers.js';
import { progressBar } from '../progress.js';
import { claimOf } from '../state.js';
import { words } from '../words.js';
import { step } from './keys.js';
import { inWords } from '../../shared/in-words.js';

/**
 * @typedef {import('../state.js').ClaimsState} ClaimsState
 * @typedef {import('../worker.js').ClaimData} ClaimData
 * @typedef {import('../view.js').ClaimsActions} ClaimsActions
 * @typedef {import('../../../src/claims/index.js').Boundary} Boundary
 * @typedef {import('../schema.js').Params} Params
 * @typedef {ClaimData & {boundary: Boundary, cells: import('../worker.js').Cell[], hrefOf: (params: Params) => string}}
 *   Mapped `hrefOf`: the card at other switches
 * @typedef {{when: string, seconds: number, values: number[], twins?: number[]}} Known `twins`: of the control
 * @typedef {{live: Map<number, number[]>, at: number, share: number, controller: AbortController | null,
 *   problem: string}} Filling `live`: what was measured since the page was opened, by cell; `at`: the cell that the Tab
 *   key reaches; `controller`: of the measurement under way
 */

/** What a share is on the page: two digits in per cent. @param {number} value */
const say = (value) => span([Number(value.toPrecision(2))], true);

/** What earlier measurements know of a claim. @param {number} number @returns {Known | null} */
const knownOf = (number) => /** @type {Record<string, Known>} */ (known.maps)[number] ?? null;

/** @param {() => void} update */
export function create(update) {
  addStyle(css);
  /** @type {Map<number, Filling>} */
  const fillings = new Map();

  /** @param {number} number */
  function fillingOf(number) {
    const filling = fillings.get(number) ?? { live: new Map(), at: 0, share: 0, controller: null, problem: '' };
    fillings.set(number, filling);
    return filling;
  }

  /** @param {Filling} filling */
  function stop(filling) {
    filling.controller?.abort();
    filling.controller = null;
    update();
  }

  /** Fills what is left. @param {Mapped} claim @param {Filling} filling @param {ClaimsActions} actions */
  async function fill(claim, filling, { onCell }) {
    const { number, cells } = claim;
    const own = (filling.controller = new AbortController());
    filling.problem = '';
    if (filling.live.size === cells.length) filling.live.clear();
    const isOther = () => new URLSearchParams(location.hash.replace(/^[^?]*\??/, '')).get('card') !== String(number);
    addEventListener('hashchange', () => isOther() && stop(filling), { signal: own.signal });
    try {
      for (const [i, cell] of cells.entries()) {
        if (filling.live.has(i)) continue;
        filling.share = 0;
        update();
        const onProgress = (/** @type {number} */ share) => {
          filling.share = share;
          if (own === filling.controller) update();
        };
        const value = await onCell({ number, params: cell.params, cell, signal: own.signal, onProgress });
        if (own !== filling.controller) return;
        filling.live.set(i, value);
      }
    } catch (error) {
      if (own !== filling.controller) return;
      filling.problem = inWords(error);
    }
    own.abort();
    filling.controller = null;
    update();
  }

  return (/** @type {ClaimsState} */ state, /** @type {ClaimsActions} */ actions) => {
    const claim = claimOf(state);
    if (!claim?.boundary) return nothing;
    const { number } = claim;
    const { cards } = state.address;
    const hrefOf = (/** @type {Params} */ params) => writeAddress({ number, params, cards }, claim);
    const mapped = /** @type {Mapped} */ ({ ...claim, hrefOf });
    const filling = fillingOf(number);
    const toggle = () => (filling.controller ? stop(filling) : fill(mapped, filling, actions));
    return section(mapped, filling, toggle, update);
  };
}

/** @param {Mapped} claim @param {Filling} filling @param {() => void} toggle @param {() => void} update */
function section(claim, filling, toggle, update) {
  const { boundary, cells } = claim;
  const { live, controller, problem, share } = filling;
  const earlier = knownOf(claim.number);
  const isBegun = live.size > 0 && live.size < cells.length;
  const mean = boundary.seeds === 1 ? 'from one seed' : `the mean of ${boundary.seeds} seeds`;
  return html`<section class="panel claims-boundary" aria-labelledby="claims-boundary">
    <h4 id="claims-boundary">Where it begins</h4>
    <p class="hint">
      ${words(boundary.measure.label)}, over ${words(boundary.x.label)} and ${words(boundary.y.label)}; the other
      switches are the sentence’s.
      ${claim.seeded ? `Each cell is ${mean}.` : nothing} A cell opens the card with its switches.
    </p>
    <p class="claims-boundary-run">
      <button type="button" @click=${toggle}>
        ${controller ? 'Stop' : isBegun ? 'Go on' : live.size ? 'Measure again' : 'Measure it here'}
      </button>
      ${
        controller
          ? progressBar((live.size + share) / cells.length, 'Progress of the map')
          : html`<span class="hint"
              >${isBegun ? `${live.size} of ${cells.length} cells are measured.` : cost(earlier)}</span
            >`
      }
    </p>
    <p class="error" role="alert" ?hidden=${!problem}>The map could not be measured: ${problem}</p>
    ${grid(claim, cells, filling, earlier, update, 0)}
    ${boundary.twin ? grid(claim, cells, filling, earlier, update, 1) : nothing}
    ${
      earlier
        ? html`<p class="hint claims-boundary-legend">
            <span class="claims-cell" data-from="earlier" aria-hidden="true"></span> Hatched: measured earlier, on
            ${earlier.when}, in the variant ${known.variant}.
            <span class="claims-cell" data-from="live" aria-hidden="true"></span> Full: measured here and now.
          </p>`
        : nothing
    }
  </section>`;
}

/** @param {Known | null} earlier */
const cost = (earlier) => (earlier ? `It takes ${aboutText(earlier.seconds)} (as measured in Node).` : '');

/**
 * @param {Mapped} claim @param {import('../worker.js').Cell[]} cells
 * @param {Filling} filling @param {Known | null} earlier @param {() => void} update
 * @param {number} of 0: the measure, 1: its twin
 */
function grid(claim, cells, filling, earlier, update, of) {
  const { x, y, measure, twin } = claim.boundary;
  const { label } = (of === 1 ? twin : null) ?? measure;
  const width = x.values.length;
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    const to = step(event.key, filling.at, width, cells.length);
    if (to === null || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    filling.at = to;
    update();
    const links = /** @type {HTMLElement} */ (event.currentTarget).querySelectorAll('a');
    links[to]?.focus();
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
            ${cells
              .slice(row * width, (row + 1) * width)
              .map((cell, column) => link(claim, cell, row * width + column, filling, earlier, update, of))}
          </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/**
 * @param {Mapped} claim @param {import('../worker.js').Cell} cell @param {number} i
 * @param {Filling} filling @param {Known | null} earlier @param {() => void} update
 * @param {number} of as in `grid`
 */
function link(claim, cell, i, filling, earlier, update, of) {
  const { x, y } = claim.boundary;
  const now = filling.live.get(i)?.[of];
  const value = now ?? (of === 1 ? earlier?.twins : earlier?.values)?.[i];
  const from = now !== undefined ? 'live' : value !== undefined ? 'earlier' : 'none';
  const said =
    value === undefined
      ? 'not measured'
      : `${say(value)}, measured ${from === 'live' ? 'here' : `on ${earlier?.when}`}`;
  const onFocus = () => {
    filling.at = i;
    update();
  };
  return html`<td role="gridcell">
    <a
      class="claims-cell"
      href=${claim.hrefOf(cell.params)}
      data-from=${from}
      .style=${`--share: ${value ?? 0}`}
      tabindex=${filling.at === i ? 0 : -1}
      aria-label="${x.label} ${x.values[cell.x]}, ${y.label} ${y.values[cell.y]}: ${said}"
      @focus=${onFocus}
      >${value === undefined ? '–' : say(value)}</a
    >
  </td>`;
}
