import { html } from 'lit-html';
import { math, row, sub, sum, sup } from '../../draw/math.js';

export const section = html`
  <section class="panel" aria-labelledby="position-similarity-title" data-optional>
    <h2 id="position-similarity-title">Similarity of positions</h2>
    <div id="position-similarity"></div>
    <div class="explain">
      <p class="formula" data-when="positions=sinusoidal">
        ${math(
          ...[sub('PE', 'p'), '·', sub('PE', row('p', '+', 'k')), '=', sum('i')],
          ...['cos', '(', 'k', '/', sup(10000, row(2, 'i', '/', 'd')), ')'],
        )}
      </p>
      <p>
        <span data-when="positions=sinusoidal"
          >The curve has the same shape at every position: the similarity of two positions depends only on their
          distance. So a head can learn “the previous token” once, for all positions.</span
        >
        <span data-when="positions=learned"
          >Learned positions have a structure only after training. In a model that was not trained with them they are
          random, and each position is similar only to itself.</span
        >
      </p>
    </div>
  </section>`;
