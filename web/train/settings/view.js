// The settings of the run; a value that cannot be says why at its field.

import { html, noChange, nothing } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { LIVE } from './changes.js';
import { GROUPS, writeValue } from './settings.js';

/**
 * @typedef {import('../state.js').TrainState} TrainState
 * @typedef {import('./settings.js').Field} Field
 */

/** The field in which something is being typed: a report that comes meanwhile leaves it alone. */
let typed = '';

/**
 * @param {TrainState} state
 * @param {Pick<import('../view.js').TrainActions, 'onField' | 'onRecipe'>} actions
 */
export function settings(state, { onField, onRecipe }) {
  const recipe = state.tasks.get(state.task)?.recipe ?? {};
  const changed = Object.keys(recipe).filter((name) => recipe[name] !== state.settings[name]);
  return html`<div class="train-settings">
    <p class="hint">
      A change holds from the present step on; what has a ↻ restarts the run at step 0. What differs from the task’s
      recipe has a •.
    </p>
    <span id="train-restarts" hidden>restarts the run</span>
    ${GROUPS.map(
      ({ title, fields }) => html`<fieldset>
        <legend>${title}</legend>
        ${fields
          .filter(({ name }) => name in recipe)
          .map((field) => ('layers' in recipe ? field : { ...field, label: field.label.replace(' (0: no FFN)', '') }))
          .map((field) => control(field, state, changed.includes(field.name), onField))}
      </fieldset>`,
    )}
    <button type="button" ?disabled=${!changed.length && !state.changes.length} @click=${onRecipe}>
      The task’s recipe again
    </button>
  </div>`;
}

/** @param {string} value @param {string} text @param {boolean} chosen */
const option = (value, text, chosen) => html`<option value=${value} .selected=${live(chosen)}>${text}</option>`;

/**
 * @param {Field} field @param {TrainState} state @param {boolean} changed
 * @param {(name: string, text: string) => void} onField
 */
function control({ name, label, kind, choices }, { settings: values, problem }, changed, onField) {
  const id = `train-${name}`;
  const wrong = problem?.field === name ? problem : null;
  const value = values[name];
  const change = (/** @type {any} */ { target }) => {
    typed = '';
    onField(name, kind === 'flag' ? writeValue(target.checked) : target.value);
  };
  const restarts = LIVE.includes(name) ? nothing : 'train-restarts';
  const mark = html`${changed ? html` <span title="differs from the recipe">•</span>` : nothing}${
    LIVE.includes(name) ? nothing : html` <span title="restarts the run" aria-hidden="true">↻</span>`
  }`;
  const described = [wrong ? `${id}-problem` : '', LIVE.includes(name) ? '' : 'train-restarts'].join(' ').trim();
  if (kind === 'flag')
    return html`<label class="train-flag"
      ><input
        type="checkbox"
        id=${id}
        aria-describedby=${restarts}
        .checked=${live(Boolean(value))}
        @change=${change}
      />
      ${label}${mark}</label
    >`;
  return html`<div class="train-field">
    <label for=${id}>${label}${mark}</label>
    ${
      kind === 'choice'
        ? html`<select id=${id} aria-describedby=${restarts} @change=${change}>
          ${choices.map(([each, text]) => option(each, text, each === value))}
        </select>`
        : html`<input
          id=${id}
          type="number"
          step="any"
          inputmode="decimal"
          .value=${typed === name ? noChange : live(wrong ? wrong.typed : String(value))}
          aria-invalid=${wrong ? 'true' : nothing}
          aria-describedby=${described || nothing}
          @input=${() => (typed = name)}
          @blur=${() => (typed = '')}
          @change=${change}
        />`
    }
    ${wrong ? html`<p class="error" id="${id}-problem" role="alert">${label}: ${wrong.text}.</p>` : nothing}
  </div>`;
}
