// Arrow keys, Home and End in a row of items.

/**
 * @param {KeyboardEvent} event
 * @param {number} at the present index
 * @param {number} last
 * @returns {number | undefined} where the key leads, which may be beyond an end
 */
export function indexByKey({ key, altKey, ctrlKey, metaKey }, at, last) {
  if (altKey || ctrlKey || metaKey) return undefined;
  /** @type {Record<string, number>} */
  const indices = { ArrowLeft: at - 1, ArrowUp: at - 1, ArrowRight: at + 1, ArrowDown: at + 1, Home: 0, End: last };
  return indices[key];
}
