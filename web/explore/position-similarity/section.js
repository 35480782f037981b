import { html } from 'lit-html';

export const section = html`
  <section class="panel" aria-labelledby="position-similarity-title" data-optional>
    <h2 id="position-similarity-title">How alike positions are</h2>
    <div id="position-similarity"></div>
    <div class="explain">
      <p class="formula" data-when="positions=sinusoidal">
        <math display="block"
          ><mrow
            ><msub><mi>PE</mi><mi>p</mi></msub><mo>⋅</mo
            ><msub
              ><mi>PE</mi><mrow><mi>p</mi><mo>+</mo><mi>k</mi></mrow></msub
            ><mo>=</mo><munder><mo>∑</mo><mi>i</mi></munder><mi>cos</mi><mo stretchy="false">(</mo><mi>k</mi><mo>/</mo
            ><msup
              ><mn>10000</mn><mrow><mn>2</mn><mi>i</mi><mo>/</mo><mi>d</mi></mrow></msup
            ><mo stretchy="false">)</mo></mrow
          ></math>
      </p>
      <p>
        <span data-when="positions=sinusoidal"
          >The curve is the same for every position and falls off on both sides: how alike two positions are depends
          only on how far apart they stand. So a head can learn “the word before” once, for all places.</span
        >
        <span data-when="positions=learned"
          >Here nothing makes the curve fall with the distance: these rows are random, so a position is like itself
          alone. A learned table knows only what training puts into it.</span
        >
      </p>
    </div>
  </section>`;
