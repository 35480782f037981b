// The comparison with the pinned state, fetched when one is pinned.

import { html } from 'lit-html';
import { lazyPanel } from '../shared/lazy-panel.js';

export const compare = lazyPanel({
  name: 'compare',
  slot: 'main',
  section: html`
    <section class="panel compare-panel" aria-labelledby="compare-title" data-optional hidden>
      <h2 id="compare-title" class="visually-hidden">Before and now</h2>
      <div id="compare"></div>
    </section>`,
  isWanted: ({ state }) => Boolean(state.pinned),
  load: async () => (await import('../late.js')).compare,
});
