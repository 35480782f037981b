import { GlassformerError } from '../js/errors.js';

// Checks of arguments; the error is that of the whole package.

/**
 * @param {unknown} value
 * @param {number} low
 * @param {number} high
 * @param {string} name
 * @returns {number}
 */
export function integer(value, low, high, name) {
  if (typeof value !== 'number') throw new GlassformerError('type', name, value, 'must be an integer');
  if (!(Number.isInteger(value) && value >= low && value <= high)) {
    throw new GlassformerError('range', name, value, `must be an integer from ${low} to ${high}`);
  }
  return value;
}

/**
 * @param {unknown} value
 * @returns {value is object} whether it can be read: a proxy that was revoked cannot
 */
export function isObject(value) {
  try {
    return typeof value === 'object' && value !== null && (Array.isArray(value) || true);
  } catch {
    return false;
  }
}

/**
 * @param {unknown} value
 * @returns {value is readonly any[]}
 */
export const isList = (value) => isObject(value) && Array.isArray(value);

/**
 * @template T
 * @param {readonly T[]} value
 * @param {string} name
 * @returns {readonly T[]} the same, if it is an array
 */
export function listOf(value, name) {
  if (isList(value)) return value;
  throw new GlassformerError('type', name, value, 'must be an array');
}

/**
 * @param {unknown} value
 * @returns {number} the same, if it can seed a generator
 */
export const seedOf = (value) => integer(value, 0, 2 ** 32 - 1, 'seed');

/**
 * @template {string} C
 * @param {unknown} value
 * @param {readonly C[]} choices
 * @param {string} name
 * @returns {C}
 */
export function choice(value, choices, name) {
  const found = choices.find((one) => one === value);
  if (!found) throw new GlassformerError('unknown', name, value, `must be one of ${choices.join(', ')}`);
  return found;
}

/**
 * The options given, over their defaults; a name that has no default is refused.
 * @template {object} T
 * @param {unknown} given
 * @param {T} defaults
 * @returns {T}
 */
export function options(given, defaults) {
  if (!isObject(given)) {
    throw new GlassformerError('type', 'options', given, 'must be an object');
  }
  for (const name of Object.keys(given)) {
    if (!(name in defaults)) {
      throw new GlassformerError('unknown', name, undefined, `unknown; known are ${Object.keys(defaults).join(', ')}`);
    }
  }
  return { ...defaults, ...given };
}
