// How `continue` continues its story.

import { html } from 'lit-html';
import { entryOf } from '../../models/catalogue.js';
import * as view from './view.js';

/** @type {import('../index.js').Input<import('./view.js').WriterData>} */
export const writer = {
  name: 'generation',
  slot: 'input',
  section: html`<div id="generation" class="generation" hidden></div>`,
  input: ({ state: { model, writing, written }, modelInfo }) =>
    entryOf(model)?.input === 'prompt' && modelInfo
      ? { writing, vocabulary: modelInfo.vocabulary.length, written: written.length }
      : null,
  create: (root, { get, set, generate }) =>
    view.create(root, {
      onChange: (patch) => set({ writing: { ...get().writing, ...patch } }),
      onWrite: generate,
      onClear: () => set({ written: [] }),
    }),
};
