// The text boxes: what the reader types, and what it is called for this model.

import { entryOf } from '../../models/catalogue.js';
import { moveWithText } from '../shared/cursor.js';
import { firstWords } from '../../engine/plan.js';
import { section } from './section.js';

/**
 * @typedef {{label: string, text: string, free: boolean, targetText: string, two: boolean}} TextData
 * `free`: it is typed, not built from menus; `two`: the target is typed as well.
 */

/** @type {import('../index.js').Input<TextData>} */
export const text = {
  name: 'texts',
  slot: 'input',
  section,
  input({ state: { model, settings, text: source, targetText } }) {
    const entry = entryOf(model);
    const two = !entry && settings.kind === 'encoder-decoder';
    const label = entry?.input === 'prompt' ? 'Beginning of the story' : two ? 'Source sentence' : 'Sentence';
    return { label, text: source, free: entry?.input !== 'menus', targetText, two };
  },
  create(root, { get, set, plan, stopGenerating }) {
    /** @param {string} id */
    const at = (id) => /** @type {HTMLElement} */ (root.querySelector(`#${id}`));
    const box = /** @type {HTMLTextAreaElement} */ (at('text'));
    const targetBox = /** @type {HTMLTextAreaElement} */ (at('target-text'));
    box.addEventListener('input', () => {
      stopGenerating();
      const change = { text: box.value, written: [], brush: [] };
      const before = firstWords(plan());
      const after = firstWords(plan({ ...get(), ...change })); // the plan that the new state will have
      const { settings, cursor } = get();
      set({
        ...change,
        ...(settings.kind === 'encoder-decoder' ? {} : { cursor: moveWithText(cursor, before, after) }),
      });
    });
    targetBox.addEventListener('input', () => set({ targetText: targetBox.value, brush: [] }));
    return {
      /** @param {TextData} data */
      update({ label, text: source, free, targetText, two }) {
        at('text-field').hidden = !free;
        at('target-field').hidden = !two;
        at('text-label').textContent = label;
        if (box.value !== source) box.value = source; // else the caret would move
        if (targetBox.value !== targetText) targetBox.value = targetText;
      },
    };
  },
};
