// Numbers as print has them: a true minus, and powers of ten.

/** With a true minus, which a zero does not get. @param {string} text a number as programs write it */
export const withMinus = (text) => text.replace('-', /[1-9]/.test(text) ? '−' : '');

/** @param {string} text with numbers as programs write them */
export const typeset = (text) =>
  text.replace(
    /(-?\d)(\.\d*?[1-9])?\.?0*e\+?(-?\d+)/g,
    (_, digit, more = '', power) =>
      `${withMinus(digit)}${more}·10${power.replace(/./g, (/** @type {any} */ each) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[each] ?? '⁻')}`,
  );
