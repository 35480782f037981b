// The findings of a run: verdict, why, whether it was predicted, its numbers beside earlier ones.

import { html, nothing } from 'lit-html';
import { valueOf } from '../schema.js';
import { allowance, bounds, listOf, rowsOf, span } from '../numbers.js';
import { showPicture } from '../pictures/show.js';
import { guessedOf, missText } from '../guess.js';
import { isFresh } from '../state.js';
import { switchesText } from '../switches.js';
import { word } from '../verdict.js';
import { durationText } from '../../draw/duration.js';
import { words } from '../words.js';

/**
 * @typedef {import('../state.js').ClaimsState} ClaimsState
 * @typedef {import('../worker.js').ClaimData} ClaimData
 * @typedef {import('../state.js').Result} Result
 */

const MOST_LISTED = 10;

/**
 * @param {ClaimsState} state
 * @param {ClaimData} claim
 * @param {Pick<import('../view.js').ClaimsActions, 'onForget' | 'onSwitches'>} actions
 */
export function found(state, claim, { onForget, onSwitches }) {
  const answer = state.answers.get(claim.number);
  const kept = keptOf(state, claim);
  const result = state.result ?? kept;
  const guessed = result && guessedOf(claim, answer.guess, result);
  return html`
    <div class=${isFresh(state) ? 'claims-fresh' : kept ? 'claims-kept' : 'claims-stale'}>
      ${result && !isFresh(state) ? earlier(claim, result, answer.when, kept !== null) : nothing}
      <div role="status">
        ${
          result
            ? html`<p class="claims-verdict">
                  ${word(result.outcome)}
                  <span>${words(result.outcome.found)}</span>
                </p>
                ${agreement(claim, answer, result, onSwitches)}
                ${guessed ? html`<p class="claims-miss">${missText(guessed)}</p>` : nothing}`
            : nothing
        }
      </div>
      ${state.result ? showPicture(claim, state.result, guessed) : nothing}
      ${result ? html`${reasons(claim)} ${numbers(claim, result)} ${run(claim, result)}` : nothing}
    </div>
    ${
      answer.predicted === null
        ? nothing
        : html`<button type="button" class="claims-forget" @click=${onForget}>Bet again</button>`
    }
  `;
}

/**
 * What an earlier visit found on a card that is not run unasked: all but the numbers of its figure.
 * @param {ClaimsState} state @param {ClaimData} claim @returns {Result | null}
 */
export function keptOf({ result, answers }, { number, long }) {
  const { verdict, comparisons, params, seconds } = answers.get(number);
  if (!long || result || !verdict || seconds === null) return null;
  return { outcome: verdict, comparisons, params, seconds, numbers: {}, picture: [] };
}

/** @param {ClaimData} claim @param {Result} result @param {number | null} when @param {boolean} isKept */
function earlier(claim, { params }, when, isKept) {
  const time = when && new Date(when).toLocaleString('en-GB', { dateStyle: 'long', timeStyle: 'short' });
  const origin = !isKept ? 'Of the last run' : time ? `Found on ${time}` : 'Found before';
  return html`<p class="hint">${origin}, ${words(atText(claim, params))}:</p>`;
}

/**
 * @param {ClaimData} claim @param {import('../answers.js').Answer} answer @param {Result} result
 * @param {import('../view.js').ClaimsActions['onSwitches']} onSwitches
 */
function agreement(claim, { predicted }, { outcome }, onSwitches) {
  const choice = predicted === null ? undefined : claim.choices[predicted];
  if (outcome.kind !== 'sentence')
    return html`<p class="claims-agreement">
      ${choice ? html`You bet on the sentence: “${words(choice.label)}”` : 'This is not the sentence’s own run.'}
      <button type="button" @click=${() => onSwitches({})}>Run the sentence</button>
    </p>`;
  if (!choice) return nothing;
  return html`<p class="claims-agreement">
    ${choice.verdict === outcome.verdict ? 'As you expected' : 'Not as you expected'}: “${words(choice.label)}”
  </p>`;
}

/** @param {ClaimData} claim @param {import('../schema.js').Params} params */
const atText = (claim, params) => switchesText(claim, params) || 'with the default switches';

/** @param {ClaimData} claim @param {Result} result */
function numbers(claim, result) {
  const rows = rowsOf(claim, result);
  const known = rows.some(({ range }) => range);
  return html`<table class="claims-numbers">
    <caption class="visually-hidden">
      Numbers of this run beside the reference
    </caption>
    <thead>
      <tr>
        <th scope="col">Number</th>
        <th scope="col">Measured</th>
        ${known ? html`<th scope="col">Reference${claim.seeded ? ' (5 seeds)' : ''}</th>` : nothing}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        ({ label, values, range, allowed, within, share }) => html`<tr>
          <th scope="row">${words(label)}</th>
          <td>
            <strong>${span(values, share)}</strong>${mark(within)}
            ${
              new Set(listOf(values, share)).size > 1 && values.length <= MOST_LISTED
                ? html`<span class="hint claims-values">${listOf(values, share).join(' · ')}${share ? ' %' : ''}</span>`
                : nothing
            }
          </td>
          ${known ? html`<td>${range && allowed ? reference(range, allowed, share) : '–'}</td>` : nothing}
        </tr>`,
      )}
    </tbody>
  </table>
  ${known ? nothing : html`<p class="hint">There are no reference numbers for these switches.</p>`}`;
}

/** @param {boolean | null} within */
const mark = (within) =>
  within === null
    ? nothing
    : within
      ? html` <span title="within the tolerance" role="img" aria-label="within the tolerance">✓</span>`
      : html` <span class="error">outside</span>`;

/**
 * @param {readonly [number, number]} range @param {readonly [number, number]} allowed
 * @param {boolean} [share] of a whole
 */
function reference(range, allowed, share) {
  const wider = allowance(range, allowed, share);
  return html`${bounds(range, share)}${
    wider ? html`<span class="hint claims-values">allowed ${wider}</span>` : nothing
  }`;
}

/** @param {ClaimData} claim @param {Result} result */
function run(claim, { params, seconds }) {
  const [seed, count] = ['seed', 'seeds'].map((name) => Number(valueOf(claim, params, name)));
  const seeds = count === 1 ? `seed ${seed}` : `${count} seeds, ${seed} to ${seed + count - 1}`;
  return html`<p class="hint">
    Computed here in ${durationText(seconds)}${claim.seeded ? `, ${seeds}` : ', without random numbers'}.
  </p>`;
}

/** Why, what it does not show, who else wrote of it. @param {import('../../../src/claims/index.js').Claim} claim */
const reasons = ({ why, limits, literature }) =>
  html`<dl class="claims-reasons">
    <dt>Why</dt>
    <dd>${words(why)}</dd>
    <dt>What this does not show</dt>
    <dd>${words(limits)}</dd>
    ${works('Literature for it', literature.for)} ${works('Literature against it', literature.against)}
  </dl>`;

/** @param {string} title @param {readonly string[]} all */
const works = (title, all) =>
  all.length
    ? html`<dt>${title}</dt>
        ${all.map((work) => html`<dd class="hint">${words(work)}</dd>`)}`
    : nothing;
