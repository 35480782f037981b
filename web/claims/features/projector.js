// A card for a projector: the claim, the votes of the class and the figure stay on the screen; beside the votes one
// idea after the other, turned by the arrow keys. The class votes first.

import { html, nothing } from 'lit-html';
import { bar } from '../../draw/bars.js';
import { onPageKey } from '../../draw/page-keys.js';
import { experiment } from '../experiment.js';
import { isContrast, switchesText, writeAddress } from '../schema.js';
import { bounds, rowsOf, span } from '../numbers.js';
import { pagesOf } from '../pictures/pages.js';
import { picture } from '../pictures/picture.js';
import { MARKS, NAMES, VERDICTS, plainVerdict, progressBar, saidBy, verdictBadge, words } from '../wording.js';
import { isFresh, shownClaims } from '../state.js';
import style from './projector.css';

/**
 * The votes for each verdict, in the order of `VERDICTS`.
 * @typedef {readonly number[]} Votes
 * @typedef {{number: number | null, screen: string, votes: ReadonlyMap<number, Votes>}} Local `screen`: of a card
 * @typedef {{
 *   state: import('../state.js').ClaimsState, claim: import('../worker.js').ClaimData,
 *   tools: import('../index.js').Tools, result: import('../state.js').Result | null,
 * }} Shown `result`: found at these switches
 * @typedef {(shown: Shown) => unknown} Screen
 */

const FIRST = 'vote'; // of its screens this one alone shows nothing measured
const MOST_VOTES = 999;
const MOST_NUMBERS = 14; // on a screen
const KEPT = 'glassformer-votes'; // a reload keeps them; closing the tab forgets them
/** @type {Votes} */
const NONE = VERDICTS.map(() => 0);
/** The letters of the verdicts: a class shows them with hands or cards. */
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
    /** @param {number} verdict @param {number} count */
    const onVotes = (verdict, count) => {
      const all = new Map([...local.votes, [number, votes.with(verdict, count)]]);
      keepVotes(all);
      remember({ votes: all });
    };
    const leave = () => (location.hash = writeAddress({ ...state.address, view: 'card', number }, claim));
    const isVote = at === 0;
    const submit = (/** @type {Event} */ event) => {
      event.preventDefault();
      if (isVote) turn(1);
    };
    return html`<form class="claims-projector" aria-label="Card ${claim.place}" @submit=${submit}>
      <h3 id="claims-projected">${words(claim.sentence)}</h3>
      <div class="claims-screen" role="group" aria-labelledby="claims-projected" tabindex="-1" aria-live="polite">
        ${screens.get(names[at])?.({ state, claim, tools, result })}
      </div>
      <div class="claims-poll">
        ${isVote ? nothing : standing(claim, result, state.progress)}
        ${VERDICTS.map((_, v) => counter(claim, v, votes, isVote ? null : result, onVotes))}
      </div>
      <div class="claims-screens">
        <button type="button" data-way="-1" @click=${() => turn(-1)} ?disabled=${isVote && !place}>← Back</button>
        <span class="hint">${words(claim.name)}, ${at + 1} of ${names.length}</span>
        <button type="button" data-way="out" @click=${leave} title="Escape">Close</button>
        <button
          type=${isVote ? 'submit' : 'button'}
          class=${isVote ? 'claims-main' : ''}
          data-way="1"
          @click=${isVote ? null : () => turn(1)}
          ?disabled=${at === names.length - 1 && place === order.length - 1}
        >
          ${isVote ? (total(votes) ? 'Reveal' : 'Reveal without votes') : 'Next →'}
        </button>
      </div>
    </form>`;
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
      ...pages.map((page, i) => [`figure ${i + 1}`, measured(() => figure(page, claim.number))]),
      ['why', measured(why)],
      ...Array.from({ length: parts }, (_, i) => {
        const shown = rows.slice(i * size, (i + 1) * size);
        return [`numbers ${i + 1}`, measured(() => numbers(shown))];
      }),
      ['control', change],
    ]),
  );
}

