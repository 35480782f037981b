import { html } from 'lit-html';

export const section = html`
  <section class="panel" aria-labelledby="run-info-title">
    <h2 id="run-info-title">Computation details</h2>
    <div id="run-info"></div>
    <p class="hint">Nothing that you type leaves this tab.</p>
  </section>`;
