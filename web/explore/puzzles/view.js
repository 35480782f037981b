// The open puzzle, and the list of all.

import { html, nothing, render } from 'lit-html';
import { beginAtTop, turnButtons } from '../../draw/page-turn.js';
import { SIGNS, standing } from '../../draw/standing.js';

/**
 * `unit`: what par counts; `check`: the result in words; `refused`: which rule is broken; `solved`: with how many
 * changes or tries, null: not yet; `best`: the same, ever.
 * @typedef {{
 *   number: number, unit: 'try' | 'change', check: string, refused: string, tries: number, solved: number | null,
 *   puzzle: {title: string, task: string, goal: string, hint: string, seen: string, par: number},
 *   list: {title: string, par: number, best: number | null}[],
 * }} PuzzleData
 */

/** @param {number} count @param {'try' | 'change'} unit */
const counted = (count, unit) => `${count} ${count === 1 ? unit : unit === 'try' ? 'tries' : 'changes'}`;

/** @param {PuzzleData} data @param {(number: number) => void} onTurn */
const contents = ({ list, number }, onTurn) => html`<details class="side-contents puzzle-list">
  <summary>All puzzles</summary>
  <ol>${list.map(
    (each, i) => html`<li><button type="button" aria-current=${i + 1 === number ? 'true' : nothing}
      @click=${() => onTurn(i + 1)}><span>${each.title}</span> <span class="puzzle-standing"
        >${standing(each)} <span aria-hidden="true">${SIGNS[standing(each)]}</span></span></button></li>`,
  )}</ol>
</details>`;

/**
 * @param {HTMLElement} root
 * @param {{onTurn: (number: number) => void, onLeave: () => void, onAgain: () => void}} options
 */
export function create(root, { onTurn, onLeave, onAgain }) {
  const atTop = beginAtTop(root);
  return {
    /** @param {PuzzleData} data */
    update(data) {
      const { number, puzzle, unit, check, refused, tries, solved, list } = data;
      const { par } = puzzle;
      const { best } = list[number - 1];
      const count = list.filter((each) => each.best !== null).length;
      render(
        html`
        <div class="puzzle-head">
          ${contents(data, onTurn)}
          <button type="button" class="puzzle-close" @click=${onLeave}
            title="Close the puzzle: all is as it was before">Close</button>
        </div>
        <p class="puzzle-count">Puzzle ${number} of ${list.length}${count ? `, ${count} solved` : ''}</p>
        <h2 id="puzzle-title" aria-live="polite">${puzzle.title}</h2>
        <p class="puzzle-task">${puzzle.task}</p>
        <div class="puzzle-check" data-solved=${solved !== null}>
          <p class="puzzle-says">${check}</p>
          <p class="puzzle-goal"><b>Goal:</b> ${puzzle.goal}</p>
          <p class="puzzle-refused" role="status">${refused}</p>
        </div>
        <p class="puzzle-tries">Par: ${counted(par, unit)}. So far: ${counted(tries, 'try')}.${
          best === null ? '' : ` Best: ${counted(best, unit)}.`
        }</p>
        <p class="puzzle-solved" role="status">${
          solved === null ? '' : html`<b>✓ Solved in ${counted(solved, unit)} (par ${par}).</b> ${puzzle.seen}`
        }</p>
        <details class="puzzle-hint"><summary>Hint</summary><p>${puzzle.hint}</p></details>
        ${turnButtons('puzzle-turn', { number, count: list.length, onTurn, onAgain })}`,
        root,
      );
      atTop(number);
    },
    destroy() {
      root.replaceChildren();
    },
  };
}
