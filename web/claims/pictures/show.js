// The figure of a run, fetched with the first one.

import { panelOf } from '../guess.js';

/** @typedef {Pick<import('../worker.js').Finding, 'picture'>} Run */

/** @type {typeof import('./picture-view.js') | null} */
let drawing = null;
/** @type {WeakMap<Run, {place: HTMLElement, key: string}>} */
const shown = new WeakMap();

/**
 * Drawn once for each run and guess.
 * @param {{number: number}} claim
 * @param {Run} run
 * @param {import('../guess.js').Guessed | null} [guessed] is drawn first
 */
export function showPicture(claim, run, guessed = null) {
  const key = String(guessed?.value);
  const old = shown.get(run);
  if (old?.key === key) return old.place;
  const place = document.createElement('div');
  shown.set(run, { place, key });
  const panels = [...(guessed ? [panelOf(guessed)] : []), ...run.picture];
  const draw = () => {
    if (drawing) place.replaceChildren(drawing.createPicture(panels, `Claim ${claim.number}`));
  };
  draw();
  if (!drawing)
    import('./picture-view.js').then(
      (fetched) => {
        drawing = fetched;
        draw();
      },
      () => {
        shown.delete(run);
        place.textContent = 'The figure could not be fetched.';
      },
    );
  return place;
}
