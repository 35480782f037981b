// The fact sheet of a trained model.

import { html } from 'lit-html';
import { lateView } from '../../shared/late-view.js';

/** @typedef {{modelInfo: import('../../engine/plan.js').ModelInfo, parameters: number}} CardData */

/** @type {import('../index.js').Panel<CardData>} */
export const modelCard = {
  name: 'model-card',
  slot: 'model-card',
  isAside: true,
  section: html`<div id="model-card" hidden></div>`,
  present: ({ result: { facts }, modelInfo }) => (modelInfo ? { modelInfo, parameters: facts.parameters } : null),
  blank: () => undefined, // it does not depend on the text
  create(root) {
    const box = /** @type {HTMLDetailsElement} */ (root.closest('details'));
    /** @type {CardData | null} */
    let data = null;
    const view = lateView(async () => (await import('../late.js')).createCard(root));
    const show = () => box.open && view.update(data);
    box.addEventListener('toggle', show);
    return {
      update(next) {
        data = next;
        root.hidden = !data;
        show();
      },
      destroy() {},
    };
  },
};
