// The folds that lie deeper. What is in them is fetched when one is opened, and drawn only while it is open.

/** @typedef {import('./train.js').TrainState} TrainState */

const FOLDS = /** @type {const} */ ([
  ['createLayers', 'Gradients and updates by layer'],
  ['createHistograms', 'Weight histograms'],
]);

/** @param {HTMLElement} root @param {(step: number) => void} onGo */
export function createFolds(root, onGo) {
  /** @type {TrainState | null} */
  let state = null;
  const folds = FOLDS.map(([make, title]) => {
    const details = document.createElement('details');
    const summary = document.createElement('summary');
    const body = document.createElement('div');
    summary.textContent = title;
    details.append(summary, body);
    root.append(details);
    /** @type {{update: (state: TrainState) => void} | null} */
    let view = null;
    const draw = () => state && details.open && view?.update(state);
    details.addEventListener('toggle', async () => {
      if (!details.open) return;
      const module = await import('./watch-view.js');
      view ??= module[make](body, onGo);
      draw();
    });
    return draw;
  });
  return {
    /** @param {TrainState} next */
    update(next) {
      state = next;
      for (const draw of folds) draw();
    },
  };
}
