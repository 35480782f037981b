/*! @license @huggingface/tokenizers 0.2.0, which is part of this file: Apache License 2.0, tokenizers.LICENSE.txt */
import { Tokenizer as Library } from '@huggingface/tokenizers';
import { isList } from '../arrays/arrays.js';
import { slownessOf } from './backtracking.js';
import { jsonOf } from './checkpoint-source.js';
import { ENCODE, fitRows } from './encoding.js';
import { GlassformerError } from '../errors.js';
import { flag, ints, listOf, maybe, optional, readOptions, refuseType } from '../arrays/tensor.js';
import { vocabularyOf } from './tokenizer-file.js';

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
 * @throws {GlassformerError} type; format for what is no tokenizer.json; unsupported for one with a pattern (`Split`,
 *   `Replace`) whose time may grow faster than the square of the text's length
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
  #library;
  #tokens;
  #ids;
  #specials;
  #isByteLevel;
  #isOfOneType;

  /** @internal @param {any} json */
  constructor(json) {
    const { tokens, model } = vocabularyOf(json);
    try {
      // Files of older versions leave out what is null.
      const whole = { normalizer: null, pre_tokenizer: null, post_processor: null, decoder: null, ...json, model };
      expectFast(whole);
      this.#library = new Library({ ...whole, added_tokens: json.added_tokens ?? [] }, {});
      this.#isByteLevel = /"ByteLevel"/.test(JSON.stringify([json.decoder, json.pre_tokenizer]));
      // Much of the file is read with the first text only.
      this.#library.encode('a');
    } catch (error) {
      throw unusable(error);
    }
    // As the library in Rust has it; this one gives the second text another type.
    this.#isOfOneType = json.post_processor?.type === 'RobertaProcessing';
    this.#tokens = tokens;
    const added = /** @type {{id: number, special?: boolean}[]} */ (json.added_tokens ?? []);
    this.#specials = new Set(added.filter(({ special }) => special).map(({ id }) => id));
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
   * @throws {GlassformerError} type, unknown; token for a character that the vocabulary can say in no way
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
   * @throws {GlassformerError} type, unknown, token; missing for an option that needs another; range for a text of too
   *   many tokens
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
      return this.#encode(one, readOptions(options, { pair: maybe(textReader), special: ENCODE.special }));
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
    return fitRows(rows, fit, this.#specials, { id, token: this.#tokens[id] ?? '' });
  }

  /**
   * @param {string} text
   * @param {{pair: string | undefined, special: boolean}} options
   * @returns {Encoding}
   */
  #encode(text, { pair, special }) {
    const given = { text_pair: pair, add_special_tokens: special, return_token_type_ids: /** @type {const} */ (true) };
    const { ids, tokens, token_type_ids } = attempt(() => this.#library.encode(text, given));
    const at = ids.findIndex((id) => this.#tokens[id] === undefined);
    if (at >= 0) throw new GlassformerError('token', 'text', tokens[at], 'the vocabulary has no token for it');
    const types = this.#isOfOneType || !token_type_ids ? ids.map(() => 0) : token_type_ids;
    if (!types.every((type) => Number.isInteger(type) && type >= 0)) throw unusable('a type_id is no number');
    return { ids, tokens, types };
  }

  /**
   * The text that ids stand for.
   * @param {ArrayLike<number>} ids
   * @param {{special?: boolean}} [options] special: true keeps the special tokens
   * @returns {string}
   * @throws {GlassformerError} type, unknown; token for an id that the vocabulary lacks
   * @example
   * tokenizer.decode([3, 1]); // → 'dog jump'
   * tokenizer.decode([99]); // throws token
   */
  decode(ids, options = {}) {
    const { special } = readOptions(options, { special: optional(flag, false) });
    const { data } = ints(listOf(idReader, 'an array of ids')(ids, 'ids'), 'ids');
    const wanted = Array.from(data).filter((id) => this.token(id) !== '' && (special || !this.#specials.has(id)));
    if (wanted.length === 0) return '';
    return attempt(() => this.#library.decode(wanted, { clean_up_tokenization_spaces: false }));
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

/** The smallest tokenizer, whose patterns the library makes as it makes those of the file. */
const BARE = { model: { type: 'WordPiece', vocab: { a: 0 }, unk_token: 'a' }, post_processor: null, added_tokens: [] };
/** Letters of a pattern; published ones have some 300. */
const LONGEST_PATTERN = 10_000;
/** Published files have up to 5. */
const MOST_PATTERNS = 32;

/**
 * Refuses patterns that may take very long, before the library uses them: it does so with the added tokens at once.
 * @param {Record<string, any>} json
 */
function expectFast({ normalizer, pre_tokenizer, decoder }) {
  JSON.stringify([normalizer, pre_tokenizer, decoder], (key, value) => {
    if (key !== 'Regex' || String(value).length <= LONGEST_PATTERN) return value;
    throw slow(value, `one has more than ${LONGEST_PATTERN} letters`);
  });
  const made = /** @type {any} */ (new Library({ ...BARE, normalizer, pre_tokenizer, decoder }, {}));
  const patterns = [...patternsOf([made.normalizer, made.pre_tokenizer, made.decoder])];
  if (patterns.length > MOST_PATTERNS) throw slow(patterns.length, `there are more than ${MOST_PATTERNS}`);
  for (const { source, pattern } of patterns) {
    const why = slownessOf(pattern.source);
    if (why) throw slow(source, why);
  }
}

/**
 * The patterns of a tokenizer's steps. Those that the library brings itself have no source in the file.
 * @param {any} step
 * @returns {Generator<{source: string, pattern: RegExp}, void>}
 */
function* patternsOf(step) {
  if (step === null || !/^(object|function)$/.test(typeof step)) return;
  const { config, pattern } = step;
  if (pattern instanceof RegExp && config?.pattern?.Regex !== undefined) {
    yield { source: String(config.pattern.Regex), pattern };
  }
  for (const part of Object.values(step)) if (part !== config) yield* patternsOf(part);
}

/** @param {unknown} source @param {string} why */
function slow(source, why) {
  const message = `its patterns could take hours with a short text: ${why}`;
  return new GlassformerError('unsupported', 'tokenizer', source, message);
}

/** What the file says is not what it must be. @param {unknown} error of the library */
function unusable(error) {
  if (error instanceof GlassformerError) return error;
  const why = `is no tokenizer.json that can be used: ${String(error).slice(0, 120)}`;
  return new GlassformerError('format', 'tokenizer', undefined, why);
}

/**
 * What the library answers; it takes most of the file unseen.
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

/**
 * The bytes that a token of a byte-level vocabulary stands for: printable ones of Latin-1 are written as themselves,
 * the others as the letters from U+0100 on. Radford et al. 2019, its `bytes_to_unicode`.
 * @param {string} token
 * @returns {number[] | null} null: a letter that stands for no byte
 */
function bytesOf(token) {
  const bytes = Array.from(token, (letter) => LETTERS.get(letter) ?? -1);
  return bytes.includes(-1) ? null : bytes;
}

/** The byte that each letter stands for. */
const LETTERS = new Map();
for (let byte = 0, next = 256; byte < 256; byte++) {
  const isPrinted = (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
  LETTERS.set(String.fromCharCode(isPrinted ? byte : next++), byte);
}
