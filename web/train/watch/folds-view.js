// The folds that lie deeper. What is in them is fetched when one is opened, and drawn only while it is open.

import { lateView } from '../../shared/late-view.js';

/** @typedef {import('../state.js').TrainState} TrainState */

const FOLDS = /** @type {const} */ ([
  ['createLayers', 'Gradients and updates by layer'],
  ['createHistograms', 'Weight histograms'],
]);

/** While training goes on they are drawn seldom, each in a frame of its own. */
const CALM = 400; // ms

/** @param {HTMLElement} root @param {(step: number) => void} onGo */
export function createFolds(root, onGo) {
  /** @type {TrainState | null} */
  let state = null;
  let timer = 0;
  const folds = FOLDS.map(([make, title]) => {
    const details = document.createElement('details');
    const summary = document.createElement('summary');
    const body = document.createElement('div');
    summary.textContent = title;
    details.append(summary, body);
    root.append(details);
    const view = lateView(async () => (await import('./watch-view.js'))[make](body, onGo));
    const draw = () => state && details.open && view.update(state);
    details.addEventListener('toggle', draw);
    return draw;
  });

  async function drawCalmly() {
    for (const draw of folds) {
      await new Promise(requestAnimationFrame);
      draw();
    }
    timer = 0; // not before: a hidden tab has no frames
  }

  return {
    /** @param {TrainState} next */
    update(next) {
      state = next;
      if (next.running) timer ||= setTimeout(drawCalmly, CALM);
      else for (const draw of folds) draw();
    },
  };
}
