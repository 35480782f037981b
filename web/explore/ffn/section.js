import { html } from 'lit-html';
import { math, sub } from '../../draw/math.js';

export const section = html`
  <section class="panel" aria-labelledby="ffn-title">
    <h2 id="ffn-title">Feed-forward network</h2>
    <div id="ffn"></div>
    <div class="explain">
      <p class="formula">
        ${math(
          ...['FFN', '(', 'x', ')', '=', 'f', '(', 'x', sub('W', 1), '+', sub('b', 1), ')', sub('W', 2)],
          ...['+', sub('b', 2)],
        )}
      </p>
      <p>
        The same network is applied to each token separately.
        <span data-when="activation=relu"
          >ReLU sets negative pre-activations to 0<span class="only-untrained"
            >: with random weights, about half of them</span
          >.</span>
        <span data-when="activation!=relu none"
          ><span data-setting="activation"></span> moves negative pre-activations smoothly towards 0.</span>
        <span data-when="activation=none"
          >Without an activation function, the two linear maps are equivalent to one.</span>
      </p>
    </div>
  </section>`;
