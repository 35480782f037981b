// Writes the files of models and runs. Fetched when it is first used.
import { entriesOf } from '../arrays/entries.js';
import { any, flag, maybe, readOptions } from '../arrays/tensor.js';
import { handleOf, Model } from '../engine/model.js';
import { tensorsOf } from '../engine/handle.js';
import { knownWords } from '../engine/named.js';
import { modelOf } from '../engine/trainer.js';
import { GlassformerError } from '../errors.js';
import { writeAs } from '../formats/checkpoint.js';
import { PREFIX, VERSION, partsOf, readersOf } from './model-file.js';

/** @typedef {import('../text/texts.js').BaseTokenizer} BaseTokenizer */
/** @typedef {import('../engine/trainer.js').Trainer} Trainer */
/** @typedef {import('../arrays/tensor.js').Tensor} FloatTensor */

/**
 * Contents of a model file beside its weights. Each is kept as JSON in the metadata of the safetensors file, under
 * its name behind `glassformer.`: `glassformer.config`, `glassformer.vocabulary` ...
 * @typedef {object} SaveOptions
 * @property {BaseTokenizer | readonly string[]} [vocabulary] as many words as `config.vocabulary`; default those that
 *   the model knows, as of the next two
 * @property {BaseTokenizer | readonly string[]} [targetVocabulary] as many words as `config.targetVocabulary`
 * @property {BaseTokenizer | readonly string[]} [outputVocabulary] as many words as `config.outputVocabulary`
 * @property {object} [tokenizer] a `Tokenizer` or its tokenizer.json, which the file keeps as it is, as `tokenizer`;
 *   default that of the model
 * @property {readonly number[]} [endIds] tokens that end a text: where `generate` stops; default those of the model
 * @property {import('../engine/rules.js').Rules} [rules] on what `generate` writes; default those of the model
 * @property {readonly string[]} [labels] names of the classes of its output head; default those of the model
 * @property {object} [recipe] how the model was made, in your own words
 * @property {Map<string, string> | Record<string, string>} [metadata] further entries of the file
 */

/**
 * `float16`: round the weights to half precision; `int8`: round matrices and embeddings to 8 bits, as `weights: 'int8'`
 * keeps them. Else weights in 8 or 16 bits are written as they are.
 * @typedef {object} Rounding
 * @property {boolean} [float16] round the weights to half precision
 * @property {boolean} [int8] write matrices and embeddings in 8 bits
 */

/**
 * A model as a safetensors file, which `loadModel` takes; others read its weights by PyTorch's names.
 * @param {Model} model
 * @param {SaveOptions & {float16?: boolean}} [options] float16: round the weights to half precision. Else weights in 16
 *   bits are written as they are; `model.save` of `glassformer` also writes 8 bits
 * @returns {Uint8Array}
 * @throws {GlassformerError} type, unknown, freed; range for a vocabulary of another size, a number beyond half
 * @example
 * import { load, saveModel } from 'glassformer/core';
 * const gf = await load({ wasm: new URL(import.meta.resolve('glassformer/simd.wasm')) });
 * saveModel(gf.createModel({ kind: 'encoder' }), { float16: true }) instanceof Uint8Array; // → true
 */
export function saveModel(model, options = {}) {
  return modelFile(model, Model.prototype.weights.call(model), options);
}

/** @typedef {typeof import('../formats/eight-bits.js').narrow} Narrow makes 8 bits; `glassformer/core` has none */

/**
 * @param {Model} model @param {ReturnType<Model['weights']>} weights @param {SaveOptions & Rounding} [options]
 * @param {Narrow} [narrow]
 */
export const modelFile = (model, weights, options = {}, narrow) =>
  write(model, weights, options, { others: { float16: any, ...(narrow && { int8: maybe(flag) }) }, narrow });

/**
 * A run of training as one file: weights, moments, number of steps, settings and configuration. `loadModel` takes
 * it, and gives model and trainer.
 * @param {Trainer} trainer
 * @param {SaveOptions} [options]
 * @returns {Uint8Array}
 * @throws {GlassformerError} type, unknown, range, freed, state
 * @example
 * import { load, loadModel, saveTrainer } from 'glassformer/core';
 * const gf = await load({ wasm: new URL(import.meta.resolve('glassformer/simd.wasm')) });
 * const trainer = gf.createModel({ kind: 'decoder', vocabulary: 5, head: 'tied' }).trainer();
 * trainer.step({ ids: [1, 2], labels: [2, 3] });
 * (await loadModel(gf, saveTrainer(trainer))).trainer.steps; // → 1
 */
