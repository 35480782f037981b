// Keys that turn the pages of a book or of slides.

/**
 * Arrow keys and Page Up or Down turn pages, Escape leaves; not in a field, nor in what has arrow keys of its own.
 * @param {KeyboardEvent} event
 * @param {{turn: (way: 1 | -1) => void, leave: () => void}} actions
 */
export function onPageKey(event, { turn, leave }) {
  const isTaken =
    event.target instanceof Element && event.target.matches('input, select, textarea, [role=application]');
  if (isTaken || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  /** @type {Record<string, () => void>} */
  const keys = {
    ArrowLeft: () => turn(-1),
    PageUp: () => turn(-1),
    ArrowRight: () => turn(1),
    PageDown: () => turn(1),
    Escape: leave,
  };
  if (!keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
}
