// The figure of a run, fetched with the first one.

/** @typedef {import('./picture.js').Numbers} Numbers */
/** @typedef {import('./picture.js').Params} Params */
/** @typedef {{numbers: Numbers, params: Params}} Run */

const late = () => Promise.all([import('./index.js'), import('./picture-view.js')]);
/** @type {Awaited<ReturnType<typeof late>> | null} */
let modules = null;
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
    if (!modules) return;
    const [{ pictureOf }, { createPicture }] = modules;
    place.replaceChildren(createPicture(pictureOf(claim, run.numbers, run.params), `Claim ${claim.number}`));
  };
  draw();
  if (!modules)
    late().then(
      (fetched) => {
        modules = fetched;
        draw();
      },
      () => {
        shown.delete(run);
        place.textContent = 'The figure could not be fetched.';
      },
    );
  return place;
}
