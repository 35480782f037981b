// What has been changed on the way, each with the way back to where it was.

import { html, nothing } from 'lit-html';
import { valueText } from './settings.js';

/**
 * @param {Pick<import('../state.js').TrainState, 'changes'>} state
 * @param {Pick<import('../view.js').TrainActions, 'onGo'>} actions
 */
export function changesMade({ changes }, { onGo }) {
  if (!changes.length) return nothing;
  return html`<ul class="train-changes" aria-label="Changes during this run">
    ${changes.map(
      ([step, patch]) => html`<li>
        <button type="button" @click=${() => onGo(step)}>
          From step ${step.toLocaleString('en')} – ${Object.entries(patch).map(valueText).join(', ')}
        </button>
      </li>`,
    )}
  </ul>`;
}
