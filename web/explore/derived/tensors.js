// Any tensor of the run by its name, which there are, and one number of the weights.

import { sidesOf, weightNames } from '../../engine/weights.js';

/**
 * '@weight/name/row/column', shown before it is edited.
 * @type {import('../../engine/derived.js').DerivedFunction}
 */
export function weight({ model }, asked, row, column) {
  const names = weightNames(model);
  const name = names.includes(asked) ? asked : names[0];
  const { shape = [] } = model.tensors().find((each) => each.name === name) ?? {};
  const [rows, columns] = sidesOf(shape);
  const at = { row: Math.min(Number(row), rows - 1), column: Math.min(Number(column), columns - 1) };
  const { data } = model.tensor(shape.length === 1 ? name : { name, row: at.row }); // a whole table is 150 MB of GPT-2
  return { names, name, rows, columns, ...at, value: data[at.column] };
}

/** @type {import('../../engine/derived.js').DerivedFunction} */
export const tensors = ({ model }) => ({ names: model.tensors().map(({ name }) => name) });

/**
 * Nothing where this model has none of that name: a state may outlive its model.
 * @type {import('../../engine/derived.js').DerivedFunction}
 */
export const tensor = ({ model }, name) => {
  const { stack } = model.tensors().find((each) => each.name === name) ?? {};
  const found = stack !== undefined && model.tensor(name);
  return found ? { data: found.data, shape: found.shape, stack } : {};
};
