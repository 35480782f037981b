/**
 * Exports of every entry of the package, besides its `load`.
 */
export { readSafetensors, writeSafetensors } from '../formats/checkpoint.js';
export { GlassformerError } from '../errors.js';
export { Vocabulary } from '../text/vocabulary.js';

/** @typedef {import('../engine/engine.js').Engine} Engine */
/** @typedef {import('../engine/model.js').Model} Model */
/** @typedef {import('../engine/model.js').ForwardOptions} ForwardOptions */
/** @typedef {import('../engine/handle.js').TensorFacts & import('../engine/handle.js').Place} TensorInfo */
/** @typedef {import('../engine/selector.js').Selected} Selected */
/** @typedef {import('../engine/selector.js').Selector} Selector */
/** @typedef {import('../engine/handle.js').GraphNode} GraphNode */
/** @typedef {import('../engine/patches.js').Ablation} Ablation */
/** @typedef {import('../engine/trace.js').Trace} Trace */
/** @typedef {import('../engine/attribution.js').Attribution} Attribution */
/** @typedef {import('../engine/attribution.js').AttributionOptions} AttributionOptions */
/** @typedef {import('../engine/decided.js').Decided} Decided */
/** @typedef {import('../engine/decided.js').DecidedOptions} DecidedOptions */
/** @typedef {import('../engine/decided.js').DecidedSwap} DecidedSwap */
/** @typedef {import('../engine/generate.js').GenerateOptions} GenerateOptions */
/** @typedef {import('../engine/generate.js').BatchOptions} BatchOptions */
/** @typedef {import('../engine/generate.js').Generated} Generated */
/** @typedef {import('../engine/named.js').Ids} Ids */
/** @typedef {import('../engine/model.js').Input} Input */
/** @typedef {import('../text/texts.js').Encoding} Encoding */
/** @typedef {import('../text/texts.js').EncodedRows} EncodedRows */
/** @typedef {import('../text/texts.js').EncodeOptions} EncodeOptions */
/** @typedef {import('../text/texts.js').BaseTokenizer} BaseTokenizer */
/** @typedef {import('../engine/embed.js').EmbedOptions} EmbedOptions */
/** @typedef {import('../engine/classify.js').Classified} Classified */
/** @typedef {import('../engine/classify.js').ClassifiedToken} ClassifiedToken */
/** @typedef {import('../engine/trainer.js').Trainer} Trainer */
/** @typedef {import('../engine/trainer.js').Frozen} Frozen */
/** @typedef {import('../engine/trainer.js').Shards} Shards */
/** @typedef {import('../engine/trainer.js').Sharded} Sharded */
/** @typedef {import('../engine/trainer.js').ShardedTrainer} ShardedTrainer */
/** @typedef {import('../engine/trainer.js').TrainerOptions} TrainerOptions */
/** @typedef {import('../engine/trainer.js').TrainingBatch} TrainingBatch */
/** @typedef {import('../engine/trainer.js').StepReport} StepReport */
/** @typedef {import('../engine/trainer.js').Snapshot} Snapshot */
/** @typedef {import('../engine/trainer.js').State} State */
/** @typedef {import('../engine/config.js').Settings} Settings */
/** @typedef {import('../engine/config.js').Config} Config */
/** @typedef {import('../engine/engine.js').Activation} Activation */
/** @typedef {import('../engine/engine.js').Norm} Norm */
/** @typedef {import('../errors.js').ErrorCode} ErrorCode */
/** @typedef {import('../arrays/tensor.js').Floats} Floats */
/** @typedef {import('../arrays/tensor.js').Ints} Ints */
/** @typedef {import('../arrays/tensor.js').Flags} Flags */
/**
 * @template {Float32Array | Int32Array | Uint8Array} [D=Float32Array]
 * @typedef {import('../arrays/tensor.js').Tensor<D>} Tensor
 */
/** A result: `data` is a Float32Array. @typedef {import('../arrays/tensor.js').Tensor} FloatTensor */
