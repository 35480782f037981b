// The numbers that changes put in the place of computed ones, as Model.forward takes them.

import { atOnePlace, isTaken, patchPlace } from './patches.js';

/**
 * @typedef {import('./patches.js').Patched} Patched
 * @typedef {import('./interventions.js').StreamIntervention} StreamIntervention
 * @typedef {import('./worker.js').Model} Model
 * @typedef {import('./protocol.js').Tensor} Tensor
 * @typedef {{name: string, index: (number | null)[], value: number | Float32Array}} Patch
 * @typedef {({ids: number[]} | {sourceIds: number[], targetIds: number[]}) & {
 *   capture: true | {layer: number}[], logits?: false, temperature?: number}} PassOptions
 */

/** What stands where another text is named. @param {Patched} change */
const textOf = (change) => (change.what === 'patch' && change.from !== 'mean' ? change.from : null);

/**
 * The patches of each change. What they take comes from passes with none of them: one over the text itself, one over
 * each other text.
 * @param {Model} model
 * @param {PassOptions} options
 * @param {readonly Patched[]} changes
 * @returns {Map<Patched, Patch[]>}
 */
export function makePatches(model, options, changes) {
  /** @type {Map<Patched, number | Float32Array>} */
  const values = new Map();
  const taken = changes.filter(isTaken);
  if (taken.length) {
    const tensor = run(model, options);
    for (const change of taken) values.set(change, ownValue(change, tensor(patchPlaceOf(change).name)));
  }
  /** @type {Map<string, StreamIntervention[]>} */
  const byText = new Map();
  for (const change of taken) {
    const text = textOf(change);
    if (change.what === 'patch' && text) byText.set(String(text), [...(byText.get(String(text)) ?? []), change]);
  }
  for (const [, [first, ...rest]] of byText) {
    const tensor = runOther(model, options, first);
    for (const change of [first, ...rest]) {
      const own = /** @type {Float32Array} */ (values.get(change));
      values.set(change, mixed(own, rowOf(tensor(patchPlaceOf(change).name), change.row), change.share));
    }
  }
  return new Map(
    changes.map((change) => [
      change,
      atOnePlace(change).map((each) => ({
        ...patchPlace(each),
        value: values.get(change) ?? ('to' in each && each.to !== 'mean' ? each.to : 0),
      })),
    ]),
  );
}

/** @param {Patched} change that takes something, which is in one place */
const patchPlaceOf = (change) => patchPlace(atOnePlace(change)[0]);

/**
 * A pass, and how its tensors are read: each is copied out once.
 * @param {Model} model
 * @param {PassOptions} options
 */
function run(model, options) {
  model.forward(options);
  /** @type {Map<string, Tensor>} */
  const copies = new Map();
  return (/** @type {string} */ name) => {
    const tensor = copies.get(name) ?? /** @type {Tensor} */ (model.tensor(name));
    copies.set(name, tensor);
    return tensor;
  };
}

/**
 * The pass over the text that a change names.
 * @param {Model} model @param {PassOptions} options @param {Patched} change
 */
function runOther(model, options, change) {
  const ids = textOf(change) ?? [];
  const name = 'sourceIds' in options ? 'sourceIds' : 'ids';
  const own = /** @type {Record<string, any>} */ (options)[name];
  const lengths = `the other sentence has ${ids.length} tokens, this one ${own.length}.`;
  if (ids.length !== own.length) throw { code: 'shape', parameter: '', message: lengths, change };
  try {
    return run(model, { ...options, [name]: ids });
  } catch (error) {
    const { code } = /** @type {import('./protocol.js').Problem} */ (error);
    throw code ? { code, parameter: '', message: 'the model cannot read the other sentence.', change } : error;
  }
}

/**
 * What a change takes of the text itself: a mean, or the token's own vector, to be mixed.
 * @param {Patched} change
 * @param {Tensor} tensor
 */
function ownValue(change, tensor) {
  if (change.what === 'head') return meanOfHead(tensor, change.head);
  if (change.what === 'neuron') return meanOfNeuron(tensor, change.neuron);
  const { row, from, share } = /** @type {StreamIntervention} */ (change);
  const own = rowOf(tensor, row);
  return from === 'mean' ? mixed(own, meanRow(tensor.data, tensor.shape[2]), share) : own;
}

/** @param {Tensor} tensor @param {number} row */
const rowOf = ({ data, shape: [, , width] }, row) => data.slice(row * width, (row + 1) * width);

/** @param {Float32Array} own @param {Float32Array} other @param {number} share of the other one */
const mixed = (own, other, share) => own.map((value, i) => (1 - share) * value + share * other[i]);

/** The mean of rows. @param {Float32Array} data @param {number} width */
function meanRow(data, width) {
  const rows = data.length / width;
  return Float32Array.from({ length: width }, (_, column) => {
    let sum = 0;
    for (let row = 0; row < rows; row++) sum += data[row * width + column];
    return sum / rows;
  });
}

/** The mean row of a head's [T, D], once for each row. @param {Tensor} tensor @param {number} head */
function meanOfHead({ data, shape: [, , rows, width] }, head) {
  const mean = meanRow(data.subarray(head * rows * width, (head + 1) * rows * width), width);
  return Float32Array.from({ length: rows * width }, (_, i) => mean[i % width]);
}

/** @param {Tensor} tensor @param {number} neuron */
function meanOfNeuron({ data, shape: [, rows, width] }, neuron) {
  let sum = 0;
  for (let row = 0; row < rows; row++) sum += data[row * width + neuron];
  return sum / rows;
}
