// Any tensor of the run by its name, and which there are.

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
