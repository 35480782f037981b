// The sentence of `translate`, word by word.

import { html } from 'lit-html';
import { entryOf } from '../../models/catalogue.js';
import { PATTERNS, compose } from '../../models/sentences.js';
import { lateView } from '../../shared/late-view.js';

const patterns = Object.fromEntries(Object.entries(PATTERNS).map(([name, { label }]) => [name, label]));

const load = () => import('../late.js');
/** @param {import('../../models/catalogue.js').ModelName} model */
const hasMenus = (model) => entryOf(model)?.input === 'menus';

/** @type {import('../index.js').Input<import('./view.js').MenusData>} */
export const menus = {
  name: 'sentence-menus',
  slot: 'models',
  section: html`<div id="sentence-menus" class="bar-choices" hidden></div>`,
  input({ state: { model, menu }, chosenModel }) {
    // with the model, so that the menus do not come after it and move the rest; if it fails, `create` tries again
    if (hasMenus(chosenModel)) load().catch(() => {});
    return hasMenus(model) ? { patterns, pattern: menu.pattern, parts: compose(menu).parts } : null;
  },
  create(root, { get, set }) {
    /** @param {Partial<import('../../models/sentences.js').MenuState>} patch */
    const choose = (patch) => {
      const menu = { ...get().menu, ...patch };
      set({ menu, text: compose(menu).text });
    };
    return lateView(async () =>
      (await load()).createMenus(root, {
        onPattern(pattern) {
          choose({ pattern });
          set({ follow: true }); // another sentence, with words to choose of its own
        },
        onChoice: (name, value) => choose({ choices: { ...get().menu.choices, [name]: value } }),
      }),
    );
  },
};
