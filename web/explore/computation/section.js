import { html } from 'lit-html';

export const section = html`
  <section class="panel" aria-labelledby="computation-title" data-optional>
    <h2 id="computation-title">One weight, step by step</h2>
    <div id="computation"></div>
    <div class="explain">
      <p>
        All the arithmetic behind the pinned cell, from two vectors to one weight and on to the layer’s output; choose
        another cell in the map, a line or a key. A high weight alone changes little: it counts as much as the value
        behind it.
      </p>
    </div>
  </section>`;