/**
 * Until the result is there, the figure of the seeds that are finished, or what is run.
 * @param {(shown: Shown, result: import('../state.js').Result) => unknown} screen
 * @returns {Screen}
 */
const measured = (screen) => (shown) => {
  const { result, state, claim, tools } = shown;
  if (result) return screen(shown, result);
  const { progress, soFar } = state;
  return html`${soFar ? figure(soFar.picture.flatMap(pagesOf)[0], claim.number) : experiment(claim)}
    <p>
      ${
        progress === null
          ? html`<button type="button" class="claims-main" @click=${tools.run}>Run</button>`
          : progressBar(progress, 'Progress of the experiment')
      }
    </p>`;
};

/** @type {Screen} */
const vote = ({ claim }) => html`${saidBy(claim)} ${experiment(claim)}`;

/**
 * Counts the hands for a verdict; with the result their share, and whether they are right.
 * @param {Shown['claim']} claim @param {number} v of the verdict @param {Votes} votes @param {Shown['result']} result
 * @param {(at: number, count: number) => void} onVotes
 */
function counter(claim, v, votes, result, onVotes) {
  const [letter, name, count] = [LETTERS[v], VERDICTS[v], votes[v]];
  const label = claim.choices.find(({ verdict: each }) => each === name)?.label ?? '';
  const isRight = result?.outcome.kind === 'sentence' && result.outcome.verdict === name;
  /** @param {number} to */
  const put = (to) => {
    const kept = Math.min(MOST_VOTES, Math.max(0, Math.trunc(to) || 0));
    onVotes(v, kept);
    return kept;
  };
  return html`<div class="claims-counter">
    <strong class="claims-poll-letter">${letter}</strong>
    <strong>${name} ${isRight ? MARKS.true : nothing}</strong>
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
    ${
      result
        ? total(votes)
          ? html`<span class="claims-poll-share"
              >${bar(count / total(votes))} ${Math.round((100 * count) / total(votes))} %</span
            >`
          : nothing
        : html`<small>${words(label)}</small>`
    }
  </div>`;
}

/**
 * The verdict beside the votes.
 * @param {Shown['claim']} claim @param {Shown['result']} result @param {number | null} progress
 */
const standing = (claim, result, progress) =>
  html`<p class="claims-poll-verdict">
    ${
      result
        ? html`${verdictBadge(result.outcome)} ${words(plainVerdict(claim, result.outcome))}`
        : progress === null
          ? 'Not run yet'
          : 'Running …'
    }
  </p>`;

/** @param {Shown} shown @param {import('../state.js').Result} result */
const why = ({ claim }, { outcome, params }) =>
  html`<p>${words(outcome.found)}</p>
    <p><strong>Why.</strong> ${words(claim.why)}</p>
    <p><strong>What would overturn this.</strong> ${words(claim.overturn)}</p>
    <p class="hint">${words(switchesText(claim, params))}</p>`;

/** @param {import('../pictures/pages.js').Page | null} page @param {number} number */
const figure = (page, number) =>
  page && html`<div class="claims-figure">${picture({ panels: page.picture, name: `Claim ${number}` })}</div>`;

/** @param {ReturnType<typeof rowsOf>} rows */
const numbers = (rows) =>
  html`<p><strong>Measured now</strong></p>
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
  return html`<p><strong>${NAMES[kind]}</strong>: ${words(switchesText(claim, contrast))}</p>
    <p>
      <button type="button" class="claims-main" @click=${() => tools.setSwitches(isSet ? {} : contrast)}>
        ${isSet ? 'Back to the sentence' : `Run the ${kind}`}
      </button>
    </p>
    ${isSet ? measured((_, { outcome }) => html`<p>${words(outcome.found)}</p>`)(shown) : nothing}`;
}

/** @param {Votes} votes */
const total = (votes) => votes.reduce((sum, count) => sum + count, 0);

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
