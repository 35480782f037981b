import { html } from 'lit-html';

export const section = html`
  <section class="panel" aria-labelledby="run-info-title">
    <h2 id="run-info-title">What ran here</h2>
    <div id="run-info"></div>
    <p class="hint">
      Tokens are words and punctuation marks;
      <span class="only-untrained"
        >a word’s id is a hash into a table of 2048 random rows, and “The” and “the” are two words.</span
      >
      <span class="only-trained"
        >a word’s id is its place in the list that the model was trained with, and “The” is read as “the”.</span
      >
      Nothing that you type leaves this page.
    </p>
  </section>`;
