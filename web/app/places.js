// The places of the page: which is shown, and the header's links to them.

import { PLACES, placeOf } from './url.js';

const TITLE = document.title;

export function createPlaces() {
  const main = /** @type {HTMLElement} */ (document.getElementById('main'));
  const links = /** @type {HTMLAnchorElement[]} */ ([...document.querySelectorAll('.places a')]);
  // An address of its own would be taken for a link to a state.
  document.querySelector('.skip-link')?.addEventListener('click', (event) => {
    event.preventDefault();
    main.focus();
  });
  return {
    /** @param {import('./url.js').Place} place */
    show(place) {
      for (const each of PLACES) /** @type {HTMLElement} */ (document.getElementById(each)).hidden = each !== place;
      for (const link of links) {
        if (placeOf(link.hash) === place) link.setAttribute('aria-current', 'page');
        else link.removeAttribute('aria-current');
      }
      document.title = place === 'explore' ? TITLE : `${place === 'train' ? 'Train' : 'Claims'} · Glassformer`;
    },
  };
}
