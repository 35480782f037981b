// Whether the key with the largest weight is the one that matters: in a trained model each key is hidden from each
// query.
import { makeReverseVariable } from 'glassformer/tasks';
import { indexOfLargest } from '../shared/explore.js';
import { lengthOf } from '../shared/numbers.js';
import { range } from '../shared/picture.js';
import { dataOf, freed, train, trained } from '../shared/train.js';

/** @typedef {import('../shared/train.js').Model} Model */

export const STEPS = 600;
const HELD_OUT = 32;
const task = makeReverseVariable();

/** @param {any} logits @param {ArrayLike<number>} labels @param {import('../shared/train.js').Engine} gf */
function costs({ data, shape }, labels, gf) {
  const words = shape[shape.length - 1];
  const logs = gf.logSoftmax({ data, shape }).data;
  return Array.from(labels, (target, i) => (target < 0 ? NaN : -logs[i * words + target]));
}

/**
 * Shares of the places at which hiding the key with the largest weight of a layer costs most, and hiding the one with
 * the longest weighted value.
 * @param {import('../shared/train.js').Engine} gf
 * @param {number} seed
 * @param {() => Promise<void>} step
 */
export async function ablated(gf, seed, step) {
  const { heldOut, batches } = dataOf(task, seed, HELD_OUT);
  const model = await trained(gf, /** @type {any} */ ({ ...task.config, seed }), (one) =>
    train(one.trainer(task.trainer), batches(), STEPS, step),
  );
  return freed(model, () => {
    const { labels, ...inputs } = /** @type {any} */ (heldOut.batch);
    const length = inputs.ids.shape[1];
    const base = costs(model.forward({ ...inputs, capture: true }).logits, labels.data, gf);
    const layers = [0, model.config.layers - 1].map((layer) => contributions(model, layer));
    // By query and key what hiding the one from the other costs, in all layers.
    const lost = range(length * length).map((cell) => {
      const mask = { data: new Float32Array(length * length), shape: [length, length] };
      mask.data[cell] = -Infinity;
      const query = Math.floor(cell / length);
      const after = costs(model.forward({ ...inputs, mask }).logits, labels.data, gf);
      return range(HELD_OUT).map((row) => after[row * length + query] - base[row * length + query]);
    });
    const places = range(HELD_OUT * length).filter((at) => labels.data[at] >= 0);
    const keysOf = (/** @type {number} */ row) =>
      range(length).filter((key) => !inputs.padding.data[row * length + key]);
    const shareOf = (/** @type {(row: number, query: number, key: number) => number} */ size) => {
      const hits = places.filter((at) => {
        const [row, query] = [Math.floor(at / length), at % length];
        const keys = keysOf(row);
        const top = (/** @type {(key: number) => number} */ of) => indexOfLargest(keys.map(of));
        return top((key) => size(row, query, key)) === top((key) => lost[query * length + key][row]);
      });
      return hits.length / places.length;
    };
    const [first, last] = layers;
    return {
      ...{ firstTop: shareOf(first.weight), lastTop: shareOf(last.weight) },
      ...{ firstNorm: shareOf(first.norm), lastNorm: shareOf(last.norm) },
      chance: places.reduce((sum, at) => sum + 1 / keysOf(Math.floor(at / length)).length, 0) / places.length,
    };
  });
}

/**
 * Of a layer the mean weight of its heads, and the length of what a key adds: the sum over the heads of the weighted
 * value through the head's part of W^O (Kobayashi et al. 2020).
 * @param {Model} model that has read a batch
 * @param {number} layer
 */
function contributions(model, layer) {
  const [weights, values, output] = ['weights', 'value', 'out_proj.weight'].map(
    (name) => /** @type {any} */ (model.tensor(`encoder.layers.${layer}.self_attn.${name}`)),
  );
  const [, heads, length] = weights.shape;
  const [width, size] = [output.shape[0], values.shape[3]];
  const at = (/** @type {number[]} */ ...[row, head, query, key]) =>
    weights.data[((row * heads + head) * length + query) * length + key];
  return {
    weight: (/** @type {number} */ row, /** @type {number} */ query, /** @type {number} */ key) =>
      range(heads).reduce((sum, head) => sum + at(row, head, query, key) / heads, 0),
    norm: (/** @type {number} */ row, /** @type {number} */ query, /** @type {number} */ key) =>
      lengthOf(
        range(width).map((c) =>
          range(heads * size).reduce((sum, i) => {
            const head = Math.floor(i / size);
            const value = values.data[((row * heads + head) * length + key) * size + (i % size)];
            return sum + at(row, head, query, key) * value * output.data[c * width + i];
          }, 0),
        ),
      ),
  };
}
