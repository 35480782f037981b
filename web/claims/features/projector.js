// A card for a projector: large type, one idea on the screen, turned by the arrow keys. The class votes first.

import { html, nothing } from 'lit-html';
import { bar } from '../../draw/bar.js';
import { onPageKey } from '../../shared/page-keys.js';
import { writeAddress } from '../schema.js';
import { bounds, rowsOf, span } from '../numbers.js';
import { pagesOf } from '../pictures/pages.js';
import { picture } from '../pictures/picture.js';
import { progressBar } from '../progress.js';
import { isFresh, shownClaims } from '../state.js';
import { isContrast, switchesText } from '../switches.js';
import { MARKS, NAMES, VERDICTS, word } from '../verdict.js';
import { words } from '../words.js';
import style from './projector.css';

/**
 * How many are for each verdict, in the order of `VERDICTS`.
 * @typedef {readonly number[]} Votes
 * @typedef {{number: number | null, screen: string, votes: ReadonlyMap<number, Votes>}} Local `screen`: of a card
 * @typedef {{
 *   state: import('../state.js').ClaimsState, claim: import('../worker.js').ClaimData, votes: Votes,
 *   tools: import('../index.js').Tools, result: import('../state.js').Result | null,
 *   onVotes: (at: number, count: number) => void, onNext: () => void,
 * }} Shown `result`: what was found at these switches
 * @typedef {(shown: Shown) => unknown} Screen
 */

const FIRST = 'vote'; // of its screens this one alone shows nothing measured
const MOST_VOTES = 999;
const MOST_NUMBERS = 14; // on a screen
const KEPT = 'glassformer-votes'; // a reload keeps them; closing the tab forgets them
/** @type {Votes} */
const NONE = VERDICTS.map(() => 0);
/** What a class shows with hands or cards. */
const LETTERS = ['A', 'B', 'C'];

/** @type {import('../index.js').Feature} */
export const projector = {
  name: 'projector',
  slot: 'top',
  style,
  local: /** @type {Local} */ ({ number: null, screen: FIRST, votes: readVotes() }),
  begin: () =>
    addEventListener('keydown', (event) => {
      /** @param {string} way */
      const press = (way) =>
        /** @type {HTMLElement | null} */ (document.querySelector(`.claims-projector [data-way="${way}"]`))?.click();
      if (document.querySelector('#claims:not([hidden]) .claims-projector'))
        onPageKey(event, { turn: (way) => press(String(way)), leave: () => press('out') });
    }),
  render({ state, claim, local }, { local: remember, ...tools }) {
    if (!claim) return null;
    const { number } = claim;
    const { cards } = state.address;
    const result = isFresh(state) ? state.result : null;
    const screens = screensOf(claim, result);
    const names = [...screens.keys()];
    const at = local.number === number ? Math.max(0, names.indexOf(local.screen)) : 0;
    const order = shownClaims(state);
    const place = order.indexOf(claim);
    const votes = local.votes.get(number) ?? NONE;
    /** To the screen before or after; beyond the last, to the next card. @param {1 | -1} by */
    const turn = (by) => {
      const screen = names[at + by];
      const to = order[place + by];
      if (!screen) {
        if (to) location.hash = writeAddress({ view: 'projector', number: to.number, cards });
        return;
      }
      remember({ number, screen });
      if (screen !== FIRST) {
        if (!state.revealed) tools.reveal();
        else if (state.progress === null && !result) tools.run();
      }
      /** @type {HTMLElement | null} */ (document.querySelector('.claims-screen'))?.focus({ preventScroll: true });
    };
    /** @type {Shown['onVotes']} */
    const onVotes = (verdict, count) => {
      const all = new Map([...local.votes, [number, votes.with(verdict, count)]]);
      keepVotes(all);
      remember({ votes: all });
    };
    const leave = () => (location.hash = writeAddress({ ...state.address, view: 'card', number }, claim));
    return html`<article class="claims-projector" aria-label="Card ${claim.place}">
      <div class="claims-screen" tabindex="-1" aria-live="polite">
        ${screens.get(names[at])?.({ state, claim, tools, votes, result, onVotes, onNext: () => turn(1) })}
      </div>
      <div class="claims-screens">
        <button type="button" data-way="-1" @click=${() => turn(-1)} ?disabled=${!at && !place}>← Back</button>
        <span class="hint">${words(claim.name)}, ${at + 1} of ${names.length}</span>
        <button type="button" data-way="out" @click=${leave} title="Escape">Close</button>
        <button
          type="button"
          data-way="1"
          @click=${() => turn(1)}
          ?disabled=${at === names.length - 1 && place === order.length - 1}
        >
          Next →
        </button>
      </div>
    </article>`;
  },
};

/**
 * The screens of a card by their names. Each panel of its figure has one.
 * @param {Shown['claim']} claim @param {Shown['result']} result @returns {Map<string, Screen>}
 */
function screensOf(claim, result) {
  const pages = result?.picture.flatMap(pagesOf) ?? [null];
  const rows = result ? rowsOf(claim, result) : [];
  const parts = Math.ceil(rows.length / MOST_NUMBERS) || 1;
  const size = Math.ceil(rows.length / parts);
  return new Map(
    /** @type {[string, Screen][]} */ ([
      [FIRST, vote],
      ['verdict', measured(verdict)],
      ...pages.map((page, i) => [`figure ${i + 1}`, measured(({ claim: { number } }) => figure(page, number))]),
      ...Array.from({ length: parts }, (_, i) => {
        const shown = rows.slice(i * size, (i + 1) * size);
        return [`numbers ${i + 1}`, measured(() => numbers(shown))];
      }),
      ['control', change],
    ]),
  );
}

