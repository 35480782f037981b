import { html } from 'lit-html';

export const section = html`
  <section class="panel" aria-labelledby="residual-stream-title">
    <h2 id="residual-stream-title">Residual stream</h2>
    <div id="residual-stream"></div>
  </section>`;

export const tokenSection = html`
  <section class="panel" aria-labelledby="residual-token-title">
    <h2 id="residual-token-title">Why does it change?</h2>
    <div id="residual-token"></div>
    <p class="hint">
      <span data-when="residual=true"
        >One vector per token passes through the whole model; each sublayer reads it and adds its output to it.</span
      ><span data-when="residual=false"
        >Residual connections are switched off: each sublayer’s output replaces the vector.</span
      >
      A small change means that the sublayer hardly changed this token’s vector; a cosine near 1, that it hardly turned
      it.
    </p>
  </section>`;
