// How values of the state are written in the address, and read again: `read` gives undefined for what is no
// value of the field.

import { kept } from '../engine/tokens.js';

/** @typedef {{write: (value: any) => string, read: (text: string) => unknown}} Codec */

const LONGEST_LIST = 512;

/** Of a longer one its beginning. @type {Codec} */
export const text = { write: String, read: kept };

/** The name of a tensor. @type {Codec} */
export const name = { write: String, read: (value) => (/^[\w.]{0,200}$/.test(value) ? value : undefined) };

/** A trail (shared/trail.js), which whoever opens it reads. @type {Codec} */
export const trail = { write: String, read: (value) => (/^[\w-]{0,8000}$/.test(value) ? value : undefined) };

/** Any number as the reader can type it, NaN for an empty field. @type {Codec} */
export const number = { write: String, read: (value) => (String(Number(value)) === value ? Number(value) : undefined) };

/** @param {number} low @param {number} high @param {(value: unknown) => boolean} [is] @returns {Codec} */
export const between = (low, high, is = Number.isFinite) => ({
  write: String,
  read(value) {
    const found = Number(value);
    return String(found) === value && is(found) && found >= low && found <= high ? found : undefined;
  },
});

/** @type {Codec} */
export const flag = {
  write: (value) => (value ? '1' : '0'),
  read: (value) => (value === '1' || value === '0' ? value === '1' : undefined),
};

/** @param {readonly string[]} options @returns {Codec} */
export const oneOf = (...options) => ({
  write: String,
  read: (value) => (options.includes(value) ? value : undefined),
});

/** @param {number} low @param {number} high @returns {Codec} */
export const integer = (low, high) => ({
  write: String,
  read(value) {
    const found = /^\d{1,7}$/.test(value) ? Number(value) : NaN;
    return found >= low && found <= high ? found : undefined;
  },
});

/** Layer and head, counted from 1 as in the titles. @type {Codec} */
export const layerAndHead = {
  write: ({ layer, head }) => `${layer + 1}.${head + 1}`,
  read(value) {
    const [, layer, head] = /^([1-9]\d{0,3})\.([1-9]\d{0,4})$/.exec(value) ?? [];
    return layer ? { layer: Number(layer) - 1, head: Number(head) - 1 } : undefined;
  },
};

/** A list of whole numbers. @type {Codec} */
export const integers = {
  write: (value) => value.join('.'),
  read: (value) =>
    /^(\d{1,7}(\.\d{1,7})*)?$/.test(value) && value.split('.').length <= LONGEST_LIST
      ? value.split('.').filter(Boolean).map(Number)
      : undefined,
};

/** A list of objects as JSON. @param {(value: any) => boolean} isValid of each @returns {Codec} */
export const listOf = (isValid) => ({
  write: (value) => JSON.stringify(value),
  read(value) {
    try {
      const found = JSON.parse(value);
      const fits = Array.isArray(found) && found.length <= LONGEST_LIST;
      return fits && found.every((each) => typeof each === 'object' && each !== null && isValid(each))
        ? found
        : undefined;
    } catch {
      return undefined;
    }
  },
});

/** Of a field that may be empty. @param {Codec} codec @returns {Codec} */
export const nullable = (codec) => ({
  write: (value) => (value === null ? '' : codec.write(value)),
  read: (value) => (value === '' ? null : codec.read(value)),
});
