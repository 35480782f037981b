import { html } from 'lit-html';

export const section = html`
  <section class="panel why" id="why-panel" aria-labelledby="computation-title" data-optional>
    <div id="computation"></div>
  </section>`;
