/**
 * Large checkpoints: files that are read tensor by tensor.
 *
 * @module glassformer/checkpoints
 */
export { openSafetensors } from './safetensors-stream.js';

/** @typedef {import('./safetensors-stream.js').SafetensorsFile} SafetensorsFile */
/** @typedef {import('./safetensors-stream.js').OpenOptions} OpenOptions */
/** @typedef {import('./safetensors-stream.js').Progress} Progress */
/** @typedef {import('./safetensors-stream.js').StoredTensor} StoredTensor */
/** @typedef {import('./safetensors-stream.js').Piece} Piece */
/** @typedef {import('./source.js').FileSource} FileSource */
