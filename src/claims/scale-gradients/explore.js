import { indexOfLargest } from '../shared/explore.js';
import { identity, largestIn, layerModel, numbered, sparse } from '../shared/layer.js';
import { median } from '../shared/numbers.js';
import { range } from '../shared/picture.js';
import { drawn, measure } from './claim.js';

/** @type {import('../shared/explore.js').OwnModel} */
export const ownModel = {
  isTrained: false,
  where: 'one query at its largest weight',
  text: () => ({
    ...{ token: /k\d+|q/g, joint: ' ', does: 'one query and its keys', node: 'attention' },
    goal: 'one of the random queries, q, and its keys k1 to k16; scores are not divided by √d_k.',
    hint:
      'It opens at the largest weight of the query. Turn the softmax’s temperature up: it divides the scores, as ' +
      '√d_k does, and the weights come away from 0 and 1, where the softmax is flat.',
  }),
  open: layerModel((gf, { d_k, seed }) => {
    const width = typeof d_k === 'number' ? d_k : 64;
    const { query, key } = drawn(seed, width);
    const { norms } = measure(gf, seed, width);
    const middle = median(norms);
    const chosen = indexOfLargest(norms.map((norm) => -Math.abs(norm - middle)));
    const keys = key.shape[1];
    // One more number marks the query, whose own key is moved so far away that its weight is 0.
    const [wide, far] = [width + 1, -1e4];
    const table = sparse(keys + 1, wide, (put) => {
      for (let c = 0; c < width; c++) {
        for (let k = 0; k < keys; k++) put(k, c, key.data[(chosen * keys + k) * width + c]);
        put(keys, c, query.data[chosen * width + c]);
      }
      put(keys, width, 1);
    });
    const projections = sparse(3 * wide, wide, (put) => {
      for (let c = 0; c < width; c++) for (const part of [0, 1, 2]) put(part * wide + c, c, 1);
      put(width, width, 1);
      put(wide + width, width, far);
    });
    return {
      words: [...numbered('k', keys), 'q'],
      table: { data: table, shape: [keys + 1, wide] },
      rows: [range(keys + 1)],
      config: { heads: 1, scoreScale: false },
      weights: { 'self_attn.in_proj_weight': projections, 'self_attn.out_proj.weight': identity(wide) },
      where: (maps) => largestIn(maps, keys),
    };
  }),
};
