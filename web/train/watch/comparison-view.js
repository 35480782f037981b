// The runs whose curves stay for comparison.

import { html } from 'lit-html';
import { hueOf } from '../../draw/color.js';
import { valueText } from '../settings/settings.js';
import { SOLVED, TEXTS, percent } from '../tasks.js';

/**
 * @typedef {import('../state.js').TrainState} TrainState
 * @typedef {Readonly<Record<string, import('../settings/settings.js').Value>>} Settings
 * @typedef {{
 *   settings: Settings, changes: readonly import('../settings/changes.js').Change[], loss: number[],
 *   checks: import('../run/run.js').Check[],
 * }} Pin a run that is compared with: its settings at the first step, and what was changed on the way
 */

export const MOST_PINS = 3;

/**
 * A run in words: what differs from the recipe, the seed, what was changed on the way.
 * @param {Pick<Pin, 'settings' | 'changes'>} run @param {Settings} recipe
 */
export function nameOf({ settings, changes }, recipe) {
  const changed = Object.entries(settings).filter(([name, value]) => name !== 'seed' && value !== recipe[name]);
  const later = changes.map(
    ([step, patch]) => `; from step ${step} ${Object.entries(patch).map(valueText).join(', ')}`,
  );
  return `${changed.map(valueText).join(', ') || 'recipe'}; seed ${settings.seed}${later.join('')}`;
}

/** @param {import('../run/run.js').Check[]} checks @param {'sequences' | 'accuracy'} measure */
function resultOf(checks, measure) {
  const solved = checks.find((each) => each[measure] >= SOLVED);
  if (solved) return `99 % at step ${solved.step}`;
  const last = checks.at(-1);
  const best = checks.reduce((most, each) => Math.max(most, each[measure]), 0);
  return `best ${percent(best)}, ${last ? `after ${last.step} steps` : 'no steps yet'}`;
}

/**
 * @param {TrainState} state
 * @param {Pick<import('../view.js').TrainActions, 'onUnpin'>} actions
 */
export function comparison({ task, tasks, start, changes, report, pins, scheme }, { onUnpin }) {
  const recipe = tasks.get(task)?.recipe ?? {};
  const { measure } = TEXTS[task];
  /** @param {Omit<Pin, 'loss'>} run @param {number | null} hue */
  const line = (run, hue) => {
    const { color, dash } = hue === null ? { color: 'var(--accent)', dash: 'none' } : hueOf(scheme, hue);
    const which = hue === null ? 'This run' : `Kept run ${hue + 1}`;
    return html`<li>
      <svg class="train-sample" width="26" height="10" aria-hidden="true">
        <path d="M0 5H26" stroke=${color} stroke-dasharray=${dash} stroke-width="2"></path>
      </svg>
      <span>${which}: ${nameOf(run, recipe)} – ${resultOf(run.checks, measure)}</span>
    </li>`;
  };
  return html`<div class="train-comparison">
    <ul class="train-runs" aria-label="Runs in the curves">
      ${line({ settings: start, changes, checks: report?.checks ?? [] }, null)} ${pins.map(line)}
    </ul>
    <div class="buttons">
      <button type="button" class="plain" @click=${onUnpin}>Drop kept curves</button>
    </div>
  </div>`;
}
