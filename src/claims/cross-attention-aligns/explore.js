import { DIGIT, indexOfLargest, rowsIn, trainedModel } from '../shared/explore.js';
import { range } from '../shared/picture.js';
import { dataOf, massOf } from '../shared/train.js';
import { HELD_OUT, STEPS, learn, task } from './claim.js';

/** @type {import('../shared/explore.js').OwnModel} */
export const ownModel = {
  isTrained: true,
  where: 'at the digit that the first one said comes from',
  text: () => ({
    ...{ token: DIGIT, joint: '', does: 'digits in reverse', node: 'attention' },
    goal: 'say six digits in reverse, one after the other.',
    hint:
      'It opens at the first digit of the output, in the head with most weight on the digit that each comes from, ' +
      'here the last one.',
  }),
  open: trainedModel(STEPS, learn, (model, { seed }) => {
    const { sourceIds, targetIds } = /** @type {any} */ (dataOf(task, seed, HELD_OUT).heldOut.batch);
    model.forward({ sourceIds, targetIds, capture: true });
    const weights = /** @type {any} */ (model.tensor('decoder.layers.0.multihead_attn.weights'));
    const last = weights.shape[3] - 1;
    const head = indexOfLargest(massOf(weights, (at) => last - at, range(weights.shape[2])));
    // The token that is said first comes from the last one.
    return { task, rows: rowsIn(sourceIds), cell: { kind: 'cross', head, row: 0, key: last, neuron: null } };
  }),
};
