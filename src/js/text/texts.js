// Texts to ids and back: the common part of a vocabulary of words and the tokenizer of a checkpoint.
import { GlassformerError, beginning } from '../errors.js';

/**
 * A word that a vocabulary lacks.
 * @typedef {object} UnknownWord
 * @property {string} word as it was written
 * @property {number} at its place among the ids
 */

/**
 * A text as a model reads it: the list of its ids, with lists of the same length beside. Every method of a model takes
 * it as it is, and so does whatever takes ids. Parts and copies of it (`slice`, `map`) are plain lists.
 * @typedef {number[] & EncodedLists} Encoding
 *
 * @typedef {object} EncodedLists
 * @property {number[]} ids its tokens, alone; -1 for a word that a `Vocabulary` without [UNK] lacks
 * @property {number[]} typeIds 0, of a second text 1
 * @property {number[]} padding 1 = hidden, a place that only fills the row. The opposite of an attention_mask
 * @property {string[]} tokens as the vocabulary has them
 * @property {UnknownWord[]} [unknown] of a `Vocabulary`: the words that it lacks
 */

/**
 * Texts as a model reads them: rows of ids, with the lists of an `Encoding` beside, a row for each text.
 * @typedef {number[][] & EncodedRowLists} EncodedRows
 *
 * @typedef {object} EncodedRowLists
 * @property {number[][]} ids rows of one length, unless `padding` is false
 * @property {number[][]} typeIds 0, of a second text 1
 * @property {number[][]} padding 1 = hidden
 * @property {string[][]} tokens as the vocabulary has them
 * @property {UnknownWord[][]} [unknown] of a `Vocabulary`
 */

/**
 * Options of `encode`.
 * @typedef {object} EncodeOptions
 * @property {boolean} [special] false leaves the special tokens out
 * @property {boolean | 'longest' | 'maxLength'} [padding] fills the rows at their end: up to the longest (true), or up
 *   to `maxLength`; default true
 * @property {boolean} [truncation] cuts the end of texts of more than `maxLength` tokens, before special ones
 * @property {number} [maxLength] tokens of a row; default that of the tokenizer, which is the model's
 */

/**
 * Ids of the tokens that are no words, null where there is no such.
 * @typedef {object} SpecialTokens
 * @property {number | null} mask hides a word that the model fills in: [MASK]
 * @property {number | null} start begins a text: [CLS], [BOS]
 * @property {number | null} separator ends a text: [SEP]
 * @property {number | null} padding fills a row: [PAD]
 * @property {number | null} unknown stands for all else: [UNK]
 * @property {number | null} end ends a generated text: <|endoftext|>, [EOS], </s>
 */

/**
 * A row before it is cut and filled. closing: special tokens that were put behind the text; those that the text itself
 * ends with are cut like the rest.
 * @typedef {Omit<EncodedLists, 'padding'> & {closing: number}} Row
 */

/**
 * Tokens to a text, some at a time.
 * @typedef {object} Joiner
 * @property {(tokens: string[]) => string} push gives the text that is certain by then
 * @property {() => string} end the rest
 * @property {() => string} peek the rest, as `end` would give it now: the text may go on
 */

/**
 * Parts of a tokenizer.
 * @typedef {object} Ways
 * @property {readonly string[]} tokens by id
 * @property {Map<string, number>} ids by token
 * @property {number} [unknown] stands for a word that is lacking
 * @property {(text: string, options: {pair?: string, special: boolean}) => Row} row reads a text
 * @property {() => Joiner} joiner for a text that is written
 * @property {(id: number, special: boolean) => string | undefined} form of a token in a text; undefined: none
 */

/**
 * Ids as `gf.argmax` gives them.
 * @typedef {object} IdTensor
 * @property {Int32Array} data row-major
 * @property {readonly number[]} shape size of each axis
 */

/** The usual names of special tokens; the first that exists is taken. @type {Record<string, string>} */
const SPECIAL = {
  mask: '[MASK] <mask>',
  start: '[CLS] <s> [BOS] <|begin_of_text|>',
  separator: '[SEP] </s>',
  padding: '[PAD] <pad>',
  unknown: '[UNK] <unk>',
  end: '<|endoftext|> [EOS] <|end_of_text|> </s> <|im_end|> <|eot_id|> <|end|> <end_of_turn>',
};

/**
 * A list of any kind; without arrays.js, which bundles of a task do without.
 * @param {unknown} value
 * @returns {value is ArrayLike<any>}
 */
function isList(value) {
  return Array.isArray(value) || (ArrayBuffer.isView(value) && 'length' in value); // no DataView
}

