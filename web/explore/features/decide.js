// The button beside the answer that opens "What decided this?" (decision.js), where the answer is a word.

import { html } from 'lit-html';
import { attention, clampSelection } from '../../engine/plan.js';
import { lostWords } from '../shared/lost.js';

/** @type {import('../index.js').Feature} */
export const decide = {
  name: 'decide',
  slot: 'in-sight',
  render({ result: { plan, facts }, state, modelInfo }, { get, set, viewShown }) {
    const { stack } = attention(clampSelection(state.selection, plan.settings).kind);
    const hasAnswer = plan.hasLogits && modelInfo && !(plan.generate && stack === 'encoder');
    const isGiven = hasAnswer && plan.model === modelInfo.name && !lostWords(plan, modelInfo.vocabulary);
    if (!isGiven || facts.part !== null) return null;
    async function toggle() {
      const opens = !get().decision;
      set({ decision: opens ? get().interventions : null });
      if (!opens) return;
      await viewShown('decision');
      if (document.activeElement?.id === 'decide') document.getElementById('decision-title')?.focus();
    }
    return html`<button type="button" id="decide" class="decide" aria-controls="decision"
      aria-expanded=${state.decision !== null} @click=${toggle}>What decided this?</button>`;
  },
};
