import { html } from 'lit-html';

export const section = html`
  <section class="panel" aria-labelledby="logits-title">
    <h2 id="logits-title">Logits and probabilities</h2>
    <div id="logits"></div>
    <p class="hint only-trained">
      The last vector is compared with each word’s row of the output table: the better they agree, the higher the logit.
      The softmax makes shares of 1 out of them, and only differences count: one more in the logit is 2.7 times as
      likely.
    </p>
  </section>`;
