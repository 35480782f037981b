import { html } from 'lit-html';

export const section = html`
  <section class="panel" aria-labelledby="computation-title" data-optional>
    <h2 id="computation-title">One weight, step by step</h2>
    <div id="computation"></div>
    <div class="explain">
      <p>
        Every step from a query and a key vector to one attention weight and on to the layer’s output. Choose another
        cell of the map, a line or a key to see its steps. A large weight has a large effect only if the value vector
        it multiplies is large.
      </p>
    </div>
  </section>`;
