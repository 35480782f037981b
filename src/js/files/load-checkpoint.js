import { filesOf, jsonOf, endsIn, piecesOf, spieceOf } from './checkpoint-source.js';
import { GlassformerError } from '../errors.js';
import { isArray } from '../arrays/arrays.js';
import { FAMILIES, familyOf } from './families/index.js';
import { HUB_OPTIONS, isOnHub } from './hub.js';
import { cacheReader } from './kept.js';
import { remoteFills } from './kind.js';
import { match, shapeOf } from './families/match.js';
import { withError } from './model-file.js';
import { expectFinite, plain, transpose, weightType, weightsReader } from './fill.js';
import { handleOf } from '../engine/model.js';
import { lendTexts, opened, textsOf } from '../engine/named.js';
import { isPacked, readPacked } from '../engine/packed.js';
import { expectFitting, loadModel, modelOfZeros } from './open-model.js';
import { OPEN_OPTIONS, expectJustified, hold, openFile } from '../formats/safetensors-stream.js';
import { mostBytes, neededOf, tensorsOf } from './split.js';
import { readOptions } from '../arrays/tensor.js';
import { vocabularyOf } from '../text/tokenizer-file.js';
import { measure } from './weights-error.js';

/** @typedef {import('../engine/engine.js').Engine} Engine */
/** @typedef {import('../engine/model.js').Model} Model */
/** @typedef {import('../formats/safetensors-stream.js').SafetensorsFile} SafetensorsFile */
/** @typedef {import('./families/match.js').Plan} Plan */
/** @typedef {import('../text/tokenizer.js').Tokenizer} Tokenizer */

/**
 * @typedef {object} Checkpoint
 * @property {Model} model to be freed by its `free`
 * @property {Tokenizer} [tokenizer] where its file was given, and is of a known kind; of an encoder–decoder that of the
 *   source
 * @property {Tokenizer} [targetTokenizer] of the target, where that is another one
 * @property {import('./families/index.js').FamilyName} family `model_type` of config.json
 * @property {string[]} notes for readers: tensors left over, old names, its own head, a
 *   tokenizer or labels that do not fit, which cost only the calls that need them
 * @property {readonly number[]} [endIds] of a decoder: the tokens that end a text, where `generate` stops unless
 *   `endId` says otherwise: `eos_token_id` of generation_config.json, else of config.json, else what the tokenizer's
 *   files say
 * @property {import('../engine/rules.js').Rules} [rules] of an encoder–decoder, for `generate`, from the same files:
 *   start, forced and forbidden tokens, lengths
 * @property {import('./weights-error.js').WeightsError} [weightsError] measured where `weights: 'int8'` was asked for
 */

/**
 * A model of Hugging Face's, from the files as they lie in its folder. Families: `bert`, `distilbert`, `roberta`,
 * `xlm-roberta`, `camembert`, `electra`, `mpnet`, `gpt2`, `gpt_neo`, `opt`, `llama`, `mistral`, `qwen2`, `qwen3`,
 * `gpt_neox`, `gemma`, `phi3`, `marian`, `bart`, `t5`, `mt5`. Header, names and shapes are checked against config.json
 * before memory is taken; then the weights come tensor by tensor.
 * @param {Engine} gf
 * @param {import('./checkpoint-source.js').CheckpointFiles | import('./checkpoint-source.js').Folder} source
 *   `{ config, weights, tokenizer, generationConfig, tokenizerConfig }`, each an address, Response, Blob or bytes,
 *   the JSON ones also parsed; or a folder: its address (in Node also a path) with / at its end, or an array of its
 *   files; or the name of a model on the hub, `hub:ORG/NAME`
 * @param {import('../formats/safetensors-stream.js').OpenOptions & import('./hub.js').HubOptions &
 *   import('./fill.js').WeightOptions} [options] `revision`, `endpoint`, `token` and `cache` for a name on
 *   the hub alone
 * @returns {Promise<Checkpoint>}
 * @throws {GlassformerError} unsupported for a family or a setting that is not computed here; config for a setting out
 *   of range; missing, shape, dtype, number for the tensor of that name; format for a damaged file; memory; the
 *   signal's reason
 * @example
 * import { loadCheckpoint } from 'glassformer/checkpoints';
 * import { load, writeSafetensors } from 'glassformer';
 * const gf = await load();
 * await loadCheckpoint(gf, { config: { model_type: 'mixtral' }, weights: writeSafetensors({}) }); // throws unsupported
 */
