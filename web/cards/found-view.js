// What a run found: verdict, why, whether it was predicted, the numbers beside what was measured before.

import { html, nothing } from 'lit-html';
import { isSame, valueOf } from './address.js';
import { bounds, format, rowsOf, span } from './numbers.js';
import { showPicture } from './pictures/show.js';
import { switchesText } from './switches-view.js';
import { MARKS } from './verdict.js';
import { words } from './words.js';

/**
 * @typedef {import('./cards.js').CardsState} CardsState
 * @typedef {import('./worker.js').ClaimData} ClaimData
 */

const MOST_LISTED = 10;

/**
 * @param {CardsState} state
 * @param {ClaimData} claim
 * @param {boolean} isFresh whether the last run had the present switches
 * @param {Pick<import('./view.js').CardsActions, 'onForget'>} actions
 */
export function found({ result, answers }, claim, isFresh, { onForget }) {
  const answer = answers.get(claim.number);
  return html`
    <div class=${isFresh ? 'claims-fresh' : 'claims-stale'}>
      ${result && !isFresh ? html`<p class="hint">Of the last run, ${atText(claim, result.params)}:</p>` : nothing}
      <div role="status">
        ${
          result
            ? html`<p class="claims-verdict">
                  <strong class="claims-word" data-verdict=${result.verdict.verdict}
                    ><span aria-hidden="true">${MARKS[result.verdict.verdict]}</span>${result.verdict.verdict}</strong
                  >
                  <span>${words(result.verdict.why)}</span>
                </p>
                ${agreement(claim, answer, result)}`
            : nothing
        }
      </div>
      ${result ? html`${showPicture(claim, result)} ${numbers(claim, result)} ${run(claim, result)}` : nothing}
    </div>
    ${
      answer.predicted === null
        ? nothing
        : html`<button type="button" class="claims-forget" @click=${onForget}>Predict again</button>`
    }
  `;
}

/**
 * @param {ClaimData} claim
 * @param {import('./answers.js').Answer} answer
 * @param {import('./cards.js').Result} result
 */
function agreement(claim, { predicted, params }, result) {
  const choice = predicted === null ? undefined : claim.choices[predicted];
  if (!choice) return nothing;
  const { label, verdict } = choice;
  if (!isSame(claim, params, result.params))
    return html`<p class="claims-agreement">
      Your prediction, “${words(label)}”, was made ${atText(claim, params)}.
    </p>`;
  return html`<p class="claims-agreement">
    ${verdict === result.verdict.verdict ? 'As you expected' : 'Not as you expected'}: “${words(label)}”
  </p>`;
}

/** @param {ClaimData} claim @param {import('./address.js').Params} params */
const atText = (claim, params) => switchesText(claim, params) || 'with the default switches';

/** @param {ClaimData} claim @param {import('./cards.js').Result} result */
function numbers(claim, result) {
  const rows = rowsOf(claim, result);
  const known = rows.some(({ range }) => range);
  return html`<table class="claims-numbers">
    <caption class="visually-hidden">
      Numbers of this run beside earlier ones
    </caption>
    <thead>
      <tr>
        <th scope="col">Number</th>
        <th scope="col">Measured</th>
        ${known ? html`<th scope="col">${claim.seeded ? 'Earlier, over 5 seeds' : 'Earlier'}</th>` : nothing}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        ({ label, values, range, allowed, within }) => html`<tr>
          <th scope="row">${words(label)}</th>
          <td>
            <strong>${span(values)}</strong>${mark(within)}
            ${
              new Set(values.map(format)).size > 1 && values.length <= MOST_LISTED
                ? html`<span class="hint claims-values">${values.map(format).join(' · ')}</span>`
                : nothing
            }
          </td>
          ${known ? html`<td>${range && allowed ? earlier(range, allowed) : '–'}</td>` : nothing}
        </tr>`,
      )}
    </tbody>
  </table>
  ${known ? nothing : html`<p class="hint">Nothing was measured before with these switches.</p>`}`;
}

/** @param {boolean | null} within */
const mark = (within) =>
  within === null
    ? nothing
    : within
      ? html` <span title="within the tolerance" role="img" aria-label="within the tolerance">✓</span>`
      : html` <span class="error">outside</span>`;

/** @param {readonly [number, number]} range @param {readonly [number, number]} allowed */
function earlier(range, allowed) {
  const stated = bounds(range);
  const isSize = range[0] >= 0 && allowed[0] <= 0; // no tolerance makes it less than 0
  const wider = isSize ? `at most ${format(allowed[1])}` : bounds(allowed);
  const isExact = range.every((end, i) => format(end) === format(allowed[i]));
  return html`${stated}${isExact ? nothing : html`<span class="hint claims-values">allowed ${wider}</span>`}`;
}

/** @param {ClaimData} claim @param {import('./cards.js').Result} result */
function run(claim, { params, seconds }) {
  const [seed, count] = ['seed', 'seeds'].map((name) => Number(valueOf(claim, params, name)));
  const seeds = count === 1 ? `seed ${seed}` : `${count} seeds, ${seed} to ${seed + count - 1}`;
  return html`<p class="hint">
    Computed here in ${seconds.toFixed(2)} s${claim.seeded ? `, ${seeds}` : ', without random numbers'}.
  </p>`;
}
