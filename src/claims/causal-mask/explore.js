import { DIGIT, rowsIn, trainedModel } from '../shared/explore.js';
import { dataOf } from '../shared/train.js';
import { EDITED, HELD_OUT, STEPS, learn, task } from './claim.js';

/** @type {import('../shared/explore.js').OwnModel} */
export const ownModel = {
  isTrained: true,
  where: 'at a cell that the causal mask hides',
  text: () => ({
    ...{ token: DIGIT, joint: '', does: 'the next random digit', node: 'attention' },
    goal: 'say the next of random digits.',
    hint:
      'It opens at the cell from a digit to the next one, which the causal mask hides. Change that digit in the ' +
      'text, and see whether anything before it changes.',
  }),
  open: trainedModel(STEPS, learn, (_model, { seed }) => {
    const rows = rowsIn(dataOf(task, seed, HELD_OUT).heldOut.batch.ids);
    // From the token before the one that is edited to that one: what the mask hides.
    return { task, rows, cell: { kind: 'decoder', head: 0, row: EDITED - 1, key: EDITED, neuron: null } };
  }),
};
