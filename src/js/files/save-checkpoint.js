import { writeAs } from '../formats/checkpoint.js';
import { endsIn } from './checkpoint-source.js';
import { GlassformerError } from '../errors.js';
import { architectureFor, headNames } from './families/classes.js';
import { FAMILIES } from './families/index.js';
import { partsOf, unrolled } from './families/match.js';
import { configOf } from './families/read.js';
import { plain, transpose } from './fill.js';
import { keptOf } from './save-model.js';
import { tokenizerOf } from '../text/vocabulary-file.js';
import { hasOwnClasses, hasOwnSpans, ofWeights, spansOf } from '../engine/classify.js';
import { EDITION_5, refuseUnknown, unknownTo } from '../engine/known.js';
import { Model, handleOf } from '../engine/model.js';
import { calls, knownWords, lent, opened } from '../engine/named.js';
import { choice, flag, isObject, maybe, optional, readOptions } from '../arrays/tensor.js';

/** @typedef {import('../engine/config.js').Config} Config */
/** @typedef {import('../arrays/tensor.js').Tensor} FloatTensor */
/** @typedef {import('./families/read.js').Family} Family */
/** @typedef {import('./families/index.js').FamilyName} FamilyName */

/**
 * The files of a folder by their names; tokenizer.json where the model reads texts with a tokenizer of such a file or
 * with a `Vocabulary`. A Marian has those that its texts are cut by, and what its folder ruled about generating.
 * @typedef {'tokenizer.json' | 'generation_config.json' | 'tokenizer_config.json'} SavedJson
 * @typedef {'source.spm' | 'target.spm' | 'vocab.json'} SavedPieces
 * @typedef {{[name in 'config.json' | 'model.safetensors']: Uint8Array}} SavedModel
 * @typedef {SavedModel & {[name in SavedJson | SavedPieces]?: Uint8Array}} SavedCheckpoint
 */

/**
 * @typedef {object} SaveCheckpointOptions
 * @property {FamilyName} [family] `model_type` of config.json; default that of the checkpoint, or the first that fits
 * @property {boolean} [float16] round the weights to half precision
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
  ropeWidth: 0,
  parallel: false,
  relativeBuckets: 0,
  headScale: false,
  headPooler: 'none',
};

/** @type {import('../arrays/tensor.js').Reader<FamilyName>} */
const familyReader = choice(/** @type {FamilyName[]} */ (Object.keys(FAMILIES)));
const READERS = { float16: optional(flag, false), family: maybe(familyReader) };

/** The families for saving a model made here: the first that has all of its settings. @type {FamilyName[]} */
const DECODERS = ['gpt2', 'llama', 'mistral', 'qwen2', 'qwen3', 'gemma', 'phi3', 'gpt_neox'];
/** Those for other kinds. @type {Record<string, FamilyName[]>} */
const BY_KIND = { encoder: ['bert'], 'encoder-decoder': ['bart', 'marian'] };
/** An encoder–decoder with relative positions. @type {FamilyName} */
const RELATED = 't5';

