// What the model says to held-out rows at the present moment, right and wrong marked.

import { html, nothing } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { lines } from '../front/row-view.js';
import { TEXTS } from '../tasks.js';

const OWN = 'Your row';
const LONG = 12; // tokens; longer rows stand one below the other

/**
 * @param {import('../state.js').TrainState} state
 * @param {Pick<import('../view.js').TrainActions, 'onExample'>} actions
 */
export function predictions(state, actions) {
  const { report, task, tasks } = state;
  if (!report?.inspection.rows.length) return nothing;
  const { rows, own } = report.inspection;
  const chosen = typeof state.example === 'string' ? rows.length - 1 : state.example; // the report may come later
  const next = tasks.get(task)?.causal;
  return html`<div class="train-predictions">
    <p class="hint">
      Below each token: the model’s answer${next ? ' for the token that comes next' : ''}; ≠ and a frame mark a
      wrong one and name the right one. The chosen row is the one whose attention and neurons are shown.
    </p>
    <ul role="radiogroup" aria-label="Held-out rows" class="train-rows ${rows[0].words.length > LONG ? 'long' : ''}">
      ${rows.map((row, index) => {
        const name = own && index === rows.length - 1 ? OWN : `Row ${index + 1}`;
        return line(row, name, index === chosen, () => actions.onExample(index), TEXTS[task].joint === '');
      })}
    </ul>
  </div>`;
}

/**
 * @param {import('../run/look.js').Row} row @param {string} name @param {boolean} chosen
 * @param {() => void} onChoose
 * @param {boolean} isNarrow
 */
function line(row, name, chosen, onChoose, isNarrow) {
  const { answers } = row;
  const right = answers.filter((each) => each.right).length;
  const mark = right === answers.length ? '✓' : '✗';
  return html`<li role="none" class="train-row">
    <label class="train-row-choice"
      ><input
        type="radio"
        name="train-row"
        .checked=${live(chosen)}
        aria-label=${`${name}: ${right} of ${answers.length} right`}
        @change=${onChoose}
      /><span aria-hidden="true">${mark} ${right}/${answers.length}${name === OWN ? ' yours' : ''}</span></label
    >
    ${lines(row, isNarrow)}
  </li>`;
}
