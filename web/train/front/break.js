// Break it: what the reader switches off to see whether the model still learns.

import { TEXTS, SOLVED, lastCheck } from '../tasks.js';
import { othersOf, writeRun } from '../compare/compare.js';

/**
 * @typedef {import('../state.js').TrainState} TrainState
 * @typedef {Readonly<Record<string, import('../settings/settings.js').Value>>} Settings
 * @typedef {{name: string, label: string, isOn: boolean, change: Settings}} Switch `change`: what turning it does
 * @typedef {'yes' | 'no' | ''} Said whether it will still learn; '': not said
 * @typedef {{change: Settings, before: Settings, said: Said | null}} Trial a switch that was turned;
 *   `said`: null before the reader has answered; `before`: the settings of the run it is compared with
 */

/**
 * @param {Settings} settings of the run that is shown
 * @param {Settings} recipe of its task
 * @returns {Switch[]}
 */
export function switchesOf(settings, recipe) {
  const value = (/** @type {string} */ name, /** @type {any} */ otherwise) =>
    recipe[name] === 'none' ? otherwise : recipe[name];
  /** @param {string} name @param {string} label @param {any} on @param {any} off */
  const make = (name, label, on, off) => {
    const isOn = settings[name] !== off;
    return { name, label, isOn, change: { [name]: isOn ? off : on } };
  };
  return [
    make('positions', 'positions', value('positions', 'sinusoidal'), 'none'),
    make('scoreScale', '÷ √d_k', true, false),
    make('residual', 'residual', true, false),
    make('norm', 'LayerNorm', value('norm', 'post'), 'none'),
    make('causal', 'causal mask', true, false),
  ];
}

/** Numbers of heads that divide d_model. @param {Settings} settings */
export const headsOf = ({ d_model: width }) => [1, 2, 4, 8].filter((heads) => Number(width) % heads === 0);

/** What became of it, once the run has ended; null before. @param {TrainState} state */
export function outcomeOf(state) {
  const { trial, report, until, task, running } = state;
  if (!trial || trial.said === null || !report || running || report.step < until) return null;
  const { measure } = TEXTS[task];
  const last = lastCheck(report);
  if (!last) return null;
  const learnt = report.checks.find((each) => each[measure] >= SOLVED);
  const known = othersOf(task, trial.before).find(({ change }) => writeRun(change) === writeRun(trial.change));
  return { share: last[measure], at: learnt?.step ?? null, lesson: known?.lesson ?? '' };
}
