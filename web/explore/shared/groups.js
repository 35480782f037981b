// Groups of features that stand together on the page, and the slots in them.

import { html } from 'lit-html';

/** @typedef {import('../index.js').Placed} Placed */

/** The text and what is said of it. @type {Placed} */
export const input = {
  name: 'input',
  section: html`
    <section class="input" aria-labelledby="input-title" data-slot="input">
      <h2 id="input-title" class="visually-hidden">Text</h2>
    </section>`,
};

/** @type {Placed} */
export const untrainedNote = {
  name: 'untrained',
  section: html`
    <p class="untrained only-untrained" id="untrained">
      <strong>These weights are untrained</strong>: random (Xavier uniform, embeddings normal), seed
      <b id="seed" data-setting="seed">0</b>. The maps show structure (masks, positions, softmax), not meaning.
    </p>`,
};

/** The settings, the grid of heads, and one head's attention. @type {Placed} */
export const bench = { name: 'bench', section: html`<div class="bench" data-slot="bench"></div>` };

/** What is changed, and its effect. @type {Placed} */
export const change = { name: 'change', section: html`<div class="change" data-slot="change"></div>` };

/** Two panels side by side. @type {Placed} */
export const pair = { name: 'pair', section: html`<div class="pair" data-slot="pair"></div>` };
