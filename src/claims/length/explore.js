import { identity, largestIn, layerModel, sparse } from '../shared/layer.js';
import { range } from '../shared/picture.js';
import { SHOWN } from './claim.js';

/** @type {import('../shared/explore.js').OwnModel} */
export const ownModel = {
  isTrained: false,
  where: 'the weight of the match among 16 keys',
  text: () => ({
    ...{ token: /[a-z]+/gi, joint: ' ', does: 'one match among many keys', node: 'attention' },
    goal: 'each word looks for “match”, whose score is above the others by the gap of the claim.',
    hint: 'It opens at the weight of the match among 16 keys; the other texts have 64 and 128. Type more words.',
  }),
  open: layerModel((_gf, { gap: chosen }) => ({
    words: ['other', 'match'],
    // The first number is what is looked for, the second is 1 in each word.
    table: { data: Float32Array.of(0, 1, typeof chosen === 'number' ? chosen : SHOWN, 1), shape: [2, 2] },
    rows: [16, 64, 128].map((count) => range(count).map((at) => Number(at === count >> 1))),
    config: { heads: 1, scoreScale: false },
    weights: {
      'self_attn.in_proj_weight': sparse(6, 2, (put) => {
        put(0, 1, 1);
        put(2, 0, 1);
        put(4, 0, 1);
      }),
      'self_attn.out_proj.weight': identity(2),
    },
    where: (maps) => largestIn(maps, maps.shape[2] >> 1),
  })),
};