/** @param {(shown: Shown, result: import('../state.js').Result) => unknown} screen @returns {Screen} */
const measured = (screen) => (shown) => {
  const { result, state, tools } = shown;
  if (result) return screen(shown, result);
  return state.progress === null
    ? html`<button type="button" class="claims-main" @click=${tools.run}>Run</button>`
    : html`<p>${progressBar(state.progress, 'Progress of the experiment')}</p>`;
};

/** Three choices, and how many hands there are for each. @type {Screen} */
function vote({ claim, votes, onVotes, onNext }) {
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    onNext();
  };
  return html`<h3>${words(claim.sentence)}</h3>
    <p class="hint">Said by: ${words(claim.saidBy)}</p>
    <form class="claims-poll" @submit=${submit}>
      ${VERDICTS.map((_, v) => choice(claim, v, votes[v], onVotes))}
      <button type="submit" class="claims-main">${total(votes) ? 'Reveal' : 'Reveal without votes'}</button>
    </form>`;
}

/**
 * @param {Shown['claim']} claim @param {number} v of the verdict @param {number} count
 * @param {Shown['onVotes']} onVotes
 */
function choice(claim, v, count, onVotes) {
  const [letter, name] = [LETTERS[v], VERDICTS[v]];
  const label = claim.choices.find(({ verdict: each }) => each === name)?.label ?? '';
  /** @param {number} to */
  const put = (to) => {
    const kept = Math.min(MOST_VOTES, Math.max(0, Math.trunc(to) || 0));
    onVotes(v, kept);
    return kept;
  };
  return html`<p>
    <strong class="claims-poll-letter">${letter}</strong>
    <span class="claims-poll-choice"><strong>${name}</strong> <small>${words(label)}</small></span>
    <span class="claims-poll-count">
      <button type="button" aria-label="One fewer for ${letter}" ?disabled=${!count} @click=${() => put(count - 1)}>
        −
      </button>
      <input
        type="number"
        min="0"
        max=${MOST_VOTES}
        aria-label="Votes for ${letter}, ${name}"
        .value=${String(count)}
        @focus=${(/** @type {any} */ { target }) => target.select()}
        @change=${(/** @type {any} */ { target }) => (target.value = String(put(target.valueAsNumber)))}
      />
      <button type="button" aria-label="One more for ${letter}" @click=${() => put(count + 1)}>+</button>
    </span>
  </p>`;
}

/** @param {Shown} shown @param {import('../state.js').Result} result */
function verdict({ claim, votes }, { outcome, params }) {
  const came = outcome.kind === 'sentence' ? outcome.verdict : undefined;
  return html`<div class="claims-reveal">
    <div>
      <p>${word(outcome)}</p>
      <p>${words(outcome.found)}</p>
      <p>${words(claim.why)}</p>
      <p class="hint">${words(switchesText(claim, params))}</p>
    </div>
    ${histogram(votes, came)}
  </div>`;
}

/** @param {import('../pictures/pages.js').Page | null} page @param {number} number */
const figure = (page, number) =>
  page && html`<div class="claims-figure">${picture({ panels: page.picture, name: `Claim ${number}` })}</div>`;

/** @param {ReturnType<typeof rowsOf>} rows */
const numbers = (rows) =>
  html`<h3>Measured now</h3>
    <dl>
      ${rows.map(
        ({ label, values, range, share }) => html`<div>
          <dt>${words(label)}</dt>
          <dd>
            <strong>${span(values, share)}</strong>${
              range ? html` <span class="hint">reference ${bounds(range, share)}</span>` : nothing
            }
          </dd>
        </div>`,
      )}
    </dl>`;

/** @type {Screen} */
function change(shown) {
  const { state, claim, tools } = shown;
  const { contrast, contrastKind: kind } = claim;
  const isSet = isContrast(claim, state.address.params);
  return html`<h3>${NAMES[kind]}</h3>
    <p>${words(switchesText(claim, contrast))}</p>
    <button type="button" class="claims-main" @click=${() => tools.setSwitches(isSet ? {} : contrast)}>
      ${isSet ? 'Back to the sentence' : `Run the ${kind}`}
    </button>
    ${isSet ? measured(verdict)({ ...shown, votes: [] }) : nothing}`;
}

/** @param {Votes} votes */
const total = (votes) => votes.reduce((sum, count) => sum + count, 0);

/** A bar for each verdict; nothing without votes. @param {Votes} votes @param {string} [came] what was measured */
const histogram = (votes, came) =>
  total(votes)
    ? html`<table class="claims-votes">
        <caption class="visually-hidden">
          Votes of the class
        </caption>
        ${VERDICTS.map(
          (each, v) => html`<tr>
            <th scope="row">${LETTERS[v]} ${each}${came === each ? html` <span>${MARKS.true}</span>` : nothing}</th>
            <td class="claims-votes-bar">${bar(votes[v] / total(votes))}</td>
            <td>${votes[v]} <span class="hint">${Math.round((100 * votes[v]) / total(votes))} %</span></td>
          </tr>`,
        )}
      </table>`
    : nothing;

/** @param {unknown} votes */
function isVotes(votes) {
  return Array.isArray(votes) && votes.length === 3 && votes.every((count) => Number.isInteger(count) && count >= 0);
}

/** By card. @returns {Map<number, Votes>} */
function readVotes() {
  try {
    const list = JSON.parse(sessionStorage.getItem(KEPT) ?? '[]');
    return new Map(list.filter((/** @type {any} */ [, votes]) => isVotes(votes)));
  } catch {
    return new Map();
  }
}

/** @param {ReadonlyMap<number, Votes>} votes */
function keepVotes(votes) {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify([...votes]));
  } catch {
    // refused: they last as long as the page
  }
}