export async function loadCheckpoint(gf, source, options = {}) {
  const own = { ...OPEN_OPTIONS, weights: weightsReader };
  const readers = isOnHub(source) ? { ...own, ...HUB_OPTIONS, cache: cacheReader } : own;
  const { onProgress, weights, ...others } = readOptions(options, readers);
  const { signal } = others;
  const given = await filesOf(source, { ...others, onProgress }).catch((error) => {
    signal?.throwIfAborted();
    throw error;
  });
  // A file by the name weights, and alone: it says its configuration itself.
  const isWhole = given.config === undefined && given.tokenizer === undefined && !isArray(given.weights);
  if (isWhole) return /** @type {any} */ (loadModel(gf, /** @type {any} */ (given.weights), options));
  const { config, family, settings } = await readConfig(given.config);
  if (isOnHub(source)) expectFitting(gf, tensorsOf({ family, settings }, config), weights);
  const { tokenizer, lacking } = given.tokenizer
    ? { tokenizer: await jsonOf(given.tokenizer, 'tokenizer') }
    : await tokenizerOfSpiece(family, given);
  const ofWords = tokenizer ? readable('tokenizer', () => checkTokenizer(tokenizer, family, config, settings)) : [];
  let notes = [...given.notes, ...(lacking ? [`texts are not read: ${lacking.message}`] : []), ...ofWords];
  /** @type {SafetensorsFile[]} */
  const files = [];
  try {
    const listed = isArray(given.weights) ? given.weights : [given.weights];
    const parts = (await given.find?.(signal)) ?? listed.map((source) => ({ source: () => source }));
    const { needed, others: unopened } = neededOf(parts, { family, settings });
    const progress = progressOf(needed.length, onProgress);
    const budget = { left: mostBytes({ family, settings }) };
    for (const [i, { source: part }] of needed.entries()) {
      files.push(await openFile(part(), { signal, onProgress: progress(i), budget }, openTorch));
    }
    const stored = storedIn(files);
    for (const name of unopened) if (!stored.has(name)) stored.set(name, { dtype: '', shape: [] });
    let plan = match(family, config, settings, stored);
    if (weights === 'int8') for (const file of files) await hold(file, budget);
    const { unread, ...read } = await readWords(family, given, tokenizer || undefined);
    const { tokenizer: words, targetTokenizer } = read;
    if (targetTokenizer) notes = [...notes, ...countedIds(targetTokenizer.size, settings)];
    if (unread) notes.push(`texts are not read: ${unread.message}`);
    let filled = await fill(gf, plan, files, weights);
    if (!filled) {
      plan = match(family, config, settings, stored, true);
      filled = /** @type {Filling} */ (
        await fill(gf, plan, files, weights).catch((error) => refuseTwoTables(error, plan))
      );
    }
    const { classifier } = plan;
    const ends = await endsOf(given, { family, config, settings: plan.settings }, words);
    const { endIds, rules, generation } = ends;
    const texts = textsOf(plan.settings, { ...read, unread, endIds, rules });
    const { gains } = plan;
    const beside = { ...(generation && { generation }), ...(gains.size > 0 && { gains }) };
    const model = await filled.done({ family, config, classifier, ...beside }, texts);
    const results = {
      model,
      ...read,
      family,
      ...(endIds && { endIds }),
      ...(rules && { rules }),
      notes: [...notes, ...ends.notes, ...plan.notes],
    };
    if (weights !== 'int8') return results;
    try {
      return { ...results, ...withError(model, await measure(gf, model, (to) => pour(plan, files, to))) };
    } catch (error) {
      model.free();
      throw error;
    }
  } finally {
    for (const file of files) file.close();
  }
}

/**
 * Which tokens end a text of a decoder.
 * @param {import('./checkpoint-source.js').CheckpointFiles} given
 * @param {{family: import('./families/index.js').FamilyName, config: Record<string, unknown>,
 *   settings: import('../engine/config.js').Settings}} model
 * @param {import('../text/texts.js').BaseTokenizer} [words]
 * @returns {Promise<{endIds?: number[], rules?: import('../engine/rules.js').Rules,
 *   generation?: Record<string, unknown>, notes: string[]}>}
 */
