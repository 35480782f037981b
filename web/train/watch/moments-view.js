// The slider over the moments of a run.

import { html, noChange } from 'lit-html';
import { live } from 'lit-html/directives/live.js';

/** The slider is being dragged: what comes meanwhile leaves its position alone. */
let dragged = false;

/**
 * @param {import('../state.js').Report} report
 * @param {number} furthest step
 * @param {(step: number) => void} onGo
 */
export function momentSlider({ step, moments }, furthest, onGo) {
  const stops = [...moments.steps, furthest];
  const valueOf = (/** @type {any} */ { target }) => Number(target.value);
  return html`<input
    type="range"
    id="train-moment"
    min="0"
    max=${Math.max(1, furthest)}
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
