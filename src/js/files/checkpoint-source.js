import { isArray, tagOf } from '../arrays/arrays.js';
import { GlassformerError } from '../errors.js';
import { FAMILIES, familyOf } from './families/index.js';
import { Opened, located, openBytes } from '../formats/file-bytes.js';
import { parseJson } from '../formats/json.js';
import { isOnHub, onHub } from './hub.js';
import { Remote, expectFile, refusePage, settle, toBytes } from '../formats/source.js';
import { filesIn } from './split.js';
import { isObject, listOf, refuseType } from '../arrays/tensor.js';

/** @typedef {import('../formats/source.js').FileSource} FileSource */
/** @typedef {import('../formats/file-bytes.js').Signal} Signal */
/** @typedef {import('./split.js').Part} Part */
/** @typedef {import('../text/chat.js').ChatFiles} ChatFiles */
/** @typedef {FileSource | Record<string, unknown>} JsonSource a file of JSON, or what `JSON.parse` made of it */

/**
 * The files of a checkpoint, by these names or as their folder has them: 'config.json', 'model.safetensors'.
 * @typedef {object} CheckpointFiles
 * @property {JsonSource | PromiseLike<JsonSource>} [config] config.json; absent only where the weights are one file by
 *   `model.save`, which says it itself
 * @property {FileSource | PromiseLike<FileSource> | readonly (FileSource | PromiseLike<FileSource>)[]} weights
 *   model.safetensors or pytorch_model.bin, or all files that it was split into
 * @property {JsonSource | PromiseLike<JsonSource>} [tokenizer] tokenizer.json
 * @property {JsonSource | PromiseLike<JsonSource>} [generationConfig] generation_config.json, of a decoder: its ends
 * @property {JsonSource | PromiseLike<JsonSource>} [tokenizerConfig] tokenizer_config.json, where no other file says an
 *   end, and for `tokenizer.chat`
 * @property {FileSource | PromiseLike<FileSource>} [sourceSpm] source.spm of a Marian, which has no tokenizer.json
 * @property {FileSource | PromiseLike<FileSource>} [targetSpm] target.spm of a Marian
 * @property {FileSource | PromiseLike<FileSource>} [vocab] vocab.json of a Marian
 * @property {FileSource | PromiseLike<FileSource>} [spiece] spiece.model of a T5 without tokenizer.json
 */

/**
 * A folder: its address, which ends in /, the name of a model on the hub, `hub:ORG/NAME`, or the files that a reader
 * picked.
 * @typedef {string | import('../globals.js').Instance<'URL'>
 *   | readonly import('../globals.js').Instance<'File'>[]} Folder
 */

const NAMES = {
  config: 'config.json',
  tokenizer: 'tokenizer.json',
  generationConfig: 'generation_config.json',
  tokenizerConfig: 'tokenizer_config.json',
};
/** Files of a family whose texts SentencePiece cuts, by the names of the arguments. */
const PIECES = { sourceSpm: 'source.spm', targetSpm: 'target.spm', vocab: 'vocab.json' };
/** That of a family of which it makes what tokenizer.json is elsewhere. */
const SPIECE = { spiece: 'spiece.model' };
/** The template of a chat model's folder, where tokenizer_config.json has none. */
const CHAT = 'chat_template.jinja';
/** The arguments by the names that files have in a folder, and in the result of `save({ format: 'huggingface' })`. */
const BY_FILE = new Map(Object.entries({ ...NAMES, ...PIECES, ...SPIECE }).map(([key, file]) => [file, key]));
const KEYS = ['config', 'weights', ...Object.keys({ ...NAMES, ...PIECES, ...SPIECE }).slice(1)];
/** The weights, or the index of the files that they were split into; the first that is there is taken. */
const KINDS = [
  { file: 'model.safetensors', index: 'model.safetensors.index.json', ending: /\.safetensors$/ },
  { file: 'pytorch_model.bin', index: 'pytorch_model.bin.index.json', ending: /\.(bin|pt|pth)$/ },
];

