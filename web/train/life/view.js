// Notices about a run: where it stopped or diverges, what a hidden tab does, what is kept.

import { html, nothing } from 'lit-html';
import { FAR, FEW, divergence, wayBack } from './life.js';

/**
 * @typedef {import('../state.js').TrainState} TrainState
 * @typedef {import('../state.js').Report} Report
 * @typedef {{
 *   onBack: (step: number, learningRate: number) => void, onHidden: (choice: import('./life.js').Hidden) => void,
 *   onForget: () => void,
 * }} LifeActions
 */

const count = (/** @type {number} */ value) => value.toLocaleString('en');

/** Shows an error with a way back, if there is one. @param {TrainState} state @param {LifeActions} actions */
export function trouble(state, { onBack }) {
  const { failure } = /** @type {Report} */ (state.report);
  const { learningRate } = state.settings;
  const far = failure ? null : divergence(state);
  if (!failure && !far) return nothing;
  const { step, rate } = wayBack(state);
  return html`<p class="error train-trouble" role="alert">
    ${
      failure
        ? html`Step ${failure.step} was not taken: ${failure.tensor}${failure.layer ? ` (layer ${failure.layer})` : ''}
          is not finite, so no weight was changed.`
        : html`The loss diverges: since step ${far?.since} its mean over ${FEW} steps is more than ${FAR} times what it
          was at the start, ${far?.start.toFixed(2)}.`
    }
    The learning rate of ${learningRate} may be too high.
    <button type="button" @click=${() => onBack(step, rate)}>
      ${step ? `Go back to step ${count(step)} and use` : 'Restart with'} a learning rate of ${rate}
    </button>
  </p>`;
}

/** @param {TrainState} state @param {LifeActions} actions */
export const whenHidden = ({ hidden }, { onHidden }) => html`<label class="train-speed"
  >When the tab is hidden
  <select @change=${(/** @type {any} */ { target }) => onHidden(target.value)}>
    ${
      /** @type {const} */ (['go on', 'pause']).map(
        (each) => html`<option value=${each} ?selected=${each === hidden}>${each}</option>`,
      )
    }
  </select>
</label>`;

/** @type {Record<import('../run/storage.js').Reason, string>} */
const REASONS = {
  '': '',
  refused: 'This browser refuses storage here (a private window, for example), so a reload loses the run.',
  full: 'The browser’s storage is full: what comes after that is not kept.',
  elsewhere: 'Another tab now keeps its run instead of this one, which a reload would lose.',
  deleted: 'The kept run is deleted; this one is kept no further.',
};

/** Shows the state of the run kept in this browser. @param {TrainState} state @param {LifeActions} actions */
export function keeping(state, { onForget }) {
  const { step, reason } = /** @type {Report} */ (state.report).keeping;
  if (step === null) return reason ? html`<p class="hint train-kept">${REASONS[reason]}</p>` : nothing;
  return html`<p class="hint train-kept">
    Kept in this browser, on this machine only, up to step ${count(step)}: after a reload or a crash the run goes on
    from there. ${REASONS[reason]}
    <button type="button" @click=${onForget}>Delete the kept run</button>
  </p>`;
}
