// A puzzle: judges each result, counts tries and keeps the best.

import { html } from 'lit-html';
import { judge } from './judge.js';
import { modelOf } from './link-state.js';
import { writeProgress } from './progress.js';
import { createTries } from './tries.js';
import { LABELS } from '../../models/catalogue.js';

/** @param {number} count @param {'try' | 'change'} unit */
const counted = (count, unit) => `${count} ${count === 1 ? unit : unit === 'try' ? 'tries' : 'changes'}`;

/**
 * @param {import('../index.js').Tools} tools
 * @param {import('./progress.js').Progress} progress
 * @param {() => void} show
 * @returns {import('./lessons.js').Player}
 */
export function createPuzzle(tools, progress, show) {
  const { best } = progress;
  const tries = createTries(show);
  /** @type {import('./puzzles.js').Puzzle} */
  let puzzle;
  let isBegun = false; // the state is the puzzle's: its start, or what the reader made of it
  /** @type {number | null} with how many changes or tries */
  let solved = null;
  let said = { check: '…', refused: '' };

  /** @param {import('./judge.js').Verdict} verdict @param {string} key of the result */
  function count({ isMet, changes, found }, key) {
    tries.see(found ?? key, isMet || solved !== null);
    if (!isMet) return;
    const took = found === null ? changes : tries.count() + 1;
    solved = Math.min(solved ?? took, took);
    if (solved >= (best.get(puzzle.id) ?? Infinity)) return;
    best.set(puzzle.id, solved);
    writeProgress(progress);
  }

  return {
    open(lesson) {
      puzzle = lesson;
      isBegun = false;
      solved = null;
      tries.reset();
      said = { check: '…', refused: '' };
    },
    begin: () => void (isBegun = true),
    close: tries.reset,
    moved() {},
    draw(context) {
      if (!isBegun || !context) return;
      const { result, state } = context;
      const model = modelOf(puzzle);
      if (state.model !== model) {
        said = { check: `This puzzle needs the model ${LABELS[model].label}.`, refused: '' };
        return;
      }
      if (result.plan.key !== tools.plan(state).key) return; // it was refused, and an older one is shown
      const verdict = judge(puzzle, context);
      if (verdict) count(verdict, result.plan.key);
      said = { check: verdict?.says ?? '…', refused: verdict?.refused ?? '' };
    },
    content() {
      const { task, goal, hint, seen, par, id, finds } = puzzle;
      const unit = finds ? 'try' : 'change';
      const ever = best.get(id);
      return html`<p class="puzzle-task">${task}</p>
        <div class="puzzle-check" data-solved=${solved !== null}>
          <p class="puzzle-says">${said.check}</p>
          <p class="puzzle-goal"><b>Goal:</b> ${goal}</p>
          <p class="puzzle-refused" role="status">${said.refused}</p>
        </div>
        <p class="puzzle-tries">Par: ${counted(par, unit)}. So far: ${counted(
          tries.count() + (solved === null ? 0 : 1),
          'try',
        )}.${ever ? ` Best: ${counted(ever, unit)}.` : ''}</p>
        <p class="puzzle-solved" role="status">${
          solved === null ? '' : html`<b>✓ Solved in ${counted(solved, unit)} (par ${par}).</b> ${seen}`
        }</p>
        <details class="puzzle-hint"><summary>Hint</summary><p>${hint}</p></details>`;
    },
  };
}
