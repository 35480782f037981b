// The sentence of `translate`, word by word.

import { entryOf } from '../../models/catalogue.js';
import { PATTERNS, compose } from '../../models/sentences.js';
import * as view from './view.js';

const patterns = Object.fromEntries(Object.entries(PATTERNS).map(([name, { label }]) => [name, label]));

/** @type {import('../inputs.js').Input<import('./view.js').MenusData>} */
export const menus = {
  name: 'menus',
  present: ({ model, menu }) =>
    entryOf(model)?.input === 'menus' ? { patterns, pattern: menu.pattern, parts: compose(menu).parts } : null,
  create(root, { get, set }) {
    /** @param {Partial<import('../../models/sentences.js').MenuState>} patch */
    const say = (patch) => {
      const menu = { ...get().menu, ...patch };
      set({ menu, text: compose(menu).text });
    };
    return view.create(root, {
      onPattern: (pattern) => say({ pattern }),
      onChoice: (name, value) => say({ choices: { ...get().menu.choices, [name]: value } }),
    });
  },
};
