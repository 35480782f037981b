import { html } from 'lit-html';

export const section = html`
  <section class="panel" aria-labelledby="embedding-title">
    <h2 id="embedding-title">Embedding</h2>
    <div id="embedding"></div>
    <p class="hint">
      Every word is a row of a table; the same word begins as the same vector wherever it stands.
      <span data-when="positions=sinusoidal learned"
        >The positions are added to it, so from here on the two share one vector: this sum is all that the layers ever
        see of your text.</span
      ><span data-when="positions=none">Nothing is added here, so the layers see the words and not their order.</span>
    </p>
  </section>`;
