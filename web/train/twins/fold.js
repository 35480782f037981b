// The fold of the twins. What is in it is fetched when it is opened.

import { lateView } from '../../shared/late-view.js';

/** @typedef {import('../state.js').TrainState} TrainState */

/**
 * @param {HTMLElement} root
 * @param {Pick<import('../view.js').TrainActions, 'connect' | 'onTwins'>} actions
 */
export function createTwinsFold(root, actions) {
  const details = document.createElement('details');
  const summary = document.createElement('summary');
  const body = document.createElement('div');
  summary.textContent = 'Runs from the same seed that differ by one switch';
  details.append(summary, body);
  root.append(details);
  /** @type {TrainState | null} */
  let state = null;
  const twins = lateView(async (first) => (await import('./panel.js')).createTwins(body, actions, first));
  const draw = () => state && details.open && twins.update(state);
  details.addEventListener('toggle', draw);
  return {
    /** @param {TrainState} next */
    update(next) {
      state = next;
      if (next.twins?.asked) details.open = true;
      draw();
    },
  };
}