/**
 * A model under the names and in the layout of its family, as Hugging Face's `from_pretrained` and `gf.loadModel` read
 * it: of the family whose folder it came from; else an encoder as a BERT, an encoder–decoder as a BART, a Marian or a
 * T5, a decoder as the first of GPT-2, Llama, Mistral, Qwen2, Qwen3, Gemma, Phi-3 and GPT-NeoX that has all of its
 * settings.
 * @param {Model | import('../worker/remote-types.js').RemoteModel} model here or in a worker
 * @param {SaveCheckpointOptions} [options]
 * @returns {Promise<SavedCheckpoint>}
 * @throws {GlassformerError} unsupported for the setting that the family, or the nearest one, does not have, and for a
 *   word of a `Vocabulary` that a tokenizer.json cannot say; range for a number beyond half and for an unknown family;
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
  const { float16, family: wanted } = readOptions(options, READERS);
  const from = model instanceof Model ? handleOf(model).checkpoint : opened.get(model);
  const isKnown = from && Object.hasOwn(FAMILIES, from.family) && isObject(from.config); // which a file may say
  const checkpoint = isKnown ? from : undefined;
  const { config: all } = Object(model);
  if (!all || typeof model.weights !== 'function') {
    throw new GlassformerError('foreign', 'model', model, 'must be a model of this engine');
  }
  const unknown = model instanceof Model ? unknownTo(handleOf(model), EDITION_5) : await askedOf(model);
  refuseUnknown(unknown, all, "save({ format: 'huggingface' })");
  const weights = await model.weights();
  const classifier = await classifierOf(model, all, weights, checkpoint);
  // A head for classes is written from it.
  const isOfModel = classifier !== checkpoint?.classifier;
  const settings = isOfModel ? { ...all, head: 'none', headPooler: 'none', outputVocabulary: 0, outputWidth: 0 } : all;
  const { name, config } = writtenAs(settings, { ...checkpoint, classifier }, wanted);
  if (isOfModel && classifier) Object.assign(config, labelled(name, all, classifier));
  const family = FAMILIES[name];
  config.torch_dtype = float16 ? 'float16' : DTYPES[/** @type {Config} */ (settings).weights];
  const { endIds = [] } = (model instanceof Model ? handleOf(model).texts : lent.get(model)?.texts) ?? {};
  const said = endsIn({ config }, model.tokenizer, settings.vocabulary).endIds;
  if (endIds.length && String(said) !== String(endIds))
    Object.assign(config, { eos_token_id: endIds.length > 1 ? endIds : endIds[0] });
  const tensors = tensorsOf(family, config, settings, weights, { classifier, gains: checkpoint?.gains });
  const encode = (/** @type {string} */ text) => new TextEncoder().encode(text);
  const { vocabulary, tokenizer = vocabulary && tokenizerOf(vocabulary) } = knownWords({
    config: settings,
    texts: { tokenizer: model.tokenizer },
  });
  return {
    'config.json': encode(`${textOf(config)}\n`),
    'model.safetensors': writeAs(keptOf(settings), tensors, { float16, metadata: { format: 'pt' } }),
    ...(checkpoint?.generation && { 'generation_config.json': encode(`${textOf(checkpoint.generation)}\n`) }),
    ...(filesOf(model.tokenizer) ?? (tokenizer && { 'tokenizer.json': encode(JSON.stringify(tokenizer)) })),
  };
}

/**
 * The files of a tokenizer that is no tokenizer.json.
 * @param {object | undefined} words
 * @returns {Record<string, Uint8Array> | undefined}
 */
const filesOf = (words) => /** @type {any} */ (words)?.files;

/**
 * The head for classes: the model's own, or that of its folder.
 * @param {Model | import('../worker/remote-types.js').RemoteModel} model
 * @param {Config} config
 * @param {Map<string, FloatTensor>} weights
 * @param {import('../engine/handle.js').Handle['checkpoint']} checkpoint
 */
async function classifierOf(model, config, weights, checkpoint) {
  const here = model instanceof Model;
  const labels = here ? handleOf(model).texts.labels : await calls.get(model)?.('labelsOf');
  if (hasOwnSpans(config)) return spansOf(weights);
  return hasOwnClasses(config, labels) ? ofWeights(config, weights, labels) : checkpoint?.classifier;
}

/**
 * The entries of config.json for classes.
 * @param {FamilyName} name
 * @param {Config} settings
 * @param {import('../engine/classify.js').Classifier} classifier
 */
function labelled(name, { headPooler }, { of, labels }) {
  if (of === 'spans') return {};
  const { classifier } = FAMILIES[name];
  if (of === 'texts' && classifier?.activation !== headPooler) {
    const why = classifier ? `must be ${classifier.activation} in a model of family ${name}` : `${name} has none here`;
    throw new GlassformerError('unsupported', 'headPooler', headPooler, why);
  }
  return {
    id2label: Object.fromEntries(Object.entries(labels)),
    label2id: Object.fromEntries(Object.entries(labels).map(([id, label]) => [label, Number(id)])),
    problem_type: of === 'texts' ? 'single_label_classification' : undefined,
  };
}

/** @param {object} model in a worker @returns {Promise<string | undefined>} */
const askedOf = async (model) => calls.get(model)?.('unknownTo', EDITION_5);

