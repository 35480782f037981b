import { isArray, isText } from '../arrays/arrays.js';
import { readSafetensors } from '../formats/checkpoint.js';
import { readTrainerSettings } from '../engine/config.js';
import { coreOf, emptyModel } from '../engine/engine.js';
import { GlassformerError, beginning, filesOf } from '../errors.js';
import { tensorsOf } from '../engine/handle.js';
import { parseJson } from '../formats/json.js';
import { handleOf, viewOf } from '../engine/model.js';
import { TOKENIZERS, textsOf } from '../engine/named.js';
import { rulesReader } from '../engine/rules.js';
import { unread } from '../formats/safetensors-header.js';
import { toBytes } from '../formats/source.js';
import { expectShape, integer, isObject, listOf, maybe, readOptions, refuseType } from '../arrays/tensor.js';
import { modelOf, savedReaders } from '../engine/trainer.js';
import { Vocabulary } from '../text/vocabulary.js';

/** @typedef {import('../text/texts.js').BaseTokenizer} BaseTokenizer */
/** @typedef {import('../engine/engine.js').Engine} Engine */
/** @typedef {import('../engine/model.js').Model} Model */
/** @typedef {import('../engine/trainer.js').Trainer} Trainer */
/** @typedef {import('../arrays/tensor.js').Tensor} FloatTensor */
/** @typedef {import('../formats/source.js').FileSource} FileSource */

/**
 * @typedef {object} ModelFile
 * @property {Model} model to be freed by its `free`
 * @property {BaseTokenizer} [tokenizer] a `Vocabulary` or a `Tokenizer`: `encode(text)` gives what the model takes,
 *   `decode(ids)` text; undefined where the file has none
 * @property {BaseTokenizer} [targetTokenizer] of an encoder-decoder
 * @property {BaseTokenizer} [outputTokenizer] of a model whose output has its own vocabulary
 * @property {any} [recipe] how the model was made
 * @property {readonly number[]} [endIds] tokens that end a text: where `generate` stops
 * @property {import('../engine/rules.js').Rules} [rules] on the texts that `generate` writes
 * @property {readonly string[]} [labels] names of the classes of its output head
 * @property {Trainer} [trainer] of a file by `trainer.save`: goes on where that one stood. A file chooses no workers:
 *   `model.trainer({ ...trainer.settings, workers: 2 })` and its `resume(file)` start them
 * @property {Map<string, string>} metadata all of the file's
 * @property {import('./weights-error.js').WeightsError} [weightsError] measured where `weights: 'int8'` was asked for,
 *   or as the file of such a model says
 */

/**
 * The tensors in the header of a file.
 * @typedef {object} Header
 * @property {Map<string, {shape: number[]}>} tensors
 * @property {ReturnType<typeof readSafetensors>['skipped']} skipped
 */

export const VERSION = 1;
export const PREFIX = 'glassformer.';
/** The tensors of a run for each weight, by their prefix. */
const BLOCKS = ['', 'moment1.', 'moment2.'];

/**
 * A model from its file, with what else that says; the reverse of `saveModel` and `saveTrainer`.
 * @param {Engine} gf
 * @param {FileSource | PromiseLike<FileSource>} file address, Response (or what `fetch` gives), Blob or bytes of a
 *   safetensors file with a configuration; in Node also a file: URL
 * @returns {Promise<ModelFile>}
 * @throws {GlassformerError} type; format for an address or page without such a file, for a malformed one and for
 *   one without configuration; config, unknown, missing, shape for weights that are not the configuration's; memory
 * @example
 * import { load, loadModel, saveModel } from 'glassformer/core';
 * const gf = await load({ wasm: new URL(import.meta.resolve('glassformer/simd.wasm')) });
 * const file = saveModel(gf.createModel({ kind: 'encoder', vocabulary: 2 }), { vocabulary: ['a', 'creek'] });
 * const { model, tokenizer } = await loadModel(gf, file);
 * tokenizer.decode([0, 1]); // → 'a creek'
 */
