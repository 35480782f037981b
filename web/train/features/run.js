// Playback of the run: train, pause, the speed; the slider under the curves, and which runs these are of.

import { html, noChange, nothing } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { hueOf } from '../../draw/color.js';
import { trouble } from '../life/view.js';
import { SPEEDS } from '../pace.js';
import { laterClass, lengthOf } from '../state.js';
import { isBlock, nameOf, valueText } from '../settings/settings.js';
import { SOLVED, TEXTS, percent } from '../tasks.js';
import style from './run.css';

const count = (/** @type {number} */ value) => value.toLocaleString('en');

/** @type {import('../index.js').Feature} */
export const run = {
  name: 'run',
  slot: 'run',
  style,
  render({ state, report: { step } }, { onPlay, onGo, onSpeed }) {
    const { running, speed } = state;
    const until = Math.max(state.until, step);
    return html`<button type="button" class="primary train-play" @click=${onPlay}>
        ${running ? 'Pause' : step >= until ? 'Train on' : 'Train'}
      </button>
      <label class="train-step" for="train-moment"
        >Step <strong>${count(step)}</strong> <span class="train-of">of ${count(until)}</span></label
      >
      <button type="button" class=${laterClass(state, 'plain train-reset')} ?disabled=${step === 0}
        @click=${() => onGo(0)}>
        Back to step 0
      </button>
      <label class=${laterClass(state, 'train-speed')}><span>Speed</span>
        <select aria-label="Speed" @change=${(/** @type {any} */ { target }) => onSpeed(Number(target.value))}>
          ${SPEEDS.map(([value, label]) => html`<option value=${value} ?selected=${value === speed}>${label}</option>`)}
        </select>
      </label>`;
  },
};

/**
 * The slider over the moments of a run, as long as the axis of the curves above it; beyond the last step that was taken
 * it leads to that. While it is being dragged, updates leave its position alone.
 * @type {import('../index.js').Feature}
 */
export const course = {
  name: 'course',
  slot: 'course',
  local: { dragged: false },
  render({ state, report: { step, moments }, local: { dragged } }, tools) {
    const { onGo, local: remember } = tools;
    const furthest = Math.max(step, state.loss.length);
    const stops = [...moments.steps, furthest];
    const valueOf = (/** @type {any} */ { target }) => Number(target.value);
    /** @param {any} event */
    const drag = ({ target, pointerId }) => {
      target.setPointerCapture(pointerId);
      remember({ dragged: true });
    };
    /** @param {any} event */
    const drop = (event) => {
      const to = valueOf(event);
      remember({ dragged: false });
      if (to !== step) onGo(nearest(stops, to));
    };
    /** A key moves it by one step, which is to lead to the next moment. @param {any} event */
    const slide = (event) => {
      const value = valueOf(event);
      const next = moments.steps.filter((each) => (value > step ? each > step : each < step));
      onGo(nearest(dragged ? stops : next.length ? next : [value], value));
    };
    return html`<div class="train-timeline">
      <input type="range" id="train-moment" min="0" max=${lengthOf(state)} step="1"
        .value=${dragged ? noChange : live(String(step))} ?disabled=${furthest === 0}
        aria-valuetext=${`step ${step} of ${furthest}`}
        @pointerdown=${drag} @lostpointercapture=${drop} @input=${slide}>
    </div>
    ${trouble(state, tools)}`;
  },
};

/** @param {number[]} steps @param {number} value */
const nearest = (steps, value) =>
  steps.reduce((best, each) => (Math.abs(each - value) < Math.abs(best - value) ? each : best));

/**
 * The changes during this run, each with a way back to its step, and the run before, whose curves stay beside those of
 * the present one. The list grows, so it stands below the controls.
 * @type {import('../index.js').Feature}
 */
export const runs = {
  name: 'runs',
  slot: 'runs',
  render: ({ state: { changes, before, start, task, tasks }, report: { checks }, scheme }, { onGo, reveal }) =>
    html`${
      changes.length
        ? html`<ul class="train-changes" aria-label="Changes during this run">
        ${changes.map(
          ([step, patch]) => html`<li>
            <button type="button" @click=${() => onGo(step)}>
              From step ${count(step)} – ${Object.entries(patch).map(valueText).join(', ')}
            </button>
          </li>`,
        )}
      </ul>`
        : nothing
    }${
      before
        ? html`<div class="train-comparison">
        <ul class="train-runs" aria-label="Runs in the curves">
          ${[
            { which: 'This run', run: { settings: start, changes, checks }, color: 'var(--accent)', dash: 'none' },
            { which: 'The run before', run: before, ...hueOf(scheme, 0) },
          ].map(
            (each) => html`<li>
              <svg class="train-sample" width="26" height="10" aria-hidden="true">
                <path d="M0 5H26" stroke=${each.color} stroke-dasharray=${each.dash} stroke-width="2"></path>
              </svg>
              <span>${each.which}: ${nameOf(each.run, tasks.get(task)?.recipe ?? {})} – ${resultOf(
                each.run.checks,
                TEXTS[task].measure,
              )}</span>
            </li>`,
          )}
        </ul>
        ${
          isBlock(start)
            ? html`<div class="buttons">
                <button type="button" class="plain" @click=${() => reveal('compare')}>Compare over seeds</button>
              </div>`
            : nothing
        }
      </div>`
        : nothing
    }`,
};

/** @param {readonly import('../run/run.js').Check[]} checks @param {'sequences' | 'accuracy'} measure */
function resultOf(checks, measure) {
  const solved = checks.find((each) => each[measure] >= SOLVED);
  if (solved) return `99 % at step ${solved.step}`;
  const last = checks.at(-1);
  const best = checks.reduce((most, each) => Math.max(most, each[measure]), 0);
  return `best ${percent(best)}, ${last ? `after ${last.step} steps` : 'no steps yet'}`;
}
