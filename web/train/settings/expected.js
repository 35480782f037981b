// Shows the measurements of 2017's block and today's (measured.js) in sentences and tables.

import { TEXTS, percent } from '../tasks.js';
import { TODAYS } from './blocks.js';
import { LEVEL, leastP, permutationP, winnerOf } from '../winner.js';
import { ROWS } from './measured.js';

/**
 * @typedef {{
 *   name: string, parameters: number, rate: number, tried: number[], reached: (number | null)[], right: number[],
 *   loss: number[], seconds: number,
 * }} Run of a block, each number by seed: the step at which 99 % were right, what was right and the held-out loss in
 *   the end; `rate`: the learning rate that suits it best of those `tried`, as a factor of the recipe's; `seconds`: of
 *   the processor, for one seed
 * @typedef {{steps: number, runs: Run[]}} Measured of a task; the first run is its recipe
 */

/** @type {Record<string, Measured>} */
export const measured = {};
for (const [task, steps, name, parameters, rate, seconds, tried, reached, right, loss] of ROWS)
  (measured[task] ??= { steps, runs: [] }).runs.push({ name, parameters, rate, seconds, tried, reached, right, loss });

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
 * Which of two is ahead: sooner at 99 %, or, where none gets there, by a lower held-out loss.
 * @param {Measured} of @returns {{side: number | null, p: number}} `side`: null: none is, by more than chance
 */
function aheadOf({ steps, runs }) {
  const pair = [runs[0], ...runs.filter(({ name }) => name === TODAYS)];
  if (pair.some(({ reached }) => stepsOf(reached).length)) {
    const { run, p } = winnerOf(
      pair.map(({ reached }) => reached),
      steps,
    );
    return { side: run, p: Number(p) };
  }
  const [first, second] = pair.map(({ loss }) => loss);
  const p = permutationP(first, second);
  return { side: p < LEVEL ? Number(mean(second) < mean(first)) : null, p };
}

/** Whether each block was given its own learning rate. @param {Measured} of */
const isTuned = ({ runs }) => runs.slice(0, 2).every(({ tried }) => tried.length > 1);

/**
 * The learning rate that suits each block, by what was measured; the recipe's where that is not known.
 * @param {string} task @param {number} rate the recipe's
 */
export function bestRates(task, rate) {
  const known = task === 'text' ? undefined : measured[task]; // of another text
  const [before = 1, today = 1] = known?.runs.slice(0, 2).map((run) => run.rate) ?? [];
  const times = (/** @type {number} */ factor) => Number((factor * rate).toPrecision(6));
  return { 2017: times(before), today: times(today), tuned: known !== undefined && isTuned(known) };
}

/** The task in a list. @param {string} task */
const titleOf = (task) => (task === 'text' ? 'the GPL in characters' : TEXTS[task].title);

/**
 * The known results of the compared runs, where they are the recipe's.
 * @param {{task: string}} page @param {readonly string[]} names of the runs
 * @returns {string[]}
 */
export function expectedOf({ task }, names) {
  const { runs = [] } = task === 'text' ? {} : (measured[task] ?? {}); // which is another text
  const [recipe] = runs;
  const known = runs.filter(({ name }) => names.some((each) => each === name || each.startsWith(`${name}, `)));
  if (!recipe || !known.length) return [];
  const { unit } = TEXTS[task];
  const all = [recipe, ...known.filter((run) => run !== recipe)].map((run) => {
    const steps = spanOf(run);
    return `${run.name} (rate ${timesOf(run)}) in ${countOf(run)}${steps === '–' ? '' : ` (step ${steps})`}`;
  });
  return [`Measured before, seeds 0 to 4, ${measured[task].steps} steps: 99 % of the ${unit} by ${all.join('; ')}.`];
}

/** The learning rate, as a multiple of the recipe's. @param {Run} run */
const timesOf = ({ rate }) => `× ${rate}`;

/** The results of all tasks. */
export function summary() {
  const tuned = Object.entries(measured).filter(([, each]) => isTuned(each));
  const sides = tuned.map(([task, each]) => ({ task, side: aheadOf(each).side }));
  const rest = Object.keys(measured).filter((task) => !isTuned(measured[task]));
  /** @param {number | null} side */
  const listed = (side) => {
    const tasks = sides.filter((each) => each.side === side).map(({ task }) => titleOf(task));
    return `${tasks.length} of ${sides.length}${tasks.length ? ` (${tasks.join(', ')})` : ''}`;
  };
  const chance = Math.round(100 * (1 - (1 - LEVEL) ** tuned.length));
  const others = rest.length ? ` Still at the recipe’s rate, and not counted: ${rest.map(titleOf).join(', ')}.` : '';
  return (
    'Each block trains at the learning rate that suits it best, chosen on other seeds. ' +
    `Today’s block is ahead on ${listed(1)}, 2017’s on ${listed(0)}; ` +
    `five seeds show no difference on ${listed(null)}.${others} ` +
    'Ahead: 99 % sooner, a failure counted as after the last step, or, where neither gets there, a lower held-out ' +
    `loss, by an exact permutation test with p < ${short(LEVEL)} (five seeds against five can give ` +
    `${short(leastP(5))}). With so many tasks chance alone puts a block ahead somewhere in ${chance} % of cases. ` +
    'These models are small: this says nothing of large ones.'
  );
}

/** As a p is written: .05. @param {number} p */
export const short = (p) => String(Number(p.toPrecision(p < 0.1 ? 1 : 2))).replace(/^0/, '');

/** By task: the name of each run, and its numbers. @returns {{title: string, rows: string[][]}[]} */
export const measuredRows = () =>
  Object.entries(measured).map(([task, each]) => ({
    title:
      `${task === 'text' ? 'The GPL in characters' : titleOf(task)}, ${each.steps.toLocaleString('en')} steps` +
      (isTuned(each) ? '' : ', at the recipe’s rate'),
    rows: each.runs.map((run) => [
      run.name,
      run.parameters.toLocaleString('en'),
      timesOf(run),
      countOf(run),
      spanOf(run),
      range(run.right),
      mean(run.loss).toPrecision(3),
      run.seconds.toPrecision(2),
      run.name === TODAYS && isTuned(each) ? short(aheadOf(each).p) : '–',
    ]),
  }));

/** @param {number[]} shares */
function range(shares) {
  const [low, high] = [Math.min(...shares), Math.max(...shares)].map(percent);
  return low === high ? low : `${low} to ${high}`;
}
