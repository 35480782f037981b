// The hue of a head, as a short line beside its number.

import { svg } from 'lit-html';
import { hueOf } from './color.js';

/** @param {import('./color.js').Scheme} scheme @param {number} head */
export function hueMark(scheme, head) {
  const { color, dash } = hueOf(scheme, head);
  return svg`<svg class="hue" viewBox="0 0 16 6" aria-hidden="true"><path d="M0 3H16"
    stroke=${color} stroke-dasharray=${dash} stroke-width="5"></path></svg>`;
}
