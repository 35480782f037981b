import { NAMED, indexOfLargest } from '../shared/explore.js';
import { identity, largestIn, layerModel, numbered, sparse } from '../shared/layer.js';
import { range } from '../shared/picture.js';
import { SHOWN, drawn, run } from './claim.js';

/** @type {import('../shared/explore.js').OwnModel} */
export const ownModel = {
  isTrained: false,
  where: 'the weights at the row for which others differ most',
  text: () => ({
    ...{ token: NAMED, joint: ' ', does: 'random queries, keys and values', node: 'attention' },
    goal: 'random queries, keys and values through attention, one of each in a word.',
    hint:
      'It opens at the largest weight of the row for which the claim found the most different weights with the same ' +
      'output. Set weights of that row, and see what becomes of the output.',
  }),
  open: layerModel(async (gf, { keys, scale, d_v: chosen, seed }) => {
    const width = typeof chosen === 'number' ? chosen : SHOWN;
    const { query, key, value } = drawn(seed, keys, scale, width);
    const numbers = await run(gf, { keys, scale, d_v: width, seed, seeds: 1 });
    const [[weights], [others]] = /** @type {number[][][]} */ ([numbers.weights, numbers.others]);
    const far = range(keys).map((row) =>
      range(keys).reduce((sum, c) => sum + Math.abs(weights[row * keys + c] - others[row * keys + c]), 0),
    );
    const parts = [query, key, value];
    const [d_k, d_v] = [query.shape[1], value.shape[1]];
    const whole = 2 * d_k + d_v;
    const table = sparse(keys, whole, (put) => {
      for (let word = 0; word < keys; word++)
        parts.forEach(({ data, shape: [, own] }, part) => {
          for (let c = 0; c < own; c++) put(word, part * d_k + c, data[word * own + c]);
        });
    });
    // The model divides by the root of its own width.
    const larger = Math.sqrt(whole / d_k);
    const projections = sparse(3 * whole, whole, (put) =>
      parts.forEach(({ shape: [, own] }, part) => {
        for (let c = 0; c < own; c++) put(part * whole + c, part * d_k + c, part === 0 ? larger : 1);
      }),
    );
    return {
      words: numbered('x', keys),
      table: { data: table, shape: [keys, whole] },
      rows: [range(keys)],
      config: { heads: 1 },
      weights: { 'self_attn.in_proj_weight': projections, 'self_attn.out_proj.weight': identity(whole) },
      where: (maps) => largestIn(maps, indexOfLargest(far)),
    };
  }),
};