for (const { file } of KINDS) BY_FILE.set(file, 'weights');

/** Bytes and values; no longer one is read. The largest tokenizers have 30 MB, indexes 10 MB and 100,000 values. */
const LONGEST = { tokenizer: 2 ** 26, other: 2 ** 22 };
const MOST_VALUES = 2 ** 18;

/** @param {string} parameter */
const isTokenizer = (parameter) => /^(tokenizer|vocab|spiece)|spm$/i.test(parameter);

/**
 * Reads a JSON file, or takes its parsed object.
 * @param {unknown} given
 * @param {string} parameter
 * @returns {Promise<Record<string, unknown>>}
 */
export async function jsonOf(given, parameter) {
  const source = await sourceOf(given, parameter);
  const isParsed =
    Object.prototype.toString.call(source) === '[object Object]' && !source.arrayBuffer && !(source instanceof Remote);
  if (isParsed) return source;
  const bytes = await bytesOf(source, parameter);
  let json;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    json = isTokenizer(parameter) ? parseJson(text) : parseJson(text, MOST_VALUES);
  } catch (error) {
    throw malformed(parameter, undefined, `is no JSON: ${/** @type {Error} */ (error).message}`);
  }
  if (!isObject(json)) throw malformed(parameter, json, 'must be an object of JSON');
  return json;
}

/** @param {unknown} given @param {string} parameter */
async function sourceOf(given, parameter) {
  const settled = await settle(given, parameter);
  return typeof settled === 'string' ? located(settled) : settled;
}

/**
 * The files from which a Marian's tokenizers are made; undefined where one of them is not given.
 * @param {CheckpointFiles} given
 * @returns {Promise<Record<string, Uint8Array> | undefined>}
 */
export async function piecesOf({ sourceSpm, targetSpm, vocab, tokenizerConfig }) {
  /** @type {Record<string, Uint8Array>} */
  const files = {};
  for (const [key, source] of Object.entries({ sourceSpm, targetSpm, vocab })) {
    if (source === undefined) return undefined;
    const name = PIECES[/** @type {keyof typeof PIECES} */ (key)];
    files[name] = await bytesOf(await sourceOf(source, key), key);
  }
  const said = tokenizerConfig && (await jsonOf(tokenizerConfig, 'tokenizerConfig'));
  if (said) files[NAMES.tokenizerConfig] = new TextEncoder().encode(JSON.stringify(said));
  return files;
}

/**
 * The file of which a T5's tokenizer is made, and what tokenizer_config.json says.
 * @param {CheckpointFiles} given
 * @returns {Promise<{bytes: Uint8Array, said: Record<string, unknown>} | undefined>}
 */
export async function spieceOf({ spiece, tokenizerConfig }) {
  if (spiece === undefined) return undefined;
  const bytes = await bytesOf(await sourceOf(spiece, 'spiece'), 'spiece');
  return { bytes, said: tokenizerConfig ? await jsonOf(tokenizerConfig, 'tokenizerConfig') : {} };
}

/**
 * Notes the files that a family's tokenizer lacks.
 * @param {boolean} hasPieces @param {Record<string, unknown>} found
 */
function lackingWords(hasPieces, found) {
  const lacking = hasPieces ? Object.entries(PIECES).filter(([key]) => found[key] === undefined) : [];
  if (found.tokenizer || (hasPieces && !lacking.length)) return [];
  const names = hasPieces ? lacking.map(([, name]) => name).join(', ') : NAMES.tokenizer;
  return [`the folder has no ${names}`];
}

/**
 * The bytes of a JSON file; of one that is too long no more than tells so.
 * @param {any} given
 * @param {string} parameter
 * @returns {Promise<Uint8Array>}
 */
