// Keeps the focus near where it was when an update hides, disables or removes what had it.

const STOPS = 'button:enabled, input:enabled, select:enabled, textarea:enabled, summary, [tabindex="0"]';

/** @param {() => void} update */
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
