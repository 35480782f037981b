// The slider over the moments of a run.

import { html, noChange } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { lengthOf } from '../state.js';

/** The slider is being dragged: updates leave its position alone. */
let dragged = false;

/**
 * As long as the axis of the curves above it; beyond the last step that was taken it leads to that.
 * @param {import('../state.js').TrainState} state
 * @param {(step: number) => void} onGo
 */
export function momentSlider(state, onGo) {
  const { step, moments } = /** @type {import('../state.js').Report} */ (state.report);
  const furthest = Math.max(step, state.loss.length);
  const stops = [...moments.steps, furthest];
  const valueOf = (/** @type {any} */ { target }) => Number(target.value);
  return html`<input
    type="range"
    id="train-moment"
    min="0"
    max=${lengthOf(state)}
    step="1"
    .value=${dragged ? noChange : live(String(step))}
    ?disabled=${furthest === 0}
    aria-valuetext=${`step ${step} of ${furthest}`}
    @pointerdown=${(/** @type {any} */ { target, pointerId }) => {
      target.setPointerCapture(pointerId);
      dragged = true;
    }}
    @lostpointercapture=${(/** @type {Event} */ event) => {
      dragged = false;
      if (valueOf(event) !== step) onGo(nearest(stops, valueOf(event)));
    }}
    @input=${(/** @type {Event} */ event) => {
      const value = valueOf(event);
      // A key moves it by one step, which is to lead to the next moment.
      const next = moments.steps.filter((each) => (value > step ? each > step : each < step));
      onGo(nearest(dragged ? stops : next.length ? next : [value], value));
    }}
  />`;
}

/** @param {number[]} steps @param {number} value */
const nearest = (steps, value) =>
  steps.reduce((best, each) => (Math.abs(each - value) < Math.abs(best - value) ? each : best));