async function bytesOf(given, parameter) {
  const most = isTokenizer(parameter) ? LONGEST.tokenizer : LONGEST.other;
  const expectShort = (/** @type {number} */ size) => {
    if (size > most) throw malformed(parameter, size, `must be at most ${most} bytes`);
  };
  const isAddress = (typeof given === 'string' || given instanceof URL) && !/^file:/.test(`${given}`);
  const asked = isAddress ? fetch(given) : given instanceof Remote ? given.ask() : null;
  const source = asked ? await settle(asked, parameter) : given;
  expectShort(source?.size ?? source?.byteLength ?? 0);
  const expected = 'a URL, Response, Blob, bytes or the parsed JSON';
  const isStream = source?.body?.getReader && source.ok !== false && !source.bodyUsed && !source.body.locked;
  if (!isStream) {
    const bytes = await toBytes(source, parameter, expected);
    expectShort(bytes.byteLength);
    return bytes;
  }
  expectFile(source, parameter);
  const reader = source.body.getReader();
  /** @type {Uint8Array[]} */
  const parts = [];
  let size = 0;
  for (let step; !(step = await settle(reader.read(), parameter)).done;) {
    parts.push(step.value);
    size += step.value.byteLength;
    if (size > most) void reader.cancel().catch(() => {});
    expectShort(size);
  }
  const bytes = new Uint8Array(await new Blob(/** @type {any} */ (parts)).arrayBuffer());
  refusePage(bytes, parameter);
  return bytes;
}

/** @param {string} parameter @param {unknown} value @param {string} why */
const malformed = (parameter, value, why) => new GlassformerError('format', parameter, value, why);

const PICKED = 'an array of files with their names';
const filesReader = listOf((file, name) => file ?? refuseType(name, file, PICKED), PICKED);

/**
 * The files of what was given.
 * @param {unknown} given files by name, or a folder
 * @param {Parameters<typeof onHub>[1]} [options] of a name on the hub
 * @returns {Promise<CheckpointFiles & {notes: string[], chat: () => Promise<ChatFiles>,
 *   find?: (signal?: Signal) => Promise<Part[]>}>} chat: how chats are written; find: the weights, where they have to
 *   be found
 */
export async function filesOf(given, options) {
  const tag = tagOf(given);
  if (isArray(given)) return picked(filesReader(given, 'checkpoint'));
  if (tag === 'FileList') return picked(Array.from(/** @type {any} */ (given)));
  // A chat's files are read when the signal of this call may be long over.
  const later = { ...options, signal: undefined, onProgress: undefined };
  if (isOnHub(given)) return inFolder(onHub(given, options).at, true, onHub(given, later).at);
  if (typeof given === 'string' || given instanceof URL) {
    const folder = folderOf(`${given}`);
    return inFolder((name) => new URL(name, folder)).catch((error) => {
      if (error.code !== 'notFound' || error.parameter !== NAMES.config) throw error;
      const why = 'there is no such folder, or no config.json in it';
      throw new GlassformerError('notFound', 'file', `${given}`, why, error);
    });
  }
  if (tag !== 'Object')
    refuseType('checkpoint', given, '{ config, weights, tokenizer }, the address of a folder or files');
  const named = Object.entries(/** @type {object} */ (given)).map(([name, file]) => [BY_FILE.get(name) ?? name, file]);
  const files = /** @type {CheckpointFiles & Record<string, unknown>} */ (Object.fromEntries(named));
  const unknown = Object.keys(files).find((name) => !KEYS.includes(name));
  if (unknown) throw new GlassformerError('unknown', unknown, undefined, `known are ${KEYS.join(', ')}`);
  if (files.weights === undefined) refuseType('weights', files.weights, 'the file model.safetensors');
  const { tokenizerConfig: said } = files;
  const chat = async () => (said === undefined ? {} : { said: await jsonOf(said, 'tokenizerConfig') });
  return { ...files, notes: [], chat };
}

/** Its address, which ends in /: of a path in Node. @param {string} folder */
export function folderOf(folder) {
  const { location } = /** @type {any} */ (globalThis);
  try {
    const address = new URL(located(folder), location?.href);
    if (!address.pathname.endsWith('/')) address.pathname += '/';
    return address;
  } catch {
    throw new GlassformerError('type', 'checkpoint', folder, 'must be the address of a folder, with / at its end');
  }
}