export async function loadModel(gf, file) {
  const expected = 'a URL, Response, Blob or the bytes of a safetensors file';
  let read = readSafetensors(await toBytes(file, 'file', expected));
  if (isNarrow(read)) read = await /** @type {any} */ (filesOf(coreOf(gf))).widen(read);
  return modelOfTensors(gf, readModelFile(gf, read), read.tensors);
}

/** Whether it has matrices in 8 bits. @param {Header} file */
export const isNarrow = ({ tensors }) => [...tensors.keys()].some((name) => name.endsWith('.scales'));

/**
 * Reads a file's metadata and compares it with the header of its tensors, before it allocates anything of the model's
 * size.
 * @param {Engine} gf
 * @param {Header & {metadata: Map<string, string>}} file
 */
export function readModelFile(gf, file) {
  const { tensors, metadata } = file;
  const { config, state, said, weightsError, checkpoint } = readModelMetadata(metadata);
  const core = coreOf(gf);
  // Without what would choose a script or start threads.
  const readers = savedReaders(readTrainerSettings(core));
  /** @type {typeof readers.loss} */
  const loss = (value, name) => readers.loss(value === 'cross-entropy' ? 'crossEntropy' : value, name); // of old files
  const readSettings = (/** @type {unknown} */ settings) =>
    readOptions(settings, { ...readers, loss }, 'trainer.settings.');
  const trainer = state && { settings: readSettings(state.settings), steps: state.steps };
  const shapes = shapesOf(tensorsOf(core, config), state ? BLOCKS : ['']);
  const other = [...tensors.keys()].find((name) => !shapes.has(name));
  if (other !== undefined) throw new GlassformerError('unknown', other, undefined, 'the model has no such weight');
  expectTensors(shapes, file);
  return { config, said, metadata, trainer, weightsError, checkpoint };
}

/**
 * @param {Engine} gf
 * @param {ReturnType<typeof readModelFile>} file
 * @param {Map<string, import('../formats/checkpoint.js').AnyTensor>} tensors
 * @returns {Promise<ModelFile>}
 */
export async function modelOfTensors(gf, { config, said, metadata, trainer: run, weightsError, checkpoint }, tensors) {
  const model = emptyModel(gf, config);
  try {
    model.loadWeights(tensors, { rename: (name) => (run && /^moment\d\./.test(name) ? null : name) });
    const trainer = run && model.trainer(run.settings);
    if (trainer) restore(trainer, tensors, run.steps);
    return resultOf(model, await wordsOf(model, said, metadata), { trainer, metadata, weightsError, checkpoint });
  } catch (error) {
    model.free();
    throw error;
  }
}

/**
 * @param {Model} model
 * @param {ModelFile['weightsError']} weightsError is kept with the model, for its file
 */
export function withError(model, weightsError) {
  handleOf(model).weightsError = weightsError;
  return weightsError && { weightsError };
}

/**
 * Shapes of a file's tensors by name: a model's weights, and in a training run their moments too.
 * @param {Pick<import('../engine/handle.js').TensorFacts, 'name' | 'shape'>[]} weights
 * @param {readonly string[]} blocks
 */
function shapesOf(weights, blocks) {
  return new Map(blocks.flatMap((block) => weights.map(({ name, shape }) => [block + name, shape])));
}

/**
 * @param {Map<string, number[]>} shapes
 * @param {Header} file
 */
function expectTensors(shapes, { tensors, skipped }) {
  for (const [name, shape] of shapes) {
    const other = skipped.get(name);
    if (other) throw unread(name, other.dtype);
    const given = tensors.get(name);
    if (!given) throw new GlassformerError('missing', name, undefined, 'the file lacks this tensor');
    expectShape(given, shape, name);
  }
}

/**
 * Reads and checks the metadata of a model's file.
 * @param {Map<string, string>} metadata
 */
