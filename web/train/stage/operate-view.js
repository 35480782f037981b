// The menu Operate: what the reader does to the model at the step that is shown, before it trains on.

import { html, nothing } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { changeAt } from '../settings/changes.js';
import { cutsOf, graftsOf, headText, withOperation, writeHead } from '../settings/operations.js';
import { FIELDS, problemOf } from '../settings/settings.js';
import { stepOf } from '../state.js';

/**
 * @typedef {import('../state.js').TrainState} TrainState
 * @typedef {{
 *   onOperate: (patch: import('../state.js').Settings) => void, onGraft: (seed: string) => void, onGiveUp: () => void,
 * }} OperateActions
 */

const FROZEN = /** @type {import('../settings/settings.js').Field} */ (FIELDS.find(({ name }) => name === 'frozen'));

/** @param {TrainState} state @param {OperateActions} actions */
export const operate = (state, actions) => html`<details class="menu train-operate">
  <summary>Operate</summary>
  <div>
    <p>At step ${stepOf(state).toLocaleString('en')}. The curves so far stay for comparison.</p>
    ${operateOnHead(state, actions)} ${freeze(state.settings, actions)}
  </div>
</details>`;

/** The head whose map is shown. @param {TrainState} state @param {OperateActions} actions */
function operateOnHead({ head, changes, report, start, problem }, { onOperate, onGraft }) {
  const step = report?.step ?? 0;
  const patch = changeAt(changes, step);
  const own = writeHead(head);
  const grafted = graftsOf(patch).find((each) => writeHead(each.head) === own);
  const done = cutsOf(patch).includes(own) ? 'cut' : grafted ? 'graft' : '';
  const wrong = problem?.field === 'graft' ? problem : null;
  const other = grafted?.seed ?? (Number(start.seed) ? 0 : 1);
  const onSubmit = (/** @type {any} */ event) => {
    event.preventDefault();
    onGraft(event.target.elements.seed.value);
  };
  return html`<button
      type="button"
      ?disabled=${step === 0}
      @click=${() => onOperate(withOperation(patch, head, { cut: !done }))}
    >
      ${done ? `Undo the ${done} of` : 'Cut'} ${headText(head)}
    </button>
    <p class="hint">
      ${
        step
          ? 'What it adds becomes 0; training may grow it again. Select another head above its map.'
          : 'A head can be cut or replaced from step 1 on.'
      }
    </p>
    <form class="train-graft" novalidate ?hidden=${step === 0} @submit=${onSubmit}>
      <label for="train-graft">Head of another seed</label>
      <input
        id="train-graft"
        name="seed"
        type="number"
        min="0"
        inputmode="numeric"
        .value=${wrong ? wrong.typed : String(other)}
        aria-invalid=${wrong ? 'true' : nothing}
        aria-describedby="train-graft-hint"
      />
      <button>Put in its place</button>
      ${wrong ? html`<p class="error" role="alert">The seed ${wrong.text}.</p>` : nothing}
      <p class="hint" id="train-graft-hint">
        A run with that seed is trained to this step first. Its head comes with the optimizer’s moments.
      </p>
    </form>`;
}

/** A twin that is being trained. @param {import('../run/donors.js').Twin} twin @param {OperateActions} actions */
export const twin = ({ seed, step, steps }, { onGiveUp }) => html`<p id="train-twin">
    Training seed ${seed} up to step ${steps.toLocaleString('en')}, to take its head.
  </p>
  <progress aria-labelledby="train-twin" max=${steps} value=${step}></progress>
  <button type="button" class="plain" @click=${onGiveUp}>Cancel</button>`;

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