/**
 * @param {(name: string) => any} at
 * @param {boolean} [isSure] a file is absent only where its server says so: others have a page in place of it
 * @param {(name: string) => any} [later] for what is read after this call
 */
async function inFolder(at, isSure = false, later = at) {
  const config = await jsonOf(at(NAMES.config), NAMES.config);
  const family = FAMILIES[familyOf(config)];
  const { kind } = family.read(config); // else a tokenizer of 20 MB would come for nothing
  /** A file that may be absent, but not damaged. @param {string} name @param {(name: string) => any} [from] */
  const bytesIn = (name, from = at) =>
    bytesOf(from(name), name).catch((error) => {
      const isAbsent = !isSure || error.code === 'notFound';
      if (!isAbsent || error.message.includes('must be at most') || isOnHub(error.parameter)) throw error;
      return undefined;
    });
  /** @param {string} name @param {(name: string) => any} [from] */
  const maybe = async (name, from) => {
    const bytes = await bytesIn(name, from);
    return bytes ? jsonOf(bytes, name) : undefined;
  };
  const chat = async () => {
    const bytes = await bytesIn(CHAT, later);
    const template = bytes && new TextDecoder().decode(bytes);
    return { template, said: await maybe(NAMES.tokenizerConfig, later) };
  };
  /** @type {Record<string, Uint8Array | undefined>} */
  const pieces = {};
  const { hasPieces = false, hasSpiece = false } = family;
  for (const [key, name] of hasPieces ? Object.entries(PIECES) : []) pieces[key] = await bytesIn(name);
  const isWhole = hasPieces && Object.values(pieces).every((each) => each);
  const tokenizer = isWhole ? undefined : await maybe(NAMES.tokenizer);
  const spiece = hasSpiece && !tokenizer ? await bytesIn(SPIECE.spiece) : undefined;
  const notes = lackingWords(hasPieces, { ...pieces, tokenizer: tokenizer ?? spiece });
  const writes = kind !== 'encoder';
  const generationConfig = writes ? await maybe(NAMES.generationConfig) : undefined;
  const isSaid = [generationConfig, config].some((said) => (said?.eos_token_id ?? undefined) !== undefined);
  const tokenizerConfig = writes && (!isSaid || hasPieces || spiece) ? await maybe(NAMES.tokenizerConfig) : undefined;
  /** @param {Signal} [signal] @returns {Promise<Part[]>} */
  const find = async (signal) => {
    /** @type {unknown} */
    let absent;
    for (const { file, index, ending } of KINDS) {
      try {
        const opened = new Opened(await openBytes(at(file), 'file', signal));
        return [{ source: () => opened }];
      } catch (error) {
        signal?.throwIfAborted();
        if (isOnHub(/** @type {any} */ (error).parameter)) throw error; // refused, not absent
        absent ??= error;
      }
      const said = await maybe(index);
      if (said) return [...filesIn(said, index, ending)].map(([name, names]) => ({ source: () => at(name), names }));
    }
    throw absent;
  };
  return { config, weights: [], tokenizer, generationConfig, tokenizerConfig, ...pieces, spiece, notes, find, chat };
}

