// Operate: the reader's changes to the model at the step that is shown, before it trains on; its heads and block.

import { html, nothing } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { typed } from '../../draw/typed.js';
import { blockOf, of2017, todayOf } from '../settings/blocks.js';
import { changeAt } from '../settings/changes.js';
import { cutsOf, headText, withCut, writeHead } from '../settings/cuts.js';
import { FIELDS, isPossible, problemOf } from '../settings/settings.js';
import { askedOf } from '../state.js';

const RESTARTS = 'Another choice restarts the run at step 0';
const FROZEN = /** @type {import('../settings/settings.js').Field} */ (FIELDS.find(({ name }) => name === 'frozen'));

/** @type {import('../index.js').Feature} */
export const operate = {
  name: 'operate',
  slot: 'operate',
  render({ state, report: { step, inspection } }, tools) {
    const { onOperate, onField } = tools;
    const { head, changes, settings, problem } = state;
    if (inspection.ffn) return null;
    const patch = changeAt(changes, step);
    const parts = FROZEN.choices.filter(([part]) => !problemOf(FROZEN, part, settings));
    const wrong = problem?.field === 'learningRate' ? problem : null;
    return html`<div class="train-operate">
      ${headsMenu(state, tools)}
      <div>
        <span>Cut</span>
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
      </div>
      <div>
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
      </div>
      <div>
        <label for="train-operate-rate">Learning rate</label>
        <input id="train-operate-rate" type="number" step="any" inputmode="decimal"
          .value=${typed(wrong ? wrong.typed : String(settings.learningRate), 'learningRate')}
          aria-invalid=${wrong ? 'true' : nothing} aria-describedby=${wrong ? 'train-operate-problem' : nothing}
          @change=${(/** @type {any} */ { target }) => onField('learningRate', target.value)}>
        ${wrong ? html`<p class="error" id="train-operate-problem" role="alert">It ${wrong.text}.</p>` : nothing}
        <p class="hint">From step ${step.toLocaleString('en')} on. The curves so far stay for comparison.</p>
      </div>
      ${blockMenu(state, tools)}
    </div>`;
  },
};

/** @param {import('../state.js').TrainState} state @param {import('../index.js').Tools} tools */
function headsMenu(state, { ask }) {
  const { settings } = state;
  const heads = askedOf(state)?.change.heads ?? settings.heads;
  const choices = [1, 2, 4, 8].filter((each) => isPossible(settings, { heads: each }));
  return html`<div>
    <label for="train-operate-heads">Heads</label>
    <select id="train-operate-heads"
      @change=${(/** @type {any} */ { target }) => ask({ heads: Number(target.value) })}>
      ${choices.map((each) => html`<option value=${each} .selected=${live(each === heads)}>${each}</option>`)}
    </select>
    <p class="hint">${RESTARTS}.</p>
  </div>`;
}

/**
 * The whole block at once, at as many parameters; asked about like a switch of Break it.
 * @param {import('../state.js').TrainState} state @param {import('../index.js').Tools} tools
 */
function blockMenu(state, { ask }) {
  const { settings, tasks, task } = state;
  const size = /** @type {import('../state.js').TaskFacts} */ (tasks.get(task));
  const own = blockOf(settings);
  const asked = askedOf(state);
  const shown = asked ? blockOf({ ...settings, ...asked.change }) : own;
  /** @type {[string, string, import('../state.js').Settings | null][]} */
  const blocks = [
    ['2017', '2017’s', of2017(settings, size)],
    ['today', 'today’s', todayOf(settings, size)],
    ['mixed', 'mixed', null],
  ];
  const offered = blocks.filter(([name, , change]) => change || name === own || name === shown);
  if (offered.length < 2) return nothing;
  const choose = (/** @type {any} */ { target }) => ask(blocks.find(([name]) => name === target.value)?.[2] ?? null);
  return html`<div>
    <label for="train-operate-block">Block</label>
    <select id="train-operate-block" @change=${choose}>
      ${offered.map(([name, label]) => html`<option value=${name} .selected=${live(name === shown)}>${label}</option>`)}
    </select>
    <p class="hint">${RESTARTS}, at as many parameters.</p>
  </div>`;
}
