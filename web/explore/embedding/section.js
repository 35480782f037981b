import { html } from 'lit-html';

export const section = html`
  <section class="panel" aria-labelledby="embedding-title">
    <h2 id="embedding-title">Embedding</h2>
    <div id="embedding"></div>
  </section>`;

export const sumSection = html`
  <section class="panel" aria-labelledby="embedding-sum-title">
    <h2 id="embedding-sum-title">Why this vector?</h2>
    <div id="embedding-sum"></div>
    <p class="hint">
      Each token selects a row of the embedding table, so the same token starts as the same vector at every position.
      <span data-when="positions=sinusoidal learned"
        >The positional encoding is added to it; the sum goes on to the first layer.</span
      ><span data-when="positions=none"
        >No positional encoding is added, so this vector does not depend on the order.</span
      >
    </p>
  </section>`;
