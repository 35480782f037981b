// Texts to start from.

import { html } from 'lit-html';
import { entryOf } from '../../models/catalogue.js';
import * as view from './view.js';

/** @type {import('../index.js').Input<import('./view.js').ExamplesData>} */
export const examples = {
  name: 'examples',
  slot: 'models',
  section: html`<div id="examples" class="bar-choices" hidden></div>`,
  input({ state: { model, text } }) {
    const entry = entryOf(model);
    return entry && entry.input !== 'menus' && Object.keys(entry.examples).length
      ? { texts: entry.examples, selected: text, pair: entry.pair }
      : null;
  },
  create: (root, { set }) =>
    view.create(root, { onSelect: (text) => set({ text, written: [], follow: true, brush: [] }) }),
};
