// A guided run, "teach it to reverse": the text of each page, with the numbers of the moment, and the reader's task.

/**
 * `digits`: of the predictions, `right`: of these; `check`: the last one up to this step, if there is one; the shares
 * `sequences` and `accuracy` of it in words; `isSolved`: by it.
 * @typedef {{
 *   step: number, loss: number, check: import('../train/run/run.js').Check | undefined, sequences: string,
 *   accuracy: string, isSolved: boolean, digits: number, right: number, parameters: number, interval: number,
 *   hasPositions: boolean,
 * }} Seen
 * @typedef {Omit<import('./index.js').Lesson<Seen>, 'id' | 'link' | 'text'> & {text: (seen: Seen) => string}} Page
 */

const GUESSING = Math.log(10); // nats, one digit of ten

/** @param {number} loss */
const comparedWithGuessing = (loss) =>
  loss < 0.8 * GUESSING
    ? 'better than guessing.'
    : loss < GUESSING
      ? 'hardly better than guessing.'
      : 'no better than guessing.';

/** @type {Page[]} */
const pages = [
  {
    title: 'A model that knows nothing',
    text: ({ parameters, digits, right }) =>
      `Eight digits go in; the same digits shall come out in reverse order. This Transformer has ` +
      `${parameters.toLocaleString('en')} weights. They begin as random numbers: of the ${digits} digits in the ` +
      `predictions below it now gets ${right} right. Guessing gets about ${Math.round(digits / 10)}.`,
    judge: () => true,
  },
  {
    title: 'Fifty steps',
    text: ({ step, loss }) =>
      'A step shows it 64 rows, measures the loss of its answers and moves each weight a little, so that the loss ' +
      `falls. ${GUESSING.toFixed(2)}, the logarithm of 10, is the loss of guessing. ` +
      (step ? `After ${step} steps the loss is ${loss.toFixed(2)}: ` + comparedWithGuessing(loss) : ''),
    action: { label: 'Train to step 50', to: 50 },
    judge: ({ step }) => step >= 50,
  },
  {
    title: 'It learns what to attend to',
    text: ({ check }) =>
      'To write position i, the model must read position 9 − i. In the map these cells are the anti-diagonal. ' +
      (check
        ? `At step ${check.step} they hold ${check.mass.toFixed(2)} of the attention weight; spread evenly it would ` +
          `be ${check.chance.toFixed(2)}.`
        : ''),
    action: { label: 'Train to step 150', to: 150 },
    judge: ({ step }) => step >= 150,
  },
  {
    title: 'Rows that it has never seen',
    text: ({ check, sequences }) =>
      'The held-out rows are never trained on, so a model that had only learnt its examples by heart would fail. ' +
      (check ? `At step ${check.step}, ${sequences} of them are right from end to end.` : ''),
    action: { label: 'Train to step 250', to: 250 },
    judge: ({ isSolved }) => isSolved,
  },
  {
    title: 'Back in time',
    text: ({ interval, check, sequences, accuracy }) =>
      `Every ${interval} steps the run is kept. Going back shows everything as it was, and training on from there ` +
      'gives the same bits. ' +
      (check
        ? `At step ${check.step}, ${accuracy} of the digits were right, but ` +
          `${sequences} of the rows: a row needs all eight.`
        : ''),
    action: { label: 'Go to step 100', to: 100 },
    judge: ({ step }) => step === 100,
  },
  {
    title: 'What it cannot do without',
    text: ({ hasPositions, check, sequences }) =>
      'Without the position encoding, a row is a set of digits: nothing tells the first from the last. ' +
      (hasPositions || !check
        ? 'Take it away, with the same seed, and train again.'
        : `After ${check.step} steps without it, ${sequences} of the held-out rows are right.`),
    action: { label: 'Train without positions', change: { positions: 'none' } },
    judge: ({ hasPositions, step }) => !hasPositions && step > 0,
  },
  {
    title: 'Yours',
    text: () =>
      'Change a setting, choose another task or paste a text of your own. Copy link keeps the task, the settings, ' +
      'the seed and the step: whoever opens it gets this very model, to the bit. Only a text of your own stays here.',
    judge: () => true,
  },
];

/** @type {import('./index.js').Lesson<Seen>[]} */
export const guided = pages.map(({ text, ...page }, i) => ({
  ...page,
  id: `guided-${i + 1}`,
  link: `#/train?guide=${i + 1}`,
  text: [text],
  numbers: {},
  seen: { text: '', numbers: {} },
}));
