// From a cell of the map to the steps behind it, and back.

/** Opens the steps and moves the focus there; Escape leads back. @param {HTMLElement} cells that had it */
export function openSteps(cells) {
  const title = document.getElementById('computation-title');
  const section = title?.closest('section');
  if (!title || !section?.checkVisibility()) return;
  title.tabIndex = -1;
  title.ariaDescription = 'Escape leads back to the map.';
  title.focus({ preventScroll: true });
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  section.scrollIntoView({ behavior: calm ? 'auto' : 'smooth', block: 'nearest' });
  section.onkeydown = (event) => {
    if (event.key !== 'Escape' || event.defaultPrevented) return;
    event.preventDefault();
    cells.focus();
  };
}