/** Characters, one after the other. @returns {Joiner} */
export const joined = () => ({ push: (tokens) => tokens.join(''), end: () => '', peek: () => '' });

/** Words with spaces between. @returns {Joiner} */
export function spaced() {
  let before = '';
  return {
    push(tokens) {
      const text = tokens.length ? before + tokens.join(' ') : '';
      if (tokens.length) before = ' ';
      return text;
    },
    end: () => '',
    peek: () => '',
  };
}

/**
 * The elements of a list.
 * @template {'string' | 'number'} K
 * @param {unknown} value
 * @param {string} name
 * @param {K} kind of each
 * @returns {(K extends 'string' ? string : number)[]}
 */
export function elementsOf(value, name, kind) {
  if (!isList(value)) refuse(value, name, `must be an array of ${kind}s`);
  const elements = [];
  for (let i = 0; i < value.length; i++) {
    const given = value[i];
    const element = kind === 'number' && typeof given === 'bigint' ? Number(given) : given;
    if (typeof element !== kind) refuse(element ?? null, name, `${name}[${i}] must be a ${kind}`);
    elements.push(element);
  }
  return elements;
}

/** The rows of a tensor, or its only one; all else as it is. @param {any} given */
function rowsOf(given) {
  const { data, shape } = /** @type {any} */ (Object(given));
  const isSize = (/** @type {any} */ size) => size > 0 && Number.isInteger(size);
  const fits = isList(data) && Array.isArray(shape) && shape.length < 3 && shape.every(isSize);
  if (!fits || shape.reduce((all, size) => all * size, 1) !== data.length) return given;
  const [rows, length] = shape;
  /** @type {any} */
  const all = data;
  if (!length) return all;
  return Array.from({ length: rows }, (_, row) => all.slice(row * length, (row + 1) * length));
}

/** @param {unknown} value @param {string} name @param {string} expected @returns {never} */
function refuse(value, name, expected) {
  throw new GlassformerError('type', name, value, expected);
}

/**
 * Texts to ids and back: the methods that every `Vocabulary` and every `Tokenizer` has.
 * @example
 * import { Vocabulary } from 'glassformer';
 * const words = new Vocabulary(['the', 'creek']);
 * words.decode(words.encode('the creek')); // → 'the creek'
 */
export class BaseTokenizer {
  #ways;

  /** @protected @param {Ways} ways */
  constructor(ways) {
    this.#ways = ways;
    /**
     * Tokens of the longest text that its model reads, to which `truncation` cuts; undefined without such a limit.
     * @type {number | undefined}
     */
    this.maxLength = undefined;
  }

  /**
   * One more than the largest id.
   * @example
   * tokenizer.size; // → 4
   */
  get size() {
    return this.#ways.tokens.length;
  }

  /**
   * The id that stands for what the vocabulary lacks; undefined without one.
   * @returns {number | undefined}
   * @example
   * tokenizer.unknown; // → 0
   */
  get unknown() {
    return this.#ways.unknown;
  }

  /**
   * Ids of the tokens that are no words.
   * @returns {SpecialTokens}
   * @example
   * tokenizer.special.padding; // → null
   */
  get special() {
    const { ids } = this.#ways;
    const first = (/** @type {string} */ names) => names.split(' ').find((name) => ids.has(name)) ?? '';
    return /** @type {any} */ (
      Object.fromEntries(Object.entries(SPECIAL).map(([role, names]) => [role, ids.get(first(names)) ?? null]))
    );
  }

  /**
   * @param {string} token
   * @returns {boolean}
   * @example
   * tokenizer.has('dog'); // → true
   */
  has(token) {
    return this.#ways.ids.has(token);
  }

  /**
   * The id of a token.
   * @param {string} token
   * @returns {number}
   * @throws {GlassformerError} unknown
   * @example
   * tokenizer.id('dog'); // → 3
   * tokenizer.id('river'); // throws unknown
   */
  id(token) {
    const id = this.#ways.ids.get(token);
    if (id === undefined) throw new GlassformerError('unknown', 'token', token, 'is not in the vocabulary');
    return id;
  }

  /**
   * A token as the vocabulary writes it.
   * @param {number} id
   * @returns {string}
   * @throws {GlassformerError} token for an id that the vocabulary lacks
   * @example
   * tokenizer.token(3); // → 'dog'
   */
  token(id) {
    const token = typeof id === 'number' ? this.#ways.tokens[id] : undefined;
    if (token !== undefined) return token;
    throw new GlassformerError('token', 'id', id, `must be an id of the vocabulary, 0 to ${this.size - 1}`);
  }

