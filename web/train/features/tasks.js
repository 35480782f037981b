// The head of the place: which task is taught, what it asks, and how far the model is.

import { html, nothing } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { exploreRun } from '../keep/explored.js';
import { headText } from '../settings/cuts.js';
import { isRecipe } from '../state.js';
import { isBlock } from '../settings/settings.js';
import { SOLVED, TEXTS, heldOutText, percent, repeats, solvingHead } from '../tasks.js';
import style from './tasks.css';

/** @type {import('../index.js').Feature} */
export const tasks = {
  name: 'tasks',
  slot: 'tasks',
  style,
  render({ state }, { onTask }) {
    /** @param {string} label @param {boolean} hasLayers */
    const group = (label, hasLayers) => html`<optgroup label=${label}>
      ${[...state.tasks]
        .filter(([, { recipe }]) => isBlock(recipe) === hasLayers)
        .map(
          ([name]) => html`<option value=${name} .selected=${live(name === state.task)}>${TEXTS[name].title}</option>`,
        )}
    </optgroup>`;
    return html`<select class="train-task" name="train-task" aria-label="Task"
      @change=${(/** @type {any} */ { target }) => onTask(target.value)}>
      ${group('A Transformer', true)} ${group('An FFN alone', false)}
    </select>`;
  },
};

/** Describes the task, and the model's score at the step that is shown. @type {import('../index.js').Feature} */
export const about = {
  name: 'about',
  slot: 'about',
  render({ state, report }, tools) {
    const { goal, solved: why } = TEXTS[state.task];
    const answers = report.inspection.rows[report.inspection.example]?.answers ?? [];
    const right = answers.filter((each) => each.right).length;
    const solved = solvedAt(state, report);
    const isMemory = repeats(report.split);
    return html`<p class="train-about">
      ${goal}
      ${
        solved
          ? html`<span class="train-solved" role="status">${isMemory ? '' : '✓ '}${solved}</span> ${
              isMemory ? heldOutText(/** @type {any} */ (report.split), state.level) : isRecipe(state) ? why : nothing
            } ${seeWhy(report, tools)}`
          : answers.length
            ? `${report.step ? '' : 'No rule was programmed. '}Of this row ${right} of ${answers.length} are right.`
            : nothing
      }
    </p>`;
  },
};

/**
 * Opens the head that attends where the solution is, if one does.
 * @param {import('../state.js').Report} report @param {import('../index.js').Tools} tools
 */
function seeWhy(report, tools) {
  const head = solvingHead(report);
  return head
    ? html`<button type="button" class="plain train-why" title="Opens ${headText(head)} in Explore"
        @click=${() => exploreRun(tools, head)}>See why it works</button>`
    : nothing;
}

/**
 * When it was solved, in words; '' before.
 * @param {import('../state.js').TrainState} state @param {import('../state.js').Report} report
 */
function solvedAt({ task }, { checks, step }) {
  const { measure, unit, reached } = TEXTS[task];
  const solved = checks.find((each) => each[measure] >= SOLVED);
  if (!solved || solved.step > step) return '';
  const what = reached ? `${reached} at` : `${percent(solved[measure])} of the held-out ${unit} were right at`;
  return `${what} step ${solved.step.toLocaleString('en')}.`;
}
