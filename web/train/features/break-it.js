// Break it: the switches under the picture. One that is turned asks first whether the model will still learn, then the
// run with it is trained beside the curves of the run before.

import { html, nothing } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { formatShare } from '../../draw/numbers.js';
import { othersOf, writeRun } from '../comparison.js';
import { beforeNext } from '../choices.js';
import { blockName, parametersOf } from '../settings/blocks.js';
import { valueText } from '../settings/settings.js';
import { askedOf, isRecipe } from '../state.js';
import { SOLVED, TEXTS, lastCheck } from '../tasks.js';
import style from './break-it.css';

/**
 * @typedef {import('../state.js').TrainState} TrainState
 * @typedef {import('../state.js').Settings} Settings
 * @typedef {'yes' | 'no' | ''} Said whether it will still learn; '': not said
 * @typedef {{change: Settings, before: Settings, said: Said | null}} Trial a switch that was turned;
 *   `said`: null before the reader has answered; `before`: the settings of the run it is compared with
 */

/** @type {import('../index.js').Feature} */
export const breakIt = {
  name: 'break-it',
  slot: 'break',
  style,
  render({ state, report }, { ask }) {
    if (report.inspection.ffn) return null;
    return html`<h3 id="train-break-title">Break it</h3>
      ${switchesOf(state).map(
        ({ label, isOn, change }) => html`<label class="train-switch"
          ><input type="checkbox" role="switch" .checked=${live(isOn)} @change=${() => ask(change)}>${label}</label>`,
      )}`;
  },
};

/** @type {import('../index.js').Feature} */
export const trial = {
  name: 'trial',
  slot: 'break',
  render({ state, report }, tools) {
    if (report.inspection.ffn) return null;
    const asked = askedOf(state);
    return html`<div class="train-trial" role="status">${asked ? question(asked, tools) : outcome(state)}</div>`;
  },
};

/**
 * The switches of the run that is shown, or asked about. On again is as it was before it was turned off.
 * @param {TrainState} state
 * @returns {{label: string, isOn: boolean, change: Settings | null}[]} `change`: by turning it, null: none
 */
function switchesOf(state) {
  const { settings, trial, tasks, task } = state;
  const recipe = tasks.get(task)?.recipe ?? {};
  /** @type {Settings} */
  const shown = { ...settings, ...askedOf(state)?.change };
  /** @param {string} name @param {string} label @param {any} on @param {any} off */
  const make = (name, label, on, off) => {
    const isOn = shown[name] !== off;
    const last = [settings[name], trial?.before[name], recipe[name], on];
    const next = isOn ? off : last.find((each) => each !== undefined && each !== off);
    return { label, isOn, change: next === settings[name] ? null : { [name]: next } };
  };
  return [
    make('positions', 'positions', 'sinusoidal', 'none'),
    make('scoreScale', '÷ √d_k', true, false),
    make('residual', 'residual', true, false),
    make('norm', shown.normKind === 'rms' ? 'RMSNorm' : 'LayerNorm', 'post', 'none'),
    make('d_ff', 'FFN', 64, 0),
    make('causal', 'causal mask', true, false),
  ];
}

/** A change in words: "Positions: None". @param {Settings} change */
const wordsOf = (change) => Object.entries(change).map(valueText).join(', ');

/** The name of a whole block. @param {Settings} change */
const blockIn = (change) => ('d_ff' in change ? blockName(change) : undefined);

/** @param {Settings} change */
function nameOf(change) {
  const name = blockIn(change);
  return name ? `${name[0].toUpperCase()}${name.slice(1)}` : wordsOf(change);
}

/** The parameter counts of the two blocks. @param {Trial} trial @param {TrainState} state */
function countsOf({ change, before }, { tasks, task }) {
  const size = /** @type {import('../state.js').TaskFacts} */ (tasks.get(task));
  const [first, then] = [before, { ...before, ...change }].map((each) => parametersOf(each, size).toLocaleString('en'));
  return `${wordsOf(change)}. Parameters: ${first}, then ${then}.`;
}

/** @param {Trial} trial @param {import('../index.js').Tools} tools */
function question(trial, tools) {
  const { change, before } = trial;
  const { get, set, open, play, ask } = tools;
  /** Trains with it; the run before stays as a curve. @param {Said} said */
  async function say(said) {
    set({ before: beforeNext(get()) });
    await open(get().task, { ...before, ...change }, 0, false, [], { change, before, said });
    if (!get().problem) await play();
  }
  return html`<p>
      <strong>${nameOf(change)}.</strong> ${blockIn(change) ? countsOf(trial, get()) : nothing}
      The run restarts with the same seed. Will it still learn?
    </p>
    <div class="buttons">
      <button type="button" @click=${() => say('yes')}>It will</button>
      <button type="button" @click=${() => say('no')}>It will not</button>
      <button type="button" class="plain" @click=${() => say('')}>Just show me</button>
      <button type="button" class="plain" @click=${() => ask(null)}>Leave it</button>
    </div>`;
}

/** The result of the trial. @param {TrainState} state */
function outcome({ trial, task, tasks, report, until, running }) {
  if (!trial || trial.said === null || !report) return nothing;
  const what = nameOf(trial.change);
  const said = { yes: 'You said that it will still learn.', no: 'You said that it will not learn.', '': '' }[
    trial.said
  ];
  const { measure, unit } = TEXTS[task];
  const last = running || report.step < until ? null : lastCheck(report);
  if (!last) return html`<p><strong>${what}.</strong> ${said} The run before stays as a curve.</p>`;
  const at = report.checks.find((each) => each[measure] >= SOLVED)?.step;
  const others = othersOf(task, trial.before, tasks.get(task));
  const known = others.find(({ change }) => writeRun(change) === writeRun(trial.change));
  const isRight = (at !== undefined) === (trial.said === 'yes');
  const mark = trial.said === '' ? '' : isRight ? 'You were right. ' : 'It went the other way. ';
  return html`<p>
    <strong>${what}.</strong> ${said} ${mark}${
      at === undefined
        ? `It did not: at the end ${formatShare(last[measure])} of the held-out ${unit} are right.`
        : `It learnt: 99 % of the held-out ${unit} were right at step ${at.toLocaleString('en')}.`
    }
    ${isRecipe({ start: trial.before, tasks, task }) ? known?.lesson : ''} Compare shows it over several seeds.
  </p>`;
}