/** @param {any[]} files with their names */
async function picked(files) {
  const named = new Map();
  for (const file of files) {
    if (typeof file?.name !== 'string' || typeof file.arrayBuffer !== 'function') {
      refuseType('checkpoint', file, PICKED);
    }
    const twice = named.get(file.name);
    const wanted = [...Object.values({ ...NAMES, ...PIECES, ...SPIECE }), ...KINDS.map((kind) => kind.file)].includes(
      file.name,
    );
    if (twice && wanted) throw malformed(file.name, files.length, 'is among the files twice: pick one folder');
    named.set(file.name, file);
  }
  const source = (/** @type {string} */ name) => named.get(name) ?? lacking(name, named);
  const parts = await partsAmong(named);
  if (!parts.some(([, names]) => names)) parts.forEach(([name]) => source(name));
  const find = async () => parts.map(([name, names]) => ({ source: () => source(name), names }));
  const found = Object.values(PIECES).filter((name) => named.has(name));
  const absent = found.length > 1 ? Object.values(PIECES).filter((name) => !named.has(name)) : [NAMES.tokenizer];
  const isThere = [absent, [NAMES.tokenizer], [SPIECE.spiece]].some((all) => all.every((name) => named.has(name)));
  const notes = isThere ? [] : [`${absent.join(', ')} is not among the files`];
  const given = Object.fromEntries(
    Object.entries({ ...NAMES, ...PIECES, ...SPIECE }).map(([key, name]) => [key, named.get(name)]),
  );
  const [jinja, said] = [CHAT, NAMES.tokenizerConfig].map((name) => named.get(name));
  const chat = async () => ({
    template: jinja && (await jinja.text()),
    said: said && (await jsonOf(said, NAMES.tokenizerConfig)),
  });
  return { ...given, weights: [], notes, find, chat };
}

/**
 * The names of the files that the weights are in, with those of their tensors where an index says them.
 * @param {Map<string, any>} named
 * @returns {Promise<[string, string[]?][]>}
 */
async function partsAmong(named) {
  for (const { file, index, ending } of KINDS) {
    if (named.has(file)) return [[file]];
    if (named.has(index)) return [...filesIn(await jsonOf(named.get(index), index), index, ending)];
    const others = [...named.keys()].filter((name) => ending.test(name));
    if (others.length === 1) return [[others[0]]];
  }
  return [[KINDS[0].file]];
}

/** @param {string} name @param {Map<string, unknown>} named @returns {never} */
function lacking(name, named) {
  const old = [...named.keys()].find((each) => /\.(h5|msgpack|ckpt|gguf|onnx)$/.test(each));
  const why = old ? `: ${old} is another format, of which safetensors is made by save_pretrained` : '';
  throw new GlassformerError('missing', name, undefined, `is not among the ${named.size} files${why}`);
}

/** More are no ends: a list of a whole vocabulary would let nothing be written. */
const MOST = 1024;

/**
 * The tokens that end a text: the ids of generation_config.json, else of config.json, as transformers takes them: one
 * or a list; else the token that tokenizer_config.json names, else what usually ends a text in such a tokenizer.
 * @param {Record<'config', Record<string, any>> &
 *   Partial<Record<'generationConfig' | 'tokenizerConfig', Record<string, any>>>} said
 * @param {import('../text/texts.js').BaseTokenizer | undefined} tokenizer
 * @param {number} vocabulary rows of the model's table
 * @returns {{endIds: number[], notes: string[]}} notes: what is not read, by the name of its file
 */
export function endsIn({ config, generationConfig, tokenizerConfig }, tokenizer, vocabulary) {
  /** @type {string[]} */
  const notes = [];
  const isId = (/** @type {unknown} */ id) => Number.isInteger(id) && Number(id) >= 0 && Number(id) < vocabulary;
  for (const [file, given] of Object.entries({ 'generation_config.json': generationConfig, 'config.json': config })) {
    const said = given?.eos_token_id ?? undefined;
    if (said === undefined) continue;
    const ids = Array.isArray(said) ? said : [said];
    if (ids.length > 0 && ids.length <= MOST && ids.every(isId)) return { endIds: [...new Set(ids)], notes };
    notes.push(`${file}: eos_token_id is not read, as it must be at most ${MOST} ids from 0 to ${vocabulary - 1}`);
  }
  const { eos_token: named } = Object(tokenizerConfig);
  const token = typeof named === 'string' ? named : Object(named).content;
  const id = typeof token === 'string' && tokenizer?.has(token) ? tokenizer.id(token) : tokenizer?.special.end;
  return { endIds: isId(id) ? [Number(id)] : [], notes };
}
