// The places of the page: which is shown, and the header's links to them.

import { parse } from '../kit/address.js';

/** @typedef {typeof PLACES[number]} Place */

const PLACES = /** @type {const} */ (['explore', 'train', 'claims']);

/** Links from before there were places are Explore's. @param {string} hash @returns {Place} */
export const placeOf = (hash) => PLACES.find((each) => each === parse(hash).place) ?? 'explore';

/**
 * @param {(name: string) => string} scriptUrl
 * @param {import('./given-models.js').Page} page
 */
export function createPlaces(scriptUrl, page) {
  /** @type {Set<string>} */
  const begun = new Set();
  const ownTitle = document.title;
  const links = /** @type {HTMLAnchorElement[]} */ ([...document.querySelectorAll('.places a')]);
  const skips = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('.skip-link:not([href="#main"])'));
  return {
    /** @param {Place} place */
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
      document.title = place === 'explore' ? ownTitle : `${place === 'train' ? 'Train' : 'Claims'} · Glassformer`;
    },
  };
}
