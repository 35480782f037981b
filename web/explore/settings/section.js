import { html } from 'lit-html';

export const section = html`
  <details class="panel settings" id="settings-box">
    <summary><h2>Model</h2> <span class="settings-facts"></span></summary>
    <p class="only-trained" id="about"><strong data-entry="name"></strong>: <span data-entry="about"></span></p>
    <div data-slot="model-card"></div>
    <div id="controls"></div>
  </details>`;
