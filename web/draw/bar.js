// A share from 0 to 1 as a bar.

import { html } from 'lit-html';

/** @param {number} share */
export const bar = (
  share,
) => html`<svg class="bar" viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true"><rect
  width=${Math.min(1, Math.max(0, share)) || 0} height="1"></rect></svg>`;
