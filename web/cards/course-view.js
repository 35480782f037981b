// The course: all claims by groups, each with what the reader predicted and what was found.

import { html, nothing } from 'lit-html';
import { writeAddress } from './address.js';
import { MARKS } from './verdict.js';

/** @param {import('./cards.js').CardsState} state */
export function course({ groups, answers }) {
  const all = answers.all();
  const tested = [...all.values()].filter(({ verdict }) => verdict).length;
  const count = groups.reduce((sum, group) => sum + group.claims.length, 0);
  return html`
    <p class="hint">
      ${count} sentences, each with an experiment that runs in this tab.
      ${tested ? html`${tested} tested so far.` : 'Say what you expect, then see what is measured.'}
    </p>
    ${groups.map(
      ({ title, claims }, i) => html`<section class="panel" aria-labelledby="claims-group-${i}">
        <h3 id="claims-group-${i}">${title}</h3>
        <ol class="claims-list">
          ${claims.map((claim) => entry(claim, all.get(claim.number)))}
        </ol>
      </section>`,
    )}
  `;
}

/** @typedef {import('../claims/index.js').Verdict} Verdict */

/**
 * @param {import('./worker.js').ClaimData} claim
 * @param {import('./answers.js').Answer | undefined} answer
 */
function entry({ number, sentence, name, choices }, answer) {
  const { verdict = null, predicted = null } = answer ?? {};
  const expected = predicted === null ? null : choices[predicted]?.verdict;
  return html`<li>
    <a href=${writeAddress({ number })}>${sentence}</a>
    <span class="claims-entry-facts">
      <span class="hint">${name}</span>
      ${verdict ? word(verdict) : nothing}
      ${verdict && expected ? html`<span class="hint">${comparison(expected, verdict)}</span>` : nothing}
    </span>
  </li>`;
}

/** @param {Verdict} verdict */
const word = ({ verdict }) =>
  html`<span class="claims-word" data-verdict=${verdict}
    ><span aria-hidden="true">${MARKS[verdict]}</span>${verdict}</span
  >`;

/** @param {Verdict['verdict']} expected @param {Verdict} found */
const comparison = (expected, { verdict }) => (expected === verdict ? 'as you expected' : `you expected: ${expected}`);
