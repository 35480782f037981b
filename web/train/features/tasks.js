// The head of the place: which task is taught, what it asks, and how far the model is.

import { html, nothing } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { ref } from 'lit-html/directives/ref.js';
import { exploreRun } from '../keep/explored.js';
import { headText } from '../settings/cuts.js';
import { isRecipe } from '../state.js';
import { SOLVED, TEXTS, heldOutText, percent, repeats, solvingHead } from '../tasks.js';
import style from './tasks.css';

/** Those that stand beside the title; the others are in the menu. */
const FIRST = ['reverse', 'sort', 'addition', 'induction', 'text'];

/** @type {import('../index.js').Feature} */
export const tasks = {
  name: 'tasks',
  slot: 'tasks',
  style,
  render({ state }, { onTask }) {
    const shown = FIRST.includes(state.task) ? FIRST : [...FIRST, state.task];
    const others = [...state.tasks.keys()].filter((name) => !shown.includes(name));
    /** @param {string} name */
    const choice = (name) => html`<label class="train-card">
      <input type="radio" class="visually-hidden" name="train-task" value=${name} .checked=${live(name === state.task)}
        @change=${() => onTask(name)}>
      <span>${TEXTS[name].title}</span>
    </label>`;
    return html`${shown.map(choice)}
      <details class="menu train-others" ${ref(closed(state.task))}>
        <summary>more</summary>
        <div>${others.map(choice)}</div>
      </details>`;
  },
};

/** Closes the menu of the other tasks once one of them is chosen. @param {string} task */
const closed = (task) => (/** @type {Element | undefined} */ menu) => {
  if (menu instanceof HTMLDetailsElement && menu.dataset.task !== task) {
    menu.open = false;
    menu.dataset.task = task;
  }
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
