import { DIGIT, inTrain, rowsIn, trainedModel } from '../shared/explore.js';
import { dataOf } from '../shared/train.js';
import { DESIGNS, HELD_OUT, STEPS, learn, task } from './claim.js';

const MOST_LAYERS = 6; // of Train

/** @type {import('../shared/explore.js').OwnModel} */
export const ownModel = {
  isTrained: true,
  where: 'at its residual stream',
  text: () => ({
    ...{ token: DIGIT, joint: '', does: 'a deep network', node: 'add', stream: 'cosines' },
    goal: 'say six digits in reverse, in as many steps as the claim allows.',
    hint:
      'It opens at its residual stream: how far each sublayer turns the vector of each token. Compare the answers of ' +
      'the row with its digits in reverse: where training failed, they are much the same at every place.',
  }),
  open: trainedModel(STEPS, learn, (_model, { seed }) => {
    const { ids } = dataOf(task, seed, HELD_OUT).heldOut.batch;
    const key = ids.shape[1] - 1; // from which the first digit is to come
    return { task, rows: rowsIn(ids), cell: { kind: 'encoder', head: 0, row: 0, key, neuron: null } };
  }),
};

/** @type {import('../shared/explore.js').MatchingOf} */
export function matching({ design, layers, learningRate, seed }) {
  const { norm, residual = true } = DESIGNS[design];
  return inTrain(
    {
      ...{ task: 'reverse', layers: Math.min(layers, MOST_LAYERS), d_model: 16, d_ff: 32 },
      ...{ norm, residual, learningRate, seed, step: 250 },
    },
    `the same on Train’s 8 digits${layers > MOST_LAYERS ? `, with ${MOST_LAYERS} layers` : ''}`,
  );
}
