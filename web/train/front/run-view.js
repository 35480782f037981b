// Playback of the run: train, pause, one step, the speed, and the slider under the curves that leads to any step.

import { html, nothing } from 'lit-html';
import { trouble } from '../life/view.js';
import { changesMade } from '../settings/changes-view.js';
import { stepOf } from '../state.js';
import { SPEEDS } from '../pace.js';
import { comparison } from '../watch/comparison-view.js';
import { momentSlider } from '../watch/moments-view.js';

/**
 * @typedef {import('../state.js').TrainState} TrainState
 * @typedef {import('../view.js').TrainActions} TrainActions
 */

const count = (/** @type {number} */ value) => value.toLocaleString('en');

/** @param {TrainState} state @param {TrainActions} actions */
export function playback(state, actions) {
  const { onPlay, onStep, onGo, onSpeed } = actions;
  const { running, speed } = state;
  const step = stepOf(state);
  const until = Math.max(state.until, step);
  return html`<section class="train-controls" aria-label="Run">
    <div class="train-go">
      <button type="button" class="primary train-play" @click=${onPlay}>
        ${running ? 'Pause' : step >= until ? 'Train on' : 'Train'}
      </button>
      <label class="train-step" for="train-moment"
        >Step <strong>${count(step)}</strong> <span class="train-of">of ${count(until)}</span></label
      >
      <div class="buttons">
        <button type="button" class="plain" ?disabled=${running} @click=${onStep}>One step</button>
        <button type="button" class="plain train-reset" ?disabled=${step === 0} @click=${() => onGo(0)}>
          Back to step 0
        </button>
      </div>
      <label class="train-speed"
        ><span>Speed</span>
        <select
          aria-label="Speed"
          @change=${(/** @type {any} */ event) => onSpeed(Number(event.target.value))}
        >
          ${SPEEDS.map(([value, label]) => html`<option value=${value} ?selected=${value === speed}>${label}</option>`)}
        </select>
      </label>
    </div>
    <div class="train-curves">
      <div class="train-charts"></div>
      <div class="train-timeline">
        ${momentSlider(state, actions.onGo)}
      </div>
      ${trouble(state, actions)}
    </div>
  </section>`;
}

/** Which runs the curves are of. It grows, and so stands below what is played with. */
export const legend = (/** @type {TrainState} */ state, /** @type {import('../view.js').AllActions} */ actions) =>
  html`${changesMade(state, actions)} ${state.before ? comparison(state, actions) : nothing}`;
