// Texts to start from.

import { html } from 'lit-html';
import { entryOf } from '../../models/catalogue.js';
import * as view from './view.js';

/** @type {import('../index.js').Input<{texts: Record<string, string>, selected: string}>} */
export const examples = {
  name: 'examples',
  slot: 'input',
  section: html`<div id="examples" hidden></div>`,
  input({ state: { model, text } }) {
    const entry = entryOf(model);
    return entry && entry.input !== 'menus' ? { texts: entry.examples, selected: text } : null;
  },
  create: (root, { set }) =>
    view.create(root, { onSelect: (text) => set({ text, written: [], follow: true, brush: [] }) }),
};
