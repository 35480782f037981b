// The five challenges, from easy to hard. A challenge is data: the task, what it allows, and its goal, judged by what
// the engine measured of a run.

import { formatShare } from '../../draw/share.js';
import { CHALLENGES as NAMED } from '../../shared/train-lessons.js';
import { settingsAt } from '../settings/changes.js';
import { MODEL } from '../settings/settings.js';
import { SOLVED } from '../tasks.js';

/**
 * @typedef {Readonly<Record<string, import('../settings/settings.js').Value>>} Settings
 * @typedef {Pick<import('../run/worker.js').Report,
 *   'task' | 'settings' | 'changes' | 'checks' | 'parameters' | 'step' | 'failure'>} Attempt a run up to its step
 * @typedef {{attempt: Attempt, recipe: Settings}} Facts `recipe`: of the task
 *
 * `refused`: which rule the settings break; `end`: the step at which the run is over; `goal`: whether it is reached up
 * to the present step, and the result in words; `score`: the lower the better, left out: the number of the try.
 * `par`: a good score, which the engine has reached; `limit`: of tries; `unit`: what a score counts, one and many.
 * @typedef {{
 *   id: string, task: string, title: string, rule: string, hint: string, par: number, unit: [string, string],
 *   limit?: number, refused: (facts: Facts) => string, end: (facts: Facts) => number,
 *   goal: (facts: Facts) => {isMet: boolean, says: string}, score?: (facts: Facts) => number,
 * }} Challenge
 */

const STEPS_OF_REVERSAL = 2000;
/** What makes the model larger or smaller. */
const SIZE = ['layers', 'heads', 'd_model', 'd_ff'];

const count = (/** @type {number} */ value) => value.toLocaleString('en');

/** @param {Settings} settings @param {Settings} recipe */
export const differing = (settings, recipe) =>
  Object.keys(recipe).filter((name) => !Object.is(settings[name], recipe[name]));

/** @param {Facts} facts */
const lastStep = ({ attempt }) => Number(settingsAt(attempt.settings, attempt.changes, Infinity).steps);

/** The first step at which the task was seen to be solved. @param {Facts} facts */
const solvedAt = ({ attempt }) => attempt.checks.find(({ sequences }) => sequences >= SOLVED)?.step ?? null;

/** Whether the task is solved, at most at some step. @param {Facts} facts @param {number} [most] */
function solved(facts, most = Infinity) {
  const at = solvedAt(facts);
  const last = facts.attempt.checks.at(-1);
  if (at !== null && at <= most) return { isMet: true, says: `Solved at step ${count(at)}.` };
  return { isMet: false, says: last ? `${formatShare(last.sequences)} of the held-out rows are right.` : '' };
}

/** @param {Facts} facts */
const largerBatch = ({ attempt: { settings, changes }, recipe }) =>
  [settings, ...changes.map(([, patch]) => patch)].some(({ batch }) => Number(batch) > Number(recipe.batch))
    ? `The batch size must not exceed ${recipe.batch}.`
    : '';

/** @type {Challenge[]} */
export const CHALLENGES = [
  {
    id: 'bare',
    ...NAMED.bare,
    rule:
      'Learn Copy in the fewest steps without residual connections: with one head in one layer, and no larger batch ' +
      'than the recipe’s.',
    hint: 'The head must now carry the digit itself. A higher learning rate gets there sooner.',
    unit: ['step', 'steps'],
    refused(facts) {
      const { residual, heads, layers } = facts.attempt.settings;
      if (residual) return 'Residual connections must be off.';
      return heads === 1 && layers === 1 ? largerBatch(facts) : 'Only one head in one layer is allowed.';
    },
    end: lastStep,
    goal: solved,
    score: (facts) => Number(solvedAt(facts)),
  },
  {
    id: 'break',
    ...NAMED.break,
    rule:
      'Change one setting of the model, but not its size, so that no held-out row is right after the recipe’s steps. ' +
      'You have three tries.',
    hint: 'What must a place of the output know to pick its digit?',
    unit: ['try', 'tries'],
    limit: 3,
    refused({ attempt: { settings, changes }, recipe }) {
      const names = differing(settings, recipe);
      if (names.length !== 1) return `It changes ${names.length || 'none'} of the recipe’s settings.`;
      if (!MODEL.includes(names[0]) || changes.length) return 'It changes the training.';
      return SIZE.includes(names[0]) ? 'It changes the size.' : '';
    },
    end: ({ recipe }) => Number(recipe.steps),
    goal({ attempt: { checks }, recipe }) {
      const share = checks.find(({ step }) => step === recipe.steps)?.sequences;
      if (share === undefined) return { isMet: false, says: '' };
      return { isMet: share === 0, says: `${formatShare(share)} of the held-out rows are right.` };
    },
  },
  {
    id: 'fast',
    ...NAMED.fast,
    rule: 'Solve Order in the fewest steps, with no larger batch than the recipe’s.',
    hint: 'A wider model needs fewer steps, if its embeddings are not scaled up.',
    unit: ['step', 'steps'],
    refused: largerBatch,
    end: lastStep,
    goal: solved,
    score: (facts) => Number(solvedAt(facts)),
  },
  {
    id: 'neurons',
    ...NAMED.neurons,
    rule: 'Learn XOR with the fewest neurons (d_ff).',
    hint: 'A ReLU bends once, so it takes two. Some activations also turn back.',
    unit: ['neuron', 'neurons'],
    refused: () => '',
    end: lastStep,
    goal(facts) {
      const at = solvedAt(facts);
      return at === null
        ? { isMet: false, says: 'The mean squared error is not yet below 0.001.' }
        : { isMet: true, says: `Solved at step ${count(at)}.` };
    },
    score: ({ attempt }) => Number(attempt.settings.d_ff),
  },
  {
    id: 'small',
    ...NAMED.small,
    rule:
      'Get 99 % of the held-out rows of Reversal right with the fewest parameters, within ' +
      `${count(STEPS_OF_REVERSAL)} steps.`,
    hint: 'Which parts does reversal not need? The fewer parameters are left, the more steps they take.',
    unit: ['parameter', 'parameters'],
    refused: () => '',
    end: (facts) => Math.min(lastStep(facts), STEPS_OF_REVERSAL),
    goal: (facts) => solved(facts, STEPS_OF_REVERSAL),
    score: ({ attempt }) => attempt.parameters,
  },
];
