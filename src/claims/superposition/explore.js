import { largestIn, layerModel, ofAttention } from '../shared/layer.js';
import { PAIRS, learn } from './claim.js';

/** @type {import('../shared/explore.js').OwnModel} */
export const ownModel = {
  isTrained: true,
  where: 'the two heads that say XOR',
  isUsed: ({ weights }) => weights !== 'frozen',
  text: () => ({
    ...{ token: /[01]/g, joint: '', does: 'attention alone says XOR', node: 'attention' },
    goal: 'say at both of two bits whether they differ, by an attention layer alone.',
    hint:
      'It opens at the largest weight of the first bit. Change one bit, and the weights change with it: weights that ' +
      'depend on the input are what makes attention nonlinear.',
  }),
  open: layerModel(async (gf, { seed }) => {
    const trained = await learn(gf, { seed }, async () => {});
    const weights = ofAttention(trained.weights());
    trained.free();
    return {
      words: ['0', '1'],
      table: { data: Float32Array.of(1, 0, 0, 1), shape: [2, 2] },
      rows: PAIRS.map(([a, b]) => [a, b]).sort(([a, b], [c, d]) => Number(c !== d) - Number(a !== b)),
      config: { heads: 2 },
      weights,
      where: (maps) => largestIn(maps, 0),
    };
  }),
};
