// Why a card finds what it finds, what that does not show, and who else wrote about it.

import { html, nothing } from 'lit-html';
import { words } from './words.js';

/** @param {import('../../src/claims/index.js').Claim} claim */
export const reasons = ({ why, limits, literature }) =>
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
