// The words of a picture as print has them: indices below and above their letters.

import { partsOf } from '../words.js';

/** Writes into an element of the page. @param {Element} element @param {string} text */
export function write(element, text) {
  element.replaceChildren(
    ...partsOf(text).map(({ mark, text: part }) =>
      mark ? Object.assign(document.createElement(mark === '_' ? 'sub' : 'sup'), { textContent: part }) : part,
    ),
  );
}

const SHIFT = /** @type {Record<string, number>} */ ({ '': 0, _: 3, '^': -4 }); // px at a font of 12 px

/**
 * Writes into a text of an SVG; attributes, as a saved figure keeps no style.
 * @param {SVGElement} element
 * @param {string} text
 * @param {(attributes: Record<string, string | number>, content: string) => SVGElement} span
 */
export function writeSvg(element, text, span) {
  const parts = partsOf(text);
  if (parts.length === 1) return void (element.textContent = parts[0].text);
  let at = 0;
  for (const { mark, text: part } of parts) {
    if (!part) continue; // its shift would be lost
    element.append(span({ dy: SHIFT[mark] - at, ...(mark ? { 'font-size': '9px' } : {}) }, part));
    at = SHIFT[mark];
  }
}
