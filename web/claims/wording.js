// Wording that several features of Claims share: a claim's words as in print, verdicts, progress of a run.

import { html } from 'lit-html';
import { typeset } from '../draw/numbers.js';

const INDEXED = /(?<=\p{L})([_^])\{?((?<=\{)[^}]+|[A-Za-z]+)\}?/u;

/** The text before, in and after each index: below `_`, above `^`. @typedef {{mark: string, text: string}} Part */

/** Indices of d_k, W^O and PE_{pos+k}; powers of ten. @param {string} text @returns {Part[]} */
export function partsOf(text) {
  const [first, ...rest] = typeset(text).split(INDEXED);
  const parts = [{ mark: '', text: first }];
  for (let i = 0; i < rest.length; i += 3)
    parts.push({ mark: rest[i], text: rest[i + 1] }, { mark: '', text: rest[i + 2] });
  return parts;
}

/** Without the marks of indices, for screen readers and titles. @param {string} text */
export const spoken = (text) =>
  partsOf(text)
    .map(({ text: part }) => part)
    .join('');

/** Two words that a dash makes one, as in key–value: no line ends between them. */
const PAIR = /(\p{L}+–\p{L}+)/u;

/** Indices below and above their letters. @param {string} text */
export const words = (text) =>
  partsOf(text).map(({ mark, text: part }) =>
    mark
      ? mark === '_'
        ? html`<sub>${part}</sub>`
        : html`<sup>${part}</sup>`
      : part.split(PAIR).map((piece, i) => (i % 2 ? html`<span class="claims-pair">${piece}</span>` : piece)),
  );

/** The source of a claim's sentence, with a link to the text. @param {{saidBy: string, source?: string}} claim */
export const saidBy = ({ saidBy: said, source }) =>
  html`<p class="hint">
    Said by: ${source ? html`<a href=${source} target="_blank" rel="noreferrer">${words(said)}</a>` : words(said)}
  </p>`;

/** @typedef {import('../../src/claims/index.js').Outcome} Outcome */
/** @typedef {import('../../src/claims/index.js').Judged} Judged */
/** @typedef {import('../../src/claims/index.js').Verdict} Verdict */

/** In the order in which they are counted; each differs by more than its colour. @type {Record<Verdict, string>} */
export const MARKS = { true: '✓ ', 'it depends': '◐ ', false: '✗ ' };

export const VERDICTS = /** @type {readonly Verdict[]} */ (Object.keys(MARKS));

export const NAMES = { control: 'Control', boundary: 'Boundary' };

/** “it depends on the mask”. @param {Judged} judged */
const verdictText = ({ verdict, on }) => (on ? `${verdict} on ${on}` : verdict);

/** Only a verdict has a mark and its colour. @param {Outcome} outcome */
export const verdictBadge = (outcome) =>
  outcome.kind === 'sentence'
    ? html`<strong class="claims-word" data-verdict=${outcome.verdict}
        ><span aria-hidden="true">${MARKS[outcome.verdict]}</span>${words(verdictText(outcome))}</strong
      >`
    : html`<strong class="claims-word">${NAMES[outcome.kind]}</strong>`;

/**
 * The verdict in a plain sentence: the choice that came true; '' where the badge says it, or there is no verdict.
 * @param {Pick<import('../../src/claims/index.js').Claim, 'choices'>} claim @param {Outcome} outcome
 */
export function plainVerdict({ choices }, outcome) {
  const came = outcome.kind === 'sentence' ? choices.find(({ verdict }) => verdict === outcome.verdict) : undefined;
  return came && !/^That depends\b/.test(came.label) ? came.label : '';
}

/** @param {number} share @param {string} label */
export const progressBar = (share, label) =>
  html`<progress max="1" value=${share} aria-label=${label}></progress> <span>${Math.round(100 * share)} %</span>`;
