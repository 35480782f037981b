import { html } from 'lit-html';

export const section = html`
  <section class="panel" aria-labelledby="ffn-title">
    <h2 id="ffn-title">Feed-forward network</h2>
    <div id="ffn"></div>
    <div data-slot="ffn"></div>
    <div class="explain">
      <p class="formula">
        <math display="block"
          ><mrow
            ><mi>FFN</mi><mo>(</mo><mi>x</mi><mo>)</mo><mo>=</mo><mi>f</mi><mo>(</mo><mi>x</mi
            ><msub><mi>W</mi><mn>1</mn></msub><mo>+</mo><msub><mi>b</mi><mn>1</mn></msub><mo>)</mo
            ><msub><mi>W</mi><mn>2</mn></msub><mo>+</mo><msub><mi>b</mi><mn>2</mn></msub></mrow
          ></math>
      </p>
      <p>
        Each token passes alone through the same neurons.
        <span data-when="activation=relu"
          >A ReLU cuts every negative pre-activation to 0<span class="only-untrained"
            >; with random weights that is about half of them</span
          >.</span>
        <span data-when="activation!=relu none"
          >A <span data-setting="activation"></span> bends negative pre-activations smoothly to 0.</span>
        <span data-when="activation=none">Here f is left out: two linear maps in a row are one linear map.</span>
      </p>
    </div>
  </section>`;
