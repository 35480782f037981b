import { rowsIn, trainedModel } from '../shared/explore.js';
import { STEPS, learn, task } from './claim.js';

/** @type {import('../shared/explore.js').OwnModel} */
export const ownModel = {
  isTrained: true,
  where: 'at the last token’s weight on [BOS]',
  text: () => ({
    ...{ token: /\[BOS\]|a/g, joint: ' ', does: 'the number of the place', node: 'attention' },
    goal: 'say at each of equal tokens the number of its place, without positional encoding.',
    hint:
      'It opens at the weight of the last token on [BOS], the only one that differs. Without a mask every row behind ' +
      'it is the same; behind a causal mask the weight on [BOS] falls from row to row.',
  }),
  open: trainedModel(STEPS, learn, () => {
    const rows = rowsIn(task.batch().ids, 1);
    return { task, rows, cell: { kind: 'encoder', head: 0, row: rows[0].length - 1, key: 0, neuron: null } };
  }),
};
