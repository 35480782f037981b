import { isArray, tagOf } from '../arrays/arrays.js';
import { GlassformerError } from '../errors.js';
import { calls } from '../engine/named.js';
import { readSelector } from '../engine/selector.js';
import { folderOf, jsonOf } from '../files/checkpoint-source.js';
import { expectFinite } from '../files/fill.js';
import { HUB_OPTIONS, isOnHub, onHub } from '../files/hub.js';
import { cacheReader } from '../files/kept.js';
import { openEither } from '../files/kind.js';
import { parseJson } from '../formats/json.js';
import { unread } from '../formats/safetensors-header.js';
import { OPEN_OPTIONS, openFile } from '../formats/safetensors-stream.js';
import { settle } from '../formats/source.js';
import {
  choice,
  expectShape,
  flag,
  isObject,
  listOf,
  maybe,
  number,
  readOptions,
  refuseType,
} from '../arrays/tensor.js';
import { CFG, Features, NAMES, OWN, SHIFT } from './features.js';
import { readCfg } from './cfg.js';
import { differs, processedAt, tensorAt } from './sites.js';

/** @typedef {import('../files/checkpoint-source.js').JsonSource} JsonSource */
/** @typedef {import('../formats/source.js').FileSource} FileSource */
/** @typedef {import('../formats/safetensors-stream.js').SafetensorsFile} SafetensorsFile */
/** @typedef {import('./cfg.js').Cfg} Cfg */
/** @typedef {import('./features.js').Spec} Spec */

/**
 * The files of a sparse autoencoder.
 * @typedef {object} FeatureFiles
 * @property {JsonSource | PromiseLike<JsonSource>} config cfg.json
 * @property {FileSource | PromiseLike<FileSource>} weights sae_weights.safetensors
 */

/**
 * @typedef {object} FeatureOptions
 * @property {import('./sites.js').AnyModel} [model] whose activations these are, here or in a worker: says which tensor
 *   `hook_name` is
 * @property {number} [normScaling] the factor of `expected_average_only_in`, which no file has: it is folded into the
 *   weights
 * @property {boolean} [processed] whether it was trained on a model that TransformerLens had processed (LayerNorm and
 *   value biases folded, writing weights centered); by default what cfg.json says, or its age
 */

const WEIGHTS = 'sae_weights.safetensors';

/** @type {import('../arrays/tensor.js').Reader<import('./sites.js').AnyModel>} */
const modelReader = (value, name) => {
  const isModel = tagOf(value) === 'GlassformerModel' || (calls.has(Object(value)) && 'forward' in Object(value));
  return isModel && isObject(Object(value).config) ? /** @type {any} */ (value) : refuseType(name, value, 'a model');
};

/**
 * A sparse autoencoder in SAELens's layout (cfg.json and sae_weights.safetensors, of any version: standard, topk,
 * jumprelu and gated), or a file that `features.save` has made. Names, settings and shapes are checked before the
 * weights are read. Transcoders, crosscoders, dictionaries of one head, `tanh-relu` and other settings that would
 * change the numbers are refused by name.
 *
 * `hook_name` becomes a tensor of the model: `hook_resid_pre`, `hook_resid_mid`, `hook_resid_post`, `hook_mlp_out`,
 * `hook_attn_out`, `mlp.hook_post` or `attn.hook_z`, of `blocks.N`. Without `model` the first trace says which one.
 * @param {FeatureFiles | import('../files/checkpoint-source.js').Folder | FileSource | PromiseLike<FileSource>} source
 *   a folder: its address (in Node also a path) with / at its end, an array of its files, or a name on the hub,
 *   `hub:ORG/NAME`, with the path of a folder in it, `hub:ORG/NAME/FOLDER`; or `{ config, weights }`; or an own file
 * @param {FeatureOptions & import('../formats/safetensors-stream.js').OpenOptions &
 *   import('../files/hub.js').HubOptions} [options] `revision`, `endpoint` and `cache` for a name on the hub alone
 * @returns {Promise<Features>}
 * @throws {GlassformerError} unsupported for another kind of dictionary or setting; config for a setting out of range;
 *   missing, unknown, shape, dtype, number for the tensor of that name; missing for `model` or `normScaling` where the
 *   numbers depend on it; format for a damaged file; notFound, network; the signal's reason
 * @example
 * import { loadFeatures } from 'glassformer/features';
 * import { writeSafetensors } from 'glassformer';
 * const config = { d_in: 2, d_sae: 1, hook_name: 'blocks.3.mlp.hook_post' }; // of an old version
 * const weights = writeSafetensors({ W_enc: [[1], [0]], W_dec: [[1, 0]], b_enc: [0], b_dec: [0, 0] });
 * (await loadFeatures({ config, weights })).encode([5, 7]).data; // → [5]
 */
