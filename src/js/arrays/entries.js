// Entries of what callers give by name.
import { isText, tagOf } from './arrays.js';
import { refuseType } from './tensor.js';

const TENSORS = 'a Map or an object of tensors by name, like readSafetensors(file).tensors; gf.loadModel takes a file';

/**
 * Entries of a Map or a plain object.
 * @param {unknown} source
 * @param {string} name
 * @param {string} [expected] for a refusal
 * @returns {[string, unknown][]}
 */
export function entriesOf(source, name, expected = TENSORS) {
  const given = /** @type {any} */ (source);
  // A tag tells a file's bytes or its Response from an object.
  const isPlain = tagOf(given) === 'Object' && !pairsOf(given.tensors);
  const entries = pairsOf(given) ?? (isPlain ? Object.entries(given) : refuseType(name, source, expected));
  for (const [key] of entries) if (!isText(key)) refuseType(name, key, 'keyed by strings of Unicode');
  return entries;
}

/**
 * @param {any} value
 * @returns {[any, unknown][] | undefined} what a Map of any realm holds; undefined of all else, whatever its tag says
 */
function pairsOf(value) {
  try {
    return [...Map.prototype.entries.call(value)];
  } catch {
    return undefined;
  }
}
