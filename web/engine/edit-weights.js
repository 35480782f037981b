// Puts other numbers among a model's weights: fetched when the first is edited.

import { forwardWithInterventions } from './intervene.js';
import { sidesOf } from './weights.js';

/**
 * @typedef {import('./interventions.js').Intervention} Intervention
 * @typedef {import('./worker.js').Model} Model
 * @typedef {{name: string, index: number, value: number}} Cell of a weight
 */

/**
 * Puts the edited numbers into the model's weights, those of an earlier call taken back first.
 * @param {Model} model
 * @param {readonly Intervention[]} interventions
 * @param {Cell[]} originals what an earlier call has edited
 * @returns {Cell[]} what is edited now, as it was
 */
export function editWeights(model, interventions, originals) {
  const edits = interventions.filter((change) => change.what === 'weight');
  const cells = edits.map((edit) => cellOf(model, edit));
  restore(model, originals);
  return cells.map((cell) => putCell(model, cell));
}

/**
 * Takes edits back, the last first, as one cell may be edited twice.
 * @param {Model} model
 * @param {Cell[]} originals
 */
export function restore(model, originals) {
  for (const cell of [...originals].reverse()) putCell(model, cell);
}

/**
 * Uses the model of a run with nothing changed in it, which then runs again: a second large model does not fit.
 * @template T
 * @param {import('./derived.js').Context} context @param {(model: Model) => T} use
 * @returns {T}
 */
export function asBuilt({ model, originals, interventions, ids, targetIds, how }, use) {
  restore(model, originals);
  try {
    return use(model);
  } finally {
    editWeights(model, interventions, []);
    forwardWithInterventions(model, { ids, ...(targetIds && { targetIds }) }, interventions, how);
  }
}

/**
 * By a copy: weights in 16 bits have no view, and with one that was lent every pass would begin at the first token.
 * @param {Model} model @param {Cell} cell rounded where the weight has 16 bits
 * @returns {Cell} as it was
 */
function putCell(model, { name, index, value }) {
  const weight = /** @type {import('./protocol.js').Tensor} */ (model.tensor(name));
  const before = { name, index, value: weight.data[index] };
  weight.data[index] = value;
  model.loadWeights({ [name]: weight }, { strict: false });
  return before;
}

/**
 * @param {Model} model
 * @param {import('./interventions.js').WeightIntervention} edit
 * @returns {Cell}
 */
function cellOf(model, { name, row, column, value }) {
  const refuse = (/** @type {string} */ code, /** @type {string} */ message) => {
    throw { code, parameter: 'interventions', message };
  };
  const found = model.tensors().find((each) => each.region === 'weight' && each.name === name);
  if (!found) return refuse('unknown', `This model has no weight ${name}.`);
  const [rows, columns] = sidesOf(found.shape);
  if (!(row >= 0 && row < rows && column >= 0 && column < columns))
    refuse('range', `${name} has ${rows} × ${columns} numbers and none at [${row}, ${column}].`);
  const most = found.dtype === 'float16' ? 65504 : 3e38;
  if (!(Math.abs(value) <= most)) refuse('range', `A number of ${name} must be within ±${most}, not ${value}.`);
  return { name, index: row * columns + column, value };
}
