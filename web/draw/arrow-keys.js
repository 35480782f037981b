// Arrow keys, Home and End in a row of items.

/**
 * @param {KeyboardEvent} event
 * @param {number} at the present index
 * @param {number} last
 * @param {boolean} [isMirrored] the first item is the rightmost
 * @returns {number | undefined} where the key leads, which may be beyond an end
 */
export function indexByKey({ key, altKey, ctrlKey, metaKey }, at, last, isMirrored = false) {
  if (altKey || ctrlKey || metaKey) return undefined;
  const [left, right] = isMirrored ? [at + 1, at - 1] : [at - 1, at + 1];
  /** @type {Record<string, number>} */
  const indices = { ArrowLeft: left, ArrowUp: at - 1, ArrowRight: right, ArrowDown: at + 1, Home: 0, End: last };
  return indices[key];
}
