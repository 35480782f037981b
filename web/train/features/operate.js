// The menu Operate: what the reader does to the model at the step that is shown, before it trains on.

import { html, nothing } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { changeAt } from '../settings/changes.js';
import { cutsOf, headText, withCut, writeHead } from '../settings/cuts.js';
import { FIELDS, problemOf } from '../settings/settings.js';

const FROZEN = /** @type {import('../settings/settings.js').Field} */ (FIELDS.find(({ name }) => name === 'frozen'));

/** @type {import('../index.js').Feature} */
export const operate = {
  name: 'operate',
  slot: 'break',
  render({ state: { head, changes, settings, problem }, report: { step, inspection } }, { onOperate, onField }) {
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
          .value=${live(wrong ? wrong.typed : String(settings.learningRate))}
          aria-invalid=${wrong ? 'true' : nothing} aria-describedby=${wrong ? 'train-operate-problem' : nothing}
          @change=${(/** @type {any} */ { target }) => onField('learningRate', target.value)}>
        ${wrong ? html`<p class="error" id="train-operate-problem" role="alert">It ${wrong.text}.</p>` : nothing}
      </div>
    </details>`;
  },
};
