// Keys in a row of items, and where the focus goes.

/**
 * Arrow keys, Home and End in a row of items.
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

const STOPS = 'button:enabled, input:enabled, select:enabled, textarea:enabled, summary, [tabindex="0"]';

/**
 * Keeps the focus near where it was when an update hides, disables or removes what had it.
 * @param {() => void} update
 */
export function keepingFocus(update) {
  const had = document.activeElement;
  /** @type {Element[]} */
  const around = [];
  for (let each = had?.parentElement; each && each !== document.body; each = each.parentElement) around.push(each);
  update();
  if (!around.length || (had?.isConnected && !had.matches(':disabled, [hidden], [hidden] *'))) return;
  for (const each of around) {
    const next = each.isConnected
      ? [...each.querySelectorAll(STOPS)].find((stop) => stop.checkVisibility())
      : undefined;
    if (next) return /** @type {HTMLElement} */ (next).focus({ preventScroll: true });
  }
}
