import { html } from 'lit-html';

export const section = html`
  <section class="panel" aria-labelledby="layer-norm-title">
    <h2 id="layer-norm-title">LayerNorm</h2>
    <div id="layer-norm"></div>
    <p class="hint">
      Each token’s vector is shifted to mean 0 and scaled to variance 1, then every dimension gets its learned gain γ
      and bias β. So no sublayer meets vectors of wild length, and only the direction and the learned γ decide what is
      large.
    </p>
  </section>`;
