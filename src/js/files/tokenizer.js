import { isList } from '../arrays/arrays.js';
import { jsonOf } from './checkpoint-source.js';
import { ENCODE, fitRows } from './encoding.js';
import { GlassformerError } from '../errors.js';
import { flag, ints, listOf, maybe, optional, readOptions, refuseType } from '../arrays/tensor.js';
import { vocabularyOf } from './tokenizer-file.js';
import { addedTokensOf, splitterOf } from './tokenizer/added.js';
import { bytesOf } from './tokenizer/byte-letters.js';
import { decoderOf } from './tokenizer/decoders.js';
import { mostOf } from './tokenizer/growth.js';
import { modelOf } from './tokenizer/models.js';
import { normalizerOf } from './tokenizer/normalizers.js';
import { preTokenizerOf } from './tokenizer/pre-tokenizers.js';
import { processorOf } from './tokenizer/processors.js';
import { unread } from './tokenizer/settings.js';

/** @typedef {import('./checkpoint-source.js').JsonSource} JsonSource */
/** @typedef {import('./encoding.js').Encoding} Encoding */
/** @typedef {import('./encoding.js').EncodedRows} EncodedRows */
/** @typedef {import('./encoding.js').EncodeOptions} EncodeOptions */

/**
 * Ids of the tokens that are no words, null where there is no such.
 * @typedef {object} SpecialTokens
 * @property {number | null} mask what a masked-word model fills in: [MASK]
 * @property {number | null} start what begins a text: [CLS]
 * @property {number | null} separator what ends a text: [SEP]
 * @property {number | null} padding what fills a row: [PAD]
 * @property {number | null} unknown what stands for all else: [UNK]
 * @property {number | null} end what ends a text of a GPT: <|endoftext|>
 */

/** @type {import('../arrays/tensor.js').Reader<any>} */
const idReader = (value, name) => value ?? refuseType(name, value, 'an id');

/** @type {import('../arrays/tensor.js').Reader<string>} */
const textReader = (value, name) => (typeof value === 'string' ? value : refuseType(name, value, 'a string'));

/**
 * A tokenizer from its file.
 * @param {JsonSource | PromiseLike<JsonSource>} source tokenizer.json: address, Response, Blob, bytes, or what
 *   `JSON.parse` made of it; in Node also a path or file: URL
 * @returns {Promise<Tokenizer>}
 * @throws {GlassformerError} type; format for what is no tokenizer.json; unsupported for a setting that is not read
 *   here, and for a pattern (`Split`, `Replace`) whose time may grow faster than the square of the text's length; limit
 *   for an added token of which the steps make too long a text
 * @example
 * import { loadTokenizer } from 'glassformer/tokenizers';
 * const vocab = { '[UNK]': 0, jump: 1, '##ing': 2, dog: 3 };
 * const tokenizer = await loadTokenizer({
 *   model: { type: 'WordPiece', unk_token: '[UNK]', continuing_subword_prefix: '##', vocab },
 *   pre_tokenizer: { type: 'BertPreTokenizer' }, normalizer: null, post_processor: null,
 *   decoder: { type: 'WordPiece', prefix: '##', cleanup: true }, added_tokens: [],
 * });
 * tokenizer.encode('jumping dog').tokens; // → ['jump', '##ing', 'dog']
 * tokenizer.decode([1, 2, 3]); // → 'jumping dog'
 */
export async function loadTokenizer(source) {
  const json = await jsonOf(source, 'tokenizer');
  try {
    return new Tokenizer(json);
  } catch (error) {
    // Given as an object, it may hold what no file can: a proxy that was revoked, a symbol.
    throw error instanceof TypeError ? unusable(error) : error;
  }
}

/**
 * Texts to ids and back. Made by `loadTokenizer` and `loadModel`.
 * @example
 * import { loadTokenizer } from 'glassformer/tokenizers';
 * const model = { type: 'WordPiece', unk_token: '[UNK]', vocab: { '[UNK]': 0, dog: 1 } };
 * (await loadTokenizer({ model, pre_tokenizer: { type: 'BertPreTokenizer' } })).size; // → 2
 */
export class Tokenizer {
  #split;
  #cut;
  #model;
  #process;
  #decode;
  #tokens;
  #ids;
  #forms;
  #specials;
  #left;
  #isByteLevel;