async function endsOf({ generationConfig, tokenizerConfig }, { family, config, settings }, words) {
  if (settings.kind === 'encoder') return { notes: [] };
  const said = {
    config,
    ...(generationConfig && { generationConfig: await jsonOf(generationConfig, 'generationConfig') }),
    ...(tokenizerConfig && { tokenizerConfig: await jsonOf(tokenizerConfig, 'tokenizerConfig') }),
  };
  const { vocabulary = 0, kind } = settings;
  const ends = endsIn(said, words, vocabulary);
  if (kind === 'decoder') return ends;
  const { rulesIn } = await import('./rules-in.js');
  const { generationConfig: generation } = said;
  const start = config.decoder_start_token_id ?? (FAMILIES[family].startsWithPad ? (config.pad_token_id ?? 0) : null);
  const from = { ...config, decoder_start_token_id: start };
  const { rules, notes } = rulesIn(from, generation, { vocabulary, endIds: ends.endIds });
  return { ...ends, rules, generation, notes: [...ends.notes, ...notes] };
}

/** Fetched with the first file of PyTorch's. @type {typeof import('../formats/torch-file.js').openTorch} */
const openTorch = async (...all) => (await import('../formats/torch-file.js')).openTorch(...all);

/** @param {unknown} given */
async function readConfig(given) {
  const config = await jsonOf(given, 'config');
  return readable('config', () => {
    const family = familyOf(config);
    return { config, family, settings: FAMILIES[family].read(config) };
  });
}

/**
 * Reads an object that was given parsed: it may hold what no file can, such as a proxy that was revoked.
 * @template T
 * @param {string} parameter
 * @param {() => T} read
 */
function readable(parameter, read) {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new GlassformerError('format', parameter, undefined, `cannot be read as JSON: ${error.message}`);
  }
}

/**
 * A tokenizer.json made of spiece.model, or why it is not made.
 * @param {import('./families/index.js').FamilyName} family
 * @param {import('./checkpoint-source.js').CheckpointFiles} given
 * @returns {Promise<{tokenizer?: Record<string, unknown>, lacking?: GlassformerError}>}
 */
async function tokenizerOfSpiece(family, given) {
  const found = FAMILIES[family].hasSpiece ? await spieceOf(given) : undefined;
  if (!found) return {};
  try {
    return { tokenizer: (await import('./load-spiece.js')).tokenizerOf(found.bytes, found.said) };
  } catch (error) {
    if (!(error instanceof GlassformerError) || error.code !== 'unsupported') throw error;
    return { lacking: error };
  }
}

/**
 * The tokenizers, or why those of their kind are not read here: the model computes without.
 * @param {import('./families/index.js').FamilyName} family
 * @param {import('./checkpoint-source.js').CheckpointFiles &
 *   {chat?: () => Promise<import('../text/chat.js').ChatFiles>}} given
 * @param {Record<string, unknown> | undefined} json
 * @returns {Promise<{tokenizer?: Tokenizer, targetTokenizer?: Tokenizer, unread?: GlassformerError}>}
 */
async function readWords(family, given, json) {
  const pieces = FAMILIES[family].hasPieces ? await piecesOf(given) : undefined;
  if (!pieces && !json) return {};
  try {
    // Whatever a Tokenizer does, these do.
    if (pieces) return /** @type {any} */ ((await import('./load-pieces.js')).tokenizersOf(pieces));
    const { lendChat, loadTokenizer } = await import('./load-tokenizer.js');
    const words = await loadTokenizer(/** @type {Record<string, unknown>} */ (json));
    if (given.chat) lendChat(words, given.chat);
    return { tokenizer: words };
  } catch (error) {
    if (!(error instanceof GlassformerError) || error.code !== 'unsupported') throw error;
    return { unread: error };
  }
}

/**
 * Notes where a tokenizer does not fit its model, which may still be used with ids alone, or with texts whose ids all
 * fit.
 * @param {Record<string, unknown>} json
 * @param {import('./families/index.js').FamilyName} family
 * @param {Record<string, unknown>} config
 * @param {import('../engine/config.js').Settings} settings
 * @returns {string[]} notes
 */
function checkTokenizer(json, family, config, { vocabulary = 0 }) {
  const { kind, tokens } = vocabularyOf(json);
  const { tokenizers } = FAMILIES[family];
  // Some GPTs were trained on words cut as BERT cuts them; their config says so.
  const { tokenizer_class: named } = config;
  const isNamed = typeof named === 'string' && named.startsWith('Bert') && kind === 'WordPiece';
  const isUsual = tokenizers.includes(kind) || isNamed;
  return [
    ...(isUsual ? [] : [`the tokenizer is of kind ${kind}, that of a ${family} is usually ${tokenizers.join(' or ')}`]),
    ...countedIds(tokens.length, { vocabulary }),
  ];
}

