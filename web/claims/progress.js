// How far a run is.

import { html } from 'lit-html';

/** @param {number} share @param {string} label */
export const progressBar = (share, label) =>
  html`<progress max="1" value=${share} aria-label=${label}></progress> <span>${Math.round(100 * share)} %</span>`;
