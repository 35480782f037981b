// The first argument of a method that computes: a text, texts, ids, what `encode` gives, or inputs by name.
import { isArray, isList } from '../arrays/arrays.js';
import { GlassformerError } from '../errors.js';
import { isNamed } from '../arrays/names.js';

/** @typedef {import('../text/texts.js').BaseTokenizer} BaseTokenizer */
/** @typedef {import('../text/texts.js').Encoding | import('../text/texts.js').EncodedRows} Encoded */

/**
 * The tokenizers of a model. unread: why there is no tokenizer.
 * @typedef {object} Texts
 * @property {BaseTokenizer} [tokenizer] of its only stack, or of the source
 * @property {BaseTokenizer} [targetTokenizer] of the target
 * @property {BaseTokenizer} [outputTokenizer] of the logits, where they are of other words than the ids
 * @property {Error} [unread]
 * @property {readonly number[]} [endIds] tokens that end a text that is written
 * @property {import('./rules.js').Rules} [rules] on a text that is written
 * @property {readonly string[]} [labels] names of the classes of its output head
 */

/**
 * Tokens that a model reads: ids, or a text or texts where it knows its tokenizer, or what `encode` gives.
 * @typedef {import('../arrays/tensor.js').Ints | string | readonly string[] | Encoded} Ids
 */

/** The most tokens of a text. @param {import('./config.js').Settings} config @returns {number | undefined} */
export const limitOf = ({ positions, maxLength }) => (positions === 'learned' ? Number(maxLength) : undefined);

/**
 * A model's tokenizers, which learn its limit from it.
 * @param {import('./config.js').Settings} config
 * @param {Texts} texts
 * @returns {Texts}
 */
export function textsOf(config, texts) {
  const { tokenizer, targetTokenizer } = texts;
  for (const each of [tokenizer, targetTokenizer]) if (each) each.maxLength ??= limitOf(config);
  const shares = config.kind === 'encoder-decoder' && (config.tiedEmbeddings || !config.targetVocabulary);
  return { ...texts, ...(shares && tokenizer && { targetTokenizer: targetTokenizer ?? tokenizer }) };
}

/**
 * Vocabularies and tokenizers in the place of their sizes.
 * @param {any} given settings by name, or what is none
 */
export function withoutTexts(given) {
  /** @type {Record<string, any>} */
  const texts = {};
  if (!isNamed(given)) return { once: given, texts };
  const once = /** @type {Record<string, unknown>} */ ({ ...given });
  for (const name of ['vocabulary', 'targetVocabulary', 'outputVocabulary']) {
    const value = once[name];
    if (typeof value !== 'object' || value === null) continue;
    if (typeof (/** @type {any} */ (value).encode) !== 'function') {
      throw new GlassformerError('type', name, value, 'must be an integer or new Vocabulary(words)');
    }
    texts[TOKENIZERS[name]] = value;
    once[name] = /** @type {any} */ (value).size;
  }
  return { once, texts };
}

/** The model's property for the tokenizer of each vocabulary. @type {Record<string, string>} */
export const TOKENIZERS = {
  vocabulary: 'tokenizer',
  targetVocabulary: 'targetTokenizer',
  outputVocabulary: 'outputTokenizer',
};

/**
 * The words that a model knows, as its file says them, or its tokenizer.json.
 * @param {{config: any, texts: any}} model
 */
export function knownWords({ config, texts }) {
  /** @type {Record<string, any>} */
  const known = {};
  for (const [name, tokenizer] of Object.entries(TOKENIZERS)) {
    const { words, level } = texts[tokenizer] ?? {};
    if (words && words.length === config[name]) known[name] = level === 'characters' ? { level, words } : words;
  }
  known.endIds = texts.endIds?.length ? texts.endIds : undefined;
  known.rules = texts.rules;
  known.labels = texts.labels;
  if (!texts.tokenizer?.words) known.tokenizer = texts.tokenizer?.toJSON?.();
  return known;
}

/**
 * Models in workers, and their trainers, with what reads texts for them on this side.
 * @type {WeakMap<object, {config: import('./config.js').Config, texts: Texts}>}
 */
export const lent = new WeakMap();

/**
 * Functions that call methods of objects in workers: only the worker knows the table of settings (known.js).
 * @type {WeakMap<object, (method: string, ...args: any[]) => Promise<any>>}
 */
export const calls = new WeakMap();

/** The engines of models in workers, which make further models there. @type {WeakMap<object, () => any>} */
export const engines = new WeakMap();

/** The checkpoints of models in workers. @type {WeakMap<object, import('./handle.js').Handle['checkpoint']>} */
export const opened = new WeakMap();

/** Shows a model's tokenizers at what stands for it on this side. @param {any} model @param {Texts} texts */
export function lendTexts(model, texts) {
  lent.set(model, { config: model.config, texts });
  for (const name of /** @type {const} */ (['tokenizer', 'targetTokenizer'])) {
    Object.defineProperty(model, name, { value: texts[name], configurable: true });
  }
}

/** Inputs of a model's only stack, of the source and of the target: ids, token types, padding. */
const SIDES = [
  ['ids', 'typeIds', 'padding'],
  ['sourceIds', 'sourceTypeIds', 'sourcePadding'],
  ['targetIds', 'targetTypeIds', 'targetPadding'],
];

/**
 * Inputs and options by name, as readers take them: texts as ids, without what `encode` tells beside.
 * @param {{config: import('./config.js').Config, texts?: Texts}} model
 * @param {unknown} input
 * @param {unknown} [options]
 * @param {boolean} [cuts] texts are cut at the model's limit, or at `maxLength`, unless `truncation` is false
 * @returns {any}
 */