  /**
   * A text, or a pair of texts, as the model reads it: with the special tokens that its family puts around.
   * @overload
   * @param {string} text
   * @param {EncodeOptions & {pair?: string}} [options] pair: a second text behind the first
   * @returns {Encoding}
   * @throws {GlassformerError} type, unknown; missing for an option that needs another; range for a text of too many
   *   tokens; token for a character that the vocabulary can say in no way; limit where the file's steps make a text of
   *   more than 2^20 letters that is also 32 times as long as the one given
   * @example
   * const encoding = tokenizer.encode('dog jumping');
   * [...encoding]; // → [3, 1, 2]
   * encoding.typeIds; // → [0, 0, 0]
   * tokenizer.encode('dog jumping', { truncation: true, maxLength: 1 }).tokens; // → ['dog']
   */
  /**
   * Several texts, filled to rows of one length.
   * @overload
   * @param {readonly string[]} texts
   * @param {EncodeOptions & {pair?: readonly string[]}} [options] pair: a second text behind each
   * @returns {EncodedRows}
   * @throws {GlassformerError} as for one
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
    const isOne = !isList(texts);
    const all = isOne ? [textOf(texts, 'text')] : elementsOf(texts, 'texts', 'string');
    if (!all.length) throw new GlassformerError('shape', 'texts', undefined, 'must not be empty');
    const { pair, special, ...fit } = readEncode(options, isOne ? 1 : all.length, this.maxLength, isOne);
    const rows = all.map((text, row) => this.#ways.row(text, { pair: pair?.[row], special }));
    const id = this.special.padding ?? this.special.end ?? 0;
    const fitted = fitRows(rows, { ...fit, isOne }, { id, token: this.#ways.tokens[id] ?? '' });
    const lists = isOne ? Object.fromEntries(Object.entries(fitted).map(([name, [row]]) => [name, row])) : fitted;
    return Object.assign(lists.ids.slice(), lists);
  }

  /**
   * The text that ids stand for, or the texts of rows of them; of a tensor with two axes, as gf.argmax gives it,
   * those of its rows.
   * @template {ArrayLike<number | bigint> | readonly ArrayLike<number | bigint>[] | IdTensor} I
   * @param {I} ids
   * @param {{special?: boolean}} [options] special: true keeps the special tokens
   * @returns {I extends IdTensor ? string | string[] :
   *   I extends readonly ArrayLike<number | bigint>[] ? string[] : string}
   * @throws {GlassformerError} type, unknown, limit; token for an id that the vocabulary lacks
   * @example
   * tokenizer.decode([3, 1]); // → 'dog jump'
   * tokenizer.decode([[3], [1]]); // → ['dog', 'jump']
   * tokenizer.decode({ data: Int32Array.of(3, 1), shape: [1, 2] }); // → ['dog jump']
   * tokenizer.decode([99]); // throws token
   */
  decode(ids, options) {
    const one = (/** @type {any} */ each) => {
      const { push, end } = this.decoder(options);
      return push(each) + end();
    };
    const list = rowsOf(ids);
    return /** @type {any} */ (isList(list) && isList(list[0]) ? Array.from(list, one) : one(list));
  }

