import { DIGIT, SAME_RUN, inTrain, indexOfLargest, rowsIn, trainedModel } from '../shared/explore.js';
import { dataOf, massOf } from '../shared/train.js';
import { learn, settingOf } from './claim.js';

/** @param {{task: string}} settings */
const stepsOf = ({ task }) => settingOf(task).limit;

/** @type {import('../shared/explore.js').OwnModel} */
export const ownModel = {
  isTrained: true,
  where: 'at the place that its first head attends to',
  text: ({ task }) =>
    task === 'reverse'
      ? {
          ...{ token: DIGIT, joint: '', does: 'digits in reverse', node: 'attention' },
          goal: 'say the digits in reverse.',
          hint: 'It opens at the digit that the third place says; compare the other heads in the same row.',
        }
      : {
          ...{ token: /[a-z]/gi, joint: '', does: 'what stands beside', node: 'attention' },
          goal: 'name the letters on both sides of each letter. The first and the last place are asked nothing.',
          hint: 'It opens at the neighbour that head 1 attends to; compare head 2 in the same row.',
        },
  open: trainedModel(stepsOf, learn, (model, settings) => {
    const { data: task, rows: count } = settingOf(settings.task);
    const { ids } = dataOf(task, settings.seed, count).heldOut.batch;
    model.forward({ ids, capture: true });
    const weights = /** @type {any} */ (model.tensor('encoder.layers.0.self_attn.weights'));
    const row = 2;
    const sides = settings.task === 'reverse' ? [weights.shape[3] - 1 - row] : [row - 1, row + 1];
    const masses = sides.map((key) => massOf(weights, () => key, [row])[0]);
    const key = sides[indexOfLargest(masses)];
    const cell = { kind: /** @type {const} */ ('encoder'), head: 0, row, key, neuron: null };
    return { task: /** @type {any} */ (task), rows: rowsIn(ids), cell };
  }),
};

/** @type {import('../shared/explore.js').MatchingOf} */
export const matching = ({ task, heads, seed }) =>
  task === 'reverse' && typeof heads === 'number'
    ? inTrain({ task: 'reverse', heads, seed, step: 300 }, `${SAME_RUN}, at its last step`)
    : null;
