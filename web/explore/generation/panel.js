// How `continue` goes on with its story.

import { entryOf } from '../../models/catalogue.js';
import * as view from './view.js';

/** @type {import('../inputs.js').Input<import('./view.js').WriterData>} */
export const writer = {
  name: 'writer',
  present: ({ model, writing, written }, known) =>
    entryOf(model)?.input === 'prompt' && known
      ? { writing, vocabulary: known.vocabulary.length, written: written.length }
      : null,
  create: (root, { get, set, write }) =>
    view.create(root, {
      onChange: (patch) => set({ writing: { ...get().writing, ...patch } }),
      onWrite: write,
      onClear: () => set({ written: [] }),
    }),
};
