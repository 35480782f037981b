import { writeAs } from './checkpoint.js';
import { GlassformerError } from '../errors.js';
import { architectureFor } from './families/classes.js';
import { FAMILIES } from './families/index.js';
import { nameOf, partsOf, unrolled } from './families/match.js';
import { configOf } from './families/read.js';
import { plain, transpose } from './fill.js';
import { opened } from './load-checkpoint.js';
import { keptOf } from './model-file.js';
import { Model, handleOf } from '../engine/model.js';
import { knownWords } from '../engine/named.js';
import { flag, optional, readOptions } from '../arrays/tensor.js';

/** @typedef {import('../engine/config.js').Config} Config */
/** @typedef {import('../arrays/tensor.js').Tensor} FloatTensor */
/** @typedef {import('./families/read.js').Family} Family */

/**
 * The files of a folder by their names; the last where the model has read its tokenizer from one.
 * @typedef {Record<'config.json' | 'model.safetensors', Uint8Array> & {'tokenizer.json'?: Uint8Array}} SavedCheckpoint
 */

/** Settings that no family has, or that only some have, and then say. */
const USUAL = {
  targetVocabulary: 0,
  types: 0,
  embeddingNorm: false,
  normAffine: true,
  finalNorm: false,
  residual: true,
  scoreScale: true,
  attentionBias: true,
  outputVocabulary: 0,
  tiedEmbeddings: false,
  window: 0,
  globalLayers: 0,
  globalLayersAbove: 0,
  normKind: 'layer',
  ffn: 'plain',
  keyValueHeads: 0,
  headWidth: 0,
  qkNorm: false,
  attentionOutBias: true,
  ffnBias: true,
};

const READERS = { float16: optional(flag, false) };

/**
 * A model under the names and in the layout of its family, as Hugging Face's `from_pretrained` and `gf.loadModel` read
 * it: of the family whose folder it came from; else a decoder as a GPT-2, an encoder as a BERT.
 * @param {Model | import('../worker/remote-types.js').RemoteModel} model here or in a worker
 * @param {{float16?: boolean}} [options] float16: round the weights to half precision
 * @returns {Promise<SavedCheckpoint>}
 * @throws {GlassformerError} unsupported for the setting that the family does not have; range for a number beyond half;
 *   foreign, type, unknown, freed
 * @example
 * import { load } from 'glassformer';
 * import { loadCheckpoint, saveCheckpoint } from 'glassformer/checkpoints';
 * const gf = await load();
 * const { model } = await loadCheckpoint(gf, 'node_modules/glassformer/dist/checkpoints/gpt2/');
 * const files = await saveCheckpoint(model);
 * const again = await loadCheckpoint(gf, { config: files['config.json'], weights: files['model.safetensors'] });
 * again.family; // → 'gpt2'
 */
export async function saveCheckpoint(model, options = {}) {
  const { float16 } = readOptions(options, READERS, '', 'save');
  const checkpoint = model instanceof Model ? handleOf(model).checkpoint : opened.get(model);
  const { config: settings } = Object(model);
  if (!settings || typeof model.weights !== 'function') {
    throw new GlassformerError('foreign', 'model', model, 'must be a model of this engine');
  }
  const name = checkpoint?.family ?? (settings.kind === 'encoder' ? 'bert' : 'gpt2');
  const family = FAMILIES[name];
  const { classifier, config: base = {} } = checkpoint ?? {};
  const config = {
    ...base,
    model_type: name,
    architectures: [architectureFor(family, settings.head !== 'none', classifier !== undefined)],
    ...configOf(settings, family.names),
    ...family.write?.(settings, base),
    tie_word_embeddings: settings.head !== 'linear',
    dtype: undefined,
    torch_dtype: float16 ? 'float16' : 'float32',
  };
  expectSame(name, family, config, settings);
  const tensors = tensorsOf(family, config, settings, await model.weights(), classifier);
  const encode = (/** @type {string} */ text) => new TextEncoder().encode(text);
  const { tokenizer } = knownWords({ config: settings, texts: { tokenizer: model.tokenizer } });
  return {
    'config.json': encode(`${textOf(config)}\n`),
    'model.safetensors': writeAs(keptOf(settings), tensors, { float16, metadata: { format: 'pt' } }),
    ...(tokenizer && { 'tokenizer.json': encode(JSON.stringify(tokenizer)) }),
  };
}

