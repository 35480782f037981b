// Puts other numbers among a model's weights: fetched when the first is edited.

import { sidesOf } from './intervene.js';

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
  return cells.map(({ name, index, value }) => {
    const weights = model.view(name);
    const original = weights[index];
    weights[index] = value;
    return { name, index, value: original };
  });
}

/**
 * Takes edits back, the last first, as one cell may be edited twice.
 * @param {Model} model
 * @param {Cell[]} originals
 */
export function restore(model, originals) {
  for (const { name, index, value } of [...originals].reverse()) model.view(name)[index] = value;
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
  if (!Number.isFinite(Math.fround(value))) refuse('range', `${name}[${row}][${column}] must be finite, got ${value}.`);
  return { name, index: row * columns + column, value };
}
