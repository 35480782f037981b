// The numbers of the step, and the settings of the run; a value that cannot be says why at its field.

import { formatValue } from '../../draw/numbers.js';
import { html, nothing } from 'lit-html';
import { field } from '../../kit/field.js';
import { LIVE } from '../settings/changes.js';
import { GROUPS, isBlock, writeValue } from '../settings/settings.js';
import { isRecipe } from '../state.js';
import { TEXTS, lastCheck, percent } from '../tasks.js';
import style from './settings.css';

/** @type {import('../index.js').Feature} */
export const facts = {
  name: 'facts',
  slot: 'settings',
  render({ state: { loss, rate, norm, running }, report }, { onStep }) {
    const { step, inspection, milliseconds, parameters } = report;
    const check = lastCheck(report);
    const rows = check && !inspection.ffn ? check : null;
    /** @type {[string, string][]} */
    const all = [
      ['Loss of the last batch', step ? formatValue(loss[step - 1]) : '–'],
      ...ifAny(inspection.ffn, ({ largest }) => [['Largest error', formatValue(largest)]]),
      ...ifAny(rows, (each) => [
        ['Held-out loss', formatValue(each.loss)],
        ['Held-out rows right', percent(each.sequences)],
        ['Held-out tokens right', percent(each.accuracy)],
      ]),
      ...ifAny(check && !Number.isNaN(check.mass) ? check : null, ({ mass, chance, head }) => [
        ['Weight on the solution', `${mass.toFixed(2)} (uniform ${chance.toFixed(2)}), ${head}`],
      ]),
      ['Learning rate', step ? String(Number(rate[step - 1].toPrecision(3))) : '–'],
      ['Gradient norm', step ? formatValue(norm[step - 1]) : '–'],
      ['Parameters', parameters.toLocaleString('en')],
      ['A step takes', milliseconds ? `${milliseconds.toFixed(1)} ms` : '–'],
    ];
    return html`<button type="button" ?disabled=${running} @click=${onStep}>One step</button>
      <dl class="train-facts">
        ${all.map(([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}
      </dl>`;
  },
};

/**
 * @template T
 * @param {T | null | undefined} value @param {(value: T) => [string, string][]} make
 */
const ifAny = (value, make) => (value ? make(value) : []);

/** @type {import('../index.js').Feature} */
export const settings = {
  name: 'settings',
  slot: 'settings',
  style,
  render({ state }, { onField, onRecipe }) {
    const { task, tasks, problem, settings: values } = state;
    const { within, unit } = TEXTS[task];
    const recipe = tasks.get(task)?.recipe ?? {};
    const changed = Object.keys(recipe).filter((name) => recipe[name] !== values[name]);
    /** @param {import('../settings/settings.js').Field} field */
    const control = ({ name, label, kind, choices }) => {
      const wrong = problem?.field === name ? problem : null;
      const isLive = LIVE.includes(name);
      const text = isBlock(recipe) ? label : label.replace(' (0: no FFN)', ''); // of an FFN alone
      const marked = html`${text}${
        changed.includes(name) ? html` <span title="differs from the recipe">•</span>` : nothing
      }${isLive ? nothing : html` <span title="restarts the run" aria-hidden="true">↻</span>`}`;
      return field({
        id: `train-${name}`,
        label: marked,
        className: kind === 'flag' ? 'train-flag' : 'train-field',
        kind: kind === 'flag' || kind === 'choice' ? kind : 'number',
        choices,
        value: wrong ? wrong.typed : values[name],
        described: isLive ? '' : 'train-restarts',
        problem: wrong && html`${text}: ${wrong.text}.`,
        onChange: (/** @type {string | boolean} */ value) =>
          onField(name, typeof value === 'boolean' ? writeValue(value) : value),
      });
    };
    return html`${
      within && isRecipe(state)
        ? html`<p class="hint">
            With the recipe, seeds 0 to 4: 99 % of the held-out ${unit} were right within ${within}.
          </p>`
        : nothing
    }<div class="train-settings">
      <p class="hint">
        A change holds from the present step on; what has a ↻ restarts the run at step 0. What differs from the task’s
        recipe has a •.
      </p>
      <span id="train-restarts" hidden>restarts the run</span>
      ${GROUPS.map(
        ({ title, fields }) => html`<fieldset>
          <legend>${title}</legend>
          ${fields.filter(({ name }) => name in recipe).map(control)}
        </fieldset>`,
      )}
      <button type="button" ?disabled=${!changed.length && !state.changes.length} @click=${onRecipe}>
        The task’s recipe again
      </button>
    </div>`;
  },
};