/** @param {number} count of ids @param {import('../engine/config.js').Settings} settings @returns {string[]} notes */
function countedIds(count, { vocabulary = 0 }) {
  const rows = `the model's table has ${vocabulary} rows, of which the tokenizer uses ${count}`;
  const larger = `the tokenizer has ${count} ids, the model's table ${vocabulary} rows: it refuses the others`;
  return count === vocabulary ? [] : [count < vocabulary ? rows : larger];
}

/**
 * Of a stream that has gone by, which only then showed that it has two tables.
 * @param {any} error
 * @param {Plan} plan
 * @returns {never}
 */
function refuseTwoTables(error, { placements }) {
  if (error.code !== 'state') throw error;
  const [table = ''] = [...placements].find(([, [{ to }]]) => to === 'generator.weight') ?? [];
  const why =
    'differs from the embedding, and the stream cannot be read again: config needs tie_word_embeddings: false';
  throw new GlassformerError('state', table, undefined, why);
}

/** One progress for all parts. @param {number} parts @param {Function} onProgress */
function progressOf(parts, onProgress) {
  /** @type {import('../formats/safetensors-stream.js').Progress[]} */
  const all = [];
  return (/** @type {number} */ part) =>
    (/** @type {import('../formats/safetensors-stream.js').Progress} */ progress) => {
      all[part] = progress;
      const sum = (/** @type {'loaded' | 'total'} */ what) => all.reduce((total, each) => total + each[what], 0);
      onProgress({ loaded: sum('loaded'), total: parts > 1 ? Math.max(sum('total'), 1) : progress.total });
    };
}

/**
 * The tensors of all files, by name. match() refuses a dtype that is not read where the model needs the tensor.
 * @param {SafetensorsFile[]} files
 * @returns {Map<string, import('./families/match.js').Stored>}
 */
function storedIn(files) {
  const stored = new Map();
  for (const file of files) {
    for (const [name, facts] of [...file.tensors, ...file.skipped]) {
      if (stored.has(name)) throw new GlassformerError('format', name, undefined, 'is in two of the files');
      stored.set(name, facts);
    }
  }
  return stored;
}

/** The tensors that the model will hold. @param {Plan} plan @param {SafetensorsFile[]} files */
function neededBy({ placements }, files) {
  const taken = [...storedIn(files)].filter(([name]) => placements.get(name)?.[0].shared === false);
  const table = [...placements].find(([, [{ shared }]]) => shared)?.[0];
  return new Map([...taken, ...[...storedIn(files)].filter(([name]) => name === table)]);
}

/**
 * A model to be filled, here or in a worker.
 * @typedef {object} Filling
 * @property {(to: string) => import('./fill.js').Target} weight taken again after each wait
 * @property {(checkpoint: NonNullable<import('../engine/handle.js').Handle['checkpoint']>,
 *   texts: import('../engine/named.js').Texts) => Promise<any>} done gives the model
 * @property {() => unknown} free
 */

/**
 * @param {Engine} gf
 * @param {Plan} plan
 * @param {SafetensorsFile[]} files
 * @param {import('./fill.js').WeightType} [wanted]
 * @returns {Promise<Filling>}
 */
async function targetFor(gf, plan, files, wanted) {
  const needed = neededBy(plan, files);
  for (const file of files) expectJustified(file, needed);
  const settings = { ...plan.settings, weights: weightType(wanted, plan.settings, needed.values()) };
  const start = remoteFills.get(gf);
  if (start && settings.weights === 'int8') {
    const why = 'checkpoints do not open in int8 in a worker: use load() of glassformer';
    throw new GlassformerError('unsupported', 'weights', 'int8', why);
  }
  if (start) return remoteTarget(await start(settings, new Map(needed)), plan);
  const model = modelOfZeros(gf, settings, needed);
  const handle = handleOf(model);
  return {
    weight(to) {
      const info = handle.get(to);
      if (!isPacked(info)) return plain(/** @type {Float32Array} */ (handle.lend(info)));
      return {
        put: (data, from) => handle.put(info, data, from),
        get: (from, count) => readPacked(handle, info, from, count),
      };
    },
    async done(checkpoint, texts) {
      handle.checkpoint = checkpoint;
      handle.texts = texts;
      return model;
    },
    free: () => model.free(),
  };
}

