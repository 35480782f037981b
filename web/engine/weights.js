// The weights of a model, as the page lists and edits them.

/** @param {import('./worker.js').Model} model */
export const weightNames = (model) =>
  model
    .tensors()
    .filter(({ region }) => region === 'weight')
    .map(({ name }) => name);

/** Rows and columns; a vector is one row. @param {number[]} shape */
export const sidesOf = (shape) => (shape.length === 1 ? [1, shape[0]] : [shape[0], shape[1]]);