export async function loadFeatures(source, options = {}) {
  const own = {
    ...OPEN_OPTIONS,
    model: maybe(modelReader),
    normScaling: maybe(number(Number.MIN_VALUE, Infinity)),
    processed: maybe(flag),
  };
  const readers = isOnHub(source) ? { ...own, ...HUB_OPTIONS, cache: cacheReader } : own;
  const given = readOptions(options, readers);
  const { signal, onProgress } = given;
  signal?.throwIfAborted();
  const how = { signal, onProgress };
  const ofFolder = async (/** @type {any} */ folder) => {
    const { config, weights } = await filesOf(folder, given);
    const cfg = readCfg(await settingsOf(config));
    return withFile(await openFile(weights(), how), (file) => featuresOf(cfg, file, given));
  };
  const ofFile = async (/** @type {any} */ one) =>
    withFile(await openFile(one, how), (file) => {
      const text = file.metadata.get(CFG);
      const own = ownOf(file.metadata.get(OWN));
      if (text !== undefined) return featuresOf(readCfg(jsonIn(text, CFG), own?.at !== undefined), file, given, own);
      const why = `has no ${CFG} in its metadata: open the folder, or { config, weights }`;
      throw new GlassformerError('format', 'file', undefined, why);
    });
  try {
    const settled = await settle(source, 'source');
    const isSource = typeof settled === 'string' || Object(settled) === settled;
    if (!isSource) refuseType('source', settled, 'a folder, { config, weights } or a file');
    return await openEither(settled, ofFile, ofFolder);
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

/**
 * @template T
 * @param {SafetensorsFile} file
 * @param {(file: SafetensorsFile) => Promise<T>} use
 */
async function withFile(file, use) {
  try {
    return await use(file);
  } finally {
    file.close();
  }
}

/** The settings of a cfg.json; given as an object, they may hold what no file can. @param {any} config */
async function settingsOf(config) {
  const cfg = await jsonOf(config, CFG);
  try {
    return JSON.parse(JSON.stringify(cfg));
  } catch (error) {
    throw new GlassformerError('format', CFG, undefined, `cannot be read as JSON: ${error}`, error);
  }
}

/** @param {string} text @param {string} key of the metadata @returns {Record<string, any>} */
function jsonIn(text, key) {
  let json;
  try {
    json = parseJson(text, 2 ** 20);
  } catch (error) {
    throw new GlassformerError('format', key, undefined, `is no JSON: ${/** @type {Error} */ (error).message}`);
  }
  return isObject(json) ? json : refuseType(key, json, 'an object of JSON');
}

/**
 * Facts that a file by `save` has beside its cfg.json.
 * @typedef {object} Own
 * @property {import('../engine/selector.js').Selector} [at]
 * @property {'mean' | 'x_shift'} [centered] x_shift: by the tensor of that name
 * @property {Record<string, any>} [facts]
 */

/** @param {string | undefined} text @returns {Own | undefined} */
function ownOf(text) {
  if (text === undefined) return undefined;
  const { at, centered, facts } = jsonIn(text, OWN);
  if (at !== undefined) readSelector(at, 'at');
  const record = maybe((value, name) => (isObject(value) ? value : refuseType(name, value, 'an object')));
  return { at, centered: maybe(choice(['mean', SHIFT]))(centered, 'centered'), facts: record(facts, 'facts') };
}

/** Folders in a model of the hub: no path leads out of it. */
const PATH = /^(?!\.+$)[\w.+=@ -]{1,200}$/;

/**
 * The two files of what was given.
 * @param {any} given files by name, or a folder
 * @param {any} options of a name on the hub
 * @returns {Promise<{config: any, weights: () => any}>}
 */
async function filesOf(given, options) {
  if (isArray(given) || tagOf(given) === 'FileList') return picked(Array.from(given));
  if (isOnHub(given)) {
    const [org, name = '', ...path] = given.slice(4).replace(/\/$/, '').split('/');
    const bad = path.find((part) => !PATH.test(part));
    if (bad !== undefined)
      throw new GlassformerError('format', 'hub', given, 'must be hub:ORG/NAME or hub:ORG/NAME/FOLDER');
    const { at } = onHub(`hub:${org}/${name}`, options);
    const file = (/** @type {string} */ each) => at([...path, each].map(encodeURIComponent).join('/'));
    return { config: file(CFG), weights: () => file(WEIGHTS) };
  }
  if (typeof given === 'string' || given instanceof URL) {
    const folder = folderOf(`${given}`);
    const config = await jsonOf(new URL(CFG, folder), CFG).catch((error) => {
      if (error.code !== 'notFound' || error.parameter !== CFG) throw error;
      throw new GlassformerError(
        'notFound',
        'source',
        `${given}`,
        `there is no such folder, or no ${CFG} in it`,
        error,
      );
    });
    return { config, weights: () => new URL(WEIGHTS, folder) };
  }
  const { config, weights } = readOptions(given, { config: needed(CFG), weights: needed(WEIGHTS) });
  return { config, weights: () => weights };
}

/** @param {string} file @returns {import('../arrays/tensor.js').Reader<any>} */
const needed = (file) => (value, name) => value ?? refuseType(name, value, `the file ${file}`);

/** @param {any[]} files with their names */
function picked(files) {
  const expected = 'an array of files with their names';
  const list = listOf((file, name) => (Object(file).arrayBuffer ? file : refuseType(name, file, expected)), expected);
  const all = /** @type {any[]} */ (list(files, 'source'));
  const one = (/** @type {string} */ name) => {
    const [file, twice] = all.filter((each) => each.name === name);
    if (file && !twice) return file;
    const why = twice ? 'is among the files twice: pick one folder' : `is not among the ${all.length} files`;
    throw new GlassformerError(twice ? 'format' : 'missing', name, undefined, why);
  };
  return { config: one(CFG), weights: () => one(WEIGHTS) };
}

/** Tensors of each architecture beside encoder, decoder and its bias. @type {Record<Spec['architecture'], string[]>} */
const BESIDE = {
  standard: ['b_enc'],
  topk: ['b_enc'],
  jumprelu: ['b_enc', 'threshold'],
  gated: ['b_gate', 'b_mag', 'r_mag'],
};

/**
 * Checks names, dtypes and shapes of a file, and reads its tensors in their order.
 * @param {Cfg} cfg
 * @param {SafetensorsFile} file
 * @param {boolean} hasShift
 * @returns {Promise<Map<string, Float32Array>>}
 */
async function tensorsIn({ architecture, width, size, scales }, file, hasShift) {
  const shapes = new Map([
    ['W_enc', [width, size]],
    ['W_dec', [size, width]],
    ['b_dec', [width]],
    ...BESIDE[architecture].map((name) => /** @type {[string, number[]]} */ ([name, [size]])),
    ...(hasShift ? [/** @type {[string, number[]]} */ ([SHIFT, [width]])] : []),
  ]);
  if (scales || file.tensors.has('scaling_factor')) shapes.set('scaling_factor', [size]);
  for (const [name, shape] of shapes) {
    const given = file.tensors.get(name) ?? file.skipped.get(name);
    if (!given) throw new GlassformerError('missing', name, undefined, 'the file lacks this tensor');
    if (!/^(F64|F32|F16|BF16)$/.test(given.dtype)) throw floatsOnly(name, given.dtype);
    expectShape(given, shape, name);
  }
  const other = [...file.tensors.keys(), ...file.skipped.keys()].find((name) => !shapes.has(name));
  if (other !== undefined) {
    throw new GlassformerError('unknown', other, undefined, `a ${architecture} dictionary has no such tensor`);
  }
  const tensors = new Map();
  for (const [name, { shape }] of file.tensors) {
    const data = /** @type {Float32Array} */ (await file.read(name));
    expectFinite(data, name, 0, shape, 'number');
    tensors.set(name, data);
  }
  return tensors;
}

/** @param {string} name @param {string} dtype */
const floatsOnly = (name, dtype) =>
  /^(I64|I32|U8|BOOL)$/.test(dtype)
    ? new GlassformerError('dtype', name, dtype, 'must be F64, F32, F16 or BF16')
    : unread(name, dtype);

/**
 * @param {Cfg} cfg
 * @param {SafetensorsFile} file
 * @param {{model?: import('./sites.js').AnyModel, normScaling?: number, processed?: boolean}} options
 * @param {Own} [own] of a file by `save`
 */
async function featuresOf(cfg, file, options, own) {
  const normalize = normalizationOf(cfg, options.normScaling);
  const { scales } = cfg;
  const place = await placeOf(cfg, options, own);
  const tensors = await tensorsIn(cfg, file, own?.centered === SHIFT);
  const parts = Object.fromEntries(Object.entries(NAMES).map(([name, key]) => [key, tensors.get(name)]));
  /** @type {Spec} */
  const spec = /** @type {any} */ ({ ...cfg, ...parts, ...place, normalize, facts: own?.facts });
  if (own?.centered === SHIFT) spec.centered = tensors.get(SHIFT);
  if (spec.scaling?.every((factor) => factor === 1)) delete spec.scaling;
  if (spec.scaling && !scales) {
    const why = 'has factors other than 1, which needs finetuning_scaling_factor: true in cfg.json';
    throw new GlassformerError('format', 'scaling_factor', undefined, why);
  }
  if (options.normScaling !== undefined) fold(spec, options.normScaling);
  return new Features(spec);
}

/**
 * The normalization that is computed.
 * @param {Cfg} cfg
 * @param {number | undefined} factor
 * @returns {Spec['normalize']}
 */
function normalizationOf({ normalize }, factor) {
  const isFolded = normalize === 'expected_average_only_in';
  if (isFolded && factor === undefined) {
    const why =
      'needed: cfg.json says expected_average_only_in, whose factor stands in no file, and without it all features ' +
      'are of the wrong scale. Its publisher knows it (in SAELens: norm_scaling_factor in pretrained_saes.yaml)';
    throw new GlassformerError('missing', 'normScaling', undefined, why);
  }
  if (!isFolded && factor !== undefined) {
    throw new GlassformerError(
      'unknown',
      'normScaling',
      factor,
      `cfg.json says ${normalize}, which has no such factor`,
    );
  }
  return normalize === 'expected_average_only_in' ? 'none' : normalize;
}

/**
 * Encoder and decoder take the factor over; thresholds and the encoder's bias stay.
 * @param {Spec} spec @param {number} factor
 */
function fold({ encoder, decoder, decoderBias }, factor) {
  for (let i = 0; i < encoder.length; i++) encoder[i] *= factor;
  for (const part of [decoder, decoderBias]) for (let i = 0; i < part.length; i++) part[i] /= factor;
}

/**
 * Where the dictionary belongs, and what is taken from the vectors there.
 * @param {Cfg} cfg
 * @param {{model?: import('./sites.js').AnyModel, processed?: boolean}} options
 * @param {Own} [own] of a file by `save`
 * @returns {Promise<Pick<Spec, 'at' | 'centered'>>}
 */
async function placeOf({ hook, trained, width }, { model, processed }, own) {
  if (own && processed !== undefined) {
    throw new GlassformerError('unknown', 'processed', processed, 'a file by save says it already');
  }
  if (model && hook) expectWidth(hook, width, model);
  const at = own?.at ?? (model && hook && tensorAt(hook, model.config));
  if (own || !hook) return { at, centered: own?.centered === 'mean' ? 'mean' : undefined };
  const folds = processed ?? trained === 'processed';
  if (!(processed ?? trained !== 'raw') || !differs(hook, folds)) return { at };
  if (model) return { at, centered: await processedAt(hook, model) };
  const how = processed ? 'processed: true' : 'cfg.json, or its age, says a processed model';
  const why = `needed: ${how}, whose vectors differ by what the model knows. For raw ones say processed: false`;
  throw new GlassformerError('missing', 'model', undefined, why);
}

/** @param {import('./sites.js').Hook} hook @param {number} width @param {import('./sites.js').AnyModel} model */
function expectWidth({ name, hook }, width, { config }) {
  const { d_model, d_ff, heads, headWidth } = config;
  const wanted =
    hook === 'mlp.hook_post' ? d_ff : hook === 'attn.hook_z' ? heads * (headWidth || d_model / heads) : d_model;
  if (width === wanted) return;
  throw new GlassformerError('shape', 'd_in', width, `must be ${wanted}, as the model has at ${name}`);
}
