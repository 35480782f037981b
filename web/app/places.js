// The places of the page: which is shown, and the header's links to them.

import { PLACES, placeOf } from './url.js';

const TITLE = document.title;

/**
 * @param {(name: string) => string} scriptUrl
 * @param {import('./given-models.js').Page} page
 */
export function createPlaces(scriptUrl, page) {
  /** @type {Set<string>} */
  const begun = new Set();
  const links = /** @type {HTMLAnchorElement[]} */ ([...document.querySelectorAll('.places a')]);
  const skips = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('.skip-link:not([href="#main"])'));
  return {
    /** @param {import('./url.js').Place} place */
    show(place) {
      document.documentElement.dataset.place = place;
      for (const each of PLACES) /** @type {HTMLElement} */ (document.getElementById(each)).hidden = each !== place;
      for (const link of skips) link.hidden = place !== 'explore';
      for (const link of links) {
        if (placeOf(link.hash) === place) link.setAttribute('aria-current', 'page');
        else link.removeAttribute('aria-current');
      }
      if (place !== 'explore' && !begun.has(place)) {
        begun.add(place);
        const root = /** @type {HTMLElement} */ (document.getElementById(place));
        const module = place === 'train' ? import('../train/train.js') : import('../claims/claims.js');
        module.then(({ begin }) =>
          begin(root, scriptUrl, async (model) => (await import('./given-models.js')).openInExplore(model, page)),
        );
      }
      document.title = place === 'explore' ? TITLE : `${place === 'train' ? 'Train' : 'Claims'} · Glassformer`;
    },
  };
}
