// Where the verdict turns: measurements in Node at other sizes, learning rates and counts of parameters.

import { html, nothing } from 'lit-html';
import { turnsIn } from '../turned.js';
import { turns as measured } from '../turns.js';
import { MARKS, words } from '../wording.js';
import style from './turns.css';

/**
 * @typedef {import('../worker.js').ClaimData} ClaimData
 * @typedef {import('../../../src/claims/index.js').Verdict} Verdict
 * @typedef {import('../../../src/claims/index.js').Value} Value
 * @typedef {{when: string, seconds: number, seeds: number, verdicts: Verdict[][]}} Known by scale and value
 */

/** @type {import('../index.js').Feature} */
export const turns = {
  name: 'turns',
  slot: 'card-end',
  style,
  render({ claim }) {
    const known = claim && /** @type {Record<string, Known>} */ (measured.cards)[claim.number];
    return known ? section(claim, known) : null;
  },
};

/** @param {ClaimData} claim @param {Known} known */
function section(claim, { when, seeds, verdicts }) {
  const { scales } = claim;
  return html`<details class="claims-fold claims-turns">
    <summary>Where the verdict turns</summary>
    <p class="hint">
      ${words(lineOf(claim, verdicts))} One value is changed at a time, the rest is the sentence’s. Measured on ${when}
      in the variant ${measured.variant}${seeds ? `, seeds of each: ${seeds}, where the verdict differs 5` : nothing}.
    </p>
    <dl>
      ${scales.map(
        ({ label, values }, s) =>
          html`<dt>${words(label)}</dt>
            <dd>
              ${values.map((value, v) => cell(value, verdicts[s][v]))}
            </dd>`,
      )}
    </dl>
  </details>`;
}

/** @param {Value} value @param {Verdict} verdict */
const cell = (value, verdict) =>
  html`<span class="claims-turn" data-verdict=${verdict}>
    ${said(value)} <strong><span aria-hidden="true">${MARKS[verdict]}</span>${verdict}</strong>
  </span> `;

/** @param {Value} value */
const said = (value) =>
  typeof value === 'number' ? value.toLocaleString('en', { maximumSignificantDigits: 4 }) : value;

/** The turns in a sentence. @param {Pick<ClaimData, 'scales'>} claim @param {Verdict[][]} verdicts */
function lineOf({ scales }, verdicts) {
  const found = scales.flatMap(({ label, values }, s) =>
    turnsIn(values, verdicts[s]).map(([before, after]) => `${label}: between ${said(before)} and ${said(after)}`),
  );
  return found.length ? `It turns here. ${found.join('; ')}.` : 'It does not turn at any of these values.';
}