function readModelMetadata(metadata) {
  const { version, config, trainer: state, ...others } = readMetadata(metadata);
  const { vocabulary, targetVocabulary, outputVocabulary, recipe, endIds, rules, labels } = others;
  const { weightsError, checkpoint } = others;
  if (!config) {
    refuse('has no configuration: use createModel(config), then loadWeights(readSafetensors(file).tensors)');
  }
  if (!isObject(config)) refuse('metadata glassformer.config must be an object of settings');
  if (version !== VERSION) {
    refuse(`has format ${beginning(`${JSON.stringify(version)}`, 60)}, not ${VERSION}: take a newer glassformer`);
  }
  const said = { vocabulary, targetVocabulary, outputVocabulary, recipe, endIds, rules, labels };
  const error = config.weights === 'int8' ? readError(weightsError) : undefined;
  const { family, config: itsOwn } = Object(checkpoint);
  const from = isObject(itsOwn) ? { family, config: itsOwn } : undefined; // saveCheckpoint checks them
  return { config, state, said, weightsError: error, checkpoint: from };
}

/** @param {unknown} said by a file @returns {ModelFile['weightsError']} */
function readError(said) {
  const { rms, max, spread, agree } = Object(said);
  const isError = [rms, max, spread, agree ?? 0].every((number) => Number.isFinite(number) && number >= 0);
  return isError ? { rms, max, spread, ...(agree !== undefined && { agree }) } : undefined;
}

/**
 * The words and the recipe of a model, checked; the model knows the words from then on.
 * @param {Model} model
 * @param {object} said by its file
 * @param {Map<string, string>} metadata where a tokenizer.json may stand
 */
export async function wordsOf(model, said, metadata) {
  const { recipe, endIds, rules, labels, ...words } = readOptions(said, readersOf(model));
  const handle = handleOf(model);
  /** @type {Record<string, any>} */
  const texts = {};
  for (const [name, vocabulary] of Object.entries(words)) if (vocabulary) texts[TOKENIZERS[name]] = vocabulary;
  const json = metadata.get('tokenizer');
  if (json !== undefined && !texts.tokenizer) {
    Object.assign(texts, await /** @type {any} */ (handle.core.files)?.readTokenizer?.(json));
  }
  handle.texts = textsOf(handle.config, { ...texts, endIds, rules, labels });
  return { ...texts, recipe, ...(endIds && { endIds }), ...(rules && { rules }), ...(labels && { labels }) };
}

/**
 * @param {Model} model
 * @param {Record<string, any>} words
 * @param {{trainer?: Trainer, metadata: Map<string, string>, weightsError?: ModelFile['weightsError'],
 *   checkpoint?: import('../engine/handle.js').Handle['checkpoint']}} others
 * @returns {ModelFile}
 */
export function resultOf(model, { unread: _, ...words }, { weightsError, checkpoint, ...others }) {
  handleOf(model).checkpoint = checkpoint;
  return { model, ...words, ...others, ...withError(model, weightsError) };
}

/**
 * Goes on from a file: with the same settings, with the same bits as if training had not stopped.
 * @param {Trainer} trainer of a model of the same configuration
 * @param {ArrayBuffer | Uint8Array} file by `saveTrainer`
 * @throws {GlassformerError} format, type; missing, shape for a file of another configuration; state
 * @example
 * import { load, resumeTrainer, saveTrainer } from 'glassformer/core';
 * const gf = await load({ wasm: new URL(import.meta.resolve('glassformer/simd.wasm')) });
 * const model = gf.createModel({ kind: 'decoder', vocabulary: 5, head: 'tied' });
 * const file = saveTrainer(model.trainer({ learningRate: 0.01 }));
 * resumeTrainer(model.trainer({ learningRate: 0.01 }), file);
 */
export function resumeTrainer(trainer, file) {
  const read = readSafetensors(file);
  const { trainer: state } = readMetadata(read.metadata);
  if (!state) refuse('has no state of a trainer: trainer.save() writes one');
  expectTensors(shapesOf(weightsOf(modelOf(trainer)), BLOCKS), read);
  restore(trainer, read.tensors, state.steps);
}

