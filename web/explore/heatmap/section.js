import { html } from 'lit-html';

export const section = html`
  <section class="panel map-panel" aria-labelledby="map-title">
    <h2 id="map-title" class="visually-hidden">Attention of one head</h2>
    <div class="map-and-lines" data-slot="attention">
      <div id="heatmap"></div>
    </div>
    <div data-slot="attention-sum"></div>
    <div class="explain">
      <p class="formula">
        <math display="block"
          ><mrow
            ><mi>Attention</mi><mo stretchy="false">(</mo><mi>Q</mi><mo>,</mo><mi>K</mi><mo>,</mo><mi>V</mi
            ><mo stretchy="false">)</mo><mo>=</mo><mi>softmax</mi><mo>(</mo
            ><mfrac
              ><mrow><mi>Q</mi><msup><mi>K</mi><mi>T</mi></msup></mrow
              ><msqrt><msub><mi>d</mi><mi>k</mi></msub></msqrt></mfrac
            ><mo>)</mo><mi>V</mi></mrow
          ></math>
      </p>
      <p>
        Each row is a query token, each column a key token that it attends to. The softmax makes every row sum to 1; a
        cell that the mask hides gets exactly 0.
        <span data-when="scoreScale=false">The division by √d_k is switched off here.</span>
        <span id="why" data-entry="why"></span>
      </p>
      <p>
        The lines are the same numbers: the wider a line, the more its query takes from that key. So where many lines
        meet, many tokens read the same one.
      </p>
    </div>
  </section>`;
