// The fold of the twins. What is in it is fetched when it is opened.

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
  /** @type {{update: (state: TrainState) => void} | null} */
  let twins = null;
  details.addEventListener('toggle', async () => {
    const { createTwins } = await import('./panel.js');
    if (!state) return;
    twins ??= createTwins(body, actions, state);
    twins.update(state);
  });
  return {
    /** @param {TrainState} next */
    update(next) {
      state = next;
      if (next.twins?.asked) details.open = true;
      if (details.open) twins?.update(next);
    },
  };
}
