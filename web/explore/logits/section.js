import { html } from 'lit-html';

export const section = html`
  <section class="panel" aria-labelledby="logits-title">
    <h2 id="logits-title">Logits and probabilities</h2>
    <div id="logits"></div>
    <p class="hint only-trained">
      A logit is the dot product of the last vector with the word’s row of the output table, plus a bias where the
      model has one. The softmax turns logits into probabilities that sum to 1. Only differences between logits
      count: a logit larger by 1 means a probability e ≈ 2.7 times as large.
    </p>
  </section>`;
