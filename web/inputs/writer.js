// How `continue` goes on with its story.

import { entryOf } from '../catalogue.js';
import * as view from '../views/writer.js';

/** @type {import('./index.js').Input<import('../views/writer.js').WriterData>} */
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
