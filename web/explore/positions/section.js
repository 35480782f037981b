import { html } from 'lit-html';
import { math, row, sub, sup } from '../../draw/math.js';

/** The angle p / 10000^(2i/d). */
const ANGLE = ['(', 'p', '/', sup(10000, row(2, 'i', '/', 'd')), ')'];

export const section = html`
  <section class="panel" aria-labelledby="positions-title">
    <h2 id="positions-title">Positional encoding</h2>
    <div id="positions"></div>
    <div class="explain">
      <p class="formula" data-when="positions=sinusoidal">
        ${math(sub('PE', row('p', ',', 2, 'i')), '=', 'sin', ...ANGLE)}
        ${math(sub('PE', row('p', ',', 2, 'i', '+', 1)), '=', 'cos', ...ANGLE)}
      </p>
      <p>
        Attention by itself ignores the order of the tokens.
        <span data-when="positions=sinusoidal"
          >This table is added to the embeddings: its first dimensions change quickly from position to position, its
          last ones slowly.</span
        >
        <span data-when="positions=learned"
          >A learned vector for each position is added to the embeddings. In a model that was not trained with them,
          they are random.</span
        >
        <span data-when="positions=none"
          >Nothing is added to the embeddings here: without a mask, reordering the tokens only reorders their
          vectors.</span
        >
      </p>
    </div>
  </section>`;