/** The names in config.json for the number formats. @type {Record<Config['weights'], string>} */
const DTYPES = { f32: 'float32', bf16: 'bfloat16', f16: 'float16', int8: 'float32' };

/**
 * The family of a model, and its config.json.
 * @param {Config} settings
 * @param {Partial<NonNullable<import('../engine/handle.js').Handle['checkpoint']>>} checkpoint that it came from
 * @param {FamilyName | undefined} wanted
 */
function writtenAs(settings, checkpoint, wanted) {
  if (wanted && checkpoint.classifier && checkpoint.family && wanted !== checkpoint.family) {
    const why = `must be ${checkpoint.family}: the model has that family's head for classes`;
    throw new GlassformerError('unsupported', 'family', wanted, why);
  }
  const one = wanted ?? checkpoint.family;
  const isRelated = settings.kind === 'encoder-decoder' && settings.relativeBuckets > 0;
  const names = one ? [one] : isRelated ? [RELATED] : (BY_KIND[settings.kind] ?? DECODERS);
  const found = names.map((name) => {
    const config = configFor(name, settings, checkpoint);
    return { name, config, problems: problemsOf(name, FAMILIES[name], config, settings) };
  });
  const nearest = found.reduce((best, each) => (each.problems.length < best.problems.length ? each : best));
  const [problem] = nearest.problems;
  if (!problem) return nearest;
  const { setting, value, why } = problem;
  throw new GlassformerError('unsupported', setting, value, `${why}${one ? '' : ' (the nearest)'}`);
}

/**
 * @param {FamilyName} name
 * @param {Config} settings
 * @param {Partial<NonNullable<import('../engine/handle.js').Handle['checkpoint']>>} checkpoint
 * @returns {import('./families/read.js').ModelConfig}
 */
function configFor(name, settings, checkpoint) {
  const family = FAMILIES[name];
  const { classifier, config: given = {} } = checkpoint;
  const base = checkpoint.family === name ? given : onlyIds(given);
  return {
    ...base,
    model_type: name,
    architectures: [architectureFor(family, settings.head !== 'none', classifier)],
    ...configOf(settings, family.names),
    ...family.write?.(settings, base),
    tie_word_embeddings: settings.head !== 'linear',
    dtype: undefined,
  };
}

/** Token ids in any family's config.json, like bos_token_id. @param {Record<string, unknown>} config */
const onlyIds = (config) => Object.fromEntries(Object.entries(config).filter(([key]) => /_token_id$/.test(key)));

/**
 * The settings that the family reads otherwise than the model has them.
 * @param {string} name
 * @param {Family} family
 * @param {import('./families/read.js').ModelConfig} config
 * @param {Config} settings
 */
function problemsOf(name, { head, read }, config, settings) {
  /** @type {{setting: string, value: unknown, why: string}[]} */
  const problems = [];
  const own = /** @type {Record<string, unknown>} */ (/** @type {unknown} */ (settings));
  const add = (/** @type {string} */ setting, /** @type {string} */ why) =>
    problems.push({ setting, value: own[setting], why });
  if (!settings.vocabulary) add('vocabulary', `a model of family ${name} has one`);
  if (settings.outputWidth) add('outputWidth', `a model of family ${name} gives no values`);
  if (problems.length) return problems;
  if (settings.head === 'none' && !head.optional) add('head', `a model of family ${name} has a head`);
  const had = /** @type {Record<string, unknown>} */ ({
    ...USUAL,
    ...readBack(read, config, (setting, why) => add(setting, `${why} in a model of family ${name}`)),
    ...(settings.head !== 'none' && { headTransform: false, ...head.settings }),
  });
  had.causal = had.kind !== 'encoder';
  delete had.positionsFrom; // padding is no part of what is saved
  // Those that then say nothing.
  if (!settings.attentionBias) delete had.attentionOutBias;
  if (!settings.relativeBuckets) delete had.relativeDistance;
  if (settings.positions === 'none') delete had.maxLength;
  const plain = {
    ...own,
    keyValueHeads: settings.keyValueHeads === settings.heads ? 0 : settings.keyValueHeads,
    headWidth: settings.headWidth * settings.heads === settings.d_model ? 0 : settings.headWidth,
    ropeWidth:
      settings.ropeWidth === (settings.headWidth || settings.d_model / settings.heads) ? 0 : settings.ropeWidth,
  };
  for (const [setting, value] of Object.entries(had)) {
    if (/** @type {any} */ (plain)[setting] === value) continue;
    add(setting, `must be ${JSON.stringify(value)} in a model of family ${name}`);
  }
  return problems;
}