/**
 * The weights are held here until all have been read, then go over one by one.
 * @param {{model: any, put: (name: string, data: Float32Array) => Promise<void>,
 *   end: (checkpoint: any) => Promise<void>}} there
 * @param {Plan} plan
 * @returns {Filling}
 */
function remoteTarget({ model, put, end }, { settings }) {
  /** @type {Map<string, Float32Array>} */
  const weights = new Map();
  return {
    weight(to) {
      const weight = weights.get(to) ?? new Float32Array(shapeOf(to, settings).reduce((a, b) => a * b));
      weights.set(to, weight);
      return plain(weight);
    },
    async done(checkpoint, texts) {
      for (const [name, data] of weights) {
        await put(name, data);
        weights.delete(name);
      }
      await end(checkpoint);
      opened.set(model, checkpoint);
      lendTexts(model, texts);
      return model;
    },
    free: () => model.free(),
  };
}

/**
 * Writes what a placement takes of a piece of a tensor.
 * @param {import('./fill.js').Target} target
 * @param {import('./families/match.js').Placement} placement
 * @param {import('../formats/safetensors-stream.js').Numbers} data
 * @param {number} at of its first element
 * @param {number[]} shape of the tensor
 */
function write(target, { layout, offset, first, count }, data, at, shape) {
  if (layout === 'transposed') return transpose(target, offset, data, at, /** @type {[number, number]} */ (shape));
  const from = Math.max(first, at);
  const end = Math.min(first + count, at + data.length);
  if (from >= end) return;
  const part = data.subarray(from - at, end - at);
  target.put(layout === 'gain' ? part.map((each) => 1 + each) : part, offset + from - first);
}

/**
 * The weights of which there is a target, once more.
 * @param {Plan} plan
 * @param {SafetensorsFile[]} files
 * @param {Parameters<import('./weights-error.js').Pour>[0]} targetOf
 */
async function pour({ placements, computed, settings }, files, targetOf) {
  for (const [to, compute] of Object.entries(computed)) targetOf(to)?.put(compute(settings), 0);
  for (const file of files) {
    for (const [name, { shape }] of file.tensors) {
      const wanted = (placements.get(name) ?? []).filter(({ to, into }) => !into && targetOf(to));
      if (!wanted.length) continue;
      for await (const { data, at } of file.pieces(name)) {
        for (const placement of wanted)
          write(/** @type {import('./fill.js').Target} */ (targetOf(placement.to)), placement, data, at, shape);
      }
    }
  }
}

/**
 * Keeps a gain as the file has it: 1 more, rounded, does not always lead back.
 * @param {Plan} plan
 * @param {import('./families/match.js').Placement} placement
 * @param {import('../formats/safetensors-stream.js').Numbers} data
 * @param {number} at
 */
function keepGain({ gains }, { to, count }, data, at) {
  const gain = gains.get(to) ?? new Float32Array(count);
  gain.set(data, at);
  gains.set(to, gain);
}

/**
 * The model, with its weights; freed where something goes wrong.
 * @param {Engine} gf
 * @param {Plan} plan
 * @param {SafetensorsFile[]} files
 * @param {import('./fill.js').WeightType} [wanted]
 * @returns {Promise<Filling | null>} null: the file has two tables, which the plan takes for one
 */
async function fill(gf, plan, files, wanted) {
  const filling = await targetFor(gf, plan, files, wanted);
  let done = false;
  try {
    /** @type {Set<string>} */
    const filled = new Set();
    for (const file of files) {
      for (const [name, { shape }] of file.tensors) {
        const placements = plan.placements.get(name) ?? [];
        for await (const { data, at } of placements.length ? file.pieces(name) : []) {
          expectFinite(data, name, at, shape, 'number');
          for (const placement of placements) {
            const { to, into, layout, shared, offset } = placement;
            const target = into ? plain(into) : filling.weight(to);
            const isSecond = shared && filled.has(to);
            const before = isSecond ? target.get(offset + at, data.length) : undefined;
            write(target, placement, data, at, shape);
            if (layout === 'gain') keepGain(plan, placement, data, at);
            if (!before || !target.get(offset + at, data.length).some((value, i) => value !== before[i])) continue;
            if (plan.mayUntie) return null;
            throw new GlassformerError('format', name, undefined, 'differs from the copy of this table in the file');
          }
        }
        for (const { to } of placements) filled.add(to);
      }
    }
    for (const [to, compute] of Object.entries(plan.computed)) filling.weight(to).put(compute(plan.settings), 0);
    done = true;
    return filling;
  } finally {
    if (!done) await filling.free();
  }
}
