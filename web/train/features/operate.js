// The menu Operate: the reader's changes to the model at the step that is shown, before it trains on.

import { html, nothing } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { typed } from '../../draw/typed.js';
import { blockOf, of2017, todayOf } from '../settings/blocks.js';
import { changeAt } from '../settings/changes.js';
import { cutsOf, headText, withCut, writeHead } from '../settings/cuts.js';
import { FIELDS, problemOf } from '../settings/settings.js';

const FROZEN = /** @type {import('../settings/settings.js').Field} */ (FIELDS.find(({ name }) => name === 'frozen'));

/** @type {import('../index.js').Feature} */
export const operate = {
  name: 'operate',
  slot: 'break',
  render({ state, report: { step, inspection } }, { onOperate, onField, set }) {
    const { head, changes, settings, problem } = state;
    if (inspection.ffn) return null;
    const patch = changeAt(changes, step);
    const parts = FROZEN.choices.filter(([part]) => !problemOf(FROZEN, part, settings));
    const wrong = problem?.field === 'learningRate' ? problem : null;
    return html`<details class="menu train-operate">
      <summary>Operate</summary>
      <div>
        <p>At step ${step.toLocaleString('en')}. The curves so far stay for comparison.</p>
        <button type="button" ?disabled=${step === 0} @click=${() => onOperate(withCut(patch, head))}>
          ${cutsOf(patch).includes(writeHead(head)) ? 'Undo the cut of' : 'Cut'} ${headText(head)}
        </button>
        <p class="hint">
          ${
            step
              ? 'What it adds becomes 0; training may grow it again. Select another head above its map.'
              : 'A head can be cut from step 1 on.'
          }
        </p>
        <label for="train-operate-frozen">Freeze</label>
        <select id="train-operate-frozen"
          @change=${(/** @type {any} */ { target }) => onOperate({ frozen: target.value })}>
          ${parts.map(
            ([part, label]) =>
              html`<option value=${part} .selected=${live(part === settings.frozen)}>${label.toLowerCase()}</option>`,
          )}
        </select>
        <p class="hint">
          Its weights stay as they are: a learning rate of 0 for this part.
          ${settings.head === 'tied' ? 'The embedding is the output head, too.' : nothing}
        </p>
        <label for="train-operate-rate">Learning rate</label>
        <input id="train-operate-rate" type="number" step="any" inputmode="decimal"
          .value=${typed(wrong ? wrong.typed : String(settings.learningRate), 'learningRate')}
          aria-invalid=${wrong ? 'true' : nothing} aria-describedby=${wrong ? 'train-operate-problem' : nothing}
          @change=${(/** @type {any} */ { target }) => onField('learningRate', target.value)}>
        ${wrong ? html`<p class="error" id="train-operate-problem" role="alert">It ${wrong.text}.</p>` : nothing}
        ${blockMenu(state, set)}
      </div>
    </details>`;
  },
};

/**
 * The whole block at once, at as many parameters; asked about like a switch of Break it.
 * @param {import('../state.js').TrainState} state @param {import('../index.js').Tools['set']} set
 */
function blockMenu({ settings, start, tasks, task, trial }, set) {
  const size = /** @type {import('../state.js').TaskFacts} */ (tasks.get(task));
  const own = blockOf(settings);
  const shown = trial?.said === null ? blockOf({ ...settings, ...trial.change }) : own;
  /** @type {[string, string, import('../state.js').Settings | null][]} */
  const blocks = [
    ['2017', '2017’s', of2017(settings, size)],
    ['today', 'today’s', todayOf(settings, size)],
    ['mixed', 'mixed', null],
  ];
  const offered = blocks.filter(([name, , change]) => change || name === own || name === shown);
  if (offered.length < 2) return nothing;
  /** @param {any} event */
  const choose = ({ target }) => {
    const change = blocks.find(([name]) => name === target.value)?.[2];
    set({ notice: '', trial: change ? { change, before: start, said: null } : null });
  };
  return html`<label for="train-operate-block">Block</label>
    <select id="train-operate-block" @change=${choose}>
      ${offered.map(([name, label]) => html`<option value=${name} .selected=${live(name === shown)}>${label}</option>`)}
    </select>
    <p class="hint">It restarts the run at step 0, at as many parameters.</p>`;
}