export function saveTrainer(trainer, options = {}) {
  modelOf(trainer);
  return trainerFile(trainer, trainer.state(), options);
}

/** @param {Trainer} trainer @param {import('../engine/trainer.js').State} state @param {SaveOptions} [options] */
export function trainerFile(trainer, { steps, ...blocks }, options = {}) {
  const model = modelOf(trainer);
  return write(model, partsOf(model, blocks), options, { trainer: { settings: trainer.settings, steps } });
}

/**
 * @param {Model} model
 * @param {Map<string, FloatTensor>} tensors
 * @param {unknown} options
 * @param {object} given
 * @param {Record<string, import('../arrays/tensor.js').Reader<any>>} [given.others] of options that not every file has
 * @param {object} [given.trainer] its settings and steps
 * @param {Narrow} [given.narrow]
 */
function write(model, tensors, options, { others, trainer, narrow }) {
  const isInt8 = model.config.weights === 'int8';
  const own = readersOf(model);
  const readers = { ...own, tokenizer: own.recipe, metadata: any, ...others };
  const known = /** @type {any} */ (readOptions(options, readers));
  for (const [name, words] of Object.entries(knownWords(handleOf(model)))) known[name] ??= words;
  const { metadata = {}, float16, int8 = isInt8 && !float16 && narrow !== undefined, tokenizer, ...given } = known;
  if (float16 && int8) throw new GlassformerError('unknown', 'int8', int8, 'stands beside float16: give one of them');
  const said = new Map(entriesOf(metadata, 'metadata'));
  if (tokenizer && !said.has('tokenizer')) said.set('tokenizer', jsonOf(tokenizer, 'tokenizer'));
  // Without what came later, where it is the default: the same bytes, and versions without it read the file.
  const { settings } = handleOf(model).core;
  const since = settings.findIndex(({ name }) => name === 'headTransform'); // new settings are the table's last
  const isSaid = (/** @type {[string, unknown]} */ [name, value], /** @type {number} */ at) => {
    const { choices, fallback } = settings[at];
    const isDefault = (choices[0] ? choices.indexOf(String(value)) : Number(value)) === fallback;
    return !isDefault || (at < since && name !== 'outputVocabulary');
  };
  const config = Object.fromEntries(Object.entries(model.config).filter(isSaid));
  const { weightsError: error, checkpoint: from } = handleOf(model);
  const weightsError = isInt8 ? error : undefined;
  const checkpoint = from && { family: from.family, config: from.config };
  for (const [key, value] of Object.entries({
    version: VERSION,
    config,
    weightsError,
    checkpoint,
    ...given,
    trainer,
  })) {
    if (value !== undefined) said.set(PREFIX + key, jsonOf(value, key));
  }
  const kept = narrow && int8 ? narrowed(model, tensors, narrow) : tensors;
  return writeAs(keptOf(model.config), kept, { float16, metadata: /** @type {Map<string, string>} */ (said) });
}

/**
 * Those weights in 8 bits that a model in int8 keeps so.
 * @param {Model} model
 * @param {Map<string, FloatTensor>} tensors
 * @param {Narrow} narrow
 */
function narrowed(model, tensors, narrow) {
  const kept = tensorsOf(handleOf(model).core, { ...model.config, weights: 'int8' });
  const matrices = new Set(kept.filter(({ dtype }) => dtype === 'int8').map(({ name }) => name));
  return new Map([...tensors].flatMap(([name, each]) => (matrices.has(name) ? narrow(name, each) : [[name, each]])));
}

/** The 16 bits in which a model's matrices are. @param {import('../engine/config.js').Config} config */
export const keptOf = ({ weights }) => (weights === 'bf16' || weights === 'f16' ? weights : undefined);

/** @param {unknown} value @param {string} name */
function jsonOf(value, name) {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // Errors of the caller's code pass; these are the engine's: a BigInt, a cycle, nested too deep.
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
    const [why] = error.message.split('\n');
    throw new GlassformerError('type', name, undefined, `cannot be written as JSON: ${why}`);
  }
}
