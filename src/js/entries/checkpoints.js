/**
 * Checkpoints of others, BERT, DistilBERT, RoBERTa, GPT-2, GPT-Neo, OPT, Llama, Mistral, Qwen, Marian and BART as
 * Hugging Face lays them out, and large files, which are read tensor by tensor.
 *
 * @module glassformer/checkpoints
 */
export { answer, classify, classifyTokens } from '../engine/classify.js';
export { loadCheckpoint } from '../files/load-checkpoint.js';
export { loadModel } from '../files/open-model.js';
export { saveCheckpoint } from '../files/save-checkpoint.js';
export { openSafetensors } from '../formats/safetensors-stream.js';

/** @typedef {import('../engine/classify.js').Classified} Classified */
/** @typedef {import('../engine/classify.js').ClassifiedToken} ClassifiedToken */
/** @typedef {import('../formats/safetensors-stream.js').SafetensorsFile} SafetensorsFile */
/** @typedef {import('../formats/safetensors-stream.js').OpenOptions} OpenOptions */
/** @typedef {import('../formats/safetensors-stream.js').Progress} Progress */
/** @typedef {import('../formats/safetensors-stream.js').StoredTensor} StoredTensor */
/** @typedef {import('../formats/safetensors-stream.js').Piece} Piece */
/** @typedef {import('../formats/source.js').FileSource} FileSource */
/** @typedef {import('../files/load-checkpoint.js').Checkpoint} Checkpoint */
/** @typedef {import('../files/checkpoint-source.js').CheckpointFiles} CheckpointFiles */
/** @typedef {import('../files/checkpoint-source.js').Folder} Folder */
/** @typedef {import('../files/checkpoint-source.js').JsonSource} JsonSource */
/** @typedef {import('../files/families/index.js').FamilyName} FamilyName */
/** @typedef {import('../files/weights-error.js').WeightsError} WeightsError */
/** @typedef {import('../files/save-checkpoint.js').SavedCheckpoint} SavedCheckpoint */
/** @typedef {import('../engine/engine.js').Engine} Engine */
/** @typedef {import('../engine/model.js').Model} Model */
/** @typedef {import('../files/model-file.js').ModelFile} ModelFile */
