// The effect of the interventions, fetched with the first of them.

import { html } from 'lit-html';
import { lazyPanel } from '../shared/lazy-panel.js';

export const effect = lazyPanel({
  name: 'effect',
  slot: 'end',
  section: html`
    <section class="panel" aria-labelledby="effect-title" data-optional hidden>
      <h2 id="effect-title">Effect of the changes</h2>
      <div id="effect"></div>
    </section>`,
  isWanted: ({ plan }) => plan.base !== null,
  load: async () => (await import('../late.js')).effect,
});
