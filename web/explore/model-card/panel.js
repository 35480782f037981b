// The fact sheet of a trained model.

import { html } from 'lit-html';
import { sheetOf } from './card.js';
import * as view from './view.js';

/** @type {import('../index.js').Panel<import('./view.js').SheetData>} */
export const sheet = {
  name: 'sheet',
  slot: 'model-card',
  section: html`<div id="sheet" hidden></div>`,
  present: ({ result: { facts }, modelInfo }) => (modelInfo ? sheetOf(modelInfo, facts.parameters) : null),
  blank: () => undefined, // it does not depend on the text
  create: (root) => view.create(root),
};
