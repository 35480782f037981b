// What was measured of 2017's block and today's (measured.js), in words and rows of a table.

import { TEXTS, percent } from '../tasks.js';
import { TODAYS } from './blocks.js';
import { winnerOf } from '../comparison.js';
import { measured } from './measured.js';

/**
 * @typedef {{
 *   name: string, parameters: number, reached: (number | null)[], right: number[], loss: number[], seconds: number,
 * }} Run of a block, each number by seed: the step at which 99 % were right, what was right and the held-out loss in
 *   the end; `seconds`: of the processor, for one seed
 * @typedef {{steps: number, runs: Run[]}} Measured of a task; the first run is its recipe
 */

/** @param {number[]} values */
const mean = (values) => values.reduce((sum, each) => sum + each) / values.length;

/** @param {(number | null)[]} reached @returns {number[]} */
const stepsOf = (reached) => reached.filter((each) => each !== null).sort((a, b) => a - b);

/** @param {Run} run */
const countOf = ({ reached }) => `${stepsOf(reached).length} of ${reached.length}`;

/** @param {Run} run */
function spanOf({ reached }) {
  const steps = stepsOf(reached);
  const [first, last] = [steps[0], steps[steps.length - 1]].map((each) => each?.toLocaleString('en'));
  return first === last ? (first ?? '–') : `${first} to ${last}`;
}

/**
 * Which of two is ahead: it reached 99 % with more seeds or clearly sooner; where none did, each of its held-out losses
 * is below each of the other's. Null: none is.
 * @param {Run} first @param {Run} second
 */
function aheadOf(first, second) {
  if ([first, second].some(({ reached }) => stepsOf(reached).length)) return winnerOf([first.reached, second.reached]);
  if (Math.max(...first.loss) < Math.min(...second.loss)) return 0;
  return Math.max(...second.loss) < Math.min(...first.loss) ? 1 : null;
}

/** The task in a list. @param {string} task */
const titleOf = (task) => (task === 'text' ? 'the GPL in characters' : TEXTS[task].title);

/**
 * What is known of the runs that are compared, where they are the recipe's.
 * @param {{task: string}} page @param {readonly string[]} names of the runs
 * @returns {string[]}
 */
export function expectedOf({ task }, names) {
  const { runs = [] } = task === 'text' ? {} : (measured[task] ?? {}); // which is another text
  const [recipe] = runs;
  const known = runs.filter(({ name }) => names.includes(name));
  if (!recipe || !known.length) return [];
  const { unit } = TEXTS[task];
  const all = [{ ...recipe, name: 'the recipe' }, ...known].map((run) => {
    const steps = spanOf(run);
    return `${run.name} in ${countOf(run)}${steps === '–' ? '' : ` (step ${steps})`}`;
  });
  return [`Measured before, seeds 0 to 4, ${measured[task].steps} steps: 99 % of the ${unit} by ${all.join('; ')}.`];
}

/** What came of all tasks. */
export function summary() {
  const sides = Object.entries(measured).map(([task, { runs }]) => {
    const today = runs.find(({ name }) => name === TODAYS);
    return { task, ahead: today ? aheadOf(runs[0], today) : null };
  });
  /** @param {number | null} side */
  const listed = (side) => {
    const tasks = sides.filter(({ ahead }) => ahead === side).map(({ task }) => titleOf(task));
    return `${tasks.length} of ${sides.length}${tasks.length ? ` (${tasks.join(', ')})` : ''}`;
  };
  return (
    `Today’s block is ahead on ${listed(1)}, 2017’s on ${listed(0)}, and there is no difference on ${listed(null)}. ` +
    'Ahead: 99 % with more seeds, or sooner by more than 25 steps on average; of the text, a lower held-out loss ' +
    'with every seed. These models are small: this says nothing of large ones.'
  );
}

/** By task: the name of each run, and its numbers. @returns {{title: string, rows: string[][]}[]} */
export const measuredRows = () =>
  Object.entries(measured).map(([task, { steps, runs }]) => ({
    title: `${task === 'text' ? 'The GPL in characters' : titleOf(task)}, ${steps.toLocaleString('en')} steps`,
    rows: runs.map((run) => [
      run.name,
      run.parameters.toLocaleString('en'),
      countOf(run),
      spanOf(run),
      range(run.right),
      mean(run.loss).toPrecision(3),
      run.seconds.toPrecision(2),
    ]),
  }));

/** @param {number[]} shares */
function range(shares) {
  const [low, high] = [Math.min(...shares), Math.max(...shares)].map(percent);
  return low === high ? low : `${low} to ${high}`;
}