/**
 * @param {Trainer} trainer
 * @param {Map<string, {data: ArrayLike<number>}>} tensors those of its model, as expectTensors has found
 * @param {number} steps
 */
function restore(trainer, tensors, steps) {
  const state = trainer.state();
  for (const [name, { data }] of partsOf(modelOf(trainer), state)) {
    data.set(/** @type {{data: ArrayLike<number>}} */ (tensors.get(name)).data);
  }
  trainer.resume({ ...state, steps });
}

/**
 * The tensors that a state is made of. It has the weights' layout, which their addresses tell.
 * @param {Model} model
 * @param {Omit<import('../engine/trainer.js').State, 'steps'>} state
 * @returns {Map<string, FloatTensor>} live: writes go into the state
 */
export function partsOf(model, { weights, moment1, moment2 }) {
  const places = weightsOf(model).map(({ name, shape }) => ({ name, shape, view: viewOf(model, name) }));
  const start = places.reduce((least, { view }) => Math.min(least, view.byteOffset), Infinity);
  return new Map(
    [weights, moment1, moment2].flatMap((block, i) =>
      places.map(({ name, shape, view }) => {
        const at = (view.byteOffset - start) / 4;
        return [BLOCKS[i] + name, { data: block.subarray(at, at + view.length), shape }];
      }),
    ),
  );
}

/** @param {Model} model */
function weightsOf(model) {
  return model.tensors().filter(({ region }) => region === 'weight');
}

/**
 * @param {Map<string, string>} metadata
 * @returns {Record<string, any>} what `write` of save-model.js has put there
 */
function readMetadata(metadata) {
  const said = Object.create(null);
  for (const [key, text] of metadata) {
    if (!key.startsWith(PREFIX)) continue;
    try {
      said[key.slice(PREFIX.length)] = parseJson(text);
    } catch (error) {
      refuse(`metadata ${key} is no JSON: ${error}`);
    }
  }
  return said;
}

/**
 * Readers for a file's metadata beside configuration and state.
 * @param {Model} model
 */
export function readersOf({ config }) {
  /** @type {import('../arrays/tensor.js').Reader<Vocabulary>} */
  const vocabulary = (value, name) => {
    const expected = 'a Vocabulary or an array of words';
    const text = (/** @type {unknown} */ each) => (isText(each) ? each : refuseType(name, each ?? null, expected));
    const words = listOf(text, expected, name)(isArray(value) ? value : (Object(value).words ?? value), name);
    const size = config[/** @type {'vocabulary'} */ (name)];
    const { level = 'words' } = Object(value);
    if (words.length === size) return new Vocabulary(words, { level });
    throw new GlassformerError('range', name, words.length, `must have config.${name} = ${size} words`);
  };
  /** @type {import('../arrays/tensor.js').Reader<object>} */
  const recipe = (value, name) => (isObject(value) ? value : refuseType(name, value, 'an object'));
  /** @type {import('../arrays/tensor.js').Reader<string[]>} */
  const labels = (value, name) => {
    const text = (/** @type {unknown} */ each) => (isText(each) ? each : refuseType(name, each ?? null, 'names'));
    const names = listOf(text, 'an array of names', name)(value, name);
    if (names.length === config.outputVocabulary) return names;
    const why = `must have config.outputVocabulary = ${config.outputVocabulary} names`;
    throw new GlassformerError('range', name, names.length, why);
  };
  const words = maybe(vocabulary);
  const count = Math.max(1, Number(config.targetVocabulary || config.vocabulary));
  const id = integer(0, count - 1, 'token');
  return {
    vocabulary: words,
    targetVocabulary: words,
    outputVocabulary: words,
    recipe: maybe(recipe),
    endIds: maybe(listOf(id, 'an array of ids')),
    rules: maybe(rulesReader(count)),
    labels: maybe(labels),
  };
}

/**
 * @param {string} why
 * @returns {never}
 */
function refuse(why) {
  throw new GlassformerError('format', 'file', undefined, why);
}
