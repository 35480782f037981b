// The former names of tensor-table.js, for explore/share/panel.js.

export { tableOfTensor as sheetOfTensor } from './tensor-table.js';

/** @typedef {import('./tensor-table.js').TensorTable} TensorSheet */
