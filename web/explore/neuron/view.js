// The strongest neurons at a token, and the fold with one neuron's card (card-view.js).

import { html, nothing, render } from 'lit-html';
import { formatValue } from '../../draw/canvas.js';
import { announceFigure, tableOf } from '../../draw/figure.js';

/**
 * `card`: what is shown in the fold.
 * @template Card
 * @typedef {{
 *   word: string, pinned: number, strongest: {neuron: number, value: number, promotes: string | null}[],
 *   open: boolean, card: Card,
 * }} NeuronData
 */

/**
 * How a card is drawn, and the numbers in it.
 * @template Card
 * @typedef {{card: (data: Card) => unknown, tables: (data: Card) => import('../../draw/figure.js').Table[]}} Shown
 */

/**
 * @template Card
 * @param {HTMLElement} root
 * @param {{
 *   onPin: (neuron: number) => void, onToggle: (open: boolean) => void,
 *   fetchCard: () => Promise<Shown<Card>>,
 * }} options
 */
export function create(root, { onPin, onToggle, fetchCard }) {
  /** @type {NeuronData<Card> | null} */
  let last = null;
  /** @type {Shown<Card> | null} */
  let shown = null;
  let asked = false;

  async function fetch() {
    asked = true;
    shown = await fetchCard();
    if (last) draw(last);
  }

  /** @param {NeuronData<Card>} data */
  function draw(data) {
    if (data.open && !asked) fetch();
    render(
      html`${strongest(data, onPin)}
      <details class="neuron-card" data-neuron=${data.pinned} ?open=${data.open}>
        <summary @click=${(/** @type {Event} */ event) => {
          event.preventDefault(); // only the state opens it, otherwise a result that arrives would undo the click
          onToggle(!data.open);
        }}><span class="view-title">Neuron ${data.pinned}</span>: what activates it, which tokens it promotes</summary>
        ${data.open && shown ? shown.card(data.card) : nothing}
      </details>`,
      root,
    );
    const name = `Strongest neurons at ${data.word}`;
    announceFigure(root, {
      name: data.open ? `Neuron ${data.pinned}` : name,
      element: root,
      tables: () => [
        tableOf(
          name,
          ['activation', 'promotes'],
          data.strongest.map(({ neuron, value, promotes }) => [`neuron ${neuron}`, value, promotes ?? '']),
        ),
        ...(data.open && shown ? shown.tables(data.card) : []),
      ],
    });
  }

  return {
    /** @param {NeuronData<Card> | null} data */
    update(data) {
      last = data;
      root.hidden = !data;
      if (data) draw(data);
      else announceFigure(root, null);
    },
    destroy() {
      root.replaceChildren();
    },
  };
}

/** @param {NeuronData<unknown>} data @param {(neuron: number) => void} onPin */
const strongest = ({ word, strongest: list, pinned }, onPin) => html`
  <section class="neuron-strongest" aria-label="Strongest neurons at the selected token">
    <h3>Strongest neurons at <bdi class="quoted">${word}</bdi></h3>
    ${
      list.length
        ? html`<ol>${list.map(
            ({ neuron, value, promotes }) => html`<li data-neuron=${neuron}>
      <button type="button" aria-pressed=${neuron === pinned} @click=${() => onPin(neuron)}>Neuron ${neuron}</button>
      <span class="number">${formatValue(value)}</span>
      ${promotes === null ? nothing : html`<span class="neuron-says">promotes <bdi>${promotes}</bdi></span>`}</li>`,
          )}</ol>`
        : html`<p class="hint">No activation is above 0 here.</p>`
    }
  </section>`;
