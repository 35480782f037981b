import { html } from 'lit-html';

export const section = html`
  <section class="panel try-panel" aria-labelledby="try-title">
    <h2 id="try-title">Try</h2>
    <div id="try"></div>
    <div id="changes"></div>
    <details class="try-more" id="try-more">
      <summary>More</summary>
      <div data-slot="change"></div>
      <div data-slot="interventions"></div>
    </details>
  </section>`;
