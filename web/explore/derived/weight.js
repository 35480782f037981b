// One number of the model's weights, shown before it is edited: '@weight/name/row/column'.

import { sidesOf, weightNames } from '../../engine/intervene.js';

/** @type {import('../../engine/derived.js').DerivedFunction} */
export function weight({ model }, asked, row, column) {
  const names = weightNames(model);
  const name = names.includes(asked) ? asked : names[0];
  const { shape = [] } = model.tensors().find((each) => each.name === name) ?? {};
  const [rows, columns] = sidesOf(shape);
  const at = { row: Math.min(Number(row), rows - 1), column: Math.min(Number(column), columns - 1) };
  const { data } = model.tensor(shape.length === 1 ? name : { name, row: at.row }); // a whole table is 150 MB of GPT-2
  return { names, name, rows, columns, ...at, value: data[at.column] };
}
