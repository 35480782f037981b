// The run before, whose curves stay beside those of the present one.

import { html, nothing } from 'lit-html';
import { hueOf } from '../../draw/color.js';
import { valueText } from '../settings/settings.js';
import { SOLVED, TEXTS, percent } from '../tasks.js';

/**
 * @typedef {import('../state.js').TrainState} TrainState
 * @typedef {Readonly<Record<string, import('../settings/settings.js').Value>>} Settings
 * @typedef {{
 *   settings: Settings, changes: readonly import('../settings/changes.js').Change[], loss: number[],
 *   checks: import('../run/run.js').Check[],
 * }} Before a run that is compared with: its settings at the first step, and what was changed on the way
 */

/**
 * A run in words: differences from the recipe, the seed, changes during the run.
 * @param {Pick<Before, 'settings' | 'changes'>} run @param {Settings} recipe
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
 * @param {Pick<import('../view.js').AllActions, 'onOpenCompare'>} actions
 */
export function comparison({ task, tasks, start, changes, report, before, scheme }, { onOpenCompare }) {
  const recipe = tasks.get(task)?.recipe ?? {};
  const { measure } = TEXTS[task];
  /** @param {Omit<Before, 'loss'>} run @param {string} which @param {{color: string, dash: string}} line */
  const line = (run, which, { color, dash }) => {
    return html`<li>
      <svg class="train-sample" width="26" height="10" aria-hidden="true">
        <path d="M0 5H26" stroke=${color} stroke-dasharray=${dash} stroke-width="2"></path>
      </svg>
      <span>${which}: ${nameOf(run, recipe)} – ${resultOf(run.checks, measure)}</span>
    </li>`;
  };
  const present = { settings: start, changes, checks: report?.checks ?? [] };
  return html`<div class="train-comparison">
    <ul class="train-runs" aria-label="Runs in the curves">
      ${line(present, 'This run', { color: 'var(--accent)', dash: 'none' })}
      ${before ? line(before, 'The run before', hueOf(scheme, 0)) : nothing}
    </ul>
    <div class="buttons">
      <button type="button" class="plain" @click=${onOpenCompare}>Compare over seeds</button>
    </div>
  </div>`;
}
