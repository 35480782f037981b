// A trail: its button and its bar, whose code is fetched when one is recorded or played.

import { html } from 'lit-html';

/** @type {import('../index.js').Input<import('../index.js').State>} */
export const trailButton = {
  name: 'trail-button',
  slot: 'more',
  section: html`<button type="button" id="trail-button" aria-expanded="false" aria-controls="trail"
    title="Collect three to seven views with a question each, as one link for a class">Trail</button>`,
  input: ({ state }) => state,
  create(root, tools) {
    const { dataset } = document.documentElement;
    /** @type {Promise<ReturnType<typeof import('./trail.js').createTrail> | void> | null} */
    let loading = null;
    const load = () =>
      (loading ??= import('./trail.js')
        .then(({ createTrail }) => createTrail(/** @type {any} */ (document.getElementById('trail')), root, tools))
        .catch(() => {
          loading = null; // the next update tries again
          delete dataset.trail;
        }));
    root.addEventListener('click', async () => (await load())?.toggle());
    return {
      /** @param {import('../index.js').State} state */
      update(state) {
        if (state.trail) dataset.trail ??= 'ask'; // before an answer is seen
        if (state.trail || loading) load().then((made) => made?.update(tools.get()));
      },
    };
  },
};

/** @type {import('../index.js').Placed} */
export const trail = {
  name: 'trail',
  slot: 'bars',
  section: html`<section id="trail" class="trail" tabindex="-1" aria-label="Trail" hidden></section>`,
};