/**
 * Reads the written config as the family does; a setting that it refuses is one more problem.
 * @param {Family['read']} read
 * @param {import('./families/read.js').ModelConfig} config
 * @param {(setting: string, why: string) => void} add
 */
function readBack(read, config, add) {
  try {
    return read(config);
  } catch (error) {
    if (!(error instanceof GlassformerError)) throw error;
    add(String(error.parameter), error.message.replace(/^[^:]*: /, ''));
    return {};
  }
}

/**
 * The reverse of match.
 * @param {Family} family
 * @param {import('./families/read.js').ModelConfig} config
 * @param {Config} settings
 * @param {Map<string, FloatTensor>} weights
 * @param {Pick<NonNullable<import('../engine/handle.js').Handle['checkpoint']>, 'classifier' | 'gains'>} checkpoint
 */
function tensorsOf(family, config, settings, weights, { classifier, gains }) {
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
      const otherwise = family.buffers.test(sources[0]?.name) && family.computed?.[from](settings);
      if (otherwise && whole.data.every((each, i) => each === otherwise[i])) continue; // the file needs it not
      const [rows, ...columns] = whole.shape;
      let end = 0;
      partsOf(from, rows, sources.length, settings).forEach((part, i) => {
        const shape = [part, ...columns];
        const begin = end;
        end += shape.reduce((product, size) => product * size);
        const piece = { data: whole.data.subarray(begin, end), shape };
        const source = sources[i];
        const at = before + source.name;
        const laid = {
          plain: () => piece,
          transposed: () => turned(piece),
          row: () => ({ ...piece, shape: [1, part] }),
          gain: () => lessOne(piece, gains?.get(from)),
          cut: () => joined(named.get(at), piece, /** @type {any} */ (source).cut(part, settings)),
        };
        named.set(at, laid[source.layout]());
      });
    }
  };
  put(family.tensors, prefix);
  if (hasHead) put(head.tensors, '');
  const unused = family.unusedPositions?.(config) ?? 0;
  const tables = Object.keys(family.tensors).filter((to) => /pos_emb\.weight$/.test(to));
  for (const to of unused ? tables : []) {
    const at = prefix + family.tensors[to][0].name;
    named.set(at, behind(unused, /** @type {FloatTensor} */ (named.get(at))));
  }
  if (settings.head === 'linear') named.set(head.table, /** @type {FloatTensor} */ (weights.get('generator.weight')));
  for (const [part, { weight, bias }] of Object.entries(classifier?.weights ?? {})) {
    const from = /** @type {any} */ (headNames(family, /** @type {any} */ (classifier).of))[part];
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

/**
 * A gain as the file keeps it: the file's own number where 1 more is the gain.
 * @param {FloatTensor} gain @param {Float32Array} [kept] @returns {FloatTensor}
 */
const lessOne = ({ data, shape }, kept) => ({
  data: Float32Array.from(data, (gain, i) => (kept && Math.fround(1 + kept[i]) === gain ? kept[i] : gain - 1)),
  shape,
});

/**
 * The rows of a weight at their places in a tensor of the file.
 * @param {FloatTensor | undefined} whole so far @param {FloatTensor} piece
 * @param {ReturnType<import('./families/read.js').Cut>} cut
 * @returns {FloatTensor}
 */
function joined(whole, { data, shape: [, ...columns] }, { total, spans }) {
  const width = columns.reduce((product, size) => product * size, 1);
  const all = whole?.data ?? new Float32Array(total * width);
  for (const { from, rows, to } of spans) all.set(data.subarray(to * width, (to + rows) * width), from * width);
  return { data: all, shape: [total, ...columns] };
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
