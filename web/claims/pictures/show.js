// The figure of a run, fetched with the first one.

/** @typedef {Pick<import('../worker.js').Finding, 'picture'>} Run */

/** @type {typeof import('./picture-view.js') | null} */
let drawing = null;
/** @type {WeakMap<Run, HTMLElement>} */
const shown = new WeakMap();

/**
 * Drawn once for each run.
 * @param {{number: number}} claim
 * @param {Run} run
 */
export function showPicture(claim, run) {
  const old = shown.get(run);
  if (old) return old;
  const place = document.createElement('div');
  shown.set(run, place);
  const draw = () => {
    if (drawing) place.replaceChildren(drawing.createPicture(run.picture, `Claim ${claim.number}`));
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
