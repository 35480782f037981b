import { NAMED } from '../shared/explore.js';
import { largestIn, layerModel, numbered, ofAttention } from '../shared/layer.js';
import { range } from '../shared/picture.js';
import { HEADS, drawn } from './claim.js';

/** @type {import('../shared/explore.js').OwnModel} */
export const ownModel = {
  isTrained: false,
  where: 'the layer at the largest weight of its first row',
  text: () => ({
    ...{ token: NAMED, joint: ' ', does: 'four heads and their projection', node: 'attention' },
    goal: 'random rows x1 to x10 through the attention layer of the claim.',
    hint:
      'It opens at the largest weight of the first row. Step by step shows what each head adds to the output through ' +
      'its part of the output projection.',
  }),
  open: layerModel((_gf, { projection, seed }) => {
    const { x, weights } = drawn(seed, projection);
    return {
      words: numbered('x', x.shape[0]),
      table: x,
      rows: [range(x.shape[0])],
      config: { heads: HEADS },
      weights: ofAttention(weights),
      where: (maps) => largestIn(maps, 0),
    };
  }),
};