  /**
   * The same text from ids that come one by one: `push` gives the text that is certain by then, `end` the rest. Bytes
   * of a character that several tokens share come out whole. `peek` gives the rest while the text may still go on.
   * @param {{special?: boolean}} [options] special: true keeps the special tokens
   * @returns {{push: (ids: ArrayLike<number | bigint>) => string, end: () => string, peek: () => string}} after `end`
   *   it starts again
   * @throws {GlassformerError} as `decode`
   * @example
   * const { push, end } = tokenizer.decoder();
   * push([3]); // → 'dog'
   * push([1, 2]); // → ' jumping'
   * end(); // → ''
   */
  decoder(options = {}) {
    const { special: kept = false } = readNames(options, ['special']);
    const special = flagOf(kept, 'special');
    let joiner = this.#ways.joiner();
    return {
      push: (ids) => {
        const forms = elementsOf(ids, 'ids', 'number').map((id) => (this.token(id), this.#ways.form(id, special)));
        return joiner.push(/** @type {string[]} */ (forms.filter((form) => form !== undefined)));
      },
      peek: () => joiner.peek(),
      end: () => {
        const rest = joiner.end();
        joiner = this.#ways.joiner();
        return rest;
      },
    };
  }
}

/** @param {unknown} value @param {string} name @returns {string} */
const textOf = (value, name) => (typeof value === 'string' ? value : refuse(value, name, 'must be a string'));

/** @param {unknown} value @param {string} name @returns {boolean} */
const flagOf = (value, name) =>
  typeof value === 'boolean' ? value : refuse(value ?? null, name, 'must be true or false');

/**
 * Named options, without the readers of tensors, which the tasks and a worker's client do without.
 * @param {unknown} options
 * @param {string[]} known
 * @returns {Record<string, any>}
 */
export function readNames(options, known) {
  if (typeof options === 'string') {
    const hint = `must be named: a second text is { pair: ${JSON.stringify(beginning(options, 30))} }`;
    refuse(options, 'options', hint);
  }
  if (typeof options !== 'object' || options === null || isList(options)) {
    refuse(options, 'options', `must be { ${known.join(', ')} }`);
  }
  const given = /** @type {any} */ ({ ...options });
  const other = Object.keys(given).find((name) => !known.includes(name));
  if (other === undefined) return given;
  throw new GlassformerError('unknown', other, given[other], `unknown; known are ${known.join(', ')}`);
}

/**
 * @param {unknown} options
 * @param {number} count of texts
 * @param {number | undefined} limit
 * @param {boolean} isOne
 */
function readEncode(options, count, limit, isOne) {
  const given = readNames(options, ['pair', 'special', 'padding', 'truncation', 'maxLength']);
  const { special = true, padding = true, truncation = false, maxLength } = given;
  const pair = isOne && given.pair !== undefined ? [textOf(given.pair, 'pair')] : given.pair;
  const pairs = pair === undefined ? undefined : elementsOf(pair, 'pair', 'string');
  if (pairs && pairs.length !== count) {
    throw new GlassformerError('shape', 'pair', [pairs.length], `must have ${count} texts`);
  }
  if (typeof padding !== 'boolean' && !['longest', 'maxLength'].includes(padding)) {
    const code = typeof padding === 'string' ? 'range' : 'type';
    throw new GlassformerError(code, 'padding', padding, 'must be one of true, false, longest, maxLength');
  }
  const toMost = padding === 'maxLength';
  const cuts = flagOf(truncation, 'truncation');
  const most = maxLength ?? (cuts || toMost ? limit : Infinity);
  if (most === undefined) {
    throw new GlassformerError(
      'missing',
      'maxLength',
      undefined,
      'needed: tokens of a row; this tokenizer has no limit',
    );
  }
  if (maxLength !== undefined) {
    if (typeof maxLength !== 'number') refuse(maxLength, 'maxLength', 'must be an integer');
    if (!(Number.isInteger(maxLength) && maxLength > 0 && maxLength <= 2 ** 20)) {
      throw new GlassformerError('range', 'maxLength', maxLength, `must be an integer from 1 to ${2 ** 20}`);
    }
    if (!cuts && !toMost) {
      throw new GlassformerError('missing', 'truncation', undefined, 'needed: true, to cut texts to maxLength');
    }
  }
  return { pair: pairs, special: flagOf(special, 'special'), toMost, fills: padding !== false, cuts, most };
}

/**
 * Rows cut and filled.
 * @param {Row[]} rows
 * @param {{toMost: boolean, fills: boolean, cuts: boolean, most: number, isOne: boolean}} fit
 * @param {{id: number, token: string}} filler
 * @returns {EncodedRowLists}
 */
function fitRows(rows, { toMost, fills, cuts, most, isOne }, filler) {
  const kept = rows.map(({ ids, closing }, row) => {
    const all = [...ids.keys()];
    if (ids.length <= most) return all;
    const text = isOne ? 'text' : `texts[${row}]`;
    if (!cuts) throw new GlassformerError('range', text, ids.length, `has more than ${most} tokens`);
    if (closing >= most) throw new GlassformerError('range', 'maxLength', most, `must be above ${closing}`);
    return [...all.slice(0, most - closing), ...all.slice(ids.length - closing)];
  });
  const longest = toMost ? most : fills ? kept.reduce((longest, { length }) => Math.max(longest, length), 0) : 0;
  const rowsOf = (/** @type {(row: Row) => any[]} */ of, /** @type {any} */ fill) =>
    kept.map((places, row) => {
      const list = of(rows[row]);
      return [...places.map((at) => list[at]), ...Array(Math.max(longest - places.length, 0)).fill(fill)];
    });
  return {
    ids: rowsOf(({ ids }) => ids, filler.id),
    typeIds: rowsOf(({ typeIds }) => typeIds, 0),
    padding: rowsOf(({ ids }) => ids.map(() => 0), 1),
    tokens: rowsOf(({ tokens }) => tokens, filler.token),
    ...(rows[0].unknown && {
      unknown: rows.map(({ unknown = [] }, row) => unknown.filter(({ at }) => kept[row].includes(at))),
    }),
  };
}
