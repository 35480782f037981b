import { html } from 'lit-html';

export const section = html`
  <section class="panel" aria-labelledby="residual-stream-title">
    <h2 id="residual-stream-title">Residual stream</h2>
    <div id="residual-stream"></div>
    <p class="hint">
      <span data-when="residual=true"
        >One vector per token runs through the whole model; each sublayer reads it and adds something to it.</span
      ><span data-when="residual=false"
        >The residual sums are switched off, so each sublayer’s output replaces the vector instead of being added to
        it.</span
      >
      Where the change is small or the cosine near 1, that sublayer did little for this token.
    </p>
  </section>`;
