// What comes after the first screen: the settings and facts of a step, all rows, neurons, a comparison; and the menu
// of what is kept of the run.

import { html, nothing } from 'lit-html';
import { formatValue } from '../draw/canvas.js';
import { keep } from './keep/view.js';
import { keeping, whenHidden } from './life/view.js';
import { settings } from './settings/view.js';
import { TEXTS, lastCheck, percent } from './tasks.js';
import { predictions } from './watch/predictions-view.js';

/**
 * @typedef {import('./state.js').TrainState} TrainState
 * @typedef {import('./view.js').TrainActions} TrainActions
 */

const count = (/** @type {number} */ value) => value.toLocaleString('en');

/** @param {string} name @param {string} title @param {unknown} content @param {boolean} [isHidden] */
const fold = (name, title, content, isHidden = false) => html`<details
  class="panel train-fold"
  id="train-fold-${name}"
  ?hidden=${isHidden}
>
  <summary><h3>${title}</h3></summary>
  <div class="train-fold-body">${content}</div>
</details>`;

/** @param {TrainState} state @param {TrainActions} actions */
export function more(state, actions) {
  const isFfn = Boolean(state.report?.inspection.ffn);
  return html`${fold('settings', 'Settings and numbers of the step', [facts(state), settings(state, actions)])}
    ${fold('rows', 'More rows', isFfn ? nothing : predictions(state, actions), isFfn)}
    ${fold('neurons', 'FFN neurons', nothing, isFfn)} ${fold('layers', 'Gradients and updates by layer', nothing)}
    ${fold('compare', 'Compare runs over seeds', nothing, isFfn)}`;
}

/** The numbers of the step, beside what changes them. @param {TrainState} state */
function facts(state) {
  const report = /** @type {import('./state.js').Report} */ (state.report);
  const { loss, rate, norm, task } = state;
  const { step, inspection, milliseconds, parameters } = report;
  const check = lastCheck(report);
  const { within } = TEXTS[task];
  /** @param {string} label @param {string} value */
  const fact = (label, value) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`;
  return html`<dl class="train-facts">
      ${fact('Loss of the last batch', step ? formatValue(loss[step - 1]) : '–')}
      ${inspection.ffn ? fact('Largest error', formatValue(inspection.ffn.largest)) : nothing}
      ${check && !inspection.ffn ? rowFacts(check).map(([label, value]) => fact(label, value)) : nothing}
      ${check && !Number.isNaN(check.mass) ? fact('Weight on the solution', weight(check)) : nothing}
      ${fact('Learning rate', step ? String(Number(rate[step - 1].toPrecision(3))) : '–')}
      ${fact('Gradient norm', step ? formatValue(norm[step - 1]) : '–')} ${fact('Parameters', count(parameters))}
      ${fact('A step takes', milliseconds ? `${milliseconds.toFixed(1)} ms` : '–')}
    </dl>
    <div class="train-rate" ?hidden=${Boolean(inspection.ffn)}></div>
    ${
      within
        ? html`<p class="hint">
          With the recipe 99 % of the held-out ${TEXTS[task].unit} are right within ${within}.
        </p>`
        : nothing
    }
`;
}

/** @param {import('./run/run.js').Check} check */
const rowFacts = (check) => [
  ['Held-out loss', formatValue(check.loss)],
  ['Held-out rows right', percent(check.sequences)],
  ['Held-out tokens right', percent(check.accuracy)],
];

/** @param {import('./run/run.js').Check} check */
const weight = ({ mass, chance, head }) => `${mass.toFixed(2)} (uniform ${chance.toFixed(2)}), ${head}`;

/** The menu Keep. @param {TrainState} state @param {TrainActions} actions */
export function keepMenu(state, actions) {
  const { inspection, moments, bytes } = /** @type {import('./state.js').Report} */ (state.report);
  const { hash } = inspection;
  return html`<details class="menu train-keep-menu">
    <summary>Keep</summary>
    <div>
      ${keep(state, actions)}
      <p class="hint train-hash">
        ${hash ? html`SHA-256 of the weights: <code>${hash}</code>. ` : nothing}The same task, settings and
        seed give the same bits in every browser. Every ${moments.interval} steps the run is kept:
        ${moments.steps.length} moment${moments.steps.length === 1 ? '' : 's'}, ${(bytes / 1e6).toFixed(1)} MB; when
        full, every second one is dropped.
      </p>
      ${whenHidden(state, actions)} ${keeping(state, actions)}
    </div>
  </details>`;
}
