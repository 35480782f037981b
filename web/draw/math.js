// MathML written as it reads: math('q', '·', 'k', '=', sum('d'), sub('q', 'd'), sub('k', 'd')).
//
// A part of a formula is a template of this file, a number, or a string, whose first character says what it
// is: a letter begins an identifier, a digit a number, everything else is an operator. An identifier of one letter
// is italic by style (math.css): browsers would take the letter from Unicode's mathematical alphabets, and those from
// an installed font. WebKit needs the attribute not to.

import { html, mathml, nothing } from 'lit-html';

/** @typedef {string | number | ReturnType<typeof mathml>} Part */

/** @param {Part} part */
function element(part) {
  if (typeof part === 'object') return part;
  const text = String(part);
  if (/^\p{L}{2}/u.test(text)) return mathml`<mi class="word">${text}</mi>`;
  if (/^\p{L}/u.test(text)) return letter(text);
  if (/^\d/.test(text)) return num(text);
  // A bracket stays as high as the letters, whatever stands inside.
  return /[()]/.test(text) ? mathml`<mo stretchy="false">${text}</mo>` : mathml`<mo>${text}</mo>`;
}

const BARS = mathml`<mo stretchy="false" lspace="0.08em" rspace="0.08em">‖</mo>`;

/** An identifier of one letter. @param {string} text @param {string} [className] */
export const letter = (text, className) => mathml`<mi mathvariant="normal" class=${className ?? nothing}>${text}</mi>`;

/** A formula on its own line. @param {Part[]} parts */
export const math = (...parts) => html`<math display="block">${row(...parts)}</math>`;

/** A formula within a line of text. @param {Part[]} parts */
export const inlineMath = (...parts) => html`<math>${row(...parts)}</math>`;

/** The same, with fractions as large as on their own line. @param {Part[]} parts */
export const inlineDisplayMath = (...parts) => html`<math displaystyle="true">${row(...parts)}</math>`;

/** Several parts as one. @param {Part[]} parts */
export const row = (...parts) => mathml`<mrow>${parts.map(element)}</mrow>`;

/**
 * A number whose text is no plain number: '−0.5', '(−0.5)', '−∞'.
 * @param {string | number} text
 * @param {string} [className]
 */
export const num = (text, className) => mathml`<mn class=${className ?? nothing}>${text}</mn>`;

/** @param {Part} above @param {Part} below */
export const frac = (above, below) => mathml`<mfrac>${element(above)}${element(below)}</mfrac>`;

/** @param {Part} inside @param {string} [className] */
export const root = (inside, className) => mathml`<msqrt class=${className ?? nothing}>${element(inside)}</msqrt>`;

/** @param {Part} base @param {Part} index */
export const sub = (base, index) => mathml`<msub>${element(base)}${element(index)}</msub>`;

/** @param {Part} base @param {Part} exponent */
export const sup = (base, exponent) => mathml`<msup>${element(base)}${element(exponent)}</msup>`;

/** @param {Part} base @param {Part} index @param {Part} exponent */
export const subsup = (base, index, exponent) =>
  mathml`<msubsup>${element(base)}${element(index)}${element(exponent)}</msubsup>`;

/** The norm of a vector. Its bars are taller than letters, so they need not grow. @param {...Part} inside */
export const norm = (...inside) => row(BARS, ...inside, BARS);

/** The sign of a sum over an index. @param {Part} index */
export const sum = (index) => mathml`<munder><mo>∑</mo>${element(index)}</munder>`;

/** @param {string} width a CSS length */
export const space = (width) => mathml`<mspace width=${width}></mspace>`;
