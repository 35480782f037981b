/**
 * Checkpoints of others, BERT, DistilBERT, GPT-2 and GPT-Neo as Hugging Face lays them out, and large files, which are
 * read tensor by tensor.
 *
 * @module glassformer/checkpoints
 */
export { loadCheckpoint } from './load-checkpoint.js';
export { loadModel } from './open-model.js';
export { openSafetensors } from './safetensors-stream.js';

/** @typedef {import('./safetensors-stream.js').SafetensorsFile} SafetensorsFile */
/** @typedef {import('./safetensors-stream.js').OpenOptions} OpenOptions */
/** @typedef {import('./safetensors-stream.js').Progress} Progress */
/** @typedef {import('./safetensors-stream.js').StoredTensor} StoredTensor */
/** @typedef {import('./safetensors-stream.js').Piece} Piece */
/** @typedef {import('./source.js').FileSource} FileSource */
/** @typedef {import('./load-checkpoint.js').Checkpoint} Checkpoint */
/** @typedef {import('./checkpoint-source.js').CheckpointFiles} CheckpointFiles */
/** @typedef {import('./checkpoint-source.js').Folder} Folder */
/** @typedef {import('./checkpoint-source.js').JsonSource} JsonSource */
/** @typedef {import('./families/index.js').FamilyName} FamilyName */
/** @typedef {import('./engine.js').Engine} Engine */
/** @typedef {import('./model.js').Model} Model */
/** @typedef {import('./model-file.js').ModelFile} ModelFile */
