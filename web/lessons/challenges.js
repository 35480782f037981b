// The challenges, from easy to hard: the task, the settings that a run may change, and its goal. The judge reads only
// the engine's measurements of the run, so that the same run has the same verdict everywhere.

import { formatShare } from '../draw/numbers.js';

/**
 * @typedef {Readonly<Record<string, string | number | boolean>>} Settings
 * @typedef {Pick<import('../train/run/worker.js').Report,
 *   'task' | 'settings' | 'changes' | 'checks' | 'parameters' | 'step' | 'failure'>} Attempt a run up to its step
 *
 * `recipe`: of the task; `lastStep`: of the run, `solvedAt`: at which the task was first seen to be solved;
 * `model`: the names of the settings that are the model's.
 * @typedef {{
 *   attempt: Attempt, recipe: Settings, lastStep: number, solvedAt: number | null, model: readonly string[],
 * }} Facts
 *
 * `refused`: which rule the settings break; `end`: the step at which the run is over; `reached`: whether the goal is,
 * up to the present step, and the result in words; `score`: the lower the better, left out: the number of the try.
 * @typedef {Omit<import('./index.js').Lesson<Facts>, 'judge' | 'link'> & {
 *   of: string, refused: (facts: Facts) => string, end: (facts: Facts) => number,
 *   reached: (facts: Facts) => {isMet: boolean, says: string}, score?: (facts: Facts) => number,
 * }} Challenge `of`: a task
 */

const STEPS_OF_REVERSAL = 2000;
/** Settings that change the model's size. */
const SIZE = ['layers', 'heads', 'keyValueHeads', 'd_model', 'd_ff', 'ffn'];

const count = (/** @type {number} */ value) => value.toLocaleString('en');

/** @param {Settings} settings @param {Settings} recipe */
const differing = (settings, recipe) => Object.keys(recipe).filter((name) => !Object.is(settings[name], recipe[name]));

/** Whether the task is solved, at most at some step. @param {Facts} facts @param {number} [most] */
function solved(facts, most = Infinity) {
  const { solvedAt: at } = facts;
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
const all = [
  {
    id: 'bare',
    of: 'copy',
    title: 'Copy without a bypass',
    par: 50,
    task:
      'Learn Copy in the fewest steps without residual connections: with one head in one layer, and no larger batch ' +
      'than the recipe’s.',
    hint: 'The head must now carry the digit itself. A higher learning rate gets there sooner.',
    unit: ['step', 'steps'],
    refused(facts) {
      const { residual, heads, layers } = facts.attempt.settings;
      if (residual) return 'Residual connections must be off.';
      return heads === 1 && layers === 1 ? largerBatch(facts) : 'Only one head in one layer is allowed.';
    },
    end: (facts) => facts.lastStep,
    reached: solved,
    score: (facts) => Number(facts.solvedAt),
  },
  {
    id: 'break',
    of: 'sort',
    title: 'Break Sort',
    par: 1,
    task:
      'Change one setting of the model, but not its size, so that no held-out row is right after the recipe’s steps. ' +
      'You have three tries.',
    hint: 'What must a place of the output know to pick its digit?',
    unit: ['try', 'tries'],
    limit: 3,
    refused({ attempt: { settings, changes }, recipe, model }) {
      const names = differing(settings, recipe);
      if (names.length !== 1) return `It changes ${names.length || 'none'} of the recipe’s settings.`;
      if (!model.includes(names[0]) || changes.length) return 'It changes the training.';
      return SIZE.includes(names[0]) ? 'It changes the size.' : '';
    },
    end: ({ recipe }) => Number(recipe.steps),
    reached({ attempt: { checks }, recipe }) {
      const share = checks.find(({ step }) => step === recipe.steps)?.sequences;
      if (share === undefined) return { isMet: false, says: '' };
      return { isMet: share === 0, says: `${formatShare(share)} of the held-out rows are right.` };
    },
  },
  {
    id: 'fast',
    of: 'order',
    title: 'Order, fast',
    par: 25,
    task: 'Solve Order in the fewest steps, with no larger batch than the recipe’s.',
    hint: 'A wider model needs fewer steps, if its embeddings are not scaled up.',
    unit: ['step', 'steps'],
    refused: largerBatch,
    end: (facts) => facts.lastStep,
    reached: solved,
    score: (facts) => Number(facts.solvedAt),
  },
  {
    id: 'neurons',
    of: 'xor',
    title: 'XOR, small',
    par: 1,
    task: 'Learn XOR with the fewest neurons (d_ff).',
    hint: 'A ReLU bends once, so it takes two. Some activations also turn back.',
    unit: ['neuron', 'neurons'],
    refused: () => '',
    end: (facts) => facts.lastStep,
    reached: ({ solvedAt }) =>
      solvedAt === null
        ? { isMet: false, says: 'The mean squared error is not yet below 0.001.' }
        : { isMet: true, says: `Solved at step ${count(solvedAt)}.` },
    score: ({ attempt }) => Number(attempt.settings.d_ff),
  },
  {
    id: 'small',
    of: 'reverse',
    title: 'Reversal, small',
    par: 112,
    task:
      'Get 99 % of the held-out rows of Reversal right with the fewest parameters, within ' +
      `${count(STEPS_OF_REVERSAL)} steps.`,
    hint: 'Which parts does reversal not need? The fewer parameters are left, the more steps they take.',
    unit: ['parameter', 'parameters'],
    refused: () => '',
    end: ({ lastStep }) => Math.min(lastStep, STEPS_OF_REVERSAL),
    reached: (facts) => solved(facts, STEPS_OF_REVERSAL),
    score: ({ attempt }) => attempt.parameters,
  },
];

/** @param {Challenge} challenge @returns {import('./index.js').Lesson<Facts>} */
const judged = ({ of, refused: rule, end, reached, score, ...lesson }) => ({
  ...lesson,
  link: `#/train?task=${of}&challenge=1`,
  judge(facts) {
    const { step, failure } = facts.attempt;
    const rest = { isMet: false, isTry: false, says: '', refused: '', score: null };
    const refused = rule(facts);
    if (refused) return { ...rest, refused: `This run does not count yet. ${refused}` };
    const { isMet, says } = reached(facts);
    if (!isMet && failure === null && step < end(facts)) return { ...rest, says: 'Train this run to its end.' };
    const verdict = isMet ? '✓ This run meets the goal.' : 'This run does not meet the goal.';
    return { ...rest, isMet, isTry: true, says: `${verdict} ${says}`, score: isMet && score ? score(facts) : null };
  },
});

export const challenges = all.map(judged);
