// What stands on each screen of the projector.

import { html, nothing } from 'lit-html';
import { isFresh } from '../state.js';
import { bounds, rowsOf, span } from '../numbers.js';
import { pagesOf } from './pages.js';
import { LETTERS, histogram, total } from './votes.js';
import { showPicture } from '../pictures/show.js';
import { progressBar } from '../progress.js';
import { isContrast, switchesText } from '../switches.js';
import { NAMES, VERDICTS, word } from '../verdict.js';
import { words } from '../words.js';

/**
 * @typedef {import('../state.js').ClaimsState} ClaimsState
 * @typedef {import('../worker.js').ClaimData} ClaimData
 * @typedef {import('../view.js').ClaimsActions} ClaimsActions
 * @typedef {{
 *   state: ClaimsState, claim: ClaimData, actions: ClaimsActions, votes: import('./votes.js').Votes,
 *   onVotes: (at: number, count: number) => void, onNext: () => void,
 * }} Shown
 * @typedef {(shown: Shown) => unknown} Screen
 */

const MOST_VOTES = 999;
const MOST_NUMBERS = 14; // on a screen

/** What was found at these switches. @param {ClaimsState} state */
export const resultOf = (state) => (isFresh(state) ? state.result : null);

/**
 * The screens of a card by their names. Each panel of its figure has one.
 * @param {ClaimsState} state @returns {Map<string, Screen>}
 */
export function screensOf(state) {
  const result = resultOf(state);
  const claim = state.claims.get(state.address.number ?? NaN);
  const pages = result?.picture.flatMap(pagesOf) ?? [null];
  const rows = result && claim ? rowsOf(claim, result) : [];
  const parts = Math.ceil(rows.length / MOST_NUMBERS) || 1;
  const size = Math.ceil(rows.length / parts);
  return new Map([
    ['vote', vote],
    ['verdict', measured(verdict)],
    ...pages.map((page, i) => /** @type {[string, Screen]} */ ([`figure ${i + 1}`, measured(figureOf(page))])),
    ...Array.from({ length: parts }, (_, i) => {
      const shown = rows.slice(i * size, (i + 1) * size);
      return /** @type {[string, Screen]} */ ([`numbers ${i + 1}`, measured(() => numbers(shown))]);
    }),
    ['control', change],
  ]);
}

/** @param {(shown: Shown, result: import('../state.js').Result) => unknown} screen @returns {Screen} */
const measured = (screen) => (shown) => {
  const result = resultOf(shown.state);
  return result ? screen(shown, result) : waiting(shown);
};

/** @param {Shown} shown */
function waiting({ state: { progress }, actions }) {
  return progress === null
    ? html`<button type="button" class="claims-main" @click=${actions.onRun}>Run</button>`
    : html`<p>${progressBar(progress, 'Progress of the experiment')}</p>`;
}

/** @type {Screen} */
function vote(shown) {
  const { sentence, saidBy } = shown.claim;
  return html`<h3>${words(sentence)}</h3>
    <p class="hint">Said by: ${words(saidBy)}</p>
    ${poll(shown)}`;
}

/** @param {string} name @param {string} sign @param {(() => void) | null} action */
const step = (name, sign, action) =>
  html`<button type="button" aria-label=${name} ?disabled=${!action} @click=${action}>${sign}</button>`;

/** Three choices, and how many hands there are for each. @param {Shown} shown */
function poll({ claim, votes, onVotes, onNext }) {
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    onNext();
  };
  return html`<form class="claims-poll" @submit=${submit}>
    ${VERDICTS.map((verdict, v) => {
      const count = votes[v];
      const put = (/** @type {number} */ to) => {
        const kept = Math.min(MOST_VOTES, Math.max(0, Math.trunc(to) || 0));
        onVotes(v, kept);
        return kept;
      };
      const label = claim.choices.find((choice) => choice.verdict === verdict)?.label ?? '';
      return html`<p>
        <strong class="claims-poll-letter">${LETTERS[v]}</strong>
        <span class="claims-poll-choice"
          ><strong>${verdict}</strong> <small>${words(label)}</small></span
        >
        <span class="claims-poll-count">
          ${step(`One fewer for ${LETTERS[v]}`, '−', count ? () => put(count - 1) : null)}
          <input
            type="number"
            min="0"
            max=${MOST_VOTES}
            aria-label="Votes for ${LETTERS[v]}, ${verdict}"
            .value=${String(count)}
            @focus=${(/** @type {any} */ { target }) => target.select()}
            @change=${(/** @type {any} */ { target }) => (target.value = String(put(target.valueAsNumber)))}
          />
          ${step(`One more for ${LETTERS[v]}`, '+', () => put(count + 1))}
        </span>
      </p>`;
    })}
    <button type="submit" class="claims-main">${total(votes) ? 'Reveal' : 'Reveal without votes'}</button>
  </form>`;
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

/** @param {import('../pictures/show.js').Run | null} page @returns {(shown: Shown) => unknown} */
const figureOf =
  (page) =>
  ({ claim }) =>
    page && html`<div class="claims-figure">${showPicture(claim, page)}</div>`;

/** @param {ReturnType<typeof rowsOf>} rows */
function numbers(rows) {
  return html`<h3>Measured now</h3>
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
}

/** @type {Screen} */
function change(shown) {
  const { state, claim, actions } = shown;
  const { contrast, contrastKind: kind } = claim;
  const isSet = isContrast(claim, state.address.params);
  return html`<h3>${NAMES[kind]}</h3>
    <p>${words(switchesText(claim, contrast))}</p>
    <button type="button" class="claims-main" @click=${() => actions.onSwitches(isSet ? {} : contrast)}>
      ${isSet ? 'Back to the sentence' : `Run the ${kind}`}
    </button>
    ${isSet ? measured(verdict)({ ...shown, votes: [] }) : nothing}`;
}
