import { html, mathml } from 'lit-html';

/** The angle p / 10000^(2i/d). */
const angle = mathml`<mo stretchy="false">(</mo><mi>p</mi><mo>/</mo
  ><msup
    ><mn>10000</mn><mrow><mn>2</mn><mi>i</mi><mo>/</mo><mi>d</mi></mrow></msup
  ><mo stretchy="false">)</mo>`;

export const section = html`
  <section class="panel" aria-labelledby="positions-title">
    <h2 id="positions-title">Positional encoding</h2>
    <div id="positions"></div>
    <div class="explain">
      <p class="formula" data-when="positions=sinusoidal">
        <math display="block"
          ><mrow
            ><msub
              ><mi>PE</mi><mrow><mi>p</mi><mo>,</mo><mn>2</mn><mi>i</mi></mrow></msub
            ><mo>=</mo><mi>sin</mi>${angle}</mrow
          ></math>
        <math display="block"
          ><mrow
            ><msub
              ><mi>PE</mi><mrow><mi>p</mi><mo>,</mo><mn>2</mn><mi>i</mi><mo>+</mo><mn>1</mn></mrow></msub
            ><mo>=</mo><mi>cos</mi>${angle}</mrow
          ></math>
      </p>
      <p>
        Attention itself does not see order, so
        <span data-when="positions=sinusoidal"
          >this table is added to the embeddings: quick waves at the left, slow ones at the right.</span
        >
        <span data-when="positions=learned"
          >a table of learned rows is added to the embeddings. No model here was trained with one, so its rows are
          random.</span
        >
        <span data-when="positions=none"
          >without a table words change places and their vectors with them, nothing else.</span
        >
      </p>
    </div>
  </section>`;