export function namedInput({ config, texts = {} }, input, options, cuts) {
  if (options !== undefined && !isNamed(options)) {
    throw new GlassformerError('type', 'options', options, 'must be options by name, as { maxOperations: 1e9 }');
  }
  if (input === undefined) return options;
  /** @type {Record<string, any>} */
  const given = { ...(isNamed(input) && !hasIds(input) ? input : byName(config, input)), ...options };
  const { truncation = true, maxLength = cuts && limitOf(config) } = given;
  const encode = cuts && truncation && maxLength ? { truncation, maxLength } : {};
  for (const [ids, typeIds, padding] of SIDES) {
    const isTarget = ids === 'targetIds';
    const tokenizer = isTarget ? texts.targetTokenizer : texts.tokenizer;
    const value = given[ids];
    const coded = value === undefined ? value : encodedOf(value, ids, tokenizer, texts.unread, encode);
    const isText = typeof (isArray(value) ? value[0] : value) === 'string';
    const read = coded && isTarget && isText && texts.rules ? behindStart(coded, texts.rules.start) : coded;
    if (read) {
      refuseUnknown(read, ids);
      given[ids] = read.ids;
      given[typeIds] ??= read.typeIds;
      if (!isZero(read.padding)) given[padding] ??= read.padding;
    }
    if (!(typeIds in given) || (config.types && !isTarget)) continue;
    if (!isZero(given[typeIds])) {
      const why = 'must be all 0: this model has no token types';
      throw new GlassformerError('config', typeIds, undefined, why);
    }
    delete given[typeIds];
  }
  return given;
}

/** Whether it is what encode gives. @param {Record<string, unknown>} named */
const hasIds = (named) => 'ids' in named && ('tokens' in named || 'unknown' in named);

/**
 * Names an unnamed input as the first one of the model.
 * @param {import('./config.js').Config} config
 * @param {unknown} input
 * @returns {Record<string, unknown>}
 */
function byName({ kind, vocabulary }, input) {
  const isEncoding = isNamed(input);
  const first = isEncoding || (vocabulary && !/^(attention|feed-forward)$/.test(kind)) ? 'Ids' : 'Vectors';
  const name = kind === 'encoder-decoder' ? `source${first}` : first.toLowerCase();
  if (!isEncoding) return { [name]: input };
  // Others may stand beside what encode gave.
  const { ids, typeIds, padding, unknown, ...others } = input;
  for (const key of Object.keys(others)) if (/^(tokens|\d+)$/.test(key)) delete others[key];
  return { [name]: { ids, typeIds, padding, unknown }, ...others };
}

/**
 * @param {unknown} value
 * @param {string} name
 * @param {BaseTokenizer | undefined} tokenizer
 * @param {Error | undefined} unread
 * @param {import('../text/texts.js').EncodeOptions} options
 * @returns {Record<'ids' | 'typeIds' | 'padding' | 'unknown', any> | undefined} undefined: no text
 */
function encodedOf(value, name, tokenizer, unread, options) {
  const isRow = isArray(value);
  const isText = typeof (isRow ? value[0] : value) === 'string';
  const coded = /** @type {any} */ (value);
  if (isRow && coded[0]?.role) {
    throw new GlassformerError('type', name, value, 'of a chat: await tokenizer.chat(messages, options)');
  }
  if (!isText && isRow) return coded.typeIds && { ...coded, ids: [...coded] };
  if (!isText) return isNamed(value) && 'ids' in value ? coded : undefined;
  if (tokenizer) return /** @type {any} */ (tokenizer.encode(/** @type {any} */ (value), options));
  const why = 'must be ids, as tokenizer.encode(text) gives them: this model knows no tokenizer';
  throw unread ?? new GlassformerError('type', name, value, why);
}

/**
 * A target as its model is trained to read it: its start in front, without the token that ends it.
 * @param {Record<string, any>} encoded a text, or rows
 * @param {number | undefined} start
 * @returns {Record<string, any>}
 */
function behindStart({ ids, typeIds, padding }, start) {
  if (start === undefined) return { ids, typeIds, padding };
  if (!isArray(ids[0])) return { ids: [start, ...ids.slice(0, -1)], typeIds, padding };
  const rows = ids.map((/** @type {number[]} */ row, /** @type {number} */ at) => {
    const hidden = padding[at].filter(Boolean).length;
    const shown = row.slice(0, row.length - hidden - 1);
    return [start, ...shown, ...row.slice(row.length - hidden)];
  });
  return { ids: rows, typeIds, padding };
}

/**
 * Names a word that has no id, where its id would say nothing.
 * @param {{ids: any, unknown?: any}} encoded
 * @param {string} name
 */
function refuseUnknown({ ids, unknown }, name) {
  for (const [row, each] of [...(unknown ?? [])].entries()) {
    for (const { word, at } of isArray(each) ? each : [each]) {
      if ((isArray(each) ? ids[row] : ids)?.[at] === -1) {
        throw new GlassformerError('token', name, word, 'has a word that is not in the vocabulary, tokenizer.words');
      }
    }
  }
}

/** Whether there is nothing but 0 in it: lists, rows or a tensor. @param {any} value @returns {boolean} */
function isZero(value) {
  if (typeof value !== 'object' || value === null) return value === undefined || Number(value) === 0;
  return Array.from(isList(value) ? value : (value.data ?? [1])).every(isZero);
}
