// The places of the page: which is shown, the header's links to them, and how each is opened.

import { parse } from '../kit/address.js';
import { createPlaces } from '../kit/place.js';

/** @typedef {typeof PLACES[number]} Place */

const PLACES = /** @type {const} */ (['explore', 'train', 'claims']);
const TITLES = { train: 'Train · Glassformer', claims: 'Claims · Glassformer' };

/** Links from before there were places are Explore's. @param {string} hash @returns {Place} */
export const placeOf = (hash) => PLACES.find((each) => each === parse(hash).place) ?? 'explore';

const rootOf = (/** @type {string} */ place) => /** @type {HTMLElement} */ (document.getElementById(place));

/**
 * @param {import('../kit/link.js').Link} link
 * @param {import('../kit/place.js').Life} explore
 * @param {(name: string) => string} scriptUrl
 * @param {import('./given-models.js').Page} page
 */
export function openPlaces(link, explore, scriptUrl, page) {
  const titles = /** @type {Record<string, string>} */ ({ explore: document.title, ...TITLES });
  const links = /** @type {HTMLAnchorElement[]} */ ([...document.querySelectorAll('.places a')]);
  const skips = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('.skip-link:not([href="#main"])'));

  /** @param {any} model */
  const openInExplore = async (model) => (await import('./given-models.js')).openInExplore(model, page);

  /** @param {string} place */
  function show(place) {
    document.documentElement.dataset.place = place;
    for (const each of PLACES) rootOf(each).hidden = each !== place;
    for (const skip of skips) skip.hidden = place !== 'explore';
    for (const each of links) {
      if (placeOf(each.hash) === place) each.setAttribute('aria-current', 'page');
      else each.removeAttribute('aria-current');
    }
    document.title = titles[place];
  }

  /** @param {string} place @param {() => void} again */
  function failed(place, again) {
    const notice = Object.assign(document.createElement('p'), { className: 'notices', role: 'alert' });
    const button = Object.assign(document.createElement('button'), { type: 'button', textContent: 'Try again' });
    button.addEventListener('click', () => (rootOf(place).replaceChildren(), again()));
    notice.append('This part of the page could not be opened. ', button);
    rootOf(place).replaceChildren(notice);
  }

  const places = createPlaces(
    {
      explore,
      train: async () => (await import('../train/train.js')).begin(rootOf('train'), scriptUrl, openInExplore, link),
      claims: async () => (await import('../claims/claims.js')).begin(rootOf('claims'), scriptUrl, openInExplore, link),
    },
    { show, failed },
  );
  link.begin((hash) => void places.go(placeOf(hash), hash));
}
