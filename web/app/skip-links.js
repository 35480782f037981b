// The links at the top that lead past it.

/** @typedef {ReturnType<typeof import('../kit/store.js').createStore<import('./schema.js').State>>} Store */

/** @param {Pick<Store, 'get' | 'set'>} store */
export function followSkipLinks({ get, set }) {
  for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll('.skip-link'))) {
    link.addEventListener('click', (event) => {
      event.preventDefault(); // its own address would be taken for a link to a state
      const place = /** @type {HTMLElement} */ (document.querySelector(link.hash) ?? document.querySelector('#main'));
      if (!place.checkVisibility()) set({ graph: { ...get().graph, node: 'attention' } });
      const inside =
        place.querySelector('[role=application]') ?? place.closest('section')?.querySelector('h2') ?? place;
      const isThere = link.hash !== '#main' && inside.checkVisibility(); // a model may have no attention
      const target = isThere ? inside : document.querySelector('#main');
      focusOn(/** @type {HTMLElement} */ (target));
    });
  }
}

/** @param {HTMLElement} target */
function focusOn(target) {
  if (target.tabIndex < 0) target.tabIndex = -1;
  target.focus({ preventScroll: true });
  (target.closest('section') ?? target).scrollIntoView();
}
