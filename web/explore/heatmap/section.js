import { html, mathml } from 'lit-html';
import { frac, inlineMath, math, root, row, sub, sup } from '../../draw/math.js';

const ROOT = root(sub('d', 'k'));
const PRODUCT = row('Q', sup('K', 'T'));
const TALL = [mathml`<mo>(</mo>`, mathml`<mo>)</mo>`]; // as high as what they enclose

/** @param {import('../../draw/math.js').Part} scores */
const formula = (scores) =>
  math('Attention', '(', 'Q', ',', 'K', ',', 'V', ')', '=', 'softmax', row(TALL[0], scores, TALL[1]), 'V');

export const section = html`
  <section class="panel map-panel" aria-labelledby="map-title">
    <h2 id="map-title" class="visually-hidden">Attention of one head</h2>
    <div class="map-and-lines" data-slot="attention">
      <div id="heatmap"></div>
      <div class="map-foot-row" data-slot="map-foot"></div>
    </div>
    <div class="explain">
      <p class="formula" data-when="scoreScale=true">${formula(frac(PRODUCT, ROOT))}</p>
      <p class="formula" data-when="scoreScale=false">${formula(PRODUCT)}</p>
      <p>
        Each row is a query token, each column a key token; a cell is the weight that the query gives the key. The
        softmax makes each row sum to 1; a masked cell is exactly 0.
        <span data-when="scoreScale=false"
          >The division by ${inlineMath(ROOT)} is switched off here.</span>
        <span id="why" data-entry="why"></span>
      </p>
      <p>
        The lines show the same weights: the wider a line, the larger the weight. Where many lines meet, many queries
        attend to the same key.
      </p>
    </div>
  </section>`;
