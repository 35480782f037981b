// "What decided this?": its button beside the answer, and the panel, fetched when the reader first asks.

import { html } from 'lit-html';
import { lazyPanel } from '../shared/lazy-panel.js';
import { lostWords } from '../shared/lost.js';
import { attention, clampSelection } from '../../engine/plan.js';

/** @type {import('../index.js').Panel<{isOpen: boolean}>} */
export const decideButton = {
  name: 'decide',
  slot: 'in-sight',
  section: html`
    <button type="button" id="decide" class="decide" aria-controls="decision" aria-expanded="false" hidden>
      What decided this?
    </button>`,
  present({ result: { plan, facts }, state, modelInfo }) {
    const { stack } = attention(clampSelection(state.selection, plan.settings).kind);
    const hasAnswer = plan.hasLogits && modelInfo && !(plan.generate && stack === 'encoder');
    const isGiven = hasAnswer && plan.model === modelInfo.name && !lostWords(plan, modelInfo.vocabulary);
    return isGiven && facts.part === null ? { isOpen: state.decision !== null } : null;
  },
  create(root, { get, set }) {
    root.addEventListener('click', () => set({ decision: get().decision ? null : get().interventions }));
    return {
      update(data) {
        root.hidden = !data;
        root.ariaExpanded = String(Boolean(data?.isOpen));
      },
      destroy() {},
    };
  },
};

export const decision = lazyPanel({
  name: 'decision',
  slot: 'main',
  section: html`
    <section class="panel" aria-labelledby="decision-title" data-optional hidden>
      <h2 id="decision-title" tabindex="-1">What decided this?</h2>
      <div id="decision"></div>
    </section>`,
  isWanted: ({ plan, state }) => Boolean(state.decision) && plan.hasLogits,
  load: async () => (await import('../late.js')).decision,
});
