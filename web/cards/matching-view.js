// The link from a card to the state of another place that shows the same. What knows these states is fetched with it.

/** @typedef {import('./worker.js').ClaimData} ClaimData */
/** @typedef {import('./address.js').Params} Params */

const place = document.createElement('p');
const link = document.createElement('a');
const note = document.createElement('span');
note.className = 'hint';
place.hidden = true;
place.append(link, ' ', note);

/** @type {Promise<typeof import('./matching.js')> | null} */
let fetched = null;
/** @type {[ClaimData, Params]} of the card that is shown */
let shown;

/**
 * One element, as one card is shown at a time.
 * @param {ClaimData} claim
 * @param {Params} params
 */
export function matchingLink(claim, params) {
  shown = [claim, params];
  fetched ??= import('./matching.js');
  fetched.then(draw, () => (fetched = null)); // the next drawing tries again
  return place;
}

/** @param {typeof import('./matching.js')} module */
function draw({ matchingState }) {
  const found = matchingState(...shown);
  place.hidden = !found;
  if (!found) return;
  link.href = found.href;
  link.textContent = `Open in ${found.place}`;
  note.textContent = found.note;
}
