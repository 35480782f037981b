// The links of a trail: to it, to one of its steps, and to a step as a figure in an article.

import { stateLink } from '../../shared/trail.js';

const PLACE = '#/explore?';

/** What a link of Explore shows, without what stands around it. @param {string} address */
export const shownLink = (address) => stateLink(new URL(address).hash.slice(PLACE.length));

/** @param {string} link of a state @param {string} page */
export const stateAddress = (link, page) => new URL(`${PLACE}${link}`, page).href;

/** @param {string} trail @param {string} page @param {number} [step] counted from 1 */
export const trailLink = (trail, page, step) =>
  new URL(`${PLACE}trail=${trail}${step === undefined ? '' : `&step=${step}`}`, page).href;

/** @param {string} text */
const attribute = (text) =>
  text.replace(/[&"<>]/g, (sign) => `&#${/** @type {number} */ (sign.codePointAt(0))};`).replace(/\s+/g, ' ');

/**
 * The markup of a frame with a step's figure.
 * @param {string} link of the state @param {string} sentence @param {string} page
 */
export function embedCode(link, sentence, page) {
  const parts = new URLSearchParams(link);
  parts.delete('layout'); // a figure is one view
  const sandbox = 'allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox';
  return (
    `<iframe title="${attribute(sentence)}" width="100%" height="680" loading="lazy" style="border: 0"\n` +
    `  sandbox="${sandbox}"\n  src="${attribute(stateAddress(`${parts}&embed=1`, page))}"></iframe>`
  );
}
