import { html } from 'lit-html';

export const section = html`
  <section class="panel" aria-labelledby="layer-norm-title">
    <h2 id="layer-norm-title">LayerNorm</h2>
    <div id="layer-norm"></div>
    <p class="hint">
      LayerNorm shifts each token’s vector to mean 0 and scales it to variance 1; each dimension is then multiplied by
      its learned gain γ, and its learned bias β is added. So the lengths of the vectors that a sublayer reads stay
      comparable.
    </p>
  </section>`;
