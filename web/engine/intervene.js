// Makes the interventions of a forward pass: patches and temperature. Other numbers among the weights: edit-weights.js.

import { isIntervention, interventionLabel, temperatureOf } from './interventions.js';
import { isPatched, patchPlace } from './patches.js';

/**
 * @typedef {import('./interventions.js').Intervention} Intervention
 * @typedef {import('./worker.js').Model} Model
 * @typedef {import('./protocol.js').Tensor} Tensor
 * @typedef {{ids: number[], targetIds?: number[]}} Input
 * @typedef {import('./patches.js').Patched} Patched
 */

/** Whether a forward pass is another for it; an edited weight is the model's. @param {Intervention} change */
export const actsInPass = ({ what }) => what !== 'weight';

/**
 * A forward pass with capture and all interventions but those of the weights.
 * @param {Model} model
 * @param {Input} input
 * @param {readonly Intervention[]} interventions
 */
export function forwardWithInterventions(model, input, interventions) {
  const temperature = temperatureOf(interventions);
  const options = { ...input, capture: true, ...(temperature === 1 ? {} : { temperature }) };
  const patched = interventions.filter(isPatched);
  if (!patched.length) return model.forward(options);
  if (patched.some(({ to }) => to === 'mean')) model.forward(options); // the means are of this pass
  try {
    return model.forward({ ...options, patches: patched.map((change) => patchOf(change, model)) });
  } catch (error) {
    throw named(/** @type {import('./protocol.js').Problem} */ (error), patched);
  }
}

/**
 * What the module refuses, by the name of the change that it comes from: a text may have lost a
 * cell, a model a head.
 * @param {import('./protocol.js').Problem & {value?: unknown}} error
 * @param {readonly Patched[]} patched
 */
function named(error, patched) {
  const { code, parameter, message, value } = error;
  const absent = patched.find((each) => patchPlace(each).name === value);
  const change = absent ?? patched[Number(/^patches\[(\d+)\]/.exec(parameter)?.[1])];
  const label = change && interventionLabel(change, () => ({ rowWords: [], columnWords: [] }));
  if (!label) return error;
  return {
    code,
    parameter,
    message: absent
      ? `“${label}” does not exist in this model. Remove it or choose other settings.`
      : `“${label}” does not exist here (${message}). Remove it or choose another text.`,
  };
}

/**
 * @param {Patched} change
 * @param {Model} model that has run without patches, if a mean is wanted
 */
function patchOf(change, model) {
  const place = patchPlace(change);
  if (change.to !== 'mean') return { ...place, value: change.to };
  const tensor = tensorOf(model, place.name);
  return {
    ...place,
    value: change.what === 'head' ? meanOfHead(tensor, change.head) : meanOfNeuron(tensor, change.neuron),
  };
}

/** @param {readonly Intervention[]} interventions */
export function checkInterventions(interventions) {
  if (!interventions.every(isIntervention))
    throw { code: 'unknown', parameter: 'interventions', message: 'One of the changes is of an unknown kind.' };
}

/** @param {Model} model @param {string} name */
const tensorOf = (model, name) => /** @type {Tensor} */ (model.tensor(name));

/** The mean row of a head's [T, D], once for each row. @param {Tensor} tensor @param {number} head */
function meanOfHead({ data, shape: [, , rows, width] }, head) {
  const own = data.subarray(head * rows * width, (head + 1) * rows * width);
  const mean = Array.from({ length: width }, (_, column) => {
    let sum = 0;
    for (let row = 0; row < rows; row++) sum += own[row * width + column];
    return sum / rows;
  });
  return Float32Array.from({ length: rows * width }, (_, i) => mean[i % width]);
}

/** @param {Tensor} tensor @param {number} neuron */
function meanOfNeuron({ data, shape: [, rows, width] }, neuron) {
  let sum = 0;
  for (let row = 0; row < rows; row++) sum += data[row * width + neuron];
  return sum / rows;
}

/** @param {Model} model */
export const weightNames = (model) =>
  model
    .tensors()
    .filter(({ region }) => region === 'weight')
    .map(({ name }) => name);

/** Rows and columns; a vector is one row. @param {number[]} shape */
export const sidesOf = (shape) => (shape.length === 1 ? [1, shape[0]] : [shape[0], shape[1]]);
