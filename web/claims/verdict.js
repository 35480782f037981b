// Verdicts, in the order in which they are counted, and what else a run may show; each differs by more than its color.

import { html } from 'lit-html';
import { words } from './words.js';

/** @typedef {import('../../src/claims/index.js').Outcome} Outcome */
/** @typedef {import('../../src/claims/index.js').Judged} Judged */
/** @typedef {import('../../src/claims/index.js').Verdict} Verdict */

/** @type {Record<Verdict, string>} */
export const MARKS = { true: '✓ ', 'it depends': '◐ ', false: '✗ ' };

export const VERDICTS = /** @type {readonly Verdict[]} */ (Object.keys(MARKS));

export const NAMES = { control: 'Control', boundary: 'Boundary' };

/** “it depends on the mask”. @param {Judged} judged */
export const verdictText = ({ verdict, on }) => (on ? `${verdict} on ${on}` : verdict);

/** Only a verdict has a mark and its colour. @param {Outcome} outcome */
export const word = (outcome) =>
  outcome.kind === 'sentence'
    ? html`<strong class="claims-word" data-verdict=${outcome.verdict}
        ><span aria-hidden="true">${MARKS[outcome.verdict]}</span>${words(verdictText(outcome))}</strong
      >`
    : html`<strong class="claims-word">${NAMES[outcome.kind]}</strong>`;
