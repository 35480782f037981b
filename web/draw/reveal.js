// Keeps the marked row of a scrolled table in sight, without scrolling the page.

/** @param {HTMLElement} root of one table that scrolls and has a row with the class 'here' */
export function revealHere(root) {
  requestAnimationFrame(() => {
    const row = /** @type {HTMLElement | null} */ (root.querySelector('tr.here'));
    const scroller = row?.closest('.table-scroll');
    if (!row || !scroller) return;
    const [inner, outer] = [row, scroller].map((each) => each.getBoundingClientRect());
    const below = inner.bottom - outer.bottom + 2;
    const above = outer.top - inner.top + 2;
    if (below > 0) scroller.scrollTop += below;
    else if (above > 0) scroller.scrollTop -= above;
  });
}
