// One number of the model's weights, to be looked at before it is edited: '@weight/name/row/column'.

import { sidesOf, weightNames } from '../../engine/intervene.js';

/** @type {import('../../engine/derived.js').DerivedFunction} */
export function weight({ model }, asked, row, column) {
  const names = weightNames(model);
  const name = names.includes(asked) ? asked : names[0];
  const data = model.view(name); // a copy of a whole table for one number would be 150 MB of GPT-2
  const { shape = [] } = model.tensors().find((each) => each.name === name) ?? {};
  const [rows, columns] = sidesOf(shape);
  const at = { row: Math.min(Number(row), rows - 1), column: Math.min(Number(column), columns - 1) };
  return { names, name, rows, columns, ...at, value: data[at.row * columns + at.column] };
}
