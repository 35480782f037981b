// Vectors and shares as bars.

import { html, nothing, svg } from 'lit-html';

/** @typedef {{low: number, high: number}} Limits of bars */

/** @param {Float32Array[]} rows @returns {Limits} that include 0 */
export const limitsOf = (...rows) => ({
  low: Math.min(0, ...rows.map((row) => row.reduce((a, b) => Math.min(a, b), 0))),
  high: Math.max(0, ...rows.map((row) => row.reduce((a, b) => Math.max(a, b), 0))),
});

/**
 * A vector as bars, one a dimension; those beyond `count` are left out, `whole` is drawn pale behind them.
 * @param {Float32Array} vector
 * @param {Limits} limits
 * @param {{
 *   name: string, dimension?: number | null, count?: number, whole?: Float32Array, row?: number, key?: number,
 * }} how
 */
export function bars(vector, { low, high }, { name, dimension = null, count = vector.length, whole, row, key }) {
  const height = high - low || 1;
  const one = (/** @type {number} */ value, /** @type {number} */ d, /** @type {string} */ kind) =>
    svg`<rect class="${kind} ${value < 0 ? 'below' : ''}" x=${d + 0.1} width="0.8" y=${Math.min(0, -value)}
      height=${Math.abs(value)}></rect>`;
  const band = svg`<rect class="band" x=${dimension ?? 0} width="1" y=${-high} height=${height}></rect>`;
  return html`<svg class="why-bars ${name}" viewBox="0 ${-high} ${vector.length} ${height}"
    preserveAspectRatio="none" aria-hidden="true" data-row=${row ?? nothing} data-key=${key ?? nothing}>
    ${dimension === null ? nothing : band}
    ${whole ? [...whole].map((value, d) => one(value, d, 'whole')) : nothing}
    ${[...vector].map((value, d) => one(d < count ? value : 0, d, ''))}</svg>`;
}

/** @param {number} share from 0 to 1 */
export const bar = (
  share,
) => html`<svg class="bar" viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true"><rect
  width=${Math.min(1, Math.max(0, share)) || 0} height="1"></rect></svg>`;
