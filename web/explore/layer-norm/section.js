import { html } from 'lit-html';

export const section = html`
  <section class="panel" aria-labelledby="norms-title">
    <h2 id="norms-title">LayerNorm</h2>
    <div id="norms"></div>
    <p class="hint">
      Each token’s vector is shifted to mean 0 and scaled to variance 1, then every dimension gets its learned gain γ
      and bias β. So no sublayer meets vectors of wild length, and only the direction and the learned γ decide what is
      large.
    </p>
  </section>`;
