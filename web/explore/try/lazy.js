// What Try shows only after a change or with a pinned state: its code is fetched then.

import { html } from 'lit-html';
import { lazyPanel } from '../shared/lazy-panel.js';

/** At every token, folded in Try. */
export const effect = lazyPanel({
  name: 'effect',
  slot: 'effect',
  section: html`<div id="effect"></div>`,
  isWanted: ({ plan }) => plan.base !== null,
  load: async () => (await import('../late.js')).effect,
});

/** The pinned state and the present one, in the place of the map. */
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
