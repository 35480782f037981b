// Groups of features that stand together on the page, and the slots in them.

import { html } from 'lit-html';

/** @typedef {import('../index.js').Placed} Placed */

/** The text, the answer, the model graph. @type {Placed} */
export const top = { name: 'top', section: html`<div id="top" class="top" data-slot="top"></div>` };

/** The text and what is said of it. @type {Placed} */
export const input = {
  name: 'input',
  slot: 'top',
  section: html`
    <section class="input" aria-labelledby="input-title" data-slot="input">
      <h2 id="input-title" class="visually-hidden">Text</h2>
    </section>`,
};

/** The answer and the model graph. @type {Placed} */
export const inSight = {
  name: 'in-sight',
  slot: 'top',
  section: html`<div class="in-sight" data-slot="in-sight"></div>`,
};

/** The picture of the chosen node, beside it why it is so and what to try, and what ends the page. @type {Placed} */
export const workspace = {
  name: 'workspace',
  section: html`
    <div class="workspace">
      <div class="main-pane" data-slot="main"></div>
      <div class="why-pane" data-slot="why"></div>
    </div>
    <div class="page-end" data-slot="end"></div>`,
};

/** Where the views of the other nodes come. @type {Placed} */
export const otherViews = { name: 'views', slot: 'main', section: html`<div class="views" data-slot="views"></div>` };

/** @type {Placed} */
export const untrainedNote = {
  name: 'untrained',
  slot: 'main',
  section: html`
    <p class="untrained only-untrained" id="untrained">
      <strong>These weights are untrained</strong>: random (Xavier uniform, embeddings normal), seed
      <b id="seed" data-setting="seed">0</b>. The maps show structure (masks, positions, softmax), not meaning.
    </p>`,
};

/** The model: its settings in one line, what it is, its fact sheet, and the settings to change. @type {Placed} */
export const settingsBox = {
  name: 'settings-box',
  slot: 'end',
  section: html`
    <details class="panel settings" id="settings-box">
      <summary><h2>Model</h2> <span class="settings-facts" data-slot="settings-facts"></span></summary>
      <p class="only-trained" id="about"><strong data-entry="name"></strong>: <span data-entry="about"></span></p>
      <div data-slot="model-card"></div>
      <div data-slot="controls"></div>
    </details>`,
};
