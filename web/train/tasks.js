// The page's texts about each task. `measure`: which share counts as solved; `causal`: the answer at a place is the
// token that comes next.

/**
 * @typedef {{
 *   title: string, goal: string, solved: string, measure: 'sequences' | 'accuracy', unit: string, within: string,
 *   joint: string, reached?: string,
 * }} TaskText `joint`: the text between the tokens of a sample; `reached`: when an FFN alone has learnt it
 */

/** From this share on a task is solved. */
export const SOLVED = 0.99;

/** The text between the tokens of a row. @param {string} task @param {string} level of the reader's own text */
export const joinOf = (task, level) => (task === 'text' && level === 'characters' ? '' : TEXTS[task].joint);

/** To a tenth of a per cent; only nothing is 0.0 %, and only the whole 100.0 %. @param {number} share */
export function percent(share) {
  const text = (100 * share).toFixed(1);
  if (text === '0.0' && share > 0) return '<0.1 %';
  return text === '100.0' && share < 1 ? '>99.9 %' : `${text} %`;
}

/** From this share of phrases on, held-out figures measure memory. */
const REPEATS = 0.1;

/** Whether a text repeats itself. @param {import('./run/recipes.js').Split | null} split of the reader's own text */
export const repeats = (split) => split !== null && split.repeated > REPEATS;

/** Whether held-out rows are free of what was trained on. @param {import('./run/recipes.js').Split | null} split */
const isUnseen = (split) => !split?.repeated;

/** The title of one held-out row. @param {import('./run/recipes.js').Split | null} split of the reader's own text */
export const rowTitle = (split) => (isUnseen(split) ? 'A row it has never seen' : 'A held-out row');

/** The title of held-out rows. @param {import('./run/recipes.js').Split | null} split of the reader's own text */
export const rowsTitle = (split) => (isUnseen(split) ? 'Rows it has never seen' : 'Held-out rows');

/** Describes the held-out text. @param {import('./run/recipes.js').Split} split @param {string} level of its tokens */
export function heldOutText({ train, test, phrase, repeated, own, copies }, level) {
  const units = level === 'words' ? 'tokens' : level; // full stops, too
  const counted = `${test.toLocaleString('en')} ${units}`;
  const share =
    repeated < 0.01 ? 'Less than 1 %' : `${repeated < 1 ? Math.min(99, Math.round(100 * repeated)) : 100} %`;
  const phrases = `phrases of ${phrase} ${units}`;
  if (copies > 1)
    return (
      `${own.toLocaleString('en')} ${units} are too few to train on, so they are ` +
      `repeated ${copies.toLocaleString('en')} times. ${share} of the ${phrases} held out (the last tenth, ` +
      `${counted}) are also trained on. The held-out figures measure memory.`
    );
  if (repeated > REPEATS)
    return (
      `This text repeats itself: ${share} of the ${phrases} held out (the last tenth, ${counted}) are also trained ` +
      'on. The held-out figures measure memory.'
    );
  if (repeated) return `Held out: the last tenth, ${counted}. ${share} of its ${phrases} are also trained on.`;
  const all = (train + test).toLocaleString('en');
  return `Held out: ${counted} of ${all}. None of their ${phrases} is trained on.`;
}

/**
 * The last check up to the step that is shown.
 * @param {Pick<import('./run/worker.js').Report, 'checks' | 'step'>} report
 */
export const lastCheck = ({ checks, step }) => checks.filter((each) => each.step <= step).at(-1);

/**
 * The head that attends most where the solution is, by the last measurement; null: none attends there more than twice
 * as much as evenly.
 * @param {Pick<import('./run/worker.js').Report, 'checks' | 'step'>} report
 * @returns {{layer: number, head: number} | null}
 */
export function solvingHead(report) {
  const { mass = 0, chance = 1, head = '' } = lastCheck(report) ?? {};
  const [layer, at] = (head.match(/\d+/g) ?? []).map(Number);
  return mass > 2 * chance && at ? { layer: layer - 1, head: at - 1 } : null;
}

