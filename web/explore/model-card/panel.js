// The fact sheet of a trained model.

import { html } from 'lit-html';
import { cardOf } from './card.js';
import * as view from './view.js';

/** @type {import('../index.js').Panel<import('./view.js').CardFacts>} */
export const modelCard = {
  name: 'model-card',
  slot: 'model-card',
  isAside: true,
  section: html`<div id="model-card" hidden></div>`,
  present: ({ result: { facts }, modelInfo }) => (modelInfo ? cardOf(modelInfo, facts.parameters) : null),
  blank: () => undefined, // it does not depend on the text
  create: (root) => view.create(root),
};
