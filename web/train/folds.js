// The folds that lie deeper. What is in one is fetched when it is opened, and drawn only while it is open.

import { lateView } from '../shared/late-view.js';

/**
 * @typedef {import('./state.js').TrainState} TrainState
 * @typedef {{update: (state: TrainState) => void}} View
 */

/** @param {HTMLDetailsElement} details @param {(body: HTMLElement, first: TrainState) => Promise<View>} load */
function createFold(details, load) {
  const body = /** @type {HTMLElement} */ (details.querySelector('.train-fold-body'));
  /** @type {TrainState | null} */
  let state = null;
  const view = lateView((/** @type {TrainState} */ first) => load(body, first));
  const draw = () => state && details.open && view.update(state);
  details.addEventListener('toggle', draw);
  return {
    /** @param {TrainState} next */
    update(next) {
      state = next;
      draw();
    },
    open() {
      details.open = true;
      details.scrollIntoView({ block: 'start' });
    },
  };
}

/**
 * @param {(name: string) => HTMLDetailsElement} find a fold by its name
 * @param {import('./view.js').TrainActions} actions
 * @returns {((state: TrainState) => void)[]} each draws one
 */
export function createFolds(find, actions) {
  const watch = () => import('./watch/watch-view.js');
  const neurons = createFold(find('neurons'), async (body) => (await watch()).createNeurons(body));
  const layers = createFold(find('layers'), async (body) => (await watch()).createLayers(body, actions.onGo));
  const compare = createFold(find('compare'), async (body) =>
    (await import('./compare/view.js')).createCompare(body, actions),
  );
  /** @type {TrainState['whole']} */
  let drawn = null;
  return [
    /** What takes long to compute is not of every step. */
    (state) => {
      if (state.running && state.whole === drawn) return;
      drawn = state.whole;
      neurons.update({ ...state, report: state.whole });
    },
    layers.update,
    (state) => {
      if (state.opens) compare.open();
      state.opens = false;
      compare.update(state);
    },
  ];
}
