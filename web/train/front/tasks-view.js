// The head of the place: which task is taught, what it asks, how far the model is, and what is kept of the run.

import { html, nothing } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { ref } from 'lit-html/directives/ref.js';
import { isRecipe } from '../state.js';
import { SOLVED, TEXTS, heldOutText, percent, repeats } from '../tasks.js';

/**
 * @typedef {import('../state.js').TrainState} TrainState
 * @typedef {import('../view.js').TrainActions} TrainActions
 */

/** Those that stand beside the title; the others are in the menu. */
const FIRST = ['reverse', 'sort', 'addition', 'induction', 'text'];

/**
 * @param {TrainState} state @param {import('../view.js').AllActions} actions
 * @param {{title: HTMLElement, menu: unknown}} parts the place's title, and the menu at the end of the line
 */
export function head(state, actions, { title, menu }) {
  const { tasks, task } = state;
  const shown = FIRST.includes(task) ? FIRST : [...FIRST, task];
  const others = [...tasks.keys()].filter((name) => !shown.includes(name));
  /** @param {string} name */
  const choice = (name) => html`<label class="train-card">
    <input
      type="radio"
      class="visually-hidden"
      name="train-task"
      value=${name}
      .checked=${live(name === task)}
      @change=${() => actions.onTask(name)}
    />
    <span>${TEXTS[name].title}</span>
  </label>`;
  return html`<div class="train-head">
    ${title}
    <div class="train-cards" role="radiogroup" aria-labelledby="train-title">
      ${shown.map(choice)}
      <details class="menu train-others" ${ref(closed(task))}>
        <summary>more</summary>
        <div>${others.map(choice)}</div>
      </details>
      <button type="button" class="plain train-guide-open" @click=${() => actions.onGuide(0)}>Guided run</button>
    </div>
    <div class="train-head-end">
      <button type="button" class="plain train-sheet-open" @click=${actions.onSettings}>Settings</button>
      ${menu}
    </div>
  </div>`;
}

/** Closes the menu of the other tasks once one of them is chosen. @param {string} task */
const closed = (task) => (/** @type {Element | undefined} */ menu) => {
  if (menu instanceof HTMLDetailsElement && menu.dataset.task !== task) {
    menu.open = false;
    menu.dataset.task = task;
  }
};

/** What the task asks, and how far the model is at the step that is shown. @param {TrainState} state */
export function about(state) {
  const report = /** @type {import('../state.js').Report} */ (state.report);
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
            isMemory
              ? heldOutText(/** @type {any} */ (report.split), state.level)
              : `${isRecipe(state) ? '' : 'With the recipe’s settings: '}${why}`
          }`
        : answers.length
          ? `${report.step ? '' : 'No rule was programmed. '}Of this row ${right} of ${answers.length} are right.`
          : nothing
    }
  </p>`;
}

/** When it was solved, in words; '' before. @param {TrainState} state @param {import('../state.js').Report} report */
function solvedAt({ task }, { checks, step }) {
  const { measure, unit, reached } = TEXTS[task];
  const solved = checks.find((each) => each[measure] >= SOLVED);
  if (!solved || solved.step > step) return '';
  const what = reached ? `${reached} at` : `${percent(solved[measure])} of the held-out ${unit} were right at`;
  return `${what} step ${solved.step.toLocaleString('en')}.`;
}
