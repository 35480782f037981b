/**
 * What every entry of the package exports, beside its `load`.
 */
export { readSafetensors, writeSafetensors } from './checkpoint.js';
export { GlassformerError } from './errors.js';
export { Vocabulary } from './vocabulary.js';

/** @typedef {import('./engine.js').Engine} Engine */
/** @typedef {import('./model.js').Model} Model */
/** @typedef {import('./model.js').ForwardOptions} ForwardOptions */
/** @typedef {import('./handle.js').TensorFacts & import('./handle.js').Place} TensorInfo */
/** @typedef {import('./handle.js').GraphNode} GraphNode */
/** @typedef {import('./patches.js').Ablation} Ablation */
/** @typedef {import('./generate.js').GenerateOptions} GenerateOptions */
/** @typedef {import('./trainer.js').Trainer} Trainer */
/** @typedef {import('./trainer.js').Frozen} Frozen */
/** @typedef {import('./trainer.js').Shards} Shards */
/** @typedef {import('./trainer.js').Sharded} Sharded */
/** @typedef {import('./trainer.js').ShardedTrainer} ShardedTrainer */
/** @typedef {import('./trainer.js').TrainerOptions} TrainerOptions */
/** @typedef {import('./trainer.js').TrainingBatch} TrainingBatch */
/** @typedef {import('./trainer.js').StepReport} StepReport */
/** @typedef {import('./trainer.js').Snapshot} Snapshot */
/** @typedef {import('./trainer.js').State} State */
/** @typedef {import('./config.js').Settings} Settings */
/** @typedef {import('./config.js').Config} Config */
/** @typedef {import('./engine.js').Activation} Activation */
/** @typedef {import('./engine.js').Norm} Norm */
/** @typedef {import('./errors.js').ErrorCode} ErrorCode */
/** @typedef {import('./tensor.js').Floats} Floats */
/** @typedef {import('./tensor.js').Ints} Ints */
/** @typedef {import('./tensor.js').Flags} Flags */
/**
 * @template {Float32Array | Int32Array | Uint8Array} [D=Float32Array]
 * @typedef {import('./tensor.js').Tensor<D>} Tensor
 */
