// The switches under the picture. One that is turned asks first whether the model will still learn.

import { html, nothing } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { formatShare } from '../../draw/share.js';
import { valueText } from '../settings/settings.js';
import { TEXTS } from '../tasks.js';
import { operate } from './operate-view.js';
import { headsOf, outcomeOf, switchesOf } from './break.js';

/**
 * @typedef {import('../state.js').TrainState} TrainState
 * @typedef {import('./operate-view.js').OperateActions & {
 *   onBreak: (change: import('./break.js').Settings | null) => void, onSaid: (said: import('./break.js').Said) => void,
 *   onOpenCompare: () => void, onChallenges: () => void,
 * }} BreakActions `onBreak`: null takes the question back
 */

/** @param {TrainState} state @param {BreakActions} actions */
export function breakIt(state, actions) {
  const { onBreak, onSaid, onOpenCompare, onChallenges } = actions;
  const { trial, settings } = state;
  const asked = trial?.said === null ? trial : null;
  const recipe = state.tasks.get(state.task)?.recipe ?? {};
  const heads = asked?.change.heads ?? settings.heads;
  return html`<section class="train-break" aria-labelledby="train-break-title">
    <h3 id="train-break-title">Break it</h3>
    ${switchesOf(settings, recipe).map(
      ({ name, label, isOn, change }) => html`<label class="train-switch"
        ><input
          type="checkbox"
          role="switch"
          .checked=${live(asked && name in asked.change ? !isOn : isOn)}
          @change=${() => onBreak(asked && name in asked.change ? null : change)}
        />${label}</label
      >`,
    )}
    <label class="train-switch"
      >heads
      <select @change=${(/** @type {any} */ { target }) => onBreak({ heads: Number(target.value) })}>
        ${headsOf(settings).map(
          (each) => html`<option value=${each} .selected=${live(each === heads)}>${each}</option>`,
        )}
      </select>
    </label>
    ${operate(state, actions)}
    <span class="train-compare">
      <button type="button" class="plain" @click=${onOpenCompare}>Compare</button>
      <button type="button" class="plain" @click=${onChallenges}>Challenges</button>
    </span>
    <div class="train-trial" role="status">${asked ? question(asked, onBreak, onSaid) : outcome(state)}</div>
  </section>`;
}

/** A change in words: "Positions: None". @param {import('./break.js').Settings} change */
const wordsOf = (change) => Object.entries(change).map(valueText).join(', ');

/**
 * @param {import('./break.js').Trial} trial @param {BreakActions['onBreak']} onBreak
 * @param {BreakActions['onSaid']} onSaid
 */
const question = ({ change }, onBreak, onSaid) => html`<p>
    <strong>${wordsOf(change)}.</strong> The run restarts with the same seed. Will it still learn?
  </p>
  <div class="buttons">
    <button type="button" @click=${() => onSaid('yes')}>It will</button>
    <button type="button" @click=${() => onSaid('no')}>It will not</button>
    <button type="button" class="plain" @click=${() => onSaid('')}>Just show me</button>
    <button type="button" class="plain" @click=${() => onBreak(null)}>Leave it</button>
  </div>`;

/** @param {TrainState} state */
function outcome(state) {
  const { trial, task } = state;
  if (!trial || trial.said === null) return nothing;
  const found = outcomeOf(state);
  const what = wordsOf(trial.change);
  const said = { yes: 'You said that it will still learn.', no: 'You said that it will not learn.', '': '' }[
    trial.said
  ];
  if (!found) return html`<p><strong>${what}.</strong> ${said} The run before stays as a curve.</p>`;
  const { unit } = TEXTS[task];
  const learnt = found.at !== null;
  const mark =
    trial.said === '' ? '' : learnt === (trial.said === 'yes') ? 'You were right. ' : 'It went the other way. ';
  return html`<p>
    <strong>${what}.</strong> ${said} ${mark}${
      learnt
        ? `It learnt: 99 % of the held-out ${unit} were right at step ${found.at?.toLocaleString('en')}.`
        : `It did not: at the end ${formatShare(found.share)} of the held-out ${unit} are right.`
    }
    ${found.lesson} Compare shows it over several seeds.
  </p>`;
}