/** Properties that x² and the gates share. @type {Omit<TaskText, 'title' | 'goal' | 'solved'>} */
const FFN = { measure: 'sequences', unit: 'points', within: '', joint: '' };

/** @type {Record<string, TaskText>} */
export const TEXTS = {
  copy: {
    title: 'Copy',
    goal: 'Output each digit at its own position.',
    solved: 'The residual connection alone carries a digit to its position: the head stays almost uniform.',
    measure: 'sequences',
    unit: 'rows',
    within: '25 steps',
    joint: '',
  },
  reverse: {
    title: 'Reverse',
    goal: 'Output the eight digits in reverse order.',
    solved: 'The head attends along the anti-diagonal: position i to 9 − i.',
    measure: 'sequences',
    unit: 'rows',
    within: '250 steps',
    joint: '',
  },
  'reverse-variable': {
    title: 'Reverse 4 to 10',
    goal: 'Output 4 to 10 digits in reverse order; [EOS] marks the end of the row.',
    solved:
      'Layer 1 finds where the row ends; a head of layer 2 attends along an anti-diagonal that moves with the length.',
    measure: 'sequences',
    unit: 'rows',
    within: '600 steps',
    joint: ' ',
  },
  sort: {
    title: 'Sort',
    goal: 'Output the eight digits in ascending order.',
    solved: 'At position i a head of layer 2 attends to the digits that equal the i-th smallest.',
    measure: 'sequences',
    unit: 'rows',
    within: '800 steps',
    joint: '',
  },
  order: {
    title: 'Order',
    goal: 'Which of A and B comes first? The answer is read at [CLS].',
    solved: '[CLS] attends to A and to B. Without positions the two orders are the same to the model.',
    measure: 'sequences',
    unit: 'rows',
    within: '150 steps',
    joint: ' ',
  },
  addition: {
    title: 'Addition',
    goal: 'Continue 12+34= with the sum, its units first: 640. A tenth of all pairs is never trained on.',
    solved: 'At each place heads attend to the two digits of that place and to those that carry.',
    measure: 'sequences',
    unit: 'rows',
    within: '1,400 steps',
    joint: '',
  },
  induction: {
    title: 'Induction',
    goal: 'A few letters repeat, with another period in each row: continue.',
    solved:
      'A head of layer 1 attends to the previous letter; a head of layer 2 to the letter after the last copy of this ' +
      'one (Olsson et al. 2022).',
    measure: 'accuracy',
    unit: 'letters',
    within: '450 steps',
    joint: ' ',
  },
  story: {
    title: 'Story',
    goal:
      'Continue a short story. The loss counts every word; the share that is right counts only words that the ' +
      'beginning determines.',
    solved: 'A head of layer 2 attends from “the” back to the noun that is about to be repeated.',
    measure: 'accuracy',
    unit: 'determined words',
    within: '400 steps',
    joint: ' ',
  },
  text: {
    title: 'Your own text',
    goal: 'Continue a text: the next word, or character, at every position. A tenth of it is held out.',
    solved:
      'Heads attend to the positions just before. A small text is learnt by heart: the held-out loss, which is ' +
      'dashed in the curves, may then rise while that of the batches falls.',
    measure: 'accuracy',
    unit: 'tokens',
    within: '',
    joint: ' ',
  },
  square: {
    ...FFN,
    title: 'x²',
    goal: 'An FFN alone is to compute x² for x from −1 to 1.',
    solved: 'Each ReLU neuron bends the line once; past the last kink it goes on straight.',
    reached: 'The largest error was below 0.1',
  },
  and: {
    ...FFN,
    title: 'AND',
    goal: 'An FFN alone is to output 1 where both its inputs are 1, else 0.',
    solved: 'Kinks bend the surface until it lies on all four points.',
    reached: 'The mean squared error was below 0.001',
  },
  xor: {
    ...FFN,
    title: 'XOR',
    goal: 'An FFN alone is to output 1 where its inputs differ, else 0.',
    solved: 'No plane fits the four points: kinks are needed.',
    reached: 'The mean squared error was below 0.001',
  },
};
