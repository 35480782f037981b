import { html } from 'lit-html';

export const section = html`
  <section class="panel" aria-labelledby="run-info-title">
    <h2 id="run-info-title">Computation details</h2>
    <div id="run-info"></div>
    <p class="hint">
      Tokens are words and punctuation marks;
      <span class="only-untrained"
        >a word’s id is a hash into a table of 2048 random rows; “The” and “the” are different words.</span
      >
      <span class="only-trained"
        >a word’s id is its index in the model’s vocabulary; “The” is read as “the”.</span
      >
      Nothing that you type leaves this tab.
    </p>
  </section>`;