  /** @internal @param {any} json */
  constructor(json) {
    const { tokens, vocab, model, added } = vocabularyOf(json);
    try {
      const normalizer = normalizerOf(json.normalizer);
      const { cut, needsFirst } = preTokenizerOf(json.pre_tokenizer);
      this.#decode = decoderOf(json.decoder);
      this.#process = processorOf(json.post_processor);
      this.#model = modelOf(model, vocab);
      const own = addedTokensOf(added, vocab, normalizer);
      // Which letter came first in the text is not known behind them.
      if (needsFirst && normalizer && (normalizer.isMoved || own.some(({ normalized }) => normalized))) {
        unread('first', 'prepend_scheme of a Metaspace behind a normalizer that may move what comes first');
      }
      this.#split = splitterOf(own, normalizer);
      this.#cut = cut;
      this.#isByteLevel = /"ByteLevel"/.test(JSON.stringify([json.decoder, json.pre_tokenizer]));
      this.#forms = new Map(own.map(({ id, form }) => [id, form]));
      const specials = own.filter(({ special }) => special);
      this.#specials = new Set(specials.map(({ id }) => id));
      this.#left = new Set(specials.map(({ content }) => content));
    } catch (error) {
      if (!(error instanceof GlassformerError) || error.parameter === 'tokenizer') throw unusable(error);
      throw new GlassformerError('limit', 'tokenizer', undefined, 'its steps make too long a text of an added token');
    }
    this.#tokens = tokens;
    /**
     * One more than the largest id.
     * @type {number}
     */
    this.size = tokens.length;
    this.#ids = new Map();
    // Not map: there may be ids that no token has.
    tokens.forEach((token, id) => this.#ids.set(token, id));
    const first = (/** @type {string[]} */ contents) =>
      contents.map((each) => this.id(each)).find((id) => id !== null) ?? null;
    /**
     * Ids of the tokens that are no words.
     * @type {SpecialTokens}
     */
    this.special = {
      mask: first(['[MASK]', '<mask>']),
      start: first(['[CLS]', '<s>']) ?? null,
      separator: first(['[SEP]', '</s>']) ?? null,
      padding: first(['[PAD]', '<pad>']) ?? null,
      unknown: first(['[UNK]', '<unk>']) ?? null,
      end: first(['<|endoftext|>']),
    };
  }

  /**
   * A text, or a pair of texts, as the model reads it: with the special tokens that its family puts around.
   * @overload
   * @param {string} text
   * @param {{pair?: string, special?: boolean}} [options] pair: a second text behind the first; special: false leaves
   *   the special tokens out
   * @returns {Encoding}
   * @throws {GlassformerError} type, unknown; token for a character that the vocabulary can say in no way; limit where
   *   the file's steps make a text of more than 2^20 letters that is also 32 times as long as the one given
   * @example
   * const { ids, types } = tokenizer.encode('dog jumping');
   * ids; // → [3, 1, 2]
   * types; // → [0, 0, 0]
   */
  /**
   * Several texts, filled to rows of one length.
   * @overload
   * @param {readonly string[]} texts
   * @param {EncodeOptions & {pair?: readonly string[]}} [options] pair: a second text behind each
   * @returns {EncodedRows}
   * @throws {GlassformerError} type, unknown, token, limit; missing for an option that needs another; range for a
   *   text of too many tokens
   * @example
   * const { ids, padding } = tokenizer.encode(['dog', 'dog jumping'], { truncation: true, maxLength: 2 });
   * ids; // → [[3, 0], [3, 1]]
   * padding; // → [[0, 1], [0, 0]]
   */
  /**
   * @param {any} texts
   * @param {any} [options]
   * @returns {any}
   */
  encode(texts, options = {}) {
    if (!isList(texts)) {
      const one = textReader(texts, 'text');
      const given = readOptions(options, { pair: maybe(textReader), special: ENCODE.special });
      const { ids, tokens, types } = this.#encode(one, given);
      return { ids, tokens, types };
    }
    const all = listOf(textReader, '')(texts, 'texts');
    if (!all.length) throw new GlassformerError('shape', 'texts', undefined, 'must not be empty');
    const reader = listOf(textReader, 'an array of texts');
    const { pair, special, ...fit } = readOptions(options, { pair: maybe(reader), ...ENCODE });
    if (pair && pair.length !== all.length) {
      throw new GlassformerError('shape', 'pair', [pair.length], `must have ${all.length} texts`);
    }
    const rows = all.map((text, row) => this.#encode(text, { pair: pair?.[row], special }));
    const id = this.special.padding ?? this.special.end ?? 0;
    return fitRows(rows, fit, { id, token: this.#tokens[id] ?? '' });
  }

  /**
   * @param {string} text
   * @param {{pair: string | undefined, special: boolean}} options
   * @returns {Encoding & {closing: number}}
   */
  #encode(text, { pair, special }) {
    const texts = pair === undefined ? [text] : [text, pair];
    const parts = texts.map((each, type) => ({ ids: attempt(() => this.#idsOf(each)), type, added: false }));
    /** @type {Encoding & {closing: number}} */
    const row = { ids: [], tokens: [], types: [], closing: 0 };
    for (const { ids, type, added } of this.#process(parts, special)) {
      row.closing = added ? row.closing + ids.length : ids.length ? 0 : row.closing;
      for (const id of ids) {
        const token = this.#tokens[id];
        if (token === undefined) throw new GlassformerError('token', 'text', id, 'the vocabulary has no token for it');
        row.ids.push(id);
        row.tokens.push(token);
        row.types.push(type);
      }
    }
    return row;
  }

  /** @param {string} text @returns {number[]} without special tokens around */
  #idsOf(text) {
    /** @type {number[]} */
    const ids = [];
    // Half a pair is no character.
    const whole = text.replace(/\p{Surrogate}/gu, '\ufffd');
    const most = mostOf(whole.length);
    for (const { text: piece, id, isFirst } of this.#split(whole, most)) {
      if (id >= 0) ids.push(id);
      else for (const word of this.#cut(piece, isFirst, most)) this.#model(word, ids);
    }
    return ids;
  }

  /**
   * The text that ids stand for.
   * @param {ArrayLike<number>} ids
   * @param {{special?: boolean}} [options] special: true keeps the special tokens
   * @returns {string}
   * @throws {GlassformerError} type, unknown, limit; token for an id that the vocabulary lacks
   * @example
   * tokenizer.decode([3, 1]); // → 'dog jump'
   * tokenizer.decode([99]); // throws token
   */
  decode(ids, options = {}) {
    const { special } = readOptions(options, { special: optional(flag, false) });
    const list = listOf(idReader, 'an array of ids')(ids, 'ids');
    if (list.length === 0) return '';
    const { data } = ints(list, 'ids');
    /** @type {string[]} */
    const tokens = [];
    for (const id of data) {
      const token = this.token(id);
      const form = this.#forms.get(id) ?? token;
      if (special || !this.#left.has(form)) tokens.push(form);
    }
    return attempt(() => this.#decode(tokens, mostOf));
  }

  /**
   * A token as the vocabulary writes it.
   * @param {number} id
   * @returns {string}
   * @throws {GlassformerError} token for an id that the vocabulary lacks
   * @example
   * tokenizer.token(2); // → '##ing'
   */
  token(id) {
    const token = typeof id === 'number' ? this.#tokens[id] : undefined;
    if (token !== undefined) return token;
    throw new GlassformerError('token', 'id', id, `must be an id of the vocabulary, 0 to ${this.size - 1}`);
  }

  /**
   * The id of a token, null where there is no such.
   * @param {string} token
   * @returns {number | null}
   * @example
   * tokenizer.id('dog'); // → 3
   * tokenizer.id('cat'); // → null
   */
  id(token) {
    return this.#ids.get(token) ?? null;
  }

  /**
   * A token for people: byte-level letters as what they stand for, a space as ␣, a part of a character as its bytes.
   * @param {number} id
   * @returns {string}
   * @throws {GlassformerError} token for an id that the vocabulary lacks
   * @example
   * tokenizer.label(1); // → 'jump'
   */
  label(id) {
    const token = this.token(id);
    if (!this.#isByteLevel || this.#specials.has(id)) return visible(token);
    const bytes = bytesOf(token);
    if (!bytes) return visible(token);
    try {
      return visible(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes)));
    } catch {
      const part = (/** @type {number} */ byte) =>
        byte < 128 ? visible(String.fromCharCode(byte)) : `<${byte.toString(16).toUpperCase()}>`;
      return bytes.map(part).join('');
    }
  }
}

/** What the file says is not what it must be. @param {unknown} error */
function unusable(error) {
  if (error instanceof GlassformerError) return error;
  const why = `is no tokenizer.json that can be used: ${String(error).slice(0, 120)}`;
  return new GlassformerError('format', 'tokenizer', undefined, why);
}

/**
 * What the engine itself may refuse: a pattern that needs too deep a stack, a text longer than any.
 * @template T
 * @param {() => T} ask
 * @returns {T}
 */
function attempt(ask) {
  try {
    return ask();
  } catch (error) {
    throw unusable(error);
  }
}

/** What is seen of characters that print nothing. @type {Record<string, string>} */
const MARKS = { ' ': '␣', '\n': '↵', '\t': '⇥', '\r': '⏎', '\u00a0': '⍽' };

/** @param {string} text */
const visible = (text) => text.replace(/[ \n\t\r\u00a0]/g, (space) => MARKS[space]);