/**
 * Refuses settings that the family reads otherwise.
 * @param {string} name
 * @param {Family} family
 * @param {import('./families/read.js').ModelConfig} config
 * @param {Config} settings
 */
function expectSame(name, { head, read }, config, settings) {
  const refuse = (/** @type {string} */ setting, /** @type {string} */ why) => {
    throw new GlassformerError('unsupported', setting, /** @type {any} */ (settings)[setting], why);
  };
  if (!settings.vocabulary) refuse('vocabulary', `a model of family ${name} has one`);
  if (settings.outputWidth) refuse('outputWidth', `a model of family ${name} gives no values`);
  if (settings.head === 'none' && !head.optional) refuse('head', `a model of family ${name} has a head`);
  /** @type {Record<string, unknown>} */
  const had = {
    ...USUAL,
    ...read(config),
    ...(settings.head !== 'none' && { headTransform: false, ...head.settings }),
  };
  had.causal = had.kind === 'decoder';
  delete had.positionsFrom; // padding is no part of what is saved
  for (const [setting, value] of Object.entries(had)) {
    const own = /** @type {any} */ (settings)[setting];
    if (own !== value) refuse(setting, `must be ${JSON.stringify(value)} in a model of family ${name}`);
  }
}

/**
 * The reverse of match.
 * @param {Family} family
 * @param {import('./families/read.js').ModelConfig} config
 * @param {Config} settings
 * @param {Map<string, FloatTensor>} weights
 * @param {import('../engine/classify.js').Classifier | undefined} classifier
 */
function tensorsOf(family, config, settings, weights, classifier) {
  const { head } = family;
  const hasHead = settings.head !== 'none';
  const prefix = hasHead || classifier ? family.prefix : '';
  /** @type {Map<string, FloatTensor>} */
  const named = new Map();
  const put = (
    /** @type {Record<string, import('./families/read.js').Source[]>} */ table,
    /** @type {string} */ before,
  ) => {
    for (const [from, sources] of unrolled(table, settings)) {
      const whole = /** @type {FloatTensor} */ (weights.get(from));
      if (!sources.length && whole.data.some((each) => each !== 0)) {
        throw new GlassformerError('unsupported', from, undefined, 'must be 0: the family has no such weight');
      }
      const [rows, ...columns] = whole.shape;
      let end = 0;
      partsOf(from, rows, sources.length, settings).forEach((part, i) => {
        const shape = [part, ...columns];
        const begin = end;
        end += shape.reduce((product, size) => product * size);
        const piece = { data: whole.data.subarray(begin, end), shape };
        named.set(before + nameOf(sources[i]), typeof sources[i] === 'string' ? piece : turned(piece));
      });
    }
  };
  put(family.tensors, prefix);
  if (hasHead) put(head.tensors, '');
  const [positions] = /** @type {string[]} */ (family.tensors['pos_emb.weight'] ?? ['']);
  const unused = family.unusedPositions?.(config) ?? 0;
  if (unused) named.set(prefix + positions, behind(unused, /** @type {FloatTensor} */ (named.get(prefix + positions))));
  if (settings.head === 'linear') named.set(head.table, /** @type {FloatTensor} */ (weights.get('generator.weight')));
  for (const [part, { weight, bias }] of Object.entries(classifier?.weights ?? {})) {
    const from = /** @type {any} */ (family.classifier)[part];
    const at = from.startsWith('pooler') ? prefix + from : from;
    named.set(`${at}.weight`, weight).set(`${at}.bias`, bias);
  }
  return named;
}

/** @param {FloatTensor} matrix @returns {FloatTensor} */
function turned({ data, shape }) {
  const out = new Float32Array(data.length);
  transpose(plain(out), 0, data, 0, shape);
  return { data: out, shape: [shape[1], shape[0]] };
}

/** Rows of zeros before a table. @param {number} rows @param {FloatTensor} table @returns {FloatTensor} */
function behind(rows, { data, shape: [height, width] }) {
  const longer = new Float32Array((rows + height) * width);
  longer.set(data, rows * width);
  return { data: longer, shape: [rows + height, width] };
}

/** @param {object} config of which parts came from the caller */
function textOf(config) {
  try {
    return JSON.stringify(config, undefined, 2);
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
    throw new GlassformerError('type', 'config', undefined, `cannot be written as JSON: ${error.message}`, error);
  }
}
