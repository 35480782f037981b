import { html } from 'lit-html';

export const section = html`
  <section class="panel" aria-labelledby="logit-lens-title" data-optional>
    <h2 id="logit-lens-title">Logit lens: predictions after each layer</h2>
    <div id="logit-lens"></div>
    <p class="hint">
      The output layer is applied early: to the residual stream after each layer. Where the prediction changes or its
      probability rises, that layer contributed to it. Early predictions are often unreliable, because the model was
      trained to be read after its last layer only.
    </p>
  </section>`;
