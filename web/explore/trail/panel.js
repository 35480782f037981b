// A teacher's trail: its button, and where it is recorded and played; the code is fetched when one of them begins.

import { html } from 'lit-html';

/** @type {import('../index.js').Input<import('../index.js').State>} */
export const trailButton = {
  name: 'trail-button',
  slot: 'more',
  section: html`<button type="button" id="trail-button" aria-expanded="false" aria-controls="trail"
    title="Record three to seven views as slides for a class">Trail</button>`,
  input: ({ state }) => state,
  create(root, tools) {
    /** @type {ReturnType<typeof import('./trail.js').createTrail> | null} */
    let made = null;
    /** @type {Promise<void> | null} */
    let loading = null;
    const load = () =>
      (loading ??= import('./trail.js').then(
        ({ createTrail }) => {
          made = createTrail(root, tools);
          made.update(tools.get());
        },
        () => {
          loading = null; // the next update tries again
          delete document.documentElement.dataset.trail;
        },
      ));
    root.addEventListener('click', async () => {
      await load();
      made?.toggle();
    });
    return {
      /** @param {import('../index.js').State} state */
      update(state) {
        if (made) return made.update(state);
        if (state.trail) document.documentElement.dataset.trail = 'ask'; // before an answer is seen
        if (state.trail || state.embed) load();
      },
    };
  },
};

/** @type {import('../index.js').Placed} */
export const trail = {
  name: 'trail',
  section: html`
    <section id="trail-player" class="trail-player" tabindex="-1" aria-label="Trail" hidden></section>
    <aside id="trail" class="trail" tabindex="-1" aria-labelledby="trail-title" hidden></aside>
    <p id="trail-live" class="trail-live" hidden></p>`,
};
