// The menu Operate: what the reader does to the model at the step that is shown, before it trains on.

import { html, nothing } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { changeAt } from '../settings/changes.js';
import { cutsOf, headText, withCut, writeHead } from '../settings/cuts.js';
import { FIELDS, problemOf } from '../settings/settings.js';
import { stepOf } from '../state.js';

/**
 * @typedef {import('../state.js').TrainState} TrainState
 * @typedef {{
 *   onOperate: (patch: import('../state.js').Settings) => void, onField: (name: string, text: string) => void,
 * }} OperateActions
 */

const FROZEN = /** @type {import('../settings/settings.js').Field} */ (FIELDS.find(({ name }) => name === 'frozen'));

/** @param {TrainState} state @param {OperateActions} actions */
export const operate = (state, actions) => html`<details class="menu train-operate">
  <summary>Operate</summary>
  <div>
    <p>At step ${stepOf(state).toLocaleString('en')}. The curves so far stay for comparison.</p>
    ${operateOnHead(state, actions)} ${freeze(state.settings, actions)} ${rate(state, actions)}
  </div>
</details>`;

/** The head whose map is shown. @param {TrainState} state @param {OperateActions} actions */
function operateOnHead({ head, changes, report }, { onOperate }) {
  const step = report?.step ?? 0;
  const patch = changeAt(changes, step);
  const isCut = cutsOf(patch).includes(writeHead(head));
  return html`<button type="button" ?disabled=${step === 0} @click=${() => onOperate(withCut(patch, head))}>
      ${isCut ? 'Undo the cut of' : 'Cut'} ${headText(head)}
    </button>
    <p class="hint">
      ${
        step
          ? 'What it adds becomes 0; training may grow it again. Select another head above its map.'
          : 'A head can be cut from step 1 on.'
      }
    </p>`;
}

/** @param {TrainState['settings']} settings @param {OperateActions} actions */
function freeze(settings, { onOperate }) {
  const onChange = (/** @type {any} */ { target }) => onOperate({ frozen: target.value });
  const choices = FROZEN.choices.filter(([part]) => !problemOf(FROZEN, part, settings));
  return html`<label for="train-operate-frozen">Freeze</label>
      <select id="train-operate-frozen" @change=${onChange}>
        ${choices.map(
          ([part, label]) =>
            html`<option value=${part} .selected=${live(part === settings.frozen)}>${label.toLowerCase()}</option>`,
        )}
      </select>
    <p class="hint">
      Its weights stay as they are: a learning rate of 0 for this part.
      ${settings.head === 'tied' ? 'The embedding is the output head, too.' : nothing}
    </p>`;
}

/** @param {TrainState} state @param {OperateActions} actions */
function rate({ settings, problem }, { onField }) {
  const wrong = problem?.field === 'learningRate' ? problem : null;
  return html`<label for="train-operate-rate">Learning rate</label>
    <input
      id="train-operate-rate"
      type="number"
      step="any"
      inputmode="decimal"
      .value=${live(wrong ? wrong.typed : String(settings.learningRate))}
      aria-invalid=${wrong ? 'true' : nothing}
      aria-describedby=${wrong ? 'train-operate-problem' : nothing}
      @change=${(/** @type {any} */ { target }) => onField('learningRate', target.value)}
    />
    ${wrong ? html`<p class="error" id="train-operate-problem" role="alert">It ${wrong.text}.</p>` : nothing}`;
}
